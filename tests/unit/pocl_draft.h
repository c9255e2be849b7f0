/* SPDX-License-Identifier: Apache-2.0 */
/* Binaries of PoCL, written from a description. */
#ifndef DNNL_CACHE_TESTS_POCL_DRAFT_H
#define DNNL_CACHE_TESTS_POCL_DRAFT_H

#include "src/common/buffer.h"

struct pocl_draft_file {
    const char *name; /* NULL: there are no more */
    size_t size;
};

struct pocl_draft_kernel {
    const char *name;
    struct pocl_draft_file files[4];
};

struct pocl_draft {
    uint32_t version;
    uint32_t type; /* 4: executable */
    uint64_t variables;
    struct pocl_draft_file files[3]; /* of the program */
    struct pocl_draft_kernel kernels[3];
    size_t kernel_count;
};

/* A program of two kernels that can do without intermediate code. */
struct pocl_draft pocl_draft_good(uint32_t version);

/* Appends the binary; fails the test if memory runs out. The bytes of files
 * count up. */
void pocl_draft_write(const struct pocl_draft *draft, struct buffer *out);

#endif /* DNNL_CACHE_TESTS_POCL_DRAFT_H */
