/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors in blocks, and those made of others. */
#include "dnnl_cache.h"
#include "tag_loops.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct dnnl_memory_desc *const untouched =
        (struct dnnl_memory_desc *)(uintptr_t)64;

static dnnl_memory_desc_t make(
        int ndims, const dnnl_dim_t *dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = NULL;
    EXPECT_OK(
            dnnl_memory_desc_create_with_tag(&md, ndims, dims, dnnl_f32, tag));
    return md;
}

/* ---- An element's place, by queries -------------------------------------- */

struct layout {
    int ndims;
    int inner_nblks;
    dnnl_dim_t offset0;
    const dnnl_dims_t *dims, *padded_dims, *strides, *inner_blks, *inner_idxs;
};

static struct layout layout_of(const_dnnl_memory_desc_t md)
{
    struct layout l;
    memset(&l, 0, sizeof l);
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &l.ndims));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_dims, &l.dims));
    EXPECT_OK(
            dnnl_memory_desc_query(md, dnnl_query_padded_dims, &l.padded_dims));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_strides, &l.strides));
    EXPECT_OK(dnnl_memory_desc_query(
            md, dnnl_query_inner_nblks_s32, &l.inner_nblks));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_inner_blks, &l.inner_blks));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_inner_idxs, &l.inner_idxs));
    EXPECT_OK(dnnl_memory_desc_query(
            md, dnnl_query_submemory_offset_s64, &l.offset0));
    return l;
}

static dnnl_dim_t offset_by_queries(
        const struct layout *l, const dnnl_dims_t place)
{
    dnnl_dims_t rest;
    dnnl_dim_t offset = l->offset0;
    dnnl_dim_t stride = 1;
    memcpy(rest, place, sizeof rest);
    for (int i = l->inner_nblks - 1; i >= 0; i--) {
        dnnl_dim_t block = (*l->inner_blks)[i];
        dnnl_dim_t d = (*l->inner_idxs)[i];
        offset += rest[d] % block * stride;
        rest[d] /= block;
        stride *= block;
    }
    for (int d = 0; d < l->ndims; d++)
        offset += rest[d] * (*l->strides)[d];
    return offset;
}

/* Splits an element's number; the last dimension runs fastest. */
static void place_of(const struct layout *l, dnnl_dim_t index, dnnl_dims_t at)
{
    memset(at, 0, sizeof(dnnl_dims_t));
    for (int d = l->ndims - 1; d >= 0; d--) {
        at[d] = index % (*l->dims)[d];
        index /= (*l->dims)[d];
    }
}

static dnnl_dim_t count_of(const struct layout *l)
{
    dnnl_dim_t count = 1;
    for (int d = 0; d < l->ndims; d++)
        count *= (*l->dims)[d];
    return count;
}

/* ---- The same by the tag's name ------------------------------------------ */

static const dnnl_dims_t odd_dims = {17, 35, 3, 2, 1, 2, 1, 2, 1, 2, 1, 2};

TEST_C(MemoryDescBlocks, LieAsTheNameOfEveryTagSays)
{
    for (int tag = dnnl_a; tag < dnnl_format_tag_last; tag++) {
        const char *name = dnnl_fmt_tag2str((dnnl_format_tag_t)tag);
        int ndims = tag_letters(name);
        dnnl_dims_t at;
        dnnl_memory_desc_t md = make(ndims, odd_dims, (dnnl_format_tag_t)tag);
        struct layout layout = layout_of(md);
        struct tag_loops loops = tag_loops_of(name, odd_dims);
        EXPECT_EQ(ndims + layout.inner_nblks, loops.count);
        EXPECT_EQ(4 * tag_loops_size(&loops), dnnl_memory_desc_get_size(md));
        for (dnnl_dim_t i = 0; i < count_of(&layout); i += 7) {
            place_of(&layout, i, at);
            ASSERT_EQ(tag_loops_offset(&loops, at),
                    offset_by_queries(&layout, at));
        }
        dnnl_memory_desc_destroy(md);
    }
}

TEST_C(MemoryDescBlocks, HaveNamesOfDomainsToo)
{
    EXPECT_STR_EQ("aBcd16b", dnnl_fmt_tag2str(dnnl_nChw16c));
    EXPECT_STR_EQ("ABcd8b16a2b", dnnl_fmt_tag2str(dnnl_OIhw8i16o2i));
    EXPECT_STR_EQ("aCBde16c16b", dnnl_fmt_tag2str(dnnl_gIOhw16i16o));
    EXPECT_STR_EQ("decbA16a", dnnl_fmt_tag2str(dnnl_hwioG16g));
    EXPECT_STR_EQ("abcde", dnnl_fmt_tag2str(dnnl_ldigo));
    EXPECT_STR_EQ("any", dnnl_fmt_tag2str(dnnl_format_tag_any));
    EXPECT_STR_EQ("undef", dnnl_fmt_tag2str(dnnl_format_tag_undef));
    EXPECT_STR_EQ("unknown fmt_tag", dnnl_fmt_tag2str(dnnl_format_tag_last));
    EXPECT_STR_EQ("unknown fmt_tag", dnnl_fmt_tag2str((dnnl_format_tag_t)-1));
}

TEST_C(MemoryDescBlocks, AnswerQueries)
{
    const dnnl_dims_t dims = {10, 20, 3, 4};
    dnnl_memory_desc_t md = make(4, dims, dnnl_ABcd16a16b);
    struct layout l = layout_of(md);
    EXPECT_EQ(2, l.inner_nblks);
    EXPECT_EQ(16, (*l.inner_blks)[0]);
    EXPECT_EQ(16, (*l.inner_blks)[1]);
    EXPECT_EQ(0, (*l.inner_idxs)[0]);
    EXPECT_EQ(1, (*l.inner_idxs)[1]);
    EXPECT_EQ(16, (*l.padded_dims)[0]);
    EXPECT_EQ(32, (*l.padded_dims)[1]);
    EXPECT_EQ(3, (*l.padded_dims)[2]);
    EXPECT_EQ(2 * 12 * 256, (*l.strides)[0]);
    EXPECT_EQ(12 * 256, (*l.strides)[1]);
    EXPECT_EQ(256, (*l.strides)[3]);
    EXPECT_EQ(16 * 32 * 12 * 4, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
}

TEST_C(MemoryDescBlocks, AreUnlikeOthers)
{
    const dnnl_dims_t dims = {16, 16, 1, 1};
    const dnnl_format_tag_t tags[] = {dnnl_abcd, dnnl_aBcd16b, dnnl_aBcd8b,
            dnnl_ABcd16a16b, dnnl_ABcd16b16a, dnnl_ABcd8b16a2b};
    dnnl_memory_desc_t md[COUNT(tags)];
    for (size_t i = 0; i < COUNT(tags); i++)
        md[i] = make(4, dims, tags[i]);
    for (size_t i = 0; i < COUNT(tags); i++)
        for (size_t j = 0; j < COUNT(tags); j++)
            EXPECT_EQ(i == j, dnnl_memory_desc_equal(md[i], md[j]));
    for (size_t i = 0; i < COUNT(tags); i++)
        dnnl_memory_desc_destroy(md[i]);
}

TEST_C(MemoryDescBlocks, RefuseSizesThatOverflow)
{
    const dnnl_dims_t large = {INT64_MAX - 1};
    const dnnl_dims_t wide = {1, 1, INT64_MAX / 1000, 1};
    dnnl_memory_desc_t md = untouched;
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_memory_desc_create_with_tag(&md, 4,
                                            wide, dnnl_f32, dnnl_ABcd16a16b));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_create_with_tag(&md, 1, large, dnnl_s32, dnnl_a));
    EXPECT_PTR_EQ(untouched, md);
}

/* ---- Blobs --------------------------------------------------------------- */

TEST_C(MemoryDescBlocks, SurviveInBlobs)
{
    enum { SIZE = DNNL_CACHE_MEMORY_DESC_BLOB_SIZE, VERSION_AT = 8 };
    for (int tag = dnnl_a; tag < dnnl_format_tag_last; tag++) {
        const char *name = dnnl_fmt_tag2str((dnnl_format_tag_t)tag);
        uint8_t blob[SIZE], again[SIZE];
        size_t size = SIZE;
        dnnl_memory_desc_t md =
                make(tag_letters(name), odd_dims, (dnnl_format_tag_t)tag);
        dnnl_memory_desc_t made = NULL;
        ASSERT_OK(dnnl_memory_desc_get_blob(blob, &size, md));
        /* Older releases read what they know. */
        EXPECT_EQ(name[tag_letters(name)] == '\0' ? 1 : 2, blob[VERSION_AT]);
        ASSERT_OK(dnnl_memory_desc_create_with_blob(&made, blob));
        EXPECT_TRUE(dnnl_memory_desc_equal(md, made));
        EXPECT_EQ(
                dnnl_memory_desc_get_size(md), dnnl_memory_desc_get_size(made));
        EXPECT_OK(dnnl_memory_desc_get_blob(again, &size, made));
        EXPECT_BYTES_EQ(blob, SIZE, again, SIZE);
        dnnl_memory_desc_destroy(md);
        dnnl_memory_desc_destroy(made);
    }
}

TEST_C(MemoryDescBlocks, AreRefusedWithAFlippedBit)
{
    enum { SIZE = DNNL_CACHE_MEMORY_DESC_BLOB_SIZE };
    uint8_t blob[SIZE];
    size_t size = SIZE;
    dnnl_memory_desc_t md = make(4, odd_dims, dnnl_ABcd8b16a2b);
    ASSERT_OK(dnnl_memory_desc_get_blob(blob, &size, md));
    dnnl_memory_desc_destroy(md);
    for (size_t i = 0; i < (size_t)SIZE * 8; i++) {
        md = untouched;
        blob[i / 8] ^= (uint8_t)(1u << i % 8);
        EXPECT_NE(dnnl_success, dnnl_memory_desc_create_with_blob(&md, blob));
        EXPECT_PTR_EQ(untouched, md);
        blob[i / 8] ^= (uint8_t)(1u << i % 8);
    }
}

/* ---- Parts --------------------------------------------------------------- */

/* Each element of the part lies where the whole has it. */
static void expect_part(dnnl_format_tag_t tag, const dnnl_dims_t dims,
        const dnnl_dims_t part, const dnnl_dims_t offsets)
{
    dnnl_dims_t at;
    dnnl_memory_desc_t whole = make(4, dims, tag);
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_desc_t nested = NULL;
    const dnnl_dims_t none = {0};
    ASSERT_OK(dnnl_memory_desc_create_submemory(&md, whole, part, offsets));
    struct layout of_whole = layout_of(whole);
    struct layout of_part = layout_of(md);
    EXPECT_LE(dnnl_memory_desc_get_size(md), dnnl_memory_desc_get_size(whole));
    for (dnnl_dim_t i = 0; i < count_of(&of_part); i++) {
        place_of(&of_part, i, at);
        dnnl_dim_t offset = offset_by_queries(&of_part, at);
        for (int d = 0; d < 4; d++)
            at[d] += offsets[d];
        ASSERT_EQ(offset_by_queries(&of_whole, at), offset);
    }
    ASSERT_OK(dnnl_memory_desc_create_submemory(&nested, md, part, none));
    EXPECT_TRUE(dnnl_memory_desc_equal(md, nested));
    dnnl_memory_desc_destroy(nested);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(whole);
}

TEST_C(Submemory, IsAPartOfTheWhole)
{
    const dnnl_dims_t dims = {5, 35, 4, 3};
    expect_part(dnnl_abcd, dims, (dnnl_dims_t){2, 7, 1, 3},
            (dnnl_dims_t){3, 5, 2, 0});
    expect_part(dnnl_nhwc, dims, (dnnl_dims_t){5, 1, 2, 2},
            (dnnl_dims_t){0, 34, 2, 1});
    expect_part(dnnl_nChw16c, dims, (dnnl_dims_t){3, 16, 2, 2},
            (dnnl_dims_t){1, 16, 1, 1});
    /* To the end, which is no end of a block. */
    expect_part(dnnl_nChw16c, dims, (dnnl_dims_t){1, 19, 4, 3},
            (dnnl_dims_t){4, 16, 0, 0});
    expect_part(dnnl_nChw16c, dims, (dnnl_dims_t){1, 3, 4, 3},
            (dnnl_dims_t){4, 32, 0, 0});
}

TEST_C(Submemory, CannotCutBlocks)
{
    const dnnl_dims_t dims = {5, 35, 4, 3};
    dnnl_memory_desc_t whole = make(4, dims, dnnl_nChw16c);
    dnnl_memory_desc_t md = untouched;
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_memory_desc_create_submemory(&md, whole,
                    (dnnl_dims_t){5, 16, 4, 3}, (dnnl_dims_t){0, 8, 0, 0}));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_memory_desc_create_submemory(&md, whole,
                    (dnnl_dims_t){5, 8, 4, 3}, (dnnl_dims_t){0, 16, 0, 0}));
    EXPECT_PTR_EQ(untouched, md);
    dnnl_memory_desc_destroy(whole);
}

TEST_C(Submemory, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_dims_t dims = {4, 6};
    const dnnl_dims_t none = {0};
    dnnl_memory_desc_t whole = make(2, dims, dnnl_ab);
    dnnl_memory_desc_t any = make(2, dims, dnnl_format_tag_any);
    dnnl_memory_desc_t unknown =
            make(2, (dnnl_dims_t){4, DNNL_RUNTIME_DIM_VAL}, dnnl_ab);
    dnnl_memory_desc_t md = untouched;
    const struct {
        dnnl_dims_t part, offsets;
    } cases[] = {{{5, 1}, {0, 0}}, {{1, 1}, {4, 0}}, {{1, 1}, {-1, 0}},
            {{-1, 1}, {0, 0}}, {{4, 4}, {0, 3}},
            {{INT64_MAX, 1}, {INT64_MAX, 0}}, {{1, 1}, {INT64_MAX, 0}},
            {{DNNL_RUNTIME_DIM_VAL, 1}, {0, 0}}};
    for (size_t i = 0; i < COUNT(cases); i++)
        EXPECT_STATUS(wrong, dnnl_memory_desc_create_submemory(&md, whole,
                                     cases[i].part, cases[i].offsets));
    EXPECT_STATUS(
            wrong, dnnl_memory_desc_create_submemory(&md, NULL, dims, none));
    EXPECT_STATUS(
            wrong, dnnl_memory_desc_create_submemory(&md, whole, NULL, none));
    EXPECT_STATUS(
            wrong, dnnl_memory_desc_create_submemory(&md, whole, dims, NULL));
    EXPECT_STATUS(
            wrong, dnnl_memory_desc_create_submemory(NULL, whole, dims, none));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_memory_desc_create_submemory(&md, any, dims, none));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_memory_desc_create_submemory(&md, unknown, dims, none));
    EXPECT_PTR_EQ(untouched, md);
    ASSERT_OK(dnnl_memory_desc_create_submemory(
            &md, whole, (dnnl_dims_t){0, 2}, (dnnl_dims_t){4, 1}));
    EXPECT_EQ(0, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(unknown);
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(whole);
}

/* ---- Other dimensions ---------------------------------------------------- */

struct reshape {
    dnnl_format_tag_t tag;
    int in_ndims;
    dnnl_dims_t in;
    int out_ndims;
    dnnl_dims_t out;
};

/* Element number i of both is the same. */
static void expect_reshaped(const struct reshape *c)
{
    dnnl_dims_t at;
    dnnl_memory_desc_t in = make(c->in_ndims, c->in, c->tag);
    dnnl_memory_desc_t out = NULL;
    ASSERT_OK(dnnl_memory_desc_reshape(&out, in, c->out_ndims, c->out));
    struct layout of_in = layout_of(in);
    struct layout of_out = layout_of(out);
    EXPECT_EQ(c->out_ndims, of_out.ndims);
    EXPECT_EQ(dnnl_memory_desc_get_size(in), dnnl_memory_desc_get_size(out));
    for (dnnl_dim_t i = 0; i < count_of(&of_in); i++) {
        place_of(&of_in, i, at);
        dnnl_dim_t expected = offset_by_queries(&of_in, at);
        place_of(&of_out, i, at);
        ASSERT_EQ(expected, offset_by_queries(&of_out, at));
    }
    dnnl_memory_desc_destroy(in);
    dnnl_memory_desc_destroy(out);
}

TEST_C(Reshape, KeepsEveryElementInPlace)
{
    const struct reshape cases[] = {/* Ones added and dropped. */
            {dnnl_ab, 2, {5, 1}, 1, {5}}, {dnnl_a, 1, {5}, 3, {1, 5, 1}},
            {dnnl_a, 1, {1}, 3, {1, 1, 1}}, {dnnl_abc, 3, {1, 1, 1}, 1, {1}},
            {dnnl_acb, 3, {2, 1, 3}, 2, {2, 3}},
            /* Split. */
            {dnnl_a, 1, {30}, 3, {2, 3, 5}}, {dnnl_ba, 2, {6, 5}, 3, {3, 2, 5}},
            {dnnl_ba, 2, {6, 4}, 4, {3, 2, 1, 4}},
            /* Joined. */
            {dnnl_abcd, 4, {2, 3, 4, 5}, 2, {6, 20}},
            {dnnl_acdb, 4, {2, 3, 4, 5}, 3, {2, 3, 20}},
            {dnnl_cab, 3, {2, 3, 4}, 2, {6, 4}},
            {dnnl_abcd, 4, {2, 1, 3, 1}, 1, {6}},
            /* Both. */
            {dnnl_abc, 3, {6, 5, 4}, 3, {2, 3, 20}},
            {dnnl_ab, 2, {6, 4}, 2, {3, 8}},
            /* Blocks stay innermost. */
            {dnnl_aBcd8b, 4, {2, 15, 3, 4}, 3, {2, 15, 12}},
            {dnnl_aBc8b, 3, {2, 15, 12}, 4, {2, 15, 3, 4}},
            {dnnl_aBc8b, 3, {2, 32, 3}, 4, {2, 2, 16, 3}},
            {dnnl_aBc8b, 3, {2, 32, 3}, 5, {2, 1, 4, 8, 3}},
            {dnnl_nChw16c, 4, {1, 3, 2, 1}, 5, {1, 1, 3, 2, 1}},
            {dnnl_nChw16c, 4, {2, 1, 2, 1}, 3, {2, 1, 2}},
            {dnnl_ABcd16b16a, 4, {17, 33, 3, 2}, 3, {17, 33, 6}},
            {dnnl_ABcd16b16a, 4, {32, 32, 3, 2}, 5, {2, 16, 32, 6, 1}},
            /* Empty dimensions, around which layouts are kept, too. */
            {dnnl_cba, 3, {2, 0, 3}, 4, {2, 0, 1, 3}},
            {dnnl_abcd, 4, {2, 3, 0, 4}, 3, {6, 0, 4}},
            {dnnl_Abcd16a, 4, {31, 1, 0, 2}, 5, {1, 31, 0, 2, 1}},
            {dnnl_aBcde16b, 5, {1, 31, 0, 2, 1}, 4, {31, 1, 0, 2}}};
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_reshaped(&cases[i]);
}

TEST_C(Reshape, KeepsStridesAroundEmptyDimensions)
{
    const dnnl_dims_t dims = {2, 3, 0, 2}, strides = {6, 2, 2, 1};
    const dnnl_dims_t joined = {6, 0, 2}, of_joined = {2, 2, 1};
    dnnl_memory_desc_t in = NULL, expected = NULL, out = NULL;
    ASSERT_OK(dnnl_memory_desc_create_with_strides(
            &in, 4, dims, dnnl_f32, strides));
    ASSERT_OK(dnnl_memory_desc_create_with_strides(
            &expected, 3, joined, dnnl_f32, of_joined));
    ASSERT_OK(dnnl_memory_desc_reshape(&out, in, 3, joined));
    struct layout of_out = layout_of(out);
    struct layout of_expected = layout_of(expected);
    for (int d = 0; d < 3; d++)
        EXPECT_EQ((*of_expected.strides)[d], (*of_out.strides)[d]);
    dnnl_memory_desc_destroy(out);
    dnnl_memory_desc_destroy(expected);
    dnnl_memory_desc_destroy(in);
}

TEST_C(Reshape, RefusesWhatHasNoLayout)
{
    const dnnl_dim_t unknown = DNNL_RUNTIME_DIM_VAL;
    const struct reshape cases[] = {/* Another number of elements. */
            {dnnl_ab, 2, {5, 2}, 2, {5, 1}}, {dnnl_ab, 2, {5, 2}, 1, {11}},
            {dnnl_ab, 2, {5, 2}, 2, {5, 0}}, {dnnl_ab, 2, {5, 0}, 2, {5, 1}},
            {dnnl_ab, 2, {5, 0}, 2, {3, 0}}, {dnnl_ab, 2, {5, 0}, 1, {0}},
            {dnnl_ab, 2, {5, 0}, 2, {0, 5}},
            /* Not neighbours in memory. */
            {dnnl_ba, 2, {5, 2}, 1, {10}}, {dnnl_acb, 3, {2, 3, 4}, 2, {2, 12}},
            {dnnl_cdba, 4, {2, 3, 0, 2}, 3, {6, 0, 2}},
            /* Blocks in the way. */
            {dnnl_aBc8b, 3, {2, 15, 4}, 2, {2, 60}},
            {dnnl_aBc8b, 3, {2, 15, 4}, 4, {2, 3, 5, 4}},
            {dnnl_aBc8b, 3, {2, 16, 4}, 4, {2, 4, 4, 4}},
            {dnnl_aBc8b, 3, {2, 16, 4}, 2, {2, 64}},
            {dnnl_aBc8b, 3, {2, 1, 4}, 2, {2, 4}},
            /* Not known. */
            {dnnl_ab, 2, {5, unknown}, 2, {5, unknown}},
            {dnnl_ab, 2, {5, 2}, 2, {5, unknown}},
            {dnnl_format_tag_any, 2, {5, 2}, 2, {5, 3}},
            /* No dimensions. */
            {dnnl_ab, 2, {5, 2}, 0, {0}}, {dnnl_ab, 2, {5, 2}, -1, {0}},
            {dnnl_ab, 2, {5, 2}, DNNL_MAX_NDIMS + 1, {0}}};
    dnnl_memory_desc_t out = untouched;
    for (size_t i = 0; i < COUNT(cases); i++) {
        dnnl_memory_desc_t in =
                make(cases[i].in_ndims, cases[i].in, cases[i].tag);
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_memory_desc_reshape(
                        &out, in, cases[i].out_ndims, cases[i].out));
        EXPECT_PTR_EQ(untouched, out);
        dnnl_memory_desc_destroy(in);
    }
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_reshape(&out, NULL, 2, odd_dims));
    EXPECT_PTR_EQ(untouched, out);
}

TEST_C(Reshape, LeavesTheLayoutOpen)
{
    const dnnl_dims_t dims = {4, 6};
    const dnnl_dims_t others = {3, 2, 4};
    dnnl_memory_desc_t in = make(2, dims, dnnl_format_tag_any);
    dnnl_memory_desc_t expected = make(3, others, dnnl_format_tag_any);
    dnnl_memory_desc_t out = NULL;
    ASSERT_OK(dnnl_memory_desc_reshape(&out, in, 3, others));
    EXPECT_TRUE(dnnl_memory_desc_equal(expected, out));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_reshape(NULL, in, 3, others));
    dnnl_memory_desc_destroy(in);
    dnnl_memory_desc_destroy(out);
    dnnl_memory_desc_destroy(expected);
}

TEST_C(PermuteAxes, RenamesDimensions)
{
    const int permutation[] = {2, 0, 3, 1};
    const dnnl_format_tag_t tags[] = {dnnl_abcd, dnnl_acdb, dnnl_ABcd8b16a2b};
    for (size_t i = 0; i < COUNT(tags); i++) {
        dnnl_dims_t at, moved;
        dnnl_memory_desc_t in = make(4, odd_dims, tags[i]);
        dnnl_memory_desc_t out = NULL;
        ASSERT_OK(dnnl_memory_desc_permute_axes(&out, in, permutation));
        struct layout of_in = layout_of(in);
        struct layout of_out = layout_of(out);
        for (int d = 0; d < 4; d++)
            EXPECT_EQ(odd_dims[d], (*of_out.dims)[permutation[d]]);
        EXPECT_EQ(
                dnnl_memory_desc_get_size(in), dnnl_memory_desc_get_size(out));
        for (dnnl_dim_t e = 0; e < count_of(&of_in); e += 11) {
            place_of(&of_in, e, at);
            memset(moved, 0, sizeof moved);
            for (int d = 0; d < 4; d++)
                moved[permutation[d]] = at[d];
            ASSERT_EQ(offset_by_queries(&of_in, at),
                    offset_by_queries(&of_out, moved));
        }
        dnnl_memory_desc_destroy(in);
        dnnl_memory_desc_destroy(out);
    }
}

TEST_C(PermuteAxes, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const int good[] = {1, 0};
    const int bad[][2] = {{0, 0}, {1, 1}, {0, 2}, {-1, 0}};
    dnnl_memory_desc_t in = make(2, odd_dims, dnnl_ab);
    dnnl_memory_desc_t none = make(0, NULL, dnnl_format_tag_undef);
    dnnl_memory_desc_t unknown =
            make(2, (dnnl_dims_t){4, DNNL_RUNTIME_DIM_VAL}, dnnl_ab);
    dnnl_memory_desc_t out = untouched;
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_STATUS(wrong, dnnl_memory_desc_permute_axes(&out, in, bad[i]));
    EXPECT_STATUS(wrong, dnnl_memory_desc_permute_axes(&out, NULL, good));
    EXPECT_STATUS(wrong, dnnl_memory_desc_permute_axes(&out, in, NULL));
    EXPECT_STATUS(wrong, dnnl_memory_desc_permute_axes(&out, none, good));
    EXPECT_STATUS(wrong, dnnl_memory_desc_permute_axes(&out, unknown, good));
    EXPECT_STATUS(wrong, dnnl_memory_desc_permute_axes(NULL, in, good));
    EXPECT_PTR_EQ(untouched, out);
    dnnl_memory_desc_destroy(unknown);
    dnnl_memory_desc_destroy(none);
    dnnl_memory_desc_destroy(in);
}
