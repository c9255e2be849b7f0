/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main_end.h: a function that is called before the process is taken down.
 *
 * atexit() is too late for calls of drivers. Compilers create static objects at
 * first use (LLVM in PoCL); those are destroyed before atexit() functions that
 * were registered earlier run, and a driver that is asked for anything then
 * crashes. Thread-local destructors run before all of that, when the thread
 * calls exit() or returns from main(). So the function is a destructor of the
 * main thread, and can be registered on that thread only. The shared object
 * that it is in is not unloaded before.
 */
#ifndef DNNL_CACHE_PLATFORM_MAIN_END_H
#define DNNL_CACHE_PLATFORM_MAIN_END_H

#include <stdbool.h>

/* What to call, which outlives the process. */
struct main_end {
    void (*function)(void);
};

/* Is this the main thread? */
bool main_end_is_here(void);

/* Has the function called once, in a child of fork() as well if it is of this
 * thread. False: this is not the main thread, or the C library has no such
 * destructors. */
bool main_end_call(struct main_end *end);

#endif /* DNNL_CACHE_PLATFORM_MAIN_END_H */
