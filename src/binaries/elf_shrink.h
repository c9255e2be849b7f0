/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared objects without what a loader does not read.
 */
#ifndef DNNL_CACHE_BINARIES_ELF_SHRINK_H
#define DNNL_CACHE_BINARIES_ELF_SHRINK_H

#include "src/common/buffer.h"

/* Appends the shared object with its segments as close together as their
 * alignment lets them be, and without sections and symbols for debuggers. A
 * file that it does not understand is appended as it is: another order of
 * bytes or word size, segments beyond its end, headers in no segment. */
void elf_shrink(const uint8_t *file, size_t size, struct buffer *out);

#endif /* DNNL_CACHE_BINARIES_ELF_SHRINK_H */
