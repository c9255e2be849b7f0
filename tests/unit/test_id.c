/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/id.h"

#include "src/common/byte_order.h"
#include "src/common/hash.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* An ID with one field of each way of putting. */
static void build(struct id_builder *b)
{
    id_builder_init(b, blob_kind_primitive);
    id_put_string(b, id_device_name, "GPU");
    id_put_u32(b, id_address_bits, 64);
    id_put_u64(b, id_device_type, 4);
    id_put_digest(b, id_source, "source", 6);
    id_put(b, id_op_desc, NULL, 0);
}

TEST_C(IdBuilder, WritesTheDocumentedBytes)
{
    const uint8_t expected[] = {'D', 'C', 'I', 'D', 1, 0, 0, 0, 2, 0, 0, 0,
            /* device_name */ 0x01, 0x03, 0, 0, 3, 0, 0, 0, 'G', 'P', 'U',
            /* address_bits */ 0x07, 0x03, 0, 0, 4, 0, 0, 0, 64, 0, 0, 0,
            /* device_type */ 0x06, 0x03, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0,
            0, /* source */ 0x01, 0x08, 0, 0, 32, 0, 0, 0};
    struct id_builder b;
    build(&b);
    ASSERT_OK(id_builder_status(&b));
    ASSERT_EQ(sizeof expected + 32 + 8, b.bytes.size);
    EXPECT_BYTES_EQ(expected, sizeof expected, b.bytes.data, sizeof expected);
    struct digest256 digest = digest256_of("source", 6);
    EXPECT_BYTES_EQ(digest.bytes, 32, b.bytes.data + sizeof expected, 32);
    const uint8_t empty[] = {0x04, 0x07, 0, 0, 0, 0, 0, 0};
    EXPECT_BYTES_EQ(empty, 8, b.bytes.data + sizeof expected + 32, 8);
    id_builder_fini(&b);
    id_builder_fini(NULL);
}

TEST_C(IdBuilder, RefusesWhatNoIdCanHold)
{
    struct id_builder b;
    id_builder_init(&b, blob_kind_engine);
    id_put_string(&b, id_device_name, NULL);
    id_put_u32(&b, id_address_bits, 64);
    EXPECT_STATUS(dnnl_invalid_arguments, id_builder_status(&b));
    id_builder_fini(&b);

    id_builder_init(&b, blob_kind_engine);
    id_put(&b, id_device_name, NULL, 1);
    EXPECT_STATUS(dnnl_invalid_arguments, id_builder_status(&b));
    id_builder_fini(&b);

    id_builder_init(&b, blob_kind_engine);
    id_put_digest(&b, id_source, NULL, 1);
    EXPECT_STATUS(dnnl_invalid_arguments, id_builder_status(&b));
    id_builder_fini(&b);

#if SIZE_MAX > UINT32_MAX
    id_builder_init(&b, blob_kind_engine);
    id_put(&b, id_device_name, "x", (size_t)UINT32_MAX + 1);
    EXPECT_STATUS(dnnl_invalid_arguments, id_builder_status(&b));
    id_builder_fini(&b);
#endif
}

TEST_C(IdBuilder, ReportsLackOfMemory)
{
    struct id_builder b;
    id_builder_init(&b, blob_kind_engine);
    EXPECT_NULL(buffer_reserve(&b.bytes, SIZE_MAX));
    id_put_u32(&b, id_address_bits, 64);
    EXPECT_STATUS(dnnl_out_of_memory, id_builder_status(&b));
    id_builder_fini(&b);
}

TEST_C(IdBuilder, DigestOfNothingIsADigest)
{
    struct id_builder b;
    id_builder_init(&b, blob_kind_program);
    id_put_digest(&b, id_source, NULL, 0);
    ASSERT_OK(id_builder_status(&b));
    EXPECT_EQ(ID_HEADER_SIZE + ID_FIELD_HEADER_SIZE + 32, b.bytes.size);
    id_builder_fini(&b);
}

TEST_C(IdBuilder, TakesFieldsOfAnotherId)
{
    struct id_builder engine;
    id_builder_init(&engine, blob_kind_engine);
    id_put_string(&engine, id_device_name, "GPU");
    const uint8_t *fields;
    size_t fields_size;
    ASSERT_OK(id_fields(
            engine.bytes.data, engine.bytes.size, &fields, &fields_size));
    EXPECT_PTR_EQ(engine.bytes.data + ID_HEADER_SIZE, fields);
    EXPECT_EQ(engine.bytes.size - ID_HEADER_SIZE, fields_size);

    struct id_builder taken;
    id_builder_init(&taken, blob_kind_primitive);
    id_put_fields(&taken, fields, fields_size);
    id_put_fields(&taken, NULL, 0);
    id_put_u32(&taken, id_primitive_kind, 7);
    ASSERT_OK(id_builder_status(&taken));
    struct id_builder put;
    id_builder_init(&put, blob_kind_primitive);
    id_put_string(&put, id_device_name, "GPU");
    id_put_u32(&put, id_primitive_kind, 7);
    EXPECT_BYTES_EQ(
            put.bytes.data, put.bytes.size, taken.bytes.data, taken.bytes.size);

    id_put_fields(&taken, fields, fields_size - 1);
    EXPECT_STATUS(dnnl_invalid_arguments, id_builder_status(&taken));
    id_put_fields(&put, NULL, 1);
    EXPECT_STATUS(dnnl_invalid_arguments, id_builder_status(&put));
    id_builder_fini(&engine);
    id_builder_fini(&taken);
    id_builder_fini(&put);
}

TEST_C(IdReader, GivesBackWhatWasPut)
{
    static const struct {
        uint16_t tag;
        size_t size;
    } expected[] = {{id_device_name, 3}, {id_address_bits, 4},
            {id_device_type, 8}, {id_source, 32}, {id_op_desc, 0}};
    struct id_builder b;
    build(&b);
    struct id_reader r;
    ASSERT_OK(id_reader_init(&r, b.bytes.data, b.bytes.size));
    EXPECT_EQ(blob_kind_primitive, r.kind);
    struct id_field field;
    for (size_t i = 0; i < 5; i++) {
        ASSERT_TRUE(id_reader_next(&r, &field));
        EXPECT_EQ(expected[i].tag, field.tag);
        EXPECT_EQ(expected[i].size, field.size);
        if (i == 0) EXPECT_BYTES_EQ("GPU", 3, field.value, field.size);
        if (i == 1) EXPECT_EQ(64, load_le32(field.value));
    }
    struct id_field before = field;
    EXPECT_FALSE(id_reader_next(&r, &field));
    EXPECT_BYTES_EQ(&before, sizeof before, &field, sizeof field);
    id_builder_fini(&b);
}

TEST_C(IdReader, ReadsAnIdWithoutFields)
{
    struct id_builder b;
    id_builder_init(&b, blob_kind_program);
    struct id_reader r;
    ASSERT_OK(id_reader_init(&r, b.bytes.data, b.bytes.size));
    struct id_field field;
    EXPECT_FALSE(id_reader_next(&r, &field));
    id_builder_fini(&b);
}

/* Reads bytes that are no ID, from memory that ends where they end, through
 * both entry points; nothing may be written. */
static void expect_refused(dnnl_status_t status, const uint8_t *id, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    ASSERT_NOT_NULL(copy);
    memcpy(copy + 1, id, size);
    struct id_reader r;
    struct id_reader untouched;
    memset(&r, 0x5a, sizeof r);
    memset(&untouched, 0x5a, sizeof untouched);
    const uint8_t *fields = id;
    size_t fields_size = 77;
    EXPECT_STATUS(status, id_reader_init(&r, copy + 1, size));
    EXPECT_BYTES_EQ(&untouched, sizeof untouched, &r, sizeof r);
    EXPECT_STATUS(status, id_fields(copy + 1, size, &fields, &fields_size));
    EXPECT_PTR_EQ(id, fields);
    EXPECT_EQ(77, fields_size);
    free(copy);
}

TEST_C(IdReader, RefusesNullAndEmpty)
{
    const uint8_t byte = 0;
    struct id_reader r;
    const uint8_t *fields;
    size_t size;
    EXPECT_STATUS(dnnl_invalid_arguments, id_reader_init(NULL, &byte, 1));
    EXPECT_STATUS(dnnl_invalid_arguments, id_reader_init(&r, NULL, 1));
    EXPECT_STATUS(dnnl_invalid_arguments, id_reader_init(&r, &byte, 0));
    EXPECT_STATUS(dnnl_invalid_arguments, id_fields(NULL, 1, &fields, &size));
    EXPECT_STATUS(dnnl_invalid_arguments, id_fields(&byte, 1, NULL, &size));
    EXPECT_STATUS(dnnl_invalid_arguments, id_fields(&byte, 1, &fields, NULL));
}

/* A cut between two fields leaves a shorter, good ID; that it is another one
 * is for whoever compares it. */
TEST_C(IdReader, RefusesEveryOtherTruncation)
{
    struct id_builder b;
    build(&b);
    size_t good[5];
    struct id_reader r;
    ASSERT_OK(id_reader_init(&r, b.bytes.data, b.bytes.size));
    struct id_field field;
    for (size_t i = 0; i < 5; i++) {
        good[i] = (size_t)(r.cursor - b.bytes.data);
        ASSERT_TRUE(id_reader_next(&r, &field));
    }
    for (size_t size = 1; size < b.bytes.size; size++) {
        bool whole = false;
        for (size_t i = 0; i < 5; i++)
            whole = whole || good[i] == size;
        if (whole)
            EXPECT_OK(id_reader_init(&r, b.bytes.data, size));
        else
            expect_refused(dnnl_cache_blob_corrupt, b.bytes.data, size);
    }
    id_builder_fini(&b);
}

TEST_C(IdReader, RefusesDamagedHeaders)
{
    struct id_builder b;
    build(&b);
    uint8_t *id = b.bytes.data;
    for (size_t i = 0; i < 4; i++) {
        id[i] ^= 1;
        expect_refused(dnnl_cache_blob_corrupt, id, b.bytes.size);
        id[i] ^= 1;
    }
    store_le32(id + 4, 0);
    expect_refused(dnnl_cache_blob_corrupt, id, b.bytes.size);
    store_le32(id + 4, ID_FORMAT_VERSION + 1);
    expect_refused(dnnl_cache_blob_unsupported, id, b.bytes.size);
    store_le32(id + 4, ID_FORMAT_VERSION);
    store_le32(id + 8, 0);
    expect_refused(dnnl_cache_blob_corrupt, id, b.bytes.size);
    store_le32(id + 8, blob_kind_program + 1);
    expect_refused(dnnl_cache_blob_corrupt, id, b.bytes.size);
    store_le32(id + 8, blob_kind_program);
    struct id_reader r;
    EXPECT_OK(id_reader_init(&r, id, b.bytes.size));
    id_builder_fini(&b);
}

TEST_C(IdReader, RefusesDamagedFields)
{
    struct id_builder b;
    build(&b);
    uint8_t *first = b.bytes.data + ID_HEADER_SIZE;
    store_le16(first + 2, 1);
    expect_refused(dnnl_cache_blob_corrupt, b.bytes.data, b.bytes.size);
    store_le16(first + 2, 0);
    const uint32_t lengths[] = {4, 5000, UINT32_MAX, UINT32_MAX - 7};
    for (size_t i = 0; i < 4; i++) {
        store_le32(first + 4, lengths[i]);
        expect_refused(dnnl_cache_blob_corrupt, b.bytes.data, b.bytes.size);
    }
    id_builder_fini(&b);
}

TEST_C(IdField, HasANameAndAKind)
{
    EXPECT_STR_EQ("library_version", id_field_name(id_library_version));
    EXPECT_STR_EQ("driver_build", id_field_name(id_driver_build));
    EXPECT_STR_EQ("application_key", id_field_name(id_application_key));
    EXPECT_STR_EQ("unknown", id_field_name(0));
    EXPECT_STR_EQ("unknown", id_field_name(0xffff));
    EXPECT_TRUE(id_field_is_text(id_driver_version));
    EXPECT_FALSE(id_field_is_text(id_device_vendor_id));
    EXPECT_FALSE(id_field_is_text(0xffff));
}

/* ---- id_diff ------------------------------------------------------------- */

enum { most = 8 };

/* The differences of two IDs, joined by spaces; frees both. */
static void expect_diff(
        const char *expected, struct id_builder *a, struct id_builder *b)
{
    ASSERT_OK(id_builder_status(a));
    ASSERT_OK(id_builder_status(b));
    for (int swapped = 0; swapped < 2; swapped++) {
        const char *names[most];
        size_t count = id_diff(a->bytes.data, a->bytes.size, b->bytes.data,
                b->bytes.size, names, most);
        char text[256] = "";
        ASSERT_TRUE(count <= most);
        for (size_t i = 0; i < count; i++) {
            if (i > 0) strcat(text, " ");
            strcat(text, names[i]);
        }
        EXPECT_STR_EQ(expected, text);
        struct id_builder other = *a;
        *a = *b;
        *b = other;
    }
    id_builder_fini(a);
    id_builder_fini(b);
}

TEST_C(IdDiff, EqualIdsDoNotDiffer)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    build(&b);
    expect_diff("", &a, &b);
}

TEST_C(IdDiff, NamesEveryDifferenceOnceByTag)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    id_put_string(&a, id_driver_version, "1");
    id_put_string(&a, id_driver_environment, "A=1");
    id_put_string(&a, id_driver_environment, "B=1");
    build(&b);
    id_put_string(&b, id_driver_version, "2");
    id_put_string(&b, id_driver_environment, "A=2");
    id_put_string(&b, id_driver_environment, "B=2");
    id_put_string(&b, id_library_version, "1");
    expect_diff("library_version driver_version driver_environment", &a, &b);
}

TEST_C(IdDiff, TellsEmptyFromAbsent)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    build(&b);
    id_put_string(&b, id_build_options, "");
    expect_diff("build_options", &a, &b);
}

TEST_C(IdDiff, TellsOrderAmongRepeatedValues)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    id_put_u32(&a, id_memory_desc, 1);
    id_put_u32(&a, id_memory_desc, 2);
    build(&b);
    id_put_u32(&b, id_memory_desc, 2);
    id_put_u32(&b, id_memory_desc, 1);
    expect_diff("memory_desc", &a, &b);
}

TEST_C(IdDiff, TellsOneValueFromTheSameTwice)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    id_put_u32(&a, id_memory_desc, 1);
    build(&b);
    id_put_u32(&b, id_memory_desc, 1);
    id_put_u32(&b, id_memory_desc, 1);
    expect_diff("memory_desc", &a, &b);
}

TEST_C(IdDiff, NamesPureOrder)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    id_put_u32(&a, id_primitive_kind, 1);
    id_put_u32(&a, id_implementation, 1);
    build(&b);
    id_put_u32(&b, id_implementation, 1);
    id_put_u32(&b, id_primitive_kind, 1);
    expect_diff("order", &a, &b);
}

TEST_C(IdDiff, NamesTheKind)
{
    struct id_builder a;
    struct id_builder b;
    id_builder_init(&a, blob_kind_engine);
    id_builder_init(&b, blob_kind_program);
    id_put_u32(&b, id_address_bits, 1);
    expect_diff("kind address_bits", &a, &b);
}

TEST_C(IdDiff, NamesFieldsItDoesNotKnow)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    id_put_u32(&a, (enum id_tag)0x7ffe, 1);
    build(&b);
    id_put_u32(&b, (enum id_tag)0x7fff, 1);
    expect_diff("unknown", &a, &b);
    build(&a);
    id_put_u32(&a, (enum id_tag)0x7ffe, 1);
    build(&b);
    expect_diff("unknown", &a, &b);
}

TEST_C(IdDiff, CountsBeyondTheCapacity)
{
    struct id_builder a;
    struct id_builder b;
    build(&a);
    id_builder_init(&b, blob_kind_primitive);
    const char *names[3] = {"x", "y", "z"};
    EXPECT_EQ(5, id_diff(a.bytes.data, a.bytes.size, b.bytes.data, b.bytes.size,
                         names, 2));
    EXPECT_STR_EQ("device_name", names[0]);
    EXPECT_STR_EQ("device_type", names[1]);
    EXPECT_STR_EQ("z", names[2]);
    EXPECT_EQ(5, id_diff(a.bytes.data, a.bytes.size, b.bytes.data, b.bytes.size,
                         NULL, 0));
    id_builder_fini(&a);
    id_builder_fini(&b);
}

TEST_C(IdDiff, CallsGarbageAFormatDifference)
{
    struct id_builder a;
    build(&a);
    const uint8_t *id = a.bytes.data;
    size_t size = a.bytes.size;
    const uint8_t garbage[] = "garbage";
    const char *names[2] = {NULL, NULL};
    EXPECT_EQ(1, id_diff(id, size, garbage, sizeof garbage, names, 2));
    EXPECT_STR_EQ("format", names[0]);
    EXPECT_EQ(1, id_diff(garbage, sizeof garbage, id, size, names, 2));
    EXPECT_EQ(1, id_diff(garbage, sizeof garbage, garbage, 3, names, 2));
    EXPECT_EQ(1, id_diff(id, size, NULL, 0, names, 2));
    EXPECT_EQ(1, id_diff(NULL, 5, id, size, names, 2));
    EXPECT_EQ(0, id_diff(NULL, 0, id, 0, names, 2));
    EXPECT_EQ(0, id_diff(garbage, sizeof garbage, garbage, sizeof garbage,
                         names, 2));
    EXPECT_NULL(names[1]);
    id_builder_fini(&a);
}
