/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.h: one compilation for all hosts that share a store.
 *
 * What the storage has not may be compiled by another host just now: then this
 * one waits, or has the lease and others wait. Only for drivers whose binaries
 * are complete when a program is built, since others wait for the capture.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_LEASE_H
#define DNNL_CACHE_LAYER_PROGRAMS_LEASE_H

#include "layer/programs/build_call.h"

/* After a load that found nothing. True: the storage has it now. */
bool lease_or_wait(struct build_call *call);

/* The build is kept, or will not be. Does nothing if it does not lead. */
void lease_end(struct build *build);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_LEASE_H */
