/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PoCL compiled for launches after it was asked for a program's binary.
 *
 * PoCL gives the first answer for ever. What it compiles later is in the
 * program's folder alone, as the files are that it would have put into the
 * binary.
 */
#ifndef DNNL_CACHE_BINARIES_POCL_ADD_H
#define DNNL_CACHE_BINARIES_POCL_ADD_H

#include "src/common/buffer.h"

/* A kernel's shared object of a class of launches, and the folder of PoCL's
 * that it is from. */
struct pocl_code {
    const char *folder;
    const char *kernel;
    const char *launch_class; /* the name of its folder */
    const uint8_t *data;
    size_t size;
};

/* Appends the binary with the object, or as it is if it has one of that class.
 * dnnl_unimplemented: its layout is not known, it is of another folder, to be
 * linked, or has no such kernel; dnnl_success; dnnl_out_of_memory. */
dnnl_status_t pocl_add_code(const uint8_t *binary, size_t size,
        const struct pocl_code *code, struct buffer *out);

#endif /* DNNL_CACHE_BINARIES_POCL_ADD_H */
