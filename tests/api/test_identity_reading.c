/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read of a driver's files: an ID is the right one or there is none,
 * whatever fails meanwhile. The driver is a copy of the fake one with a name,
 * plugins and data files like PoCL's, so that all of them count.
 */
#include "driver_copy.h"
#include "identity_process.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The IDs with a variable, or two; NULL: none. */
static struct identity ids_with(const char *variable, const char *other)
{
    struct identity x;
    const char *const environment[] = {driver_copy_vendors(),
            variable != NULL ? variable : other, other, NULL};
    const char *const plain[] = {driver_copy_vendors(), NULL};
    identity_init(
            &x, variable == NULL && other == NULL ? plain : environment, NULL);
    return x;
}

static bool is_same(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size
           && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static bool is_right_or_none(const struct bytes *id, const struct bytes *right)
{
    return id->size == 0 || is_same(id, right);
}

static unsigned long number_of(const struct identity *x, const char *key)
{
    char *text = identity_value(x, key);
    const unsigned long number = text != NULL ? strtoul(text, NULL, 10) : 0;
    free(text);
    return number;
}

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

struct tally {
    unsigned right, none, wrong, hits;
};

static void print_wrong(const struct identity *x, const struct bytes *right)
{
    printf("sizes %zu and %zu: %s", x->engine.size, right->size, x->output);
}

/* Runs with faults; each has the right ID or none. */
static struct tally run_many(
        const struct identity *right, const char *kinds, unsigned runs)
{
    static const unsigned per_mille[] = {2, 4, 40, 200};
    struct tally tally = {0};
    for (unsigned i = 0; i < runs; i++) {
        char variable[64];
        snprintf(variable, sizeof variable, "READ_FAULTS=%u:%u:%s", i + 1,
                per_mille[i % 4], kinds);
        struct identity x = ids_with(variable, NULL);
        tally.hits += number_of(&x, "hits") > 0;
        if (!is_right_or_none(&x.engine, &right->engine)
                || !is_right_or_none(&x.program, &right->program)
                || !is_right_or_none(&x.primitive, &right->primitive))
            print_wrong(&x, &right->engine), tally.wrong++;
        else if (x.engine.size > 0)
            tally.right++;
        else
            tally.none++;
        identity_fini(&x);
    }
    printf("%s: %u right, %u none, %u wrong, %u with faults\n", kinds,
            tally.right, tally.none, tally.wrong, tally.hits);
    return tally;
}

static void expect_right_or_none(const char *driver)
{
    driver_copy_make(driver);
    struct identity right = ids_with(NULL, NULL);
    EXPECT_GT(right.engine.size, 0);
    const struct tally all = run_many(&right, "ieamsn", 60);
    EXPECT_EQ(0, all.wrong);
    EXPECT_GT(all.none, 5);
    EXPECT_GT(all.right, 5);
    /* Interruptions are no failures. */
    const struct tally interrupted = run_many(&right, "i", 12);
    EXPECT_EQ(12, interrupted.right);
    EXPECT_GT(interrupted.hits, 6);
    /* What is there was not found by one call. */
    const struct tally unfound = run_many(&right, "n", 24);
    EXPECT_EQ(0, unfound.wrong);
    EXPECT_GT(unfound.none, 5);
    identity_fini(&right);
}

TEST_C(IdentityReading, SixtyRunsWithFaultsHaveOneId)
{
    expect_right_or_none(DRIVER);
}

TEST_C(IdentityReading, SixtyRunsOfADriverWithoutBuildIdHaveOneId)
{
    expect_right_or_none(DRIVER_NOBUILDID);
}

static void flip_byte(const char *name, long at)
{
    char path[driver_copy_path_size];
    FILE *file = fopen(driver_copy_path(path, name), "r+b");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(0, fseek(file, at, SEEK_SET));
    const int byte = fgetc(file);
    EXPECT_EQ(0, fseek(file, at, SEEK_SET));
    EXPECT_EQ(byte ^ 1, fputc(byte ^ 1, file));
    EXPECT_EQ(0, fclose(file));
}

/* Of a data file, and of a plugin without a build-id that is larger than what
 * was once read whole. */
TEST_C(IdentityReading, EachByteOfALargeFileCounts)
{
    static const char *const names[] = {
            "share/pocl/large.bc", "lib/pocl/libpocl-devices-b.so"};
    char path[driver_copy_path_size];
    driver_copy_make(DRIVER);
    EXPECT_EQ(
            0, truncate(driver_copy_path(path, "lib/pocl/libpocl-devices-b.so"),
                       3 << 20));
    struct identity before = ids_with(NULL, NULL);
    EXPECT_GT(before.engine.size, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (long at = 1 << 20; at < 3 << 20; at += 700001) {
            flip_byte(names[i], at);
            struct identity x = ids_with(NULL, NULL);
            EXPECT_GT(x.engine.size, 0);
            EXPECT_FALSE(is_same(&before.engine, &x.engine));
            identity_fini(&x);
            flip_byte(names[i], at);
        }
    }
    struct identity again = ids_with(NULL, NULL);
    EXPECT_TRUE(is_same(&before.engine, &again.engine));
    identity_fini(&again);
    identity_fini(&before);
}

/* Objects work (print_ids fails else), the reason names the file and what
 * happened, and the log has it once. */
static void expect_told(
        const char *faults, const char *in, const char *name, const char *what)
{
    struct identity x = ids_with(faults, in);
    EXPECT_EQ(0, x.engine.size);
    EXPECT_EQ(0, x.program.size);
    EXPECT_TRUE(identity_says(&x, "engine_reason", name));
    EXPECT_TRUE(identity_says(&x, "engine_reason", what));
    EXPECT_TRUE(identity_says(&x, "program_reason", name));
    EXPECT_EQ(1, count(x.output, "log1=identity: the device is not cacheable"));
    if (test_has_failed()) printf("%s %s: %s", faults, in, x.output);
    identity_fini(&x);
}

TEST_C(IdentityReading, WhatFailedIsToldOnce)
{
    driver_copy_make(DRIVER_NOBUILDID);
    expect_told("READ_FAULTS=1:1000:e", "READ_FAULTS_IN=small.bc", "small.bc",
            "Input/output error");
    expect_told("READ_FAULTS=1:1000:a", "READ_FAULTS_IN=small.bc", "small.bc",
            "Permission denied");
    expect_told("READ_FAULTS=1:1000:m", "READ_FAULTS_IN=small.bc", "small.bc",
            "Too many open files");
    /* It was there when the directory was read. */
    expect_told("READ_FAULTS=1:1000:n", "READ_FAULTS_IN=small.bc", "small.bc",
            "No such file");
    expect_told("READ_FAULTS=1:1000:a", "READ_FAULTS_IN=devices-a",
            "libpocl-devices-a.so", "Permission denied");
    /* Without /proc nobody knows which file was loaded. */
    expect_told("READ_FAULTS=1:1000:n", "READ_FAULTS_IN=/proc/self/maps",
            "libpocl_fake.so", "No such file");
}

TEST_C(IdentityReading, AnUnreadableDirectoryIsNoEmptyOne)
{
    driver_copy_make(DRIVER);
    char path[driver_copy_path_size];
    expect_told("READ_FAULTS=1:1000:e", "READ_FAULTS_IN=share/pocl/include",
            "pocl", "Input/output error");
    expect_told("READ_FAULTS=1:1000:a", "READ_FAULTS_IN=lib/pocl", "pocl",
            "Permission denied");
    /* One that is not there has nothing for the driver either. */
    EXPECT_EQ(0, unlink(driver_copy_path(path, "share/pocl/include/x.h")));
    EXPECT_EQ(0, rmdir(driver_copy_path(path, "share/pocl/include")));
    struct identity x = ids_with(NULL, NULL);
    EXPECT_GT(x.engine.size, 0);
    identity_fini(&x);
}

/* ---- How often ----------------------------------------------------------- */

enum { most_lines = 4096, path_room = 4200 };

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How many lines of a trace begin so, each once; repeated: how many do again.
 */
static unsigned count_traced(
        char *trace, const char *prefix, unsigned *repeated)
{
    char *lines[most_lines];
    size_t size = 0;
    unsigned once = 0;
    char *rest = NULL;
    for (char *line = strtok_r(trace, "\n", &rest);
            line != NULL && size < most_lines;
            line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, prefix, strlen(prefix)) == 0) lines[size++] = line;
    qsort(lines, size, sizeof *lines, compare_lines);
    *repeated = 0;
    for (size_t i = 0; i < size; i++) {
        const bool is_again = i > 0 && strcmp(lines[i - 1], lines[i]) == 0;
        if (is_again) printf("again: %s\n", lines[i]);
        *repeated += is_again;
        once += !is_again;
    }
    return once;
}

static char *read_text(const char *path)
{
    enum { most_bytes = 1 << 20 };
    char *text = calloc(1, most_bytes);
    FILE *file = fopen(path, "r");
    EXPECT_TRUE(text != NULL && file != NULL);
    if (text == NULL || file == NULL) abort();
    EXPECT_GT(fread(text, 1, most_bytes - 1, file), 0);
    EXPECT_EQ(0, fclose(file));
    return text;
}

/* The calls of a process that makes IDs. */
static char *trace_of_ids(const char *variable)
{
    char option[2 * driver_copy_path_size];
    char path[driver_copy_path_size];
    (void)unlink(driver_copy_path(path, "trace"));
    snprintf(option, sizeof option, "READ_TRACE=%s", path);
    struct identity x = ids_with(option, variable);
    EXPECT_GT(x.engine.size, 0);
    identity_fini(&x);
    return read_text(path);
}

/* Whatever names a file has in the lists of a linker and of what it links. */
TEST_C(IdentityReading, EachFileIsOpenedOnce)
{
    unsigned repeated = 0;
    driver_copy_make(DRIVER);
    char *trace = trace_of_ids(NULL);
    EXPECT_GT(count_traced(trace, "open /", &repeated), 6);
    /* The dynamic linker may be listed in its own cache, too. */
    EXPECT_TRUE(repeated <= 1);
    free(trace);
}

/* A linker has fourteen names in each folder of PATH. */
TEST_C(IdentityReading, NamesOfASmallFolderAreNotLookedUp)
{
    char folder[driver_copy_path_size];
    char prefix[driver_copy_path_size + 8];
    char variable[2 * driver_copy_path_size];
    unsigned repeated = 0;
    driver_copy_make(DRIVER);
    driver_copy_write("share/pocl/ld", "#!", 2); /* may not be run */
    driver_copy_path(folder, "share/pocl");
    snprintf(variable, sizeof variable, "PATH=%s", folder);
    snprintf(prefix, sizeof prefix, "look %s/", folder);
    char *trace = trace_of_ids(variable);
    EXPECT_EQ(1, count_traced(trace, prefix, &repeated)); /* ld itself */
    free(trace);
}

/* A file or folder that no call opens, and that others see. */
static void expect_no_wrong_id_without(
        const char *path, const struct identity *right)
{
    char in[path_room];
    snprintf(in, sizeof in, "READ_FAULTS_IN=%s", path);
    struct identity x = ids_with("READ_FAULTS=1:1000:n", in);
    EXPECT_TRUE(is_right_or_none(&x.engine, &right->engine));
    EXPECT_TRUE(is_right_or_none(&x.program, &right->program));
    if (test_has_failed()) printf("without %s: %s", path, x.output);
    identity_fini(&x);
}

/* Each so many of the paths that are opened. */
static void expect_none_is_missing(unsigned each)
{
    unsigned paths = 0;
    char *rest = NULL;
    driver_copy_make(DRIVER);
    struct identity right = ids_with(NULL, NULL);
    char *trace = trace_of_ids(NULL);
    for (char *line = strtok_r(trace, "\n", &rest);
            line != NULL && !test_has_failed();
            line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "open /", 6) != 0 && strncmp(line, "list /", 6) != 0)
            continue;
        if (paths++ % each == 0) expect_no_wrong_id_without(line + 5, &right);
    }
    EXPECT_GT(paths, 20);
    free(trace);
    identity_fini(&right);
}

TEST_C(IdentityReading, SomeFilesThatAreThereAreNotMissingInAnId)
{
    expect_none_is_missing(16);
}

TEST_C(IdentityReading, NoFileThatIsThereIsMissingInAnId)
{
    expect_none_is_missing(1);
}

/* ---- An update while the driver is in use -------------------------------- */

static struct identity ids_with_replaced(
        const char *name, const char *const *environment)
{
    struct identity x;
    char path[driver_copy_path_size];
    char argument[2 * driver_copy_path_size];
    snprintf(argument, sizeof argument, "replace=%s",
            driver_copy_path(path, name));
    const char *const arguments[] = {argument, NULL};
    identity_init(&x, environment, arguments);
    return x;
}

TEST_C(IdentityReading, ALoadedDriverIsNotTheFileThatReplacedIt)
{
    driver_copy_make(DRIVER_NOBUILDID);
    const char *const environment[] = {driver_copy_vendors(), NULL};
    driver_copy_add(
            "lib/libpocl_fake.so.new", DRIVER_NOBUILDID, "one byte more");
    struct identity x = ids_with_replaced("lib/libpocl_fake.so", environment);
    EXPECT_EQ(0, x.engine.size);
    EXPECT_TRUE(identity_says(&x, "engine_reason", "changed while"));
    identity_fini(&x);
    /* The next process has the new one. */
    x = ids_with(NULL, NULL);
    EXPECT_GT(x.engine.size, 0);
    identity_fini(&x);
}

/* Its build-id is in memory. */
TEST_C(IdentityReading, ALoadedDriverWithABuildIdStaysWhatItIs)
{
    driver_copy_make(DRIVER);
    const char *const environment[] = {driver_copy_vendors(), NULL};
    struct identity before = ids_with(NULL, NULL);
    driver_copy_add("lib/libpocl_fake.so.new", DRIVER_NOBUILDID, "");
    struct identity x = ids_with_replaced("lib/libpocl_fake.so", environment);
    EXPECT_GT(x.engine.size, 0);
    EXPECT_TRUE(is_same(&before.engine, &x.engine));
    identity_fini(&before);
    identity_fini(&x);
}

TEST_C(IdentityReading, ALoadedPluginIsNotTheFileThatReplacedIt)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP_TEST("nothing comes before a sanitizer's library");
#else
    char preload[2 * driver_copy_path_size];
    char path[driver_copy_path_size];
    driver_copy_make(DRIVER);
    struct identity before = ids_with(NULL, NULL);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s",
            driver_copy_path(path, "lib/pocl/libpocl-devices-a.so"));
    struct identity loaded = ids_with(preload, NULL);
    EXPECT_TRUE(is_same(&before.engine, &loaded.engine));
    const char *const environment[] = {driver_copy_vendors(), preload, NULL};
    driver_copy_add("lib/pocl/libpocl-devices-a.so.new", OTHER_PLUGIN, "");
    struct identity x =
            ids_with_replaced("lib/pocl/libpocl-devices-a.so", environment);
    EXPECT_EQ(0, x.engine.size);
    EXPECT_TRUE(identity_says(&x, "engine_reason", "changed while"));
    identity_fini(&before);
    identity_fini(&loaded);
    identity_fini(&x);
#endif
}
