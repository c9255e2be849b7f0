/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edited headers take effect under the layer, in the process that compiled them
 * and in the next ones, and what was compiled once is not compiled again.
 */
#include "header_runs.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Programs ------------------------------------------------------------ */

static const char by_name[] = "#include \"value.h\"\n"
                              "kernel void get(global int *out)\n"
                              "{ *out = VALUE; }\n";

static const char by_macro[] = "#define WHERE \"value.h\"\n"
                               "#include WHERE\n"
                               "kernel void get(global int *out)\n"
                               "{ *out = VALUE; }\n";

static const char by_option[] = "kernel void get(global int *out)\n"
                                "{ *out = VALUE; }\n";

/* A folder that is empty at first, one with a header that includes another. */
static const char options[] = "-I first -Isecond";

#define NUMBER(n) "write", "second/sub/number.h", "#define NUMBER " #n "\n"
#define BUILD "build", options, by_name
#define COMPILE "compile", options, by_name

static void make_headers(void)
{
    static const char *const folders[] = {"first", "second", "second/sub"};
    char path[path_size];
    for (size_t i = 0; i < 3; i++) {
        path_of(path, folders[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
    }
    path_of(path, "second/value.h");
    FILE *out = fopen(path, "we");
    ASSERT_NOT_NULL(out);
    (void)fputs("#include \"sub/number.h\"\n#define VALUE NUMBER\n", out);
    ASSERT_EQ(0, fclose(out));
}

#define RUN(...) run_under(LAYER, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_EDITED(...) \
    run_under(EDIT_LAYER ":" LAYER, (const char *const[]){__VA_ARGS__, NULL})

#define EXPECT_PRINTS(text, run) EXPECT_STR_EQ(text, (run).printed)

/* Compilations, hits, programs kept. */
#define EXPECT_COUNTS(missing, found, new, run)                       \
    do {                                                              \
        EXPECT_EQ(missing, count_of(&(run), "misses_by", "missing")); \
        EXPECT_EQ(found, count_of(&(run), NULL, "hits"));             \
        EXPECT_EQ(new, count_of(&(run), NULL, "kept"));               \
    } while (0)

TEST_C(LayerHeaders, EditsTakeEffectAndUnchangedOnesAreHits)
{
    make_headers();
    const struct run cold = RUN(NUMBER(1), BUILD, NUMBER(2), BUILD);
    EXPECT_PRINTS("1\n2\n", cold);
    EXPECT_COUNTS(2, 0, 2, cold);

    const struct run warm = RUN(BUILD, NUMBER(1), BUILD, "write",
            "first/value.h", "#define VALUE 3\n", BUILD);
    EXPECT_PRINTS("2\n1\n3\n", warm);
    EXPECT_COUNTS(1, 2, 1, warm);

    /* A header in an earlier folder, and without it again. */
    const struct run shadowed = RUN(BUILD, "remove", "first/value.h", BUILD);
    EXPECT_PRINTS("3\n1\n", shadowed);
    EXPECT_COUNTS(0, 2, 0, shadowed);

    /* The working directory comes before all folders, then. */
    const struct run local =
            RUN("write", "value.h", "#define VALUE 4\n", BUILD);
    EXPECT_PRINTS("4\n", local);
    EXPECT_COUNTS(1, 0, 1, local);
}

/* What the shell prints of a command in the test's directory, in which $T is
 * dnnl-cache. */
static void tell(char *text, size_t size, const char *command)
{
    char line[2 * path_size];
    (void)snprintf(line, sizeof line, "cd '%s' && T='%s --store store' && %s",
            test_directory(), TOOL, command);
    FILE *in = popen(line, "r");
    ASSERT_NOT_NULL(in);
    text[fread(text, 1, size - 1, in)] = '\0';
    (void)pclose(in);
}

/* A header two folders down, by its name in the one that includes it. */
TEST_C(LayerHeaders, AreNamedByWhy)
{
    char text[4096];
    make_headers();
    const struct run run = RUN(NUMBER(1), BUILD, NUMBER(2), BUILD);
    EXPECT_COUNTS(2, 0, 2, run);
    tell(text, sizeof text, "$T why $($T list | awk 'NR == 2 { print $1 }')");
    if (strstr(text, "included files that differ:\n"
                     "  sub/number.h: other content\n")
            == NULL)
        test_fail(__FILE__, __LINE__, "not named: %s", text);
    EXPECT_NULL(strstr(text, "value.h"));
    /* The layer also keeps of which files the driver is made, and not where. */
    tell(text, sizeof text, "cat store/layer/drivers");
    EXPECT_EQ(strcmp(LAYER, "library") != 0, strstr(text, ".so") != NULL);
    EXPECT_NULL(strstr(text, " /"));
}

TEST_C(LayerHeaders, NamesByMacroAreNeverKept)
{
    make_headers();
    const struct run run = RUN(NUMBER(1), "build", options, by_macro, NUMBER(2),
            "build", options, by_macro);
    EXPECT_PRINTS("1\n2\n", run);
    EXPECT_EQ(2, count_of(&run, "misses_by", "includes"));
    EXPECT_COUNTS(0, 0, 0, run);
}

/* Not every driver knows the option; then it stays an error. */
TEST_C(LayerHeaders, IncludesOfOptionsAreFollowed)
{
    static const char with_include[] = "-Isecond -include value.h";
    make_headers();
    const struct run cold = RUN(NUMBER(1), "build", with_include, by_option);
    const struct run warm = RUN("build", with_include, by_option, NUMBER(2),
            "build", with_include, by_option);
    if (strncmp(cold.printed, "error", 5) == 0) {
        char twice[2 * sizeof cold.printed];
        snprintf(twice, sizeof twice, "%s%s", cold.printed, cold.printed);
        EXPECT_PRINTS(twice, warm);
        EXPECT_EQ(0, count_of(&cold, NULL, "kept"));
        return;
    }
    EXPECT_PRINTS("1\n", cold);
    EXPECT_COUNTS(1, 0, 1, cold);
    EXPECT_PRINTS("1\n2\n", warm);
    EXPECT_COUNTS(1, 1, 1, warm);
}

/* The layer saw 1, the compiler read 2: nothing may be kept by the name of 1.
 */
TEST_C(LayerHeaders, EditsDuringABuildAreNoticed)
{
    make_headers();
    char path[path_size];
    path_of(path, "second/sub/number.h");
    setenv("EDIT_LAYER_FILE", path, 1);
    setenv("EDIT_LAYER_TEXT", "#define NUMBER 2\n", 1);
    const struct run edited = RUN_EDITED(NUMBER(1), BUILD);
    EXPECT_PRINTS("2\n", edited);
    EXPECT_EQ(1, count_of(&edited, "not_kept_by", "includes"));
    EXPECT_COUNTS(1, 0, 0, edited);

    const struct run after = RUN(NUMBER(1), BUILD);
    EXPECT_PRINTS("1\n", after);
    EXPECT_COUNTS(1, 0, 1, after);
}

/* Nor of what is linked of it. */
TEST_C(LayerHeaders, EditsDuringACompilationAreNoticedByLinks)
{
    make_headers();
    char path[path_size];
    path_of(path, "second/sub/number.h");
    setenv("EDIT_LAYER_FILE", path, 1);
    setenv("EDIT_LAYER_TEXT", "#define NUMBER 2\n", 1);
    const struct run edited = RUN_EDITED(NUMBER(1), COMPILE);
    EXPECT_PRINTS("2\n", edited);
    EXPECT_EQ(0, count_of(&edited, NULL, "kept"));
    unsetenv("EDIT_LAYER_FILE");

    const struct run after = RUN(NUMBER(1), COMPILE);
    EXPECT_PRINTS("1\n", after);
    EXPECT_EQ(0, count_of(&after, NULL, "hits"));
    const struct run again = RUN(NUMBER(1), COMPILE);
    EXPECT_PRINTS("1\n", again);
}

/* A file, or a folder with other ones, that is there only while the driver
 * compiles: afterwards all is as it was before. */
TEST_C(LayerHeaders, ThatAreThereForAWhileAreNoticed)
{
    static const char source[] = "#include \"number.h\"\n"
                                 "kernel void get(global int *out) "
                                 "{ *out = NUMBER; }";
    static const char early[] = "-I early -I late";
    char path[path_size];
    char other[path_size];
    const char *const folders[] = {"early", "late", "other"};
    for (size_t i = 0; i < 3; i++) {
        path_of(path, folders[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
    }
    path_of(path, "early/number.h");
    setenv("EDIT_LAYER_FILE", path, 1);
    setenv("EDIT_LAYER_TEXT", "#define NUMBER 2\n", 1);
    setenv("EDIT_LAYER_REMOVES", "1", 1);
    const struct run edited = RUN_EDITED("write", "late/number.h",
            "#define NUMBER 1\n", "write", "other/number.h",
            "#define NUMBER 3\n", "build", early, source);
    EXPECT_PRINTS("2\n", edited);
    EXPECT_EQ(1, count_of(&edited, "not_kept_by", "includes"));
    EXPECT_COUNTS(1, 0, 0, edited);
    unsetenv("EDIT_LAYER_FILE");

    path_of(path, "late");
    path_of(other, "other");
    setenv("EDIT_LAYER_FOLDER", path, 1);
    setenv("EDIT_LAYER_OTHER", other, 1);
    const struct run swapped = RUN_EDITED("build", early, source);
    EXPECT_PRINTS("3\n", swapped);
    EXPECT_EQ(1, count_of(&swapped, "not_kept_by", "includes"));
    EXPECT_COUNTS(1, 0, 0, swapped);
    unsetenv("EDIT_LAYER_FOLDER");

    /* What nobody asks for comes and goes as it likes. */
    path_of(path, "early/another.h");
    setenv("EDIT_LAYER_FILE", path, 1);
    const struct run beside = RUN_EDITED("build", early, source);
    EXPECT_PRINTS("1\n", beside);
    EXPECT_COUNTS(1, 0, 1, beside);
    unsetenv("EDIT_LAYER_FILE");
    unsetenv("EDIT_LAYER_TEXT");
    unsetenv("EDIT_LAYER_REMOVES");
    const struct run after = RUN("build", early, source);
    EXPECT_PRINTS("1\n", after);
    EXPECT_COUNTS(0, 1, 0, after);
}
