/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of several devices that the storage has for some of them. */
#ifndef DNNL_CACHE_LAYER_COMPILE_PARTIAL_H
#define DNNL_CACHE_LAYER_COMPILE_PARTIAL_H

#include "layer/programs/build_call.h"

/* Compiles for the devices that the storage lacks, keeps that, and loads the
 * program for all, if that takes less time than to compile for all. Counts the
 * partial hit. False: compile for all; the reason is what it was. */
bool partial_load(struct build_call *call);

#endif /* DNNL_CACHE_LAYER_COMPILE_PARTIAL_H */
