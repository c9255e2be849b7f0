/* SPDX-License-Identifier: Apache-2.0 */
#include "includes/include_paths.h"

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

TEST_C(IncludePaths, ReadsFolders)
{
    EXPECT_STR_EQ("|", describe(NULL));
    EXPECT_STR_EQ("|", describe(""));
    EXPECT_STR_EQ("|", describe("   "));
    EXPECT_STR_EQ("[a]|", describe("-Ia"));
    EXPECT_STR_EQ("[a]|", describe("-I a"));
    EXPECT_STR_EQ("[a]|", describe("  -I   a  "));
    EXPECT_STR_EQ("[a][b/c][/d]|", describe("-Ia -I b/c -cl-mad-enable -I/d"));
    EXPECT_STR_EQ("[a][b]|", describe("-Ia -Ib -Ia"));
    EXPECT_STR_EQ("|", describe("-I"));
    EXPECT_STR_EQ("|", describe("-D A=1 -DB -w -Werror -cl-std=CL2.0 -O2 -g"));
    EXPECT_STR_EQ("[a]|?", describe("-I\ta"));
}

TEST_C(IncludePaths, KnowsOtherFoldersWithoutTheirOrder)
{
    EXPECT_STR_EQ("[a]|?", describe("-isystem a"));
    EXPECT_STR_EQ("[a][b][c]|?", describe("-iquotea -Ib -idirafter c"));
}

TEST_C(IncludePaths, ReadsQuotesAsEachDriver)
{
    EXPECT_STR_EQ("[\"a\"][a][ a ]|?", describe("-I \"a\""));
    EXPECT_STR_EQ("[\"a][a b][ a b ]|?", describe("-I\"a b\""));
    EXPECT_STR_EQ("[a b]|?", describe("\"-Ia b\""));
    EXPECT_STR_EQ("[\"a][a b][a b/c][ a b /c]|?", describe("-I \"a b\"/c"));
    EXPECT_STR_EQ("['a'][a]|?", describe("-I 'a'"));
    EXPECT_STR_EQ("no", describe("-Ia\\ b"));
    EXPECT_STR_EQ("[\"\"][  ]|?", describe("-I \"\""));
    EXPECT_STR_EQ("[\"][ ]|?", describe("-I\""));
    EXPECT_STR_EQ("[a\\]|", describe("-Ia\\"));
}

TEST_C(IncludePaths, DoesNotDoubtQuotesElsewhere)
{
    EXPECT_STR_EQ("[a]|", describe("-DT=\"x y\" -I a"));
    EXPECT_STR_EQ("[a]|", describe("-DT=\\\"x\\\" -I a"));
    EXPECT_STR_EQ("[b\"][a]|?", describe("-DT=\"x -Ib\" -I a"));
}

TEST_C(IncludePaths, ReadsIncludedFiles)
{
    EXPECT_STR_EQ("|[a.h]", describe("-include a.h"));
    EXPECT_STR_EQ(
            "[d]|[a.h][b/c.h]", describe("-include a.h -Id -include b/c.h"));
    EXPECT_STR_EQ("|[a.h]", describe("-include a.h -include a.h"));
    EXPECT_STR_EQ("|[a.h]", describe("-DT=\"x y\" -include a.h"));
}

TEST_C(IncludePaths, RefusesOtherWaysToReadFiles)
{
    EXPECT_STR_EQ("no", describe("-imacros a.h"));
    EXPECT_STR_EQ("no", describe("-include-pch a.pch"));
    EXPECT_STR_EQ("no", describe("-includea.h"));
    EXPECT_STR_EQ("no", describe("-include"));
    EXPECT_STR_EQ("no", describe("--include a.h"));
    EXPECT_STR_EQ("no", describe("-include \"a.h\""));
    EXPECT_STR_EQ("no", describe("-include a.h @file"));
    EXPECT_STR_EQ("no", describe("-include a.h -Wp,-include,b.h"));
    EXPECT_STR_EQ("no", describe("\"-include\" a.h"));
    EXPECT_STR_EQ("no", describe("-DA=__has_include(<a>)"));
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
    EXPECT_STR_EQ("no", describe("-Ia -isysroot /b"));
    EXPECT_STR_EQ("no", describe("-Xclang -Ia"));
    EXPECT_STR_EQ("no", describe("-working-directory=a"));
    EXPECT_STR_EQ("no", describe("-fms-extensions"));
    EXPECT_STR_EQ("no", describe("-Wp,-Ia"));
    EXPECT_STR_EQ("no", describe("--sysroot=a"));
    EXPECT_STR_EQ("no", describe("-iwithprefix a"));
    EXPECT_STR_EQ("no", describe("-isystem-after a"));
}
