/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the IDs of a device's objects are made of: every ingredient is changed
 * alone, in a process of its own, and nothing but that ingredient may differ;
 * what must not matter is changed too.
 */
#include "identity_process.h"

#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_TEST_VARIABLES = 8 };

/* Two processes with these environments: their engine, program and primitive
 * IDs differ in exactly these ingredients. */
static void expect_difference(
        const char *names, const char *const *one, const char *const *other)
{
    struct identity a;
    struct identity b;
    identity_init(&a, one, NULL);
    identity_init(&b, other, NULL);
    EXPECT_GT(a.engine.size, 0);
    EXPECT_GT(b.engine.size, 0);
    if (!test_has_failed()) {
        expect_id_diff(names, &a.engine, &b.engine);
        expect_id_diff(names, &a.program, &b.program);
#ifdef DNNL_CACHE_TEST_PRIMITIVES
        expect_id_diff(names, &a.primitive, &b.primitive);
#endif
    }
    identity_fini(&a);
    identity_fini(&b);
}

/* An ingredient of all IDs. The variables before NULL are set in both
 * processes, those after it in the second one. */
#define COUNTS(test, names, ...)                                    \
    TEST_C(Identity, test)                                          \
    {                                                               \
        static const char *const variables[] = {__VA_ARGS__, NULL}; \
        expect_variables_to_matter(names, variables);               \
    }

#define DOES_NOT_COUNT(test, ...) COUNTS(test, "", __VA_ARGS__)

static void expect_variables_to_matter(
        const char *names, const char *const *variables)
{
    const char *one[MAX_TEST_VARIABLES] = {NULL};
    const char *other[MAX_TEST_VARIABLES] = {NULL};
    size_t common = 0;
    size_t n;
    for (; variables[common] != NULL; common++)
        one[common] = other[common] = variables[common];
    for (n = common; variables[n + 1] != NULL; n++)
        other[n] = variables[n + 1];
    /* What is changed replaces what both have. */
    for (size_t i = 0; i < common; i++)
        for (size_t j = common; j < n; j++)
            if (strncmp(other[i], other[j], strcspn(other[j], "=") + 1) == 0)
                other[i] = other[j];
    expect_difference(names, one, other);
}

#define FAKE "FAKE_OPENCL_"

/* ---- The library --------------------------------------------------------- */

/* What is the library's own depends on all of its sources; the application's
 * programs depend on what their IDs have versions of. */
TEST_C(Identity, AnotherBuildHasTheSameIdsOfTheApplicationsPrograms)
{
    static const char *const nothing[] = {NULL};
    static const char names[] = "library_source_digest, library_git_hash";
    struct identity ours;
    struct identity other;
    identity_init(&ours, nothing, NULL);
    identity_init_of(PRINT_IDS_OTHER_BUILD, &other, nothing, NULL);
    EXPECT_GT(ours.program.size, 0);
    if (!test_has_failed()) {
        expect_id_diff("", &ours.program, &other.program);
        expect_id_diff(names, &ours.engine, &other.engine);
#ifdef DNNL_CACHE_TEST_PRIMITIVES
        expect_id_diff(names, &ours.primitive, &other.primitive);
#endif
    }
    identity_fini(&ours);
    identity_fini(&other);
}

/* ---- The platform -------------------------------------------------------- */

COUNTS(PlatformNameCounts, "platform_name", NULL, FAKE "PLATFORM_NAME=Other")
COUNTS(PlatformVendorCounts, "platform_vendor", NULL,
        FAKE "PLATFORM_VENDOR=Somebody")
COUNTS(PlatformVersionCounts, "platform_version", NULL,
        FAKE "PLATFORM_VERSION=OpenCL 3.0 fake platform 2")
COUNTS(PlatformProfileCounts, "platform_profile", NULL,
        FAKE "PLATFORM_PROFILE=EMBEDDED_PROFILE")

/* ---- The device ---------------------------------------------------------- */

COUNTS(DeviceNameCounts, "device_name", NULL, FAKE "DEVICE_NAME=Fake GPU 2")
COUNTS(DeviceVendorCounts, "device_vendor", NULL, FAKE "DEVICE_VENDOR=Somebody")
COUNTS(DeviceVendorIdCounts, "device_vendor_id", NULL,
        FAKE "DEVICE_VENDOR_ID=0xfa4f")
/* There it is a number of the device. */
DOES_NOT_COUNT(PoclsDeviceVendorIdDoesNotCount,
        FAKE "PLATFORM_NAME=Portable Computing Language", NULL,
        FAKE "DEVICE_VENDOR_ID=0xfa4f")
COUNTS(DeviceVersionCounts, "device_version", NULL,
        FAKE "DEVICE_VERSION=OpenCL 3.0 fake device 2")
COUNTS(OpenclCVersionCounts, "opencl_c_version", NULL,
        FAKE "OPENCL_C_VERSION=OpenCL C 1.2 fake compiler 2")
COUNTS(DeviceTypeCounts, "device_type", FAKE "DEVICE_TYPE=cpu", NULL,
        FAKE "DEVICE_TYPE=accelerator")
/* An emulator of accelerators makes code for the processor. */
COUNTS(ProcessorOfAnAcceleratorCounts,
        "device_type, processor, processor_features", NULL,
        FAKE "DEVICE_TYPE=accelerator")
/* Of a CPU its processor counts; its clock does not. */
COUNTS(ProcessorOfACpuCounts, "device_type, processor, processor_features",
        NULL, FAKE "DEVICE_TYPE=cpu")
DOES_NOT_COUNT(ClockOfACpuDoesNotCount, FAKE "DEVICE_TYPE=cpu",
        FAKE "DEVICE_NAME=Fake CPU @ 2.30GHz", NULL,
        FAKE "DEVICE_NAME=Fake CPU @ 3.00GHz")
COUNTS(ClockOfAnotherDeviceCounts, "device_name",
        FAKE "DEVICE_NAME=Fake GPU @ 2.30GHz", NULL,
        FAKE "DEVICE_NAME=Fake GPU @ 3.00GHz")
COUNTS(AddressBitsCount, "address_bits", NULL, FAKE "ADDRESS_BITS=32")
COUNTS(ByteOrderCounts, "byte_order", NULL, FAKE "ENDIAN_LITTLE=0")
COUNTS(ExtensionsCount, "device_extensions", NULL,
        FAKE "EXTENSIONS=cl_khr_byte_addressable_store cl_khr_subgroups "
             "cl_fake_more")
/* KERNEL_WORK_GROUP_SIZE: what the probe finds stays as it was. */
COUNTS(LargestWorkGroupCounts, "device_limits",
        FAKE "KERNEL_WORK_GROUP_SIZE=64", NULL, FAKE "MAX_WORK_GROUP_SIZE=128")
COUNTS(WorkItemDimensionsCount, "device_limits", NULL,
        FAKE "MAX_WORK_ITEM_DIMENSIONS=4")
COUNTS(FloatingPointConfigurationCounts, "device_limits", NULL,
        FAKE "SINGLE_FP_CONFIG=0x27")
COUNTS(DriverVersionCounts, "driver_version", NULL, FAKE "DRIVER_VERSION=1.1")

/* A prefix or a longer version is not the same version. */
COUNTS(LongerDriverVersionCounts, "driver_version", FAKE "DRIVER_VERSION=535.1",
        NULL, FAKE "DRIVER_VERSION=535.10")

/* ---- What vendors' extensions tell --------------------------------------- */

COUNTS(NvidiaComputeCapabilityMajorCounts, "nv_compute_capability",
        FAKE "NV_CC=8.0", NULL, FAKE "NV_CC=9.0")
COUNTS(NvidiaComputeCapabilityMinorCounts, "nv_compute_capability",
        FAKE "NV_CC=8.0", NULL, FAKE "NV_CC=8.6")
COUNTS(IntelIpVersionCounts, "intel_ip_version", FAKE "INTEL_DEVICE_ID=0x56a0",
        FAKE "INTEL_IP_VERSION=0x030dc008", NULL,
        FAKE "INTEL_IP_VERSION=0x030dc004")
COUNTS(IntelDeviceIdCounts, "intel_device_id",
        FAKE "INTEL_IP_VERSION=0x030dc008", FAKE "INTEL_DEVICE_ID=0x56a0", NULL,
        FAKE "INTEL_DEVICE_ID=0x56a1")
COUNTS(AmdGfxIpCounts, "amd_isa_name", FAKE "AMD_GFXIP=9.0", NULL,
        FAKE "AMD_GFXIP=9.4")
COUNTS(AmdPcieIdCounts, "amd_pcie_id", FAKE "AMD_PCIE_ID=0x74a0", NULL,
        FAKE "AMD_PCIE_ID=0x74a1")

#define UUID_A "00112233445566778899aabbccddeeff"
#define UUID_B "00112233445566778899aabbccddee00"
#define UUID_C "ffeeddccbbaa99887766554433221100"

COUNTS(DriverUuidCounts, "driver_uuid", FAKE "DEVICE_UUID=" UUID_A,
        FAKE "DRIVER_UUID=" UUID_B, NULL, FAKE "DRIVER_UUID=" UUID_C)

TEST_C(Identity, DriverUuidEqualToTheDevicesDoesNotCount)
{
    static const char *const one[] = {
            FAKE "DEVICE_UUID=" UUID_A, FAKE "DRIVER_UUID=" UUID_A, NULL};
    static const char *const other[] = {
            FAKE "DEVICE_UUID=" UUID_B, FAKE "DRIVER_UUID=" UUID_B, NULL};
    expect_difference("", one, other);
}

DOES_NOT_COUNT(NvidiasDriverUuidDoesNotCount,
        FAKE "PLATFORM_VENDOR=NVIDIA Corporation", FAKE "DEVICE_UUID=" UUID_A,
        FAKE "DRIVER_UUID=" UUID_B, NULL, FAKE "DRIVER_UUID=" UUID_C)

/* ---- The driver's build -------------------------------------------------- */

COUNTS(BuildIdOfTheDriverCounts, "driver_build, driver_components", NULL,
        "OCL_ICD_VENDORS=" FAKE_VENDORS "_rebuilt")
COUNTS(BuildIdOfALinkedCompilerCounts, "driver_components",
        "OCL_ICD_VENDORS=" FAKE_VENDORS "_compiler_a", NULL,
        "OCL_ICD_VENDORS=" FAKE_VENDORS "_compiler_b")

TEST_C(Identity, DriverWithoutBuildIdIsKnownByItsContents)
{
    static const char *const usual[] = {NULL};
    static const char *const stripped[] = {
            "OCL_ICD_VENDORS=" FAKE_VENDORS "_nobuildid", NULL};
    expect_difference("driver_build, driver_components", usual, stripped);
    expect_difference("", stripped, stripped);
}

/* Runs the driver from a copy in the test's directory, with `extra` bytes
 * behind it and of another time. Writes the directory to set as
 * OCL_ICD_VENDORS. */
static void copy_driver(
        const char *driver, const char *extra, char *variable, size_t size)
{
    static const struct timespec long_ago[] = {
            {1000000000, 0}, {1000000000, 0}};
    char path[512];
    char buffer[4096];
    size_t n;
    const char *name = strrchr(driver, '/');
    ASSERT_NOT_NULL(name);
    snprintf(path, sizeof path, "%.300s%.100s", test_directory(), name);
    FILE *from = fopen(driver, "rb");
    FILE *to = fopen(path, "wb");
    ASSERT_TRUE(from != NULL && to != NULL);
    while ((n = fread(buffer, 1, sizeof buffer, from)) > 0)
        EXPECT_EQ(n, fwrite(buffer, 1, n, to));
    EXPECT_TRUE(fputs(extra, to) >= 0);
    fclose(from);
    EXPECT_EQ(0, fclose(to));
    EXPECT_EQ(0, utimensat(AT_FDCWD, path, long_ago, 0));
    snprintf(buffer, sizeof buffer, "%.300s/fake.icd", test_directory());
    FILE *icd = fopen(buffer, "w");
    ASSERT_TRUE(icd != NULL);
    fprintf(icd, "%s\n", path);
    EXPECT_EQ(0, fclose(icd));
    snprintf(variable, size, "OCL_ICD_VENDORS=%s", test_directory());
}

static void expect_copy_to_differ(const char *names, const char *vendors,
        const char *driver, const char *extra)
{
    char variable[512] = "";
    copy_driver(driver, extra, variable, sizeof variable);
    const char *const one[] = {vendors, NULL};
    const char *const other[] = {variable, NULL};
    if (!test_has_failed()) expect_difference(names, one, other);
}

TEST_C(Identity, PlaceAndTimeOfTheDriverDoNotCount)
{
    expect_copy_to_differ("", "OCL_ICD_VENDORS=" FAKE_VENDORS, FAKE_DRIVER, "");
}

TEST_C(Identity, PlaceAndTimeOfADriverWithoutBuildIdDoNotCount)
{
    expect_copy_to_differ("", "OCL_ICD_VENDORS=" FAKE_VENDORS "_nobuildid",
            FAKE_DRIVER_NOBUILDID, "");
}

TEST_C(Identity, ContentsOfADriverWithoutBuildIdCount)
{
    expect_copy_to_differ("driver_build, driver_components",
            "OCL_ICD_VENDORS=" FAKE_VENDORS "_nobuildid", FAKE_DRIVER_NOBUILDID,
            "one byte more");
}

/* ---- The environment ----------------------------------------------------- */

TEST_C(Identity, VariablesThatChangeCodeCount)
{
    static const char *const variables[] = {"AMD_OCL_BUILD_OPTIONS=-O0",
            "AMD_OCL_BUILD_OPTIONS_APPEND=-O0", "AMD_OCL_LINK_OPTIONS=-O0",
            "AMD_OCL_LINK_OPTIONS_APPEND=-O0", "CUDA_FORCE_PTX_JIT=1",
            "GALLIVM_PERF=no_opt", "IGC_ForceOCLSIMDWidth=16",
            "IGC_ExtraOCLInternalOptions=-x", "IGC_ExtraOCLOptions=-x",
            "LP_NATIVE_VECTOR_WIDTH=128", "OCLGRIND_BUILD_OPTIONS=-O0",
            "OCLGRIND_DISABLE_PCH=1", "OCLGRIND_PCH_DIR=/x",
            "POCL_BINARY_SPECIALIZE_WG=8-1-1", "POCL_BITCODE_FINALIZER=x",
            "POCL_BUILDING=1", "POCL_CPU_LOCAL_MEM_SIZE=65536",
            "POCL_EXTRA_BUILD_FLAGS=-g", "POCL_FORCE_PARALLEL_OUTER_LOOP=1",
            "POCL_FULL_REPLICATION_THRESHOLD=4",
            "POCL_WILOOPS_MAX_UNROLL_COUNT=4", "POCL_LLVM_VERIFY=1",
            "POCL_MAX_WORK_GROUP_SIZE=64", "CL_CONFIG_CPU_EXPENSIVE_MEM_OPT=1",
            "CL_CONFIG_CPU_FORCE_MAX_WORK_GROUP_SIZE=16384",
            "CL_CONFIG_CPU_O0_VECTORIZATION=True",
            "CL_CONFIG_CPU_REQD_SUB_GROUP_SIZE=4",
            "CL_CONFIG_CPU_RT_LOOP_UNROLL_FACTOR=4",
            "CL_CONFIG_CPU_STREAMING_ALWAYS=True",
            "CL_CONFIG_CPU_SUB_GROUP_CONSTRUCTION=1",
            "CL_CONFIG_CPU_TARGET_ARCH=core-avx2",
            "CL_CONFIG_CPU_VECTORIZER_MODE=4", "CL_CONFIG_LLVM_OPTIONS=-x",
            "CL_CONFIG_LTO_PM=True", "CL_CONFIG_REPLACE_IR_AFTER_OPTIMIZER=x",
            "CL_CONFIG_REPLACE_IR_BEFORE_OPTIMIZER=x",
            "CL_CONFIG_USE_FAST_RELAXED_MATH=True",
            "CL_CONFIG_USE_VECTORIZER=False", "CL_CONFIG_USE_VTUNE=True",
            "POCL_VECTORIZER_FORCE_VECTOR_WIDTH=4",
            "POCL_VECTORIZER_PREFER_VECTOR_WIDTH=4",
            "POCL_WORK_GROUP_METHOD=loopvec",
            "POCL_WORK_GROUP_SPECIALIZATION=0", "RUSTICL_FEATURES=fp64",
            "GNUTARGET=x", "LDEMULATION=x", "LD_RUN_PATH=/x",
            "POCL_ARGS_CLANG=-O1", "POCL_BBVECTORIZE=1", "POCL_IGNORE_CL_STD=1",
            "POCL_KERNELLIB_NAME=x", "POCL_KERNEL_COMPILER_OPT_SWITCH=-O1",
            "POCL_LLVM_ALWAYS_INLINE=1", "POCL_LLVM_CPU_NAME=x",
            "POCL_LLVM_MOVE_NONKERNELS=1", "POCL_PATH_CLANG=/x",
            "POCL_PREGION_VALUE_REMAT=1", "SOURCE_DATE_EPOCH=1",
            "CL_CONFIG_CHANNEL_DEPTH_EMULATION_MODE=1",
            "CL_CONFIG_CPU_FORCE_LOCAL_MEM_SIZE=1",
            "CL_CONFIG_CPU_FORCE_WORK_GROUP_SIZE=1",
            "CL_CONFIG_USE_TRAPPING=True", "DISABLE_INFER_AS=1", "ICX_S2O=1",
            "NO_OVERRIDE_CLANG_VERSION=1", "OCLBACKEND_PLUGINS=x",
            "OPENCL_PROGRAM_COMPILE_OPTIONS=-O0", "GALLIUM_NOSSE=1",
            "GALLIUM_OVERRIDE_CPU_CAPS=sse2", "GALLIVM_DEBUG=x", "LP_CL=1",
            "LP_DEBUG=x", "LP_PERF=no_rast_linear",
            "MESA_SPIRV_FORCE_UNSTRUCTURED=1", "NIR_DEBUG=x"};
    static const char *const none[] = {NULL};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *const one[] = {variables[i], NULL};
        expect_difference("driver_environment", none, one);
        if (test_has_failed()) {
            printf("the variable is %s\n", variables[i]);
            return;
        }
    }
}

COUNTS(ValueOfAVariableCounts, "driver_environment",
        "POCL_WORK_GROUP_METHOD=loops", NULL, "POCL_WORK_GROUP_METHOD=loopvec")
COUNTS(EmptyVariableDiffersFromNone, "driver_environment", NULL,
        "POCL_WORK_GROUP_METHOD=")

/* Whatever comes behind the beginning, in any order. */
COUNTS(EveryVariableOfAFamilyCounts, "driver_environment", "POCL_ARGS_A=-O1",
        NULL, "POCL_ARGS_B=-O1")
COUNTS(ValueOfAVariableOfAFamilyCounts, "driver_environment",
        "POCL_PATH_NEW=/a", NULL, "POCL_PATH_NEW=/b")

TEST_C(Identity, OrderOfAFamilyDoesNotCount)
{
    static const char *const one[] = {
            "POCL_ARGS_A=-O1", "POCL_ARGS_B=-O1", NULL};
    static const char *const other[] = {
            "POCL_ARGS_B=-O1", "POCL_ARGS_A=-O1", NULL};
    expect_difference("", one, other);
}

/* One name begins with another: where it ends counts. (What this gives as an
 * option is none: no program has an ID then, but the engine has.) */
TEST_C(Identity, NameAndValueOfAVariableAreApart)
{
    static const char *const one[] = {"AMD_OCL_LINK_OPTIONS=_APPEND-O0", NULL};
    static const char *const other[] = {
            "AMD_OCL_LINK_OPTIONS_APPEND=-O0", NULL};
    struct identity a;
    struct identity b;
    identity_init(&a, one, NULL);
    identity_init(&b, other, NULL);
    EXPECT_GT(a.engine.size, 0);
    expect_id_diff("driver_environment", &a.engine, &b.engine);
    identity_fini(&a);
    identity_fini(&b);
}

DOES_NOT_COUNT(OtherVariablesDoNotCount, NULL, "LANG=C", "HOME=/nowhere",
        "POCL_DEBUG=all", "TZ=Asia/Tokyo")

/* Values too long to be kept must not look alike. */
TEST_C(Identity, LongValuesAreNotCutToTheSame)
{
    char one[1024] = "POCL_WORK_GROUP_METHOD=";
    char other[1024];
    memset(one + strlen(one), 'x', 900);
    memcpy(other, one, sizeof other);
    strcat(one, "1");
    strcat(other, "2");
    const char *const environment_a[] = {one, NULL};
    const char *const environment_b[] = {other, NULL};
    struct identity a;
    struct identity b;
    identity_init(&a, environment_a, NULL);
    identity_init(&b, environment_b, NULL);
    EXPECT_GT(a.engine.size, 0);
    EXPECT_FALSE(bytes_equal(&a.engine, &b.engine));
    EXPECT_GT(a.program.size, 0);
    EXPECT_FALSE(bytes_equal(&a.program, &b.program));
    identity_fini(&a);
    identity_fini(&b);
}

/* ---- The probe's facts --------------------------------------------------- */

#ifdef DNNL_CACHE_TEST_PRIMITIVES
/* A fact of the compiler is in the IDs of primitives, which are launched by
 * it, and in no other. */
static void expect_fact_to_count(const char *variable)
{
    static const char *const none[] = {NULL};
    const char *const one[] = {variable, NULL};
    struct identity a;
    struct identity b;
    identity_init(&a, none, NULL);
    identity_init(&b, one, NULL);
    expect_id_diff("", &a.engine, &b.engine);
    expect_id_diff("", &a.program, &b.program);
    expect_id_diff("engine_facts", &a.primitive, &b.primitive);
    identity_fini(&a);
    identity_fini(&b);
}

TEST_C(Identity, WorkGroupMultipleCountsForPrimitives)
{
    expect_fact_to_count(FAKE "WG_MULTIPLE=64");
}

TEST_C(Identity, SubGroupSizeCountsForPrimitives)
{
    expect_fact_to_count(FAKE "SUBGROUP_SIZE=64");
}

TEST_C(Identity, WorkGroupSizeOfKernelsCountsForPrimitives)
{
    expect_fact_to_count(FAKE "KERNEL_WORK_GROUP_SIZE=128");
}

TEST_C(Identity, AcceptedFeaturesCountForPrimitives)
{
    expect_fact_to_count(FAKE "ACCEPTS=3");
}
#endif

/* ---- What must not matter ------------------------------------------------ */

DOES_NOT_COUNT(SecondProcessHasTheSame, NULL)
DOES_NOT_COUNT(ComputeUnitsDoNotCount, NULL, FAKE "COMPUTE_UNITS=132")
DOES_NOT_COUNT(ClockDoesNotCount, NULL, FAKE "CLOCK_FREQUENCY=2000")
DOES_NOT_COUNT(MemorySizesDoNotCount, NULL, FAKE "GLOBAL_MEM_SIZE=0x80000000",
        FAKE "MAX_MEM_ALLOC_SIZE=0x10000000")
DOES_NOT_COUNT(DeviceUuidDoesNotCount, FAKE "DRIVER_UUID=" UUID_C,
        FAKE "DEVICE_UUID=" UUID_A, NULL, FAKE "DEVICE_UUID=" UUID_B)
DOES_NOT_COUNT(PciBusDoesNotCount, FAKE "PCI_BUS=0:1:0.0", NULL,
        FAKE "PCI_BUS=0:81:0.0")
DOES_NOT_COUNT(NvidiasBusDoesNotCount, FAKE "NV_CC=9.0", FAKE "NV_PCI_BUS=1",
        NULL, FAKE "NV_PCI_BUS=2")
DOES_NOT_COUNT(NvidiasSlotDoesNotCount, FAKE "NV_CC=9.0", FAKE "NV_PCI_SLOT=0",
        NULL, FAKE "NV_PCI_SLOT=3")
DOES_NOT_COUNT(NvidiasDomainDoesNotCount, FAKE "NV_CC=9.0",
        FAKE "NV_PCI_DOMAIN=0", NULL, FAKE "NV_PCI_DOMAIN=1")
DOES_NOT_COUNT(AmdsTopologyDoesNotCount, FAKE "AMD_PCIE_ID=0x74a0",
        FAKE "AMD_TOPOLOGY=1:0.0", NULL, FAKE "AMD_TOPOLOGY=81:0.0")
DOES_NOT_COUNT(CompilersSpeedDoesNotCount, NULL, FAKE "BUILD_MS=20")
DOES_NOT_COUNT(BuildLogDoesNotCount, NULL, FAKE "BUILD_LOG=a remark")

/* IDs of two processes with these arguments are equal. */
static void expect_same(const char *const *environment_a,
        const char *const *arguments_a, const char *const *environment_b,
        const char *const *arguments_b)
{
    struct identity a;
    struct identity b;
    identity_init(&a, environment_a, arguments_a);
    identity_init(&b, environment_b, arguments_b);
    EXPECT_GT(a.engine.size, 0);
    EXPECT_BYTES_EQ(a.engine.data, a.engine.size, b.engine.data, b.engine.size);
    EXPECT_BYTES_EQ(
            a.program.data, a.program.size, b.program.data, b.program.size);
    EXPECT_BYTES_EQ(a.primitive.data, a.primitive.size, b.primitive.data,
            b.primitive.size);
    identity_fini(&a);
    identity_fini(&b);
}

TEST_C(Identity, WorkingDirectoryDoesNotCount)
{
    static const char *const none[] = {NULL};
    static const char *const elsewhere[] = {"directory=/", NULL};
    expect_same(none, NULL, none, elsewhere);
}

TEST_C(Identity, SubDeviceHasItsParents)
{
    static const char *const none[] = {NULL};
    static const char *const half[] = {"sub-device", NULL};
    expect_same(none, NULL, none, half);
}

TEST_C(Identity, OrderOfDevicesDoesNotCount)
{
    static const char *const one[] = {FAKE "DEVICES=2", FAKE "DEVICE_NAME_0=A",
            FAKE "DEVICE_NAME_1=B", FAKE "DRIVER_VERSION_1=7", NULL};
    static const char *const other[] = {FAKE "DEVICES=2",
            FAKE "DEVICE_NAME_0=B", FAKE "DEVICE_NAME_1=A",
            FAKE "DRIVER_VERSION_0=7", NULL};
    static const char *const device_b[] = {"device=B", NULL};
    expect_same(one, device_b, other, device_b);
}

/* Two cards of one kind in one machine: the second has another slot. */
TEST_C(Identity, EqualDevicesShareIt)
{
    static const char *const environment[] = {FAKE "DEVICES=2",
            FAKE "DEVICE_NAME_0=First", FAKE "PCI_BUS_0=0:1:0.0",
            FAKE "PCI_BUS_1=0:81:0.0", NULL};
    static const char *const swapped[] = {FAKE "DEVICES=2",
            FAKE "DEVICE_NAME_1=Second", FAKE "PCI_BUS_0=0:1:0.0",
            FAKE "PCI_BUS_1=0:81:0.0", NULL};
    static const char *const named[] = {"device=Fake GPU", NULL};
    expect_same(environment, named, swapped, named);
}
