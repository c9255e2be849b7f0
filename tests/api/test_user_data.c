/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of the application's own in the blobs of its programs. */
#include "blob_edit.h"
#include "log_capture.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* With a NUL inside: they are bytes. */
static const char facts[] = "what\0the application knows";
static const char others[] = "something else";

static dnnl_status_t query_user_data(void *object, size_t *size, uint8_t *out)
{
    return dnnl_cache_program_get_user_data(object, size, out);
}

static void put(dnnl_cache_program_t program, const void *data, size_t size)
{
    EXPECT_OK(dnnl_cache_program_set_user_data(program, size, data));
}

/* Nobody has a store here, for which alone a program can be captured. */
static dnnl_status_t capture(dnnl_cache_program_t program)
{
    size_t size;
    return dnnl_cache_program_get_cache_blob(program, &size, NULL);
}

static void expect_user_data(
        dnnl_cache_program_t program, const void *data, size_t size)
{
    struct bytes got = query_bytes(query_user_data, program);
    EXPECT_BYTES_EQ(data, size, got.data, got.size);
    bytes_free(&got);
}

static void expect_refused(dnnl_status_t status, dnnl_cache_program_t program)
{
    EXPECT_STATUS(status,
            dnnl_cache_program_set_user_data(program, sizeof others, others));
}

/* Drops the engine and with it the programs it keeps in memory. */
static void forget(struct rig *rig)
{
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
}

/* The blob of a program with user data, which nothing in memory has. */
static struct bytes make_blob(struct rig *rig, const void *data, size_t size)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    put(program, data, size);
    struct bytes blob = program_blob(program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    forget(rig);
    return blob;
}

/* ---- Into the blob and out of it ----------------------------------------- */

TEST_RIG(UserData, FollowTheRuleOfSizes)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    put(program, facts, sizeof facts);
    expect_size_query(query_user_data, program);
    EXPECT_OK(dnnl_cache_program_capture(program));
    expect_size_query(query_user_data, program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(UserData, AreInTheBlob)
{
    dnnl_cache_blob_info_t without = DNNL_CACHE_BLOB_INFO_INIT;
    dnnl_cache_blob_info_t with = DNNL_CACHE_BLOB_INFO_INIT;
    struct bytes plain = make_blob(rig, NULL, 0);
    struct bytes blob = make_blob(rig, facts, sizeof facts);
    ASSERT_OK(dnnl_cache_blob_inspect(plain.size, plain.data, &without));
    ASSERT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &with));
    EXPECT_NULL(without.user_data);
    EXPECT_EQ(0, without.user_data_size);
    EXPECT_BYTES_EQ(facts, sizeof facts, with.user_data, with.user_data_size);
    const size_t at = (size_t)(with.user_data - blob.data);
    EXPECT_LT(at, blob.size);
    EXPECT_EQ(0, at % 8);
    EXPECT_EQ(without.section_count + 1, with.section_count);
    EXPECT_BYTES_EQ(without.id, without.id_size, with.id, with.id_size);
    EXPECT_EQ(without.binary_bytes, with.binary_bytes);
    bytes_free(&plain);
    bytes_free(&blob);
}

TEST_RIG(UserData, ComeBackFromTheBlob)
{
    struct bytes blob = make_blob(rig, facts, sizeof facts);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t program = create_from(desc, &blob);
    EXPECT_EQ(1, fake_opencl_source_builds());
    expect_user_data(program, facts, sizeof facts);
    expect_kernel(program, "scale");
    struct bytes again = program_blob(program);
    EXPECT_TRUE(bytes_equal(&blob, &again));
    bytes_free(&again);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(UserData, AreTheLastThatWereSet)
{
    struct bytes plain = make_blob(rig, NULL, 0);
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    expect_user_data(program, NULL, 0);
    put(program, others, sizeof others);
    put(program, facts, sizeof facts);
    expect_user_data(program, facts, sizeof facts);
    put(program, others, 0);
    expect_user_data(program, NULL, 0);
    struct bytes blob = program_blob(program);
    EXPECT_TRUE(bytes_equal(&plain, &blob));
    bytes_free(&plain);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(UserData, AreAsManyAsThereMayBe)
{
    const size_t most = DNNL_CACHE_MAX_USER_DATA_SIZE;
    uint8_t *data = malloc(most);
    ASSERT_NOT_NULL(data);
    memset(data, 0x5a, most);
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_set_user_data(program, most + 1, data));
    expect_user_data(program, NULL, 0);
    put(program, data, most);
    struct bytes blob = program_blob(program);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    ASSERT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &info));
    EXPECT_BYTES_EQ(data, most, info.user_data, info.user_data_size);
    bytes_free(&blob);
    free(data);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(UserData, StandBesideACompressedBinary)
{
    EXPECT_OK(dnnl_cache_engine_set_blob_compression(
            rig->engine, dnnl_cache_compression_zstd));
    struct bytes blob = make_blob(rig, facts, sizeof facts);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t program = create_from(desc, &blob);
    expect_user_data(program, facts, sizeof facts);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(UserData, OfAnAdoptedProgramAreInItsBlob)
{
    cl_int error;
    dnnl_cache_program_t program = NULL;
    struct bytes blob = make_blob(rig, facts, sizeof facts);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    cl_program object = clCreateProgramWithSource(rig->context, 1,
            (const char **)(uintptr_t)&scale_source, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(object, 0, NULL, "", NULL, NULL));
    ASSERT_OK(dnnl_cache_program_adopt(&program, desc, object));
    put(program, facts, sizeof facts);
    struct bytes adopted = program_blob(program);
    EXPECT_TRUE(bytes_equal(&blob, &adopted));
    bytes_free(&adopted);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
}

/* ---- When they are fixed ------------------------------------------------- */

TEST_RIG(UserData, AreFixedByTheCapture)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    put(program, facts, sizeof facts);
    struct bytes before = program_blob(program);
    expect_refused(dnnl_invalid_arguments, program);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_set_user_data(program, 0, NULL));
    expect_user_data(program, facts, sizeof facts);
    struct bytes after = program_blob(program);
    EXPECT_TRUE(bytes_equal(&before, &after));
    bytes_free(&before);
    bytes_free(&after);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* A capture that failed has fixed nothing. */
TEST_RIG(UserData, MayBeSetAfterACaptureThatFailed)
{
    struct log_capture log;
    log_capture_start(&log);
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    put(program, others, sizeof others);
    fake_opencl_fail("clGetProgramInfo", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_STATUS(dnnl_out_of_memory, capture(program));
    put(program, facts, sizeof facts);
    EXPECT_OK(capture(program));
    expect_user_data(program, facts, sizeof facts);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    log_capture_stop(&log);
}

TEST_RIG(UserData, OfABlobStayThatBlobs)
{
    const struct bytes blobs[] = {
            make_blob(rig, NULL, 0), make_blob(rig, facts, sizeof facts)};
    for (size_t i = 0; i < 2; i++) {
        struct bytes blob = blobs[i];
        dnnl_cache_program_desc_t desc =
                describe(rig->engine, scale_source, NULL);
        dnnl_cache_program_t program = create_from(desc, &blob);
        expect_refused(dnnl_invalid_arguments, program);
        struct bytes again = program_blob(program);
        EXPECT_TRUE(bytes_equal(&blob, &again));
        bytes_free(&again);
        bytes_free(&blob);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        forget(rig);
    }
}

TEST_RIG(UserData, NeedAProgramThatWillHaveABlob)
{
    struct log_capture log;
    log_capture_start(&log);
    dnnl_cache_program_t program = build(rig->engine,
            "#if 0\n#include \"a.h\"\n#endif\n__kernel void k(void) {}", NULL);
    expect_refused(dnnl_unimplemented, program);
    expect_user_data(program, NULL, 0);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    log_capture_stop(&log);
}

/* What the callback of a log finds that is called while the driver fails. */
struct nested {
    dnnl_cache_program_t program;
    unsigned calls;
};

static void ask_within_capture(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct nested *nested = user;
    size_t size = 77;
    (void)level;
    (void)text;
    nested->calls++;
    expect_refused(dnnl_runtime_error, nested->program);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_program_get_user_data(nested->program, &size, NULL));
    EXPECT_EQ(77, size);
}

TEST_RIG(UserData, CannotBeHadWithinTheCapture)
{
    struct nested nested = {build(rig->engine, scale_source, NULL), 0};
    put(nested.program, facts, sizeof facts);
    fake_opencl_fail("clGetProgramInfo", 1, CL_INVALID_OPERATION);
    EXPECT_OK(dnnl_cache_set_log_callback(ask_within_capture, &nested));
    EXPECT_STATUS(dnnl_runtime_error, capture(nested.program));
    EXPECT_OK(dnnl_cache_set_log_callback(NULL, NULL));
    EXPECT_GT(nested.calls, 0);
    expect_user_data(nested.program, facts, sizeof facts);
    EXPECT_OK(dnnl_cache_program_destroy(nested.program));
}

/* ---- Programs that are shared -------------------------------------------- */

TEST_RIG(UserData, AreSharedByHandlesOfOneProgram)
{
    dnnl_cache_program_t first = build(rig->engine, scale_source, NULL);
    dnnl_cache_program_t second = build(rig->engine, scale_source, NULL);
    put(first, others, sizeof others);
    expect_user_data(second, others, sizeof others);
    put(second, facts, sizeof facts);
    struct bytes blob_of_first = program_blob(first);
    struct bytes blob_of_second = program_blob(second);
    EXPECT_TRUE(bytes_equal(&blob_of_first, &blob_of_second));
    expect_user_data(first, facts, sizeof facts);
    bytes_free(&blob_of_first);
    bytes_free(&blob_of_second);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

/* A blob with other user data beside a program in memory keeps its own. */
static void expect_own_beside_memory(bool is_captured)
{
    struct rig rig;
    rig_open(&rig, 0);
    struct bytes blob = make_blob(&rig, facts, sizeof facts);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_t first = create(desc);
    put(first, others, sizeof others);
    if (is_captured) EXPECT_OK(dnnl_cache_program_capture(first));
    dnnl_cache_program_t second = create_from(desc, &blob);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(second).origin);
    expect_user_data(second, facts, sizeof facts);
    expect_size_query(query_user_data, second);
    expect_refused(dnnl_invalid_arguments, second);
    struct bytes again = program_blob(second);
    EXPECT_TRUE(bytes_equal(&blob, &again));
    expect_user_data(first, others, sizeof others);
    bytes_free(&again);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(UserData, OfABlobStandBesideThoseInMemory)
{
    expect_own_beside_memory(true);
}

TEST_C(UserData, OfABlobStandBesideThoseNotCaptured)
{
    expect_own_beside_memory(false);
}

TEST_C(UserData, GoIntoTheStoreAndComeBack)
{
    struct rig rig;
    struct memory_store store;
    rig_open(&rig, 0);
    memory_store_open(&store);
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, &store.callbacks));
    dnnl_cache_program_t program = build(rig.engine, scale_source, NULL);
    put(program, facts, sizeof facts);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_EQ(1, memory_store_count(&store, dnnl_cache_blob_kind_program));

    forget(&rig);
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, &store.callbacks));
    program = build(rig.engine, scale_source, NULL);
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    expect_user_data(program, facts, sizeof facts);
    expect_refused(dnnl_invalid_arguments, program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, NULL));
    rig_close(&rig);
    memory_store_close(&store);
}

/* ---- Threads ------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 50 };

/* Sets all bytes to the number of its round until it is too late; whatever it
 * reads is of one round, and a captured one's does not change. */
static void *set_and_read(void *user)
{
    dnnl_cache_program_t program = user;
    uint8_t data[64];
    for (int round = 1; round <= ROUNDS; round++) {
        size_t size = sizeof data;
        memset(data, round, sizeof data);
        dnnl_status_t st =
                dnnl_cache_program_set_user_data(program, sizeof data, data);
        EXPECT_TRUE(st == dnnl_success || st == dnnl_invalid_arguments);
        EXPECT_OK(dnnl_cache_program_get_user_data(program, &size, data));
        EXPECT_EQ(sizeof data, size);
        for (size_t i = 1; i < size; i++)
            EXPECT_EQ(data[0], data[i]);
        if (round == ROUNDS / 2) EXPECT_OK(dnnl_cache_program_capture(program));
    }
    return NULL;
}

TEST_C(UserData, OfManyThreadsAreNeverMixed)
{
    struct rig rig;
    pthread_t threads[THREADS];
    rig_open(&rig, 0);
    dnnl_cache_program_t program = build(rig.engine, scale_source, NULL);
    for (int i = 0; i < THREADS; i++)
        ASSERT_EQ(0, pthread_create(&threads[i], NULL, set_and_read, program));
    for (int i = 0; i < THREADS; i++)
        ASSERT_EQ(0, pthread_join(threads[i], NULL));
    struct bytes blob = program_blob(program);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    EXPECT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &info));
    expect_user_data(program, info.user_data, info.user_data_size);
    EXPECT_EQ(64, info.user_data_size);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    rig_close(&rig);
}
