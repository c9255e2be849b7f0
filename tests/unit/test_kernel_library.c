/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/kernel_library.h"

#include "test.h"

#include <stdlib.h>

#define POCL_DEVICE "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-"

static bool is_known = true; /* a driver of which the table holds */

bool uncounted_parts_are_known(const struct driver_facts *facts)
{
    (void)facts;
    return is_known;
}

static bool find(char *name, const char *device_version)
{
    const struct driver_facts facts = {.device_version = device_version};
    return kernel_library_of(name, &facts);
}

TEST_C(KernelLibrary, IsThatOfTheProcessor)
{
    char name[KERNEL_LIBRARY_NAME_SIZE];
    ASSERT_TRUE(find(name, POCL_DEVICE "skylake-avx512"));
    EXPECT_STR_EQ("kernel-x86_64-pc-linux-gnu-avx512.bc", name);
    ASSERT_TRUE(find(name, POCL_DEVICE "athlon64"));
    EXPECT_STR_EQ("kernel-x86_64-pc-linux-gnu-sse2.bc", name);
}

TEST_C(KernelLibrary, IsNotKnownOfAnotherDevice)
{
    static const char *const others[] = {"", "pthread-", POCL_DEVICE,
            POCL_DEVICE "skylake", POCL_DEVICE "skylake-avx512 more",
            POCL_DEVICE "znver4", POCL_DEVICE "bdver1",
            "OpenCL 3.0 PoCL HSTR: basic-x86_64-pc-linux-gnu-haswell",
            "OpenCL 3.0 PoCL HSTR: pthread-i686-pc-linux-gnu-haswell"};
    char name[KERNEL_LIBRARY_NAME_SIZE];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT_TRUE(!find(name, others[i]));
    is_known = false;
    EXPECT_TRUE(!find(name, POCL_DEVICE "haswell"));
    is_known = true;
    EXPECT_TRUE(find(name, POCL_DEVICE "haswell"));
}

TEST_C(KernelLibrary, IsNotKnownWhereAVariableMayNameAnotherOne)
{
    static const char *const names[] = {
            "POCL_BUILDING", "POCL_KERNELLIB_NAME", "POCL_LLVM_CPU_NAME"};
    char name[KERNEL_LIBRARY_NAME_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ASSERT_EQ(0, setenv(names[i], "", 1));
        EXPECT_TRUE(!find(name, POCL_DEVICE "haswell"));
        ASSERT_EQ(0, unsetenv(names[i]));
    }
}

TEST_C(KernelLibrary, OthersDoNotCount)
{
    static const char taken[] = "kernel-x86_64-pc-linux-gnu-avx2.bc";
    static const char *const counted[] = {taken, "kernel-x86_64-pc-linux-gnu-",
            "kernel-x86_64-pc-linux-gnu", "kernel-x86_64-pc-linux-gnu-avx.o",
            "kernel-x86_64-pc-linux-gnu-.b", "kernel-aarch64-avx.bc", "a.bc",
            "include", ""};
    EXPECT_NOT_NULL(kernel_library_uncounted(
            "kernel-x86_64-pc-linux-gnu-GENERIC.bc", taken));
    EXPECT_NOT_NULL(kernel_library_uncounted(
            "kernel-x86_64-pc-linux-gnu-avx.bc", taken));
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        EXPECT_TRUE(kernel_library_uncounted(counted[i], taken) == NULL);
}
