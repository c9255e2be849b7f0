/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILLER = 0xa5 };

static void *allocate(size_t size)
{
    void *data = malloc(size > 0 ? size : 1);
    if (data == NULL) abort();
    return data;
}

void bytes_free(struct bytes *b)
{
    free(b->data);
    b->data = NULL;
    b->size = 0;
}

struct bytes bytes_copy(const void *data, size_t size)
{
    struct bytes b = {NULL, size};
    if (size == 0) return b;
    b.data = allocate(size);
    memcpy(b.data, data, size);
    return b;
}

bool bytes_equal(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size
           && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* ---- The calls ----------------------------------------------------------- */

struct bytes query_bytes(size_query *query, void *object)
{
    struct bytes b = {NULL, 0};
    size_t size = 0;
    dnnl_status_t st = query(object, &size, NULL);
    if (st == dnnl_success && size > 0) {
        b.data = allocate(size);
        b.size = size;
        st = query(object, &b.size, b.data);
    }
    EXPECT_OK(st);
    if (st != dnnl_success) bytes_free(&b);
    return b;
}

struct bytes engine_id(cl_device_id device)
{
    return query_bytes(query_engine_id, device);
}

struct bytes engine_blob(dnnl_engine_t engine)
{
    return query_bytes(query_engine_blob, engine);
}

struct bytes program_id(const_dnnl_cache_program_desc_t desc)
{
    return query_bytes(query_program_id, (void *)(uintptr_t)desc);
}

struct bytes program_blob(const_dnnl_cache_program_t program)
{
    return query_bytes(query_program_blob, (void *)(uintptr_t)program);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
struct bytes primitive_id(const_dnnl_primitive_desc_t pd)
{
    return query_bytes(query_primitive_id, (void *)(uintptr_t)pd);
}

struct bytes primitive_blob(const_dnnl_primitive_t primitive)
{
    return query_bytes(query_primitive_blob, (void *)(uintptr_t)primitive);
}
#endif

/* ---- The rule ------------------------------------------------------------ */

static bool is_filler(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] != FILLER) return false;
    return true;
}

/* A buffer that is too small: the size needed is told, nothing is written. */
static void expect_too_small(
        size_query *query, void *object, size_t capacity, size_t needed)
{
    uint8_t *out = allocate(needed);
    size_t size = capacity;
    memset(out, FILLER, needed);
    EXPECT_STATUS(dnnl_invalid_arguments, query(object, &size, out));
    EXPECT_EQ(needed, size);
    EXPECT_TRUE(is_filler(out, needed));
    free(out);
}

static void expect_fits(size_query *query, void *object, size_t spare,
        const struct bytes *expected)
{
    uint8_t *out = allocate(expected->size + spare);
    size_t size = expected->size + spare;
    memset(out, FILLER, size);
    EXPECT_OK(query(object, &size, out));
    EXPECT_BYTES_EQ(expected->data, expected->size, out, size);
    EXPECT_TRUE(is_filler(out + expected->size, spare));
    free(out);
}

void expect_size_query(size_query *query, void *object)
{
    struct bytes b = query_bytes(query, object);
    EXPECT_GT(b.size, 0);
    if (b.size > 0) {
        expect_too_small(query, object, 0, b.size);
        expect_too_small(query, object, b.size - 1, b.size);
        expect_fits(query, object, 0, &b);
        expect_fits(query, object, 7, &b);
    }
    bytes_free(&b);
}

/* ---- Differences --------------------------------------------------------- */

char *id_diff_names(const struct bytes *a, const struct bytes *b)
{
    size_t size = 0;
    EXPECT_OK(dnnl_cache_id_diff(
            a->size, a->data, b->size, b->data, &size, NULL));
    char *names = allocate(size + 1);
    names[0] = '\0';
    EXPECT_OK(dnnl_cache_id_diff(
            a->size, a->data, b->size, b->data, &size, names));
    return names;
}

void expect_id_diff(
        const char *names, const struct bytes *a, const struct bytes *b)
{
    char *actual = id_diff_names(a, b);
    EXPECT_STR_EQ(names, actual);
    EXPECT_EQ(names[0] == '\0', bytes_equal(a, b));
    free(actual);
}

void expect_id_field(
        const struct bytes *id, const char *name, const char *value)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    size_t index = 0;
    dnnl_status_t st;
    do
        st = dnnl_cache_id_get_field(id->size, id->data, index++, &field);
    while (st == dnnl_success && strcmp(field.name, name) != 0);
    ASSERT_OK(st);
    EXPECT_GT(field.size, 0);
    if (value != NULL)
        EXPECT_BYTES_EQ(value, strlen(value), field.value, field.size);
}
