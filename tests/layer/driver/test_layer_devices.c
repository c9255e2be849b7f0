/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices of all sorts, and programs of IL: what is found for one of them is
 * found for it alone.
 */
#include "application.h"

#include "dnnl_cache/store.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiles (or finds) one program for the first so many devices. */
struct plan {
    cl_uint devices;
    unsigned long builds; /* that must reach the driver */
};

static void use_one(void *user)
{
    const struct plan *plan = user;
    struct application a;
    application_open(&a, plan->devices);
    use_program(&a, "one", "-DA=1");
    EXPECT_EQ(plan->builds, source_builds(&a));
    application_close(&a);
}

/* ---- Several devices ----------------------------------------------------- */

static const char *const two_devices[] = {
        "FAKE_OPENCL_DEVICES=2", "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", NULL};
static const char *const equal_devices[] = {"FAKE_OPENCL_DEVICES=2", NULL};
/* Two that are equal, and another one. */
static const char *const three_devices[] = {
        "FAKE_OPENCL_DEVICES=3", "FAKE_OPENCL_DEVICE_NAME_2=Other GPU", NULL};

TEST_C(LayerDevices, EachHaveAnEntry)
{
    ASSERT_EQ(0, run_application(two_devices, use_one, &(struct plan){2, 1}));
    EXPECT_EQ(1, counted("misses"));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(two_devices, use_one, &(struct plan){2, 0}));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("misses"));
    /* One of them alone. */
    ASSERT_EQ(0, run_application(two_devices, use_one, &(struct plan){1, 0}));
    EXPECT_EQ(1, counted("hits"));
}

TEST_C(LayerDevices, ThatAreEqualShareAnEntry)
{
    ASSERT_EQ(0, run_application(equal_devices, use_one, &(struct plan){1, 1}));
    ASSERT_EQ(0, run_application(equal_devices, use_one, &(struct plan){2, 0}));
    EXPECT_EQ(1, counted("hits"));
}

TEST_C(LayerDevices, ThatAreEqualHaveOneEntryOfOneProgram)
{
    ASSERT_EQ(0, run_application(equal_devices, use_one, &(struct plan){2, 1}));
    EXPECT_EQ(1, counted("misses"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(equal_devices, use_one, &(struct plan){2, 0}));
    EXPECT_EQ(1, counted("hits"));
    ASSERT_EQ(0, run_application(equal_devices, use_one, &(struct plan){1, 0}));
    EXPECT_EQ(1, counted("hits"));
}

/* PoCL's devices have numbers. */
TEST_C(LayerDevices, ThatAreNumberedHaveOneEntryWithPocl)
{
    static const char *const numbered[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_VENDOR_ID_1=0xfa4f",
            "FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language",
            "DNNL_CACHE_CAPTURE_NOW=1", NULL};
    ASSERT_EQ(0, run_application(numbered, use_one, &(struct plan){2, 1}));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(numbered, use_one, &(struct plan){2, 0}));
    EXPECT_EQ(1, counted("hits"));
}

/* The one entry of two devices is there, and that of the third is not. */
TEST_C(LayerDevices, ThatAreEqualMayBeFoundForSomeOnly)
{
    ASSERT_EQ(0, run_application(three_devices, use_one, &(struct plan){2, 1}));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(three_devices, use_one, &(struct plan){3, 1}));
    EXPECT_EQ(1, counted("partial_hits"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(three_devices, use_one, &(struct plan){3, 0}));
    EXPECT_EQ(1, counted("hits"));
}

/* The other way round: what is compiled for both is put once. */
TEST_C(LayerDevices, ThatAreEqualMayBeMissingTogether)
{
    static const char *const other_first[] = {"FAKE_OPENCL_DEVICES=3",
            "FAKE_OPENCL_DEVICE_NAME=Other GPU",
            "FAKE_OPENCL_DEVICE_NAME_1=Fake GPU",
            "FAKE_OPENCL_DEVICE_NAME_2=Fake GPU", NULL};
    ASSERT_EQ(0, run_application(other_first, use_one, &(struct plan){1, 1}));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(other_first, use_one, &(struct plan){3, 1}));
    EXPECT_EQ(1, counted("partial_hits"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(other_first, use_one, &(struct plan){3, 0}));
    EXPECT_EQ(1, counted("hits"));
}

/* An entry that ends the process does so once, for however many devices. */
TEST_C(LayerDevices, ThatAreEqualCountOneDeath)
{
    static const char *const deadly[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEADLY_BINARY=void one", NULL};
    ASSERT_EQ(0, run_application(equal_devices, use_one, &(struct plan){2, 1}));
    EXPECT_EQ(died, run_application(deadly, use_one, &(struct plan){2, 0}));
    /* It may have been the user who ended it. */
    ASSERT_EQ(0, run_application(equal_devices, use_one, &(struct plan){2, 0}));
    EXPECT_EQ(1, counted("hits"));
}

/* ---- A list in another order than the context's -------------------------- */

/* As OpenCL has it, and as PoCL does: the binaries in the order of the list. */
static const char *const in_order[] = {"FAKE_OPENCL_DEVICES=2",
        "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", "FAKE_OPENCL_LIST_ORDER=0",
        NULL};
static const char *const in_list_order[] = {"FAKE_OPENCL_DEVICES=2",
        "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", "FAKE_OPENCL_LIST_ORDER=1",
        NULL};

static void build_reversed(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 2);
    const cl_device_id reversed[] = {a.devices[1], a.devices[0]};
    cl_program program = program_of_source(
            &a, "kernel void one(global float *x) { *x = 1.0f; }");
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 2, reversed, "-DA=1", NULL, NULL));
    expect_built(program, a.devices[0], "-DA=1", "one");
    expect_built(program, a.devices[1], "-DA=1", "one");
    EXPECT_EQ(*builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

static void expect_kept_right(const char *const *variables)
{
    const unsigned long builds[] = {1, 0};
    ASSERT_EQ(0, run_application(
                         variables, build_reversed, (void *)(uintptr_t)builds));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(variables, build_reversed,
                         (void *)(uintptr_t)&builds[1]));
    EXPECT_EQ(1, counted("hits"));
    /* In the context's order, and of the first device alone. */
    ASSERT_EQ(0, run_application(variables, use_one, &(struct plan){2, 0}));
    EXPECT_EQ(1, counted("hits"));
    ASSERT_EQ(0, run_application(variables, use_one, &(struct plan){1, 0}));
    EXPECT_EQ(1, counted("hits"));
}

TEST_C(LayerDevices, AreKeptRightWhateverTheOrderOfTheList)
{
    expect_kept_right(in_order);
}

TEST_C(LayerDevices, AreKeptRightWhateverTheOrderOfTheBinaries)
{
    expect_kept_right(in_list_order);
}

/* Anything compiled for the first device fails. */
static const char *const two_one_cannot[] = {"FAKE_OPENCL_DEVICES=2",
        "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", "FAKE_OPENCL_BUILD_ERROR_0=-11",
        NULL};

/* What is there for one is used, and only the rest compiled. */
TEST_C(LayerDevices, MayBeFoundForSomeOnly)
{
    ASSERT_EQ(0, run_application(two_devices, use_one, &(struct plan){1, 1}));
    ASSERT_EQ(
            0, run_application(two_one_cannot, use_one, &(struct plan){2, 1}));
    EXPECT_EQ(1, counted("partial_hits"));
    EXPECT_EQ(0, counted("misses"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(
            0, run_application(two_one_cannot, use_one, &(struct plan){2, 0}));
    EXPECT_EQ(1, counted("hits"));
}

/* Of a driver that is asked at the end of the process only. */
static void use_one_late(void *user)
{
    const struct plan *plan = user;
    struct application a;
    application_open(&a, plan->devices);
    use_program(&a, "one", "-DA=1");
    EXPECT_EQ(plan->builds, source_builds(&a));
    a.is_alone = false;
    application_close(&a);
}

/* A driver that has to be idle for it is not asked while somebody waits. */
TEST_C(LayerDevices, ThatAreMissingCompileAllWhereNobodyMayAsk)
{
    static const char *const pocl[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU",
            "FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language", NULL};
    ASSERT_EQ(0, run_application(pocl, use_one_late, &(struct plan){1, 1}));
    ASSERT_EQ(0, run_application(pocl, use_one_late, &(struct plan){2, 1}));
    EXPECT_EQ(0, counted("partial_hits"));
    EXPECT_EQ(1, missed_by("partial"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(pocl, use_one, &(struct plan){2, 0}));
}

static void use_two(void *user)
{
    const struct plan *plan = user;
    struct application a;
    application_open(&a, plan->devices);
    use_program(&a, "one", "-DA=1");
    use_program(&a, "two", "-DA=1");
    EXPECT_EQ(plan->builds, source_builds(&a));
    application_close(&a);
}

/* The first time it is not known how long asking takes. */
TEST_C(LayerDevices, ThatAreMissingCompileAllWhereAskingTakesLonger)
{
    static const char *const fast[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", "FAKE_OPENCL_BUILD_MS=20",
            NULL};
    static const char *const slow[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", "FAKE_OPENCL_BUILD_MS=20",
            "FAKE_OPENCL_SIZES_MS=40", "DNNL_CACHE_CAPTURE_NOW=1", NULL};
    ASSERT_EQ(0, run_application(fast, use_two, &(struct plan){1, 2}));
    ASSERT_EQ(0, run_application(slow, use_two, &(struct plan){2, 2}));
    EXPECT_EQ(1, counted("partial_hits"));
    EXPECT_EQ(1, missed_by("partial"));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(slow, use_two, &(struct plan){2, 0}));
}

/* One that the compiler refuses for the other device. */
static void fail_for_one(void *user)
{
    static const char source[] = "kernel void one(global float *x) "
                                 "{ *x = 1.0f; }";
    const cl_uint *devices = user;
    struct application a;
    application_open(&a, *devices);
    cl_program program = program_of_source(&a, source);
    EXPECT_EQ(*devices == 1 ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (cl_uint i = 0; i < a.device_count; i++) {
        cl_build_status status = CL_BUILD_NONE;
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(program, a.devices[i],
                        CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        EXPECT_EQ(*devices == 1 ? CL_BUILD_SUCCESS : CL_BUILD_ERROR, status);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerDevices, ThatAreMissingMayFailToCompile)
{
    static const char *const other_cannot[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU",
            "FAKE_OPENCL_BUILD_ERROR_1=-11", NULL};
    ASSERT_EQ(0, run_application(other_cannot, fail_for_one, &(cl_uint){1}));
    ASSERT_EQ(0, run_application(other_cannot, fail_for_one, &(cl_uint){2}));
    EXPECT_EQ(0, counted("partial_hits"));
    EXPECT_EQ(1, missed_by("partial"));
}

/* Compiled, and then linked. */
static void compile_one(void *user)
{
    static const char source[] = "kernel void one(global float *x) "
                                 "{ *x = 1.0f; }";
    const struct plan *plan = user;
    struct application a;
    cl_int error = CL_SUCCESS;
    application_open(&a, plan->devices);
    cl_program program = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, "", 1, &program, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    for (cl_uint i = 0; i < a.device_count; i++)
        expect_built(linked, a.devices[i], "", "one");
    EXPECT_EQ(plan->builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerDevices, MayHaveObjectsForSomeOnly)
{
    ASSERT_EQ(
            0, run_application(two_devices, compile_one, &(struct plan){1, 2}));
    /* What is linked is linked for all. */
    ASSERT_EQ(
            0, run_application(two_devices, compile_one, &(struct plan){2, 1}));
    EXPECT_EQ(1, counted("partial_hits"));
    EXPECT_EQ(1, missed_by("partial"));
    ASSERT_EQ(
            0, run_application(two_devices, compile_one, &(struct plan){2, 0}));
    EXPECT_EQ(2, counted("hits"));
}

/* Built for one device, then for the other, then for both anew. */
static void build_one_by_one(void *user)
{
    static const char source[] = "kernel void one(global int *x) { *x = 1; }";
    const unsigned long *builds = user;
    struct application a;
    cl_build_status status = CL_BUILD_SUCCESS;
    application_open(&a, 2);
    cl_program program = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 1, &a.devices[1], "-DA", NULL, NULL));
    expect_built(program, a.devices[1], "-DA", "one");
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, a.devices[0],
                    CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    EXPECT_EQ(CL_BUILD_NONE, status);
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 1, &a.devices[0], "-DB", NULL, NULL));
    expect_built(program, a.devices[0], "-DB", "one");
    expect_built(program, a.devices[1], "-DA", "one");
    build(program, "-DC");
    expect_built(program, a.devices[0], "-DC", "one");
    expect_built(program, a.devices[1], "-DC", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_LE(source_builds(&a), *builds);
    application_close(&a);
}

TEST_C(LayerDevices, MayBeBuiltForOneByOne)
{
    ASSERT_EQ(0, run_application(
                         two_devices, build_one_by_one, &(unsigned long){3}));
    ASSERT_EQ(0, run_application(
                         two_devices, build_one_by_one, &(unsigned long){3}));
}

/* What failed for all, and then not for one, has failed for the other. */
static void build_one_after_failure(void *user)
{
    static const char source[] = "kernel void one(global int *x) { *x = 1; }";
    struct application a;
    char options[64] = "";
    (void)user;
    application_open(&a, 2);
    cl_program program = program_of_source(&a, source);
    build(program, "-DA");
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(
                    program, 0, NULL, "-DFAKE_BUILD_FAILURE", NULL, NULL));
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 1, &a.devices[0], "-DB", NULL, NULL));
    expect_built(program, a.devices[0], "-DB", "one");
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, a.devices[1],
                    CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    EXPECT_STR_EQ("-DFAKE_BUILD_FAILURE", options);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerDevices, MayBeBuiltForOneAfterAFailure)
{
    ASSERT_EQ(0, run_application(two_devices, build_one_after_failure, NULL));
    ASSERT_EQ(0, run_application(two_devices, build_one_after_failure, NULL));
}

/* ---- Parts of devices ---------------------------------------------------- */

static void use_half(void *user)
{
    static const cl_device_partition_property halves[] = {
            CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    const struct plan *plan = user;
    struct application whole;
    struct application half = {.device_count = 1};
    cl_device_id parts[2] = {NULL, NULL};
    cl_int error = CL_SUCCESS;
    application_open(&whole, 1);
    ASSERT_EQ(CL_SUCCESS,
            clCreateSubDevices(whole.devices[0], halves, 2, parts, NULL));
    half.devices[0] = parts[0];
    half.source_builds = whole.source_builds;
    half.context = clCreateContext(NULL, 1, parts, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    use_program(&half, "one", "-DA=1");
    EXPECT_EQ(plan->builds, source_builds(&half));
    application_close(&half);
    EXPECT_EQ(CL_SUCCESS, clReleaseDevice(parts[0]));
    EXPECT_EQ(CL_SUCCESS, clReleaseDevice(parts[1]));
    application_close(&whole);
}

TEST_C(LayerDevices, ShareTheirEntriesWithTheirParts)
{
    ASSERT_EQ(0, run_application(NULL, use_half, &(struct plan){1, 1}));
    ASSERT_EQ(0, run_application(NULL, use_half, &(struct plan){1, 0}));
    ASSERT_EQ(0, run_application(NULL, use_one, &(struct plan){1, 0}));
    EXPECT_EQ(1, counted("hits"));
}

static cl_uint references_of(cl_device_id device)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT,
                                  sizeof count, &count, NULL));
    return count;
}

/* What is asked for at the end needs a part that its maker gave up before. */
static void wait_with_half(void *user)
{
    static const cl_device_partition_property halves[] = {
            CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    struct application whole;
    struct application half = {.device_count = 1};
    cl_device_id parts[2] = {NULL, NULL};
    cl_int error = CL_SUCCESS;
    (void)user;
    application_open(&whole, 1);
    ASSERT_EQ(CL_SUCCESS,
            clCreateSubDevices(whole.devices[0], halves, 2, parts, NULL));
    half.devices[0] = parts[0];
    half.source_builds = whole.source_builds;
    half.context = clCreateContext(NULL, 1, parts, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    use_program(&half, "one", "-DA=1");
    application_close(&half);
    /* Its maker's, the context's, the layer's. */
    EXPECT_EQ(3, references_of(parts[0]));
    EXPECT_EQ(1, references_of(parts[1]));
    EXPECT_EQ(CL_SUCCESS, clReleaseDevice(parts[0]));
    EXPECT_EQ(CL_SUCCESS, clReleaseDevice(parts[1]));
    whole.is_alone = false; /* its program still waits */
    application_close(&whole);
}

TEST_C(LayerDevices, LiveUntilTheCapture)
{
    static const char *const pocl[] = {
            "FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language", NULL};
    ASSERT_EQ(0, run_application(pocl, wait_with_half, NULL));
    EXPECT_EQ(1, counted("kept"));
}

/* ---- Devices without a name ---------------------------------------------- */

TEST_C(LayerDevices, WithoutAnIdentityCompile)
{
    static const char *const unknown[] = {
            "FAKE_OPENCL_DRIVER_VERSION=!-5", NULL};
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(unknown, use_one, &(struct plan){1, 1}));
        EXPECT_EQ(1, missed_by("identity"));
        EXPECT_EQ(0, counted("kept"));
    }
}

/* One without is enough. */
TEST_C(LayerDevices, BesideOneWithoutAnIdentityCompile)
{
    static const char *const unknown[] = {
            "FAKE_OPENCL_DEVICES=2", "FAKE_OPENCL_DRIVER_VERSION_1=!-5", NULL};
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(unknown, use_one, &(struct plan){2, 1}));
        EXPECT_EQ(1, missed_by("identity"));
    }
    ASSERT_EQ(0, run_application(unknown, use_one, &(struct plan){1, 1}));
    ASSERT_EQ(0, run_application(unknown, use_one, &(struct plan){1, 0}));
}

TEST_C(LayerDevices, OfAnotherDriverCompile)
{
    static const char *const newer[] = {"FAKE_OPENCL_DRIVER_VERSION=2.0", NULL};
    ASSERT_EQ(0, run_application(NULL, use_one, &(struct plan){1, 1}));
    ASSERT_EQ(0, run_application(newer, use_one, &(struct plan){1, 1}));
    EXPECT_EQ(1, missed_by("missing"));
    ASSERT_EQ(0, run_application(NULL, use_one, &(struct plan){1, 0}));
    ASSERT_EQ(0, run_application(newer, use_one, &(struct plan){1, 0}));
}

/* Two entries, and the blob of each. */
struct pair {
    size_t count;
    size_t id_sizes[2];
    uint8_t *ids[2];
    size_t sizes[2];
    uint8_t *blobs[2];
};

static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size);
    if (copy != NULL) memcpy(copy, bytes, size);
    return copy;
}

static bool note_id(void *user, const struct dnnl_cache_store_entry *item)
{
    struct pair *pair = user;
    const size_t i = pair->count++;
    if (i >= 2) return false;
    pair->id_sizes[i] = item->id_size;
    pair->ids[i] = copy_of(item->id, item->id_size);
    return true;
}

/* Each of the store's two entries gets the other's blob. */
static void swap_blobs(void)
{
    static const dnnl_cache_store_metadata_t metadata =
            DNNL_CACHE_STORE_METADATA_INIT;
    char path[512];
    struct pair pair = {.count = 0};
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    (void)snprintf(path, sizeof path, "%s/store", test_directory());
    options.path = path;
    ASSERT_STATUS(
            dnnl_success, dnnl_cache_store_open(&store, "flat", &options));
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_STATUS(
            dnnl_success, dnnl_cache_store_iterate(store, note_id, &pair));
    ASSERT_EQ(2, pair.count);
    for (int i = 0; i < 2; i++) {
        const uint8_t *blob = NULL;
        ASSERT_STATUS(
                dnnl_success, s->get(s->user, pair.id_sizes[i], pair.ids[i],
                                      &pair.sizes[i], &blob));
        pair.blobs[i] = copy_of(blob, pair.sizes[i]);
        s->release(s->user, pair.sizes[i], blob);
    }
    for (int i = 0; i < 2; i++)
        EXPECT_STATUS(dnnl_success,
                s->put(s->user, pair.id_sizes[i], pair.ids[i],
                        pair.sizes[1 - i], pair.blobs[1 - i], &metadata));
    dnnl_cache_store_close(store);
    for (int i = 0; i < 2; i++) {
        free(pair.ids[i]);
        free(pair.blobs[i]);
    }
}

/* Neither the name of an entry nor the driver, which takes the binary, decides
 * what is loaded, but the ID in the blob. */
TEST_C(LayerDevices, OfAnotherDriverAreNotLoadedThoughTheDriverTakesThem)
{
    static const char *const newer[] = {"FAKE_OPENCL_DRIVER_VERSION=2.0", NULL};
    ASSERT_EQ(0, run_application(NULL, use_one, &(struct plan){1, 1}));
    ASSERT_EQ(0, run_application(newer, use_one, &(struct plan){1, 1}));
    swap_blobs();
    ASSERT_EQ(0, run_application(NULL, use_one, &(struct plan){1, 1}));
    EXPECT_EQ(1, missed_by("stale"));
    ASSERT_EQ(0, run_application(newer, use_one, &(struct plan){1, 1}));
    EXPECT_EQ(1, missed_by("stale"));
    ASSERT_EQ(0, run_application(NULL, use_one, &(struct plan){1, 0}));
    ASSERT_EQ(0, run_application(newer, use_one, &(struct plan){1, 0}));
}

/* ---- IL ------------------------------------------------------------------ */

static const char *const with_il[] = {
        "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};

struct il_plan {
    cl_uint id;
    cl_uint value;
    unsigned long builds;
};

static void set_constant(cl_program program, cl_uint id, cl_uint value)
{
    EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(
                                  program, id, sizeof value, &value));
}

static void use_il(void *user)
{
    const struct il_plan *plan = user;
    struct application a;
    application_open(&a, 1);
    cl_program program =
            program_of_il(&a, "kernel void one(global int *x) { *x = 1; }");
    if (plan->id != 0) set_constant(program, plan->id, plan->value);
    build(program, "");
    expect_built(program, a.devices[0], "", "one");
    EXPECT_EQ(plan->builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerIl, IsToldApartByItsConstants)
{
    static struct il_plan plans[] = {{0, 0, 1}, {0, 0, 0}, {5, 1, 1}, {5, 1, 0},
            {5, 2, 1}, {6, 1, 1}, {6, 1, 0}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        ASSERT_EQ(0, run_application(with_il, use_il, &plans[i]));
}

/* One program, built with one value and then with another. */
static void specialize_twice(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 1);
    cl_program program =
            program_of_il(&a, "kernel void one(global int *x) { *x = 1; }");
    for (cl_uint value = 1; value <= 2; value++) {
        set_constant(program, 5, value);
        build(program, "");
        expect_built(program, a.devices[0], "", "one");
    }
    EXPECT_EQ(*builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerIl, MayBeSpecializedAnew)
{
    static struct il_plan first = {5, 1, 1};
    static struct il_plan second = {5, 2, 1};
    ASSERT_EQ(0, run_application(with_il, use_il, &first));
    ASSERT_EQ(0, run_application(with_il, use_il, &second));
    ASSERT_EQ(
            0, run_application(with_il, specialize_twice, &(unsigned long){0}));
    EXPECT_EQ(2, counted("hits"));
}
