/* SPDX-License-Identifier: Apache-2.0 */
/* Cache blob IDs and blobs of primitives. */
#include "blob_edit.h"
#include "log_capture.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A rig with a descriptor and its blob, and nothing of it in memory. */
struct warm {
    struct rig rig;
    dnnl_primitive_desc_t pd;
    struct bytes blob;
};

static void warm_open(struct warm *w)
{
    dnnl_primitive_t cold = NULL;
    rig_open(&w->rig, 0);
    w->pd = relu_desc(w->rig.engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_create(&cold, w->pd));
    w->blob = primitive_blob(cold);
    EXPECT_OK(dnnl_primitive_destroy(cold));
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(w->rig.engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &w->rig.engine, w->rig.device, w->rig.context));
    w->pd = relu_desc(w->rig.engine, 16, 0.0f);
}

static void warm_close(struct warm *w)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    bytes_free(&w->blob);
    rig_close(&w->rig);
}

#define TEST_WARM(suite, name) \
    TEST_WITH(suite, name, struct warm, w, warm_open(w), warm_close(w))

static dnnl_primitive_t from_blob(
        dnnl_primitive_desc_t pd, const struct bytes *blob)
{
    dnnl_primitive_t primitive = NULL;
    EXPECT_OK(dnnl_primitive_create_from_cache_blob(
            &primitive, pd, blob->size, blob->data));
    return primitive;
}

/* ---- IDs ----------------------------------------------------------------- */

TEST_RIG(PrimitiveId, FollowsTheRuleOfSizes)
{
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    expect_size_query(query_primitive_id, pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* oneDNN's two queries: a size, and bytes that the descriptor owns. */
TEST_RIG(PrimitiveId, IsWhatTheQueriesGive)
{
    dnnl_dim_t size = 0;
    const uint8_t *bytes = NULL;
    const uint8_t *again = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_cache_blob_id_size_s64, 0, &size));
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &bytes));
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &again));
    EXPECT_PTR_EQ(bytes, again);
    struct bytes id = primitive_id(pd);
    EXPECT_BYTES_EQ(id.data, id.size, bytes, (size_t)size);
    bytes_free(&id);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

TEST_RIG(PrimitiveId, BuildsTheProbeAndNothingElse)
{
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    struct bytes id = primitive_id(pd);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_EQ(1, fake_opencl_count("clCreateProgramWithSource"));
    bytes_free(&id);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

TEST_RIG(PrimitiveId, BuildsNothingOnAnEngineFromABlob)
{
    dnnl_engine_t warm = NULL;
    struct bytes blob = engine_blob(rig->engine);
    unsigned long builds = fake_opencl_source_builds();
    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &warm, rig->device, rig->context, blob.size, blob.data));
    dnnl_primitive_desc_t pd = relu_desc(warm, 16, 0.0f);
    struct bytes id = primitive_id(pd);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    bytes_free(&id);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&blob);
}

/* A cold engine and one from a blob give the same IDs. */
TEST_RIG(PrimitiveId, IsTheSameColdAndWarm)
{
    dnnl_engine_t warm = NULL;
    struct bytes blob = engine_blob(rig->engine);
    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &warm, rig->device, rig->context, blob.size, blob.data));
    dnnl_primitive_desc_t cold_pd = relu_desc(rig->engine, 16, 0.0f);
    dnnl_primitive_desc_t warm_pd = relu_desc(warm, 16, 0.0f);
    struct bytes cold_id = primitive_id(cold_pd);
    struct bytes warm_id = primitive_id(warm_pd);
    EXPECT_TRUE(bytes_equal(&cold_id, &warm_id));
    bytes_free(&cold_id);
    bytes_free(&warm_id);
    EXPECT_OK(dnnl_primitive_desc_destroy(cold_pd));
    EXPECT_OK(dnnl_primitive_desc_destroy(warm_pd));
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&blob);
}

TEST_C(PrimitiveId, IsEmptyOnAnUnidentifiedDevice)
{
    struct rig rig;
    struct log_capture log;
    dnnl_dim_t size = 77;
    const uint8_t *bytes = (const uint8_t *)&rig;
    dnnl_primitive_t primitive = NULL;
    rig_open_unidentified(&rig);
    log_capture_start(&log);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_cache_blob_id_size_s64, 0, &size));
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &bytes));
    EXPECT_EQ(0, size);
    EXPECT_NULL(bytes);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    struct bytes blob = primitive_blob(primitive);
    EXPECT_EQ(0, blob.size);
    EXPECT_OK(run_relu(rig.engine, primitive, 16));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

/* ---- Blobs --------------------------------------------------------------- */

TEST_WARM(PrimitiveBlob, FollowsTheRuleOfSizes)
{
    dnnl_primitive_t primitive = from_blob(w->pd, &w->blob);
    expect_size_query(query_primitive_blob, primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

TEST_WARM(PrimitiveBlob, HasNothingOfTheSource)
{
    blob_expect_no_source(&w->blob);
}

TEST_WARM(PrimitiveBlob, IsOneProgramAndOneKernelUnderTheId)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct bytes id = primitive_id(w->pd);
    ASSERT_OK(dnnl_cache_blob_inspect(w->blob.size, w->blob.data, &info));
    EXPECT_EQ(dnnl_cache_blob_kind_primitive, info.kind);
    EXPECT_EQ(1, info.program_count);
    EXPECT_EQ(1, info.kernel_count);
    EXPECT_BYTES_EQ(id.data, id.size, info.id, info.id_size);
    bytes_free(&id);
}

TEST_WARM(PrimitiveBlob, PrimitiveFromItCompilesNothing)
{
    unsigned long builds = fake_opencl_source_builds();
    dnnl_primitive_t primitive = from_blob(w->pd, &w->blob);
    EXPECT_OK(run_relu(w->rig.engine, primitive, 16));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(1, fake_opencl_binary_builds());
    EXPECT_EQ(dnnl_cache_origin_blob, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

TEST_WARM(PrimitiveBlob, OfAPrimitiveFromItIsTheSame)
{
    dnnl_primitive_t primitive = from_blob(w->pd, &w->blob);
    struct bytes again = primitive_blob(primitive);
    EXPECT_BYTES_EQ(w->blob.data, w->blob.size, again.data, again.size);
    bytes_free(&again);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

TEST_WARM(PrimitiveBlob, OfAPrimitiveFromItWithoutTheCacheIsTheSame)
{
    EXPECT_OK(dnnl_set_primitive_cache_capacity(0));
    for (int i = 0; i < 2; i++) {
        dnnl_primitive_t primitive = from_blob(w->pd, &w->blob);
        struct bytes again = primitive_blob(primitive);
        EXPECT_TRUE(bytes_equal(&w->blob, &again));
        bytes_free(&again);
        EXPECT_OK(dnnl_primitive_destroy(primitive));
    }
}

/* Two primitives of one program: the program in memory serves both, and each
 * blob stays what it was. */
TEST_WARM(PrimitiveBlob, SharesTheProgramWithOtherShapes)
{
    dnnl_primitive_t cold = NULL;
    dnnl_primitive_desc_t other = relu_desc(w->rig.engine, 64, 0.0f);
    dnnl_primitive_t first = from_blob(w->pd, &w->blob);
    unsigned long builds = fake_opencl_source_builds();
    ASSERT_OK(dnnl_primitive_create(&cold, other));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    struct bytes blob = primitive_blob(cold);
    EXPECT_FALSE(bytes_equal(&blob, &w->blob));
    dnnl_primitive_t second = from_blob(other, &blob);
    struct bytes again = primitive_blob(second);
    EXPECT_TRUE(bytes_equal(&blob, &again));
    bytes_free(&again);
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(dnnl_primitive_destroy(cold));
    EXPECT_OK(dnnl_primitive_destroy(second));
    EXPECT_OK(dnnl_primitive_desc_destroy(other));
}

TEST_WARM(PrimitiveBlob, KeepsItsBytesBesideAPrimitiveInMemory)
{
    dnnl_primitive_t cold = NULL;
    struct bytes other = blob_with_log(&w->blob, "compiled elsewhere");
    ASSERT_OK(dnnl_primitive_create(&cold, w->pd));
    dnnl_primitive_t warm = from_blob(w->pd, &other);
    struct bytes blob_of_warm = primitive_blob(warm);
    struct bytes blob_of_cold = primitive_blob(cold);
    EXPECT_TRUE(bytes_equal(&other, &blob_of_warm));
    EXPECT_TRUE(bytes_equal(&w->blob, &blob_of_cold));
    bytes_free(&blob_of_warm);
    bytes_free(&blob_of_cold);
    bytes_free(&other);
    EXPECT_OK(dnnl_primitive_destroy(cold));
    EXPECT_OK(dnnl_primitive_destroy(warm));
}

TEST_WARM(PrimitiveBlob, IsTheSameCapturedTwice)
{
    dnnl_primitive_t primitive = NULL;
    ASSERT_OK(dnnl_primitive_create(&primitive, w->pd));
    struct bytes first = primitive_blob(primitive);
    unsigned long calls = fake_opencl_total_calls();
    struct bytes second = primitive_blob(primitive);
    EXPECT_EQ(calls, fake_opencl_total_calls());
    EXPECT_TRUE(bytes_equal(&first, &second));
    EXPECT_TRUE(bytes_equal(&first, &w->blob));
    bytes_free(&first);
    bytes_free(&second);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

TEST_WARM(PrimitiveBlob, DescriptorMayGoFirst)
{
    dnnl_primitive_t primitive = from_blob(w->pd, &w->blob);
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    w->pd = NULL;
    struct bytes again = primitive_blob(primitive);
    EXPECT_TRUE(bytes_equal(&w->blob, &again));
    EXPECT_OK(run_relu(w->rig.engine, primitive, 16));
    bytes_free(&again);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

TEST_WARM(PrimitiveBlob, IsToldInTheCreationInfo)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    dnnl_cache_blob_info_t blob_info = DNNL_CACHE_BLOB_INFO_INIT;
    fake_opencl_set("BINARY_MS", "5");
    dnnl_primitive_t primitive = from_blob(w->pd, &w->blob);
    EXPECT_OK(dnnl_cache_primitive_get_creation_info(primitive, &info));
    ASSERT_OK(dnnl_cache_blob_inspect(w->blob.size, w->blob.data, &blob_info));
    EXPECT_EQ(dnnl_cache_origin_blob, info.origin);
    EXPECT_EQ(w->blob.size, info.blob_bytes);
    EXPECT_EQ(blob_info.binary_bytes, info.binary_bytes);
    EXPECT_GE(info.driver_ns, 5000000);
    EXPECT_GE(info.total_ns, info.driver_ns);
    EXPECT_STR_EQ("", info.blob_reason);
    EXPECT_STR_EQ("", info.not_cacheable_reason);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

/* The three steps of a warm start, engine included. */
TEST_WARM(PrimitiveBlob, ServesAWholeWarmStart)
{
    dnnl_engine_t engine = NULL;
    struct bytes facts = engine_blob(w->rig.engine);
    struct bytes id = primitive_id(w->pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    EXPECT_OK(dnnl_engine_destroy(w->rig.engine));
    w->rig.engine = NULL;
    fake_opencl_reset();

    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &engine, w->rig.device, w->rig.context, facts.size, facts.data));
    w->pd = relu_desc(engine, 16, 0.0f);
    struct bytes same_id = primitive_id(w->pd);
    EXPECT_TRUE(bytes_equal(&id, &same_id));
    dnnl_primitive_t primitive = from_blob(w->pd, &w->blob);
    EXPECT_OK(run_relu(engine, primitive, 16));
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_engine_destroy(engine));
    bytes_free(&id);
    bytes_free(&same_id);
    bytes_free(&facts);
}

/* ---- Refusals ------------------------------------------------------------ */

/* Creation from the bytes fails so; nothing reaches the driver. */
static void expect_refused_unseen(dnnl_status_t status,
        const_dnnl_primitive_desc_t pd, const void *data, size_t size)
{
    dnnl_primitive_t primitive = (dnnl_primitive_t)&status;
    unsigned long seen = fake_opencl_binary_bytes_seen();
    EXPECT_STATUS(status,
            dnnl_primitive_create_from_cache_blob(&primitive, pd, size, data));
    EXPECT_PTR_EQ(&status, primitive);
    EXPECT_EQ(seen, fake_opencl_binary_bytes_seen());
}

TEST_WARM(PrimitiveBlob, TruncatedAnywhereNeverReachesTheDriver)
{
    for (size_t size = 1; size < w->blob.size; size++) {
        /* Of exactly that size, for the address sanitizer. */
        struct bytes cut = bytes_copy(w->blob.data, size);
        expect_refused_unseen(
                dnnl_cache_blob_corrupt, w->pd, cut.data, cut.size);
        bytes_free(&cut);
    }
}

/* Every bit of the header, then one of each byte. */
static size_t bit_step(size_t bit)
{
    return bit < 8 * 48 ? 1 : 9;
}

TEST_WARM(PrimitiveBlob, WithAFlippedBitNeverReachesTheDriver)
{
    dnnl_primitive_t primitive = NULL;
    for (size_t bit = 0; bit < 8 * w->blob.size; bit += bit_step(bit)) {
        w->blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        dnnl_status_t st = dnnl_primitive_create_from_cache_blob(
                &primitive, w->pd, w->blob.size, w->blob.data);
        bool is_version = bit / 8 >= 8 && bit / 8 < 12;
        EXPECT_TRUE(st == dnnl_cache_blob_corrupt
                    || (is_version && st == dnnl_cache_blob_unsupported));
        EXPECT_NULL(primitive);
        w->blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    EXPECT_EQ(0, fake_opencl_binary_bytes_seen());
}

/* The blob of w for another descriptor, which is destroyed. */
static void expect_stale_for(
        struct warm *w, dnnl_primitive_desc_t pd, const char *why)
{
    struct log_capture log;
    log_capture_start(&log);
    expect_refused_unseen(
            dnnl_cache_blob_stale, pd, w->blob.data, w->blob.size);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, why));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* The same program, other numbers: upstream computes with the wrong ones. */
TEST_WARM(PrimitiveBlob, OfAnotherShapeIsStale)
{
    expect_stale_for(w, relu_desc(w->rig.engine, 17, 0.0f), "memory_desc");
}

TEST_WARM(PrimitiveBlob, OfAnotherParameterIsStale)
{
    expect_stale_for(w, relu_desc(w->rig.engine, 16, 0.5f), "op_desc");
}

TEST_WARM(PrimitiveBlob, OfAnotherKindOfPrimitiveIsStale)
{
    expect_stale_for(w, matmul_desc(w->rig.engine, 16), "primitive_kind");
}

TEST_WARM(PrimitiveBlob, OfOtherFactsIsStale)
{
    struct log_capture log;
    dnnl_engine_t other = NULL;
    struct bytes facts = engine_blob(w->rig.engine);
    struct bytes changed = blob_with_facts(&facts, 32, 128, 1);
    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &other, w->rig.device, w->rig.context, changed.size, changed.data));
    dnnl_primitive_desc_t pd = relu_desc(other, 16, 0.0f);
    log_capture_start(&log);
    expect_refused_unseen(
            dnnl_cache_blob_stale, pd, w->blob.data, w->blob.size);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "engine_facts"));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_engine_destroy(other));
    bytes_free(&facts);
    bytes_free(&changed);
}

TEST_WARM(PrimitiveBlob, OfAnotherKindOfBlobIsStale)
{
    struct bytes facts = engine_blob(w->rig.engine);
    expect_refused_unseen(dnnl_cache_blob_stale, w->pd, facts.data, facts.size);
    bytes_free(&facts);
}

static void expect_field_refused(uint16_t tag, const char *name)
{
    struct warm w;
    struct log_capture log;
    warm_open(&w);
    struct bytes other = blob_with_other_field(&w.blob, tag);
    log_capture_start(&log);
    expect_refused_unseen(dnnl_cache_blob_stale, w.pd, other.data, other.size);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, name));
    log_capture_stop(&log);
    bytes_free(&other);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, OfAnotherLibraryVersionIsStale)
{
    expect_field_refused(id_library_version, "library_version");
}

TEST_C(PrimitiveBlob, OfAnotherDeviceIsStale)
{
    expect_field_refused(id_device_name, "device_name");
}

TEST_C(PrimitiveBlob, OfAnotherDriverIsStale)
{
    expect_field_refused(id_driver_version, "driver_version");
    expect_field_refused(id_driver_components, "driver_components");
}

TEST_C(PrimitiveBlob, OfAnotherImplementationIsStale)
{
    expect_field_refused(id_implementation_name, "implementation_name");
}

/* Forgeries under the right ID: another kernel, another way to launch it,
 * another program. */
TEST_WARM(PrimitiveBlob, WithAnotherKernelIsStale)
{
    struct blob_edit edit;
    blob_edit_open(&edit, &w->blob);
    edit.kernels[0].name = "another";
    edit.kernels[0].name_size = 7;
    struct bytes forged = blob_edit_write(&edit);
    expect_refused_unseen(
            dnnl_cache_blob_stale, w->pd, forged.data, forged.size);
    bytes_free(&forged);
    blob_edit_close(&edit);
}

TEST_WARM(PrimitiveBlob, WithAnotherLaunchIsStale)
{
    static const uint8_t facts[12] = {1};
    struct blob_edit edit;
    blob_edit_open(&edit, &w->blob);
    for (size_t size = 0; size <= sizeof facts; size += 4) {
        edit.kernels[0].facts = facts;
        edit.kernels[0].facts_size = size;
        struct bytes forged = blob_edit_write(&edit);
        expect_refused_unseen(
                dnnl_cache_blob_stale, w->pd, forged.data, forged.size);
        bytes_free(&forged);
    }
    blob_edit_close(&edit);
}

TEST_WARM(PrimitiveBlob, WithAnotherProgramIsStale)
{
    struct blob_edit edit;
    blob_edit_open(&edit, &w->blob);
    struct bytes id = bytes_copy(edit.programs[0].id, edit.programs[0].id_size);
    id.data[id.size - 1] ^= 1;
    edit.programs[0].id = id.data;
    struct bytes forged = blob_edit_write(&edit);
    expect_refused_unseen(
            dnnl_cache_blob_stale, w->pd, forged.data, forged.size);
    bytes_free(&forged);
    bytes_free(&id);
    blob_edit_close(&edit);
}

TEST_WARM(PrimitiveBlob, WithoutAProgramIsCorrupt)
{
    struct blob_edit edit;
    blob_edit_open(&edit, &w->blob);
    edit.contents.kernel_count = 0;
    edit.contents.program_count = 0;
    struct bytes forged = blob_edit_write(&edit);
    expect_refused_unseen(
            dnnl_cache_blob_corrupt, w->pd, forged.data, forged.size);
    bytes_free(&forged);
    blob_edit_close(&edit);
}

/* The driver takes the binary, but it has no such kernel. */
TEST_C(PrimitiveBlob, WhoseBinaryLacksTheKernelIsStale)
{
    static const char *const source = "__kernel void another(void) {}";
    struct warm w;
    struct blob_edit edit;
    struct log_capture log;
    dnnl_cache_program_desc_t desc = NULL;
    dnnl_cache_program_t program = NULL;
    dnnl_primitive_t primitive = (dnnl_primitive_t)&w;
    warm_open(&w);
    ASSERT_OK(dnnl_cache_program_desc_create(
            &desc, w.rig.engine, 1, &source, NULL, NULL));
    ASSERT_OK(dnnl_cache_program_create(&program, desc));
    struct bytes theirs = program_blob(program);
    blob_edit_open(&edit, &theirs);
    struct bytes forged = blob_with_binary(
            &w.blob, edit.programs[0].binary, edit.programs[0].binary_size);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, w.pd, forged.size, forged.data));
    EXPECT_PTR_EQ(&w, primitive);
    log_capture_stop(&log);
    /* Nothing of it stays: the primitive compiles. */
    ASSERT_OK(dnnl_primitive_create(&primitive, w.pd));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
    EXPECT_OK(run_relu(w.rig.engine, primitive, 16));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    bytes_free(&forged);
    blob_edit_close(&edit);
    bytes_free(&theirs);
    dnnl_cache_program_destroy(program);
    dnnl_cache_program_desc_destroy(desc);
    warm_close(&w);
}

/* ---- Nothing to compile -------------------------------------------------- */

/* Makes the primitive and makes it again from its blob: nothing is compiled,
 * and the blob has no program. Another's blob is stale, one of this ID with a
 * program corrupt. */
static void expect_no_program(const struct warm *w, dnnl_primitive_desc_t pd)
{
    struct blob_edit edit;
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_t again = NULL;
    unsigned long builds = fake_opencl_source_builds();
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(dnnl_cache_origin_none, origin_of(primitive));
    struct bytes id = primitive_id(pd);
    struct bytes blob = primitive_blob(primitive);
    EXPECT_GT(id.size, 0);
    ASSERT_GT(blob.size, 0);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    rig_forget_primitives();
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &again, pd, blob.size, blob.data));
    EXPECT_EQ(dnnl_cache_origin_blob, origin_of(again));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    struct bytes same = primitive_blob(again);
    EXPECT_BYTES_EQ(blob.data, blob.size, same.data, same.size);
    EXPECT_OK(dnnl_primitive_destroy(again));

    expect_refused_unseen(
            dnnl_cache_blob_stale, pd, w->blob.data, w->blob.size);
    blob_edit_open(&edit, &w->blob);
    edit.contents.id = id.data;
    edit.contents.id_size = id.size;
    struct bytes forged = blob_edit_write(&edit);
    rig_forget_primitives();
    expect_refused_unseen(
            dnnl_cache_blob_corrupt, pd, forged.data, forged.size);
    bytes_free(&forged);
    blob_edit_close(&edit);
    blob.data[blob.size / 2] ^= 1;
    expect_refused_unseen(dnnl_cache_blob_corrupt, pd, blob.data, blob.size);
    bytes_free(&same);
    bytes_free(&blob);
    bytes_free(&id);
}

TEST_WARM(PrimitiveBlob, OfAnEmptyTensorHasNoProgram)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(w->rig.engine, 0, 0.0f);
    expect_no_program(w, pd);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(run_relu(w->rig.engine, primitive, 0));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

TEST_RIG(PrimitiveBlob, OfTheHostIsUnimplemented)
{
    dnnl_engine_t host = NULL;
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)rig;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    EXPECT_STATUS(dnnl_unimplemented, try_relu_desc(&pd, host, 16, 0.0f));
    EXPECT_PTR_EQ(rig, pd);
    EXPECT_OK(dnnl_engine_destroy(host));
}

TEST_WARM(PrimitiveBlob, OfACopyToTheHostHasNoProgram)
{
    dnnl_engine_t host = NULL;
    dnnl_primitive_desc_t pd = NULL;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_desc_t md = vector_desc(16);
    ASSERT_OK(dnnl_reorder_primitive_desc_create(
            &pd, md, w->rig.engine, md, host, NULL));
    expect_no_program(w, pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    EXPECT_OK(dnnl_engine_destroy(host));
}
