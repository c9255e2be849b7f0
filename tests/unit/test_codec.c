/* SPDX-License-Identifier: Apache-2.0 */
/* The linker hands the codec's calls of zstd to the functions here (--wrap),
 * since zstd's allocations cannot be made to fail one by one. */
#include "src/blob/codec.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

size_t __real_ZSTD_compress(
        void *dst, size_t capacity, const void *src, size_t size, int level);
size_t __wrap_ZSTD_compress(
        void *dst, size_t capacity, const void *src, size_t size, int level);
size_t __real_ZSTD_decompress(
        void *dst, size_t capacity, const void *src, size_t size);
size_t __wrap_ZSTD_decompress(
        void *dst, size_t capacity, const void *src, size_t size);

/* Whether zstd runs out of memory. */
static bool zstd_fails;

/* How zstd returns an error. */
static size_t lack_of_memory(void)
{
    return (size_t)0 - ZSTD_error_memory_allocation;
}

size_t __wrap_ZSTD_compress(
        void *dst, size_t capacity, const void *src, size_t size, int level)
{
    return zstd_fails ? lack_of_memory()
                      : __real_ZSTD_compress(dst, capacity, src, size, level);
}

size_t __wrap_ZSTD_decompress(
        void *dst, size_t capacity, const void *src, size_t size)
{
    return zstd_fails ? lack_of_memory()
                      : __real_ZSTD_decompress(dst, capacity, src, size);
}

enum { raw_size = 20000 };

static uint8_t *make_raw(void)
{
    uint8_t *raw = malloc(raw_size);
    if (raw == NULL) abort();
    for (size_t i = 0; i < raw_size; i++)
        raw[i] = (uint8_t)(i / 100 * 7);
    return raw;
}

/* Encodes behind other bytes, which must stay, and decodes again. */
static void expect_round_trip(enum blob_codec codec, int level)
{
    uint8_t *raw = make_raw();
    uint8_t *decoded = malloc(raw_size);
    ASSERT_NOT_NULL(decoded);
    struct buffer out;
    struct buffer again;
    buffer_init(&out);
    buffer_init(&again);
    buffer_append(&out, "abc", 3);
    buffer_append(&again, "abc", 3);
    ASSERT_OK(codec_encode(codec, level, raw, raw_size, &out));
    ASSERT_OK(codec_encode(codec, level, raw, raw_size, &again));
    EXPECT_BYTES_EQ(out.data, out.size, again.data, again.size);
    EXPECT_BYTES_EQ("abc", 3, out.data, 3);
    ASSERT_OK(
            codec_decode(codec, out.data + 3, out.size - 3, decoded, raw_size));
    EXPECT_BYTES_EQ(raw, raw_size, decoded, raw_size);
    if (codec == blob_codec_none)
        EXPECT_EQ(raw_size, out.size - 3);
    else
        EXPECT_TRUE(out.size - 3 < raw_size / 2);
    buffer_fini(&out);
    buffer_fini(&again);
    free(raw);
    free(decoded);
}

TEST_C(Codec, RoundTrips)
{
    expect_round_trip(blob_codec_none, 0);
    expect_round_trip(blob_codec_none, 99);
    expect_round_trip(blob_codec_zstd, 0);
    expect_round_trip(blob_codec_zstd, 19);
    expect_round_trip(blob_codec_zstd, -5);
}

TEST_C(Codec, EncodeRefusesBadArguments)
{
    const uint8_t byte = 1;
    struct buffer out;
    buffer_init(&out);
    for (uint32_t codec = blob_codec_none; codec <= blob_codec_zstd; codec++) {
        enum blob_codec c = (enum blob_codec)codec;
        EXPECT_STATUS(
                dnnl_invalid_arguments, codec_encode(c, 0, NULL, 1, &out));
        EXPECT_STATUS(
                dnnl_invalid_arguments, codec_encode(c, 0, &byte, 0, &out));
        EXPECT_STATUS(
                dnnl_invalid_arguments, codec_encode(c, 0, &byte, 1, NULL));
        EXPECT_STATUS(dnnl_invalid_arguments,
                codec_encode(
                        c, 0, &byte, (size_t)BLOB_MAX_BINARY_SIZE + 1, &out));
    }
    EXPECT_STATUS(dnnl_invalid_arguments,
            codec_encode((enum blob_codec)2, 0, &byte, 1, &out));
    EXPECT_EQ(0, out.size);
    buffer_fini(&out);
}

TEST_C(Codec, EncodeReportsLackOfMemory)
{
    const uint8_t byte = 1;
    struct buffer out;
    buffer_init(&out);
    EXPECT_NULL(buffer_reserve(&out, SIZE_MAX - SIZE_MAX / 8));
    EXPECT_STATUS(dnnl_out_of_memory,
            codec_encode(blob_codec_none, 0, &byte, 1, &out));
    EXPECT_STATUS(dnnl_out_of_memory,
            codec_encode(blob_codec_zstd, 0, &byte, 1, &out));
    EXPECT_EQ(0, out.size);
    buffer_fini(&out);
}

/* Lack of memory is no damage: the blob may be read at another time. */
TEST_C(Codec, ReportsLackOfMemoryOfZstd)
{
    uint8_t *raw = make_raw();
    struct buffer out;
    buffer_init(&out);
    buffer_append(&out, "abc", 3);
    EXPECT_EQ(
            ZSTD_error_memory_allocation, ZSTD_getErrorCode(lack_of_memory()));
    zstd_fails = true;
    EXPECT_STATUS(dnnl_out_of_memory,
            codec_encode(blob_codec_zstd, 0, raw, raw_size, &out));
    EXPECT_BYTES_EQ("abc", 3, out.data, out.size);
    zstd_fails = false;
    ASSERT_OK(codec_encode(blob_codec_zstd, 0, raw, raw_size, &out));
    zstd_fails = true;
    EXPECT_STATUS(
            dnnl_out_of_memory, codec_decode(blob_codec_zstd, out.data + 3,
                                        out.size - 3, raw, raw_size));
    zstd_fails = false;
    EXPECT_OK(codec_decode(
            blob_codec_zstd, out.data + 3, out.size - 3, raw, raw_size));
    buffer_fini(&out);
    free(raw);
}

TEST_C(Codec, DecodeRefusesBadArguments)
{
    const uint8_t src = 1;
    uint8_t dst = 2;
    EXPECT_STATUS(dnnl_invalid_arguments,
            codec_decode(blob_codec_none, NULL, 1, &dst, 1));
    EXPECT_STATUS(dnnl_invalid_arguments,
            codec_decode(blob_codec_none, &src, 0, &dst, 1));
    EXPECT_STATUS(dnnl_invalid_arguments,
            codec_decode(blob_codec_none, &src, 1, NULL, 1));
    EXPECT_STATUS(dnnl_invalid_arguments,
            codec_decode(blob_codec_none, &src, 1, &dst, 0));
    EXPECT_STATUS(dnnl_cache_blob_unsupported,
            codec_decode((enum blob_codec)2, &src, 1, &dst, 1));
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            codec_decode(blob_codec_none, &src, 1, &dst, 2));
    EXPECT_EQ(2, dst);
}

TEST_C(Codec, DecodeRefusesAnyOtherSize)
{
    uint8_t *raw = make_raw();
    struct buffer out;
    buffer_init(&out);
    ASSERT_OK(codec_encode(blob_codec_zstd, 0, raw, raw_size, &out));
    EXPECT_STATUS(
            dnnl_cache_blob_corrupt, codec_decode(blob_codec_zstd, out.data,
                                             out.size, raw, raw_size - 1));
    EXPECT_STATUS(
            dnnl_cache_blob_corrupt, codec_decode(blob_codec_zstd, out.data,
                                             out.size, raw, raw_size + 1));
    /* Whole, but something follows the frame. */
    buffer_append_u8(&out, 0);
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            codec_decode(blob_codec_zstd, out.data, out.size, raw, raw_size));
    buffer_fini(&out);
    free(raw);
}

TEST_C(Codec, DecodeRefusesEveryTruncation)
{
    uint8_t *raw = make_raw();
    struct buffer out;
    buffer_init(&out);
    ASSERT_OK(codec_encode(blob_codec_zstd, 0, raw, raw_size, &out));
    for (size_t size = 1; size < out.size; size++)
        EXPECT_STATUS(dnnl_cache_blob_corrupt,
                codec_decode(blob_codec_zstd, out.data, size, raw, raw_size));
    buffer_fini(&out);
    free(raw);
}

TEST_C(Codec, DecodeRefusesDamageInsideTheFrame)
{
    /* One block of 100 bytes and of type 3, which no frame may have. */
    const uint8_t frame[] = {
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 100, 0x27, 0x03, 0x00, 'x'};
    uint8_t dst[100];
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            codec_decode(blob_codec_zstd, frame, sizeof frame, dst, 100));
    /* A compressed block of nothing but zeros: found whole, not decodable. */
    const uint8_t block[] = {
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 100, 0x25, 0, 0, 0, 0, 0, 0};
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            codec_decode(blob_codec_zstd, block, sizeof block, dst, 100));
}
