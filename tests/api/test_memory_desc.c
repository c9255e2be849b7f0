/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { BLOB_SIZE = DNNL_CACHE_MEMORY_DESC_BLOB_SIZE };

/* What no failing call may write to. */
static struct dnnl_memory_desc *const untouched =
        (struct dnnl_memory_desc *)(uintptr_t)64;

/* ---- Tags ---------------------------------------------------------------- */

static const struct {
    dnnl_format_tag_t tag;
    const char *letters; /* outermost first */
} plain_tags[] = {
#define TAG(letters)             \
    {                            \
        dnnl_##letters, #letters \
    }
        TAG(a), TAG(ab), TAG(abc), TAG(abcd), TAG(abcde), TAG(abcdef),
        TAG(abcdefg), TAG(abcdefgh), TAG(abcdefghi), TAG(abcdefghij),
        TAG(abcdefghijk), TAG(abcdefghijkl), TAG(ba), TAG(acb), TAG(bac),
        TAG(bca), TAG(cab), TAG(cba), TAG(abdc), TAG(acbd), TAG(acdb),
        TAG(adbc), TAG(adcb), TAG(bacd), TAG(bcda), TAG(cdab), TAG(cdba),
        TAG(dcab), TAG(abced), TAG(abdec), TAG(acbde), TAG(acdeb), TAG(adecb),
        TAG(bacde), TAG(bcdea), TAG(cdeab), TAG(cdeba), TAG(decab), TAG(abcdfe),
        TAG(abdefc), TAG(abdfce), TAG(acbdef), TAG(adefcb), TAG(defcab)
#undef TAG
};

static const dnnl_dims_t some_dims = {2, 3, 5, 7, 4, 2, 3, 2, 2, 3, 2, 2};

TEST_C(MemoryDesc, LaysEveryTagOutAsItsLettersSay)
{
    for (size_t i = 0; i < COUNT(plain_tags); i++) {
        const char *letters = plain_tags[i].letters;
        int ndims = (int)strlen(letters);
        dnnl_memory_desc_t md;
        const dnnl_dims_t *strides;
        dnnl_format_kind_t kind;
        ASSERT_OK(dnnl_memory_desc_create_with_tag(
                &md, ndims, some_dims, dnnl_s8, plain_tags[i].tag));
        EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind));
        EXPECT_EQ(dnnl_blocked, kind);
        ASSERT_OK(dnnl_memory_desc_query(md, dnnl_query_strides, &strides));
        dnnl_dim_t inside = 1;
        for (int d = ndims - 1; d >= 0; d--) {
            EXPECT_EQ(inside, (*strides)[letters[d] - 'a']);
            inside *= some_dims[letters[d] - 'a'];
        }
        EXPECT_EQ(inside, dnnl_memory_desc_get_size(md));
        dnnl_memory_desc_destroy(md);
    }
}

TEST_C(MemoryDesc, LeavesTheLayoutOpenForAny)
{
    dnnl_memory_desc_t md;
    dnnl_format_kind_t kind;
    const void *strides = untouched;
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md, 3, some_dims, dnnl_f32, dnnl_format_tag_any));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind));
    EXPECT_EQ(dnnl_format_kind_any, kind);
    EXPECT_EQ(0, dnnl_memory_desc_get_size(md));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_query(md, dnnl_query_strides, &strides));
    EXPECT_PTR_EQ(untouched, strides);
    dnnl_memory_desc_destroy(md);
}

TEST_C(MemoryDesc, IsEmptyWithoutDimensionsOrTag)
{
    dnnl_memory_desc_t md[3];
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md[0], 0, NULL, dnnl_f32, dnnl_abc));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md[1], 3, some_dims, dnnl_f32, dnnl_format_tag_undef));
    ASSERT_OK(dnnl_memory_desc_create_with_strides(
            &md[2], 0, NULL, dnnl_data_type_undef, NULL));
    for (int i = 0; i < 3; i++) {
        int ndims = -1;
        dnnl_data_type_t type;
        dnnl_format_kind_t kind;
        EXPECT_OK(dnnl_memory_desc_query(md[i], dnnl_query_ndims_s32, &ndims));
        EXPECT_EQ(0, ndims);
        EXPECT_OK(dnnl_memory_desc_query(md[i], dnnl_query_data_type, &type));
        EXPECT_EQ(dnnl_data_type_undef, type);
        EXPECT_OK(dnnl_memory_desc_query(md[i], dnnl_query_format_kind, &kind));
        EXPECT_EQ(dnnl_format_kind_undef, kind);
        EXPECT_EQ(0, dnnl_memory_desc_get_size(md[i]));
        EXPECT_TRUE(dnnl_memory_desc_equal(md[0], md[i]));
    }
    for (int i = 0; i < 3; i++)
        dnnl_memory_desc_destroy(md[i]);
}

/* ---- Sizes --------------------------------------------------------------- */

TEST_C(MemoryDesc, TellsSizesOfTypes)
{
    EXPECT_EQ(0, dnnl_data_type_size(dnnl_data_type_undef));
    EXPECT_EQ(2, dnnl_data_type_size(dnnl_f16));
    EXPECT_EQ(2, dnnl_data_type_size(dnnl_bf16));
    EXPECT_EQ(4, dnnl_data_type_size(dnnl_f32));
    EXPECT_EQ(4, dnnl_data_type_size(dnnl_s32));
    EXPECT_EQ(1, dnnl_data_type_size(dnnl_s8));
    EXPECT_EQ(1, dnnl_data_type_size(dnnl_u8));
    EXPECT_EQ(8, dnnl_data_type_size(dnnl_f64));
    for (int type = dnnl_boolean; type <= dnnl_f4_e3m0; type++)
        EXPECT_EQ(1, dnnl_data_type_size((dnnl_data_type_t)type));
    EXPECT_EQ(0, dnnl_data_type_size((dnnl_data_type_t)99));
    EXPECT_EQ(0, dnnl_data_type_size((dnnl_data_type_t)-1));
}

TEST_C(MemoryDesc, ReachesFromTheFirstToTheLastElement)
{
    dnnl_memory_desc_t md;
    const dnnl_dims_t dims = {3, 4};
    const dnnl_dims_t gaps = {100, 7};
    const dnnl_dims_t repeat = {0, 2};
    ASSERT_OK(
            dnnl_memory_desc_create_with_strides(&md, 2, dims, dnnl_f32, gaps));
    EXPECT_EQ((2 * 100 + 3 * 7 + 1) * 4, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
    ASSERT_OK(dnnl_memory_desc_create_with_strides(
            &md, 2, dims, dnnl_f64, repeat));
    EXPECT_EQ((3 * 2 + 1) * 8, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
    EXPECT_EQ(0, dnnl_memory_desc_get_size(NULL));
}

TEST_C(MemoryDesc, OfAnEmptyTensorHasNoSize)
{
    dnnl_memory_desc_t md;
    const dnnl_dims_t dims = {3, 0, 4};
    ASSERT_OK(
            dnnl_memory_desc_create_with_tag(&md, 3, dims, dnnl_f32, dnnl_cab));
    EXPECT_EQ(0, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
}

TEST_C(MemoryDesc, RefusesSizesThatOverflow)
{
    const dnnl_dim_t large = (dnnl_dim_t)1 << 40;
    const struct {
        dnnl_dims_t dims;
        dnnl_dims_t strides;
    } cases[] = {{{large, large}, {1, 1}}, {{INT64_MAX, 1}, {1, 1}},
            {{large, 2}, {large, 1}}, {{2, 2}, {INT64_MAX, 1}},
            {{2, 2}, {INT64_MAX / 4, 1}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        dnnl_memory_desc_t md = untouched;
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_memory_desc_create_with_strides(
                        &md, 2, cases[i].dims, dnnl_f32, cases[i].strides));
        EXPECT_PTR_EQ(untouched, md);
    }
    for (int any = 0; any < 2; any++) {
        dnnl_memory_desc_t md = untouched;
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_memory_desc_create_with_tag(&md, 2, cases[0].dims,
                        dnnl_f32, any ? dnnl_format_tag_any : dnnl_ab));
        EXPECT_PTR_EQ(untouched, md);
    }
    /* The largest one, and one byte more. */
    dnnl_memory_desc_t md = untouched;
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md, 1, (dnnl_dims_t){INT64_MAX}, dnnl_s8, dnnl_a));
    EXPECT_EQ(INT64_MAX, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
    md = untouched;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_create_with_strides(&md, 1, (dnnl_dims_t){2},
                    dnnl_s8, (dnnl_dims_t){INT64_MAX}));
    EXPECT_PTR_EQ(untouched, md);
}

TEST_C(MemoryDesc, CountsHalfBytes)
{
    const dnnl_data_type_t types[] = {
            dnnl_s4, dnnl_u4, dnnl_f4_e2m1, dnnl_f4_e3m0};
    const dnnl_dims_t dims = {3, 5};
    for (size_t i = 0; i < COUNT(types); i++) {
        dnnl_memory_desc_t md;
        ASSERT_OK(dnnl_memory_desc_create_with_tag(
                &md, 2, dims, types[i], dnnl_ab));
        EXPECT_EQ(8, dnnl_memory_desc_get_size(md));
        dnnl_memory_desc_destroy(md);
    }
}

/* ---- What is known at execution only ------------------------------------- */

TEST_C(MemoryDesc, MayHaveUnknownDimensions)
{
    const dnnl_dim_t unknown = DNNL_RUNTIME_DIM_VAL;
    const dnnl_dims_t dims = {5, unknown, 3};
    const dnnl_dims_t strides = {unknown, 3, 1};
    dnnl_memory_desc_t md[3];
    const dnnl_dims_t *answer;
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md[0], 3, dims, dnnl_f32, dnnl_abc));
    ASSERT_OK(dnnl_memory_desc_create_with_strides(
            &md[1], 3, dims, dnnl_f32, strides));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md[2], 3, dims, dnnl_f32, dnnl_format_tag_any));
    EXPECT_TRUE(dnnl_memory_desc_equal(md[0], md[1]));
    EXPECT_FALSE(dnnl_memory_desc_equal(md[0], md[2]));
    EXPECT_EQ(DNNL_RUNTIME_SIZE_VAL, dnnl_memory_desc_get_size(md[0]));
    EXPECT_EQ(0, dnnl_memory_desc_get_size(md[2]));
    EXPECT_OK(dnnl_memory_desc_query(md[0], dnnl_query_strides, &answer));
    EXPECT_EQ(unknown, (*answer)[0]);
    EXPECT_EQ(3, (*answer)[1]);
    EXPECT_EQ(1, (*answer)[2]);
    EXPECT_OK(dnnl_memory_desc_query(md[0], dnnl_query_padded_dims, &answer));
    EXPECT_EQ(unknown, (*answer)[1]);
    for (int i = 0; i < 3; i++) {
        uint8_t blob[BLOB_SIZE];
        size_t size = sizeof blob;
        dnnl_memory_desc_t made;
        ASSERT_OK(dnnl_memory_desc_get_blob(blob, &size, md[i]));
        ASSERT_OK(dnnl_memory_desc_create_with_blob(&made, blob));
        EXPECT_TRUE(dnnl_memory_desc_equal(md[i], made));
        dnnl_memory_desc_destroy(made);
        dnnl_memory_desc_destroy(md[i]);
    }
}

/* ---- Arguments ----------------------------------------------------------- */

TEST_C(MemoryDesc, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_dims_t negative = {2, -1};
    const dnnl_dims_t dims = {2, 3};
    const struct {
        int ndims;
        const dnnl_dim_t *dims;
        dnnl_data_type_t type;
        dnnl_format_tag_t tag;
    } cases[] = {{-1, dims, dnnl_f32, dnnl_ab},
            {DNNL_MAX_NDIMS + 1, some_dims, dnnl_f32, dnnl_abcdefghijkl},
            {2, NULL, dnnl_f32, dnnl_ab}, {2, negative, dnnl_f32, dnnl_ab},
            {2, negative, dnnl_f32, dnnl_format_tag_any},
            {2, dims, dnnl_data_type_undef, dnnl_ab},
            {2, dims, (dnnl_data_type_t)99, dnnl_ab},
            {2, dims, dnnl_f32, dnnl_abc}, {2, dims, dnnl_f32, dnnl_a},
            {2, dims, dnnl_f32, dnnl_format_tag_last},
            {2, dims, dnnl_f32, (dnnl_format_tag_t)-1}};
    dnnl_memory_desc_t md = untouched;
    for (size_t i = 0; i < COUNT(cases); i++)
        EXPECT_STATUS(
                wrong, dnnl_memory_desc_create_with_tag(&md, cases[i].ndims,
                               cases[i].dims, cases[i].type, cases[i].tag));
    for (size_t i = 0; i < 7; i++)
        EXPECT_STATUS(
                wrong, dnnl_memory_desc_create_with_strides(&md, cases[i].ndims,
                               cases[i].dims, cases[i].type, NULL));
    EXPECT_STATUS(wrong, dnnl_memory_desc_create_with_strides(
                                 &md, 2, dims, dnnl_f32, negative));
    EXPECT_STATUS(wrong, dnnl_memory_desc_clone(&md, NULL));
    EXPECT_PTR_EQ(untouched, md);
    EXPECT_STATUS(wrong,
            dnnl_memory_desc_create_with_tag(NULL, 2, dims, dnnl_f32, dnnl_ab));
    EXPECT_STATUS(wrong, dnnl_memory_desc_create_with_strides(
                                 NULL, 2, dims, dnnl_f32, NULL));
    EXPECT_OK(dnnl_memory_desc_destroy(NULL));
}

/* ---- Copies and comparison ----------------------------------------------- */

TEST_C(MemoryDesc, IsEqualToItsCopyOnly)
{
    const dnnl_dims_t dims = {2, 1, 5};
    const struct {
        dnnl_dims_t dims;
        dnnl_data_type_t type;
        dnnl_dims_t strides;
        int is_equal;
    } cases[] = {{{2, 1, 5}, dnnl_f32, {5, 5, 1}, 1},
            /* Strides of a dimension of size 1 do not count. */
            {{2, 1, 5}, dnnl_f32, {5, 99, 1}, 1},
            {{2, 1, 5}, dnnl_f32, {6, 5, 1}, 0},
            {{2, 1, 5}, dnnl_s32, {5, 5, 1}, 0},
            {{2, 2, 5}, dnnl_f32, {5, 5, 1}, 0}};
    dnnl_memory_desc_t md;
    dnnl_memory_desc_t copy;
    dnnl_memory_desc_t any;
    ASSERT_OK(
            dnnl_memory_desc_create_with_tag(&md, 3, dims, dnnl_f32, dnnl_abc));
    ASSERT_OK(dnnl_memory_desc_clone(&copy, md));
    EXPECT_TRUE(dnnl_memory_desc_equal(md, copy));
    dnnl_memory_desc_destroy(copy);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dnnl_memory_desc_t other;
        ASSERT_OK(dnnl_memory_desc_create_with_strides(
                &other, 3, cases[i].dims, cases[i].type, cases[i].strides));
        EXPECT_EQ(cases[i].is_equal, dnnl_memory_desc_equal(md, other));
        EXPECT_EQ(cases[i].is_equal, dnnl_memory_desc_equal(other, md));
        dnnl_memory_desc_destroy(other);
    }
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &any, 3, dims, dnnl_f32, dnnl_format_tag_any));
    EXPECT_FALSE(dnnl_memory_desc_equal(md, any));
    EXPECT_FALSE(dnnl_memory_desc_equal(md, NULL));
    EXPECT_FALSE(dnnl_memory_desc_equal(NULL, md));
    EXPECT_TRUE(dnnl_memory_desc_equal(NULL, NULL));
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(any);
}

/* ---- Queries ------------------------------------------------------------- */

TEST_C(MemoryDesc, AnswersQueries)
{
    const dnnl_dims_t zeros = {0};
    dnnl_memory_desc_t md;
    int number = -1;
    dnnl_dim_t offset = -1;
    dnnl_data_type_t type;
    const dnnl_dims_t *dims;
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md, 4, some_dims, dnnl_u8, dnnl_nhwc));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &number));
    EXPECT_EQ(4, number);
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    EXPECT_EQ(dnnl_u8, type);
    EXPECT_OK(dnnl_memory_desc_query(
            md, dnnl_query_submemory_offset_s64, &offset));
    EXPECT_EQ(0, offset);
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &number));
    EXPECT_EQ(0, number);
    const size_t used = 4 * sizeof(dnnl_dim_t);
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_dims, &dims));
    EXPECT_BYTES_EQ(some_dims, used, *dims, used);
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_padded_dims, &dims));
    EXPECT_BYTES_EQ(some_dims, used, *dims, used);
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_padded_offsets, &dims));
    EXPECT_BYTES_EQ(zeros, used, *dims, used);
    dnnl_memory_desc_destroy(md);
}

TEST_C(MemoryDesc, AnswersQueriesByTheNumberOfABuffer)
{
    dnnl_memory_desc_t md;
    int number = -1;
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md, 4, some_dims, dnnl_u8, dnnl_nhwc));
    EXPECT_OK(dnnl_memory_desc_query_v2(md, dnnl_query_ndims_s32, 0, &number));
    EXPECT_EQ(4, number);
    EXPECT_OK(dnnl_memory_desc_query_v2(
            md, dnnl_query_num_handles_s32, 0, &number));
    EXPECT_EQ(1, number);
    number = 77;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_query_v2(md, dnnl_query_ndims_s32, 1, &number));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_query_v2(
                    md, dnnl_query_num_handles_s32, -1, &number));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_query_v2(NULL, dnnl_query_ndims_s32, 0, &number));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_query_v2(md, dnnl_query_ndims_s32, 0, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_query_v2(md, dnnl_query_nnz_s64, 0, &number));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_query_v2(
                    md, dnnl_query_sparse_encoding, 0, &number));
    EXPECT_EQ(77, number);
    dnnl_memory_desc_destroy(md);
}

TEST_C(MemoryDesc, RefusesWrongQueries)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_memory_desc_t md;
    const void *result = untouched;
    const dnnl_query_t queries[] = {dnnl_query_undef, dnnl_query_engine,
            dnnl_query_src_md, dnnl_query_alpha_f32, (dnnl_query_t)9999};
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md, 4, some_dims, dnnl_u8, dnnl_nhwc));
    for (size_t i = 0; i < COUNT(queries); i++)
        EXPECT_STATUS(wrong, dnnl_memory_desc_query(md, queries[i], &result));
    EXPECT_STATUS(
            wrong, dnnl_memory_desc_query(NULL, dnnl_query_dims, &result));
    EXPECT_STATUS(wrong, dnnl_memory_desc_query(md, dnnl_query_dims, NULL));
    EXPECT_PTR_EQ(untouched, result);
    dnnl_memory_desc_destroy(md);
}

/* ---- Blobs --------------------------------------------------------------- */

static dnnl_memory_desc_t strided_md(void)
{
    dnnl_memory_desc_t md = NULL;
    const dnnl_dims_t strides = {1000, 0, 20, 2};
    EXPECT_OK(dnnl_memory_desc_create_with_strides(
            &md, 4, some_dims, dnnl_f16, strides));
    return md;
}

TEST_C(MemoryDescBlob, MakesTheSameDescriptor)
{
    dnnl_memory_desc_t md[COUNT(plain_tags) + 3];
    size_t count = 0;
    for (; count < COUNT(plain_tags); count++)
        ASSERT_OK(dnnl_memory_desc_create_with_tag(&md[count],
                (int)strlen(plain_tags[count].letters), some_dims, dnnl_bf16,
                plain_tags[count].tag));
    md[count++] = strided_md();
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md[count++], 5, some_dims, dnnl_s32, dnnl_format_tag_any));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &md[count++], 0, NULL, dnnl_f32, dnnl_format_tag_undef));
    for (size_t i = 0; i < count; i++) {
        uint8_t blob[BLOB_SIZE];
        uint8_t again[BLOB_SIZE];
        size_t size = 0;
        dnnl_memory_desc_t made;
        EXPECT_OK(dnnl_memory_desc_get_blob(NULL, &size, md[i]));
        EXPECT_EQ(BLOB_SIZE, size);
        ASSERT_OK(dnnl_memory_desc_get_blob(blob, &size, md[i]));
        ASSERT_OK(dnnl_memory_desc_create_with_blob(&made, blob));
        EXPECT_TRUE(dnnl_memory_desc_equal(md[i], made));
        EXPECT_OK(dnnl_memory_desc_get_blob(again, &size, made));
        EXPECT_BYTES_EQ(blob, sizeof blob, again, sizeof again);
        dnnl_memory_desc_destroy(made);
        dnnl_memory_desc_destroy(md[i]);
    }
}

TEST_C(MemoryDescBlob, FollowsTheRuleOfSizeQueries)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    uint8_t blob[BLOB_SIZE + 1];
    uint8_t before[BLOB_SIZE + 1];
    dnnl_memory_desc_t md = strided_md();
    memset(blob, 0x5a, sizeof blob);
    memset(before, 0x5a, sizeof before);
    size_t size = BLOB_SIZE - 1;
    EXPECT_STATUS(wrong, dnnl_memory_desc_get_blob(blob, &size, md));
    EXPECT_EQ(BLOB_SIZE, size);
    EXPECT_BYTES_EQ(before, sizeof before, blob, sizeof blob);
    EXPECT_STATUS(wrong, dnnl_memory_desc_get_blob(blob, NULL, md));
    size = sizeof blob;
    EXPECT_STATUS(wrong, dnnl_memory_desc_get_blob(blob, &size, NULL));
    EXPECT_EQ(sizeof blob, size);
    EXPECT_BYTES_EQ(before, sizeof before, blob, sizeof blob);
    EXPECT_OK(dnnl_memory_desc_get_blob(blob, &size, md));
    EXPECT_EQ(BLOB_SIZE, size);
    EXPECT_EQ(0x5a, blob[BLOB_SIZE]);
    dnnl_memory_desc_destroy(md);
}

TEST_C(MemoryDescBlob, RefusesEveryFlippedBit)
{
    enum { VERSION_AT = 8, VERSION_SIZE = 4 };
    uint8_t blob[BLOB_SIZE];
    size_t size = sizeof blob;
    dnnl_memory_desc_t md = strided_md();
    ASSERT_OK(dnnl_memory_desc_get_blob(blob, &size, md));
    for (size_t i = 0; i < sizeof blob * 8; i++) {
        dnnl_memory_desc_t made = untouched;
        bool is_version =
                i / 8 >= VERSION_AT && i / 8 < VERSION_AT + VERSION_SIZE;
        blob[i / 8] ^= (uint8_t)(1u << i % 8);
        /* Version 1 with its lowest bit flipped is 0: no version at all. */
        EXPECT_STATUS(is_version && i != (size_t)VERSION_AT * 8
                              ? dnnl_cache_blob_unsupported
                              : dnnl_cache_blob_corrupt,
                dnnl_memory_desc_create_with_blob(&made, blob));
        EXPECT_PTR_EQ(untouched, made);
        blob[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    dnnl_memory_desc_t made;
    ASSERT_OK(dnnl_memory_desc_create_with_blob(&made, blob));
    dnnl_memory_desc_destroy(made);
    dnnl_memory_desc_destroy(md);
}

TEST_C(MemoryDescBlob, RefusesMissingArguments)
{
    uint8_t blob[BLOB_SIZE] = {0};
    dnnl_memory_desc_t made = untouched;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_create_with_blob(&made, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_create_with_blob(NULL, blob));
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_memory_desc_create_with_blob(&made, blob));
    EXPECT_PTR_EQ(untouched, made);
}
