/* SPDX-License-Identifier: Apache-2.0 */
#include "driver_copy.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The copy's place, and what finds it. */
static char vendors[driver_copy_path_size];

const char *driver_copy_path(char path[driver_copy_path_size], const char *name)
{
    snprintf(path, driver_copy_path_size, "%.300s/%s", test_directory(), name);
    return path;
}

void driver_copy_write(const char *name, const void *bytes, size_t size)
{
    char path[driver_copy_path_size];
    FILE *file = fopen(driver_copy_path(path, name), "wb");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(size, fwrite(bytes, 1, size, file));
    EXPECT_EQ(0, fclose(file));
}

void driver_copy_add(const char *name, const char *from, const char *extra)
{
    char command[3 * driver_copy_path_size];
    char path[driver_copy_path_size];
    snprintf(command, sizeof command, "cp '%s' '%s' && printf '%s' >> '%s'",
            from, driver_copy_path(path, name), extra, path);
    EXPECT_EQ(0, system(command));
}

const char *driver_copy_vendors(void)
{
    return vendors;
}

void driver_copy_make(const char *driver)
{
    static const char *const folders[] = {
            "lib", "lib/pocl", "share", "share/pocl", "share/pocl/include"};
    char path[driver_copy_path_size];
    char *bytes = malloc(3 << 20);
    ASSERT_NOT_NULL(bytes);
    memset(bytes, 'b', 3 << 20);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        EXPECT_EQ(0, mkdir(driver_copy_path(path, folders[i]), 0700));
    driver_copy_add("lib/libpocl_fake.so", driver, "");
    driver_copy_add("lib/pocl/libpocl-devices-a.so", PLUGIN, "");
    driver_copy_add("lib/pocl/libpocl-devices-b.so", DRIVER_NOBUILDID, "");
    driver_copy_write("share/pocl/large.bc", bytes, 3 << 20);
    driver_copy_write("share/pocl/small.bc", bytes, 100);
    driver_copy_write("share/pocl/empty.bc", bytes, 0);
    driver_copy_write("share/pocl/include/x.h", bytes, 5000);
    free(bytes);
    EXPECT_EQ(0,
            symlink("nowhere", driver_copy_path(path, "share/pocl/link.bc")));
    snprintf(path, sizeof path, "%.300s/lib/libpocl_fake.so\n",
            test_directory());
    driver_copy_write("fake.icd", path, strlen(path));
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%.300s",
            test_directory());
}
