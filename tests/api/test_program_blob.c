/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs of programs, programs made from them, and blobs that are refused. */
#include "blob_edit.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "src/blob/codec.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rig with a descriptor and a blob of it, and nothing of it in memory. */
struct warm {
    struct rig rig;
    dnnl_cache_program_desc_t desc;
    struct bytes blob;
};

/* Drops the engine and with it the programs it keeps in memory. */
static void forget(struct rig *rig)
{
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
}

static void warm_open_with(struct warm *w, const char *source,
        dnnl_cache_compression_t compression)
{
    rig_open(&w->rig, 0);
    EXPECT_OK(
            dnnl_cache_engine_set_blob_compression(w->rig.engine, compression));
    dnnl_cache_program_t cold = build(w->rig.engine, source, "-DA=1");
    w->blob = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    forget(&w->rig);
    w->desc = describe(w->rig.engine, source, "-DA=1");
}

static void warm_open(struct warm *w)
{
    warm_open_with(w, scale_source, dnnl_cache_compression_none);
}

static void warm_close(struct warm *w)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(w->desc));
    bytes_free(&w->blob);
    rig_close(&w->rig);
}

#define TEST_WARM(suite, name) \
    TEST_WITH(suite, name, struct warm, w, warm_open(w), warm_close(w))

/* ---- What is in a blob --------------------------------------------------- */

TEST_RIG(ProgramBlob, FollowsTheRuleOfSizes)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    expect_size_query(query_program_blob, program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_WARM(ProgramBlob, HoldsTheProgramUnderItsId)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct bytes id = program_id(w->desc);
    ASSERT_OK(dnnl_cache_blob_inspect(w->blob.size, w->blob.data, &info));
    EXPECT_EQ(dnnl_cache_blob_kind_program, info.kind);
    EXPECT_EQ(1, info.program_count);
    EXPECT_EQ(2, info.kernel_count);
    EXPECT_GT(info.binary_bytes, 0);
    EXPECT_EQ(info.binary_bytes, info.stored_bytes);
    EXPECT_BYTES_EQ(id.data, id.size, info.id, info.id_size);
    bytes_free(&id);
}

static void expect_kernel_name(
        const struct blob_edit *blob, uint32_t index, const char *name)
{
    EXPECT_BYTES_EQ(name, strlen(name), blob->kernels[index].name,
            blob->kernels[index].name_size);
}

TEST_WARM(ProgramBlob, NamesItsKernels)
{
    struct blob_edit edit;
    blob_edit_open(&edit, &w->blob);
    expect_kernel_name(&edit, 0, "scale");
    expect_kernel_name(&edit, 1, "fill");
    blob_edit_close(&edit);
}

TEST_WARM(ProgramBlob, IsLittleMoreThanTheBinary)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    ASSERT_OK(dnnl_cache_blob_inspect(w->blob.size, w->blob.data, &info));
    EXPECT_LT(w->blob.size, info.binary_bytes + 4096);
}

TEST_C(ProgramBlob, HasNothingOfTheSource)
{
    static const char source[] =
            "/* A comment of some length, of which nothing may be in the blob "
            "but what the driver itself puts into its binary. */\n"
            "kernel void scale(global float *x, float f) "
            "{ x[get_global_id(0)] *= f; } "
            "kernel void fill(global float *x, float f) "
            "{ x[get_global_id(0)] = f; }";
    struct warm w;
    warm_open_with(&w, source, dnnl_cache_compression_none);
    blob_expect_no_source(&w.blob);
    warm_close(&w);
}

TEST_WARM(ProgramBlob, IsTheSameInEveryContext)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_cache_program_t program = build(other, scale_source, "-DA=1");
    struct bytes blob = program_blob(program);
    EXPECT_BYTES_EQ(w->blob.data, w->blob.size, blob.data, blob.size);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(other));
}

/* ---- From a blob --------------------------------------------------------- */

TEST_WARM(ProgramBlob, ProgramFromItCompilesNothing)
{
    unsigned long builds = fake_opencl_source_builds();
    dnnl_cache_program_t program = create_from(w->desc, &w->blob);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(1, fake_opencl_binary_builds());
    expect_kernel(program, "scale");
    expect_kernel(program, "fill");
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_WARM(ProgramBlob, OfAProgramFromItIsTheSame)
{
    dnnl_cache_program_t program = create_from(w->desc, &w->blob);
    unsigned long calls = fake_opencl_total_calls();
    struct bytes again = program_blob(program);
    EXPECT_BYTES_EQ(w->blob.data, w->blob.size, again.data, again.size);
    EXPECT_EQ(calls, fake_opencl_total_calls());
    bytes_free(&again);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_WARM(ProgramBlob, IsToldInTheCreationInfo)
{
    dnnl_cache_blob_info_t blob_info = DNNL_CACHE_BLOB_INFO_INIT;
    fake_opencl_set("BINARY_MS", "5");
    dnnl_cache_program_t program = create_from(w->desc, &w->blob);
    dnnl_cache_creation_info_t info = info_of(program);
    EXPECT_EQ(dnnl_cache_origin_blob, info.origin);
    EXPECT_STATUS(dnnl_success, info.blob_status);
    EXPECT_STR_EQ("", info.blob_reason);
    EXPECT_EQ(w->blob.size, info.blob_bytes);
    ASSERT_OK(dnnl_cache_blob_inspect(w->blob.size, w->blob.data, &blob_info));
    EXPECT_EQ(blob_info.binary_bytes, info.binary_bytes);
    EXPECT_GE(info.driver_ns, 5000000);
    EXPECT_GE(info.total_ns, info.driver_ns);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_WARM(ProgramBlob, IsNotNeededAfterTheCall)
{
    struct bytes copy = bytes_copy(w->blob.data, w->blob.size);
    dnnl_cache_program_t program = create_from(w->desc, &copy);
    memset(copy.data, 0, copy.size);
    bytes_free(&copy);
    expect_kernel(program, "scale");
    struct bytes again = program_blob(program);
    EXPECT_TRUE(bytes_equal(&w->blob, &again));
    bytes_free(&again);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_WARM(ProgramBlob, MayLieAtAnyAddress)
{
    uint8_t *room = malloc(w->blob.size + 8);
    ASSERT_NOT_NULL(room);
    for (size_t shift = 0; shift < 8; shift++) {
        dnnl_cache_program_t program = NULL;
        memcpy(room + shift, w->blob.data, w->blob.size);
        EXPECT_OK(dnnl_cache_program_create_from_cache_blob(
                &program, w->desc, w->blob.size, room + shift));
        EXPECT_OK(dnnl_cache_program_destroy(program));
    }
    free(room);
}

TEST_WARM(ProgramBlob, IsLoadedWithTheProgramsOptions)
{
    cl_program object = NULL;
    char options[32] = "";
    dnnl_cache_program_t program = create_from(w->desc, &w->blob);
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &object));
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(object, w->rig.device,
                    CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    EXPECT_STR_EQ("-DA=1", options);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* ---- Refusals ------------------------------------------------------------ */

/* Creation from the bytes fails so; nothing reaches the driver. */
static void expect_refused_unseen(dnnl_status_t status,
        const_dnnl_cache_program_desc_t desc, const void *data, size_t size)
{
    dnnl_cache_program_t program = (dnnl_cache_program_t)&status;
    unsigned long seen = fake_opencl_binary_bytes_seen();
    EXPECT_STATUS(status, dnnl_cache_program_create_from_cache_blob(
                                  &program, desc, size, data));
    EXPECT_PTR_EQ(&status, program);
    EXPECT_EQ(seen, fake_opencl_binary_bytes_seen());
}

/* Creation still compiles: what was refused has left nothing in memory. */
static void expect_compiles(const_dnnl_cache_program_desc_t desc)
{
    unsigned long builds = fake_opencl_source_builds();
    dnnl_cache_program_t program = create(desc);
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_WARM(ProgramBlob, TruncatedAnywhereNeverReachesTheDriver)
{
    for (size_t size = 1; size < w->blob.size; size++) {
        /* Of exactly that size, for the address sanitizer. */
        struct bytes cut = bytes_copy(w->blob.data, size);
        expect_refused_unseen(
                dnnl_cache_blob_corrupt, w->desc, cut.data, cut.size);
        bytes_free(&cut);
    }
    expect_compiles(w->desc);
}

/* Every bit of the header, then one of each byte. */
static size_t bit_step(size_t bit)
{
    return bit < 8 * 48 ? 1 : 9;
}

TEST_WARM(ProgramBlob, WithAFlippedBitNeverReachesTheDriver)
{
    dnnl_cache_program_t program = NULL;
    for (size_t bit = 0; bit < 8 * w->blob.size; bit += bit_step(bit)) {
        w->blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        dnnl_status_t st = dnnl_cache_program_create_from_cache_blob(
                &program, w->desc, w->blob.size, w->blob.data);
        bool is_version = bit / 8 >= 8 && bit / 8 < 12;
        EXPECT_TRUE(st == dnnl_cache_blob_corrupt
                    || (is_version && st == dnnl_cache_blob_unsupported));
        EXPECT_NULL(program);
        w->blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    EXPECT_EQ(0, fake_opencl_binary_bytes_seen());
    expect_compiles(w->desc);
}

TEST_WARM(ProgramBlob, WithATrailingByteIsCorrupt)
{
    uint8_t *longer = calloc(1, w->blob.size + 1);
    ASSERT_NOT_NULL(longer);
    memcpy(longer, w->blob.data, w->blob.size);
    expect_refused_unseen(
            dnnl_cache_blob_corrupt, w->desc, longer, w->blob.size + 1);
    free(longer);
}

TEST_WARM(ProgramBlob, OfNoiseIsCorrupt)
{
    uint8_t noise[257];
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(i * 37 + 11);
    for (size_t size = 1; size <= sizeof noise; size++)
        expect_refused_unseen(dnnl_cache_blob_corrupt, w->desc, noise, size);
}

/* A damaged blob is refused although the program is in memory already. */
TEST_WARM(ProgramBlob, IsCheckedEvenIfTheProgramIsInMemory)
{
    dnnl_cache_program_t program = create(w->desc);
    w->blob.data[w->blob.size / 2] ^= 1;
    expect_refused_unseen(
            dnnl_cache_blob_corrupt, w->desc, w->blob.data, w->blob.size);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* A blob filed under the wrong name: intact, but of something else. */
static void expect_stale_for(
        const char *source, const char *options, const char *why)
{
    struct warm w;
    struct log_capture log;
    warm_open(&w);
    dnnl_cache_program_desc_t other = describe(w.rig.engine, source, options);
    log_capture_start(&log);
    expect_refused_unseen(
            dnnl_cache_blob_stale, other, w.blob.data, w.blob.size);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, why));
    EXPECT_EQ(0, log_capture_count(&log, dnnl_cache_log_warning));
    log_capture_stop(&log);
    expect_compiles(other);
    EXPECT_OK(dnnl_cache_program_desc_destroy(other));
    warm_close(&w);
}

TEST_C(ProgramBlob, OfAnotherSourceIsStale)
{
    expect_stale_for("__kernel void scale(__global float *x, float a) {}",
            "-DA=1", "source");
}

TEST_C(ProgramBlob, OfOtherOptionsIsStale)
{
    expect_stale_for(scale_source, "-DA=2", "build_options");
}

TEST_WARM(ProgramBlob, OfAnotherDriverIsStale)
{
    struct log_capture log;
    struct bytes other = blob_with_other_field(&w->blob, id_driver_version);
    log_capture_start(&log);
    expect_refused_unseen(
            dnnl_cache_blob_stale, w->desc, other.data, other.size);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "driver_version"));
    log_capture_stop(&log);
    bytes_free(&other);
}

TEST_WARM(ProgramBlob, OfAnotherKindIsStale)
{
    struct bytes engines = engine_blob(w->rig.engine);
    expect_refused_unseen(
            dnnl_cache_blob_stale, w->desc, engines.data, engines.size);
    bytes_free(&engines);
}

/* A well-formed blob may claim to be this program and hold another one. */
TEST_WARM(ProgramBlob, WithAProgramOfAnotherIdIsRefused)
{
    struct blob_edit edit;
    dnnl_cache_program_t program = NULL;
    blob_edit_open(&edit, &w->blob);
    struct bytes inner = bytes_copy(edit.id.data, edit.id.size);
    edit.programs[0].id = inner.data;
    inner.data[inner.size - 1] ^= 1;
    struct bytes forged = blob_edit_write(&edit);
    expect_refused_unseen(
            dnnl_cache_blob_stale, w->desc, forged.data, forged.size);
    /* Nor beside the program in memory. */
    program = create(w->desc);
    expect_refused_unseen(
            dnnl_cache_blob_stale, w->desc, forged.data, forged.size);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&forged);
    bytes_free(&inner);
    blob_edit_close(&edit);
}

TEST_WARM(ProgramBlob, CountsAsRejectedInTheStatistics)
{
    dnnl_cache_statistics_t before = DNNL_CACHE_STATISTICS_INIT;
    dnnl_cache_statistics_t after = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&before));
    expect_refused_unseen(
            dnnl_cache_blob_corrupt, w->desc, w->blob.data, w->blob.size - 1);
    EXPECT_OK(dnnl_cache_get_statistics(&after));
    EXPECT_EQ(before.blobs_rejected + 1, after.blobs_rejected);
}

/* ---- Binaries the driver refuses ----------------------------------------- */

/* What device 5 makes of the same program. */
static struct bytes blob_of_another_device(void)
{
    cl_device_id device = rig_device(5);
    cl_int error;
    dnnl_engine_t engine = NULL;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    EXPECT_OK(dnnl_ocl_interop_engine_create(&engine, device, context));
    dnnl_cache_program_t program = build(engine, scale_source, "-DA=1");
    struct bytes blob = program_blob(program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(engine));
    clReleaseContext(context);
    return blob;
}

/* The binary of another device: whole, but not for this one. */
static struct bytes foreign_blob(const struct warm *w)
{
    struct blob_edit edit;
    struct bytes theirs = blob_of_another_device();
    blob_edit_open(&edit, &theirs);
    struct bytes forged = blob_with_binary(
            &w->blob, edit.programs[0].binary, edit.programs[0].binary_size);
    blob_edit_close(&edit);
    bytes_free(&theirs);
    return forged;
}

/* It is the ID that refuses, before the driver is asked, which would take the
 * binary: forged under the right ID it is loaded. */
TEST_C(ProgramBlob, OfAnotherDeviceIsStaleThoughTheDriverTakesIt)
{
    struct warm w;
    dnnl_cache_program_t program = NULL;
    fake_opencl_set("DEVICES", "6");
    fake_opencl_set("DEVICE_NAME_5", "Another");
    fake_opencl_set("TAKES_FOREIGN", "1");
    warm_open(&w);
    struct bytes theirs = blob_of_another_device();
    struct bytes forged = foreign_blob(&w);
    expect_refused_unseen(
            dnnl_cache_blob_stale, w.desc, theirs.data, theirs.size);
    EXPECT_OK(dnnl_cache_program_create_from_cache_blob(
            &program, w.desc, forged.size, forged.data));
    EXPECT_GT(fake_opencl_binary_bytes_seen(), 0);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&forged);
    bytes_free(&theirs);
    warm_close(&w);
}

TEST_C(ProgramBlob, ThatTheDriverRefusesIsStaleAndTheProgramCompiles)
{
    struct warm w;
    struct log_capture log;
    dnnl_cache_program_t program = NULL;
    fake_opencl_set("DEVICES", "6");
    fake_opencl_set("DEVICE_NAME_5", "Another");
    warm_open(&w);
    struct bytes foreign = foreign_blob(&w);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &program, w.desc, foreign.size, foreign.data));
    EXPECT_NULL(program);
    EXPECT_GT(fake_opencl_binary_bytes_seen(), 0);
    EXPECT_TRUE(
            log_capture_has(&log, dnnl_cache_log_info, "CL_INVALID_BINARY"));
    EXPECT_EQ(0, log_capture_count(&log, dnnl_cache_log_error));
    log_capture_stop(&log);
    expect_compiles(w.desc);
    bytes_free(&foreign);
    warm_close(&w);
}

TEST_WARM(ProgramBlob, ThatDoesNotBuildIsStaleAndTheProgramCompiles)
{
    struct log_capture log;
    dnnl_cache_program_t program = NULL;
    log_capture_start(&log);
    fake_opencl_fail("clCreateProgramWithBinary", 1, CL_INVALID_BINARY);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &program, w->desc, w->blob.size, w->blob.data));
    EXPECT_NULL(program);
    log_capture_stop(&log);
    expect_compiles(w->desc);
}

/* Some drivers take no options with a binary. */
TEST_WARM(ProgramBlob, IsLoadedWithoutOptionsIfTheDriverWantsNone)
{
    fake_opencl_fail("clBuildProgram", 1, CL_INVALID_BUILD_OPTIONS);
    dnnl_cache_program_t program = create_from(w->desc, &w->blob);
    expect_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* A lack of memory says nothing about the blob. */
TEST_WARM(ProgramBlob, IsNotStaleIfMemoryRanOut)
{
    struct log_capture log;
    dnnl_cache_program_t program = NULL;
    dnnl_cache_statistics_t before = DNNL_CACHE_STATISTICS_INIT;
    dnnl_cache_statistics_t after = DNNL_CACHE_STATISTICS_INIT;
    log_capture_start(&log);
    EXPECT_OK(dnnl_cache_get_statistics(&before));
    for (unsigned n = 1; n <= 2 && program == NULL; n++) {
        fake_opencl_fail("clCreateProgramWithBinary", n, CL_OUT_OF_HOST_MEMORY);
        dnnl_status_t st = dnnl_cache_program_create_from_cache_blob(
                &program, w->desc, w->blob.size, w->blob.data);
        EXPECT_TRUE(st == dnnl_out_of_memory || st == dnnl_success);
    }
    EXPECT_OK(dnnl_cache_get_statistics(&after));
    EXPECT_EQ(before.blobs_rejected, after.blobs_rejected);
    fake_opencl_fail("clCreateProgramWithBinary", 0, 0);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* ---- Compressed ---------------------------------------------------------- */

/* A source that is worth it. */
static char *long_source(void)
{
    enum { SIZE = 1 << 16 };
    static const char *const line = "/* the same line over and over */\n";
    char *source = malloc(SIZE);
    if (source == NULL) abort();
    source[0] = '\0';
    while (strlen(source) + strlen(line) + strlen(scale_source) + 1 < SIZE)
        strcat(source, line);
    strcat(source, scale_source);
    return source;
}

TEST_C(ProgramBlob, CompressedIsSmallerAndMakesTheSameProgram)
{
    struct warm w;
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    char *source = long_source();
    warm_open_with(&w, source, dnnl_cache_compression_zstd);
    ASSERT_OK(dnnl_cache_blob_inspect(w.blob.size, w.blob.data, &info));
    EXPECT_LT(info.stored_bytes * 2, info.binary_bytes);
    dnnl_cache_program_t program = create_from(w.desc, &w.blob);
    expect_kernel(program, "scale");
    EXPECT_EQ(info.binary_bytes, info_of(program).binary_bytes);
    struct bytes again = program_blob(program);
    EXPECT_BYTES_EQ(w.blob.data, w.blob.size, again.data, again.size);
    bytes_free(&again);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    warm_close(&w);
    free(source);
}

/* The engine's setting is for what it captures; blobs of both forms are
 * read. */
TEST_C(ProgramBlob, OfEitherFormIsReadByEveryEngine)
{
    struct warm w;
    char *source = long_source();
    warm_open_with(&w, source, dnnl_cache_compression_zstd);
    struct bytes compressed = bytes_copy(w.blob.data, w.blob.size);
    warm_close(&w);
    warm_open_with(&w, source, dnnl_cache_compression_none);
    EXPECT_LT(compressed.size, w.blob.size);
    dnnl_cache_program_t program = create_from(w.desc, &compressed);
    expect_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    forget(&w.rig);
    EXPECT_OK(dnnl_cache_program_desc_destroy(w.desc));
    EXPECT_OK(dnnl_cache_engine_set_blob_compression(
            w.rig.engine, dnnl_cache_compression_zstd));
    w.desc = describe(w.rig.engine, source, "-DA=1");
    program = create_from(w.desc, &w.blob);
    struct bytes again = program_blob(program);
    EXPECT_TRUE(bytes_equal(&w.blob, &again));
    bytes_free(&again);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&compressed);
    warm_close(&w);
    free(source);
}

/* A blob with another compressed binary: data as given, of that raw size. */
static struct bytes with_frame(const struct bytes *blob, const uint8_t *frame,
        size_t size, uint64_t raw_size)
{
    struct blob_edit edit;
    blob_edit_open(&edit, blob);
    edit.programs[0].binary = frame;
    edit.programs[0].binary_size = size;
    edit.programs[0].raw_size = raw_size;
    edit.programs[0].codec = blob_codec_zstd;
    struct bytes made = blob_edit_write(&edit);
    blob_edit_close(&edit);
    return made;
}

TEST_C(ProgramBlob, WhoseFrameDoesNotDecodeIsCorrupt)
{
    struct warm w;
    struct blob_edit edit;
    char *source = long_source();
    warm_open_with(&w, source, dnnl_cache_compression_zstd);
    blob_edit_open(&edit, &w.blob);
    const struct blob_program *good = &edit.programs[0];
    struct bytes frame = bytes_copy(good->binary, good->binary_size);
    frame.data[0] ^= 0x55;
    const struct bytes forged[] = {
            with_frame(&w.blob, frame.data, frame.size, good->raw_size),
            with_frame(&w.blob, good->binary, good->binary_size - 1,
                    good->raw_size),
            with_frame(&w.blob, good->binary, good->binary_size,
                    good->raw_size - 1),
            with_frame(&w.blob, good->binary, good->binary_size,
                    good->raw_size + 1),
            with_frame(&w.blob, good->binary, good->binary_size, 1u << 30),
            with_frame(&w.blob, (const uint8_t *)"no frame", 8, 8)};
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        struct bytes blob = forged[i];
        expect_refused_unseen(
                dnnl_cache_blob_corrupt, w.desc, blob.data, blob.size);
        bytes_free(&blob);
    }
    expect_compiles(w.desc);
    bytes_free(&frame);
    blob_edit_close(&edit);
    warm_close(&w);
    free(source);
}

/* ---- With the program in memory ------------------------------------------ */

/* Another process's blob of the same program need not have the same bytes. */
TEST_WARM(ProgramBlob, KeepsItsBytesBesideAProgramInMemory)
{
    struct bytes other = blob_with_log(&w->blob, "compiled elsewhere");
    dnnl_cache_program_t first = create_from(w->desc, &w->blob);
    dnnl_cache_program_t second = create_from(w->desc, &other);
    EXPECT_EQ(1, fake_opencl_binary_builds());
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(second).origin);
    struct bytes blob_of_first = program_blob(first);
    struct bytes blob_of_second = program_blob(second);
    EXPECT_TRUE(bytes_equal(&w->blob, &blob_of_first));
    EXPECT_TRUE(bytes_equal(&other, &blob_of_second));
    bytes_free(&blob_of_first);
    bytes_free(&blob_of_second);
    bytes_free(&other);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

/* The program in memory was compiled and not captured yet. */
TEST_WARM(ProgramBlob, KeepsItsBytesBesideAProgramNotCaptured)
{
    struct bytes other = blob_with_log(&w->blob, "compiled elsewhere");
    dnnl_cache_program_t first = create(w->desc);
    dnnl_cache_program_t second = create_from(w->desc, &other);
    struct bytes blob_of_second = program_blob(second);
    struct bytes blob_of_first = program_blob(first);
    EXPECT_TRUE(bytes_equal(&w->blob, &blob_of_first));
    EXPECT_TRUE(bytes_equal(&other, &blob_of_second));
    bytes_free(&blob_of_first);
    bytes_free(&blob_of_second);
    bytes_free(&other);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

TEST_WARM(ProgramBlob, MakesTheProgramThatLaterOnesShare)
{
    unsigned long builds = fake_opencl_source_builds();
    dnnl_cache_program_t first = create_from(w->desc, &w->blob);
    dnnl_cache_program_t second = create(w->desc);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(second).origin);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

/* ---- Drivers that compile kernels when they are created ------------------ */

static size_t kernels_created_by_a_blob(const char *platform, unsigned failing)
{
    struct rig rig;
    size_t size = 0;
    rig_open(&rig, 0);
    dnnl_cache_program_t program = build(rig.engine, scale_source, "-DA=1");
    fake_opencl_set("PLATFORM_NAME", platform);
    const unsigned long before = fake_opencl_count("clCreateKernel");
    if (failing > 0) fake_opencl_fail("clGetProgramInfo", failing, 0);
    EXPECT_EQ(failing == 0,
            dnnl_cache_program_get_cache_blob(program, &size, NULL)
                    == dnnl_success);
    const unsigned long after = fake_opencl_count("clCreateKernel");
    /* They are compiled once. */
    EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &size, NULL));
    EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &size, NULL));
    if (failing == 0) EXPECT_EQ(after, fake_opencl_count("clCreateKernel"));
    fake_opencl_set("PLATFORM_NAME", NULL);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    rig_close(&rig);
    return after - before;
}

TEST_C(ProgramBlob, IsCapturedAfterKernelsThatAreCompiledWhenCreated)
{
    EXPECT_EQ(0, kernels_created_by_a_blob("Fake OpenCL", 0));
    EXPECT_EQ(2, kernels_created_by_a_blob("ARM Platform", 0));
    /* The third query, which fails, is the first that leads to the binary. */
    EXPECT_EQ(2, kernels_created_by_a_blob("ARM Platform", 3));
}
