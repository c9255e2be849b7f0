/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cold start in one process and a warm one in another, on a real driver:
 * DNNL_CACHE_TEST_PLATFORM names a part of its platform (PoCL by default).
 * Every process has an empty cache of the driver's own.
 */
#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_PLATFORM = 77, PATH_SIZE = 512 };

/* What the two processes came to; made once for all tests of this file. */
static struct {
    char directory[PATH_SIZE];
    int cold;
    int warm;
} runs;

static void path_of(char path[PATH_SIZE], const char *start, const char *name)
{
    snprintf(path, PATH_SIZE, "%.300s/%s.%s", runs.directory, start, name);
}

static int remove_entry(
        const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
    (void)status;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void remove_runs(void)
{
    nftw(runs.directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void set_environment(const char *start)
{
    char path[PATH_SIZE];
    path_of(path, start, "pocl");
    setenv("POCL_CACHE_DIR", path, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    path_of(path, start, "counts");
    setenv("BUILD_COUNTER_FILE", path, 1);
    setenv("OPENCL_LAYERS", BUILD_COUNTER_LAYER, 1);
    /* Drivers keep memory to the end, which is not what is tested. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
}

/* Runs the client; what it and the driver say goes to a file. */
static int run(const char *start)
{
    int status = -1;
    char path[PATH_SIZE];
    path_of(path, start, "log");
    pid_t child = fork();
    if (child == 0) {
        set_environment(start);
        if (freopen(path, "w", stderr) == NULL) _exit(126);
        execl(CLIENT, CLIENT, start, runs.directory, (char *)NULL);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run_once(void)
{
    if (runs.directory[0] != '\0') return;
    const char *base = getenv("TMPDIR");
    snprintf(runs.directory, sizeof runs.directory, "%.300s/dnnl_cache.XXXXXX",
            base != NULL ? base : P_tmpdir);
    if (mkdtemp(runs.directory) == NULL) abort();
    atexit(remove_runs);
    runs.cold = run("cold");
    runs.warm = runs.cold == 0 ? run("warm") : -1;
}

/* The whole of a file as text; "" if there is none. */
static char *read_text(const char *start, const char *name)
{
    char path[PATH_SIZE];
    char *text = NULL;
    size_t size = 0;
    path_of(path, start, name);
    FILE *file = fopen(path, "r");
    if (file != NULL && getdelim(&text, &size, '\0', file) < 0 && text != NULL)
        text[0] = '\0';
    if (file != NULL) fclose(file);
    return text != NULL ? text : strdup("");
}

static bool says(const char *start, const char *name, const char *part)
{
    char *text = read_text(start, name);
    bool has = strstr(text, part) != NULL;
    free(text);
    return has;
}

/* A number that the layer counted in a process. */
static unsigned long counted(const char *start, const char *what)
{
    char quoted[64];
    char *text = read_text(start, "counts");
    snprintf(quoted, sizeof quoted, "\"%s\":", what);
    const char *at = strstr(text, quoted);
    unsigned long number = 0;
    EXPECT_NOT_NULL(at);
    if (at != NULL) number = strtoul(at + strlen(quoted), NULL, 10);
    free(text);
    return number;
}

#define RUN_OR_SKIP()                                      \
    do {                                                   \
        run_once();                                        \
        if (runs.cold == NO_PLATFORM)                      \
            SKIP_TEST("no platform of that name is here"); \
    } while (0)

static void show(const char *start)
{
    char *text = read_text(start, "log");
    size_t length = strlen(text);
    printf("%s\n", length > 2000 ? text + length - 2000 : text);
    free(text);
}

TEST_C(RealDriver, StartsCold)
{
    RUN_OR_SKIP();
    EXPECT_EQ(0, runs.cold);
    if (runs.cold != 0) show("cold");
}

/* The client compares IDs, blobs and outputs with those of the cold start,
 * byte by byte. */
TEST_C(RealDriver, StartsWarmWithTheSameIdsBlobsAndOutputs)
{
    RUN_OR_SKIP();
    EXPECT_EQ(0, runs.warm);
    if (runs.warm > 0) show("warm");
}

/* Oclgrind takes the loader's place, and has no layers. */
#define COUNT_OR_SKIP()                                                    \
    do {                                                                   \
        RUN_OR_SKIP();                                                     \
        if (!says("cold", "counts", "{")) SKIP_TEST("no layer can count"); \
    } while (0)

TEST_C(RealDriver, IsGivenSourcesOnlyCold)
{
    COUNT_OR_SKIP();
    EXPECT_GT(counted("cold", "source_builds"), 0);
    EXPECT_EQ(0, counted("warm", "programs_from_source"));
    EXPECT_EQ(0, counted("warm", "programs_from_il"));
    EXPECT_EQ(0, counted("warm", "source_builds"));
    EXPECT_EQ(0, counted("warm", "source_compiles"));
    EXPECT_EQ(0, counted("warm", "source_links"));
    EXPECT_EQ(4, counted("warm", "programs_from_binary"));
}

/* Nor is it asked for a binary again: blobs keep theirs. */
TEST_C(RealDriver, IsAskedForBinariesOnlyCold)
{
    COUNT_OR_SKIP();
    EXPECT_EQ(4, counted("cold", "binaries_queries"));
    EXPECT_EQ(0, counted("warm", "binaries_queries"));
    EXPECT_EQ(0, counted("warm", "binary_sizes_queries"));
}

/* PoCL compiles at the first launch; first executions are in the client. */
TEST_C(RealDriver, PoclBuildsNothingWarm)
{
    RUN_OR_SKIP();
    const char *platform = getenv("DNNL_CACHE_TEST_PLATFORM");
    if (platform != NULL && strstr(platform, "Portable") == NULL)
        SKIP_TEST("the platform is not PoCL");
    EXPECT_TRUE(says("cold", "log", "Built a"));
    EXPECT_FALSE(says("warm", "log", "Built a"));
}
