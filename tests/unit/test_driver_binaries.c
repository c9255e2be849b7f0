/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/driver_binaries.h"
#include "test.h"

TEST_C(DriverBinaries, AreKnownByTheWholeNameOfThePlatform)
{
    static const char *const at_hand[] = {"NVIDIA CUDA", "rusticl", "Oclgrind"};
    static const char *const unknown[] = {
            "", "NVIDIA", "NVIDIA CUDA 12", "Portable", "Intel(R) OpenCL"};
    for (size_t i = 0; i < sizeof at_hand / sizeof *at_hand; i++) {
        EXPECT_EQ(driver_binaries_at_hand, driver_binaries_of(at_hand[i]));
        EXPECT_FALSE(driver_has_launch_classes(at_hand[i]));
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        EXPECT_EQ(driver_binaries_unknown, driver_binaries_of(unknown[i]));
        EXPECT_FALSE(driver_has_launch_classes(unknown[i]));
    }
    EXPECT_EQ(driver_binaries_compiled, driver_binaries_of(POCL_PLATFORM_NAME));
    EXPECT_TRUE(driver_has_launch_classes(POCL_PLATFORM_NAME));
}
