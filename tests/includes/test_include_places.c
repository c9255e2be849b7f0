/* SPDX-License-Identifier: Apache-2.0 */
/* Where includes are looked for, and what appears there later. */
#include "include_helpers.h"
#include "test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_FILES(IncludePlaces, FirstFolderCounts)
{
    put_file("one/a.h", "1");
    put_file("two/a.h", "2");
    const char *source = "#include \"a.h\"\n";
    EXPECT_TRUE(writing_changes("one/a.h", "3", "-Ione -Itwo", source));
    EXPECT_FALSE(writing_changes("two/a.h", "4", "-Ione -Itwo", source));
    EXPECT_TRUE(writing_changes("two/a.h", "5", "-I two -I one", source));
}

TEST_FILES(IncludePlaces, EarlierFolderMayGetAFile)
{
    put_file("two/a.h", "same");
    const char *const sources[] = {"#include \"a.h\"\n", "#include <a.h>\n"};
    for (size_t i = 0; i < 2; i++) {
        /* The same bytes: its own includes would be others. */
        EXPECT_TRUE(
                writing_changes("one/a.h", "same", "-Ione -Itwo", sources[i]));
        remove_file("one/a.h");
    }
}

TEST_FILES(IncludePlaces, WorkingDirectoryMayGetAFile)
{
    put_file("inc/a.h", "a");
    EXPECT_TRUE(writing_changes("a.h", "b", "-Iinc", "#include \"a.h\"\n"));
    EXPECT_TRUE(writing_changes("a.h", "c", "-Iinc", "#include \"a.h\"\n"));
    /* PoCL looks there for these, too. */
    EXPECT_TRUE(writing_changes("a.h", "d", "-Iinc", "#include <a.h>\n"));
    /* Others do not. */
    EXPECT_TRUE(writing_changes("inc/a.h", "e", "-Iinc", "#include <a.h>\n"));
}

TEST_FILES(IncludePlaces, FolderOfTheIncluderComesFirst)
{
    put_file("inc/a.h", "#include \"sub/b.h\"\n");
    put_file("inc/sub/b.h", "#include \"c.h\"\n");
    put_file("inc/c.h", "1");
    const char *source = "#include \"a.h\"\n";
    EXPECT_TRUE(writing_changes("inc/sub/c.h", "1", "-Iinc", source));
    EXPECT_FALSE(writing_changes("inc/c.h", "2", "-Iinc", source));
    put_file("inc/sub/b.h", "#include <c.h>\n");
    EXPECT_TRUE(writing_changes("inc/c.h", "3", "-Iinc", source));
    EXPECT_FALSE(writing_changes("inc/sub/c.h", "4", "-Iinc", source));
}

TEST_FILES(IncludePlaces, AbsoluteNamesAreNowhereElse)
{
    char source[5000];
    put_file("a.h", "1");
    snprintf(source, sizeof source, "#include \"%s/a.h\"\n", test_directory());
    EXPECT_TRUE(writing_changes("a.h", "2", "-Inone", source));
    EXPECT_TRUE(refuses("not found", "-I.", "#include \"/a.h\"\n"));
}

/* A program stays cached when its folder moves. */
TEST_FILES(IncludePlaces, PathsAreNotInTheDigest)
{
    char options[5000];
    put_file("old/a.h", "#include \"b.h\"\n");
    put_file("old/b.h", "b");
    snprintf(options, sizeof options, "-I%s/old", test_directory());
    const struct includes before = follow(options, "#include <a.h>\n");
    ASSERT_EQ(0, rename("old", "new"));
    snprintf(options, sizeof options, "-I%s/new", test_directory());
    const struct includes after = follow(options, "#include <a.h>\n");
    EXPECT_TRUE(same_digest(&before, &after));
}

TEST_FILES(IncludePlaces, NamesAndFormsAreInTheDigest)
{
    put_file("inc/a.h", "a");
    put_file("inc/b.h", "a");
    const struct includes a = follow("-Iinc", "#include \"a.h\"\n");
    const struct includes b = follow("-Iinc", "#include \"b.h\"\n");
    const struct includes bracket = follow("-Iinc", "#include <a.h>\n");
    const struct includes option = follow("-Iinc -include a.h", "");
    EXPECT_FALSE(same_digest(&a, &b));
    EXPECT_FALSE(same_digest(&a, &bracket));
    EXPECT_FALSE(same_digest(&a, &option));
    EXPECT_FALSE(same_digest(&bracket, &option));
}

/* Bytes that move from one file to the next are a change. */
TEST_FILES(IncludePlaces, FilesAreFramed)
{
    put_file("a.h", "ab");
    put_file("b.h", "c");
    const char *source = "#include \"a.h\"\n#include \"b.h\"\n";
    const struct includes before = follow(NULL, source);
    put_file("a.h", "a");
    put_file("b.h", "bc");
    const struct includes after = follow(NULL, source);
    EXPECT_FALSE(same_digest(&before, &after));
}

TEST_FILES(IncludePlaces, QuotedFoldersCountAsEachDriverReadsThem)
{
    put_file("my inc/a.h", "1");
    put_file("\"my/a.h", "1");
    const char *source = "#include \"a.h\"\n";
    const char *options = "-I\"my inc\"";
    EXPECT_TRUE(writing_changes("my inc/a.h", "2", options, source));
    EXPECT_TRUE(writing_changes("\"my/a.h", "2", options, source));
    EXPECT_TRUE(writing_changes(" my inc /a.h", "2", options, source));
}

TEST_FILES(IncludePlaces, OrderIsNotTrustedWithSystemFolders)
{
    put_file("one/a.h", "1");
    put_file("two/a.h", "1");
    const char *options = "-isystem one -I two";
    EXPECT_TRUE(writing_changes("one/a.h", "2", options, "#include <a.h>\n"));
    EXPECT_TRUE(writing_changes("two/a.h", "2", options, "#include <a.h>\n"));
}

/* Of the working directory and a folder of the driver, which is it? */
TEST_C(IncludePlaces, NamesOfTheSystemAreRefusedInTheWorkingDirectory)
{
    if (access("/usr/include/stdio.h", F_OK) != 0)
        SKIP_TEST("no /usr/include/stdio.h");
    enter_files();
    put_file("stdio.h", "1");
    put_file("inc/stdio.h", "1");
    EXPECT_TRUE(refuses("/usr/include/stdio.h", NULL, "#include <stdio.h>\n"));
    EXPECT_TRUE(writing_changes(
            "inc/stdio.h", "2", "-Iinc", "#include <stdio.h>\n"));
    leave_files();
}

/* A name without a dot is of another language's library, and read by none of
 * OpenCL's compilers; unless a folder has it. */
TEST_FILES(IncludePlaces, PassOtherLanguagesHeaders)
{
    const char source[] = "#ifdef METAL\n#include <metal_stdlib>\n#endif\n";
    const struct includes without = follow("-I inc", source);
    EXPECT_EQ(1, without.count);
    EXPECT_TRUE(
            writing_changes("inc/metal_stdlib", "int x;\n", "-I inc", source));
    EXPECT_TRUE(refuses("not found", "-I inc", "#include \"iostream\"\n"));
    EXPECT_TRUE(refuses("not found", "-I inc", "#include <metal/stdlib>\n"));
    EXPECT_TRUE(refuses("not found", "-I inc", "#include <metal.h>\n"));
}
