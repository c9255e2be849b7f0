/* SPDX-License-Identifier: Apache-2.0 */
/* launch_choice.h: the local size that a driver chooses. */
#ifndef DNNL_CACHE_DRIVERS_LAUNCH_CHOICE_H
#define DNNL_CACHE_DRIVERS_LAUNCH_CHOICE_H

#include "src/drivers/launch_class.h"

/* What the choice depends on. */
struct launch_limits {
    size_t items[3]; /* CL_DEVICE_MAX_WORK_ITEM_SIZES */
    size_t group;    /* CL_DEVICE_MAX_WORK_GROUP_SIZE */
    size_t multiple; /* CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE */
    size_t units;    /* CL_DEVICE_MAX_COMPUTE_UNITS */
};

/* Puts the local size that PoCL chooses into a class that is_auto. Another
 * class stays as it is, and so does this one if the limits cannot be a
 * device's. */
void launch_class_choose(
        struct launch_class *class, const struct launch_limits *limits);

#endif /* DNNL_CACHE_DRIVERS_LAUNCH_CHOICE_H */
