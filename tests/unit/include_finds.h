/* SPDX-License-Identifier: Apache-2.0 */
/* What the scan of a source for includes finds, as text. */
#ifndef DNNL_CACHE_TESTS_UNIT_INCLUDE_FINDS_H
#define DNNL_CACHE_TESTS_UNIT_INCLUDE_FINDS_H

#include "test.h"

#include <stdbool.h>
#include <stddef.h>

/* True if that is found: "name" or <name>, ? for a name that is not known, each
 * with a blank after it. The source is read in memory that ends where it ends,
 * so that a sanitizer sees a read past it. */
bool include_finds(const char *expected, const char *source, size_t size);

/* source is a literal, which may contain NUL. */
#define EXPECT_FINDS(expected, source) \
    EXPECT_TRUE(include_finds(expected, source, sizeof(source) - 1))

#endif /* DNNL_CACHE_TESTS_UNIT_INCLUDE_FINDS_H */
