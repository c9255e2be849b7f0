/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finalised forms of large binaries, which only workers make: on a driver that
 * passes for NVIDIA's, with a stand-in for its assembler.
 */
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void use_nvidia(void)
{
    use_fake(true);
    use_variable("DNNL_CACHE_TEST_PLATFORM", "NVIDIA CUDA");
    use_variable("FAKE_OPENCL_PLATFORM_NAME", "NVIDIA CUDA");
    use_variable("FAKE_OPENCL_PLATFORM_VERSION", "OpenCL 3.0 CUDA 13.0.97");
    use_variable("FAKE_OPENCL_DRIVER_VERSION", "999.1.0");
    use_variable("FAKE_OPENCL_NV_CC", "9.0");
    use_variable("FAKE_OPENCL_PTX", "1");
    use_variable("FAKE_OPENCL_BUILD_MS", "20");
    use_variable("REFRESH_CLIENT_LARGE", "1");
}

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* Runs the application; the layer's number of that name. */
static long count_with(const char *store, const char *name)
{
    char key[64];
    size_t size;
    char path[path_size];
    snprintf(path, sizeof path, "%s", in_test("statistics"));
    (void)remove(path);
    use_variable("DNNL_CACHE_STATS", path);
    const struct outcome run = run_with_store(store, 1);
    use_variable("DNNL_CACHE_STATS", NULL);
    EXPECT_EQ(0, run.code);
    char *text = (char *)read_whole(path, &size);
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = text != NULL ? strstr(text, key) : NULL;
    const long number = at != NULL ? strtol(at + strlen(key), NULL, 10) : -1;
    free(text);
    return number;
}

TEST_C(RefreshForms, OfLargeBinariesAreMadeByWorkers)
{
    use_nvidia();
    EXPECT_EQ(1, count_with("store", "kept"));
    EXPECT_EQ(1, waiting());
    EXPECT_EQ(0, count_with("store", "finalised_hits"));
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 kept, 0 failed");
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(1, count_with("store", "finalised_hits"));
}

TEST_C(RefreshForms, ThatAnApplicationHadNoTimeForAreMadeByWorkers)
{
    use_nvidia();
    use_variable("REFRESH_CLIENT_LARGE", NULL);
    EXPECT_EQ(1, count_with("store", "kept"));
    EXPECT_EQ(1, waiting());
    EXPECT_EQ(0, count_with("store", "finalised_hits"));
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 kept, 0 failed");
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(1, count_with("store", "finalised_hits"));
}

/* Where nothing else is to be compiled: behind a command. */
TEST_C(RefreshForms, OfStoredProgramsAreMadeWhereOnlyCompiledOnesAre)
{
    use_nvidia();
    use_variable("REFRESH_CLIENT_LARGE", NULL);
    EXPECT_EQ(1, count_with("store", "kept"));
    EXPECT_EQ(1, waiting());
    struct outcome run = run_refresh("--jobs", "1", "--compiled-only", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 kept, 0 failed");
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(1, count_with("store", "finalised_hits"));
}

/* As of a process that made the form itself, and is still running. */
TEST_C(RefreshForms, ThatAreThereAreNotMadeOnceMore)
{
    char journal[path_size], log[path_size];
    size_t size;
    snprintf(journal, sizeof journal, "%s/journal", store_path());
    snprintf(log, sizeof log, "%s", in_test("assembled"));
    use_nvidia();
    use_variable("REFRESH_CLIENT_LARGE", NULL);
    EXPECT_EQ(1, count_with("store", "kept"));
    uint8_t *notes = read_whole(journal, &size);
    ASSERT_TRUE(notes != NULL);
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_EQ(0, waiting());
    write_whole(journal, notes, size);
    free(notes);
    EXPECT_EQ(1, waiting());
    use_variable("FAKE_PTX_LOG", log);
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    use_variable("FAKE_PTX_LOG", NULL);
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(-1, access(log, F_OK));
    EXPECT_EQ(1, count_with("store", "finalised_hits"));
}

/* The assembler cannot be interrupted, but its process ended. */
TEST_C(RefreshForms, ThatTakeTooLongAreNotTriedAgain)
{
    use_nvidia();
    EXPECT_EQ(1, count_with("store", "kept"));
    use_variable("FAKE_PTX_FAULT", "hang");
    struct outcome run = run_refresh("--program-timeout", "1s", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "took too long");
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(1, (long long)count_entries("store"));
    EXPECT_EQ(0, count_with("store", "finalised_hits"));
    EXPECT_EQ(1, count_with("store", "hits"));
    /* It is noted once more. */
    EXPECT_EQ(0,
            run_program("clear", "--yes", "--store", store_path(), NULL).code);
    EXPECT_EQ(1, count_with("store", "kept"));
    EXPECT_EQ(1, waiting());
    run = run_refresh("--program-timeout", "1s", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(NULL, strstr(run.err, "took too long"));
    EXPECT_EQ(0, waiting());
    /* Another driver has other IDs. */
    use_variable("FAKE_PTX_FAULT", NULL);
    use_variable("FAKE_OPENCL_DRIVER_VERSION", "999.1.1");
    EXPECT_EQ(1, count_with("store", "kept"));
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_EQ(1, count_with("store", "finalised_hits"));
}

/* A replay makes the entry first, and then its form. */
TEST_C(RefreshForms, OfARecordAreMadeBehindTheirEntries)
{
    char record[path_size], other[path_size];
    snprintf(record, sizeof record, "%s", in_test("record"));
    snprintf(other, sizeof other, "%s", in_test("other"));
    use_nvidia();
    use_variable("DNNL_CACHE_RECORD", record);
    EXPECT_EQ(1, count_with("store", "kept"));
    use_variable("DNNL_CACHE_RECORD", NULL);
    use_variable("FAKE_PTX_FAULT", "hang");
    struct outcome run = run_program("replay", record, "--store", other,
            "--program-timeout", "1s", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 1 compiled, 0 failed, 0 left");
    expect_has(run.err, "took too long");
    EXPECT_EQ(1, count_with("other", "hits"));
    use_variable("FAKE_PTX_FAULT", NULL);
    run = run_program("replay", record, "--store", other, NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 there, 0 compiled");
    run = run_program("replay", record, "--store", other, "--retry", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 1 compiled");
    EXPECT_EQ(1, count_with("other", "finalised_hits"));
}
