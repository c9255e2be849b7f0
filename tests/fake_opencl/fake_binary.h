/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake compiler's binaries. They hold what was compiled, word for word:
 * making one is deterministic, and loading one finds its kernels again.
 *
 *     "FAKEBIN1", type u32, number of units u32, hash of the device's name
 *     u64, size of the units u64, the units, FNV-1a of all that u64
 *
 * A unit is one compilation: number of headers u32, then text, options and
 * each header's name and text, every one with a u32 length and a NUL behind
 * it. Numbers are little-endian. Linking puts units behind each other.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_BINARY_H
#define DNNL_CACHE_TESTS_FAKE_BINARY_H

#include "fake_internal.h"

enum binary_state { BINARY_GOOD, BINARY_DAMAGED, BINARY_FOREIGN };

/* The units of one binary, or of several, before they are wrapped up. */
struct units {
    uint8_t *data;
    size_t size;
    uint32_t count;
};

/* All return CL_SUCCESS or CL_OUT_OF_HOST_MEMORY; the lock is held. */
cl_int units_add_source(struct units *units, const struct source_input *input);
/* Adds a good binary's units. */
cl_int units_add_binary(
        struct units *units, const uint8_t *binary, size_t size);
void units_fini(struct units *units);
/* Makes the build's binary of them. */
cl_int binary_wrap(struct build *build, const struct units *units,
        cl_program_binary_type type, cl_device_id device);

enum binary_state binary_check(
        const uint8_t *binary, size_t size, cl_device_id device);
/* Of a good binary. */
cl_program_binary_type binary_type(const uint8_t *binary);
/* True if a source or its options in a good binary have the word in them, and
 * it is not empty. */
bool binary_holds(const uint8_t *binary, size_t size, const char *word);
/* Finds the kernels of a good binary; *error as source_scan() has it. */
cl_int binary_scan(const uint8_t *binary, size_t size, cl_device_id device,
        struct kernel_list *kernels, char **error);

#endif /* DNNL_CACHE_TESTS_FAKE_BINARY_H */
