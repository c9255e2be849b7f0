/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers that are moved: what was compiled in one place is found in another,
 * and says nothing of the first; what may see the place is compiled in each.
 */
#include "header_runs.h"
#include "test.h"
#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char source[] = "#include <value.h>\n"
                             "kernel void get(global int *out)\n"
                             "{ *out = VALUE; }\n";

static void put(const char *folder, const char *header)
{
    char path[path_size];
    path_of(path, folder);
    (void)mkdir(path, 0700);
    strncat(path, "/value.h", sizeof path - strlen(path) - 1);
    FILE *out = fopen(path, "we");
    ASSERT_NOT_NULL(out);
    (void)fputs(header, out);
    ASSERT_EQ(0, fclose(out));
}

/* "-I" and the folder's path. */
static void name(char options[path_size + 8], const char *folder)
{
    char path[path_size];
    path_of(path, folder);
    snprintf(options, path_size + 8, "-I %s", path);
}

static struct run run_in(
        const char *folder, const char *header, const char *command)
{
    char options[path_size + 8];
    put(folder, header);
    name(options, folder);
    return run_under(
            LAYER, (const char *const[]){command, options, source, NULL});
}

#define EXPECT_COUNTS(missing, found, new, run)                       \
    do {                                                              \
        EXPECT_EQ(missing, count_of(&(run), "misses_by", "missing")); \
        EXPECT_EQ(found, count_of(&(run), NULL, "hits"));             \
        EXPECT_EQ(new, count_of(&(run), NULL, "kept"));               \
    } while (0)

/* Of other drivers not all folders are known that they search. */
#define SKIP_UNLESS_MOVED()                                            \
    do {                                                               \
        if (strstr("Portable Computing Language rusticl",              \
                    test_platform_name())                              \
                == NULL)                                               \
            SKIP_TEST("the driver may have headers in other folders"); \
    } while (0)

/* True if the folder is named, and the other is not. */
static bool names_only(
        const struct run *run, const char *folder, const char *other)
{
    char path[path_size];
    path_of(path, folder);
    const bool names = strstr(run->printed, path) != NULL;
    path_of(path, other);
    return names && strstr(run->printed, path) == NULL;
}

TEST_C(LayerMoves, TheSameElsewhereIsAHit)
{
    static const char header[] = "#define VALUE 1\n";
    SKIP_UNLESS_MOVED();
    const struct run cold = run_in("one", header, "tell");
    EXPECT_COUNTS(1, 0, 1, cold);
    const struct run warm = run_in("other", header, "tell");
    EXPECT_COUNTS(0, 1, 0, warm);
    EXPECT_EQ(0, strncmp(warm.printed, "1\n", 2));
    EXPECT_TRUE(names_only(&cold, "one", "other"));
    EXPECT_TRUE(names_only(&warm, "other", "one"));
    const struct run changed = run_in("third", "#define VALUE 2\n", "build");
    EXPECT_STR_EQ("2\n", changed.printed);
    EXPECT_COUNTS(1, 0, 1, changed);
}

/* Headers that are programs, which include files along -I, and are hidden by
 * some, or hide them. */
TEST_C(LayerMoves, HeadersThatAreProgramsAreAHit)
{
    static const char object[] = "#include \"a.h\"\n"
                                 "kernel void get(global int *out)\n"
                                 "{ *out = VALUE + MORE; }\n";
    static const char *const texts[] = {"#include <value.h>\n#define MORE 10\n",
            "#include <value.h>\n#define MORE 20\n",
            "#include <value.h>\n#define MORE (sizeof __FILE__ > 999)\n"};
    char one[path_size + 8];
    char other[path_size + 8];
    SKIP_UNLESS_MOVED();
    put("one", "#define VALUE 1\n");
    put("other", "#define VALUE 1\n");
    name(one, "one");
    name(other, "other");
    for (size_t i = 0; i < 3; i++) {
        const bool moves = i < 2; /* the last one may see where it is */
        const struct run cold =
                run_under(LAYER, (const char *const[]){"embed", "a.h", texts[i],
                                         "compile", one, object, NULL});
        EXPECT_COUNTS(2, 0, 2, cold);
        const struct run warm =
                run_under(LAYER, (const char *const[]){"embed", "a.h", texts[i],
                                         "compile", other, object, NULL});
        EXPECT_COUNTS(moves ? 0 : 2, moves ? 2 : 0, moves ? 0 : 2, warm);
        EXPECT_STR_EQ(cold.printed, warm.printed);
    }
    /* A file of the header's name is in one folder alone. */
    put("other/a.h", "");
    char path[path_size];
    path_of(path, "other/a.h/value.h");
    (void)remove(path);
    path_of(path, "other/a.h");
    (void)remove(path);
    FILE *out = fopen(path, "we");
    ASSERT_NOT_NULL(out);
    (void)fputs("#define VALUE 5\n#define MORE 0\n", out);
    ASSERT_EQ(0, fclose(out));
    const char *const commands[] = {
            "embed", "a.h", texts[0], "compile", other, object, NULL};
    const struct run alone = run_under("", commands);
    const struct run changed = run_under(LAYER, commands);
    EXPECT_STR_EQ(alone.printed, changed.printed);
    EXPECT_COUNTS(2, 0, 2, changed);
}

/* The log of the build names the folder. */
TEST_C(LayerMoves, TheLogIsThatOfThePlace)
{
    static const char header[] = "static int f(int a) { return a / 0; }\n"
                                 "#define VALUE 1\n";
    SKIP_UNLESS_MOVED();
    const struct run cold = run_in("one", header, "tell");
    const struct run warm = run_in("other", header, "tell");
    EXPECT_COUNTS(1, 0, 1, cold);
    EXPECT_COUNTS(0, 1, 0, warm);
    if (strstr(cold.printed, "one/value.h:1:") == NULL)
        SKIP_TEST("the driver does not tell warnings");
    EXPECT_NOT_NULL(strstr(warm.printed, "other/value.h:1:"));
    EXPECT_TRUE(names_only(&cold, "one", "other"));
    EXPECT_TRUE(names_only(&warm, "other", "one"));
}

/* The first build waits for its capture when the second comes. */
TEST_C(LayerMoves, AProgramThatIsBuiltAtTwoPlacesIsOfTheSecond)
{
    static const char header[] = "#define VALUE 1\n";
    char one[path_size + 8];
    char other[path_size + 8];
    SKIP_UNLESS_MOVED();
    put("one", header);
    put("other", header);
    name(one, "one");
    name(other, "other");
    const struct run run = run_under(
            LAYER, (const char *const[]){"twice", one, other, source, NULL});
    EXPECT_EQ(0, strncmp(run.printed, "1\n", 2));
    EXPECT_TRUE(names_only(&run, "other", "one"));
}

/* An application asks for the options that it gave. */
TEST_C(LayerMoves, TheOptionsAreAsTheyWereGiven)
{
    static const char header[] = "#define VALUE 1\n";
    char options[path_size + 8];
    SKIP_UNLESS_MOVED();
    const struct run cold = run_in("one", header, "tell");
    EXPECT_COUNTS(1, 0, 1, cold);
    name(options, "one");
    strncat(options, "//", sizeof options - strlen(options) - 1);
    const struct run slashes = run_under(
            LAYER, (const char *const[]){"tell", options, source, NULL});
    EXPECT_NOT_NULL(strstr(slashes.printed, "one//"));
}

TEST_C(LayerMoves, WhatMaySeeThePlaceIsCompiledInEach)
{
    static const char header[] =
            "static int f(void) { return sizeof __FILE__; }\n"
            "#define VALUE f()\n";
    SKIP_UNLESS_MOVED();
    const struct run one = run_in("one", header, "build");
    const struct run other = run_in("other", header, "build");
    const struct run again = run_in("one", header, "build");
    EXPECT_COUNTS(1, 0, 1, one);
    EXPECT_COUNTS(1, 0, 1, other);
    EXPECT_COUNTS(0, 1, 0, again);
    EXPECT_TRUE(strcmp(one.printed, other.printed) != 0);
    EXPECT_STR_EQ(one.printed, again.printed);
}
