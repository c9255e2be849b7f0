/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices that cannot be identified: one query fails in each process. Objects
 * work there (print_ids fails if one does not), but have no ID and no blob,
 * and who asks is told what failed.
 */
#include "identity_process.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static void expect_empty(const struct identity *identity, const char *key)
{
    char *value = identity_value(identity, key);
    ASSERT_NOT_NULL(value);
    EXPECT_STR_EQ("", value);
    free(value);
}

static void expect_uncacheable(const char *ingredient, const char *const *env)
{
    struct identity x;
    identity_init(&x, env, NULL);
    expect_empty(&x, "engine");
    expect_empty(&x, "engine_blob");
    expect_empty(&x, "program");
    expect_empty(&x, "program_blob");
    EXPECT_TRUE(identity_says(&x, "engine_reason", ingredient));
    EXPECT_TRUE(identity_says(&x, "program_reason", ingredient));
    /* A warning on the log callback names it too. */
    EXPECT_TRUE(identity_says(&x, "log1", ingredient));
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    expect_empty(&x, "primitive");
    expect_empty(&x, "primitive_blob");
    EXPECT_TRUE(identity_says(&x, "primitive_reason", ingredient));
#endif
    if (test_has_failed()) printf("%s", x.output);
    identity_fini(&x);
}

#define UNCACHEABLE_WITHOUT(test, ingredient, ...)                  \
    TEST_C(IdentityFailure, test)                                   \
    {                                                               \
        static const char *const variables[] = {__VA_ARGS__, NULL}; \
        expect_uncacheable(ingredient, variables);                  \
    }

#define FAKE "FAKE_OPENCL_"
/* What the query answers: CL_OUT_OF_RESOURCES. */
#define FAILS "=!-5"

UNCACHEABLE_WITHOUT(PlatformName, "platform_name", FAKE "PLATFORM_NAME" FAILS)
UNCACHEABLE_WITHOUT(
        PlatformVendor, "platform_vendor", FAKE "PLATFORM_VENDOR" FAILS)
UNCACHEABLE_WITHOUT(
        PlatformProfile, "platform_profile", FAKE "PLATFORM_PROFILE" FAILS)
UNCACHEABLE_WITHOUT(DeviceName, "device_name", FAKE "DEVICE_NAME" FAILS)
UNCACHEABLE_WITHOUT(DeviceVendor, "device_vendor", FAKE "DEVICE_VENDOR" FAILS)
UNCACHEABLE_WITHOUT(
        DeviceVendorId, "device_vendor_id", FAKE "DEVICE_VENDOR_ID" FAILS)
UNCACHEABLE_WITHOUT(
        DeviceVersion, "device_version", FAKE "DEVICE_VERSION" FAILS)
UNCACHEABLE_WITHOUT(
        OpenclCVersion, "opencl_c_version", FAKE "OPENCL_C_VERSION" FAILS)
UNCACHEABLE_WITHOUT(AddressBits, "address_bits", FAKE "ADDRESS_BITS" FAILS)
UNCACHEABLE_WITHOUT(ByteOrder, "byte_order", FAKE "ENDIAN_LITTLE" FAILS)
UNCACHEABLE_WITHOUT(Extensions, "device_extensions", FAKE "EXTENSIONS" FAILS)
UNCACHEABLE_WITHOUT(WorkItemDimensions, "device_limits",
        FAKE "MAX_WORK_ITEM_DIMENSIONS" FAILS)
UNCACHEABLE_WITHOUT(FloatingPointConfiguration, "device_limits",
        FAKE "SINGLE_FP_CONFIG" FAILS)
UNCACHEABLE_WITHOUT(
        DriverVersion, "driver_version", FAKE "DRIVER_VERSION" FAILS)
UNCACHEABLE_WITHOUT(
        NvidiaComputeCapability, "nv_compute_capability", FAKE "NV_CC" FAILS)
UNCACHEABLE_WITHOUT(IntelIpVersion, "intel_ip_version",
        FAKE "INTEL_DEVICE_ID=1", FAKE "INTEL_IP_VERSION" FAILS)
UNCACHEABLE_WITHOUT(IntelDeviceId, "intel_device_id", FAKE "INTEL_IP_VERSION=1",
        FAKE "INTEL_DEVICE_ID" FAILS)

/* What a device may lack is not in its identity; what could not be asked is
 * missing there. */
UNCACHEABLE_WITHOUT(DriverUuid, "driver_uuid",
        FAKE "DEVICE_UUID=00112233445566778899aabbccddeeff",
        FAKE "DRIVER_UUID" FAILS)
UNCACHEABLE_WITHOUT(AmdIsa, "amd_isa_name", FAKE "AMD_GFXIP" FAILS)
UNCACHEABLE_WITHOUT(AmdPcieId, "amd_pcie_id", FAKE "AMD_PCIE_ID" FAILS)

TEST_C(IdentityFailure, IsNotThatAnExtensionLacksAQuery)
{
    static const char *const variables[] = {FAKE
            "EXTENSIONS=cl_khr_device_uuid cl_amd_device_attribute_query",
            NULL};
    struct identity x;
    identity_init(&x, variables, NULL);
    EXPECT_GT(x.engine.size, 0);
    identity_fini(&x);
}
