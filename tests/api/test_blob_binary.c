/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's binaries in blobs, for who loads them himself. */
#include "blob_edit.h"
#include "forge.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <string.h>

/* A blob, and which of its programs is meant. */
struct choice {
    struct bytes blob;
    uint32_t index;
};

static dnnl_status_t query_binary(void *object, size_t *size, uint8_t *out)
{
    const struct choice *c = object;
    return dnnl_cache_blob_get_program_binary(
            c->blob.size, c->blob.data, c->index, size, out);
}

static void expect_status(dnnl_status_t status, const struct choice *choice)
{
    uint8_t out[256];
    uint8_t untouched[256];
    size_t size = sizeof out;
    memset(out, 0x5a, sizeof out);
    memset(untouched, 0x5a, sizeof untouched);
    EXPECT_STATUS(
            status, dnnl_cache_blob_get_program_binary(choice->blob.size,
                            choice->blob.data, choice->index, &size, out));
    EXPECT_EQ(sizeof out, size);
    EXPECT_BYTES_EQ(untouched, sizeof out, out, sizeof out);
}

/* A plain one and one that is a zstd frame. */
TEST_SAMPLE(BlobBinary, FollowsTheRuleOfSizes, blob_kind_primitive)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct choice choice = {{s->blob, s->size}, i};
        expect_size_query(query_binary, &choice);
    }
}

TEST_SAMPLE(BlobBinary, IsDecoded, blob_kind_primitive)
{
    struct choice choice = {{s->blob, s->size}, 0};
    struct bytes plain = query_bytes(query_binary, &choice);
    EXPECT_BYTES_EQ("thirteen byte", 13, plain.data, plain.size);
    bytes_free(&plain);
    choice.index = 1;
    struct bytes run = query_bytes(query_binary, &choice);
    char expected[100];
    memset(expected, 'x', sizeof expected);
    EXPECT_BYTES_EQ(expected, sizeof expected, run.data, run.size);
    bytes_free(&run);
}

/* What the driver gave is what it is given back. */
static void expect_drivers_binary(dnnl_cache_compression_t compression)
{
    struct rig rig;
    cl_program object = NULL;
    size_t size = 0;
    unsigned char binary[16384];
    unsigned char *binaries[] = {binary};
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_cache_engine_set_blob_compression(rig.engine, compression));
    dnnl_cache_program_t program = build(rig.engine, scale_source, NULL);
    struct choice choice = {program_blob(program), 0};
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &object));
    ASSERT_EQ(CL_SUCCESS, clGetProgramInfo(object, CL_PROGRAM_BINARY_SIZES,
                                  sizeof size, &size, NULL));
    EXPECT_LE(size, sizeof binary);
    ASSERT_EQ(CL_SUCCESS, clGetProgramInfo(object, CL_PROGRAM_BINARIES,
                                  sizeof binaries, binaries, NULL));
    unsigned long calls = fake_opencl_total_calls();
    struct bytes got = query_bytes(query_binary, &choice);
    EXPECT_EQ(calls, fake_opencl_total_calls());
    EXPECT_BYTES_EQ(binary, size, got.data, got.size);
    bytes_free(&got);
    bytes_free(&choice.blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    rig_close(&rig);
}

TEST_C(BlobBinary, IsTheDrivers)
{
    expect_drivers_binary(dnnl_cache_compression_none);
    expect_drivers_binary(dnnl_cache_compression_zstd);
}

TEST_SAMPLE(BlobBinary, NeedsAProgramOfThatNumber, blob_kind_primitive)
{
    struct choice choice = {{s->blob, s->size}, 2};
    expect_status(dnnl_invalid_arguments, &choice);
    choice.index = UINT32_MAX;
    expect_status(dnnl_invalid_arguments, &choice);
    sample_fini(s);
    sample_init(s, blob_kind_engine);
    choice = (struct choice){{s->blob, s->size}, 0};
    expect_status(dnnl_invalid_arguments, &choice);
}

TEST_SAMPLE(BlobBinary, OfADamagedBlobIsNotGiven, blob_kind_primitive)
{
    for (size_t at = 0; at < s->size; at += 7) {
        struct choice choice = {bytes_copy(s->blob, s->size), 0};
        choice.blob.data[at] ^= 0x10;
        bool is_version = at >= 8 && at < 12;
        expect_status(is_version ? dnnl_cache_blob_unsupported
                                 : dnnl_cache_blob_corrupt,
                &choice);
        bytes_free(&choice.blob);
    }
}

/* A forgery with a right checksum whose frame is none. */
TEST_SAMPLE(BlobBinary, ThatDoesNotDecodeIsCorrupt, blob_kind_primitive)
{
    struct blob_edit edit;
    const struct bytes good = {s->blob, s->size};
    blob_edit_open(&edit, &good);
    edit.programs[1].binary = (const uint8_t *)"no frame";
    edit.programs[1].binary_size = 8;
    struct choice choice = {blob_edit_write(&edit), 1};
    expect_status(dnnl_cache_blob_corrupt, &choice);
    bytes_free(&choice.blob);
    blob_edit_close(&edit);
}
