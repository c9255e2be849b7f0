/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a compiler reads in ways that are easily missed: each is changed
 * between two runs, and the second must answer as the driver does by itself. So
 * must an application that changes variables while it runs.
 */
#include "header_runs.h"
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { most_commands = 100 };

#define GET "\nkernel void get(global int *out) { *out = X; }\n"
#define NAME "-DS(x)=#x -DT(x)=S(x) -DNAME=T(cl_khr_fp64.h)"

/* What the builds of this file do, one after the other. */
static const struct {
    const char *options;
    const char *source;
} builds[] = {
        /* A raw line, where the scan of a source saw a comment begin. */
        {"", "#pragma mark /*\n#include \"mark.h\"\n/**/" GET},
        /* A file by two names, which is left out the second time. */
        {"", "#include \"one/once.h\"\n#include \"two/once.h\"" GET},
        /* A macro of the driver's in a name. */
        {NAME, "#include NAME" GET},
        /* Folders that only the environment names. */
        {"", "#include <nodot>" GET},
        /* The folder of PoCL's copy of the source. */
        {"", "#include \"beside.h\"" GET},
        /* An option that reads a file. */
        {"-foverride-record-layout=layout", "struct s { char c; int i; };\n"
                                            "kernel void get(global int *out) "
                                            "{ *out = sizeof(struct s); }"},
        /* A file that is missing where nothing reads it. */
        {"", "#ifndef __OPENCL_VERSION__\n#include \"none.h\"\n#endif\n"
             "#define X 1" GET},
};

enum { build_count = sizeof builds / sizeof *builds };

struct commands {
    size_t count;
    const char *list[most_commands];
};

static void add(struct commands *c, const char *a, const char *b, const char *d)
{
    const char *const words[] = {a, b, d};
    for (size_t i = 0; i < 3; i++)
        if (words[i] != NULL && c->count < most_commands - 1)
            c->list[c->count++] = words[i];
}

/* Begins with files whose value is a number, in the folder that the driver's
 * cache of the next run has, too. */
static void add_files(struct commands *c, const char *text)
{
    static char beside[64];
    char path[path_size];
    name_driver_cache(beside);
    path_of(path, beside);
    EXPECT_EQ(0, mkdir(path, 0700));
    strcat(beside, "/beside.h");
    add(c, "write", "mark.h", text);
    add(c, "write", "1.h", text);
    add(c, "write", "cl_khr_fp64.h", text);
    add(c, "write", "extra/nodot", text);
    add(c, "write", beside, text);
}

static void add_builds(struct commands *c)
{
    for (size_t i = 0; i < build_count; i++)
        add(c, "build", builds[i].options, builds[i].source);
}

static void make_folders(void)
{
    static const char *const folders[] = {"one", "two", "extra"};
    char path[path_size];
    for (size_t i = 0; i < 3; i++) {
        path_of(path, folders[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
    }
}

static const char once[] = "#pragma once\n#ifndef X\n#define X 1\n#else\n"
                           "#undef X\n#define X 2\n#endif\n";

static const char layout[] =
        "*** Dumping AST Record Layout\nType: struct s\n\n"
        "Layout: <ASTRecordLayout\n  Size:128\n  Alignment:32\n"
        "  FieldOffsets: [0, 32]>\n";

TEST_C(LayerHeaders, AreReadHoweverTheyAreReached)
{
    struct commands first = {0};
    struct commands bare = {0};
    struct commands second = {0};
    make_folders();
    setenv("POCL_EXTRA_BUILD_FLAGS", "-Iextra", 1);
    setenv("OCLGRIND_BUILD_OPTIONS", "-Iextra", 1);

    add_files(&first, "#define X 1\n");
    add(&first, "write", "one/once.h", once);
    add(&first, "link", "one/once.h", "two/once.h");
    add(&first, "write", "layout", "");
    add_builds(&first);
    const struct run before = run_under(LAYER, first.list);

    add_files(&bare, "#define X 2\n");
    add(&bare, "remove", "two/once.h", NULL);
    add(&bare, "write", "two/once.h", once);
    add(&bare, "write", "layout", layout);
    add_builds(&bare);
    const struct run truth = run_under("", bare.list);
    EXPECT_FALSE(strcmp(before.printed, truth.printed) == 0);

    add_files(&second, "#define X 2\n");
    add_builds(&second);
    const struct run after = run_under(LAYER, second.list);
    EXPECT_STR_EQ(truth.printed, after.printed);

    /* What can be told is kept: it is found if nothing changes. */
    struct commands third = {0};
    add_files(&third, "#define X 2\n");
    add_builds(&third);
    const struct run again = run_under(LAYER, third.list);
    EXPECT_STR_EQ(truth.printed, again.printed);
    EXPECT_EQ(count_of(&after, NULL, "hits") + count_of(&after, NULL, "kept"),
            count_of(&again, NULL, "hits"));
    EXPECT_TRUE(count_of(&again, NULL, "hits") >= 1);
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
    unsetenv("OCLGRIND_BUILD_OPTIONS");
}

/* ---- Variables ----------------------------------------------------------- */

#define DEFINED_OR_0                   \
    "#ifndef X\n#define X 0\n#endif\n" \
    "kernel void get(global int *out) { *out = X; }\n"
#define BESIDE "#include \"beside.h\"" GET

static void add_first(struct commands *c)
{
    add(c, "build", "", DEFINED_OR_0);
    add(c, "build", "", BESIDE);
}

/* Each source once with the first values of the variables, once with others,
 * and once with the first ones again. */
static void add_changes(struct commands *c, const char *folder)
{
    static const char *const values[] = {"-DX=2", "-DX=1"};
    add_first(c);
    for (size_t i = 0; i < 2; i++) {
        add(c, "setenv", "POCL_EXTRA_BUILD_FLAGS", values[i]);
        add(c, "setenv", "OCLGRIND_BUILD_OPTIONS", values[i]);
        if (i == 0) add(c, "setenv", "POCL_CACHE_DIR", folder);
        add_first(c);
    }
}

/* Files beside the driver's copy of a source: in its cache's folder of this
 * run, and in another one. */
static void add_folders(struct commands *c)
{
    static char beside[64];
    char path[path_size];
    name_driver_cache(beside);
    path_of(path, beside);
    EXPECT_EQ(0, mkdir(path, 0700));
    strcat(beside, "/beside.h");
    add(c, "write", beside, "#define X 3\n");
    add(c, "write", "other/beside.h", "#define X 4\n");
    add(c, "write", "beside.h", "#define X 5\n");
}

static struct run run_with_changes(const char *layers)
{
    static char folder[path_size];
    struct commands commands = {0};
    path_of(folder, "other");
    add_folders(&commands);
    add_changes(&commands, folder);
    return run_under(layers, commands.list);
}

static struct run run_without_changes(void)
{
    struct commands commands = {0};
    add_folders(&commands);
    add_first(&commands);
    return run_under(LAYER, commands.list);
}

/* The store has what the driver makes of the first values. Nothing of that is
 * taken for what it makes of others, and nothing of those is kept. */
TEST_C(LayerHeaders, AreTheDriversWhenVariablesChange)
{
    char path[path_size];
    path_of(path, "other");
    ASSERT_EQ(0, mkdir(path, 0700));
    setenv("POCL_EXTRA_BUILD_FLAGS", "-DX=1", 1);
    setenv("OCLGRIND_BUILD_OPTIONS", "-DX=1", 1);
    const struct run before = run_without_changes();
    const struct run truth = run_with_changes("");
    const struct run run = run_with_changes(LAYER);
    EXPECT_STR_EQ(truth.printed, run.printed);
    EXPECT_EQ(count_of(&before, NULL, "kept"), count_of(&run, NULL, "hits"));
    EXPECT_EQ(4, count_of(&run, "misses_by", "environment"));
    EXPECT_EQ(0, count_of(&run, NULL, "kept"));
    const struct run after = run_without_changes();
    EXPECT_STR_EQ(before.printed, after.printed);
    EXPECT_EQ(count_of(&before, NULL, "kept"), count_of(&after, NULL, "hits"));
    EXPECT_TRUE(count_of(&after, NULL, "hits") >= 1);
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
    unsetenv("OCLGRIND_BUILD_OPTIONS");
}
