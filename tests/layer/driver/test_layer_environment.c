/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an application gains, and what the variables of its environment change
 * about that: on, off, where, and what is said.
 */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A program from source, and one from IL; so many are compiled. */
static void use_both(void *user)
{
    const unsigned long *expected = user;
    struct application a;
    application_open(&a, 1);
    use_program(&a, "from_source", "-DX=1");
    cl_program il = program_of_il(&a, "kernel void from_il(global int *x) {}");
    build(il, "");
    expect_built(il, a.devices[0], "", "from_il");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(il));
    EXPECT_EQ(*expected, source_builds(&a));
    application_close(&a);
}

static unsigned long both = 2;
static unsigned long neither = 0;

static int run(const char *variable, unsigned long *builds)
{
    const char *const variables[] = {
            "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", variable, NULL};
    return run_application(variables, use_both, builds);
}

static bool is_there(const char *name)
{
    return access(in_test(name), F_OK) == 0;
}

static bool has_text(const char *path, const char *text)
{
    static char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL) (void)fclose(file);
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

/* How many of the store's entries have the text in them, as one file each. */
static unsigned entries_with(const char *text)
{
    glob_t found;
    unsigned count = 0;
    if (glob(in_test("store/*.cl_cache"), 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        count += has_text(found.gl_pathv[i], text);
    }
    globfree(&found);
    return count;
}

/* ---- What it is for ------------------------------------------------------ */

TEST_C(LayerCache, KeepsWhatIsCompiledFirst)
{
    ASSERT_EQ(0, run(NULL, &both));
    EXPECT_EQ(2, missed_by("missing"));
    EXPECT_EQ(2, counted("kept"));
    EXPECT_GT(counted("bytes_written"), 0);
    EXPECT_TRUE(is_there("store/config.file"));
    /* What is counted is what the disk has. */
    EXPECT_EQ(2, entries_with("FAKEBIN1"));
}

TEST_C(LayerCache, LaterProcessesCompileNothing)
{
    ASSERT_EQ(0, run(NULL, &both));
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run(NULL, &neither));
        EXPECT_EQ(2, counted("disk_hits"));
        EXPECT_EQ(0, counted("misses"));
        EXPECT_EQ(0, counted("kept"));
        EXPECT_GT(counted("saved_ns"), 10000000); /* of twice 20 ms */
    }
}

/* ---- A state folder that is locked --------------------------------------- */

/* Misses so many programs while another process has the lock, and then one
 * more. */
static void miss_under_a_lock(void *user)
{
    const int *locked = user;
    struct application a;
    const int lock = open(in_test("store/layer/lock"), O_RDWR | O_CLOEXEC);
    application_open(&a, 1);
    EXPECT_EQ(0, flock(lock, LOCK_EX));
    for (int i = 0; i < *locked + 1; i++) {
        char kernel[32];
        if (i == *locked) EXPECT_EQ(0, flock(lock, LOCK_UN));
        (void)snprintf(kernel, sizeof kernel, "of_%d_%d", *locked, i);
        use_program(&a, kernel, "");
    }
    EXPECT_EQ(0, close(lock));
    application_close(&a);
}

/* Each attempt waits for the lock: after three the process leaves the names of
 * the driver's files to the next one. */
TEST_C(LayerEnvironment, ALockedStateFolderIsTriedThreeTimes)
{
    ASSERT_EQ(0, run(NULL, &both));
    for (int locked = 2; locked <= 3; locked++) {
        EXPECT_EQ(0, unlink(in_test("store/layer/drivers")));
        ASSERT_EQ(0, run_application(NULL, miss_under_a_lock, &locked));
        EXPECT_EQ(locked + 1, counted("kept"));
        EXPECT_EQ(locked == 2, is_there("store/layer/drivers"));
    }
    ASSERT_EQ(0, run_application(NULL, miss_under_a_lock, &(int){0}));
    EXPECT_TRUE(is_there("store/layer/drivers"));
}

/* ---- On and off ---------------------------------------------------------- */

TEST_C(LayerEnvironment, PersistentOf0WritesNothing)
{
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(0, run("DNNL_CACHE_PERSISTENT=0", &both));
    EXPECT_FALSE(is_there("store"));
}

/* Off for one process is not off for what is there. */
TEST_C(LayerEnvironment, PersistentOf0ReadsNothing)
{
    ASSERT_EQ(0, run(NULL, &both));
    ASSERT_EQ(0, run("DNNL_CACHE_PERSISTENT=0", &both));
    ASSERT_EQ(0, run(NULL, &neither));
}

TEST_C(LayerEnvironment, PersistentOf1IsOn)
{
    ASSERT_EQ(0, run("DNNL_CACHE_PERSISTENT=1", &both));
    ASSERT_EQ(0, run("DNNL_CACHE_PERSISTENT=1", &neither));
}

TEST_C(LayerEnvironment, PersistentIsOnUnset)
{
    ASSERT_EQ(0, run("DNNL_CACHE_PERSISTENT=", &both));
    ASSERT_EQ(0, run(NULL, &neither));
}

TEST_C(LayerEnvironment, BothLevelsOffPassesEverythingOn)
{
    const char *const off[] = {"DNNL_CACHE_PERSISTENT=0", "DNNL_CACHE_IN_MEM=0",
            "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
    ASSERT_EQ(0, run_application(off, use_both, &both));
    EXPECT_EQ(0, counted("misses"));
    EXPECT_FALSE(is_there("store"));
}

/* ---- Where --------------------------------------------------------------- */

static void use_without_directory(void *user)
{
    (void)unsetenv("DNNL_CACHE_DIR");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)unsetenv("HOME");
    use_both(user);
}

TEST_C(LayerEnvironment, WithoutAnyDirectoryNothingIsKept)
{
    const char *const variables[] = {"FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(variables, use_without_directory, &both));
        EXPECT_EQ(2, counted("misses"));
        EXPECT_EQ(0, counted("disk_hits"));
    }
    EXPECT_FALSE(is_there("store"));
}

static void use_xdg(void *user)
{
    (void)unsetenv("DNNL_CACHE_DIR");
    (void)setenv("HOME", in_test("home"), 1);
    (void)setenv("XDG_CACHE_HOME", in_test("xdg"), 1);
    use_both(user);
}

static void use_home(void *user)
{
    (void)unsetenv("DNNL_CACHE_DIR");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)setenv("HOME", in_test("home"), 1);
    use_both(user);
}

TEST_C(LayerEnvironment, DefaultDirectoryIsXdgsThenHomes)
{
    const char *const variables[] = {"FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
    ASSERT_EQ(0, run_application(variables, use_xdg, &both));
    EXPECT_TRUE(is_there("xdg/dnnl_cache/config.file"));
    EXPECT_FALSE(is_there("home"));
    ASSERT_EQ(0, run_application(variables, use_home, &both));
    EXPECT_TRUE(is_there("home/.cache/dnnl_cache/config.file"));
    ASSERT_EQ(0, run_application(variables, use_home, &neither));
    ASSERT_EQ(0, run_application(variables, use_xdg, &neither));
    EXPECT_FALSE(is_there("store"));
}

/* ---- What does not fit --------------------------------------------------- */

static void use_many(void *user)
{
    const unsigned long *first = user;
    struct application a;
    application_open(&a, 1);
    for (unsigned long i = *first; i < *first + 20; i++) {
        char kernel[32];
        (void)snprintf(kernel, sizeof kernel, "k%lu", i);
        use_program(&a, kernel, "");
    }
    application_close(&a);
}

/* Bytes of entries. */
static unsigned long size_of_store(void)
{
    char command[600];
    unsigned long size = 0;
    (void)snprintf(command, sizeof command, "cat '%s'/store/*.cl_cache | wc -c",
            test_directory());
    FILE *out = popen(command, "re");
    if (out == NULL || fscanf(out, "%lu", &size) != 1) size = 0;
    if (out != NULL) (void)pclose(out);
    return size;
}

TEST_C(LayerEnvironment, SizeIsLimitedAndWhatIsOldLeaves)
{
    static unsigned long first = 0;
    static unsigned long second = 20;
    const char *const variables[] = {"DNNL_CACHE_MAX_SIZE=20000", NULL};
    ASSERT_EQ(0, run_application(variables, use_many, &first));
    ASSERT_EQ(0, run_application(variables, use_many, &second));
    EXPECT_EQ(0, counted("not_kept"));
    EXPECT_GT(size_of_store(), 5000);
    EXPECT_LE(size_of_store(), 20000);
}

TEST_C(LayerEnvironment, WithoutEvictionTheFirstStay)
{
    static unsigned long first = 0;
    static unsigned long second = 20;
    const char *const variables[] = {
            "DNNL_CACHE_MAX_SIZE=20000", "DNNL_CACHE_EVICTION_DISABLE=0", NULL};
    ASSERT_EQ(0, run_application(variables, use_many, &first));
    const unsigned long size = size_of_store();
    EXPECT_GT(counted("store"), 0); /* not kept for the store's sake */
    ASSERT_EQ(0, run_application(variables, use_many, &second));
    EXPECT_EQ(20, counted("store"));
    EXPECT_EQ(size, size_of_store());
}

TEST_C(LayerEnvironment, ImagesHaveLimits)
{
    ASSERT_EQ(0, run("DNNL_CACHE_MAX_DEVICE_IMAGE_SIZE=1", &both));
    EXPECT_EQ(2, counted("too_large"));
    ASSERT_EQ(0, run("DNNL_CACHE_MIN_DEVICE_IMAGE_SIZE=100000000", &both));
    EXPECT_EQ(2, counted("too_small"));
    ASSERT_EQ(0, run(NULL, &both));
}

/* ---- What is said -------------------------------------------------------- */

/* What an application says on standard error. */
static char *said_by_running(
        const char *const *variables, void (*body)(void *user), void *user)
{
    const int saved = dup(STDERR_FILENO);
    FILE *said = fopen(in_test("said"), "we");
    EXPECT_GE(dup2(fileno(said), STDERR_FILENO), 0);
    EXPECT_EQ(0, run_application(variables, body, user));
    EXPECT_GE(dup2(saved, STDERR_FILENO), 0);
    close(saved);
    (void)fclose(said);
    return layer_process_read_file(in_test("said"));
}

/* The same of one that compiles both. */
static char *said_by(const char *variable)
{
    const char *const variables[] = {
            "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", variable, NULL};
    return said_by_running(variables, use_both, &both);
}

/* A wrong path would just be slow, each time. */
TEST_C(LayerEnvironment, SaysThatASeedCannotBeUsed)
{
    static const char *const contents[] = {NULL, "not a store"};
    static const char *const reasons[] = {"is not there", "is not a store"};
    char variable[512];
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_SEED=%s",
            in_test("seed.pack"));
    for (size_t i = 0; i < COUNT(contents); i++) {
        const char *const variables[] = {
                "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", variable, NULL};
        if (contents[i] != NULL) {
            FILE *file = fopen(in_test("seed.pack"), "we");
            ASSERT_NOT_NULL(file);
            EXPECT_GE(fputs(contents[i], file), 0);
            EXPECT_EQ(0, fclose(file));
        }
        char *text =
                said_by_running(variables, use_both, i == 0 ? &both : &neither);
        const char *said = strstr(text, "DNNL_CACHE_SEED is not used: ");
        ASSERT_NOT_NULL(said);
        EXPECT_NOT_NULL(strstr(said, reasons[i]));
        EXPECT_NULL(strstr(said + 1, "DNNL_CACHE_SEED")); /* once */
        free(text);
    }
}

/* Once, with a size in which all find room. */
TEST_C(LayerEnvironment, ASizeThatIsTooSmallIsSaid)
{
    static unsigned long first = 0;
    char variable[64] = "DNNL_CACHE_MAX_SIZE=8000";
    const char *const variables[] = {variable, NULL};
    char *text = said_by_running(variables, use_many, &first);
    ASSERT_NOT_NULL(text);
    const char *at = strstr(text, "DNNL_CACHE_MAX_SIZE=8000 is too small");
    const char *needed = at != NULL ? strstr(at, "at least ") : NULL;
    ASSERT_NOT_NULL(needed);
    EXPECT_NULL(strstr(needed, "is too small"));
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_MAX_SIZE=%lu",
            strtoul(needed + strlen("at least "), NULL, 10));
    free(text);
    for (int i = 0; i < 2; i++) {
        text = said_by_running(variables, use_many, &first);
        EXPECT_STR_EQ("", text);
        free(text);
    }
    EXPECT_EQ(20, counted("hits"));
}

/* Nothing is evicted where nothing gets in. */
TEST_C(LayerEnvironment, ASizeThatIsTooSmallForAnythingIsSaid)
{
    static const char *const sizes[] = {"1", "1000", "1700"};
    static const char *const types[] = {"flat", "bucket", "tree", "pack"};
    char size[64];
    char type[64];
    const char *const variables[] = {
            "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", size, type, NULL};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t k = 0; k < COUNT(types); k++) {
            (void)snprintf(
                    size, sizeof size, "DNNL_CACHE_MAX_SIZE=%sB", sizes[i]);
            (void)snprintf(type, sizeof type, "DNNL_CACHE_STORE=%s", types[k]);
            char *text = said_by_running(variables, use_both, &both);
            ASSERT_NOT_NULL(text);
            const char *said = strstr(text, " is too small for ");
            TEST_CHECK_(said != NULL, , "%s %s: %s", size, type, text);
            TEST_CHECK_(said == NULL || strstr(said + 8, " too small ") == NULL,
                    , "%s %s: %s", size, type, text);
            free(text);
        }
    }
}

static void expect_keys(const char *text)
{
    static const char *const ingredients[] = {"capture_version", "device_name",
            "driver_version", "driver_build", "build_options: -DX=1", "source",
            "il", "application_key"};
    for (size_t i = 0; i < sizeof ingredients / sizeof *ingredients; i++)
        TEST_CHECK_(strstr(text, ingredients[i]) != NULL, , "no %s in %s",
                ingredients[i], text);
    /* Another build of the layer finds the same entries. */
    EXPECT_NULL(strstr(text, "library_git_hash"));
    EXPECT_NULL(strstr(text, "library_source_digest"));
    EXPECT_NOT_NULL(strstr(text, "miss, missing"));
    EXPECT_NOT_NULL(strstr(text, ": kept\n"));
}

/* On standard error. */
TEST_C(LayerEnvironment, TraceOfFullHasTheKey)
{
    char *text = said_by("DNNL_CACHE_TRACE=full");
    ASSERT_NOT_NULL(text);
    expect_keys(text);
    free(text);
}

TEST_C(LayerEnvironment, TraceHasTheKeyAndWhatDiffers)
{
    char variable[600];
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_TRACE=full:%s",
            in_test("trace"));
    char *text = said_by(variable);
    EXPECT_STR_EQ("", text);
    free(text);
    text = layer_process_read_file(in_test("trace"));
    ASSERT_NOT_NULL(text);
    expect_keys(text);
    free(text);
    ASSERT_EQ(0, unlink(in_test("trace")));
    ASSERT_EQ(0, run(variable, &neither));
    text = layer_process_read_file(in_test("trace"));
    ASSERT_NOT_NULL(text);
    EXPECT_NOT_NULL(strstr(text, "hit on disk"));
    EXPECT_NULL(strstr(text, "miss"));
    free(text);
}

/* A line for each of the programs, with its kernels and what it took. */
TEST_C(LayerEnvironment, TraceOf1IsALineAProgram)
{
    char *text = said_by("DNNL_CACHE_TRACE=1");
    ASSERT_NOT_NULL(text);
    EXPECT_NOT_NULL(
            strstr(text, ": miss, missing, no entry of the same source"));
    EXPECT_NOT_NULL(strstr(text, ", kernels "));
    EXPECT_NOT_NULL(strstr(text, ", compiled in "));
    EXPECT_NULL(strstr(text, "device_name"));
    EXPECT_NULL(strstr(text, ": kept\n"));
    free(text);
}

/* After the driver was updated. */
TEST_C(LayerEnvironment, TraceTellsWhyNothingIsFound)
{
    char variable[600];
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_TRACE=full:%s",
            in_test("trace"));
    const char *const variables[] = {"FAKE_OPENCL_IL_VERSION=SPIR-V_1.0",
            "FAKE_OPENCL_DRIVER_VERSION=99.9", variable, NULL};
    ASSERT_EQ(0, run(NULL, &both));
    ASSERT_EQ(0, run_application(variables, use_both, &both));
    char *text = layer_process_read_file(in_test("trace"));
    ASSERT_NOT_NULL(text);
    EXPECT_NOT_NULL(strstr(text, ", differs in: driver_version\n"
                                 "    driver_version: 99.9, there "));
    free(text);
}

static int listened(const char *variable)
{
    char command[1200];
    (void)snprintf(command, sizeof command, "touch '%s'", in_test("store"));
    EXPECT_EQ(0, system(command)); /* no folder: the store cannot be opened */
    char *text = said_by(variable);
    const bool is_said =
            text != NULL && strstr(text, "dnnl_cache layer: store: ") != NULL;
    /* Once a day without being asked for. */
    EXPECT_TRUE(is_said
                || (text != NULL
                        && (text[0] == '\0'
                                || strstr(text, "nothing is kept: ") != NULL)));
    free(text);
    return is_said;
}

TEST_C(LayerEnvironment, FailuresAreToldIfAskedFor)
{
    EXPECT_FALSE(listened("DNNL_CACHE_PRINT_DEBUG=0"));
    EXPECT_FALSE(listened("DNNL_CACHE_PRINT_DEBUG="));
    EXPECT_TRUE(listened("DNNL_CACHE_PRINT_DEBUG=1"));
}
