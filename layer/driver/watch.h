/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h: was a measured time undisturbed?
 *
 * If many processes start at once, or threads wait for each other inside the
 * driver, a load takes as long as what it waits for, which says nothing about
 * the driver. So a load counts only if no other work of the layer was in the
 * driver meanwhile, and if its thread was not kept waiting for a processor.
 * Thread-safe.
 */
#ifndef DNNL_CACHE_LAYER_WATCH_H
#define DNNL_CACHE_LAYER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Around what keeps the driver busy: compilations, captures. */
void watch_work_begin(void);
void watch_work_end(void);

struct watch {
    bool is_sample;
    bool alone;
    bool knows_waiting;
    unsigned long begun;
    uint64_t preemptions;
    uint64_t waiting_ns;
    uint64_t begun_ns;
};

/* Around what is measured, on one thread; it is such work itself. */
void watch_begin(struct watch *watch);
/* True if nothing disturbed it. If there are many measurements only some are
 * checked, and the others return false. */
bool watch_end(const struct watch *watch);

#endif /* DNNL_CACHE_LAYER_WATCH_H */
