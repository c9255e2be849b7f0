/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_paths.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

/* What options say: [folders], a bar, [files]; ? for doubt. "no" if
 * they are refused. */
static const char *describe(const char *options)
{
    static char text[2000];
    char reason[160] = "";
    struct include_paths paths;
    if (!include_paths_init(&paths, options, sizeof reason, reason)) {
        EXPECT_TRUE(reason[0] != '\0');
        EXPECT_EQ(0, paths.folders.count);
        EXPECT_EQ(0, paths.files.count);
        return "no";
    }
    size_t size = 0;
    for (size_t i = 0; i < paths.folders.count; i++)
        size += (size_t)snprintf(
                text + size, sizeof text - size, "[%s]", paths.folders.list[i]);
    size += (size_t)snprintf(text + size, sizeof text - size, "|");
    for (size_t i = 0; i < paths.files.count; i++)
        size += (size_t)snprintf(
                text + size, sizeof text - size, "[%s]", paths.files.list[i]);
    snprintf(text + size, sizeof text - size, "%s", paths.doubt ? "?" : "");
    include_paths_fini(&paths);
    return text;
}

static void expect_row(const char *expected, const char *options)
{
    const char *told = describe(options);
    EXPECT_STR_EQ(expected, told);
    if (strcmp(expected, told) != 0) printf("of the options: %s\n", options);
}

struct row {
    const char *expected, *options;
};

static void expect_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_row(rows[i].expected, rows[i].options);
}

static void expect_refused(const char *const *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_row("no", options[i]);
}

TEST_C(IncludePaths, ReadsFolders)
{
    static const struct row rows[] = {
            {"|", NULL},
            {"|", ""},
            {"|", "   "},
            {"[a]|", "-Ia"},
            {"[a]|", "-I a"},
            {"[a]|", "  -I   a  "},
            {"[a][b/c][/d]|", "-Ia -I b/c -cl-mad-enable -I/d"},
            {"[a][b]|", "-Ia -Ib -Ia"},
            {"|", "-I"},
            {"|", "-D A=1 -DB -w -Werror -cl-std=CL2.0 -O2 -g"},
            {"[a]|?", "-I\ta"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

TEST_C(IncludePaths, KnowsOtherFoldersWithoutTheirOrder)
{
    static const struct row rows[] = {
            {"[a]|?", "-isystem a"},
            {"[a][b][c]|?", "-iquotea -Ib -idirafter c"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

TEST_C(IncludePaths, ReadsQuotesAsEachDriver)
{
    static const struct row rows[] = {
            {"[\"a\"][a][ a ]|?", "-I \"a\""},
            {"[\"a][a b][ a b ]|?", "-I\"a b\""},
            {"[a b]|?", "\"-Ia b\""},
            {"[\"a][a b][a b/c][ a b /c]|?", "-I \"a b\"/c"},
            {"['a'][a]|?", "-I 'a'"},
            {"no", "-Ia\\ b"},
            {"[\"\"][  ]|?", "-I \"\""},
            {"[\"][ ]|?", "-I\""},
            {"[a\\]|", "-Ia\\"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

TEST_C(IncludePaths, DoesNotDoubtQuotesElsewhere)
{
    static const struct row rows[] = {
            {"[a]|", "-DT=\"x y\" -I a"},
            {"[a]|", "-DT=\\\"x\\\" -I a"},
            {"[b\"][a]|?", "-DT=\"x -Ib\" -I a"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

TEST_C(IncludePaths, ReadsIncludedFiles)
{
    static const struct row rows[] = {
            {"|[a.h]", "-include a.h"},
            {"[d]|[a.h][b/c.h]", "-include a.h -Id -include b/c.h"},
            {"|[a.h]", "-include a.h -include a.h"},
            {"|[a.h]", "-DT=\"x y\" -include a.h"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

TEST_C(IncludePaths, RefusesOtherWaysToReadFiles)
{
    static const char *const options[] = {
            "-imacros a.h",
            "-include-pch a.pch",
            "-includea.h",
            "-include",
            "--include a.h",
            "-include \"a.h\"",
            "-include a.h @file",
            "-include a.h -Wp,-include,b.h",
            "\"-include\" a.h",
            "-DA=__has_include(<a>)",
    };
    expect_refused(options, sizeof options / sizeof *options);
}

TEST_C(IncludePaths, NamesWhatReadsAFile)
{
    struct include_paths paths;
    char reason[160] = "";
    EXPECT_FALSE(include_paths_init(
            &paths, "-w -imacros a.h -O2", sizeof reason, reason));
    EXPECT_NOT_NULL(strstr(reason, "-imacros"));
    EXPECT_FALSE(include_paths_init(
            &paths, "-D X=1 -w a.cl -O2", sizeof reason, reason));
    EXPECT_NOT_NULL(strstr(reason, ": a.cl"));
}

TEST_C(IncludePaths, RefusesOptionsThatAreNotKnown)
{
    static const char *const options[] = {
            "-Ia -isysroot /b",
            "-Xclang -Ia",
            "-working-directory=a",
            "-fms-extensions",
            "-Wp,-Ia",
            "--sysroot=a",
            "-iwithprefix a",
            "-isystem-after a",
    };
    expect_refused(options, sizeof options / sizeof *options);
}
