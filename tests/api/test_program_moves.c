/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose headers are moved, on a real driver: what was compiled in one
 * place is found from another, and each program tells of its own folders.
 */
#include "blob_edit.h"
#include "include_helpers.h"
#include "memory_store.h"
#include "programs.h"
#include "queries.h"
#include "run_kernel.h"

#include "test.h"
#include "test_platform.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "#include <value.h>\n"
                             "kernel void get(global uint *out)\n"
                             "{ *out = VALUE; }\n";
/* The driver warns of it, and names the file. */
static const char header[] = "static int f(int a) { return a / 0; }\n"
                             "#define VALUE 7\n";

struct place {
    struct memory_store store;
    dnnl_engine_t engine;
};

/* An engine in a context of its own: what another process has of the store. */
static dnnl_engine_t engine_of(const struct memory_store *store)
{
    dnnl_engine_t engine = test_platform_engine();
    if (engine == NULL) abort();
    EXPECT_OK(dnnl_cache_engine_set_store(engine, &store->callbacks));
    return engine;
}

static void enter(struct place *place)
{
    enter_files();
    put_file("one/value.h", header);
    put_file("other/value.h", header);
    memory_store_open(&place->store);
    place->engine = engine_of(&place->store);
}

static void restart(struct place *place)
{
    EXPECT_OK(dnnl_engine_destroy(place->engine));
    place->engine = engine_of(&place->store);
}

static void leave(struct place *place)
{
    EXPECT_OK(dnnl_engine_destroy(place->engine));
    memory_store_close(&place->store);
    leave_files();
}

/* Of other drivers not all folders are known that they search. */
#define ENTER(place)                                                   \
    do {                                                               \
        if (strstr("Portable Computing Language rusticl",              \
                    test_platform_name())                              \
                == NULL)                                               \
            SKIP_TEST("the driver may have headers in other folders"); \
        enter(place);                                                  \
    } while (0)

/* The path of a folder of the test's. */
static char *path_of(const char *folder)
{
    static _Thread_local char path[4200];
    snprintf(path, sizeof path, "%s/%s", test_directory(), folder);
    return path;
}

static dnnl_cache_program_desc_t describe_in(
        dnnl_engine_t engine, const char *text, const char *folder)
{
    char options[4300];
    snprintf(options, sizeof options, "-I %s", path_of(folder));
    dnnl_cache_program_desc_t desc = describe(engine, text, options);
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(desc, 1));
    return desc;
}

static dnnl_cache_program_t create_in(
        const struct place *place, const char *folder)
{
    dnnl_cache_program_desc_t desc = describe_in(place->engine, source, folder);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return program;
}

/* The ID of the program of a folder. */
static struct bytes id_in(
        const struct place *place, const char *text, const char *folder)
{
    dnnl_cache_program_desc_t desc = describe_in(place->engine, text, folder);
    struct bytes id = program_id(desc);
    EXPECT_GT(id.size, 0);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return id;
}

static bool is_one_id(const struct place *place, const char *text,
        const char *folder, const char *other)
{
    struct bytes a = id_in(place, text, folder);
    struct bytes b = id_in(place, text, other);
    const bool is_one = bytes_equal(&a, &b);
    bytes_free(&a);
    bytes_free(&b);
    return is_one;
}

static char *log_of(dnnl_cache_program_t program)
{
    size_t size = 0;
    EXPECT_OK(dnnl_cache_program_get_build_log(program, &size, NULL));
    char *log = calloc(1, size + 1);
    if (log == NULL) abort();
    EXPECT_OK(dnnl_cache_program_get_build_log(program, &size, log));
    return log;
}

static bool names(const char *text, const char *folder)
{
    return strstr(text, path_of(folder)) != NULL;
}

/* What the driver says that it was built with. */
static void get_options(dnnl_cache_program_t program, char options[8192])
{
    cl_program cl = NULL;
    cl_device_id device = test_platform_device();
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &cl));
    EXPECT_EQ(
            CL_SUCCESS, clGetProgramBuildInfo(cl, device,
                                CL_PROGRAM_BUILD_OPTIONS, 8192, options, NULL));
}

/* A program of the folder: it says so, and nothing of the other. */
static void expect_of(const struct place *place, dnnl_cache_program_t program,
        dnnl_cache_origin_t origin, const char *folder, const char *other)
{
    char options[8192] = "";
    char *log = log_of(program);
    EXPECT_EQ(origin, info_of(program).origin);
    EXPECT_EQ(7, run_kernel(place->engine, program, "get"));
    get_options(program, options);
    /* rusticl (Mesa 22.3) has no options of a program that a binary made. */
    if (options[0] != '\0' || origin == dnnl_cache_origin_compiled
            || strcmp(test_platform_name(), "rusticl") != 0)
        EXPECT_TRUE(names(options, folder));
    EXPECT_FALSE(names(options, other));
    EXPECT_FALSE(names(log, other));
    EXPECT_NULL(strchr(log, '\x01'));
    if (strstr(log, "value.h") != NULL) EXPECT_TRUE(names(log, folder));
    free(log);
}

static bool warns(dnnl_cache_program_t program)
{
    char *log = log_of(program);
    const bool has = strstr(log, "value.h:1:") != NULL;
    free(log);
    return has;
}

/* Ends a program that the store is to have. */
static void keep(dnnl_cache_program_t program)
{
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_C(ProgramMoves, TheSameElsewhereIsFoundInTheStore)
{
    struct place place;
    ENTER(&place);
    dnnl_cache_program_t cold = create_in(&place, "one");
    expect_of(&place, cold, dnnl_cache_origin_compiled, "one", "other");
    const bool cold_warns = warns(cold);
    keep(cold);
    EXPECT_EQ(
            1, memory_store_count(&place.store, dnnl_cache_blob_kind_program));
    restart(&place);
    dnnl_cache_program_t warm = create_in(&place, "other");
    expect_of(&place, warm, dnnl_cache_origin_store_hit, "other", "one");
    EXPECT_EQ(cold_warns, warns(warm));
    EXPECT_OK(dnnl_cache_program_destroy(warm));
    put_file("other/value.h", "#define VALUE 7\n");
    dnnl_cache_program_t changed = create_in(&place, "other");
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(changed).origin);
    EXPECT_OK(dnnl_cache_program_destroy(changed));
    leave(&place);
}

/* Nobody gets a program that tells of another place. */
TEST_C(ProgramMoves, EachPlaceHasAProgramInMemory)
{
    struct place place;
    ENTER(&place);
    dnnl_cache_program_t one = create_in(&place, "one");
    EXPECT_OK(dnnl_cache_program_capture(one));
    dnnl_cache_program_t other = create_in(&place, "other");
    dnnl_cache_program_t again = create_in(&place, "one");
    expect_of(&place, one, dnnl_cache_origin_compiled, "one", "other");
    expect_of(&place, other, dnnl_cache_origin_store_hit, "other", "one");
    expect_of(&place, again, dnnl_cache_origin_memory_hit, "one", "other");
    EXPECT_OK(dnnl_cache_program_destroy(one));
    EXPECT_OK(dnnl_cache_program_destroy(other));
    EXPECT_OK(dnnl_cache_program_destroy(again));
    leave(&place);
}

/* Its bytes name neither place. */
TEST_C(ProgramMoves, ABlobIsOfAllPlaces)
{
    struct place place;
    ENTER(&place);
    dnnl_cache_program_t one = create_in(&place, "one");
    struct bytes blob = program_blob(one);
    const char *path = path_of("one");
    EXPECT_GT(blob.size, 0);
    EXPECT_NULL(memmem(blob.data, blob.size, path, strlen(path)));
    EXPECT_OK(dnnl_cache_program_destroy(one));
    dnnl_engine_t engine = test_platform_engine();
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            engine, dnnl_cache_compile_mode_cached_only));
    const struct place elsewhere = {.engine = engine};
    dnnl_cache_program_desc_t desc = describe_in(engine, source, "other");
    dnnl_cache_program_t other = create_from(desc, &blob);
    expect_of(&elsewhere, other, dnnl_cache_origin_blob, "other", "one");
    struct bytes same = program_blob(other);
    EXPECT_TRUE(bytes_equal(&blob, &same));
    EXPECT_OK(dnnl_cache_program_destroy(other));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(engine));
    bytes_free(&blob);
    bytes_free(&same);
    leave(&place);
}

TEST_C(ProgramMoves, ALogOfMoreFoldersIsRefused)
{
    struct place place;
    ENTER(&place);
    dnnl_cache_program_t one = create_in(&place, "one");
    struct bytes blob = program_blob(one);
    EXPECT_OK(dnnl_cache_program_destroy(one));
    restart(&place);
    struct bytes forged = blob_with_log(&blob, "\x01"
                                               "2"
                                               "\x02/value.h");
    dnnl_cache_program_desc_t desc = describe_in(place.engine, source, "other");
    dnnl_cache_program_t program = NULL;
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &program, desc, forged.size, forged.data));
    EXPECT_NULL(program);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    bytes_free(&blob);
    bytes_free(&forged);
    leave(&place);
}

/* The application's own bytes may name the place. */
TEST_C(ProgramMoves, WhatNamesAFolderIsNotKept)
{
    struct place place;
    ENTER(&place);
    dnnl_cache_program_t one = create_in(&place, "one");
    const char *path = path_of("one");
    EXPECT_OK(dnnl_cache_program_set_user_data(one, strlen(path), path));
    struct bytes blob = program_blob(one);
    EXPECT_EQ(0, blob.size);
    expect_of(&place, one, dnnl_cache_origin_compiled, "one", "other");
    keep(one);
    EXPECT_EQ(
            0, memory_store_count(&place.store, dnnl_cache_blob_kind_program));
    leave(&place);
}

TEST_C(ProgramMoves, WhatMaySeeThePlaceStays)
{
    static const char *const headers[] = {
            "#define VALUE (uint)sizeof __FILE__\n",
            "kernel void k(struct { int a; } x) {}\n"
            "#define VALUE 1\n"};
    struct place place;
    ENTER(&place);
    EXPECT_TRUE(is_one_id(&place, source, "one", "other"));
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        put_file("one/value.h", headers[i]);
        put_file("other/value.h", headers[i]);
        EXPECT_FALSE(is_one_id(&place, source, "one", "other"));
    }
    leave(&place);
}

/* It has the ID of a program whose includes are not followed. */
TEST_C(ProgramMoves, WhatIncludesNothingStays)
{
    static const char nothing[] =
            "kernel void get(global uint *out) { *out = 7; }\n";
    struct place place;
    char options[4300];
    ENTER(&place);
    if (strcmp(test_platform_name(), "rusticl") != 0) {
        snprintf(options, sizeof options, "-I %s", path_of("one"));
        expect_ids("", describe(place.engine, nothing, options),
                describe_in(place.engine, nothing, "one"));
    }
    leave(&place);
}

/* Which folders it is to have, a program says that is described. */
TEST_C(ProgramMoves, NothingIsPrefetched)
{
    struct place place;
    size_t found = 1;
    ENTER(&place);
    keep(create_in(&place, "one"));
    restart(&place);
    struct bytes id = id_in(&place, source, "other");
    const uint8_t *ids[] = {id.data};
    EXPECT_OK(
            dnnl_cache_engine_prefetch(place.engine, 1, &id.size, ids, &found));
    EXPECT_EQ(0, found);
    dnnl_cache_program_t other = create_in(&place, "other");
    expect_of(&place, other, dnnl_cache_origin_store_hit, "other", "one");
    EXPECT_OK(dnnl_cache_program_destroy(other));
    bytes_free(&id);
    leave(&place);
}

/* A link is its folder; two names of one folder are not two folders. */
TEST_C(ProgramMoves, ALinkIsAPlace)
{
    struct place place;
    char both[8500];
    ENTER(&place);
    if (symlink("one", "link") != 0) abort();
    keep(create_in(&place, "one"));
    restart(&place);
    dnnl_cache_program_t linked = create_in(&place, "link");
    expect_of(&place, linked, dnnl_cache_origin_store_hit, "link", "one");
    EXPECT_OK(dnnl_cache_program_destroy(linked));
    snprintf(both, sizeof both, "one -I %s", path_of("other"));
    char *two = strdup(both);
    snprintf(both, sizeof both, "one -I %s", path_of("link"));
    EXPECT_FALSE(is_one_id(&place, source, two, both));
    free(two);
    leave(&place);
}

/* Its name is as good in each working directory, with blanks, too. */
TEST_C(ProgramMoves, ARelativeFolderIsInTheWorkingDirectory)
{
    static const char *const homes[] = {"home one", "other home"};
    struct place place;
    struct bytes ids[2];
    char options[4400];
    ENTER(&place);
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/inc/value.h", homes[i]);
        put_file(path, header);
        restart(&place);
        if (chdir(homes[i]) != 0) abort();
        snprintf(options, sizeof options, "-I inc -I %s",
                path_of(i == 0 ? "one" : "other"));
        dnnl_cache_program_desc_t desc =
                describe(place.engine, source, options);
        EXPECT_OK(dnnl_cache_program_desc_set_include_following(desc, 1));
        ids[i] = program_id(desc);
        dnnl_cache_program_t program = create(desc);
        EXPECT_EQ(i == 0 ? dnnl_cache_origin_compiled
                         : dnnl_cache_origin_store_hit,
                info_of(program).origin);
        char *log = log_of(program);
        EXPECT_FALSE(names(log, ""));
        if (strstr(log, "value.h") != NULL)
            EXPECT_NOT_NULL(strstr(log, "inc/value.h:1:"));
        free(log);
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        keep(program);
        if (chdir("..") != 0) abort();
    }
    EXPECT_TRUE(bytes_equal(&ids[0], &ids[1]));
    bytes_free(&ids[0]);
    bytes_free(&ids[1]);
    leave(&place);
}

/* The ID is of folders that are gone. */
TEST_C(ProgramMoves, AFolderThatIsGoneMakesAnotherProgram)
{
    struct place place;
    ENTER(&place);
    keep(create_in(&place, "one"));
    restart(&place);
    dnnl_cache_program_desc_t desc = describe_in(place.engine, source, "other");
    expect_cacheable(desc, true, NULL);
    remove_file("other/value.h");
    if (rmdir("other") != 0) abort();
    /* What it is, the ID has said; nothing is compiled. */
    dnnl_cache_program_t found = create(desc);
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(found).origin);
    EXPECT_OK(dnnl_cache_program_destroy(found));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_FALSE(is_one_id(&place, source, "one", "other"));
    leave(&place);
}

struct visit {
    const struct place *place;
    const char *folder;
    const char *other;
};

static void *visit(void *user)
{
    const struct visit *v = user;
    for (unsigned i = 0; i < 20; i++) {
        dnnl_cache_program_t program = create_in(v->place, v->folder);
        char *log = log_of(program);
        EXPECT_FALSE(names(log, v->other));
        if (strstr(log, "value.h") != NULL) EXPECT_TRUE(names(log, v->folder));
        free(log);
        if (i % 4 == 0) EXPECT_OK(dnnl_cache_program_capture(program));
        EXPECT_OK(dnnl_cache_program_destroy(program));
    }
    return NULL;
}

TEST_C(ProgramMoves, TwoThreadsHaveAPlaceEach)
{
    struct place place;
    pthread_t threads[2];
    ENTER(&place);
    struct visit visits[2] = {
            {&place, "one", "other"}, {&place, "other", "one"}};
    for (size_t i = 0; i < 2; i++)
        ASSERT_EQ(0, pthread_create(&threads[i], NULL, visit, &visits[i]));
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    EXPECT_EQ(
            1, memory_store_count(&place.store, dnnl_cache_blob_kind_program));
    leave(&place);
}
