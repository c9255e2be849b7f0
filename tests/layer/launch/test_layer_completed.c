/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries that were kept as PoCL had compiled them get the functions for all
 * launches from dnnl-cache refresh, once, and are machine code alone then. What
 * somebody put into their place meanwhile, or removed, stays as it is.
 */
#include "layer_process.h"
#include "test.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLATFORM "Portable Computing Language"

enum { path_size = 512, most_steps = 8 };

static char store[path_size];
static char counted[path_size];
static char said[path_size];
static char driver[path_size]; /* the driver's folder */
static char temporary[path_size];

/* The client's steps. */
struct run {
    const char *steps[most_steps];
    bool has_cache;       /* the driver's */
    const char *variable; /* NULL: none */
};

static const struct run usual = {
        .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/64/8"}};
static const struct run others = {
        .steps = {"build/0/a", "launch/0/f/62/31", "launch/0/g/128/128",
                "launch/0/g/64/8/3", "launch/0/f/70000/16",
                "launch/0/f/1000/0"}};
static const struct run asking = {
        .steps = {"build/0/a", "ask/0", "launch/0/f/64/16", "launch/0/g/64/8"}};

static void path_of(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
}

static void open_places(void)
{
    path_of(store, "store");
    path_of(counted, "counted");
    path_of(said, "said");
    path_of(temporary, "tmp");
    (void)mkdir(temporary, 0700);
}

static void set_environment(bool has_cache)
{
    const int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(126);
    setenv("POCL_CACHE_DIR", driver, 1);
    if (has_cache)
        unsetenv("POCL_KERNEL_CACHE");
    else
        setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("TMPDIR", temporary, 1);
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
    set_environment(run->has_cache);
    setenv("OPENCL_LAYERS", LAYER, 1);
    setenv("DNNL_CACHE_STATS", counted, 1);
    if (run->variable != NULL) putenv((char *)(uintptr_t)run->variable);
    execv(CLIENT, arguments);
    return 127;
}

/* user: an option more, or NULL. */
static int become_tool(void *user)
{
    char *const arguments[] = {(char *)(uintptr_t)TOOL,
            (char *)(uintptr_t) "refresh", (char *)(uintptr_t) "--store", store,
            (char *)(uintptr_t) "--jobs", (char *)(uintptr_t) "1", user, NULL};
    set_environment(false);
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

/* Of the last run of the client. */
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

/* With a new folder of the driver's. Returns how many functions it compiled. */
static unsigned run_client(const struct run *run)
{
    remove(counted);
    path_of(driver, "pocl-XXXXXX");
    EXPECT_NOT_NULL(mkdtemp(driver));
    EXPECT_EQ(
            0, layer_process_run(NULL, become_client, (void *)(uintptr_t)run));
    return count_lines_with("Built a");
}

/* Expects what the driver compiles: of classes, and for all launches. */
static void refresh(const char *option, unsigned classes, unsigned generic)
{
    EXPECT_EQ(
            0, layer_process_run(NULL, become_tool, (void *)(uintptr_t)option));
    EXPECT_EQ(classes, count_lines_with("Built a specialized"));
    EXPECT_EQ(generic, count_lines_with("Built a generic"));
}

static void expect_hit(const struct run *run, unsigned finalised)
{
    EXPECT_EQ(0u, run_client(run));
    EXPECT_EQ(1u, counter("hits"));
    EXPECT_EQ(0u, counter("incomplete_hits"));
    EXPECT_EQ(finalised, counter("finalised_hits"));
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
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries")

static void keep(const struct run *run)
{
    open_places();
    (void)run_client(run);
    ASSERT_EQ(1u, counter("kept"));
    ASSERT_EQ(0u, count_lines_with("Built a generic"));
}

TEST_C(LayerCompleted, IsMachineCodeAloneAfterARefresh)
{
    NEEDS_POCL;
    keep(&usual);
    expect_hit(&usual, 0);
    /* What the entry has is not compiled again. */
    refresh(NULL, 0, 2);
    EXPECT_EQ(1u, count_lines_with("1 kept, 0 failed"));
    EXPECT_EQ(1u, count_lines_with("1 were there and load faster now"));
    expect_hit(&usual, 1);
    /* Nothing is left to do, at any further refresh. */
    for (int i = 0; i < 2; i++) {
        refresh(NULL, 0, 0);
        EXPECT_EQ(1u, count_lines_with("0 kept, 0 failed"));
        expect_hit(&usual, 1);
    }
}

/* Other local sizes, offsets and grids than the entry has run by the functions
 * for all launches: the client compares each value. */
TEST_C(LayerCompleted, IsRightInClassesThatItLacks)
{
    NEEDS_POCL;
    keep(&usual);
    refresh(NULL, 0, 2);
    EXPECT_EQ(0u, run_client(&others));
    EXPECT_EQ(1u, counter("finalised_hits"));
    EXPECT_EQ(1u, counter("incomplete_hits"));
    /* They are added, and the entry stays machine code alone. */
    refresh(NULL, 7, 2);
    expect_hit(&others, 1);
    expect_hit(&usual, 1);
    refresh(NULL, 0, 0);
}

/* A launch that the entry lacks is noted before the entry is completed. */
TEST_C(LayerCompleted, HasWhatWasLaunchedSince)
{
    NEEDS_POCL;
    keep(&usual);
    EXPECT_EQ(5u, run_client(&others));
    EXPECT_EQ(1u, counter("incomplete_hits"));
    refresh(NULL, 5, 2);
    expect_hit(&others, 1);
    expect_hit(&usual, 1);
}

/* Of a kernel that was never launched there is no machine code. */
TEST_C(LayerCompleted, IsLeftIfAKernelWasNeverLaunched)
{
    static const struct run one = {.steps = {"build/0/a", "launch/0/f/64/16"}};
    NEEDS_POCL;
    keep(&one);
    refresh(NULL, 0, 0);
    expect_hit(&one, 0);
}

/* Where only what is compiled already may be kept, the note stays. */
TEST_C(LayerCompleted, IsForARefreshThatMayCompile)
{
    static const struct run cached = {
            .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/64/8"},
            .has_cache = true};
    NEEDS_POCL;
    keep(&usual);
    EXPECT_EQ(1, layer_process_run(NULL, become_tool,
                         (void *)(uintptr_t) "--compiled-only"));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    expect_hit(&usual, 0);
    refresh(NULL, 0, 2);
    expect_hit(&usual, 1);
    /* What the driver's own cache had. */
    path_of(store, "other");
    (void)run_client(&cached);
    EXPECT_EQ(1u, counter("deferred"));
    refresh("--compiled-only", 0, 0);
    EXPECT_EQ(1u, count_lines_with("1 kept, 0 failed"));
    expect_hit(&cached, 0);
    refresh(NULL, 0, 2);
    expect_hit(&cached, 1);
}

/* Where the journal has little room, what waits to be compiled gets it. */
TEST_C(LayerCompleted, IsNotWaitedForWhereTheJournalHasLittleRoom)
{
    static const struct run many = {.steps = {"random/5/0/12/1"},
            .variable = "DNNL_CACHE_MAX_SIZE=2000000"};
    NEEDS_POCL;
    open_places();
    (void)run_client(&many);
    EXPECT_EQ(12u, counter("kept"));
    refresh(NULL, 0, 0);
    EXPECT_EQ(1u, count_lines_with("0 kept, 0 failed"));
}

/* ---- Whose binary is asked for ------------------------------------------- */

/* It would be compiled again for that at each start. */
TEST_C(LayerCompleted, IsLeftToWhoAsksForTheBinary)
{
    static const struct run more = {
            .steps = {"build/0/a", "ask/0", "launch/0/f/64/16",
                    "launch/0/g/64/8", "launch/0/g/64/4"}};
    NEEDS_POCL;
    open_places();
    EXPECT_EQ(4u, run_client(&asking));
    EXPECT_EQ(1u, counter("kept"));
    refresh(NULL, 0, 0);
    expect_hit(&asking, 0);
    /* What is launched later is added, and that stays so. */
    EXPECT_EQ(1u, run_client(&more));
    EXPECT_EQ(1u, counter("incomplete_hits"));
    refresh(NULL, 3, 2);
    expect_hit(&more, 0);
    refresh(NULL, 0, 0);
    expect_hit(&more, 0);
}

/* The first time that it asks it waits, and not again. */
TEST_C(LayerCompleted, BecomesOneOfThoseThatAreAskedFor)
{
    NEEDS_POCL;
    keep(&usual);
    refresh(NULL, 0, 2);
    EXPECT_EQ(2u, run_client(&asking));
    EXPECT_EQ(2u, count_lines_with("Built a generic"));
    refresh(NULL, 0, 0);
    for (int i = 0; i < 2; i++) {
        const unsigned built = run_client(&asking);
        EXPECT_EQ(0u, count_lines_with("Built a generic"));
        EXPECT_EQ(i == 0 ? 2u : 0u, built);
        EXPECT_EQ(0u, counter("finalised_hits"));
        refresh(NULL, i == 0 ? 2 : 0, i == 0 ? 2 : 0);
    }
}

/* The same where the driver's cache has what it compiled. */
TEST_C(LayerCompleted, IsLeftToWhoAsksWithTheDriversCache)
{
    static const struct run cached = {.steps = {"build/0/a", "launch/0/f/64/16",
                                              "launch/0/g/64/8", "ask/0"},
            .has_cache = true};
    NEEDS_POCL;
    open_places();
    EXPECT_EQ(4u, run_client(&cached));
    EXPECT_EQ(1u, counter("deferred"));
    refresh(NULL, 0, 0);
    expect_hit(&cached, 0);
}

/* ---- Meanwhile ----------------------------------------------------------- */

static pid_t start_refresh(void)
{
    return layer_process_start(NULL, become_tool, NULL);
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

/* The worker has its job, and begins to compile. */
static bool await_job(void)
{
    enum { most_ms = 10000 };
    char pattern[2 * path_size];
    (void)snprintf(pattern, sizeof pattern,
            "%s/dnnl-cache-refresh-*/0/work0/made/g,*", temporary);
    for (int ms = 0; ms < most_ms; ms++) {
        glob_t found;
        const bool is_there = glob(pattern, 0, NULL, &found) == 0;
        globfree(&found);
        if (is_there) return true;
        pause_ms(1);
    }
    return false;
}

TEST_C(LayerCompleted, StaysRemoved)
{
    NEEDS_POCL;
    keep(&usual);
    const pid_t child = start_refresh();
    ASSERT_TRUE(await_job());
    shell("find store -name '*.cl_cache' -delete");
    EXPECT_EQ(0, layer_process_wait(child));
    EXPECT_EQ(2u, count_lines_with("Built a generic"));
    EXPECT_EQ(2u, run_client(&usual));
    EXPECT_EQ(1u, counter("misses"));
}

/* The one that came in its place has more, which it keeps. */
TEST_C(LayerCompleted, HasWhatCameInItsPlace)
{
    static const struct run more = {
            .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/64/8",
                    "launch/0/g/64/4"}};
    NEEDS_POCL;
    open_places();
    path_of(store, "more");
    (void)run_client(&more);
    ASSERT_EQ(1u, counter("kept"));
    keep(&usual);
    const pid_t child = start_refresh();
    ASSERT_TRUE(await_job());
    shell("f=$(cd more && find . -name '*.cl_cache') && cp more/$f new &&"
          " mv new store/$f");
    EXPECT_EQ(0, layer_process_wait(child));
    EXPECT_EQ(1u, count_lines_with("1 kept, 0 failed"));
    expect_hit(&more, 1);
}

TEST_C(LayerCompleted, SurvivesARefreshThatIsKilled)
{
    NEEDS_POCL;
    keep(&usual);
    for (long ms = 5; ms <= 320; ms *= 2) {
        const pid_t child = start_refresh();
        pause_ms(ms);
        (void)kill(child, SIGKILL);
        (void)layer_process_wait(child);
        EXPECT_EQ(0u, run_client(&usual));
        EXPECT_EQ(1u, counter("hits"));
    }
    EXPECT_EQ(0, layer_process_run(NULL, become_tool, NULL));
    expect_hit(&usual, 1);
}
