/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.h: what OpenCL says of the arguments that clBuildProgram,
 * clCompileProgram and clLinkProgram have in common. A call that is not as it
 * has to be is the driver's to refuse: nothing that is kept may answer it.
 */
#ifndef DNNL_CACHE_LAYER_ARGUMENTS_H
#define DNNL_CACHE_LAYER_ARGUMENTS_H

#include "layer/programs/build_call.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

/* A list and its number come together, and user data with a callback. */
bool arguments_are_malformed(cl_uint device_count, const cl_device_id *devices,
        build_callback notify, const void *user);

/* The devices that are asked for, among all that there are, each once; how
 * many. They are of the context: a part of a device stands for the device only
 * if it is the context's, or the driver does not tell (quirks.h). 0: the driver
 * has to say what is wrong. asked has room for all_count. */
size_t arguments_devices(cl_context context, cl_uint device_count,
        const cl_device_id *devices, const cl_device_id *all, size_t all_count,
        cl_device_id *asked);

#endif /* DNNL_CACHE_LAYER_ARGUMENTS_H */
