/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h: was a time that was taken the driver's own?
 *
 * When many processes start at once, or threads wait for each other inside the
 * driver, a load takes as long as whatever it waits for. Such a time says
 * nothing about the driver. So a load counts if nothing else of the layer's was
 * with the driver at any moment of it, and if its thread had a processor when
 * it could use one. Any thread may call these.
 */
#ifndef DNNL_CACHE_LAYER_WATCH_H
#define DNNL_CACHE_LAYER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Around what keeps the driver busy: compilations, harvests. */
void watch_work_begin(void);
void watch_work_end(void);

struct watch {
    bool is_sample;
    bool alone;
    bool knows_waiting;
    unsigned long begun;
    long preemptions;
    uint64_t waiting_ns;
    uint64_t begun_ns;
};

/* Around what is measured, on one thread; it is such work itself. */
void watch_begin(struct watch *watch);
/* True if nothing disturbed it. Where there are many some are looked at, and of
 * the others it is not known. */
bool watch_end(const struct watch *watch);

#endif /* DNNL_CACHE_LAYER_WATCH_H */
