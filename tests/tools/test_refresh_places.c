/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-cache refresh of programs whose IDs have the working directory: those
 * with headers that are programs, on a driver of which it is not known where it
 * has such headers.
 */
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* The application, which works in a folder of the test's. */
static struct outcome run_in(const char *folder, int count)
{
    char here[path_size];
    EXPECT_TRUE(getcwd(here, sizeof here) != NULL);
    (void)mkdir(in_test(folder), 0700);
    EXPECT_EQ(0, chdir(in_test(folder)));
    const struct outcome run = run_under_layer(count);
    EXPECT_EQ(0, chdir(here));
    return run;
}

/* The driver is slow when it is asked for the first program, so the second one
 * is noted: the object and what is linked. */
static void note_two(const char *folder)
{
    use_fake(true);
    use_variable("REFRESH_CLIENT_HEADER_PROGRAMS", "1");
    use_variable("REFRESH_CLIENT_PAUSE", "2");
    use_variable("FAKE_OPENCL_SIZES_MS", "600");
    use_variable("FAKE_OPENCL_BUILD_MS", "20");
    EXPECT_EQ(0, run_in(folder, 2).code);
    use_variable("REFRESH_CLIENT_PAUSE", NULL);
    use_variable("FAKE_OPENCL_SIZES_MS", NULL);
    EXPECT_EQ(2, waiting());
}

TEST_C(RefreshPlaces, ThatIDsHaveAreWorkedIn)
{
    note_two("application");
    struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "2 kept, 0 failed, 0 refused");
    EXPECT_EQ(0, waiting());
    use_variable("DNNL_CACHE_STATS", "1");
    run = run_in("application", 2);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "\n  misses                                0\n");
    /* What is made there is not what another place asks for. */
    run = run_in("elsewhere", 2);
    EXPECT_NULL(
            strstr(run.err, "\n  misses                                0\n"));
}

/* Nothing is compiled, and no header of the driver's is looked for among files
 * that were not there. */
TEST_C(RefreshPlaces, ThatAreGoneOrHaveNewFilesAreNotWorkedIn)
{
    for (int is_gone = 0; is_gone < 2; is_gone++) {
        char calls[path_size];
        size_t size;
        (void)unlink(in_test("application/outer.h"));
        note_two("application");
        if (is_gone) {
            EXPECT_EQ(0, rmdir(in_test("application")));
        } else {
            write_whole(in_test("application/outer.h"), "\n", 1);
        }
        snprintf(calls, sizeof calls, "%s", in_test("calls"));
        use_variable("FAKE_OPENCL_LOG", calls);
        const struct outcome run = run_refresh("--jobs", "1", NULL);
        use_variable("FAKE_OPENCL_LOG", NULL);
        EXPECT_EQ(1, run.code);
        expect_has(run.out, "0 kept, 0 failed, 2 refused");
        EXPECT_EQ(0, waiting());
        char *text = (char *)read_whole(calls, &size);
        EXPECT_EQ(0, (long long)count_of(text, "clCompileProgram"));
        free(text);
        EXPECT_EQ(
                0, run_program("--store", store_path(), "clear", "--yes", NULL)
                           .code);
    }
}
