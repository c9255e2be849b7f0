/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of PoCL's libraries of built-in functions a device is compiled with:
 * Debian's packages have one for each kind of processor, 9 MB each, of which a
 * device takes one.
 */
#ifndef DNNL_CACHE_GPU_KERNEL_LIBRARY_H
#define DNNL_CACHE_GPU_KERNEL_LIBRARY_H

#include "src/gpu/device/uncounted_parts.h"

#include <stdbool.h>

enum { KERNEL_LIBRARY_NAME_SIZE = 64 };

/* The name of the file that the device takes, if it is there. False: not known;
 * then each may be taken. */
bool kernel_library_of(
        char name[KERNEL_LIBRARY_NAME_SIZE], const struct driver_facts *facts);

/* Why a file beside the one of that name does not count; NULL: it counts. A
 * constant text. */
const char *kernel_library_uncounted(const char *name, const char *taken);

#endif /* DNNL_CACHE_GPU_KERNEL_LIBRARY_H */
