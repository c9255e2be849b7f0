/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct counted {
    unsigned lines;
    char text[2048];
};

/* Runs the client under the layer; its exit status. What was counted is read
 * from a file in the test's directory. */
static int run(const char *platform, const char *more, const char *layers,
        struct counted *counted)
{
    char path[512], cache[512];
    int status = -1;
    pid_t child;
    FILE *file;

    snprintf(path, sizeof(path), "%s/counts", test_directory());
    snprintf(cache, sizeof(cache), "%s/pocl", test_directory());
    child = fork();
    if (child == 0) {
        setenv("OPENCL_LAYERS", layers, 1);
        setenv("BUILD_COUNTER_FILE", path, 1);
        setenv("POCL_CACHE_DIR", cache, 1);
        execl(CLIENT, CLIENT, platform, more, (char *)NULL);
        _exit(127);
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    memset(counted, 0, sizeof(*counted));
    file = fopen(path, "r");
    if (file != NULL) {
        size_t size = fread(counted->text, 1, sizeof(counted->text) - 1, file);

        for (size_t i = 0; i < size; i++)
            if (counted->text[i] == '\n') counted->lines++;
        fclose(file);
        remove(path);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A number of the first line. */
static unsigned long number(const struct counted *counted, const char *name)
{
    char quoted[64];
    const char *at;

    snprintf(quoted, sizeof(quoted), "\"%s\":", name);
    at = strstr(counted->text, quoted);
    EXPECT_NOT_NULL(at);
    return at != NULL ? strtoul(at + strlen(quoted), NULL, 10) : 0;
}

static void expect_counts(const struct counted *counted, unsigned long il)
{
    EXPECT_EQ(2, number(counted, "programs_from_source"));
    EXPECT_EQ(il, number(counted, "programs_from_il"));
    EXPECT_EQ(2, number(counted, "programs_from_binary"));
    EXPECT_EQ(1 + il, number(counted, "source_builds"));
    EXPECT_EQ(1, number(counted, "source_compiles"));
    EXPECT_EQ(1, number(counted, "source_links"));
    EXPECT_EQ(2, number(counted, "binary_builds"));
    EXPECT_EQ(0, number(counted, "binary_links"));
    EXPECT_EQ(1, number(counted, "binaries_queries"));
    EXPECT_EQ(1, number(counted, "binary_sizes_queries"));
    EXPECT_GT(number(counted, "binary_bytes"), 0);
}

TEST_C(BuildCounter, CountsOnTheFakeDriver)
{
    struct counted counted;

    setenv("OCL_ICD_VENDORS", FAKE_VENDORS, 1);
    setenv("FAKE_OPENCL_IL_VERSION", "SPIR-V_1.0", 1);
    EXPECT_EQ(0, run("Fake", "il", LAYER, &counted));
    EXPECT_EQ(1, counted.lines);
    expect_counts(&counted, 1);
    EXPECT_EQ(0, run("Fake", NULL, LAYER, &counted));
    expect_counts(&counted, 0);
    unsetenv("OCL_ICD_VENDORS");
    unsetenv("FAKE_OPENCL_IL_VERSION");
}

/* A child that inherits the layer begins to count at nothing. */
TEST_C(BuildCounter, CountsEachProcessForItself)
{
    struct counted counted;

    setenv("OCL_ICD_VENDORS", FAKE_VENDORS, 1);
    EXPECT_EQ(0, run("Fake", "fork", LAYER, &counted));
    EXPECT_EQ(2, counted.lines);
    /* The child ends first. */
    EXPECT_EQ(0, number(&counted, "source_builds"));
    EXPECT_EQ(0, number(&counted, "programs_from_binary"));
    unsetenv("OCL_ICD_VENDORS");
}

TEST_C(BuildCounter, CountsOnPocl)
{
    struct counted counted;
    int st;

    /* PoCL keeps memory to the end, which is not what is tested. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    st = run("Portable", NULL, LAYER, &counted);
    unsetenv("ASAN_OPTIONS");
    if (st == 77) SKIP_TEST("no PoCL here");
    EXPECT_EQ(0, st);
    EXPECT_EQ(1, counted.lines);
    expect_counts(&counted, 0);
}
