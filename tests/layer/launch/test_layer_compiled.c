/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PoCL has compiled for launches is kept by the process itself, which
 * compiles nothing more for that; what cannot be kept in this way is left to
 * the journal.
 */
#include "layer_process.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PLATFORM "Portable Computing Language"

enum { path_size = 512, most_steps = 12, most_variables = 4 };

static char store[path_size];
static char counted[path_size];
static char said[path_size];
static char driver[path_size]; /* the driver's folder */

/* The client's steps, or the tool's arguments. */
struct run {
    const char *steps[most_steps];
    const char *variables[most_variables];
    bool has_no_layer;
    bool has_little_memory;
    bool keeps_folder; /* the driver's, of the run before */
};

static void path_of(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
}

static void open_places(void)
{
    path_of(store, "store");
    path_of(counted, "counted");
    path_of(said, "said");
}

/* PoCL's own cache is off, and says what it builds. */
static void set_environment(const struct run *run)
{
    const int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(126);
    setenv("POCL_CACHE_DIR", driver, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("DNNL_CACHE_DIR", store, 1);
    setenv("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "0", 1);
    for (size_t i = 0; i < most_variables; i++)
        if (run->variables[i] != NULL)
            putenv((char *)(uintptr_t)run->variables[i]);
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
    if (run->has_little_memory) {
        const struct rlimit limit = {
                .rlim_cur = (rlim_t)64 << 30, .rlim_max = RLIM_INFINITY};
        (void)setrlimit(RLIMIT_AS, &limit);
    }
    execv(CLIENT, arguments);
    return 127;
}

static int become_tool(void *user)
{
    const struct run *run = user;
    char *const arguments[] = {(char *)(uintptr_t)TOOL,
            (char *)(uintptr_t) "refresh", (char *)(uintptr_t) "--store", store,
            NULL};
    set_environment(run);
    unsetenv("OPENCL_LAYERS");
    unsetenv("DNNL_CACHE_DIR");
    execv(TOOL, arguments);
    return 127;
}

/* The driver says much. */
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

/* Of the last run; 0 if it is not there. */
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

/* What it exited with. */
static int run_client(const struct run *run)
{
    remove(counted);
    if (!run->keeps_folder) {
        path_of(driver, "pocl-XXXXXX");
        if (mkdtemp(driver) == NULL) return 126;
    }
    return layer_process_run(NULL, become_client, (void *)(uintptr_t)run);
}

static void refresh(void)
{
    static const struct run none = {.steps = {NULL}};
    path_of(driver, "pocl-XXXXXX");
    ASSERT_NOT_NULL(mkdtemp(driver));
    EXPECT_EQ(
            0, layer_process_run(NULL, become_tool, (void *)(uintptr_t)&none));
}

static bool is_pocl(void)
{
    const char *platform = getenv("DNNL_CACHE_TEST_PLATFORM");
    return platform == NULL || strstr(PLATFORM, platform) != NULL;
}

/* PoCL removes the folders of programs, and leaves a file of its own. */
static bool has_folder_of_program(void)
{
    char command[2 * path_size + 64];
    (void)snprintf(command, sizeof command, "ls -d '%s'/_UNCACHED_* >%s",
            driver, said);
    return system(command) == 0;
}

/* Under the layer the driver compiles what it compiles without, `generic`
 * functions for all launches among them, and nothing when the same is launched
 * again. */
static void expect_kept_with(
        const struct run *run, unsigned programs, unsigned generic)
{
    struct run plain = *run;
    plain.has_no_layer = true;
    open_places();
    ASSERT_EQ(0, run_client(&plain));
    const unsigned built = count_lines_with("Built a");
    EXPECT_TRUE(built > 0);
    ASSERT_EQ(0, run_client(run));
    EXPECT_EQ(built, count_lines_with("Built a"));
    EXPECT_EQ(generic, count_lines_with("Built a generic"));
    EXPECT_EQ(programs, counter("kept"));
    EXPECT_EQ(0u, counter("deferred"));
    ASSERT_EQ(0, run_client(run));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    EXPECT_EQ(programs, counter("hits"));
    EXPECT_EQ(0u, counter("incomplete_hits"));
}

static void expect_kept(const struct run *run, unsigned programs)
{
    expect_kept_with(run, programs, 0);
}

/* Nothing is kept by the process, which compiles `generic` functions for all
 * launches as without the layer; the journal has it. */
static void expect_deferred(
        const struct run *run, unsigned programs, unsigned generic)
{
    open_places();
    ASSERT_EQ(0, run_client(run));
    EXPECT_EQ(generic, count_lines_with("Built a generic"));
    EXPECT_EQ(0u, counter("kept"));
    EXPECT_EQ(programs, counter("deferred"));
    refresh();
    ASSERT_EQ(0, run_client(run));
    EXPECT_EQ(programs, counter("hits"));
    EXPECT_EQ(0u, counter("incomplete_hits"));
}

#define NEEDS_POCL \
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries")

TEST_C(LayerCompiled, IsKeptByTheProcess)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/64/8",
                    "launch/0/f/1000/0", "launch/0/f/64/16/5",
                    "launch/0/g/70000/8"}};
    static const struct run others = {
            .steps = {"build/0/a", "launch/0/f/62/31", "launch/0/g/128/128",
                    "launch/0/g/64/8/3", "launch/0/f/70000/16"}};
    NEEDS_POCL;
    expect_kept(&run, 1);
    EXPECT_FALSE(has_folder_of_program());
    /* Of other classes nothing is there, and they are right. */
    ASSERT_EQ(0, run_client(&others));
    EXPECT_EQ(1u, counter("incomplete_hits"));
    EXPECT_EQ(4u, count_lines_with("Built a specialized"));
    refresh();
    ASSERT_EQ(0, run_client(&others));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(0u, count_lines_with("Built a"));
}

/* What is compiled first has no kernels that the driver could compile; what is
 * linked of it is as what is built. */
TEST_C(LayerCompiled, IsKeptOfObjectsAndWhatIsLinked)
{
    static const struct run run = {
            .steps = {"object/0/a", "link/1/0", "launch/1/f/64/16",
                    "object/2/b", "link/3/2", "launch/3/f/64/8",
                    "launch/3/h/64/16"}};
    NEEDS_POCL;
    expect_kept(&run, 4);
}

/* What is linked is left to a worker, which needs what it is linked from. */
TEST_C(LayerCompiled, IsLinkedByARefreshOfAnObjectThatWasKept)
{
    static const struct run run = {
            .steps = {"object/0/a", "link/1/0", "launch/1/f/64/16"},
            .variables = {"POCL_WORK_GROUP_SPECIALIZATION=0"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(1u, counter("kept"));
    EXPECT_EQ(1u, counter("deferred"));
    refresh();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(2u, counter("hits"));
    EXPECT_EQ(0u, counter("misses"));
}

TEST_C(LayerCompiled, IsKeptOfProgramsThatAreNotReleased)
{
    static const struct run run = {
            .steps = {"hold", "build/0/a", "launch/0/f/64/16", "build/1/c",
                    "launch/1/r/64/16", "exit"}};
    NEEDS_POCL;
    expect_kept(&run, 2);
}

TEST_C(LayerCompiled, IsKeptOfKernelsWithARequiredSize)
{
    static const struct run run = {
            .steps = {"build/0/c", "launch/0/r/64/16", "launch/0/r/64/16/5",
                    "launch/0/r/80000/16", "release/0", "wait/300", "build/1/d",
                    "launch/1/p/64/8"}};
    NEEDS_POCL;
    expect_kept(&run, 2);
}

/* The kernel lives longer than the program, and is launched. */
TEST_C(LayerCompiled, HasLaunchesAfterTheProgramWasReleased)
{
    static const struct run run = {
            .steps = {"hold", "build/0/a", "launch/0/f/64/16", "release/0",
                    "wait/200", "again/f/64/8"}};
    NEEDS_POCL;
    expect_kept(&run, 1);
}

/* The driver's answer has files without code then. It compiles for all launches
 * for the application that asks, but not under the layer. */
TEST_C(LayerCompiled, IsNotSeenByTheApplication)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "atexit/0", "exit"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(1u, count_lines_with("Built a"));
    EXPECT_EQ(1u, counter("kept"));
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    EXPECT_EQ(1u, counter("hits"));
}

/* The driver compiles for all launches for the application, and gives no other
 * binary for ever: what is launched later is added to it. */
TEST_C(LayerCompiled, IsKeptIfTheApplicationAsksBefore)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/8", "ask/0",
                    "launch/0/f/64/16", "launch/0/g/70000/8/3", "ask/0"}};
    NEEDS_POCL;
    expect_kept_with(&run, 1, 2);
}

TEST_C(LayerCompiled, IsKeptIfTheApplicationAsksAndLaunchesNothing)
{
    static const struct run run = {.steps = {"build/0/a", "ask/0", "release/0",
                                           "build/1/c", "launch/1/r/64/16"}};
    NEEDS_POCL;
    expect_kept_with(&run, 2, 2);
}

/* The binary names the program's folder, where what is made from it works, in
 * this process and in others. The driver removes the folder with the program,
 * and must not do so later than without the layer. */
TEST_C(LayerCompiled, IsGoneBeforeAProgramIsMadeOfItsBinary)
{
    static const struct run run = {
            .steps = {"build/0/a", "write/0", "release/0", "gone", "read/1/a",
                    "wait/100", "launch/1/f/64/16"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(1u, counter("kept"));
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(1u, counter("hits"));
}

TEST_C(LayerCompiled, IsGoneWithTheLastKernelToo)
{
    static const struct run run = {
            .steps = {"hold", "build/0/a", "launch/0/f/64/8", "write/0",
                    "release/0", "wait/100", "drop", "gone"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(1u, counter("kept"));
}

/* What was added is as good as what the driver put there: the application gets
 * it, and needs no layer for it. */
TEST_C(LayerCompiled, GivesABinaryWithWhatWasAdded)
{
    static const struct run first = {
            .steps = {"build/0/a", "ask/0", "launch/0/f/64/16", "exit"}};
    static const struct run second = {
            .steps = {"build/0/a", "write/0", "exit"}};
    static const struct run third = {
            .steps = {"read/0/a", "launch/0/f/64/16", "launch/0/f/64/8",
                    "launch/0/g/64/8", "exit"},
            .has_no_layer = true};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&first));
    EXPECT_EQ(1u, counter("kept"));
    ASSERT_EQ(0, run_client(&second));
    EXPECT_EQ(1u, counter("hits"));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    ASSERT_EQ(0, run_client(&third));
    EXPECT_EQ(2u, count_lines_with("Built a"));
}

TEST_C(LayerCompiled, IsKeptOfProgramsThatShareAName)
{
    static const struct run run = {
            .steps = {"build/0/a", "build/1/b", "launch/0/f/64/16",
                    "launch/1/f/64/16", "launch/0/g/64/8", "launch/1/h/64/8"}};
    NEEDS_POCL;
    expect_kept(&run, 2);
}

/* Which folder is whose, tells when it was written. */
TEST_C(LayerCompiled, IsKeptIfOnlySharedNamesWereLaunched)
{
    static const struct run run = {
            .steps = {"build/0/a", "build/1/b", "launch/0/f/64/16",
                    "launch/1/f/64/16", "exit"}};
    NEEDS_POCL;
    expect_kept(&run, 2);
}

TEST_C(LayerCompiled, IsKeptIfSharedNamesAreReleasedAtOnce)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "release/0", "build/1/b",
                    "launch/1/f/64/16", "release/1"}};
    NEEDS_POCL;
    expect_kept(&run, 2);
}

/* Nothing tells. */
TEST_C(LayerCompiled, IsForTheJournalIfSharedNamesWereBuiltAtOneTime)
{
    static const struct run run = {.steps = {"builds", "launch/0/f/64/16",
                                           "launch/1/f/64/16", "exit"}};
    NEEDS_POCL;
    expect_deferred(&run, 2, 0);
}

/* One was released before the other was built. */
TEST_C(LayerCompiled, IsKeptOfProgramsThatShareANameOneAfterTheOther)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "release/0", "wait/500",
                    "build/1/b", "launch/1/f/64/16", "release/1"}};
    NEEDS_POCL;
    expect_kept(&run, 2);
}

/* The other's folder is the only one with a launched kernel of that name. When
 * it was written tells which is this one's. */
TEST_C(LayerCompiled, IsNotPutIntoAnothersFolder)
{
    static const struct run run = {
            .steps = {"build/0/a", "wait/50", "build/1/b", "launch/0/f/64/16",
                    "exit"}};
    static const struct run later = {
            .steps = {"build/0/a", "build/1/b", "launch/1/f/64/16",
                    "launch/1/h/64/8", "exit"}};
    NEEDS_POCL;
    expect_kept(&run, 2);
    ASSERT_EQ(0, run_client(&later));
    EXPECT_EQ(2u, counter("hits"));
    EXPECT_EQ(1u, counter("incomplete_hits"));
}

TEST_C(LayerCompiled, IsKeptOfProgramsThatWereNeverLaunched)
{
    static const struct run run = {
            .steps = {"build/0/a", "release/0", "wait/50", "build/1/c",
                    "wait/50", "build/2/d", "launch/1/r/64/16", "release/2",
                    "exit"}};
    NEEDS_POCL;
    expect_kept(&run, 3);
}

/* Of two builds at one time, only that which ended first may have had its
 * folder alone; and where folders are tells what is launched. */
TEST_C(LayerCompiled, IsForTheJournalIfNothingTellsItsFolder)
{
    static const struct run at_one_time = {
            .steps = {"builds", "build/2/c", "launch/2/r/64/16", "exit"}};
    static const struct run again = {
            .steps = {"build/0/a", "build/1/b", "launch/0/f/64/16",
                    "launch/1/f/64/16", "launch/0/g/64/8", "exit"}};
    static const struct run alone = {.steps = {"build/0/a", "exit"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&at_one_time));
    EXPECT_EQ(3u, counter("kept") + counter("deferred"));
    EXPECT_TRUE(counter("deferred") >= 1);
    ASSERT_EQ(0, run_client(&again));
    path_of(store, "another");
    ASSERT_EQ(0, run_client(&alone));
    EXPECT_EQ(0u, counter("kept"));
    EXPECT_EQ(1u, counter("deferred"));
}

/* One entry is of both, whichever was captured. */
TEST_C(LayerCompiled, IsKeptOfEqualProgramsInTwoContexts)
{
    static const struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "context", "build/1/a",
                    "launch/1/f/64/8", "launch/1/g/64/8", "launch/0/g/64/4"}};
    static const struct run others = {
            .steps = {"build/0/a", "launch/0/f/60/12", "context", "build/1/a",
                    "launch/1/f/64/16", "launch/1/f/64/8", "launch/1/g/99/3"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(0u, count_lines_with("Built a generic"));
    EXPECT_EQ(1u, counter("kept") + counter("deferred"));
    ASSERT_EQ(0, run_client(&others));
    EXPECT_EQ(2u, counter("hits"));
    refresh();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(2u, counter("hits"));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    ASSERT_EQ(0, run_client(&others));
}

/* Two threads have programs captured while a third launches. */
static void expect_right_in_a_storm(const struct run *run, unsigned programs)
{
    open_places();
    ASSERT_EQ(0, run_client(run));
    EXPECT_EQ(0u, count_lines_with("Built a generic"));
    const unsigned kept = counter("kept");
    EXPECT_EQ(programs, kept + counter("deferred"));
    ASSERT_EQ(0, run_client(run));
    EXPECT_TRUE(counter("hits") >= kept);
    refresh();
    ASSERT_EQ(0, run_client(run));
    EXPECT_EQ(programs, counter("hits"));
    EXPECT_EQ(0u, count_lines_with("Built a generic"));
}

TEST_C(LayerCompiled, IsKeptWhileThreadsBuildAndLaunch)
{
    static const struct run run = {.steps = {"build/0/a", "storm/3/own"}};
    NEEDS_POCL;
    expect_right_in_a_storm(&run, 7);
    EXPECT_FALSE(has_folder_of_program());
}

TEST_C(LayerCompiled, IsRightWhileThreadsBuildKernelsOfOneName)
{
    static const struct run run = {.steps = {"build/0/a", "storm/3/same"}};
    NEEDS_POCL;
    expect_right_in_a_storm(&run, 7);
}

TEST_C(LayerCompiled, IsForTheJournalOfTwoDevices)
{
    static const struct run run = {
            .steps = {"both", "build/0/a", "launch/0/f/64/16"},
            .variables = {"POCL_DEVICES=pthread pthread"}};
    NEEDS_POCL;
    open_places();
    ASSERT_EQ(0, run_client(&run));
    EXPECT_EQ(0u, counter("kept"));
    EXPECT_EQ(1u, counter("deferred")); /* they are equal */
    EXPECT_EQ(0u, count_lines_with("Built a generic"));
}

TEST_C(LayerCompiled, IsForTheJournalWhereItCannotBeHad)
{
    static const struct run off = {.steps = {"build/0/a", "launch/0/f/64/16"},
            .variables = {"DNNL_CACHE_CAPTURE_COMPILED=0"}};
    static const struct run without_classes = {
            .steps = {"build/0/a", "launch/0/f/64/16"},
            .variables = {"POCL_WORK_GROUP_SPECIALIZATION=0"}};
    static const struct run with_cache = {
            .steps = {"build/0/a", "launch/0/f/64/16"},
            .variables = {"POCL_KERNEL_CACHE=1"}};
    static const struct run named = {.steps = {"build/0/a", "launch/0/f/64/16"},
            .variables = {"POCL_BINARY_SPECIALIZE_WG=32-1-1"}};
    static const struct run limited = {
            .steps = {"build/0/a", "launch/0/f/64/16"},
            .has_little_memory = true};
    static const struct run *const all[] = {
            &off, &without_classes, &with_cache, &named, &limited};
    NEEDS_POCL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[32];
        open_places();
        (void)snprintf(name, sizeof name, "store-%zu", i);
        path_of(store, name);
        ASSERT_EQ(0, run_client(all[i]));
        if (counter("kept") != 0 || counter("deferred") != 1)
            test_fail(__FILE__, __LINE__, "run %zu: %u kept, %u deferred", i,
                    counter("kept"), counter("deferred"));
    }
}

/* True: it was ended at that step, and the next start has all, and nothing is
 * wrong. False: it has fewer steps. */
static bool is_killed_at(unsigned step, bool is_after)
{
    char at[32];
    struct run run = {
            .steps = {"build/0/a", "launch/0/f/64/16", "launch/0/g/64/8"},
            .variables = {"LD_PRELOAD=" KILLER, at,
                    is_after ? "KILL_AFTER=1" : NULL}};
    struct run again = {.steps = {"build/0/a", "launch/0/f/64/16",
                                "launch/0/g/64/8", "launch/0/g/64/4"},
            .keeps_folder = true};
    char name[32];
    (void)snprintf(name, sizeof name, "store-%d-%u", is_after, step);
    path_of(store, name);
    (void)snprintf(at, sizeof at, "KILL_AT=%u", step);
    const int code = run_client(&run);
    if (code == 0) return false;
    EXPECT_EQ(128 + SIGKILL, code);
    again.has_no_layer = true;
    EXPECT_EQ(0, run_client(&again));
    again.has_no_layer = false;
    again.steps[3] = NULL;
    refresh();
    EXPECT_EQ(0, run_client(&again));
    EXPECT_EQ(0u, count_lines_with("Built a"));
    EXPECT_EQ(1u, counter("hits"));
    return true;
}

/* The loader is tried; then three calls for each of two kernels, and more to
 * take them out. */
static void kill_at_each_step(bool is_after)
{
    enum { fewest = 8 };
    const uint64_t seed = test_seed();
    for (unsigned i = 0; !test_has_failed(); i++) {
        if (!is_in_sample(i, seed)) continue;
        if (is_killed_at(i + 1, is_after)) continue;
        EXPECT_TRUE(i >= fewest);
        printf("ended %s each of %u steps\n", is_after ? "after" : "before", i);
        return;
    }
}

TEST_C(LayerCompiled, CanBeEndedBeforeEachStep)
{
    NEEDS_POCL;
    open_places();
    kill_at_each_step(false);
}

TEST_C(LayerCompiled, CanBeEndedAfterEachStep)
{
    NEEDS_POCL;
    open_places();
    kill_at_each_step(true);
}

/* ---- Random programs ----------------------------------------------------- */

/* Programs that follow from a seed, and what is done with them. */
struct slice {
    uint64_t seed;
    unsigned from, to;
    bool has_plain;    /* started without the layer, too */
    bool is_completed; /* by a refresh */
    char *planted; /* a variable for the start that keeps them; NULL: none */
};

/* Phase 1 launches in the classes that are captured, 2 in others, 3 in any. */
static int run_phase(const struct slice *s, unsigned phase, struct run run)
{
    char step[80];
    (void)snprintf(step, sizeof step, "random/%llu/%u/%u/%u",
            (unsigned long long)s->seed, s->from, s->to, phase);
    run.steps[0] = step;
    return run_client(&run);
}

/* The client knows what each value is, and in how many classes it launches:
 * the driver compiles for each of them, and for nothing else. */
static bool has_built_what_was_launched(void)
{
    return count_lines_with("Built a specialized")
                   == count_lines_with("launched in a class")
           && count_lines_with("Built a generic") == 0;
}

/* Of a program with a launched kernel whose name no other has, all is kept. */
static const char *find_wrong_when_kept(const struct slice *s, unsigned *kept)
{
    const struct run plain = {.has_no_layer = true};
    const struct run cold = {.variables = {s->planted}};
    if (s->has_plain) {
        if (run_phase(s, 1, plain) != 0) return "values without the layer";
        if (!has_built_what_was_launched())
            return "what is compiled without the layer";
    }
    if (run_phase(s, 1, cold) != 0) return "values of the first start";
    if (!has_built_what_was_launched()) return "what the first start compiles";
    *kept = counter("kept");
    if (s->to - s->from != *kept + counter("deferred")
            || *kept < count_lines_with("launched by a name of its own"))
        return "what is kept";
    return NULL;
}

static const char *find_wrong_when_loaded(const struct slice *s, unsigned kept)
{
    static const struct run run = {.has_no_layer = false};
    if (run_phase(s, 2, run) != 0) return "values in other classes";
    if (kept != counter("hits")) return "hits";
    if (!has_built_what_was_launched()) return "what other classes compile";
    if (run_phase(s, 1, run) != 0) return "values in the same classes";
    if (count_lines_with("Built a generic") != 0
            || (kept == s->to - s->from && count_lines_with("Built a") != 0))
        return "what the same start compiles";
    return NULL;
}

static const char *find_wrong_when_completed(
        const struct slice *s, unsigned kept)
{
    static const struct run run = {.has_no_layer = false};
    refresh();
    if (run_phase(s, 3, run) != 0) return "values of completed entries";
    if (s->to - s->from != counter("hits")
            || (kept > 0 && counter("finalised_hits") == 0))
        return "which entries are completed";
    if (count_lines_with("Built a generic") != 0)
        return "what completed entries compile";
    if (run_phase(s, 1, run) != 0) return "values of completed entries again";
    return NULL;
}

/* Returns what is wrong, NULL: nothing. */
static const char *find_wrong(const struct slice *s)
{
    unsigned kept = 0;
    const char *wrong = find_wrong_when_kept(s, &kept);
    if (wrong == NULL) wrong = find_wrong_when_loaded(s, kept);
    if (wrong == NULL && s->is_completed)
        wrong = find_wrong_when_completed(s, kept);
    return wrong;
}

static void expect_right(const struct slice *s)
{
    const char *wrong = find_wrong(s);
    test_asserts();
    if (wrong != NULL)
        test_fail(__FILE__, __LINE__, "seed %llu, programs %u to %u: %s",
                (unsigned long long)s->seed, s->from, s->to, wrong);
}

/* Where an entry has one class's function in the place of another's, the
 * campaign says so. */
TEST_C(LayerCompiled, OfRandomProgramsIsNotBlind)
{
    static char swapped[] = "LD_PRELOAD=" SWAPPER;
    const struct slice slice = {.seed = 3, .to = 12, .planted = swapped};
    NEEDS_POCL;
    open_places();
    EXPECT_STR_EQ("values in the same classes", find_wrong(&slice));
}

TEST_C(LayerCompiled, OfRandomProgramsIsRight)
{
    const struct slice slice = {.seed = test_seed(),
            .to = 16,
            .has_plain = true,
            .is_completed = true};
    NEEDS_POCL;
    open_places();
    expect_right(&slice);
}

/* With a seed of its own each is a slice of the thousand's. */
TEST_C(LayerCompiled, OfAHundredRandomProgramsIsRight)
{
    enum { count = 100, completed = 25 };
    const uint64_t seed = test_seed();
    const struct slice first = {
            .seed = seed, .to = completed, .is_completed = true};
    const struct slice second = {.seed = seed, .from = completed, .to = count};
    NEEDS_POCL;
    open_places();
    expect_right(&first);
    expect_right(&second);
}
