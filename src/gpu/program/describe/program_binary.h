/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver is asked for of a program that it has built for a device.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_BINARY_H
#define DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_BINARY_H

#include "dnnl_cache.h"
#include "src/common/buffer.h"

#include <stdbool.h>

/* The names of its kernels, appended, each with a NUL, and their number. Comes
 * before the binary: dnnl_unimplemented if the driver would not survive to be
 * asked for one. */
dnnl_status_t program_binary_kernels(cl_program cl, cl_device_id device,
        struct buffer *names, uint32_t *count);

/* The same alone. */
dnnl_status_t program_binary_names(
        cl_program cl, struct buffer *names, uint32_t *count);

/* Whether a name is among them. */
bool program_names_have(const char *names, size_t size, const char *name);

/* The driver's binary, malloc'ed. `names` are those of all kernels: a driver
 * that compiles kernels when they are created is made to do so first. */
dnnl_status_t program_binary_read(cl_program cl, cl_device_id device,
        const struct buffer *names, unsigned char **binary, size_t *size);

/* Bytes of the binary; 0: it does not tell. */
size_t program_binary_size(cl_program cl, cl_device_id device);

/* The driver's build log, with a NUL, appended to log. */
dnnl_status_t program_binary_log(
        cl_program cl, cl_device_id device, struct buffer *log);

#endif /* DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_BINARY_H */
