/* SPDX-License-Identifier: Apache-2.0 */
/* IDs and blobs as tests hold them. */
#ifndef DNNL_CACHE_TESTS_API_BYTES_H
#define DNNL_CACHE_TESTS_API_BYTES_H

#include "queries.h"

#include <stdbool.h>

struct bytes {
    uint8_t *data; /* from malloc; NULL if size is 0 */
    size_t size;
};

/* Frees the bytes and leaves none. */
void bytes_free(struct bytes *b);
struct bytes bytes_copy(const void *data, size_t size);
bool bytes_equal(const struct bytes *a, const struct bytes *b);

/* What the calls of these names give, asked for by their size queries. A call
 * that fails is noted as the test's failure and gives no bytes. The caller
 * frees them. */
struct bytes engine_id(cl_device_id device);
struct bytes engine_blob(dnnl_engine_t engine);
struct bytes program_id(const_dnnl_cache_program_desc_t desc);
struct bytes program_blob(const_dnnl_cache_program_t program);
#ifdef DNNL_CACHE_TEST_PRIMITIVES
struct bytes primitive_id(const_dnnl_primitive_desc_t pd);
struct bytes primitive_blob(const_dnnl_primitive_t primitive);
#endif

/* Asks with a NULL buffer, then for the bytes. */
struct bytes query_bytes(size_query *query, void *object);

/* Holds the call to the whole rule, with buffers that are too small by one
 * byte, empty, exact and too large. The object has at least one byte. */
void expect_size_query(size_query *query, void *object);

/* The names in which two IDs differ, as dnnl_cache_id_diff() writes them:
 * malloc'ed, the caller's. */
char *id_diff_names(const struct bytes *a, const struct bytes *b);

/* Notes a failure unless the IDs differ in exactly the names. */
void expect_id_diff(
        const char *names, const struct bytes *a, const struct bytes *b);

/* Notes a failure unless the ID has a field of that name that is not empty and
 * has this text for its value, any if NULL. */
void expect_id_field(
        const struct bytes *id, const char *name, const char *value);

#endif /* DNNL_CACHE_TESTS_API_BYTES_H */
