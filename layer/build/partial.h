/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of several devices that the storage has for some of them. */
#ifndef DNNL_CACHE_LAYER_PARTIAL_H
#define DNNL_CACHE_LAYER_PARTIAL_H

#include "compile.h"

/* Compiles for the devices that the storage lacks, keeps that, and loads the
 * program for all, if that takes less time than to compile for all. Counts the
 * partial hit. False: compile for all; the attempt is what it was. */
bool partial_load(const struct request *r, struct attempt *attempt);

#endif /* DNNL_CACHE_LAYER_PARTIAL_H */
