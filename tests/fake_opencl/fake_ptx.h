/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fake driver's binaries look like with the setting PTX, as those of
 * NVIDIA's driver: a text with a NUL at its end, in which the binary of
 * fake_binary.h is a comment. fake_ptx_compiler.c makes ELF files of such
 * texts, which hold that binary in a section ".fakebin".
 */
#ifndef DNNL_CACHE_TESTS_FAKE_PTX_H
#define DNNL_CACHE_TESTS_FAKE_PTX_H

#include "fake_internal.h"

/* The text of a build's binary, malloc'ed; NULL: no memory. */
char *ptx_of_build(
        const struct build *build, cl_device_id device, size_t *size);

/* The binary in a text or an ELF file for the device, malloc'ed. CL_SUCCESS,
 * CL_INVALID_BINARY or CL_OUT_OF_HOST_MEMORY. */
cl_int ptx_unpack(const uint8_t *given, size_t size, cl_device_id device,
        uint8_t **binary, size_t *binary_size);

#endif /* DNNL_CACHE_TESTS_FAKE_PTX_H */
