/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every fact in an engine's blob changes what is launched or compiled, be it
 * found by the probe or read from a blob.
 */
#include "blob_edit.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last launch of a new primitive's descriptor, which is destroyed: its
 * empty warm-up launch, with the local size of every other. */
static struct fake_opencl_launch launch_of(dnnl_primitive_desc_t pd)
{
    struct fake_opencl_launch launch;
    dnnl_primitive_t primitive = NULL;
    memset(&launch, 0, sizeof launch);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_TRUE(fake_opencl_last_launch(&launch));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return launch;
}

static size_t group_size(const struct fake_opencl_launch *launch)
{
    size_t size = 1;
    for (cl_uint i = 0; i < launch->work_dim; i++)
        size *= launch->local[i];
    return size;
}

/* Work-items of a group of a large matrix product, or of a relu, on a device
 * with these settings. */
static size_t matmul_group(const char *key, const char *value)
{
    struct rig rig;
    fake_opencl_set(key, value);
    rig_open(&rig, 0);
    struct fake_opencl_launch launch = launch_of(matmul_desc(rig.engine, 256));
    rig_close(&rig);
    return group_size(&launch);
}

static size_t relu_group(const char *key, const char *value)
{
    struct rig rig;
    fake_opencl_set(key, value);
    rig_open(&rig, 0);
    struct fake_opencl_launch launch =
            launch_of(relu_desc(rig.engine, 10000, 0.0f));
    rig_close(&rig);
    return group_size(&launch);
}

/* The last launch of a large relu that is executed. */
static struct fake_opencl_launch execute_relu(
        const char *device_type, const char *compute_units)
{
    struct rig rig;
    struct fake_opencl_launch launch = {.work_dim = 0};
    fake_opencl_set("DEVICE_TYPE", device_type);
    fake_opencl_set("COMPUTE_UNITS", compute_units);
    rig_open(&rig, 0);
    const dnnl_dim_t size = 1 << 22;
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, size, 0.0f);
    dnnl_memory_desc_t md = vector_desc(size);
    dnnl_primitive_t primitive = NULL;
    dnnl_memory_t memory = NULL;
    dnnl_stream_t stream = NULL;
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(
            dnnl_memory_create(&memory, md, rig.engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_stream_create(&stream, rig.engine, dnnl_stream_in_order));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    EXPECT_OK(dnnl_primitive_execute(primitive, stream, 2, args));
    EXPECT_OK(dnnl_stream_wait(stream));
    EXPECT_TRUE(fake_opencl_last_launch(&launch));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
    return launch;
}

TEST_C(EngineFacts, ComputeUnitsDecideTheNumberOfGroups)
{
    struct fake_opencl_launch launch = execute_relu("gpu", "3");
    EXPECT_EQ(3 * 32 * launch.local[0], launch.global[0]);
    launch = execute_relu("gpu", "4");
    EXPECT_EQ(4 * 32 * launch.local[0], launch.global[0]);
    launch = execute_relu("cpu", "1");
    EXPECT_EQ(32 * launch.local[0], launch.global[0]);
}

/* As PoCL compiles another function for more. */
TEST_C(EngineFacts, GridsOfCpusStaySmall)
{
    const struct fake_opencl_launch launch = execute_relu("cpu", "10000");
    EXPECT_LT(launch.global[0], 65535);
    EXPECT_GE(launch.global[0] + launch.local[0], 65535);
}

TEST_C(EngineFacts, SimdWidthDecidesTheTileOfMatmul)
{
    fake_opencl_set("SUBGROUP_SIZE", "0");
    size_t narrow = matmul_group("WG_MULTIPLE", "8");
    size_t wide = matmul_group("WG_MULTIPLE", "32");
    EXPECT_NE(narrow, wide);
}

TEST_C(EngineFacts, SubGroupSizeIsTheSimdWidthIfItIsLarger)
{
    fake_opencl_set("WG_MULTIPLE", "8");
    size_t narrow = matmul_group("SUBGROUP_SIZE", "8");
    fake_opencl_set("WG_MULTIPLE", "8");
    size_t wide = matmul_group("SUBGROUP_SIZE", "64");
    EXPECT_NE(narrow, wide);
}

TEST_C(EngineFacts, SimdWidthDividesElementWiseGroups)
{
    static const char *const widths[] = {"1", "24", "32", "100", "256"};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        fake_opencl_set("SUBGROUP_SIZE", "0");
        size_t group = relu_group("WG_MULTIPLE", widths[i]);
        EXPECT_GT(group, 0);
        EXPECT_EQ(0, group % strtoul(widths[i], NULL, 10));
    }
}

TEST_C(EngineFacts, LargestWorkGroupBoundsLaunches)
{
    static const char *const sizes[] = {"1", "2", "16", "64", "128", "256"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t most = strtoul(sizes[i], NULL, 10);
        EXPECT_LE(relu_group("KERNEL_WORK_GROUP_SIZE", sizes[i]), most);
        EXPECT_LE(matmul_group("KERNEL_WORK_GROUP_SIZE", sizes[i]), most);
    }
    EXPECT_EQ(16, relu_group("KERNEL_WORK_GROUP_SIZE", "16"));
    EXPECT_EQ(64, relu_group("KERNEL_WORK_GROUP_SIZE", "64"));
}

static dnnl_status_t half_reorder(const char *accepts)
{
    struct rig rig;
    dnnl_primitive_desc_t pd = NULL;
    fake_opencl_set("ACCEPTS", accepts);
    rig_open(&rig, 0);
    dnnl_status_t st = try_reorder_desc(&pd, rig.engine, 16, dnnl_f16);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
    return st;
}

TEST_C(EngineFacts, HalfDecidesWhetherReordersOfItExist)
{
    EXPECT_STATUS(dnnl_unimplemented, half_reorder("0"));
    EXPECT_STATUS(dnnl_unimplemented, half_reorder("2"));
    EXPECT_STATUS(dnnl_success, half_reorder("1"));
    EXPECT_STATUS(dnnl_success, half_reorder("3"));
}

TEST_C(EngineFacts, NoHalfLeavesOtherReorders)
{
    struct rig rig;
    dnnl_primitive_desc_t pd = NULL;
    fake_opencl_set("ACCEPTS", "0");
    rig_open(&rig, 0);
    EXPECT_OK(try_reorder_desc(&pd, rig.engine, 16, dnnl_s8));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

/* True if a matrix product is compiled with that option where the driver has
 * this setting. */
static bool is_compiled_with(
        const char *key, const char *value, const char *option)
{
    struct rig rig;
    char path[512];
    char line[1024];
    bool found = false;
    snprintf(path, sizeof path, "%s/%s", test_directory(), value);
    fake_opencl_set(key, value);
    fake_opencl_set("LOG", path);
    rig_open(&rig, 0);
    (void)launch_of(matmul_desc(rig.engine, 256));
    rig_close(&rig);
    FILE *log = fopen(path, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        if (strncmp(line, "clBuildProgram", 14) == 0)
            found = found || strstr(line, option) != NULL;
    EXPECT_TRUE(log != NULL);
    if (log != NULL) fclose(log);
    return found;
}

TEST_C(EngineFacts, FmaDecidesHowMatmulIsCompiled)
{
    EXPECT_FALSE(is_compiled_with("ACCEPTS", "1", "USE_FMA"));
    EXPECT_TRUE(is_compiled_with("ACCEPTS", "3", "USE_FMA"));
}

static bool is_compiled_for_cpu_with(
        const char *local_memory, const char *option)
{
    fake_opencl_set("SUBGROUP_SIZE", "0");
    fake_opencl_set("WG_MULTIPLE", "8");
    return is_compiled_with("LOCAL_MEM_SIZE", local_memory, option);
}

TEST_C(EngineFacts, LocalMemoryDecidesHowLargeTilesOfCpusAre)
{
    EXPECT_TRUE(is_compiled_for_cpu_with("65535", "-DTILE_K=64"));
    EXPECT_TRUE(is_compiled_for_cpu_with("65536", "-DTILE_K=128"));
}

/* ---- From a blob --------------------------------------------------------- */

/* The same decisions by the facts a blob brings: no probe is asked. */
static size_t relu_group_by_blob(uint32_t simd, uint32_t largest)
{
    struct rig rig;
    dnnl_engine_t warm = NULL;
    struct fake_opencl_launch launch;
    memset(&launch, 0, sizeof launch);
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    struct bytes other = blob_with_facts(&blob, simd, largest, 1);
    EXPECT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &warm, rig.device, rig.context, other.size, other.data));
    launch = launch_of(relu_desc(warm, 10000, 0.0f));
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&other);
    bytes_free(&blob);
    rig_close(&rig);
    return group_size(&launch);
}

TEST_C(EngineFacts, OfABlobDecideTheSame)
{
    EXPECT_EQ(256, relu_group_by_blob(32, 256));
    EXPECT_EQ(48, relu_group_by_blob(24, 256));
    EXPECT_EQ(64, relu_group_by_blob(32, 64));
}

TEST_RIG(EngineFacts, OfABlobDecideWhetherHalfReordersExist)
{
    dnnl_engine_t warm = NULL;
    dnnl_primitive_desc_t pd = NULL;
    struct bytes blob = engine_blob(rig->engine);
    for (uint32_t accepts = 0; accepts <= 3; accepts++) {
        struct bytes other = blob_with_facts(&blob, 32, 256, accepts);
        ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
                &warm, rig->device, rig->context, other.size, other.data));
        EXPECT_STATUS((accepts & 1) != 0 ? dnnl_success : dnnl_unimplemented,
                try_reorder_desc(&pd, warm, 16, dnnl_f16));
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
        pd = NULL;
        EXPECT_OK(dnnl_engine_destroy(warm));
        bytes_free(&other);
    }
    bytes_free(&blob);
}

/* Primitives planned by one engine's facts are not those of another's. */
TEST_RIG(EngineFacts, TellPrimitivesOfOneContextApart)
{
    dnnl_engine_t warm = NULL;
    struct bytes blob = engine_blob(rig->engine);
    struct bytes other = blob_with_facts(&blob, 32, 64, 1);
    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &warm, rig->device, rig->context, other.size, other.data));
    struct fake_opencl_launch large =
            launch_of(relu_desc(rig->engine, 10000, 0.0f));
    struct fake_opencl_launch small = launch_of(relu_desc(warm, 10000, 0.0f));
    EXPECT_EQ(256, group_size(&large));
    EXPECT_EQ(64, group_size(&small));
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&other);
    bytes_free(&blob);
}
