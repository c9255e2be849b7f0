/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application with a persistent cache, started twice: what it compiled in
 * the first process it does not compile in the second. On the fake driver, or
 * on the platform that DNNL_CACHE_TEST_PLATFORM names a part of (PoCL).
 */
#include "test.h"
#ifdef ON_THE_FAKE_DRIVER
#include "redis_server.h"

#include <dnnl_cache/store.h>
#endif

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_PLATFORM = 77, PATH_SIZE = 512 };

static void path_of(char path[PATH_SIZE], const char *start, const char *name)
{
    snprintf(path, PATH_SIZE, "%.300s/%s.%s", test_directory(), start, name);
}

/* NAME=value for the next processes; NULL: no more. */
static const char *variables[4];

static void set_environment(const char *start)
{
    char path[PATH_SIZE];
#ifdef ON_THE_FAKE_DRIVER
    setenv("OCL_ICD_VENDORS", FAKE_VENDORS, 1);
    setenv("DNNL_CACHE_TEST_PLATFORM", "Fake", 1);
#endif
    path_of(path, start, "pocl");
    setenv("POCL_CACHE_DIR", path, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    path_of(path, start, "counts");
    setenv("BUILD_COUNTER_FILE", path, 1);
    setenv("OPENCL_LAYERS", BUILD_COUNTER_LAYER, 1);
    setenv("ONEDNN_VERBOSE", "error", 1);
    for (int i = 0; i < 4 && variables[i] != NULL; i++)
        putenv((char *)(uintptr_t)variables[i]);
    /* Drivers keep memory to the end, which is not what is tested. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
}

/* Runs the client in a working directory, with the directory given or, if it
 * is NULL, with the one call alone; its exit status. how: as it takes it. */
static int run_how(
        const char *start, const char *cwd, const char *given, const char *how)
{
    int status = -1;
    char log[PATH_SIZE];
    char out[PATH_SIZE];
    path_of(log, start, "log");
    path_of(out, start, "out");
    const pid_t child = fork();
    if (child == 0) {
        set_environment(start);
        if (freopen(log, "w", stderr) == NULL
                || freopen(out, "w", stdout) == NULL || chdir(cwd) != 0)
            _exit(126);
        execl(CLIENT, CLIENT, given, how, (char *)NULL);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run(const char *start, const char *cwd, const char *given)
{
    return run_how(start, cwd, given, NULL);
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
    const bool has = strstr(text, part) != NULL;
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

static bool has_file(const char *folder, const char *bucket, const char *name)
{
    char path[3 * PATH_SIZE];
    struct stat st;
    (void)snprintf(path, sizeof path, "%s/%s/0/%s", folder, bucket, name);
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

/* As the proposal draws them: buckets with a decimal name, entry 0 of each with
 * its ID and its blob. */
static unsigned entries_in(const char *path)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    const struct dirent *file;
    while (dir != NULL && (file = readdir(dir)) != NULL)
        count += strspn(file->d_name, "0123456789") == strlen(file->d_name)
                 && has_file(path, file->d_name, "key.bin")
                 && has_file(path, file->d_name, "kernel.bin");
    if (dir != NULL) closedir(dir);
    return count;
}

static void expect_nothing_compiled(const char *start)
{
    if (!says(start, "counts", "{")) return; /* Oclgrind has no layers */
    EXPECT_EQ(0, counted(start, "programs_from_source"));
    EXPECT_EQ(0, counted(start, "programs_from_il"));
    EXPECT_EQ(0, counted(start, "source_builds"));
    EXPECT_EQ(0, counted(start, "source_compiles"));
    EXPECT_EQ(0, counted(start, "source_links"));
    EXPECT_EQ(3, counted(start, "programs_from_binary"));
}

/* The hits that processes recorded in a directory (store_totals.h). */
static uint64_t recorded(const char *directory, int at)
{
    char path[2 * PATH_SIZE];
    uint8_t bytes[96] = {0};
    uint64_t number = 0;
    (void)snprintf(path, sizeof path, "%s/dnnl_cache_totals", directory);
    FILE *file = fopen(path, "rb");
    EXPECT_NOT_NULL(file);
    if (file == NULL) return 0;
    EXPECT_EQ(sizeof bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    for (int i = 7; i >= 0; i--)
        number = number << 8 | bytes[at + i];
    return number;
}

static uint64_t hits_recorded(const char *directory)
{
    return recorded(directory, 40);
}

/* Cold, then warm. With `given` NULL the cache is in the working directory. */
static void expect_second_is_warm_how(
        const char *cwd, const char *given, const char *how)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", cwd, given != NULL ? given : "");
    const int cold = run_how("cold", cwd, given, how);
    if (cold == NO_PLATFORM) SKIP_TEST("no platform of that name is here");
    ASSERT_EQ(0, cold);
    if (says("cold", "counts", "{")) {
        /* The engine's probe, the program, the primitives'. */
        EXPECT_EQ(4, counted("cold", "source_builds"));
        /* NVIDIA's finaliser loads each form that it made, and its trial. */
        const char *wanted = getenv("DNNL_CACHE_TEST_PLATFORM");
        if (wanted == NULL || strstr(wanted, "NVIDIA") == NULL)
            EXPECT_EQ(0, counted("cold", "programs_from_binary"));
    }
    EXPECT_EQ(4, entries_in(path));
    EXPECT_EQ(0, hits_recorded(path));

    EXPECT_EQ(0, run_how("warm", cwd, given, how));
    expect_nothing_compiled("warm");
    EXPECT_FALSE(says("warm", "log", "Built a")); /* PoCL, at a launch */
    EXPECT_EQ(4, entries_in(path));
    /* The processes do not close the store: they end. */
    EXPECT_EQ(4, hits_recorded(path));
}

static void expect_second_is_warm(const char *cwd, const char *given)
{
    expect_second_is_warm_how(cwd, given, NULL);
}

#ifdef ON_THE_FAKE_DRIVER
#define SUITE PersistentCacheProcesses
#else
#define SUITE PersistentCacheDevice
#endif
#define TEST_ON_DRIVER(suite, name) TEST_C(suite, name)

TEST_ON_DRIVER(SUITE, TheSecondCompilesNothing)
{
    char cwd[PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    expect_second_is_warm(cwd, "some/where");
    EXPECT_EQ(0, entries_in(cwd));
}

/* The end of the process keeps what is in use. */
TEST_ON_DRIVER(SUITE, TwoCallsKeepWhatIsInUse)
{
    char cwd[PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    expect_second_is_warm_how(cwd, "held", "holds");
}

#ifndef ON_THE_FAKE_DRIVER /* it reads no files */
static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ASSERT_NOT_NULL(file);
    EXPECT_GE(fputs(text, file), 0);
    EXPECT_EQ(0, fclose(file));
}

/* Programs follow their includes: another header is another program. */
TEST_ON_DRIVER(SUITE, TwoCallsKeepWhatIncludesFiles)
{
    char cwd[PATH_SIZE], header[2 * PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    (void)snprintf(header, sizeof header, "%s/factor.h", cwd);
    write_text(header, "#define FACTOR 1\n");
    expect_second_is_warm_how(cwd, "store", "includes");
    write_text(header, "#define FACTOR (2 - 1)\n");
    EXPECT_EQ(0, run_how("changed", cwd, "store", "includes"));
    if (says("changed", "counts", "{"))
        EXPECT_EQ(1, counted("changed", "source_builds"));
}
#endif

/* By hand nothing is kept by itself, which is told once. */
TEST_ON_DRIVER(SUITE, ByHandTheLostProgramIsTold)
{
    static const char told[] =
            "1 program was compiled for a store and never captured";
    char cwd[PATH_SIZE], path[2 * PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    (void)snprintf(path, sizeof path, "%s/store", cwd);
    variables[0] = "ONEDNN_VERBOSE=warn";
    variables[1] = "DNNL_CACHE_STATS=1";
    const int cold = run_how("lost", cwd, "store", "by_hand");
    if (cold == NO_PLATFORM) SKIP_TEST("no platform of that name is here");
    ASSERT_EQ(0, cold);
    EXPECT_EQ(3, entries_in(path));
    EXPECT_TRUE(says("lost", "log", told));
    EXPECT_TRUE(
            says("lost", "log", "  programs never captured               1\n"));
    EXPECT_EQ(0, run_how("captured", cwd, "store", "captured"));
    EXPECT_EQ(4, entries_in(path));
    EXPECT_FALSE(says("captured", "log", "never captured:"));
    EXPECT_TRUE(says(
            "captured", "log", "  programs never captured               0\n"));
    variables[0] = variables[1] = NULL;
}

static bool is_pocl(void)
{
#ifdef ON_THE_FAKE_DRIVER
    return false;
#else
    static const char pocl[] = "Portable Computing Language";
    const char *name = getenv("DNNL_CACHE_TEST_PLATFORM");
    return name == NULL || strstr(pocl, name) != NULL;
#endif
}

/* _exit() keeps nothing more, and a child that ends does not either. */
TEST_ON_DRIVER(SUITE, TheEndOfAChildOrByExitKeepsNothing)
{
    static const char *const hows[] = {"quits", "forks"};
    char cwd[PATH_SIZE], path[2 * PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", cwd, hows[i]);
        const int cold = run_how(hows[i], cwd, hows[i], hows[i]);
        if (cold == NO_PLATFORM) SKIP_TEST("no platform of that name is here");
        ASSERT_EQ(0, cold);
        /* Binaries of other drivers are at hand with the handle. */
        if (is_pocl()) EXPECT_EQ(3, entries_in(path));
        EXPECT_FALSE(says(hows[i], "log", "never captured"));
    }
}

TEST_ON_DRIVER(SUITE, OneCallKeepsAllInTheWorkingDirectory)
{
    char cwd[PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    expect_second_is_warm(cwd, NULL);
    EXPECT_TRUE(says("cold", "out", "capacity 0, then 256\n"));
    EXPECT_EQ(0, access(strcat(cwd, "/size.txt"), F_OK));
}

/* Without a log callback: where the library prints its own messages. */
TEST_ON_DRIVER(SUITE, AWorkingDirectoryThatOthersMayWriteToIsRefusedAloud)
{
    char cwd[PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    ASSERT_EQ(0, chmod(cwd, 0775));
    EXPECT_EQ(1, run("refused", cwd, NULL));
    EXPECT_TRUE(says("refused", "log",
            "onednn_verbose,v1,dnnl_cache,error,persistent cache: "));
    EXPECT_TRUE(says("refused", "log", "others may write to it"));
    EXPECT_EQ(0, entries_in(cwd));
}

/* ---- What the user sets -------------------------------------------------- */

#ifdef ON_THE_FAKE_DRIVER

static uint64_t capacity_recorded(const char *directory)
{
    return recorded(directory, 16);
}

/* The directory alone switches the cache on. */
TEST_ON_DRIVER(SUITE, ADirectoryAloneHasTheDefaultCapacity)
{
    char cwd[PATH_SIZE], path[2 * PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    ASSERT_EQ(0, run("cold", cwd, "store"));
    EXPECT_TRUE(says("cold", "out", "capacity 0, then 1024\n"));
    (void)snprintf(path, sizeof path, "%s/store", cwd);
    EXPECT_EQ(4, entries_in(path));
    EXPECT_EQ((uint64_t)1024 << 20, capacity_recorded(path));
    EXPECT_EQ(0, run("warm", cwd, "store"));
    expect_nothing_compiled("warm");
    EXPECT_EQ(0, entries_in(cwd));
}

/* Whoever says 0 means it, and is told where it has no effect to name a
 * directory. */
TEST_ON_DRIVER(SUITE, ACapacityOfZeroStaysOffAloud)
{
    char cwd[PATH_SIZE], path[2 * PATH_SIZE];
    path_of(cwd, "working", "dir");
    ASSERT_EQ(0, mkdir(cwd, 0700));
    ASSERT_EQ(0, run_how("off", cwd, "store", "off"));
    EXPECT_TRUE(says("off", "out", "capacity 0, then 0\n"));
    (void)snprintf(path, sizeof path, "%s/store", cwd);
    EXPECT_NE(0, access(path, F_OK));
    variables[0] = "ONEDNN_VERBOSE=warn";
    ASSERT_EQ(0, run_how("aloud", cwd, "store", "off"));
    variables[0] = NULL;
    EXPECT_TRUE(says("aloud", "log",
            "/store: nothing is kept: the capacity was set to 0"));
}

/* Runs the client with a variable, in a folder that has its store "store". */
static int run_with(const char *start, const char *cwd, const char *variable)
{
    variables[0] = variable;
    const int code = run(start, cwd, "store");
    variables[0] = NULL;
    return code;
}

static bool begin_with_a_store(char cwd[PATH_SIZE])
{
    path_of(cwd, "working", "dir");
    if (mkdir(cwd, 0700) != 0) return false;
    return run("cold", cwd, "store") == 0;
}

/* Removes each file of a store, or changes a byte of each blob. */
static void change_files(const char *path, __nftw_func_t change)
{
    EXPECT_EQ(0, nftw(path, change, 16, FTW_PHYS));
}

static int remove_file(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    return type == FTW_F ? unlink(path) : 0;
}

static int damage_entry(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    if (type != FTW_F || strcmp(path + at->base, "kernel.bin") != 0) return 0;
    FILE *file = fopen(path, "r+");
    const int first = fgetc(file);
    rewind(file);
    EXPECT_NE(EOF, fputc(first ^ 1, file));
    return fclose(file);
}

#define BEGIN_WITH_A_STORE(cwd)              \
    char cwd[PATH_SIZE];                     \
    if (!begin_with_a_store(cwd))            \
    SKIP_TEST("no platform of that name is " \
              "here")

static unsigned long builds(const char *start)
{
    return says(start, "counts", "{") ? counted(start, "source_builds") : 0;
}

TEST_ON_DRIVER(SUITE, TheUserSwitchesItOff)
{
    char path[2 * PATH_SIZE];
    BEGIN_WITH_A_STORE(cwd);
    EXPECT_EQ(0, run_with("off", cwd, "DNNL_CACHE_PERSISTENT=0"));
    EXPECT_EQ(builds("cold"), builds("off"));
    (void)snprintf(path, sizeof path, "%s/store", cwd);
    EXPECT_EQ(0, hits_recorded(path));
    EXPECT_EQ(0, run_with("wrong", cwd, "DNNL_CACHE_PERSISTENT=no"));
    EXPECT_EQ(0, builds("wrong"));
}

TEST_ON_DRIVER(SUITE, TheUserChoosesDirectoryAndCapacity)
{
    char path[2 * PATH_SIZE];
    char variable[3 * PATH_SIZE];
    BEGIN_WITH_A_STORE(cwd);
    (void)snprintf(path, sizeof path, "%s/elsewhere", cwd);
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_DIR=%s", path);
    EXPECT_EQ(0, run_with("elsewhere", cwd, variable));
    EXPECT_EQ(builds("cold"), builds("elsewhere"));
    EXPECT_EQ(4, entries_in(path));
    EXPECT_EQ(0, run_with("again", cwd, variable));
    EXPECT_EQ(0, builds("again"));
    /* So small that nothing finds room. */
    (void)snprintf(path, sizeof path, "%s/store", cwd);
    EXPECT_EQ(0, run_with("small", cwd, "DNNL_CACHE_MAX_SIZE=100"));
    EXPECT_EQ(builds("cold"), builds("small"));
    EXPECT_EQ(0, entries_in(path));
}

/* The directory of another start is good for a seed. */
TEST_ON_DRIVER(SUITE, TheUserNamesASeed)
{
    char path[2 * PATH_SIZE];
    char seed[3 * PATH_SIZE];
    BEGIN_WITH_A_STORE(cwd);
    (void)snprintf(seed, sizeof seed, "DNNL_CACHE_SEED=%s/store", cwd);
    variables[1] = seed;
    (void)snprintf(path, sizeof path, "DNNL_CACHE_DIR=%s/other", cwd);
    EXPECT_EQ(0, run_with("seeded", cwd, path));
    EXPECT_EQ(0, builds("seeded"));
    /* It is not signed; and a key that makes no sense proves nothing. */
    static const char *const keys[] = {"DNNL_CACHE_SEED_PUBLIC_KEY=/nowhere",
            "DNNL_CACHE_SEED_PUBLIC_KEY=key"};
    for (int i = 0; i < 2; i++) {
        variables[2] = keys[i];
        (void)snprintf(path, sizeof path, "DNNL_CACHE_DIR=%s/key%d", cwd, i);
        const char *name = i == 0 ? "keyless" : "senseless";
        EXPECT_EQ(0, run_with(name, cwd, path));
        EXPECT_EQ(builds("cold"), builds(name));
    }
    variables[2] = NULL;
    variables[1] = "DNNL_CACHE_SEED=/nowhere/seed";
    (void)snprintf(path, sizeof path, "DNNL_CACHE_DIR=%s/third", cwd);
    EXPECT_EQ(0, run_with("without", cwd, path));
    EXPECT_EQ(builds("cold"), builds("without"));
    variables[1] = NULL;
}

/* What one host sent is found on another, whose directory is empty. */
TEST_ON_DRIVER(SUITE, TheUserNamesAServer)
{
    char path[2 * PATH_SIZE];
    char key[PATH_SIZE];
    char url[3 * PATH_SIZE];
    struct redis_process server;
    if (!redis_is_there()) return;
    path_of(key, "fleet", "key");
    EXPECT_OK(dnnl_cache_store_key_file_make(key));
    path_of(path, "working", "dir");
    EXPECT_EQ(0, mkdir(path, 0700));
    char *cwd = strdup(path);
    redis_start(&server, test_directory(), NULL);
    (void)snprintf(url, sizeof url,
            "DNNL_CACHE_REMOTE=unix://%s?timeout_ms=20000&key_file=%s",
            server.socket, key);
    EXPECT_EQ(0, run_with("cold", cwd, url));
    EXPECT_GT(builds("cold"), 0);
    variables[1] = url;
    (void)snprintf(path, sizeof path, "DNNL_CACHE_DIR=%s/other", cwd);
    EXPECT_EQ(0, run_with("warm", cwd, path));
    EXPECT_EQ(0, builds("warm"));
    /* Without a key it is told of, and left out. */
    (void)snprintf(
            url, sizeof url, "DNNL_CACHE_REMOTE=unix://%s", server.socket);
    (void)snprintf(path, sizeof path, "DNNL_CACHE_DIR=%s/third", cwd);
    EXPECT_EQ(0, run_with("insecure", cwd, path));
    EXPECT_EQ(builds("cold"), builds("insecure"));
    EXPECT_TRUE(says("insecure", "log", "a remote store needs a key"));
    variables[1] = NULL;
    redis_kill(&server);
    free(cwd);
}

/* Named, it has its programs brought at once. */
TEST_ON_DRIVER(SUITE, TheUserNamesTheApplication)
{
    char path[2 * PATH_SIZE];
    char url[3 * PATH_SIZE];
    struct redis_process server;
    if (!redis_is_there()) return;
    path_of(path, "working", "dir");
    EXPECT_EQ(0, mkdir(path, 0700));
    char *cwd = strdup(path);
    redis_start(&server, test_directory(), NULL);
    (void)snprintf(url, sizeof url,
            "DNNL_CACHE_REMOTE=unix://%s?timeout_ms=20000&insecure=1",
            server.socket);
    variables[1] = url;
    variables[2] = "DNNL_CACHE_APPLICATION=app";
    (void)snprintf(path, sizeof path, "DNNL_CACHE_DIR=%s/first", cwd);
    EXPECT_EQ(0, run_with("cold", cwd, path));
    const long long gets = redis_gets(&server);
    const long long reads = redis_reads(&server);
    (void)snprintf(path, sizeof path, "DNNL_CACHE_DIR=%s/other", cwd);
    EXPECT_EQ(0, run_with("warm", cwd, path));
    EXPECT_EQ(0, builds("warm"));
    EXPECT_EQ(gets + 2, redis_gets(&server)); /* the list, and what it names */
    EXPECT_LE(redis_reads(&server) - reads, 10);
    redis_kill(&server);
    variables[1] = variables[2] = NULL;
    EXPECT_EQ(0, run_with("alone", cwd, path));
    EXPECT_EQ(0, builds("alone"));
    free(cwd);
}

TEST_ON_DRIVER(SUITE, TheUserChoosesTheCompileMode)
{
    char path[2 * PATH_SIZE];
    BEGIN_WITH_A_STORE(cwd);
    EXPECT_EQ(
            0, run_with("cached", cwd, "DNNL_CACHE_COMPILE_MODE=cached_only"));
    EXPECT_EQ(0, builds("cached"));
    EXPECT_EQ(0, run_with("fresh", cwd, "DNNL_CACHE_COMPILE_MODE=recompile"));
    EXPECT_EQ(builds("cold"), builds("fresh"));
    EXPECT_EQ(0, run_with("usual", cwd, "DNNL_CACHE_COMPILE_MODE=normal"));
    EXPECT_EQ(0, builds("usual"));
    (void)snprintf(path, sizeof path, "%s/store", cwd);
    EXPECT_EQ(4, entries_in(path));
    variables[1] = "ONEDNN_VERBOSE=warn";
    EXPECT_EQ(0, run_with("wrong", cwd, "DNNL_CACHE_COMPILE_MODE=always"));
    variables[1] = NULL;
    EXPECT_TRUE(says("wrong", "log",
            "DNNL_CACHE_COMPILE_MODE: expected normal, cached_only or "
            "recompile; ignored"));
    /* Nothing is there that might be loaded. */
    change_files(path, remove_file);
    EXPECT_EQ(1, run_with("none", cwd, "DNNL_CACHE_COMPILE_MODE=cached_only"));
    EXPECT_EQ(0, builds("none"));
}

/* Once, when the process ends: for people, and for programs. */
TEST_ON_DRIVER(SUITE, TheUserAsksForStatistics)
{
    char path[PATH_SIZE];
    char variable[3 * PATH_SIZE];
    BEGIN_WITH_A_STORE(cwd);
    EXPECT_EQ(0, run_with("table", cwd, "DNNL_CACHE_STATS=1"));
    EXPECT_TRUE(says("table", "log", "dnnl_cache: persistent_cach"));
    EXPECT_TRUE(says("table", "log",
            "  hits in a store                       4\n"
            "  programs compiled                     0\n"
            "  programs incomplete                   0\n"
            "  programs never captured               0\n"));
    EXPECT_FALSE(says("table", "out", "hits"));
    path_of(path, "numbers", "json");
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_STATS=%s", path);
    EXPECT_EQ(0, run_with("one", cwd, variable));
    EXPECT_EQ(0, run_with("two", cwd, variable));
    EXPECT_FALSE(says("one", "log", "hits"));
    char *text = read_text("numbers", "json");
    const char *end = strchr(text, '\n');
    ASSERT_NOT_NULL(end);
    EXPECT_NOT_NULL(strstr(end, "\"hits\": 4"));
    EXPECT_EQ('\n', text[strlen(text) - 1]);
    EXPECT_NOT_NULL(strstr(text, "{\"program\": \"persistent_cach"));
    free(text);
}

TEST_ON_DRIVER(SUITE, TheUserAsksForATrace)
{
    char path[2 * PATH_SIZE];
    BEGIN_WITH_A_STORE(cwd);
    EXPECT_EQ(0, run_with("warm", cwd, "DNNL_CACHE_TRACE=1"));
    EXPECT_TRUE(says("warm", "log", ": hit in a store\n"));
    EXPECT_TRUE(says("warm", "log",
            ": primitive,create:persistent_cache_hit,gpu,eltwise,"));
    EXPECT_FALSE(says("warm", "log", "miss"));
    EXPECT_FALSE(says("warm", "out", "dnnl_cache: process"));
    variables[1] = "DNNL_CACHE_PERSISTENT=0";
    EXPECT_EQ(0, run_with("off", cwd, "DNNL_CACHE_TRACE=1"));
    variables[1] = "DNNL_CACHE_COMPILE_MODE=recompile";
    EXPECT_EQ(0, run_with("fresh", cwd, "DNNL_CACHE_TRACE=1"));
    variables[1] = NULL;
    EXPECT_TRUE(says(
            "off", "log", ": miss, switched_off: DNNL_CACHE_PERSISTENT=0\n"));
    EXPECT_TRUE(says("fresh", "log", ": miss, recompile\n"));
    EXPECT_TRUE(says("fresh", "log", ": captured\n"));
    (void)snprintf(path, sizeof path, "%s/store", cwd);
    change_files(path, damage_entry);
    EXPECT_EQ(0, run_with("damaged", cwd, "DNNL_CACHE_TRACE=1"));
    EXPECT_TRUE(says("damaged", "log", ": miss, missing\n"));
    change_files(path, remove_file);
    EXPECT_EQ(0, run_with("missing", cwd, "DNNL_CACHE_TRACE=1"));
    EXPECT_TRUE(says("missing", "log", ": miss, missing\n"));
}

/* In oneDNN's form, on standard output. */
TEST_ON_DRIVER(SUITE, ProgramsHaveVerboseLines)
{
    BEGIN_WITH_A_STORE(cwd);
    EXPECT_EQ(0, run_with("warm", cwd, "ONEDNN_VERBOSE=profile_create"));
    EXPECT_TRUE(says("warm", "out",
            "onednn_verbose,v1,program,create:persistent_cache_hit,gpu,"));
    EXPECT_EQ(0, run_with("exec", cwd, "ONEDNN_VERBOSE=profile_exec"));
    EXPECT_FALSE(says("exec", "out", "program,create"));
    variables[1] = "DNNL_CACHE_COMPILE_MODE=recompile";
    EXPECT_EQ(0, run_with("fresh", cwd, "ONEDNN_VERBOSE=profile_create"));
    variables[1] = NULL;
    EXPECT_TRUE(says("fresh", "out",
            "onednn_verbose,v1,program,create:cache_miss,gpu,"));
    EXPECT_TRUE(says("fresh", "out", ",recompile,"));
    EXPECT_TRUE(says(
            "fresh", "out", "onednn_verbose,v1,program,capture:captured,gpu,"));
}
#endif
