/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PoCL's own cache has of a program that this process has compiled is
 * kept without compiling it again; what another process made, or what is no
 * longer as it was noted, is compiled.
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLATFORM "Portable Computing Language"

enum { path_size = 512, most_steps = 8 };

static char store[path_size];
static char counted[path_size];
static char said[path_size];
static char driver[path_size]; /* the driver's cache */

struct run {
    const char *steps[most_steps];
    const char *variable; /* NULL: none */
    bool has_no_layer;
    const char *option; /* of the tool; NULL: none */
};

static const struct run usual = {
        .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/70000/8"}};

static void path_of(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
}

static void open_places(void)
{
    path_of(store, "store");
    path_of(counted, "counted");
    path_of(said, "said");
    path_of(driver, "pocl");
    (void)mkdir(driver, 0700);
}

static void set_environment(const struct run *run)
{
    const int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(126);
    unsetenv("POCL_KERNEL_CACHE");
    setenv("POCL_CACHE_DIR", driver, 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("DNNL_CACHE_DIR", store, 1);
    setenv("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "0", 1);
    if (run->variable != NULL) putenv((char *)(uintptr_t)run->variable);
}

static int become_client(void *user)
{
    const struct run *run = user;
    char *arguments[most_steps + 3] = {
            (char *)(uintptr_t)CLIENT, (char *)(uintptr_t)PLATFORM};
    for (size_t i = 0; i < most_steps; i++)
        arguments[i + 2] = (char *)(uintptr_t)run->steps[i];
    set_environment(run);
    if (!run->has_no_layer) {
        setenv("OPENCL_LAYERS", LAYER, 1);
        setenv("DNNL_CACHE_STATS", counted, 1);
    }
    execv(CLIENT, arguments);
    return 127;
}

static int become_tool(void *user)
{
    const struct run *run = user;
    char *const arguments[] = {(char *)(uintptr_t)TOOL,
            (char *)(uintptr_t) "refresh", (char *)(uintptr_t) "--store", store,
            (char *)(uintptr_t) "--jobs", (char *)(uintptr_t) "1",
            (char *)(uintptr_t)run->option, NULL};
    set_environment(run);
    unsetenv("OPENCL_LAYERS");
    unsetenv("DNNL_CACHE_DIR");
    execv(TOOL, arguments);
    return 127;
}

static unsigned count_lines_with(const char *word)
{
    unsigned count = 0;
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(said, "re");
    if (file == NULL) return 0;
    while (getline(&line, &room, file) >= 0)
        count += strstr(line, word) != NULL;
    free(line);
    (void)fclose(file);
    return count;
}

static unsigned counter(const char *name)
{
    char word[64];
    char *text = layer_process_read_file(counted);
    (void)snprintf(word, sizeof word, "\"%s\":", name);
    const char *at = text != NULL ? strstr(text, word) : NULL;
    const unsigned value =
            at != NULL ? (unsigned)strtoul(at + strlen(word), NULL, 10) : 0;
    free(text);
    return value;
}

static int run_client(const struct run *run)
{
    remove(counted);
    return layer_process_run(NULL, become_client, (void *)(uintptr_t)run);
}

/* How many functions of classes the driver compiled meanwhile, which the
 * application has had compiled. Those for all launches are new
 * (test_layer_completed.c). */
static unsigned refresh(void)
{
    EXPECT_EQ(
            0, layer_process_run(NULL, become_tool, (void *)(uintptr_t)&usual));
    return count_lines_with("Built a specialized");
}

static void shell(const char *command)
{
    char line[4 * path_size];
    (void)snprintf(
            line, sizeof line, "cd '%s' && %s", test_directory(), command);
    ASSERT_EQ(0, system(line));
}

static bool is_pocl(void)
{
    const char *platform = getenv("DNNL_CACHE_TEST_PLATFORM");
    return platform == NULL || strstr(PLATFORM, platform) != NULL;
}

#define NEEDS_POCL \
    if (!is_pocl()) SKIP_TEST("it is about PoCL's own cache")

/* In a new cache of the driver's. */
static void expect_hit(const struct run *run)
{
    path_of(driver, "pocl-XXXXXX");
    ASSERT_NOT_NULL(mkdtemp(driver));
    ASSERT_EQ(0, run_client(run));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    EXPECT_EQ(1u, counter("hits"));
    EXPECT_EQ(0u, counter("incomplete_hits"));
}

/* A first start, and something that happens before the refresh. */
static void expect_compiled_after(const char *command)
{
    open_places();
    ASSERT_EQ(0, run_client(&usual));
    EXPECT_EQ(1u, counter("deferred"));
    shell(command);
    EXPECT_EQ(2u, refresh());
    expect_hit(&usual);
}

TEST_C(LayerMade, IsKeptWithoutCompiling)
{
    static const struct run other = {
            .steps = {"build/0/a", "launch/0/f/62/31", "launch/0/g/64/8/3"}};
    static const struct run compiled_only = {.option = "--compiled-only"};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&usual));
    EXPECT_EQ(2u, count_lines_with("Built a"));
    EXPECT_EQ(0u, counter("kept"));
    EXPECT_EQ(1u, counter("deferred"));
    /* The start has noted the files, and refresh takes them. */
    shell("grep -rqa 'program\\.bc' store");
    /* Nothing is put into the driver's cache. */
    shell("find pocl -type f -printf '%p %i %C@\n' | sort >before");
    EXPECT_EQ(0, layer_process_run(
                         NULL, become_tool, (void *)(uintptr_t)&compiled_only));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    shell("find pocl -type f -printf '%p %i %C@\n' | sort | cmp - before");
    expect_hit(&usual);
    /* Of other classes nothing is there, and they are right. */
    ASSERT_EQ(0, run_client(&other));
    EXPECT_EQ(2u, count_lines_with("Built a specialized"));
    EXPECT_EQ(1u, counter("incomplete_hits"));
}

TEST_C(LayerMade, IsKeptOfProgramsWithKernelsOfOneName)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "release/0", "build/1/b",
                    "launch/1/f/64/16", "exit"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(2u, counter("deferred"));
    EXPECT_EQ(0u, refresh());
    path_of(driver, "other");
    (void)mkdir(driver, 0700);
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(2u, counter("hits"));
    EXPECT_EQ(0u, count_lines_with("Built a"));
}

/* Another process had made what is in the driver's cache. */
TEST_C(LayerMade, IsCompiledIfTheDriverHadIt)
{
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&usual));
    path_of(store, "other-store");
    ASSERT_EQ(0, run_client(&usual));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    EXPECT_EQ(1u, counter("deferred"));
    EXPECT_EQ(2u, refresh());
    expect_hit(&usual);
}

/* The driver's name for the program does not cover this variable. */
TEST_C(LayerMade, IsOfItsOwnVariables)
{
    static const struct run unrolled = {
            .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/70000/8"},
            .variable = "POCL_WILOOPS_MAX_UNROLL_COUNT=1"};
    static const struct run unrolled_before = {
            .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/70000/8"},
            .variable = "POCL_WILOOPS_MAX_UNROLL_COUNT=1",
            .has_no_layer = true};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&unrolled_before));
    path_of(store, "unrolled");
    ASSERT_EQ(0, run_client(&unrolled));
    path_of(store, "store");
    ASSERT_EQ(0, run_client(&usual));
    EXPECT_EQ(2u, count_lines_with("Built a"));
    EXPECT_EQ(0u, refresh());
    expect_hit(&usual);
}

/* The same bytes, and yet another folder. */
TEST_C(LayerMade, IsCompiledIfTheFolderWasExchanged)
{
    NEEDS_POCL;
    expect_compiled_after("cp -a pocl copy && mv pocl old && mv copy pocl");
}

TEST_C(LayerMade, IsCompiledIfAFileWasTouched)
{
    NEEDS_POCL;
    expect_compiled_after(
            "sleep 0.05 && find pocl -name program.bc -exec chmod 0640 {} +");
}

TEST_C(LayerMade, IsCompiledIfAFileWasCutAndItsTimeSetBack)
{
    NEEDS_POCL;
    expect_compiled_after("find pocl -name '*.so' | while read f; do"
                          " touch -r \"$f\" when; truncate -s 4000 \"$f\";"
                          " touch -r when \"$f\"; done");
}

TEST_C(LayerMade, IsCompiledIfALinkLeadsThere)
{
    NEEDS_POCL;
    expect_compiled_after("mv pocl elsewhere && ln -s elsewhere pocl");
}

TEST_C(LayerMade, IsCompiledIfOthersCanWriteThere)
{
    NEEDS_POCL;
    expect_compiled_after("chmod 0777 pocl");
}

TEST_C(LayerMade, IsCompiledIfTheFolderIsGone)
{
    NEEDS_POCL;
    expect_compiled_after("rm -r pocl");
}

/* One worker has both, and finds the folder of each. */
TEST_C(LayerMade, IsCompiledIfTheFoldersOfSeveralAreGone)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "build/1/b",
                    "launch/1/f/64/16", "launch/1/h/64/16"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(2u, counter("deferred"));
    shell("rm -r pocl");
    EXPECT_EQ(3u, refresh());
    /* Of the second, whose kernels were all launched. */
    EXPECT_EQ(2u, count_lines_with("Built a generic"));
}

static void kill_refresh_after(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    const pid_t child = fork();
    if (child == 0) _exit(become_tool((void *)(uintptr_t)&usual));
    nanosleep(&pause, NULL);
    (void)kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0)
        continue;
}

/* What the driver made, and what was said beside, of the last run. */
static void show_said(void)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(said, "re");
    if (file == NULL) return;
    while (getline(&line, &room, file) >= 0)
        if (strstr(line, "Built a") != NULL || strstr(line, "dnnl") != NULL)
            (void)fputs(line, stdout);
    free(line);
    (void)fclose(file);
}

/* The next refresh makes what the one before had not. It failed once in a
 * Debian 13, of which nothing was left that could tell why. */
TEST_C(LayerMade, SurvivesARefreshThatIsKilled)
{
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&usual));
    for (long ms = 5; ms <= 160; ms *= 2)
        kill_refresh_after(ms);
    EXPECT_EQ(0u, refresh());
    if (test_has_failed()) show_said();
    expect_hit(&usual);
    if (test_has_failed()) show_said();
}

/* Without its end a process notes nothing of that. */
TEST_C(LayerMade, IsCompiledOfAProcessThatWasKilled)
{
    static const struct run killed = {.steps = {"build/0/a", "launch/0/f/64/16",
                                              "launch/0/g/70000/8", "kill"}};
    NEEDS_POCL;
    open_places();
    EXPECT_EQ(128 + SIGKILL, run_client(&killed));
    EXPECT_EQ(2u, refresh());
    expect_hit(&usual);
}
