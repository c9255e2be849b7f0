/* SPDX-License-Identifier: Apache-2.0 */
#include "test_world.h"

#include <CL/cl_ext.h>

#include <string.h>

static cl_int device_string(
        const struct world *world, cl_device_info param, char *text)
{
    return clGetDeviceInfo(world->device, param, 256, text, NULL);
}

static cl_ulong device_number(
        cl_device_id device, cl_device_info param, size_t size)
{
    cl_ulong value = 0;
    size_t needed = 0;

    EXPECT_EQ(CL_SUCCESS,
            clGetDeviceInfo(device, param, sizeof(value), &value, &needed));
    EXPECT_EQ(size, needed);
    cl_uint first;
    memcpy(&first, &value, sizeof first);
    return needed == sizeof first ? first : value;
}

TEST_WORLD(FakeDevice, IsLoadedByTheLoader)
{
    char name[64] = "";

    EXPECT_EQ(CL_SUCCESS, clGetPlatformInfo(world->platform, CL_PLATFORM_NAME,
                                  sizeof(name), name, NULL));
    EXPECT_STR_EQ("Fake OpenCL", name);
    EXPECT_EQ(1, fake_opencl_count("clGetPlatformInfo"));
    EXPECT_EQ(1, fake_opencl_total_calls());
}

/* Every setting that answers a query of its own. */
TEST_WORLD(FakeDevice, AnswersWhatTheSettingsSay)
{
    static const struct {
        const char *key;
        const char *value;
        cl_device_info param;
        size_t size; /* 0: a string */
        cl_ulong number;
    } cases[] = {
            {"DEVICE_NAME", "another", CL_DEVICE_NAME, 0, 0},
            {"DEVICE_VENDOR", "another", CL_DEVICE_VENDOR, 0, 0},
            {"DEVICE_PROFILE", "another", CL_DEVICE_PROFILE, 0, 0},
            {"DEVICE_VERSION", "OpenCL 1.2 x", CL_DEVICE_VERSION, 0, 0},
            {"DRIVER_VERSION", "another", CL_DRIVER_VERSION, 0, 0},
            {"OPENCL_C_VERSION", "another", CL_DEVICE_OPENCL_C_VERSION, 0, 0},
            {"EXTENSIONS", "cl_a cl_b", CL_DEVICE_EXTENSIONS, 0, 0},
            {"AMD_BOARD", "another", CL_DEVICE_BOARD_NAME_AMD, 0, 0},
            {"DEVICE_VENDOR_ID", "0x8086", CL_DEVICE_VENDOR_ID, 4, 0x8086},
            {"ADDRESS_BITS", "32", CL_DEVICE_ADDRESS_BITS, 4, 32},
            {"ENDIAN_LITTLE", "0", CL_DEVICE_ENDIAN_LITTLE, 4, 0},
            {"DEVICE_TYPE", "cpu", CL_DEVICE_TYPE, 8, CL_DEVICE_TYPE_CPU},
            {"MAX_WORK_GROUP_SIZE", "7", CL_DEVICE_MAX_WORK_GROUP_SIZE,
                    sizeof(size_t), 7},
            {"MAX_WORK_ITEM_DIMENSIONS", "4",
                    CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, 4},
            {"SINGLE_FP_CONFIG", "1", CL_DEVICE_SINGLE_FP_CONFIG, 8, 1},
            {"LOCAL_MEM_SIZE", "5", CL_DEVICE_LOCAL_MEM_SIZE, 8, 5},
            {"GLOBAL_MEM_SIZE", "5", CL_DEVICE_GLOBAL_MEM_SIZE, 8, 5},
            {"MAX_MEM_ALLOC_SIZE", "5", CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, 5},
            {"MEM_BASE_ADDR_ALIGN", "8", CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, 8},
            {"COMPUTE_UNITS", "5", CL_DEVICE_MAX_COMPUTE_UNITS, 4, 5},
            {"CLOCK_FREQUENCY", "5", CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 5},
            {"HOST_UNIFIED_MEMORY", "1", CL_DEVICE_HOST_UNIFIED_MEMORY, 4, 1},
            {"IL_VERSION", "SPIR-V_1.2", CL_DEVICE_IL_VERSION, 0, 0},
            {"NV_CC", "9.1", CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, 4, 9},
            {"NV_CC", "9.1", CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, 4, 1},
            {"NV_PCI_BUS", "3", 0x4008, 4, 3},
            {"NV_PCI_SLOT", "3", 0x4009, 4, 3},
            {"NV_PCI_DOMAIN", "3", 0x400A, 4, 3},
            {"INTEL_IP_VERSION", "0x30dc008", CL_DEVICE_IP_VERSION_INTEL, 4,
                    0x30dc008},
            {"INTEL_DEVICE_ID", "0x56a0", CL_DEVICE_ID_INTEL, 4, 0x56a0},
            {"AMD_PCIE_ID", "0x73bf", CL_DEVICE_PCIE_ID_AMD, 4, 0x73bf},
            {"AMD_GFXIP", "10.3", CL_DEVICE_GFXIP_MAJOR_AMD, 4, 10},
            {"AMD_GFXIP", "10.3", CL_DEVICE_GFXIP_MINOR_AMD, 4, 3},
    };
    char text[256];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fake_opencl_set(cases[i].key, cases[i].value);
        if (cases[i].size == 0) {
            memset(text, 0, sizeof(text));
            EXPECT_EQ(CL_SUCCESS, device_string(world, cases[i].param, text));
            EXPECT_STR_EQ(cases[i].value, text);
        } else {
            EXPECT_EQ(cases[i].number, device_number(world->device,
                                               cases[i].param, cases[i].size));
        }
        fake_opencl_set(cases[i].key, "!-6");
        EXPECT_EQ(CL_OUT_OF_HOST_MEMORY,
                device_string(world, cases[i].param, text));
        fake_opencl_set(cases[i].key, NULL);
    }
}

TEST_WORLD(FakeDevice, AnswersForPlatformsWhatTheSettingsSay)
{
    static const struct {
        const char *key;
        cl_platform_info param;
    } cases[] = {
            {"PLATFORM_NAME", CL_PLATFORM_NAME},
            {"PLATFORM_VENDOR", CL_PLATFORM_VENDOR},
            {"PLATFORM_VERSION", CL_PLATFORM_VERSION},
            {"PLATFORM_PROFILE", CL_PLATFORM_PROFILE},
    };
    char text[64];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fake_opencl_set(cases[i].key, "another");
        EXPECT_EQ(CL_SUCCESS, clGetPlatformInfo(world->platform, cases[i].param,
                                      sizeof(text), text, NULL));
        EXPECT_STR_EQ("another", text);
        fake_opencl_set(cases[i].key, "!-5");
        EXPECT_EQ(CL_OUT_OF_RESOURCES,
                clGetPlatformInfo(world->platform, cases[i].param, sizeof(text),
                        text, NULL));
    }
}

TEST_WORLD(FakeDevice, HasVendorsQueriesOnlyWhenSet)
{
    char text[256];
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    cl_device_pci_bus_info_khr bus;
    cl_device_topology_amd topology;

    EXPECT_EQ(CL_INVALID_VALUE,
            device_string(world, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, text));
    EXPECT_EQ(
            CL_INVALID_VALUE, clGetDeviceInfo(world->device, CL_DEVICE_UUID_KHR,
                                      sizeof(uuid), uuid, NULL));
    EXPECT_EQ(CL_INVALID_VALUE,
            clGetDeviceInfo(world->device, CL_DEVICE_TOPOLOGY_AMD,
                    sizeof(topology), &topology, NULL));

    fake_opencl_set("EXTENSIONS", "cl_khr_fp16");
    fake_opencl_set("NV_CC", "9.0");
    fake_opencl_set("DEVICE_UUID", "000102030405060708090a0b0c0d0e0f");
    fake_opencl_set("PCI_BUS", "0000:65:00.1");
    fake_opencl_set("AMD_TOPOLOGY", "41:02.3");
    EXPECT_EQ(CL_SUCCESS, device_string(world, CL_DEVICE_EXTENSIONS, text));
    EXPECT_STR_EQ("cl_khr_fp16 cl_nv_device_attribute_query "
                  "cl_amd_device_attribute_query cl_khr_device_uuid "
                  "cl_khr_pci_bus_info",
            text);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(world->device, CL_DEVICE_UUID_KHR,
                                  sizeof(uuid), uuid, NULL));
    EXPECT_EQ(0, uuid[0]);
    EXPECT_EQ(15, uuid[15]);
    EXPECT_EQ(
            CL_INVALID_VALUE, clGetDeviceInfo(world->device, CL_DRIVER_UUID_KHR,
                                      sizeof(uuid), uuid, NULL));
    EXPECT_EQ(CL_SUCCESS,
            clGetDeviceInfo(world->device, CL_DEVICE_PCI_BUS_INFO_KHR,
                    sizeof(bus), &bus, NULL));
    EXPECT_EQ(0x65, bus.pci_bus);
    EXPECT_EQ(1, bus.pci_function);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(world->device, CL_DEVICE_TOPOLOGY_AMD,
                                  sizeof(topology), &topology, NULL));
    EXPECT_EQ(0x41, topology.pcie.bus);
    EXPECT_EQ(2, topology.pcie.device);
}

TEST_WORLD(FakeDevice, AnswersSizesAndRefusesSmallBuffers)
{
    char text[8] = "before";
    size_t size = 0;

    EXPECT_EQ(CL_SUCCESS,
            clGetDeviceInfo(world->device, CL_DEVICE_NAME, 0, NULL, &size));
    EXPECT_EQ(sizeof("Fake GPU"), size);
    size = 99;
    EXPECT_EQ(CL_INVALID_VALUE, clGetDeviceInfo(world->device, CL_DEVICE_NAME,
                                        sizeof(text), text, &size));
    EXPECT_EQ(99, size);
    EXPECT_STR_EQ("before", text);
    EXPECT_EQ(CL_INVALID_VALUE,
            clGetDeviceInfo(world->device, 0xffff, sizeof(text), text, NULL));
}

TEST_WORLD(FakeDevice, ComesInNumbersWithSettingsOfTheirOwn)
{
    cl_device_id devices[4];
    cl_uint count = 0;
    char name[64];

    fake_opencl_set("DEVICES", "3");
    fake_opencl_set("DEVICE_NAME_1", "the second");
    fake_opencl_set("DEVICE_TYPE_2", "cpu");
    EXPECT_EQ(CL_SUCCESS, clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 4,
                                  devices, &count));
    EXPECT_EQ(3, count);
    EXPECT_PTR_EQ(world->device, devices[0]);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(devices[1], CL_DEVICE_NAME,
                                  sizeof(name), name, NULL));
    EXPECT_STR_EQ("the second", name);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(devices[2], CL_DEVICE_NAME,
                                  sizeof(name), name, NULL));
    EXPECT_STR_EQ("Fake GPU", name);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_CPU, 0,
                                  NULL, &count));
    EXPECT_EQ(1, count);
    EXPECT_EQ(CL_DEVICE_NOT_FOUND,
            clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ACCELERATOR, 0, NULL,
                    &count));
}

TEST_WORLD(FakeDevice, IsPartitionedEqually)
{
    const cl_device_partition_property equally[] = {
            CL_DEVICE_PARTITION_EQUALLY, 3, 0};
    struct fake_opencl_objects objects;
    cl_device_id devices[2], parent = NULL;
    cl_uint count = 0;
    cl_context context;
    cl_int st;

    EXPECT_EQ(CL_SUCCESS,
            clCreateSubDevices(world->device, equally, 2, devices, &count));
    ASSERT_EQ(2, count);
    EXPECT_EQ(3, device_number(devices[1], CL_DEVICE_MAX_COMPUTE_UNITS, 4));
    EXPECT_EQ(8, device_number(world->device, CL_DEVICE_MAX_COMPUTE_UNITS, 4));
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(devices[0], CL_DEVICE_PARENT_DEVICE,
                                  sizeof(parent), &parent, NULL));
    EXPECT_PTR_EQ(world->device, parent);
    fake_opencl_live_objects(&objects);
    EXPECT_EQ(2, objects.sub_devices);

    /* A context keeps its sub-device alive. */
    context = clCreateContext(NULL, 1, &devices[0], NULL, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clReleaseDevice(devices[0]));
    EXPECT_EQ(CL_SUCCESS, clReleaseDevice(devices[1]));
    fake_opencl_live_objects(&objects);
    EXPECT_EQ(1, objects.sub_devices);
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(context));
}

TEST_WORLD(FakeDevice, ChecksContexts)
{
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, 0, 0};
    const cl_context_properties bad[] = {0x7777, 1, 0};
    cl_context context;
    cl_uint count = 0;
    cl_int st;

    properties[1] = (cl_context_properties)world->platform;
    context = clCreateContextFromType(
            properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES,
                                  sizeof(count), &count, NULL));
    EXPECT_EQ(1, count);
    EXPECT_EQ(CL_SUCCESS, clRetainContext(context));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(context));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(context));
    EXPECT_NULL(clCreateContext(bad, 1, &world->device, NULL, NULL, &st));
    EXPECT_EQ(CL_INVALID_PROPERTY, st);
}
