/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of one entry that are loaded, run and released at the same time, by
 * threads and by processes, with every setting of PoCL's own cache.
 * DNNL_CACHE_TEST_LONG=1 does a hundred rounds of each.
 */
#include "layer_process.h"
#include "test.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLATFORM "Portable Computing Language"

enum { PATH_SIZE = 512, MOST_PROCESSES = 8 };

/* ---- Folders ------------------------------------------------------------- */

static int remove_entry(
        const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_empty(const char *path)
{
    remove_folder(path);
    EXPECT_EQ(0, mkdir(path, 0700));
}

static unsigned files;

static int count_file(
        const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    /* PoCL's own, which it leaves behind and fills anew, are not a program's.
     */
    if (type == FTW_F && strncmp(path + walk->base, "tempfile", 8) != 0
            && strcmp(path + walk->base, "last_accessed") != 0)
        files++;
    return 0;
}

/* What PoCL keeps of programs in a folder. */
static unsigned count_files(const char *path)
{
    files = 0;
    nftw(path, count_file, 16, FTW_PHYS);
    return files;
}

/* ---- Runs ---------------------------------------------------------------- */

struct run {
    const char *layers; /* NULL: none */
    const char *store;
    const char *kernel_cache; /* POCL_KERNEL_CACHE; NULL: not set */
    char *folder;             /* POCL_CACHE_DIR */
    char *threads;
    char *rounds;
    int gate[2];         /* out */
    const char *counted; /* the layer's statistics; NULL: none */
    bool asks;           /* for binaries before it runs a kernel */
    bool adds_nothing;   /* of what PoCL compiles after that */
};

static int become_client(void *user)
{
    struct run *run = user;
    char gate[16];
    snprintf(gate, sizeof gate, "%d", run->gate[0]);
    char *const arguments[] = {(char *)(uintptr_t)CLIENT,
            (char *)(uintptr_t)PLATFORM, run->threads, run->rounds, gate, NULL};
    close(run->gate[1]);
    unsetenv("OPENCL_LAYERS");
    unsetenv("POCL_KERNEL_CACHE");
    setenv("POCL_CACHE_DIR", run->folder, 1);
    if (run->layers != NULL) setenv("OPENCL_LAYERS", run->layers, 1);
    if (run->kernel_cache != NULL)
        setenv("POCL_KERNEL_CACHE", run->kernel_cache, 1);
    setenv("DNNL_CACHE_DIR", run->store, 1);
    if (run->asks) setenv("WARM_CLIENT_ASKS", "1", 1);
    if (run->adds_nothing) setenv("DNNL_CACHE_CAPTURE_COMPILED", "0", 1);
    if (run->counted != NULL) setenv("DNNL_CACHE_STATS", run->counted, 1);
    execv(arguments[0], arguments);
    return 127;
}

/* Some processes that begin at the same time; folders: one for each, or the
 * same for all. */
static void run_processes(
        const struct run *run, unsigned count, char folders[][PATH_SIZE])
{
    pid_t children[MOST_PROCESSES];
    struct run each = *run;
    ASSERT_EQ(0, pipe(each.gate));
    for (unsigned i = 0; i < count; i++) {
        each.folder = folders[i];
        children[i] = layer_process_start(NULL, become_client, &each);
    }
    close(each.gate[0]);
    close(each.gate[1]);
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(0, layer_process_wait(children[i]));
}

static void run_once(const struct run *run, const char *folder)
{
    char folders[1][PATH_SIZE];
    snprintf(folders[0], PATH_SIZE, "%s", folder);
    run_processes(run, 1, folders);
}

/* Every process found all that it built. */
static void expect_hits_alone(const char *counted, unsigned processes)
{
    char *text = layer_process_read_file(counted);
    unsigned lines = 0;
    ASSERT_NOT_NULL(text);
    for (const char *line = text; *line != '\0';
            line = strchr(line, '\n') + 1) {
        EXPECT_NULL(strstr(line, "\"hits\":0,"));
        lines++;
        if (strchr(line, '\n') == NULL) break;
    }
    const char *miss = strstr(text, "\"misses\":");
    while (miss != NULL) {
        EXPECT_EQ('0', miss[9]);
        miss = strstr(miss + 1, "\"misses\":");
    }
    EXPECT_EQ(processes, lines);
    free(text);
    remove(counted);
}

/* ---- The tests ----------------------------------------------------------- */

static char one[] = "1";
static char two[] = "2";
static char eight[] = "8";

static bool is_long(void)
{
    return getenv("DNNL_CACHE_TEST_LONG") != NULL;
}

static bool is_pocl(void)
{
    const char *platform = getenv("DNNL_CACHE_TEST_PLATFORM");
    return platform == NULL || strstr(PLATFORM, platform) != NULL;
}

/* A path in the test's own folder. */
static void path_of(char *path, const char *name)
{
    snprintf(path, PATH_SIZE, "%s/%s", test_directory(), name);
}

/* A store that one run filled, with that setting. */
static void fill(char *store, const char *kernel_cache)
{
    char folder[PATH_SIZE];
    path_of(store, kernel_cache != NULL ? kernel_cache : "unset");
    path_of(folder, "fill");
    remove_folder(store);
    make_empty(folder);
    const struct run run = {.layers = LAYER,
            .store = store,
            .kernel_cache = kernel_cache,
            .threads = one,
            .rounds = one};
    run_once(&run, folder);
}

/* Warm rounds of three processes and of eight threads; each begins with empty
 * folders, or goes on with what the last one left there. */
static void run_warm(
        const char *store, const char *kernel_cache, bool is_shared)
{
    char folders[3][PATH_SIZE];
    char counted[PATH_SIZE];
    path_of(counted, "counted");
    remove(counted);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "pocl%d", is_shared ? 0 : i);
        path_of(folders[i], name);
    }
    struct run run = {.layers = LAYER,
            .store = store,
            .kernel_cache = kernel_cache,
            .rounds = two,
            .counted = counted};
    for (int round = 0; round < (is_long() ? 100 : 2); round++) {
        for (int i = 0; i < 3 && round % 2 == 0; i++)
            make_empty(folders[i]);
        run.threads = one;
        run_processes(&run, 3, folders);
        if (round % 2 == 0) make_empty(folders[0]);
        run.threads = eight;
        run_processes(&run, 1, folders);
        expect_hits_alone(counted, 4);
    }
}

/* Folders that processes share are where they meet: the sample has no others.
 */
static void run_all_warm(const char *store)
{
    static const char *const settings[] = {"0", "1", NULL};
    for (int i = 0; i < (is_long() ? 3 : 2); i++) {
        run_warm(store, settings[i], true);
        if (is_long()) run_warm(store, settings[i], false);
    }
}

TEST_C(LayerWarm, LivesWithAnEntryMadeWhilePoclsCacheWasOff)
{
    char store[PATH_SIZE];
    if (!is_pocl()) SKIP_TEST("it is about PoCL's cache");
    fill(store, "0");
    run_all_warm(store);
}

TEST_C(LayerWarm, LivesWithAnEntryMadeWhilePoclsCacheWasOn)
{
    char store[PATH_SIZE];
    if (!is_pocl()) SKIP_TEST("it is about PoCL's cache");
    fill(store, "1");
    run_all_warm(store);
}

TEST_C(LayerWarm, LeavesPoclsOwnCacheAlone)
{
    char store[PATH_SIZE];
    char folder[PATH_SIZE];
    if (!is_pocl()) SKIP_TEST("it is about PoCL's cache");
    path_of(store, "store");
    path_of(folder, "kept");
    remove_folder(store);
    make_empty(folder);
    struct run run = {.store = store, .threads = one, .rounds = one};
    run_once(&run, folder); /* without the layer */
    run.layers = LAYER;
    run_once(&run, folder);
    const unsigned kept = count_files(folder);
    EXPECT_GT(kept, 0);
    run.kernel_cache = "0"; /* reads what was made with the cache on */
    run_once(&run, folder);
    EXPECT_EQ(kept, count_files(folder));
}

TEST_C(LayerWarm, AddsToPoclsOwnCacheOnce)
{
    char store[PATH_SIZE];
    char folder[PATH_SIZE];
    if (!is_pocl()) SKIP_TEST("it is about PoCL's cache");
    fill(store, "0");
    path_of(folder, "kept");
    make_empty(folder);
    const struct run run = {.layers = LAYER,
            .store = store,
            .kernel_cache = "1",
            .threads = one,
            .rounds = one};
    run_once(&run, folder);
    const unsigned kept = count_files(folder);
    EXPECT_GT(kept, 0);
    run_once(&run, folder);
    EXPECT_EQ(kept, count_files(folder));
}

/* Runs a process that finds both of its programs; expected is a part of what
 * was counted. */
static void expect_counted(
        const struct run *run, const char *folder, const char *expected)
{
    make_empty(folder);
    remove(run->counted);
    run_once(run, folder);
    char *text = layer_process_read_file(run->counted);
    ASSERT_NOT_NULL(text);
    if (strstr(text, expected) == NULL)
        test_fail(__FILE__, __LINE__, "no %s in %s", expected, text);
    free(text);
}

/* What is asked for before a launch lacks what PoCL compiles there, and is
 * compiled after each load, unless the layer adds it. */
TEST_C(LayerWarm, SavesNothingWithWhatWasAskedForTooEarly)
{
    char store[PATH_SIZE];
    char folder[PATH_SIZE];
    char counted[PATH_SIZE];
    if (!is_pocl()) SKIP_TEST("it is about PoCL's binaries");
    path_of(store, "early");
    path_of(folder, "pocl");
    path_of(counted, "counted");
    remove_folder(store);
    struct run run = {.layers = LAYER,
            .store = store,
            .kernel_cache = "0",
            .threads = one,
            .rounds = one,
            .counted = counted,
            .asks = true,
            .adds_nothing = true};
    expect_counted(&run, folder, "\"kept\":2,");
    run.asks = false;
    expect_counted(&run, folder, "\"hits\":2,");
    expect_counted(&run, folder, "\"incomplete_hits\":2,");
    expect_counted(&run, folder, "\"saved_ns\":0,");
    remove_folder(store);
    run.asks = true;
    run.adds_nothing = false;
    expect_counted(&run, folder, "\"kept\":2,");
    run.asks = false;
    expect_counted(&run, folder, "\"hits\":2,");
    expect_counted(&run, folder, "\"incomplete_hits\":0,");
    remove_folder(store); /* and in the usual order */
    expect_counted(&run, folder, "\"kept\":2,");
    expect_counted(&run, folder, "\"incomplete_hits\":0,");
}
