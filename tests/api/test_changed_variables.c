/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application that changes its environment. What the library has seen of it
 * is a process's, so each step is a process of its own: the test's never calls
 * the library.
 */
#include "blob_edit.h"
#include "dnnl_cache/sys/layer.h"
#include "kernels.h"
#include "log_capture.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void in_child(void (*step)(void))
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        step();
        fflush(NULL);
        _exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    ASSERT_TRUE(child > 0);
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

static void expect_program(
        dnnl_engine_t engine, bool expected, const char *part)
{
    dnnl_cache_program_desc_t desc = describe(engine, scale_source, NULL);
    expect_cacheable(desc, expected, part);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void expect_change(const char *expected)
{
    const char *name = "";
    EXPECT_OK(dnnl_cache_find_changed_variable(&name));
    if (expected == NULL)
        EXPECT_TRUE(name == NULL);
    else
        EXPECT_STR_EQ(expected, name);
}

/* ---- Before the start ---------------------------------------------------- */

/* Variables give options, too; for a driver or another. */
static const char *const option_variables[] = {"AMD_OCL_BUILD_OPTIONS",
        "AMD_OCL_BUILD_OPTIONS_APPEND", "AMD_OCL_LINK_OPTIONS",
        "AMD_OCL_LINK_OPTIONS_APPEND", "IGC_ExtraOCLInternalOptions",
        "IGC_ExtraOCLOptions", "OCLGRIND_BUILD_OPTIONS",
        "OPENCL_PROGRAM_COMPILE_OPTIONS", "POCL_EXTRA_BUILD_FLAGS"};
static const char *option_variable;

static void give_options(void)
{
    struct rig rig;
    setenv(option_variable, "-Ifolder -DX=1", 1);
    rig_open(&rig, 0);
    expect_program(rig.engine, true, NULL);
    expect_change(NULL);
    rig_close(&rig);
}

static void give_options_that_read(void)
{
    struct rig rig;
    setenv(option_variable, "-imacros file", 1);
    rig_open(&rig, 0);
    expect_program(rig.engine, false, option_variable);
    rig_close(&rig);
}

TEST_C(ChangedVariables, AreNoneIfTheyAreSetBeforeTheStart)
{
    for (size_t i = 0; i < sizeof option_variables / sizeof *option_variables;
            i++) {
        option_variable = option_variables[i];
        in_child(give_options);
        in_child(give_options_that_read);
    }
}

/* ---- After it ------------------------------------------------------------ */

/* The whole of what was cacheable is not any more, and nothing of it is found:
 * in memory, in a store, in a blob. */
static void change_all(void)
{
    struct rig rig;
    struct memory_store store;
    struct log_capture log;
    int cacheable = 77;
    const char *reason = "";
    size_t size = 77;
    rig_open(&rig, 0);
    memory_store_open(&store);
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, &store.callbacks));
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    struct bytes blob = program_blob(program);
    struct bytes id = program_id(desc);
    EXPECT_TRUE(blob.size > 0 && id.size > 0);
    EXPECT_EQ(1, memory_store_count(&store, dnnl_cache_blob_kind_program));
    const unsigned gets = store.gets;
    const unsigned puts = store.puts;
    const unsigned long builds = fake_opencl_source_builds();
    log_capture_start(&log);

    setenv("POCL_MAX_WORK_GROUP_SIZE", "64", 1);
    expect_change("POCL_MAX_WORK_GROUP_SIZE");
    expect_change("POCL_MAX_WORK_GROUP_SIZE");
    EXPECT_EQ(1, log_capture_count(&log, dnnl_cache_log_warning));
    EXPECT_TRUE(log_capture_has(
            &log, dnnl_cache_log_warning, "POCL_MAX_WORK_GROUP_SIZE"));
    expect_program(rig.engine, false, "POCL_MAX_WORK_GROUP_SIZE");
    EXPECT_OK(dnnl_cache_program_desc_is_cacheable(desc, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_NOT_NULL(strstr(reason, "POCL_MAX_WORK_GROUP_SIZE"));
    EXPECT_OK(dnnl_cache_program_is_cacheable(program, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_NOT_NULL(strstr(reason, "POCL_MAX_WORK_GROUP_SIZE"));
    EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &size, NULL));
    EXPECT_EQ(0, size);
    EXPECT_OK(dnnl_cache_program_desc_get_cache_blob_id(desc, &size, NULL));
    EXPECT_EQ(0, size);
    EXPECT_OK(
            dnnl_ocl_interop_engine_get_cache_blob_id(rig.device, &size, NULL));
    EXPECT_EQ(0, size);

    /* By the old descriptor and by a new one; and its kernels. */
    dnnl_cache_program_t again = create(desc);
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(again).origin);
    EXPECT_NOT_NULL(strstr(
            info_of(again).not_cacheable_reason, "POCL_MAX_WORK_GROUP_SIZE"));
    EXPECT_OK(dnnl_cache_program_destroy(again));
    again = build(rig.engine, scale_source, NULL);
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(again).origin);
    EXPECT_OK(dnnl_cache_program_destroy(again));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "fill")));
    EXPECT_EQ(builds + 3, fake_opencl_source_builds());
    EXPECT_EQ(
            dnnl_cache_blob_stale, dnnl_cache_program_create_from_cache_blob(
                                           &again, desc, blob.size, blob.data));
    EXPECT_EQ(gets, store.gets);
    EXPECT_EQ(puts, store.puts);

    log_capture_stop(&log);
    bytes_free(&blob);
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, NULL));
    memory_store_close(&store);
    rig_close(&rig);
}

TEST_C(ChangedVariables, LeaveNothingCacheable)
{
    in_child(change_all);
}

/* It may have been read in between. */
static void change_and_back(void)
{
    struct rig rig;
    setenv("OCLGRIND_BUILD_OPTIONS", "-DX=1", 1);
    rig_open(&rig, 0);
    expect_program(rig.engine, true, NULL);
    unsetenv("OCLGRIND_BUILD_OPTIONS");
    expect_program(rig.engine, false, "OCLGRIND_BUILD_OPTIONS");
    setenv("OCLGRIND_BUILD_OPTIONS", "-DX=1", 1);
    expect_program(rig.engine, false, "OCLGRIND_BUILD_OPTIONS");
    rig_close(&rig);
}

TEST_C(ChangedVariables, CountAlsoAfterTheyAreSetBack)
{
    in_child(change_and_back);
}

/* What putenv() was given is the application's to write to. */
static void write_to_it(void)
{
    static char text[] = "POCL_WORK_GROUP_METHOD=loops";
    struct rig rig;
    putenv(text);
    rig_open(&rig, 0);
    expect_program(rig.engine, true, NULL);
    memcpy(strchr(text, '=') + 1, "other", 5);
    expect_program(rig.engine, false, "POCL_WORK_GROUP_METHOD");
    rig_close(&rig);
}

TEST_C(ChangedVariables, AreNoticedHoweverTheyAreChanged)
{
    in_child(write_to_it);
}

static void change_others(void)
{
    struct rig rig;
    setenv("HOME", "/home", 1);
    rig_open(&rig, 0);
    setenv("HOME", "/home", 1); /* as it is */
    setenv("POCL_", "x", 1);
    setenv("POCL_EXTRA_BUILD_FLAGSX", "x", 1);
    setenv("PATH", "/nowhere", 1);
    setenv("H", "x", 1);
    expect_program(rig.engine, true, NULL);
    expect_change(NULL);
    rig_close(&rig);
}

TEST_C(ChangedVariables, AreThoseThatDriversRead)
{
    in_child(change_others);
}

/* Known by the beginnings of their names. */
static void change_one_of_a_family(void)
{
    struct rig rig;
    setenv("POCL_ARGS_CLANG", "-O1;-DX=1", 1);
    rig_open(&rig, 0);
    expect_program(rig.engine, true, NULL);
    setenv("POCL_ARGS_CLANG", "-O2;-DX=1", 1);
    expect_program(rig.engine, false, "POCL_ARGS_");
    expect_change("POCL_ARGS_");
    rig_close(&rig);
}

static void add_one_of_a_family(void)
{
    struct rig rig;
    rig_open(&rig, 0);
    expect_program(rig.engine, true, NULL);
    setenv("POCL_PATH_ANY", "/any", 1);
    expect_program(rig.engine, false, "POCL_PATH_");
    rig_close(&rig);
}

static void give_arguments_that_read(void)
{
    struct rig rig;
    setenv("POCL_ARGS_CLANG", "-O1;-include;file", 1);
    rig_open(&rig, 0);
    expect_program(rig.engine, false, "POCL_ARGS_");
    expect_change(NULL);
    rig_close(&rig);
}

TEST_C(ChangedVariables, CountIfTheyAreOfAFamily)
{
    in_child(change_one_of_a_family);
    in_child(add_one_of_a_family);
    in_child(give_arguments_that_read);
}

/* PoCL starts a linker, which is looked for in PATH at each build. */
static void change_path_of_pocl(void)
{
    struct rig rig;
    char path[512];
    char command[1024]; /* a link would be the driver that is loaded already */
    snprintf(command, sizeof command, "cp '%s' '%.300s/libpocl-fake.so'",
            FAKE_DRIVER, test_directory());
    ASSERT_EQ(0, system(command));
    snprintf(path, sizeof path, "%.300s/fake.icd", test_directory());
    FILE *icd = fopen(path, "w");
    ASSERT_NOT_NULL(icd);
    fprintf(icd, "%.300s/libpocl-fake.so\n", test_directory());
    EXPECT_EQ(0, fclose(icd));
    setenv("OCL_ICD_VENDORS", test_directory(), 1);
    rig_open(&rig, 0);
    expect_program(rig.engine, true, NULL);
    setenv("PATH", "/nowhere", 1);
    expect_program(rig.engine, false, "PATH");
    rig_close(&rig);
}

TEST_C(ChangedVariables, CountIfADriverLooksForProgramsInThem)
{
    in_child(change_path_of_pocl);
}

static void change_before_an_engine(void)
{
    struct rig rig;
    EXPECT_GT(dnnl_engine_get_count(dnnl_gpu), 0);
    setenv("TMPDIR", "/nowhere", 1);
    rig_open(&rig, 0);
    expect_program(rig.engine, false, "TMPDIR");
    rig_close(&rig);
}

TEST_C(ChangedVariables, CountFromTheFirstLookAtDevicesOn)
{
    in_child(change_before_an_engine);
}

/* ---- What is in memory --------------------------------------------------- */

static const char *const ours = "POCL_MAX_WORK_GROUP_SIZE";
static char given[] = "POCL_MAX_WORK_GROUP_SIZE=64";

static void set_another(void)
{
    setenv(ours, "64", 1);
}
static void give_text(void)
{
    putenv(given);
}
static void remove_it(void)
{
    unsetenv(ours);
}
static void replace_all(void)
{
    static char *all[] = {given, NULL};
    environ = all;
}
static void remove_all(void)
{
    clearenv();
}

static void (*change)(void);
static bool is_set_before;

/* The first call after the change is one that finds the program in memory. */
static void change_between_hits(void)
{
    struct rig rig;
    if (is_set_before) setenv(ours, "32", 1);
    setenv("ZZZ", "after it", 1);
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    dnnl_cache_program_t again = create(desc);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(again).origin);
    EXPECT_OK(dnnl_cache_program_destroy(again));
    /* Another's, whatever becomes of the places where variables are. */
    setenv("ZZZ", "another", 1);
    unsetenv("ZZZ");
    setenv("ZZZZ", "new", 1);
    again = create(desc);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(again).origin);
    EXPECT_OK(dnnl_cache_program_destroy(again));
    change();
    again = create(desc);
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(again).origin);
    EXPECT_OK(dnnl_cache_program_destroy(again));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(ChangedVariables, AreSeenByWhatFindsProgramsInMemory)
{
    void (*const changes[])(void) = {
            set_another, give_text, remove_it, replace_all, remove_all};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        change = changes[i];
        for (int set = 0; set < 2; set++) {
            is_set_before = set == 1;
            /* These change nothing that is not set. */
            if (!is_set_before && (change == remove_it || change == remove_all))
                continue;
            in_child(change_between_hits);
        }
    }
}

/* A program made from a blob beside one in memory keeps the blob's bytes, and
 * gives none any more. */
static void change_with_own_bytes(void)
{
    struct rig rig;
    size_t size = 77;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    struct bytes blob = program_blob(program);
    struct bytes other = blob_with_log(&blob, "compiled elsewhere");
    dnnl_cache_program_t second = create_from(desc, &other);
    struct bytes of_second = program_blob(second);
    EXPECT_TRUE(bytes_equal(&other, &of_second));
    setenv(ours, "64", 1);
    EXPECT_OK(dnnl_cache_program_get_cache_blob(second, &size, NULL));
    EXPECT_EQ(0, size);
    bytes_free(&of_second);
    bytes_free(&other);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(second));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(ChangedVariables, LeaveNoBytesOfAGivenBlob)
{
    in_child(change_with_own_bytes);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
static void change_between_primitives(void)
{
    struct rig rig;
    dnnl_primitive_t primitive = NULL;
    int cacheable = 77;
    const char *reason = "";
    size_t size = 77;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    struct bytes blob = primitive_blob(primitive);
    EXPECT_TRUE(blob.size > 0);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-fast-relaxed-math", 1);
    EXPECT_OK(dnnl_cache_primitive_desc_is_cacheable(pd, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_NOT_NULL(strstr(reason, "POCL_EXTRA_BUILD_FLAGS"));
    EXPECT_EQ(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, pd, blob.size, blob.data));
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &size, NULL));
    EXPECT_EQ(0, size);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    bytes_free(&blob);
    rig_close(&rig);
}

TEST_C(ChangedVariables, LeaveNoPrimitiveCacheable)
{
    in_child(change_between_primitives);
}
#endif
