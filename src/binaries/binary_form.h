/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver's binary is, for people: recognised by its bytes, which may be
 * any. Nothing is decided by it.
 */
#ifndef DNNL_CACHE_BINARIES_BINARY_FORM_H
#define DNNL_CACHE_BINARIES_BINARY_FORM_H

#include "src/blob/blob.h"

/* Writes whose binary it is, for which device if it says so, and whether it has
 * intermediate code beside machine code; "" if it is not known. */
void binary_form_of_bytes(const uint8_t *binary, size_t size,
        char text[DNNL_CACHE_BINARY_TEXT_SIZE]);

/* The same of a program's binary, decoded; "" also if it cannot be decoded, or
 * is larger than is worth while. */
void binary_form_describe(const struct blob_program *program,
        char text[DNNL_CACHE_BINARY_TEXT_SIZE]);

#endif /* DNNL_CACHE_BINARIES_BINARY_FORM_H */
