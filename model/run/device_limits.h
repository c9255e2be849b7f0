/* SPDX-License-Identifier: Apache-2.0 */
/* device_limits.h: is a plan too large for a device? Found out by its sizes,
 * before anything is allocated, described or compiled there. */
#ifndef DNNL_CACHE_MODEL_RUN_DEVICE_LIMITS_H
#define DNNL_CACHE_MODEL_RUN_DEVICE_LIMITS_H

#include "model/base/failure.h"
#include "model/plan/plan.h"

/* In bytes. */
struct device_limits {
    uint64_t buffer; /* CL_DEVICE_MAX_MEM_ALLOC_SIZE */
    uint64_t memory; /* CL_DEVICE_GLOBAL_MEM_SIZE */
};

/* Those of a device; 0, which nothing fits into, if it does not say. */
struct device_limits device_limits_of(cl_device_id device);

/* Does the device compute in float16 (cl_khr_fp16)? */
bool device_has_half(cl_device_id device);

/* Fails with the name of a node, an input or an output if a tensor is larger
 * than a buffer may be, if an input or output is larger than 2 GiB, if all of
 * them together are larger than the memory, or if a program of our own cannot
 * count its elements. */
bool device_limits_check(const struct device_limits *limits,
        const struct plan *plan, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_RUN_DEVICE_LIMITS_H */
