/* SPDX-License-Identifier: Apache-2.0 */
/* What NVIDIA's PTX compiler has to be told of a program's build options. */
#ifndef DNNL_CACHE_GPU_NVIDIA_OPTIONS_H
#define DNNL_CACHE_GPU_NVIDIA_OPTIONS_H

#include "src/blob/reader.h"

#include <stdbool.h>

enum { NVIDIA_MOST_OPTIONS = 4, NVIDIA_OPTION_SIZE = 48 };

struct nvidia_options {
    size_t count;
    char text[NVIDIA_MOST_OPTIONS][NVIDIA_OPTION_SIZE];
};

/* Translates those that steer the code and do not show in PTX. False, and why:
 * one of NVIDIA's own that is not known, or that says not to optimise. */
bool nvidia_options_read(const char *build_options,
        struct nvidia_options *options, struct blob_reason *reason);

#endif /* DNNL_CACHE_GPU_NVIDIA_OPTIONS_H */
