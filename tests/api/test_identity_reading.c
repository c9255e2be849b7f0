/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read of a driver's files: an ID is the right one or there is none,
 * whatever fails meanwhile. The driver is a copy of the fake one with a name,
 * plugins and data files like PoCL's, so that all of them count.
 */
#include "identity_process.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { text_size = 600 };

/* The copy's place, and what finds it. */
static char vendors[text_size];

static const char *in_driver(char path[text_size], const char *name)
{
    snprintf(path, text_size, "%.300s/%s", test_directory(), name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[text_size];
    FILE *file = fopen(in_driver(path, name), "wb");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(size, fwrite(bytes, 1, size, file));
    EXPECT_EQ(0, fclose(file));
}

static void copy_file(const char *name, const char *from, const char *extra)
{
    char command[3 * text_size];
    char path[text_size];
    snprintf(command, sizeof command, "cp '%s' '%s' && printf '%s' >> '%s'",
            from, in_driver(path, name), extra, path);
    EXPECT_EQ(0, system(command));
}

static void make_driver(const char *driver)
{
    static const char *const folders[] = {
            "lib", "lib/pocl", "share", "share/pocl", "share/pocl/include"};
    char path[text_size];
    char *bytes = malloc(3 << 20);
    ASSERT_NOT_NULL(bytes);
    memset(bytes, 'b', 3 << 20);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        EXPECT_EQ(0, mkdir(in_driver(path, folders[i]), 0700));
    copy_file("lib/libpocl_fake.so", driver, "");
    copy_file("lib/pocl/libpocl-devices-a.so", PLUGIN, "");
    copy_file("lib/pocl/libpocl-devices-b.so", DRIVER_NOBUILDID, "");
    write_file("share/pocl/large.bc", bytes, 3 << 20);
    write_file("share/pocl/small.bc", bytes, 100);
    write_file("share/pocl/empty.bc", bytes, 0);
    write_file("share/pocl/include/x.h", bytes, 5000);
    free(bytes);
    EXPECT_EQ(0, symlink("nowhere", in_driver(path, "share/pocl/link.bc")));
    snprintf(path, sizeof path, "%.300s/lib/libpocl_fake.so\n",
            test_directory());
    write_file("fake.icd", path, strlen(path));
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%.300s",
            test_directory());
}

/* The IDs with a variable, or two; NULL: none. */
static struct identity ids_with(const char *variable, const char *other)
{
    struct identity x;
    const char *const environment[] = {
            vendors, variable != NULL ? variable : other, other, NULL};
    const char *const plain[] = {vendors, NULL};
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
    static const unsigned percents[] = {1, 1, 4, 20};
    struct tally tally = {0};
    for (unsigned i = 0; i < runs; i++) {
        char variable[64];
        snprintf(variable, sizeof variable, "READ_FAULTS=%u:%u:%s", i + 1,
                percents[i % 4], kinds);
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
    make_driver(driver);
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
    make_driver(DRIVER_NOBUILDID);
    expect_told("READ_FAULTS=1:100:e", "READ_FAULTS_IN=small.bc", "small.bc",
            "Input/output error");
    expect_told("READ_FAULTS=1:100:a", "READ_FAULTS_IN=small.bc", "small.bc",
            "Permission denied");
    expect_told("READ_FAULTS=1:100:m", "READ_FAULTS_IN=small.bc", "small.bc",
            "Too many open files");
    /* It was there when the directory was read. */
    expect_told("READ_FAULTS=1:100:n", "READ_FAULTS_IN=small.bc", "small.bc",
            "No such file");
    expect_told("READ_FAULTS=1:100:a", "READ_FAULTS_IN=devices-a",
            "libpocl-devices-a.so", "Permission denied");
    /* Without /proc nobody knows which file was loaded. */
    expect_told("READ_FAULTS=1:100:n", "READ_FAULTS_IN=/proc/self/maps",
            "libpocl_fake.so", "No such file");
}

TEST_C(IdentityReading, AnUnreadableDirectoryIsNoEmptyOne)
{
    make_driver(DRIVER);
    char path[text_size];
    expect_told("READ_FAULTS=1:100:e", "READ_FAULTS_IN=share/pocl/include",
            "pocl", "Input/output error");
    expect_told("READ_FAULTS=1:100:a", "READ_FAULTS_IN=lib/pocl", "pocl",
            "Permission denied");
    /* One that is not there has nothing for the driver either. */
    EXPECT_EQ(0, unlink(in_driver(path, "share/pocl/include/x.h")));
    EXPECT_EQ(0, rmdir(in_driver(path, "share/pocl/include")));
    struct identity x = ids_with(NULL, NULL);
    EXPECT_GT(x.engine.size, 0);
    identity_fini(&x);
}

/* ---- An update while the driver is in use -------------------------------- */

static struct identity ids_with_replaced(
        const char *name, const char *const *environment)
{
    struct identity x;
    char path[text_size];
    char argument[2 * text_size];
    snprintf(argument, sizeof argument, "replace=%s", in_driver(path, name));
    const char *const arguments[] = {argument, NULL};
    identity_init(&x, environment, arguments);
    return x;
}

TEST_C(IdentityReading, ALoadedDriverIsNotTheFileThatReplacedIt)
{
    make_driver(DRIVER_NOBUILDID);
    const char *const environment[] = {vendors, NULL};
    copy_file("lib/libpocl_fake.so.new", DRIVER_NOBUILDID, "one byte more");
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
    make_driver(DRIVER);
    const char *const environment[] = {vendors, NULL};
    struct identity before = ids_with(NULL, NULL);
    copy_file("lib/libpocl_fake.so.new", DRIVER_NOBUILDID, "");
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
    char preload[2 * text_size];
    char path[text_size];
    make_driver(DRIVER);
    struct identity before = ids_with(NULL, NULL);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s",
            in_driver(path, "lib/pocl/libpocl-devices-a.so"));
    struct identity loaded = ids_with(preload, NULL);
    EXPECT_TRUE(is_same(&before.engine, &loaded.engine));
    const char *const environment[] = {vendors, preload, NULL};
    copy_file("lib/pocl/libpocl-devices-a.so.new", OTHER_PLUGIN, "");
    struct identity x =
            ids_with_replaced("lib/pocl/libpocl-devices-a.so", environment);
    EXPECT_EQ(0, x.engine.size);
    EXPECT_TRUE(identity_says(&x, "engine_reason", "changed while"));
    identity_fini(&before);
    identity_fini(&loaded);
    identity_fini(&x);
#endif
}
