/* SPDX-License-Identifier: Apache-2.0 */
/* Whether drivers have changed, as dnnl-cache-run sees it without loading them.
 */
#include "test.h"
#include "tools/run/driver_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { path_size = 4096 };

static const char *path_to(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ASSERT_NOT_NULL(file);
    EXPECT_TRUE(fputs(text, file) >= 0);
    EXPECT_EQ(0, fclose(file));
}

/* A folder of drivers with nothing in it, so that those of this machine do not
 * count; the library is none of a registered one. */
static void begin(char library[path_size])
{
    char folder[path_size];
    path_to(folder, "vendors");
    (void)mkdir(folder, 0700);
    setenv("OCL_ICD_VENDORS", folder, 1);
    unsetenv("OPENCL_VENDOR_PATH");
    unsetenv("OCL_ICD_FILENAMES");
    path_to(folder, "drivers");
    (void)mkdir(folder, 0700);
    write_file(path_to(library, "drivers/libdriver.so"), "one");
}

/* Another size, lest the clock be too coarse. */
static void expect_seen(const char *library)
{
    const uint64_t before = driver_look();
    EXPECT_EQ(before, driver_look());
    write_file(library, "another one");
    EXPECT_NE(before, driver_look());
}

TEST_C(DriverLook, IsAtLibrariesThatAVariableNames)
{
    char library[path_size];
    char list[2 * path_size];
    begin(library);
    const uint64_t without = driver_look();
    (void)snprintf(list, sizeof list, "libother.so:%s", library);
    setenv("OCL_ICD_FILENAMES", list, 1);
    EXPECT_NE(without, driver_look());
    expect_seen(library);
    unsetenv("OCL_ICD_FILENAMES");
    unsetenv("OCL_ICD_VENDORS");
}

TEST_C(DriverLook, IsAtLibrariesThatAreRegistered)
{
    static const char *const variables[] = {
            "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
    for (size_t i = 0; i < COUNT(variables); i++) {
        char library[path_size];
        char path[path_size];
        char line[path_size + 1];
        begin(library);
        (void)snprintf(line, sizeof line, "%s\n", library);
        write_file(path_to(path, "vendors/driver.icd"), line);
        path_to(path, "vendors");
        unsetenv("OCL_ICD_VENDORS");
        setenv(variables[i], path, 1);
        expect_seen(library);
        unsetenv(variables[i]);
        EXPECT_EQ(0, remove(path_to(path, "vendors/driver.icd")));
    }
}
