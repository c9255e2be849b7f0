/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_names.h: which builds of this process have a kernel of which name, for
 * drivers that compile when a kernel is launched.
 *
 * A shared object that the driver has mapped says which kernel it is of, and
 * not of which program. So it tells a program's folder only if no other program
 * has a kernel of that name. A build counts from its end until it is freed.
 */
#ifndef DNNL_CACHE_LAYER_KERNEL_NAMES_H
#define DNNL_CACHE_LAYER_KERNEL_NAMES_H

#include "layer/programs/build.h"

/* The build is done, in this program of the driver's. */
void kernel_names_add(struct build *build, cl_program handle);

/* The driver has made, or may make, a program that is not here: from now on no
 * name is only one build's. */
void kernel_names_miss(void);

/* True if the kernel is this build's, and no other one has one of that name. */
bool kernel_names_is_only(const struct build *build, const char *name);

/* True if each other one that has a kernel of that name was not compiled at the
 * same time: files that the driver wrote meanwhile are of this build, or of
 * another process. */
bool kernel_names_are_apart(const struct build *build, const char *name);

/* The build is freed. */
void kernel_names_remove(struct build *build);

#endif /* DNNL_CACHE_LAYER_KERNEL_NAMES_H */
