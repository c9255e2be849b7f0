/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PoCL compiles at the first launch of each class of launches. After
 * "dnnl-cache refresh" it compiles nothing that any process has launched, also
 * if that process was killed.
 */
#include "layer_process.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLATFORM "Portable Computing Language"

enum { path_size = 512, most_steps = 8 };

static char store[path_size];
static char counted[path_size];
static char said[path_size];

/* The client with these steps, or the tool with these arguments. */
struct run {
    const char *steps[most_steps];
};

static void path_of(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
}

/* PoCL's own cache is off, and says what it builds. */
static void set_environment(void)
{
    char folder[path_size];
    path_of(folder, "pocl-XXXXXX");
    const int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0
            || mkdtemp(folder) == NULL)
        _exit(126);
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("DNNL_CACHE_DIR", store, 1);
    setenv("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "0", 1);
}

static int become_client(void *user)
{
    const struct run *run = user;
    char *arguments[most_steps + 3] = {
            (char *)(uintptr_t)CLIENT, (char *)(uintptr_t)PLATFORM};
    for (size_t i = 0; i < most_steps; i++)
        arguments[i + 2] = (char *)(uintptr_t)run->steps[i];
    set_environment();
    setenv("OPENCL_LAYERS", LAYER, 1);
    setenv("DNNL_CACHE_STATS", counted, 1);
    execv(CLIENT, arguments);
    return 127;
}

static int become_tool(void *user)
{
    const struct run *run = user;
    char *const arguments[] = {(char *)(uintptr_t)TOOL,
            (char *)(uintptr_t)run->steps[0], (char *)(uintptr_t) "--store",
            store, (char *)(uintptr_t)run->steps[1], NULL};
    set_environment();
    unsetenv("OPENCL_LAYERS");
    unsetenv("DNNL_CACHE_DIR");
    execv(TOOL, arguments);
    return 127;
}

/* What it says, the caller's to free. */
static char *run_tool(const char *command, const char *option)
{
    struct run run = {{command, option}};
    const int code = layer_process_run(NULL, become_tool, &run);
    char *text = layer_process_read_file(said);
    if (code != 0 || text == NULL)
        test_fail(__FILE__, __LINE__, "%s: %d: %s", command, code,
                text != NULL ? text : "");
    return text;
}

static void refresh(void)
{
    free(run_tool("refresh", NULL));
}

static unsigned count_lines_with(const char *word)
{
    unsigned count = 0;
    char *text = layer_process_read_file(said);
    if (text == NULL) return 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    free(text);
    return count;
}

/* Runs the client, which finds its program. */
static void expect_hit(
        const struct run *run, unsigned incomplete, unsigned built)
{
    char expected[64];
    remove(counted);
    ASSERT_EQ(
            0, layer_process_run(NULL, become_client, (void *)(uintptr_t)run));
    EXPECT_EQ(built, count_lines_with("Built a"));
    char *text = layer_process_read_file(counted);
    ASSERT_NOT_NULL(text);
    (void)snprintf(
            expected, sizeof expected, "\"incomplete_hits\":%u,", incomplete);
    EXPECT_NOT_NULL(strstr(text, "\"hits\":1,"));
    EXPECT_NOT_NULL(strstr(text, expected));
    EXPECT_EQ(incomplete != 0, strstr(text, "\"saved_ns\":0,") != NULL);
    free(text);
}

static bool is_pocl(void)
{
    const char *platform = getenv("DNNL_CACHE_TEST_PLATFORM");
    return platform == NULL || strstr(PLATFORM, platform) != NULL;
}

TEST_C(LayerLaunches, AreNotCompiledTwice)
{
    static const struct run killed = {{"f/1024/64", "kill"}};
    static const struct run same = {{"f/1024/64"}};
    /* The driver chooses the local size of one. */
    static const struct run more = {{"f/1024/64", "g/96x4/0"}};
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries");
    path_of(store, "store");
    path_of(counted, "counted");
    path_of(said, "said");
    EXPECT_EQ(128 + SIGKILL,
            layer_process_run(NULL, become_client, (void *)(uintptr_t)&killed));
    refresh();
    expect_hit(&same, 0, 0);
    expect_hit(&more, 1, 1);
    char *listed = run_tool("list", "--long");
    ASSERT_NOT_NULL(listed);
    if (strstr(listed, "lacks launches") == NULL)
        test_fail(__FILE__, __LINE__, "no launches: %s", listed);
    EXPECT_NOT_NULL(strstr(listed, "  g "));
    EXPECT_NULL(strstr(listed, "f 64-1-1-goffs0-smallgrid"));
    free(listed);
    refresh();
    expect_hit(&more, 0, 0);
}

static void open_places(void)
{
    path_of(store, "store");
    path_of(counted, "counted");
    path_of(said, "said");
}

static void run_client(const struct run *run)
{
    ASSERT_EQ(
            0, layer_process_run(NULL, become_client, (void *)(uintptr_t)run));
}

/* Its bytes; nothing is noted while they stay. */
static long long journal_size(void)
{
    struct stat st;
    char path[path_size + 16];
    (void)snprintf(path, sizeof path, "%s/journal", store);
    return stat(path, &st) == 0 ? (long long)st.st_size : -1;
}

/* PoCL 3.1 compiles for one of both when it is asked for a binary. */
TEST_C(LayerLaunches, OnASmallAndALargeGridAreInOneBinary)
{
    static const struct run both = {{"f/64/8", "f/100000/8"}};
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries");
    open_places();
    run_client(&both);
    refresh();
    expect_hit(&both, 0, 0);
    expect_hit(&both, 0, 0);
}

/* What one kernel is launched with is not in the binary for the other. */
TEST_C(LayerLaunches, OfOneKernelAreNotTakenForThoseOfAnother)
{
    static const struct run each = {{"f/64/8", "g/64/16"}};
    static const struct run other = {{"f/64/16", "g/64/8"}};
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries");
    open_places();
    run_client(&each);
    refresh();
    expect_hit(&each, 0, 0);
    /* Both were launched: the functions for all launches run. */
    expect_hit(&other, 1, 0);
    refresh();
    expect_hit(&other, 0, 0);
}

/* The entry has what any start launched. */
TEST_C(LayerLaunches, OfStartsThatAlternateAreUnited)
{
    static const struct run a = {{"f/64/8", "f/64/16"}};
    static const struct run b = {{"f/64/32", "g/64/4"}};
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries");
    open_places();
    run_client(&a);
    refresh();
    expect_hit(&b, 1, 2);
    refresh();
    expect_hit(&a, 0, 0);
    const long long before = journal_size();
    expect_hit(&b, 0, 0);
    expect_hit(&a, 0, 0);
    EXPECT_EQ(before, journal_size());
    refresh();
    expect_hit(&b, 0, 0);
}

TEST_C(LayerLaunches, InMoreSizesThanOneProcessCanNameAreInOneBinary)
{
    static const struct run all = {{"f/each/120", "g/64/8"}};
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries");
    open_places();
    run_client(&all);
    refresh();
    expect_hit(&all, 0, 0);
    const long long before = journal_size();
    expect_hit(&all, 0, 0);
    EXPECT_EQ(before, journal_size());
}

/* As x264 asks for it. */
TEST_C(LayerLaunches, AfterAnEarlyQueryForTheBinaryAreNotCompiledTwice)
{
    static const struct run early = {{"ask", "f/1024/64"}};
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries");
    path_of(store, "store");
    path_of(counted, "counted");
    path_of(said, "said");
    ASSERT_EQ(0,
            layer_process_run(NULL, become_client, (void *)(uintptr_t)&early));
    refresh();
    expect_hit(&early, 0, 0);
}
