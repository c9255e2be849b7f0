/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Literals that may be a part of inline assembly which reads a file. Any string
 * may be one of inline assembly: the word asm may be in another file, in an
 * option, or pasted.
 */
#ifndef DNNL_CACHE_BLOB_INCLUDE_ASSEMBLY_H
#define DNNL_CACHE_BLOB_INCLUDE_ASSEMBLY_H

#include <stdbool.h>

/* True if the literal from p, at its quote, to after may be, with what follows
 * it before end, a directive of an assembler that reads a file. */
bool assembly_may_read_file(const char *p, const char *after, const char *end);

#endif /* DNNL_CACHE_BLOB_INCLUDE_ASSEMBLY_H */
