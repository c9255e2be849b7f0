/* SPDX-License-Identifier: Apache-2.0 */
/* The file of drivers' parts in the state folder. */
#include "tools/common/state/driver_names.h"

#include "src/platform/file.h"
#include "test.h"
#include "tool_helpers.h"
#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char key[] = "0123456789abcdef";

static int open_folder(void)
{
    const int folder = state_folder_open_path(in_test("layer"), true);
    EXPECT_TRUE(folder >= 0);
    return folder;
}

static void add(const char *build, const char *parts, size_t size)
{
    const int folder = open_folder();
    EXPECT_TRUE(driver_names_add(folder, build, size, parts));
    (void)file_close(folder);
}

/* "NAME=HOW," of each part of a build; until the next call. */
static const char *parts_of(const char *build)
{
    static char all[4096];
    struct driver_part part;
    const int folder = open_folder();
    char *text = driver_names_read(folder);
    const char *at = text != NULL ? text : "";
    all[0] = '\0';
    while (driver_names_next(&part, &at, build))
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s=%s,",
                part.name, part.how);
    free(text);
    (void)file_close(folder);
    return all;
}

TEST_C(DriverNames, KeepsNameAndDigestOfEachPart)
{
    static const char parts[] = "a library.so build-id 0123456789abcdef0123\0"
                                "b.bc content 77\0"
                                "c.so build-id 11 (does not count)\0"
                                "no_digest";
    struct stat facts;
    add(key, parts, sizeof parts);
    EXPECT_STR_EQ("a library.so=build-id 0123456789abcdef,b.bc=content 77,"
                  "c.so=build-id -,",
            parts_of(key));
    EXPECT_STR_EQ("", parts_of("fedcba9876543210"));
    EXPECT_EQ(0, stat(in_test("layer/drivers"), &facts));
    EXPECT_EQ(0600, facts.st_mode & 0777);
}

TEST_C(DriverNames, WritesABuildOnce)
{
    static const char parts[] = "a.so build-id 01";
    struct stat before;
    struct stat after;
    add(key, parts, sizeof parts);
    EXPECT_EQ(0, stat(in_test("layer/drivers"), &before));
    add(key, "b.so build-id 02", sizeof parts);
    EXPECT_EQ(0, stat(in_test("layer/drivers"), &after));
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(before.st_size, after.st_size);
    EXPECT_STR_EQ("a.so=build-id 01,", parts_of(key));
}

TEST_C(DriverNames, DropsTheOldestBuilds)
{
    static const char parts[] = "a.so build-id 01\0b.so build-id 02";
    char build[driver_names_key_size];
    for (int i = 0; i < driver_names_most_builds + 3; i++) {
        (void)snprintf(build, sizeof build, "%016x", i);
        add(build, parts, sizeof parts);
    }
    for (int i = 0; i < driver_names_most_builds + 3; i++) {
        (void)snprintf(build, sizeof build, "%016x", i);
        EXPECT_STR_EQ(i < 3 ? "" : "a.so=build-id 01,b.so=build-id 02,",
                parts_of(build));
    }
}

/* Names come from files of a folder that anybody may have installed. */
TEST_C(DriverNames, TakesNoLineFromAName)
{
    char parts[600];
    memset(parts, 'n', sizeof parts);
    memcpy(parts, "x\n0123456789abcdef build-id 99 evil", 35);
    (void)snprintf(parts + 400, 200, " build-id 01");
    add(key, parts, strlen(parts) + 1);
    EXPECT_NULL(strstr(parts_of(key), "\n"));
    EXPECT_NULL(strstr(parts_of(key), "evil="));
    EXPECT_NOT_NULL(strstr(parts_of(key), "x?0123456789abcdef"));
}

TEST_C(DriverNames, IgnoresDamageAndOtherLines)
{
    static const char parts[] = "a.so build-id 01";
    static const char *const texts[] = {"0123456789abcdef build-id 02",
            "0123456789ABCDEF build-id 02 b.so", "0123 build-id 02 b.so", "",
            "0123456789abcdef0 build-id 02 b.so"};
    char line[state_line_size];
    add(key, parts, sizeof parts);
    FILE *file = fopen(in_test("layer/drivers"), "a");
    ASSERT_NOT_NULL(file);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        (void)fwrite(line, 1, state_line_make(line, texts[i]), file);
    (void)fputs("0123456789abcdef build-id 02 c.so 0000000000000000\n", file);
    (void)fclose(file);
    EXPECT_STR_EQ("a.so=build-id 01,", parts_of(key));
    add("fedcba9876543210", parts, sizeof parts);
    EXPECT_STR_EQ("a.so=build-id 01,", parts_of(key));
    EXPECT_STR_EQ("a.so=build-id 01,", parts_of("fedcba9876543210"));
}
