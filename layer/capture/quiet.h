/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiet.h: is the application in calls that keep the driver's compiler busy?
 *
 * A capture uses the same compiler, and the application would wait for it; so
 * the worker begins when there has been no such call for a moment. A process
 * does not end before its captures, so nothing is lost by that. Thread-safe,
 * without a lock.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_QUIET_H
#define DNNL_CACHE_LAYER_CAPTURE_QUIET_H

#include <stdint.h>

/* Around calls that build, and that create kernels, for which some drivers
 * compile; and from the beginning of an asynchronous build to its callback. */
void quiet_call_begin(void);
void quiet_call_end(void);

/* When the moment will have passed, if no call is begun until then; during
 * calls it is later than now. */
uint64_t quiet_from_ns(uint64_t now);

#endif /* DNNL_CACHE_LAYER_CAPTURE_QUIET_H */
