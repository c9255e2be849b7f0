/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom, so that nobody waits for ever.
 *
 * Work is what one thread does and others wait for: an entry of a cache being
 * built, a once-object being done. A thread does many pieces of work at once,
 * one inside the other, but waits for one at most. From a piece of work to the
 * thread that does it, to what that thread waits for, and so on, leads a path;
 * a thread that would find itself at the end of the path asks here first and is
 * told not to wait.
 *
 * Whoever waits for another thread's work, in whatever part of the library,
 * does it between waits_begin() and waits_end(): a path may lead through
 * several caches and once-objects. Every function may be called from any
 * thread.
 */
#ifndef DNNL_CACHE_COMMON_WAITS_H
#define DNNL_CACHE_COMMON_WAITS_H

/* Lives as long as anybody may wait for it. Zeroed: nobody does it. */
struct work {
    struct work **doer; /* the doing thread's awaited: see waits.c */
};

/* The calling thread does the work from now on; it is done, or given up, by
 * whoever does it. work_init() is the first for work that no other thread knows
 * yet, and takes no lock. */
void work_init(struct work *work);
void work_begin(struct work *work);
void work_end(struct work *work);

enum waits_answer {
    waits_granted, /* the caller waits, then calls waits_end() */
    waits_nested,  /* the caller is doing that work itself */
    waits_circular /* who does it waits, in the end, for the caller */
};

enum waits_answer waits_begin(struct work *work);
void waits_end(void);

#endif /* DNNL_CACHE_COMMON_WAITS_H */
