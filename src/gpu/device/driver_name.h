/* SPDX-License-Identifier: Apache-2.0 */
/* Whose driver it is, for what is special about some. */
#ifndef DNNL_CACHE_GPU_DRIVER_NAME_H
#define DNNL_CACHE_GPU_DRIVER_NAME_H

#include "src/drivers/driver_binaries.h" /* POCL_PLATFORM_NAME */

#include <CL/cl.h>

#include <stdbool.h>

enum { driver_name_size = 64 };

/* The name of the device's platform; "" if it is longer, or not known. */
void driver_name(char name[driver_name_size], cl_device_id device);

/* True if the device's platform has this name. */
bool driver_is(cl_device_id device, const char *platform_name);

/* True if the driver compiles when a kernel is created, so that a binary that
 * was asked for before has no machine code: see the table. */
bool driver_compiles_kernels_late(cl_device_id device);

/* True if the driver compiles one program at a time in a process: see the
 * table. */
bool driver_compiles_one_at_a_time(cl_device_id device);

#endif /* DNNL_CACHE_GPU_DRIVER_NAME_H */
