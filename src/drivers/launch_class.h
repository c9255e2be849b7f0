/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launch classes: launches of a kernel that a driver (PoCL) has one piece of
 * code for. A class is written as PoCL names it, "64-1-1-goffs0-smallgrid";
 * where the driver chose the local size, with the global size, from which it
 * chooses: "auto-4096-1-1-goffs0-smallgrid".
 */
#ifndef DNNL_CACHE_DRIVERS_LAUNCH_CLASS_H
#define DNNL_CACHE_DRIVERS_LAUNCH_CLASS_H

#include "common/buffer.h"
#include "dnnl_cache_types.h"

struct launch_class {
    uint64_t size[3]; /* local, or global if is_auto; 1: no such dimension */
    bool is_auto;
    bool has_offset;
    bool is_small;
};

/* Of each kernel; more are not distinguished. */
enum { LAUNCH_CLASSES_MAX = 64 };

/* The class of a launch as clEnqueueNDRangeKernel() takes it; offset and local
 * may be NULL. dnnl_invalid_arguments: no driver accepts it. */
dnnl_status_t launch_class_of(struct launch_class *out, cl_uint work_dim,
        const size_t *offset, const size_t *global, const size_t *local);

bool launch_class_equal(
        const struct launch_class *a, const struct launch_class *b);

/* Appends the name, with a comma before it if there is something already. */
void launch_class_append(
        struct buffer *list, const struct launch_class *launch);

/* Reads the name that text begins with, up to end: its size; 0: no name. */
size_t launch_class_read(
        struct launch_class *out, const char *text, const char *end);

#endif /* DNNL_CACHE_DRIVERS_LAUNCH_CLASS_H */
