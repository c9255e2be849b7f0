/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What asking a driver for a binary costs. Some drivers have it at hand; PoCL
 * compiles every kernel once more for it.
 */
#ifndef DNNL_CACHE_GPU_CAPTURE_COST_H
#define DNNL_CACHE_GPU_CAPTURE_COST_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>

/* True if the binaries of the device's programs are better asked for later, by
 * another process. Of a driver that is not in the table: what was measured, and
 * false before. */
bool capture_is_costly(cl_device_id device);

/* The driver was asked for the binary, which was work of binary_ns, of a
 * program that took compile_ns. */
void capture_cost_measured(
        cl_device_id device, uint64_t binary_ns, uint64_t compile_ns);

/* True if binaries of the device's programs have code for some classes of
 * launches, and the others are compiled when they are launched (PoCL). */
bool capture_has_classes(cl_device_id device);

#endif /* DNNL_CACHE_GPU_CAPTURE_COST_H */
