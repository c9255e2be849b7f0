/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices of a real driver: equal ones, other ones and parts of one. What is
 * the same for them and what differs is what the fake driver's tests say of
 * theirs. ctest gives PoCL three devices; where a driver has too few for a
 * test, that is skipped.
 */
#include "bytes.h"
#include "log_capture.h"
#include "memory_store.h"
#include "programs.h"
#include "run_kernel.h"

#include "test.h"
#include "test_platform.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_devices = 8 };

static const char *const source =
        "__kernel void store(__global uint *out) { out[0] = VALUE; }";
static const char *const options = "-DVALUE=7";

/* All devices of the platform that is tested. */
static cl_uint get_devices(cl_device_id devices[most_devices])
{
    cl_platform_id platform = NULL;
    cl_uint count = 0;
    cl_device_id first = test_platform_device();
    EXPECT_NOT_NULL(first);
    if (first == NULL) return 0;
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(first, CL_DEVICE_PLATFORM,
                                  sizeof platform, &platform, NULL));
    EXPECT_EQ(CL_SUCCESS, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL,
                                  most_devices, devices, &count));
    return count < most_devices ? count : most_devices;
}

static void device_text(char text[256], cl_device_id device, cl_uint what)
{
    text[0] = '\0';
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(device, what, 256, text, NULL));
}

/* Two devices whose names are the same, or are not. */
static bool find_two(cl_device_id two[2], bool same)
{
    cl_device_id devices[most_devices];
    char names[most_devices][256];
    const cl_uint count = get_devices(devices);
    for (cl_uint i = 0; i < count; i++) {
        device_text(names[i], devices[i], CL_DEVICE_NAME);
        for (cl_uint j = 0; j < i; j++) {
            if ((strcmp(names[i], names[j]) == 0) != same) continue;
            two[0] = devices[j];
            two[1] = devices[i];
            return true;
        }
    }
    return false;
}

/* rusticl's devices have no parts, and it dies of being asked for some. */
static bool has_parts(cl_device_id device)
{
    cl_uint most = 0;
    cl_device_partition_property kinds[16] = {0};
    return clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
                   sizeof most, &most, NULL)
                   == CL_SUCCESS
           && clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES,
                      sizeof kinds, kinds, NULL)
                      == CL_SUCCESS
           && most > 1 && kinds[0] != 0;
}

/* The halves of a device that has two compute units or more. */
static bool find_half(cl_device_id *whole, cl_device_id halves[2])
{
    cl_device_id devices[most_devices];
    const cl_uint count = get_devices(devices);
    for (cl_uint i = 0; i < count; i++) {
        cl_uint units = 0;
        cl_uint made = 0;
        clGetDeviceInfo(devices[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units,
                &units, NULL);
        const cl_device_partition_property parts[] = {
                CL_DEVICE_PARTITION_BY_COUNTS, units / 2, units - units / 2,
                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
        if (units < 2 || !has_parts(devices[i])
                || clCreateSubDevices(devices[i], parts, 2, halves, &made)
                           != CL_SUCCESS)
            continue;
        EXPECT_EQ(2, made);
        *whole = devices[i];
        return true;
    }
    return false;
}

/* An engine in a context of its own. */
static dnnl_engine_t engine_of(cl_device_id device)
{
    cl_int error;
    dnnl_engine_t engine = NULL;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_OK(dnnl_ocl_interop_engine_create(&engine, device, context));
    clReleaseContext(context);
    return engine;
}

/* A program's ID and blob, compiled for the device and run there. */
struct made {
    struct bytes id;
    struct bytes blob;
};

static struct made make_on(cl_device_id device)
{
    struct made made;
    dnnl_engine_t engine = engine_of(device);
    dnnl_cache_program_desc_t desc = describe(engine, source, options);
    dnnl_cache_program_t program = create(desc);
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_EQ(7, run_kernel(engine, program, "store"));
    made.id = program_id(desc);
    made.blob = program_blob(program);
    EXPECT_GT(made.id.size, 0);
    EXPECT_GT(made.blob.size, 0);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
    return made;
}

static void made_free(struct made *made)
{
    bytes_free(&made->id);
    bytes_free(&made->blob);
}

/* The device has the program's ID, and the blob runs there. */
static void expect_serves(const struct made *made, cl_device_id device)
{
    dnnl_engine_t engine = engine_of(device);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            engine, dnnl_cache_compile_mode_cached_only));
    dnnl_cache_program_desc_t desc = describe(engine, source, options);
    struct bytes id = program_id(desc);
    EXPECT_BYTES_EQ(made->id.data, made->id.size, id.data, id.size);
    dnnl_cache_program_t program = create_from(desc, &made->blob);
    EXPECT_EQ(dnnl_cache_origin_blob, info_of(program).origin);
    EXPECT_EQ(7, run_kernel(engine, program, "store"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
    bytes_free(&id);
}

/* ---- IDs ----------------------------------------------------------------- */

TEST_C(RealDevice, IdHasWhatTheDriverTells)
{
    cl_device_id devices[most_devices];
    cl_platform_id platform = NULL;
    char text[256];
    ASSERT_TRUE(get_devices(devices) > 0);
    struct bytes id = engine_id(devices[0]);
    EXPECT_GT(id.size, 0);
    device_text(text, devices[0], CL_DEVICE_NAME);
    expect_id_field(&id, "device_name", text);
    device_text(text, devices[0], CL_DEVICE_VERSION);
    expect_id_field(&id, "device_version", text);
    device_text(text, devices[0], CL_DRIVER_VERSION);
    expect_id_field(&id, "driver_version", text);
    clGetDeviceInfo(
            devices[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    EXPECT_EQ(CL_SUCCESS, clGetPlatformInfo(platform, CL_PLATFORM_NAME,
                                  sizeof text, text, NULL));
    expect_id_field(&id, "platform_name", text);
    expect_id_field(&id, "library_version", dnnl_cache_version());
    bytes_free(&id);
}

TEST_C(RealDevice, IdIsGivenForTheDeviceAlone)
{
    cl_device_id devices[most_devices];
    ASSERT_TRUE(get_devices(devices) > 0);
    expect_size_query(query_engine_id, devices[0]);
}

TEST_C(RealDevice, OfAnotherNameHasAnotherId)
{
    cl_device_id two[2];
    if (!find_two(two, false)) SKIP_TEST("all devices are the same here");
    struct bytes one = engine_id(two[0]);
    struct bytes other = engine_id(two[1]);
    EXPECT_GT(one.size, 0);
    EXPECT_GT(other.size, 0);
    EXPECT_FALSE(bytes_equal(&one, &other));
    char *names = id_diff_names(&one, &other);
    EXPECT_NOT_NULL(strstr(names, "device_name"));
    free(names);
    bytes_free(&one);
    bytes_free(&other);
}

/* ---- Programs ------------------------------------------------------------ */

TEST_C(RealDevice, OfAnotherNameRefusesABlob)
{
    cl_device_id two[2];
    if (!find_two(two, false)) SKIP_TEST("all devices are the same here");
    struct made made = make_on(two[0]);
    dnnl_engine_t engine = engine_of(two[1]);
    dnnl_cache_program_desc_t desc = describe(engine, source, options);
    dnnl_cache_program_t program = NULL;
    struct log_capture log;
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &program, desc, made.blob.size, made.blob.data));
    /* By the ID: the driver was not asked, and might have taken it. */
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "device_name"));
    log_capture_stop(&log);
    EXPECT_NULL(program);
    program = create(desc); /* no more than a miss */
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_EQ(7, run_kernel(engine, program, "store"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
    made_free(&made);
}

/* Though the driver numbers its devices, as PoCL does. */
TEST_C(RealDevice, OfTheSameNameTakesABlob)
{
    cl_device_id two[2];
    if (!find_two(two, true)) SKIP_TEST("no two devices are the same here");
    struct bytes one = engine_id(two[0]);
    struct bytes other = engine_id(two[1]);
    EXPECT_BYTES_EQ(one.data, one.size, other.data, other.size);
    struct made made = make_on(two[0]);
    expect_serves(&made, two[1]);
    made_free(&made);
    bytes_free(&one);
    bytes_free(&other);
}

/* In one context: what one puts the other loads, and both load it at the next
 * start, each for itself; an entry that is damaged is compiled and put once. */
static dnnl_cache_origin_t build_in(
        struct memory_store *store, cl_context context, cl_device_id device)
{
    dnnl_engine_t engine = NULL;
    EXPECT_OK(dnnl_ocl_interop_engine_create(&engine, device, context));
    EXPECT_OK(dnnl_cache_engine_set_store(engine, &store->callbacks));
    dnnl_cache_program_t program = build(engine, source, options);
    const dnnl_cache_origin_t origin = info_of(program).origin;
    EXPECT_EQ(7, run_kernel(engine, program, "store"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(engine));
    return origin;
}

static void expect_origins(struct memory_store *store,
        const cl_device_id two[2], dnnl_cache_origin_t first)
{
    cl_int error;
    cl_context both = clCreateContext(NULL, 2, two, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(first, build_in(store, both, two[0]));
    EXPECT_EQ(dnnl_cache_origin_store_hit, build_in(store, both, two[1]));
    EXPECT_EQ(1, memory_store_count(store, dnnl_cache_blob_kind_program));
    clReleaseContext(both);
}

TEST_C(RealDevice, OfTheSameNameHasOneEntry)
{
    cl_device_id two[2];
    struct memory_store store;
    if (!find_two(two, true)) SKIP_TEST("no two devices are the same here");
    memory_store_open(&store);
    expect_origins(&store, two, dnnl_cache_origin_compiled);
    EXPECT_EQ(1, store.puts);
    expect_origins(&store, two, dnnl_cache_origin_store_hit);
    EXPECT_EQ(1, store.puts);
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++)
        if (store.entries[i].blob.size > 0)
            store.entries[i].blob.data[store.entries[i].blob.size / 2] ^= 1;
    expect_origins(&store, two, dnnl_cache_origin_compiled);
    EXPECT_EQ(2, store.puts);
    memory_store_close(&store);
}

TEST_C(RealDevice, PartsAndTheWholeTakeEachOthersBlobs)
{
    cl_device_id whole;
    cl_device_id halves[2];
    if (!find_half(&whole, halves)) SKIP_TEST("no device has parts here");
    struct made of_whole = make_on(whole);
    struct made of_half = make_on(halves[0]);
    expect_serves(&of_whole, halves[0]);
    expect_serves(&of_half, whole);
    expect_serves(&of_half, halves[1]);
    made_free(&of_whole);
    made_free(&of_half);
    /* The halves are not released: PoCL (3.1) reads the sub-device of a command
     * after clFinish() has returned. */
}

/* Two engines of one context: each has its program and kernel, made once. */
TEST_C(RealDevice, OfAContextHasItsOwnPrograms)
{
    cl_device_id two[2];
    cl_int error;
    dnnl_engine_t engines[2] = {NULL, NULL};
    dnnl_cache_program_t programs[4];
    if (!find_two(two, true)) SKIP_TEST("no two devices are the same here");
    cl_context both = clCreateContext(NULL, 2, two, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_ocl_interop_engine_create(&engines[i], two[i], both));
    for (size_t i = 0; i < 4; i++) {
        programs[i] = build(engines[i % 2], source, options);
        EXPECT_EQ(i < 2 ? dnnl_cache_origin_compiled
                        : dnnl_cache_origin_memory_hit,
                info_of(programs[i]).origin);
        EXPECT_EQ(7, run_kernel(engines[i % 2], programs[i], "store"));
    }
    for (size_t i = 0; i < 4; i++)
        EXPECT_OK(dnnl_cache_program_destroy(programs[i]));
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_engine_destroy(engines[i]));
    clReleaseContext(both);
}

/* ---- Threads ------------------------------------------------------------- */

enum { threads = 8, values = 2, rounds = 20 };

struct user {
    pthread_t thread;
    dnnl_engine_t engine;
    unsigned number;
    unsigned compiled;
};

static void *build_and_run(void *user)
{
    static const char *const of_value[values] = {"-DVALUE=1", "-DVALUE=2"};
    struct user *u = user;
    for (unsigned i = 0; i < rounds; i++) {
        const unsigned which = (u->number + i) % values;
        dnnl_cache_program_t program =
                build(u->engine, source, of_value[which]);
        u->compiled += info_of(program).origin == dnnl_cache_origin_compiled;
        EXPECT_EQ(which + 1, run_kernel(u->engine, program, "store"));
        EXPECT_OK(dnnl_cache_program_destroy(program));
    }
    return NULL;
}

/* One context, several kernels at once: each program is compiled once, and
 * each launch computes what it should. */
TEST_C(RealDevice, OneContextServesManyThreads)
{
    cl_device_id devices[most_devices];
    struct user users[threads];
    unsigned compiled = 0;
    if (!test_platform_takes_threads())
        SKIP_TEST("two threads must not use this driver at once");
    ASSERT_TRUE(get_devices(devices) > 0);
    dnnl_engine_t engine = engine_of(devices[0]);
    for (unsigned i = 0; i < threads; i++) {
        users[i] = (struct user){.engine = engine, .number = i};
        ASSERT_EQ(0, pthread_create(
                             &users[i].thread, NULL, build_and_run, &users[i]));
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(users[i].thread, NULL);
        compiled += users[i].compiled;
    }
    EXPECT_EQ(values, compiled);
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* ---- Engines ------------------------------------------------------------- */

TEST_C(RealDevice, EngineBlobFollowsTheRuleOfSizes)
{
    cl_device_id devices[most_devices];
    ASSERT_TRUE(get_devices(devices) > 0);
    dnnl_engine_t engine = engine_of(devices[0]);
    expect_size_query(query_engine_blob, engine);
    EXPECT_OK(dnnl_engine_destroy(engine));
}

TEST_C(RealDevice, EngineFromABlobHasItsDeviceAndContext)
{
    cl_device_id devices[most_devices];
    cl_int error;
    dnnl_engine_t warm = NULL;
    cl_device_id device = NULL;
    cl_context inner = NULL;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    ASSERT_TRUE(get_devices(devices) > 0);
    dnnl_engine_t cold = engine_of(devices[0]);
    struct bytes blob = engine_blob(cold);
    EXPECT_OK(dnnl_engine_destroy(cold));
    cl_context context = clCreateContext(NULL, 1, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    EXPECT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &warm, devices[0], context, blob.size, blob.data));
    EXPECT_OK(dnnl_ocl_interop_get_device(warm, &device));
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(warm, &inner));
    EXPECT_PTR_EQ(devices[0], device);
    EXPECT_PTR_EQ(context, inner);
    EXPECT_OK(dnnl_cache_engine_get_creation_info(warm, &info));
    EXPECT_EQ(dnnl_cache_origin_blob, info.origin);
    struct bytes again = engine_blob(warm);
    EXPECT_BYTES_EQ(blob.data, blob.size, again.data, again.size);
    dnnl_cache_program_t program = build(warm, source, options);
    EXPECT_EQ(7, run_kernel(warm, program, "store"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(warm));
    clReleaseContext(context);
    bytes_free(&again);
    bytes_free(&blob);
}

/* In a context of two devices it is that of the one that was asked for. */
TEST_C(RealDevice, EngineFromABlobIsOfEachDeviceOfAContext)
{
    cl_device_id two[2];
    cl_int error;
    if (!find_two(two, true) && !find_two(two, false))
        SKIP_TEST("there is one device here");
    cl_context both = clCreateContext(NULL, 2, two, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    for (int i = 0; i < 2; i++) {
        dnnl_engine_t warm = NULL;
        cl_device_id device = NULL;
        dnnl_engine_t cold = engine_of(two[i]);
        struct bytes blob = engine_blob(cold);
        EXPECT_OK(dnnl_engine_destroy(cold));
        EXPECT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
                &warm, two[i], both, blob.size, blob.data));
        EXPECT_OK(dnnl_ocl_interop_get_device(warm, &device));
        EXPECT_PTR_EQ(two[i], device);
        EXPECT_OK(dnnl_engine_destroy(warm));
        bytes_free(&blob);
    }
    clReleaseContext(both);
}

TEST_C(RealDevice, EngineBlobOfAnotherIsRefused)
{
    cl_device_id two[2];
    dnnl_engine_t warm = NULL;
    cl_int error;
    if (!find_two(two, false)) SKIP_TEST("all devices are the same here");
    dnnl_engine_t cold = engine_of(two[0]);
    struct bytes blob = engine_blob(cold);
    cl_context context = clCreateContext(NULL, 1, &two[1], NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_ocl_interop_engine_create_from_cache_blob(
                    &warm, two[1], context, blob.size, blob.data));
    EXPECT_NULL(warm);
    clReleaseContext(context);
    EXPECT_OK(dnnl_engine_destroy(cold));
    bytes_free(&blob);
}
