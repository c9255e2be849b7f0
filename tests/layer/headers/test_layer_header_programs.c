/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers that are programs: a pipeline of them is compiled once, and a change
 * of one, wherever it is, has the effect that it has without the layer. Drivers
 * differ in which header or file is read: each is asked, without the layer.
 */
#include "header_runs.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char source[] = "#include \"a.h\"\n"
                             "kernel void get(global int *out)\n"
                             "{ *out = VALUE; }\n";

#define A "embed", "a.h", "#include \"s/b.h\"\n#define VALUE (NUMBER + B)\n"
#define B "embed", "s/b.h", "#include \"c.h\"\n#define B 100\n"
#define C(n) "embed", "s/c.h", "#define NUMBER " #n "\n"
#define NO_HEADERS "embed", "", ""
#define COMPILE "compile", "-I inc", source

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define RUN(...) run_under(LAYER, LIST(__VA_ARGS__))

TEST_C(LayerHeaderPrograms, AreCompiledInTheFirstProcessAlone)
{
    const struct run cold = RUN(A, B, C(1), COMPILE);
    EXPECT_STR_EQ("101\n", cold.printed);
    EXPECT_EQ(2, count_of(&cold, NULL, "kept"));

    const struct run warm = RUN(A, B, C(1), COMPILE);
    EXPECT_STR_EQ("101\n", warm.printed);
    EXPECT_EQ(0, count_of(&warm, NULL, "misses"));
    EXPECT_EQ(2, count_of(&warm, NULL, "hits"));
}

/* What it prints without the layer, with an empty store of a driver's, and with
 * what all steps before have kept. */
static void expect_same(const char *const *commands)
{
    const struct run alone = run_under("", commands);
    const struct run under = run_under(LAYER, commands);
    EXPECT_STR_EQ(alone.printed, under.printed);
    const struct run again = run_under(LAYER, commands);
    EXPECT_STR_EQ(alone.printed, again.printed);
}

TEST_C(LayerHeaderPrograms, ChangesTakeEffectWhereverTheyAre)
{
    char path[path_size];
    const char *const folders[] = {"inc", "inc/s", "s"};
    for (size_t i = 0; i < 3; i++) {
        path_of(path, folders[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
    }
    expect_same(LIST(A, B, C(1), COMPILE));
    expect_same(LIST(A, B, C(2), COMPILE));
    expect_same(LIST(C(1), A, B, COMPILE));
    /* One of two that have a name. */
    expect_same(LIST(A, B, C(3), C(4), COMPILE));
    expect_same(LIST(A, B, C(4), C(3), COMPILE));
    /* Not beside the header that includes it, and both. */
    expect_same(LIST(A, B, "embed", "c.h", "#define NUMBER 5\n", COMPILE));
    expect_same(
            LIST(A, B, C(1), "embed", "c.h", "#define NUMBER 5\n", COMPILE));
    /* None. */
    expect_same(LIST(A, B, COMPILE));
    expect_same(LIST(A, B, C(1), COMPILE, NO_HEADERS, COMPILE));
}

/* Files that hide headers, or are hidden by them, come and go. */
TEST_C(LayerHeaderPrograms, FilesOfTheirNamesTakeEffect)
{
    static const char *const files[] = {
            "c.h", "s/c.h", "inc/c.h", "inc/s/c.h", "inc/s/b.h", "a.h"};
    char path[path_size];
    const char *const folders[] = {"inc", "inc/s", "s"};
    for (size_t i = 0; i < 3; i++) {
        path_of(path, folders[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
    }
    expect_same(LIST(A, B, C(1), COMPILE));
    expect_same(LIST(A, B, COMPILE));
    const uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!is_in_sample(i, seed)) continue;
        const char *text =
                "#define NUMBER 7\n#define B 200\n#define VALUE (NUMBER + 1)\n";
        expect_same(LIST("write", files[i], text, A, B, C(1), COMPILE));
        expect_same(LIST(A, B, COMPILE));
        (void)run_under("", LIST("remove", files[i]));
        expect_same(LIST(A, B, C(1), COMPILE, NO_HEADERS, A, B, COMPILE));
    }
}

/* No driver is asked what it makes of a name that leads out of its folders, and
 * what it does make is not kept. */
TEST_C(LayerHeaderPrograms, NamesThatLeadElsewhereAreNotKept)
{
    const struct run up = RUN("embed", "a.h", "#include \"../up.h\"\n", "embed",
            "up.h", "#define VALUE 1\n", COMPILE);
    EXPECT_EQ(0, count_of(&up, NULL, "kept"));
    EXPECT_EQ(1, count_of(&up, "misses_by", "includes"));
    const struct run name = RUN("embed", "b/../a.h", "#define VALUE 1\n",
            "embed", "a.h", "#define VALUE 2\n", COMPILE);
    EXPECT_EQ(0, count_of(&name, NULL, "kept"));
    EXPECT_EQ(1, count_of(&name, "misses_by", "includes"));
}
