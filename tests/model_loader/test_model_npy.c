/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's files of one array. */
#include "model/command/npy.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { room = 1024 };

/* A file of a header and elements; its size. */
static size_t make(uint8_t bytes[room], int version, const char *header,
        const void *elements, size_t size)
{
    const size_t length = strlen(header);
    const size_t begin = version == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)version;
    bytes[7] = 0;
    bytes[8] = (uint8_t)length;
    bytes[9] = (uint8_t)(length >> 8);
    if (version != 1) bytes[10] = bytes[11] = 0;
    memcpy(bytes + begin, header, length);
    memcpy(bytes + begin + length, elements, size);
    return begin + length + size;
}

static bool read(struct value *value, int version, const char *header,
        const void *elements, size_t size, struct failure *failure)
{
    uint8_t bytes[room];
    *value = (struct value){0};
    return npy_parse(value, bytes, make(bytes, version, header, elements, size),
            failure);
}

static void expect(const struct value *value, size_t count, const double *all)
{
    for (size_t i = 0; i < count; i++)
        EXPECT_TRUE(value_element(value, i) == all[i]);
}

TEST_C(ModelNpy, IsReadInEitherOrder)
{
    static const float f[] = {1, 2, 3, 4, 5, 6};
    static const uint8_t big[] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe};
    static const uint16_t halves[] = {0x3c00, 0xc000};
    static const uint8_t bytes[] = {0, 1, 255};
    static const double straight[] = {1, 2, 3, 4, 5, 6};
    static const double turned[] = {1, 3, 5, 2, 4, 6};
    struct value v;
    struct failure failure = {""};
    for (int version = 1; version <= 3; version++) {
        ASSERT_TRUE(read(&v, version,
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
                f, sizeof f, &failure));
        EXPECT_EQ(dnnl_cache_model_type_f32, v.type);
        EXPECT_EQ(2, v.ndims);
        EXPECT_EQ(3, v.dims[1]);
        expect(&v, 6, straight);
        value_fini(&v);
    }
    ASSERT_TRUE(read(&v, 1,
            "{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\"=f4\"}", f,
            sizeof f, &failure));
    expect(&v, 6, turned);
    value_fini(&v);
    ASSERT_TRUE(read(&v, 1,
            "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }", big,
            sizeof big, &failure));
    EXPECT_EQ(dnnl_cache_model_type_s32, v.type);
    expect(&v, 2, (const double[]){1, -2});
    value_fini(&v);
    ASSERT_TRUE(read(&v, 1,
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2,1), }",
            halves, sizeof halves, &failure));
    expect(&v, 2, (const double[]){1, -2});
    value_fini(&v);
    ASSERT_TRUE(read(&v, 1,
            "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", bytes,
            sizeof bytes, &failure));
    expect(&v, 3, (const double[]){0, 1, 255});
    value_fini(&v);
    ASSERT_TRUE(read(&v, 1,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", f, 4,
            &failure));
    EXPECT_EQ(0, v.ndims);
    value_fini(&v);
    ASSERT_TRUE(read(&v, 1,
            "{'descr': '<f4', 'fortran_order': True, "
            "'shape': (0, 4000000000000000000, 4000000000000000000), }",
            f, 0, &failure));
    EXPECT_EQ(0, v.size);
    value_fini(&v);
}

TEST_C(ModelNpy, IsRefusedIfItIsDamaged)
{
    static const float f[] = {1, 2, 3, 4, 5, 6};
    static const char *const headers[] = {"", "{}", "{",
            "{'descr': '<f4', 'fortran_order': False}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
            "{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}",
            "{'descr': '|f4', 'fortran_order': False, 'shape': (2, 3)}",
            "{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3)}",
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -3)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': "
            "(4294967296, 4294967296)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': "
            "(99999999999999999999,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': "
            "(1, 1, 1, 1, 1, 1, 1, 2, 3)}",
            "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': "
            "(2, 3)}"};
    struct value v;
    for (size_t i = 0; i < COUNT(headers); i++) {
        struct failure failure = {""};
        if (read(&v, 1, headers[i], f, sizeof f, &failure))
            test_fail(__FILE__, __LINE__, "read: %s", headers[i]);
        test_asserts();
        EXPECT_TRUE(failure.text[0] != '\0' && v.data == NULL);
    }
    struct failure failure = {""};
    EXPECT_FALSE(read(&v, 4,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", f,
            sizeof f, &failure));
}

TEST_C(ModelNpy, IsRefusedIfItIsCut)
{
    static const float f[] = {1, 2, 3, 4, 5, 6};
    uint8_t bytes[room];
    const size_t size = make(bytes, 1,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", f,
            sizeof f);
    for (size_t cut = 0; cut < size; cut++) {
        struct value v = {0};
        struct failure failure = {""};
        uint8_t *exact = malloc(cut + 1);
        memcpy(exact, bytes, cut);
        EXPECT_FALSE(npy_parse(&v, exact, cut, &failure));
        free(exact);
    }
}

TEST_C(ModelNpy, IsWrittenAsItIsRead)
{
    static const dnnl_cache_model_type_t types[] = {dnnl_cache_model_type_f32,
            dnnl_cache_model_type_f64, dnnl_cache_model_type_f16,
            dnnl_cache_model_type_s32, dnnl_cache_model_type_s64,
            dnnl_cache_model_type_s8, dnnl_cache_model_type_u8,
            dnnl_cache_model_type_s16, dnnl_cache_model_type_u16,
            dnnl_cache_model_type_u32, dnnl_cache_model_type_boolean};
    for (size_t t = 0; t < COUNT(types); t++)
        for (int ndims = 0; ndims <= value_max_ndims; ndims++) {
            struct value out = {.type = types[t], .ndims = ndims}, in = {0};
            struct failure failure = {""};
            size_t size = 0;
            for (int d = 0; d < ndims; d++)
                out.dims[d] = d % 2 + 1;
            ASSERT_TRUE(value_allocate(&out, &failure));
            for (size_t i = 0; i < out.size; i++)
                ((uint8_t *)out.data)[i] = (uint8_t)(i % 2);
            uint8_t *bytes = npy_format(&out, &size);
            ASSERT_NOT_NULL(bytes);
            EXPECT_EQ(0, (size - out.size) % 64);
            ASSERT_TRUE(npy_parse(&in, bytes, size, &failure));
            EXPECT_EQ(out.type, in.type);
            EXPECT_EQ(out.ndims, in.ndims);
            EXPECT_BYTES_EQ(out.data, out.size, in.data, in.size);
            free(bytes);
            value_fini(&in);
            value_fini(&out);
        }
}
