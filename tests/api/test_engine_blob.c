/* SPDX-License-Identifier: Apache-2.0 */
/* Engine blobs: the facts of a device, and engines made from them. */
#include "blob_edit.h"
#include "bytes.h"
#include "log_capture.h"
#include "rig.h"

#include "src/common/byte_order.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dnnl_status_t create_from(
        dnnl_engine_t *engine, const struct rig *rig, const struct bytes *blob)
{
    return dnnl_ocl_interop_engine_create_from_cache_blob(
            engine, rig->device, rig->context, blob->size, blob->data);
}

/* ---- The blob ------------------------------------------------------------ */

TEST_RIG(EngineBlob, FollowsTheRuleOfSizes)
{
    expect_size_query(query_engine_blob, rig->engine);
}

/* What the device says, as src/gpu writes it down; and nothing of the probe. */
TEST_C(EngineBlob, HoldsFactsNotABinary)
{
    struct rig rig;
    struct blob_edit edit;
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    fake_opencl_set("SUBGROUP_SIZE", "0");
    fake_opencl_set("WG_MULTIPLE", "24");
    fake_opencl_set("KERNEL_WORK_GROUP_SIZE", "96");
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    blob_edit_open(&edit, &blob);
    ASSERT_EQ(16, edit.contents.engine_facts_size);
    EXPECT_EQ(24, load_le32(edit.contents.engine_facts));
    EXPECT_EQ(96, load_le32(edit.contents.engine_facts + 4));
    blob_edit_close(&edit);
    EXPECT_NULL(memmem(blob.data, blob.size, "FAKEBIN", strlen("FAKEBIN")));
    ASSERT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &info));
    EXPECT_EQ(dnnl_cache_blob_kind_engine, info.kind);
    EXPECT_EQ(0, info.program_count);
    EXPECT_EQ(0, info.kernel_count);
    EXPECT_EQ(0, info.binary_bytes);
    bytes_free(&blob);
    rig_close(&rig);
}

TEST_RIG(EngineBlob, IsSmall)
{
    struct bytes blob = engine_blob(rig->engine);
    struct bytes id = engine_id(rig->device);
    EXPECT_LT(blob.size, 1024);
    EXPECT_LT(blob.size - id.size, 160); /* beside its ID */
    bytes_free(&blob);
    bytes_free(&id);
}

TEST_RIG(EngineBlob, CarriesTheEnginesId)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct bytes blob = engine_blob(rig->engine);
    struct bytes id = engine_id(rig->device);
    ASSERT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &info));
    EXPECT_BYTES_EQ(id.data, id.size, info.id, info.id_size);
    bytes_free(&blob);
    bytes_free(&id);
}

TEST_RIG(EngineBlob, BuildsTheProbeOnce)
{
    struct bytes first = engine_blob(rig->engine);
    EXPECT_EQ(1, fake_opencl_source_builds());
    struct bytes second = engine_blob(rig->engine);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_TRUE(bytes_equal(&first, &second));
    bytes_free(&first);
    bytes_free(&second);
}

TEST_RIG(EngineBlob, IsTheSameForEveryEngineOfADevice)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    struct bytes one = engine_blob(rig->engine);
    struct bytes two = engine_blob(other);
    EXPECT_TRUE(bytes_equal(&one, &two));
    bytes_free(&one);
    bytes_free(&two);
    EXPECT_OK(dnnl_engine_destroy(other));
}

TEST_RIG(EngineBlob, LeavesNothingOfTheProbeBehind)
{
    struct fake_opencl_objects alive;
    struct bytes blob = engine_blob(rig->engine);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_EQ(0, alive.kernels);
    bytes_free(&blob);
}

TEST_C(EngineBlob, IsEmptyWithoutAnIdentity)
{
    struct rig rig;
    uint8_t byte = 0xa5;
    size_t size = 1;
    rig_open_unidentified(&rig);
    EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob(rig.engine, &size, &byte));
    EXPECT_EQ(0, size);
    EXPECT_EQ(0xa5, byte);
    EXPECT_EQ(0, fake_opencl_source_builds());
    rig_close(&rig);
}

/* ---- From the blob ------------------------------------------------------- */

TEST_RIG(EngineBlob, EngineFromItCompilesNothing)
{
    dnnl_engine_t warm = NULL;
    struct bytes blob = engine_blob(rig->engine);
    unsigned long builds = fake_opencl_source_builds();
    ASSERT_OK(create_from(&warm, rig, &blob));
    struct bytes again = engine_blob(warm);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(0, fake_opencl_binary_builds());
    bytes_free(&again);
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&blob);
}

TEST_RIG(EngineBlob, OfAnEngineFromItIsTheSame)
{
    dnnl_engine_t warm = NULL;
    struct bytes blob = engine_blob(rig->engine);
    ASSERT_OK(create_from(&warm, rig, &blob));
    struct bytes again = engine_blob(warm);
    EXPECT_BYTES_EQ(blob.data, blob.size, again.data, again.size);
    bytes_free(&again);
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&blob);
}

TEST_RIG(EngineBlob, EngineFromItWrapsDeviceAndContext)
{
    dnnl_engine_t warm = NULL;
    cl_device_id device = NULL;
    cl_context context = NULL;
    struct bytes blob = engine_blob(rig->engine);
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    rig->engine = NULL;
    ASSERT_OK(create_from(&warm, rig, &blob));
    EXPECT_OK(dnnl_ocl_interop_get_device(warm, &device));
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(warm, &context));
    EXPECT_PTR_EQ(rig->device, device);
    EXPECT_PTR_EQ(rig->context, context);
    EXPECT_EQ(2, context_references(rig->context));
    EXPECT_OK(dnnl_engine_destroy(warm));
    EXPECT_EQ(1, context_references(rig->context));
    bytes_free(&blob);
}

/* Not the first device of the context: that which was asked for. */
TEST_RIG(EngineBlob, EngineFromItIsOfEachDeviceOfAContext)
{
    cl_int error;
    cl_device_id devices[2] = {rig->device, sub_device_create(rig->device)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    struct bytes blob = engine_blob(rig->engine); /* the sub-device's, too */
    for (int i = 0; i < 2; i++) {
        dnnl_engine_t warm = NULL;
        cl_device_id device = NULL;
        cl_context context = NULL;
        ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
                &warm, devices[i], both, blob.size, blob.data));
        EXPECT_OK(dnnl_ocl_interop_get_device(warm, &device));
        EXPECT_OK(dnnl_ocl_interop_engine_get_context(warm, &context));
        EXPECT_PTR_EQ(devices[i], device);
        EXPECT_PTR_EQ(both, context);
        EXPECT_OK(dnnl_engine_destroy(warm));
    }
    bytes_free(&blob);
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(both));
    EXPECT_EQ(CL_SUCCESS, clReleaseDevice(devices[1]));
}

TEST_RIG(EngineBlob, IsNotNeededAfterTheCall)
{
    dnnl_engine_t warm = NULL;
    struct bytes blob = engine_blob(rig->engine);
    struct bytes copy = bytes_copy(blob.data, blob.size);
    ASSERT_OK(create_from(&warm, rig, &copy));
    memset(copy.data, 0, copy.size);
    bytes_free(&copy);
    struct bytes again = engine_blob(warm);
    EXPECT_TRUE(bytes_equal(&blob, &again));
    bytes_free(&again);
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&blob);
}

TEST_RIG(EngineBlob, MayLieAtAnyAddress)
{
    struct bytes blob = engine_blob(rig->engine);
    uint8_t *room = malloc(blob.size + 8);
    ASSERT_NOT_NULL(room);
    for (size_t shift = 0; shift < 8; shift++) {
        dnnl_engine_t warm = NULL;
        memcpy(room + shift, blob.data, blob.size);
        EXPECT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
                &warm, rig->device, rig->context, blob.size, room + shift));
        EXPECT_OK(dnnl_engine_destroy(warm));
    }
    free(room);
    bytes_free(&blob);
}

TEST_C(EngineBlob, NeedsADeviceOfTheContext)
{
    struct rig rig;
    dnnl_engine_t warm = (dnnl_engine_t)&rig;
    fake_opencl_set("DEVICES", "3");
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_engine_create_from_cache_blob(
                    &warm, rig_device(2), rig.context, blob.size, blob.data));
    EXPECT_PTR_EQ(&rig, warm);
    bytes_free(&blob);
    rig_close(&rig);
}

/* ---- Refusals ------------------------------------------------------------ */

/* Creation from the blob fails so, and says why. */
static void expect_refusal(dnnl_status_t status, const char *why,
        const struct rig *rig, const struct bytes *blob)
{
    struct log_capture log;
    dnnl_engine_t engine = (dnnl_engine_t)&log;
    log_capture_start(&log);
    EXPECT_STATUS(status, create_from(&engine, rig, blob));
    EXPECT_PTR_EQ(&log, engine);
    /* Only damage earns a warning. */
    EXPECT_TRUE(log_capture_has(&log,
            status == dnnl_cache_blob_corrupt ? dnnl_cache_log_warning
                                              : dnnl_cache_log_info,
            why));
    EXPECT_EQ(status == dnnl_cache_blob_corrupt ? 1 : 0,
            log_capture_count(&log, dnnl_cache_log_warning));
    EXPECT_EQ(0, log_capture_count(&log, dnnl_cache_log_error));
    log_capture_stop(&log);
}

static void expect_field_refused(uint16_t tag, const char *name)
{
    struct rig rig;
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    struct bytes other = blob_with_other_field(&blob, tag);
    expect_refusal(dnnl_cache_blob_stale, name, &rig, &other);
    bytes_free(&other);
    bytes_free(&blob);
    rig_close(&rig);
}

TEST_C(EngineBlob, OfAnotherDeviceIsStale)
{
    expect_field_refused(id_device_name, "device_name");
}

TEST_C(EngineBlob, OfAnotherPlatformIsStale)
{
    expect_field_refused(id_platform_name, "platform_name");
}

TEST_C(EngineBlob, OfAnotherDriverVersionIsStale)
{
    expect_field_refused(id_driver_version, "driver_version");
}

TEST_C(EngineBlob, OfAnotherDriverBuildIsStale)
{
    expect_field_refused(id_driver_build, "driver_build");
}

TEST_C(EngineBlob, OfAnotherLibraryVersionIsStale)
{
    expect_field_refused(id_library_version, "library_version");
}

TEST_C(EngineBlob, OfAnotherLibrarySourceIsStale)
{
    expect_field_refused(id_library_source_digest, "library_source_digest");
}

/* Two devices of one process: upstream takes the first one's facts. */
TEST_C(EngineBlob, OfAnotherDeviceInTheMachineIsStale)
{
    struct rig rig;
    struct rig other;
    fake_opencl_set("DEVICES", "4");
    fake_opencl_set("DEVICE_NAME_3", "Another");
    rig_open(&rig, 0);
    rig_open(&other, 3);
    struct bytes blob = engine_blob(other.engine);
    expect_refusal(dnnl_cache_blob_stale, "device_name", &rig, &blob);
    bytes_free(&blob);
    EXPECT_OK(dnnl_engine_destroy(other.engine));
    clReleaseContext(other.context);
    rig_close(&rig);
}

TEST_C(EngineBlob, IsRefusedWithoutAnIdentity)
{
    struct rig rig;
    struct rig other;
    struct log_capture log;
    dnnl_engine_t engine = NULL;
    rig_open_unidentified(&rig);
    rig_open(&other, 0);
    struct bytes blob = engine_blob(other.engine);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale, create_from(&engine, &rig, &blob));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "no identity"));
    log_capture_stop(&log);
    bytes_free(&blob);
    EXPECT_OK(dnnl_engine_destroy(other.engine));
    clReleaseContext(other.context);
    rig_close(&rig);
}

static void expect_facts_refused(uint32_t simd, uint32_t group, uint32_t bits)
{
    struct rig rig;
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    struct bytes forged = blob_with_facts(&blob, simd, group, bits);
    expect_refusal(dnnl_cache_blob_corrupt, "facts", &rig, &forged);
    bytes_free(&forged);
    bytes_free(&blob);
    rig_close(&rig);
}

TEST_C(EngineBlob, WithAnImpossibleSimdWidthIsCorrupt)
{
    expect_facts_refused(0, 256, 3);
    expect_facts_refused(1025, 256, 3);
    expect_facts_refused(UINT32_MAX, 256, 3);
}

TEST_C(EngineBlob, WithAnImpossibleWorkGroupIsCorrupt)
{
    expect_facts_refused(32, 0, 3);
    expect_facts_refused(32, (1u << 20) + 1, 3);
    expect_facts_refused(32, UINT32_MAX, 3);
}

TEST_C(EngineBlob, WithUnknownFeaturesIsCorrupt)
{
    expect_facts_refused(32, 256, 8);
    expect_facts_refused(32, 256, 0x80000000u);
}

TEST_RIG(EngineBlob, WithFactsOfAnotherSizeIsCorrupt)
{
    static const uint8_t facts[24] = {32, 0, 0, 0, 0, 1};
    struct bytes blob = engine_blob(rig->engine);
    for (size_t size = 1; size <= sizeof facts; size++) {
        struct blob_edit edit;
        if (size == 16) continue;
        blob_edit_open(&edit, &blob);
        edit.contents.engine_facts = facts;
        edit.contents.engine_facts_size = size;
        struct bytes forged = blob_edit_write(&edit);
        expect_refusal(dnnl_cache_blob_corrupt, "facts", rig, &forged);
        bytes_free(&forged);
        blob_edit_close(&edit);
    }
    bytes_free(&blob);
}

TEST_RIG(EngineBlob, TruncatedAnywhereIsCorrupt)
{
    struct bytes blob = engine_blob(rig->engine);
    for (size_t size = 1; size < blob.size; size++) {
        struct bytes cut = bytes_copy(blob.data, size);
        expect_refusal(dnnl_cache_blob_corrupt, "", rig, &cut);
        bytes_free(&cut);
    }
    bytes_free(&blob);
}

/* Every bit of it; the format's version, if it becomes a newer one, is refused
 * as such. */
TEST_RIG(EngineBlob, WithAFlippedBitIsRefused)
{
    struct bytes blob = engine_blob(rig->engine);
    for (size_t bit = 0; bit < 8 * blob.size; bit++) {
        dnnl_engine_t engine = NULL;
        blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        dnnl_status_t st = create_from(&engine, rig, &blob);
        bool is_version = bit / 8 >= 8 && bit / 8 < 12;
        EXPECT_TRUE(st == dnnl_cache_blob_corrupt
                    || (is_version && st == dnnl_cache_blob_unsupported));
        EXPECT_NULL(engine);
        blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    bytes_free(&blob);
}

TEST_RIG(EngineBlob, ThatIsRefusedLeavesTheEngineCompilable)
{
    dnnl_engine_t engine = NULL;
    struct bytes blob = engine_blob(rig->engine);
    struct bytes stale = blob_with_other_field(&blob, id_driver_version);
    EXPECT_STATUS(dnnl_cache_blob_stale, create_from(&engine, rig, &stale));
    ASSERT_OK(
            dnnl_ocl_interop_engine_create(&engine, rig->device, rig->context));
    struct bytes again = engine_blob(engine);
    EXPECT_TRUE(bytes_equal(&blob, &again));
    bytes_free(&again);
    EXPECT_OK(dnnl_engine_destroy(engine));
    bytes_free(&stale);
    bytes_free(&blob);
}

TEST_C(EngineBlob, OfOtherKindsIsStale)
{
    static const char *const source = "__kernel void k(void) {}";
    struct rig rig;
    dnnl_cache_program_desc_t desc = NULL;
    dnnl_cache_program_t program = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_cache_program_desc_create(
            &desc, rig.engine, 1, &source, NULL, NULL));
    ASSERT_OK(dnnl_cache_program_create(&program, desc));
    struct bytes blob = program_blob(program);
    expect_refusal(dnnl_cache_blob_stale, "kind", &rig, &blob);
    bytes_free(&blob);
    dnnl_cache_program_destroy(program);
    dnnl_cache_program_desc_destroy(desc);
    rig_close(&rig);
}

/* ---- The probe ----------------------------------------------------------- */

TEST_RIG(EngineBlob, IsMadeWithoutHalfIfTheCompilerRefusesIt)
{
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    struct bytes blob = engine_blob(rig->engine);
    EXPECT_EQ(2, fake_opencl_count("clBuildProgram"));
    /* The same as one that says so. */
    struct bytes expected = blob_with_facts(&blob, 32, 256, 0);
    EXPECT_BYTES_EQ(expected.data, expected.size, blob.data, blob.size);
    bytes_free(&expected);
    bytes_free(&blob);
}

/* Makes both builds of the probe fail: one by its function, one by the number
 * of its call among all. False if call n was not the first build. */
static bool fail_both_builds(const struct rig *rig, unsigned n)
{
    dnnl_engine_t engine = NULL;
    size_t size = 77;
    unsigned long builds = fake_opencl_count("clBuildProgram");
    EXPECT_OK(
            dnnl_ocl_interop_engine_create(&engine, rig->device, rig->context));
    fake_opencl_fail("clBuildProgram", 2, CL_BUILD_PROGRAM_FAILURE);
    fake_opencl_fail_any(n, CL_BUILD_PROGRAM_FAILURE);
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob(engine, &size, NULL);
    bool both = fake_opencl_count("clBuildProgram") == builds + 2;
    fake_opencl_fail("clBuildProgram", 0, 0);
    fake_opencl_fail_any(0, 0);
    if (both) {
        EXPECT_STATUS(dnnl_runtime_error, st);
        EXPECT_EQ(77, size);
        /* It is tried again. */
        EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob(engine, &size, NULL));
    }
    EXPECT_OK(dnnl_engine_destroy(engine));
    return both;
}

TEST_RIG(EngineBlob, FailsIfTheProbeDoesNotCompileAndIsTriedAgain)
{
    struct log_capture log;
    bool found = false;
    /* The calls for it are made once, and would be the first. */
    struct bytes id = engine_id(rig->device);
    bytes_free(&id);
    log_capture_start(&log);
    for (unsigned n = 1; n < 50 && !found; n++)
        found = fail_both_builds(rig, n);
    EXPECT_TRUE(found);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_error, "probe"));
    log_capture_stop(&log);
}

/* What a driver reports must be possible, or no engine has facts. */
static void expect_probe_failure(const char *key, const char *value)
{
    struct rig rig;
    struct log_capture log;
    size_t size = 77;
    rig_open(&rig, 0);
    log_capture_start(&log);
    fake_opencl_set(key, value);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_ocl_interop_engine_get_cache_blob(rig.engine, &size, NULL));
    EXPECT_EQ(77, size);
    EXPECT_GT(log_capture_count(&log, dnnl_cache_log_error), 0);
    fake_opencl_set(key, NULL);
    EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob(rig.engine, &size, NULL));
    EXPECT_GT(size, 0);
    log_capture_stop(&log);
    rig_close(&rig);
}

TEST_C(EngineBlob, IsNotMadeOfImpossibleFacts)
{
    expect_probe_failure("KERNEL_WORK_GROUP_SIZE", "0");
    expect_probe_failure("KERNEL_WORK_GROUP_SIZE", "0x100001");
    expect_probe_failure("WG_MULTIPLE", "1025");
    expect_probe_failure("ACCEPTS", "4");
}

TEST_C(EngineBlob, IsNotMadeIfAFactCannotBeRead)
{
    expect_probe_failure("KERNEL_WORK_GROUP_SIZE", "!-30");
    expect_probe_failure("WG_MULTIPLE", "!-30");
    expect_probe_failure("ACCEPTS", "!-30");
}

TEST_C(EngineBlob, DoesWithoutSubGroups)
{
    struct rig rig;
    fake_opencl_set("SUBGROUP_SIZE", "0");
    fake_opencl_set("WG_MULTIPLE", "8");
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    struct bytes expected = blob_with_facts(&blob, 8, 256, 1);
    EXPECT_BYTES_EQ(expected.data, expected.size, blob.data, blob.size);
    bytes_free(&expected);
    bytes_free(&blob);
    rig_close(&rig);
}
