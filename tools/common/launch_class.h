/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_class.h: launches that share machine code.
 *
 * PoCL (3.1, 5.0) compiles a kernel once more for each class of launches, at
 * the first of them: for each local size, with a global offset or without,
 * on a small grid or on any. A binary has the classes that were launched before
 * the first query for it, and those that POCL_BINARY_SPECIALIZE_WG names at
 * that time. Other drivers have no classes.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_LAUNCH_CLASS_H
#define DNNL_CACHE_TOOLS_COMMON_LAUNCH_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_class {
    size_t local[3]; /* 1 where the launch has no such dimension */
    bool has_offset;
    bool is_small; /* grid */
};

struct launch {
    uint32_t dimensions;  /* 1 to 3 */
    const size_t *offset; /* NULL: none */
    const size_t *global;
    const size_t *local; /* NULL: chosen by the driver */
};

/* What the driver's choice of a local size depends on. */
struct launch_limits {
    size_t items[3]; /* CL_DEVICE_MAX_WORK_ITEM_SIZES */
    size_t group;    /* CL_DEVICE_MAX_WORK_GROUP_SIZE */
    size_t multiple; /* CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE */
    size_t units;    /* CL_DEVICE_MAX_COMPUTE_UNITS */
};

/* Grids that are narrower in every dimension are small ones. */
enum { launch_small_width = 65535 };

/* Two parts of a class, without a call: for each launch. */
static inline bool launch_has_offset(const struct launch *launch)
{
    bool has = false;
    for (uint32_t i = 0; launch->offset != NULL && i < launch->dimensions; i++)
        has = has || launch->offset[i] != 0;
    return has;
}

static inline bool launch_is_small(const struct launch *launch)
{
    bool is = true;
    for (uint32_t i = 0; i < launch->dimensions; i++)
        is = is && launch->global[i] < launch_small_width;
    return is;
}

/* Without the local size where the driver chooses it: that is 0. */
struct launch_class launch_class_of(const struct launch *launch);

/* The local size that PoCL chooses for a launch without one. Nothing changes if
 * the limits cannot be a device's. */
void launch_class_choose(struct launch_class *class,
        const struct launch *launch, const struct launch_limits *limits);

bool launch_class_is_same(
        const struct launch_class *a, const struct launch_class *b);

/* "64-1-1-goffs0-smallgrid", as PoCL writes it. */
enum { launch_class_text_size = 96 };
void launch_class_write(
        char text[launch_class_text_size], const struct launch_class *class);

/* Reads the first name of a list as POCL_BINARY_SPECIALIZE_WG has it, and moves
 * *list to the next one. False: the list is at its end, or is something else.
 */
bool launch_class_read(struct launch_class *class, const char **list);

#endif /* DNNL_CACHE_TOOLS_COMMON_LAUNCH_CLASS_H */
