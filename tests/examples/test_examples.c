/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short examples on a real driver, DNNL_CACHE_TEST_PLATFORM or PoCL. What
 * is warm is so by the example alone: those processes have an empty cache of
 * the driver's own, which is off. Those that are to compile, one after the
 * other, share a cache, which is empty for the first one: that is what takes
 * long.
 */
#include "example_process.h"
#include "test.h"
#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_environment_with(
        const char *directory, const char *name, const char *cache, bool is_on)
{
    setenv("POCL_CACHE_DIR", example_file(directory, cache, "pocl").text, 1);
    setenv("POCL_KERNEL_CACHE", is_on ? "1" : "0", 1);
    setenv("POCL_DEBUG", "all", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("BUILD_COUNTER_FILE", example_file(directory, name, "counts").text,
            1);
    setenv("OPENCL_LAYERS", BUILD_COUNTER_LAYER, 1);
    /* Drivers keep memory to the end, which is not what is tested. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
}

static void set_environment(const char *directory, const char *name)
{
    set_environment_with(directory, name, name, false);
}

static void set_environment_to_compile(const char *directory, const char *name)
{
    set_environment_with(directory, name, "compiled", true);
}

/* Runs an example on the store "blobs" of a directory, or another path. */
static int run_with(const char *program, const char *directory,
        const char *name, const char *store,
        void (*in_child)(const char *, const char *))
{
    char *argv[] = {strdup(program), strdup("--platform"),
            strdup(test_platform_name()),
            strdup(store != NULL ? store
                                 : example_path(directory, "blobs").text),
            NULL};
    const int status = example_run(directory, name, argv, in_child);
    for (int i = 0; argv[i] != NULL; i++)
        free(argv[i]);
    return status;
}

static int run_to_compile(const char *program, const char *directory,
        const char *name, const char *store)
{
    return run_with(
            program, directory, name, store, set_environment_to_compile);
}

static int run_warm(
        const char *program, const char *directory, const char *name)
{
    return run_with(program, directory, name, NULL, set_environment);
}

static bool prints(const char *directory, const char *name, const char *text)
{
    return example_says(example_file(directory, name, "out").text, text);
}

static void show(const char *directory, const char *name)
{
    char *out =
            example_contents(example_file(directory, name, "out").text, NULL);
    char *err =
            example_contents(example_file(directory, name, "err").text, NULL);
    const size_t length = strlen(err);
    printf("%s: %s%s\n", name, out, length > 1500 ? err + length - 1500 : err);
    free(out);
    free(err);
}

/* The line with the result. */
static void expect_same_result(
        const char *directory, const char *expected, const char *actual)
{
    char *a = example_contents(
            example_file(directory, expected, "out").text, NULL);
    char *b =
            example_contents(example_file(directory, actual, "out").text, NULL);
    const char *at_a = strstr(a, "result: ");
    const char *at_b = strstr(b, "result: ");
    EXPECT_NOT_NULL(at_a);
    EXPECT_NOT_NULL(at_b);
    if (at_a != NULL && at_b != NULL) EXPECT_STR_EQ(at_a, at_b);
    free(a);
    free(b);
}

/* How often the layer saw something. */
static unsigned long counted(
        const char *directory, const char *name, const char *what)
{
    char quoted[64];
    char *text = example_contents(
            example_file(directory, name, "counts").text, NULL);
    snprintf(quoted, sizeof quoted, "\"%s\":", what);
    const char *at = strstr(text, quoted);
    EXPECT_NOT_NULL(at);
    const unsigned long number =
            at != NULL ? strtoul(at + strlen(quoted), NULL, 10) : 0;
    free(text);
    return number;
}

static void expect_compiled(const char *directory, const char *name)
{
    EXPECT_TRUE(prints(directory, name, "compiled "));
    EXPECT_FALSE(prints(directory, name, "nothing compiled"));
    EXPECT_TRUE(prints(directory, name, ", right\n"));
    /* A loader without layers counts nothing. */
    if (example_says(example_file(directory, name, "counts").text, "{"))
        EXPECT_GT(counted(directory, name, "source_builds")
                          + counted(directory, name, "source_compiles"),
                0);
}

/* PoCL says so when it compiles, at first launches too. */
static void expect_nothing_compiled(const char *directory, const char *name)
{
    EXPECT_TRUE(prints(directory, name, "from the cache, "));
    EXPECT_TRUE(prints(directory, name, ", nothing compiled\n"));
    EXPECT_TRUE(prints(directory, name, ", right\n"));
    EXPECT_FALSE(
            example_says(example_file(directory, name, "err").text, "Built a"));
    if (!example_says(example_file(directory, name, "counts").text, "{"))
        return;
    EXPECT_EQ(0, counted(directory, name, "programs_from_source"));
    EXPECT_EQ(0, counted(directory, name, "source_builds"));
    EXPECT_EQ(0, counted(directory, name, "source_compiles"));
    EXPECT_EQ(0, counted(directory, name, "source_links"));
    EXPECT_EQ(0, counted(directory, name, "binaries_queries"));
    EXPECT_GT(counted(directory, name, "programs_from_binary"), 0);
}

static bool is_pocl(void)
{
    return strstr("Portable Computing Language", test_platform_name()) != NULL;
}

/* A damaged store: the run compiles, comes to the same result, and leaves a
 * store that is whole again. */
static void check_damage(const char *program, const char *directory,
        const char *name, void (*damage)(const char *path))
{
    EXPECT_GT(
            example_damage_files(example_path(directory, "blobs").text, damage),
            0);
    EXPECT_EQ(0, run_to_compile(program, directory, name, NULL));
    expect_compiled(directory, name);
    expect_same_result(directory, "cold", name);
    EXPECT_EQ(0, run_warm(program, directory, "healed"));
    expect_nothing_compiled(directory, "healed");
    expect_same_result(directory, "cold", "healed");
}

static void check_example(const char *program)
{
    const char *directory = test_directory();
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    EXPECT_EQ(0, run_to_compile(program, directory, "cold", NULL));
    expect_compiled(directory, "cold");
    /* Else "Built a" below says nothing. */
    if (is_pocl())
        EXPECT_TRUE(example_says(
                example_file(directory, "cold", "err").text, "Built a"));
    EXPECT_EQ(0, run_warm(program, directory, "warm"));
    expect_nothing_compiled(directory, "warm");
    expect_same_result(directory, "cold", "warm");

    check_damage(program, directory, "flipped", example_flip_middle);
    check_damage(program, directory, "cut", example_cut_in_half);

    /* Nothing can be kept behind a path that goes through a file. */
    example_write(example_path(directory, "file").text, "a file", 6);
    EXPECT_EQ(0, run_to_compile(program, directory, "nowhere",
                         example_path(directory, "file/blobs").text));
    expect_compiled(directory, "nowhere");
    expect_same_result(directory, "cold", "nowhere");
    EXPECT_TRUE(example_says(
            example_file(directory, "nowhere", "err").text, "warning: "));
    if (test_has_failed()) {
        static const char *const names[] = {
                "cold", "warm", "flipped", "cut", "healed", "nowhere"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            show(directory, names[i]);
    }
}

TEST_C(Examples, ExistingProgramIsWarmTheSecondTime)
{
    check_example(EXISTING_PROGRAM);
}

TEST_C(Examples, WarmServiceIsWarmTheSecondTime)
{
    check_example(WARM_SERVICE);
    if (test_platform_device() == NULL) return;
    EXPECT_TRUE(prints(test_directory(), "cold", "prefetched 0 of 0"));
    EXPECT_TRUE(prints(test_directory(), "warm", "prefetched 1 of 1"));
}

#ifdef BY_HAND
TEST_C(Examples, ByHandIsWarmTheSecondTime)
{
    check_example(BY_HAND);
}

TEST_C(Examples, AttachStoreIsWarmTheSecondTime)
{
    check_example(ATTACH_STORE);
}

TEST_C(Examples, SingleFileIsWarmTheSecondTime)
{
    check_example(SINGLE_FILE);
}

TEST_C(Examples, CnnWarmStartIsWarmTheSecondTime)
{
    check_example(CNN_WARM_START);
    if (test_platform_device() == NULL) return;
    EXPECT_TRUE(prints(test_directory(), "cold", "conv1: compiled in "));
    EXPECT_TRUE(prints(
            test_directory(), "warm", "conv1: loaded from the store in "));
}

#ifdef FRAMEWORK
/* A framework whose first start launches the first kernel of each program, and
 * the next one all. After a refresh the third start compiles nothing. */
static void run_framework(const char *directory, const char *name,
        const char *programs, bool half)
{
    char *argv[] = {strdup(FRAMEWORK), strdup("--platform"),
            strdup(test_platform_name()), strdup("--mode"), strdup("library"),
            strdup("--store"), strdup(example_path(directory, "blobs").text),
            strdup("--programs"), strdup(programs),
            half ? strdup("--half") : NULL, NULL};
    EXPECT_EQ(0, example_run(directory, name, argv, set_environment));
    EXPECT_TRUE(prints(directory, name, ", checksum "));
    for (int i = 0; argv[i] != NULL; i++)
        free(argv[i]);
}

static bool compiles(const char *directory, const char *name)
{
    return example_says(example_file(directory, name, "err").text, "Built a");
}

static void check_framework(const char *programs)
{
    const char *directory = test_directory();
    if (!is_pocl()) SKIP_TEST("other drivers have no classes of launches");
    run_framework(directory, "half", programs, true);
    char *refresh[] = {strdup(DNNL_CACHE), strdup("refresh"), strdup("--store"),
            strdup(example_path(directory, "blobs").text), NULL};
    EXPECT_EQ(0, example_run(directory, "refresh", refresh, set_environment));
    run_framework(directory, "rest", programs, false);
    EXPECT_TRUE(compiles(directory, "rest"));
    EXPECT_EQ(0, example_run(directory, "again", refresh, set_environment));
    run_framework(directory, "healed", programs, false);
    EXPECT_FALSE(compiles(directory, "healed"));
    for (int i = 0; refresh[i] != NULL; i++)
        free(refresh[i]);
}

/* Kernels of all of its forms. */
TEST_C(Examples, FrameworkIsHealedByARefresh)
{
    check_framework("4");
}

/* The results are checked by the framework. */
TEST_C(Examples, FrameworkBuildsInTheBackground)
{
    const char *directory = test_directory();
    if (!test_platform_takes_threads())
        SKIP_TEST("two threads must not use this driver at once");
    char *argv[] = {strdup(FRAMEWORK), strdup("--platform"),
            strdup(test_platform_name()), strdup("--mode=library"),
            strdup("--programs=3"), strdup("--workers=2"), strdup("--half"),
            NULL};
    EXPECT_EQ(0, example_run(directory, "workers", argv, set_environment));
    EXPECT_TRUE(prints(directory, "workers", ", checksum "));
    for (int i = 0; argv[i] != NULL; i++)
        free(argv[i]);
}

TEST_C(Examples, WholeFrameworkIsHealedByARefresh)
{
    check_framework("30");
}
#endif

/* Those that take one argument, the device's number or its platform, and keep
 * nothing. */
static void check_short_example(const char *program, const char *argument)
{
    char *argv[] = {strdup(program), strdup(argument), NULL};
    EXPECT_EQ(0, example_run(test_directory(), "short", argv, set_environment));
    EXPECT_TRUE(prints(test_directory(), "short", ", right\n"));
    EXPECT_FALSE(prints(test_directory(), "short", "WRONG"));
    if (test_has_failed()) show(test_directory(), "short");
    free(argv[0]);
    free(argv[1]);
}

TEST_C(Examples, GettingStartedRunsFromItsBlob)
{
    static const char *const programs[] = {
            GETTING_STARTED, GETTING_STARTED_CPP};
    char index[24];
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    snprintf(index, sizeof index, "%zu", test_platform_engine_index());
    for (size_t i = 0; i < 2; i++) {
        check_short_example(programs[i], index);
        EXPECT_TRUE(prints(test_directory(), "short", "from the blob"));
    }
}

TEST_C(Examples, CompressedWeightsAreMultiplied)
{
    char index[24];
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    snprintf(index, sizeof index, "%zu", test_platform_engine_index());
    check_short_example(COMPRESSED_WEIGHTS, index);
    EXPECT_TRUE(prints(test_directory(), "short", "163840 weights in "));
}

TEST_C(Examples, OpenclInteropSharesTheQueue)
{
    if (test_platform_device() == NULL)
        SKIP_TEST("no platform of that name is here");
    check_short_example(OPENCL_INTEROP, test_platform_name());
    EXPECT_TRUE(prints(test_directory(), "short", ": 10 of 100 numbers"));
}
#endif
