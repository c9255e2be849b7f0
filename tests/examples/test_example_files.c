/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the short examples make of their arguments and of any bytes in their
 * files. On the fake driver, whose kernels compute nothing: a run ends with 3,
 * the code of a wrong result, when all else is well. It dies if a damaged
 * binary reaches it.
 */
#include "example_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { wrong_result = 3 };

static const char *const programs[] = {
        EXISTING_PROGRAM,
        WARM_SERVICE,
#ifdef BY_HAND
        BY_HAND,
        ATTACH_STORE,
        SINGLE_FILE,
#endif
};
enum { program_count = sizeof programs / sizeof *programs };

static int run(const char *program, const char *a, const char *b, const char *c)
{
    const char *words[] = {program, a, b, c};
    char *argv[5] = {NULL};
    for (int i = 0; i < 4 && words[i] != NULL; i++)
        argv[i] = strdup(words[i]);
    const int status = example_run(test_directory(), "run", argv, NULL);
    for (int i = 0; i < 4; i++)
        free(argv[i]);
    return status;
}

static bool prints(const char *text)
{
    return example_says(example_path(test_directory(), "run.out").text, text);
}

static bool warns(const char *text)
{
    return example_says(example_path(test_directory(), "run.err").text, text);
}

TEST_C(ExampleFiles, ArgumentsAreTakenOrExplained)
{
    for (int i = 0; i < program_count; i++) {
        EXPECT_EQ(0, run(programs[i], "--help", NULL, NULL));
        EXPECT_TRUE(prints("usage: "));
        EXPECT_TRUE(prints("Exit status: "));
        EXPECT_EQ(2, run(programs[i], NULL, NULL, NULL));
        EXPECT_TRUE(warns("missing: F"));
        EXPECT_EQ(2, run(programs[i], "", NULL, NULL));
        EXPECT_EQ(2, run(programs[i], "--platform", NULL, NULL));
        EXPECT_TRUE(warns("option '--platform' requires an argument"));
        EXPECT_EQ(2, run(programs[i], "--plattform", "Fake", "x"));
        EXPECT_TRUE(warns("unrecognized option '--plattform'"));
        EXPECT_EQ(2, run(programs[i], "a", "b", NULL));
        EXPECT_TRUE(warns("one argument too many: b"));
        EXPECT_EQ(1, run(programs[i], "--platform", "no such", "x"));
        EXPECT_TRUE(warns("no OpenCL device of a platform named no such"));
    }
}

TEST_C(ExampleFiles, EachIsWarmTheSecondTime)
{
    const struct example_path store = example_path(test_directory(), "blobs");
    for (int i = 0; i < program_count; i++) {
        EXPECT_EQ(wrong_result, run(programs[i], store.text, NULL, NULL));
        EXPECT_TRUE(prints("compiled "));
        EXPECT_FALSE(prints("nothing compiled"));
        EXPECT_TRUE(prints("WRONG"));
        EXPECT_EQ(wrong_result,
                run(programs[i], "--platform", "fake", store.text));
        EXPECT_TRUE(prints("nothing compiled"));
        example_remove(store.text);
    }
}

/* Folders above the one that is named, too. */
TEST_C(ExampleFiles, FoldersAreMade)
{
    const struct example_path top = example_path(test_directory(), "top");
    const struct example_path store = example_path(test_directory(), "top/a/b");
    for (int i = 0; i < program_count; i++) {
        EXPECT_EQ(wrong_result, run(programs[i], store.text, NULL, NULL));
        EXPECT_FALSE(warns("warning: "));
        EXPECT_EQ(wrong_result, run(programs[i], store.text, NULL, NULL));
        EXPECT_TRUE(prints("nothing compiled"));
        example_remove(top.text);
    }
}

static void check_no_folder(const char *program)
{
    const struct example_path file = example_path(test_directory(), "file");
    const struct example_path store =
            example_path(test_directory(), "file/a/b");
    const struct example_path folder = example_path(test_directory(), "file/a");
    char text[600];
    snprintf(text, sizeof text, "warning: cannot make folder %s: Not a",
            folder.text);
    example_write(file.text, "a file", 6);
    EXPECT_EQ(wrong_result, run(program, store.text, NULL, NULL));
    EXPECT_TRUE(warns(text));
    EXPECT_TRUE(example_says(file.text, "a file"));
}

TEST_C(ExampleFiles, FoldersThatCannotBeMadeAreNamed)
{
    check_no_folder(EXISTING_PROGRAM);
#ifdef BY_HAND
    check_no_folder(BY_HAND);
#endif
}

static void make_empty(const char *path)
{
    example_write(path, "", 0);
}

static void make_folder(const char *path)
{
    remove(path);
    EXPECT_EQ(0, mkdir(path, 0700));
}

static void check_bad_blobs(const char *program)
{
    const struct example_path store = example_path(test_directory(), "blobs");
    EXPECT_EQ(wrong_result, run(program, store.text, NULL, NULL));
    EXPECT_GT(example_damage_files(store.text, make_empty), 0);
    EXPECT_EQ(wrong_result, run(program, store.text, NULL, NULL));
    EXPECT_TRUE(warns(" is empty\n"));
    EXPECT_FALSE(prints("nothing compiled"));
    EXPECT_EQ(wrong_result, run(program, store.text, NULL, NULL));
    EXPECT_TRUE(prints("nothing compiled"));
    EXPECT_FALSE(warns("warning: "));
    EXPECT_GT(example_damage_files(store.text, make_folder), 0);
    EXPECT_EQ(wrong_result, run(program, store.text, NULL, NULL));
    EXPECT_TRUE(warns(" is a folder\n"));
    EXPECT_FALSE(prints("nothing compiled"));
    example_remove(store.text);
}

TEST_C(ExampleFiles, EmptyOnesAndFoldersAreCalledThat)
{
    check_bad_blobs(EXISTING_PROGRAM);
#ifdef BY_HAND
    check_bad_blobs(BY_HAND);
    check_bad_blobs(SINGLE_FILE);
#endif
}

static void no_room(const char *directory, const char *name)
{
    const struct rlimit limit = {100, 100};
    (void)directory;
    (void)name;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* Neither half a file nor a failure: the next run compiles again. */
TEST_C(ExampleFiles, AFullDiskIsNoFailure)
{
    const struct example_path store = example_path(test_directory(), "blobs");
    for (int i = 0; i < program_count; i++) {
        for (int again = 0; again < 2; again++) {
            char *argv[] = {strdup(programs[i]), strdup(store.text), NULL};
            EXPECT_EQ(wrong_result,
                    example_run(test_directory(), "run", argv, no_room));
            EXPECT_FALSE(prints("nothing compiled"));
            EXPECT_TRUE(warns("warning: "));
            free(argv[0]);
            free(argv[1]);
        }
        EXPECT_EQ(wrong_result, run(programs[i], store.text, NULL, NULL));
        EXPECT_FALSE(prints("nothing compiled"));
        EXPECT_EQ(wrong_result, run(programs[i], store.text, NULL, NULL));
        EXPECT_TRUE(prints("nothing compiled"));
        example_remove(store.text);
    }
}

/* ---- The list of warm_service -------------------------------------------- */

static void serve(const char *told, bool compiles)
{
    const struct example_path folder = example_path(test_directory(), "blobs");
    EXPECT_EQ(wrong_result, run(WARM_SERVICE, folder.text, NULL, NULL));
    EXPECT_TRUE(prints(told));
    EXPECT_EQ(compiles, !prints("nothing compiled"));
}

TEST_C(WarmService, PrefetchesWhatTheLastRunHad)
{
    serve("prefetched 0 of 0", true);
    serve("prefetched 1 of 1", false);
    serve("prefetched 1 of 1", false);
}

TEST_C(WarmService, CompilesWhatItsStoreLost)
{
    const struct example_path store =
            example_path(test_directory(), "blobs/store");
    serve("prefetched 0 of 0", true);
    example_remove(store.text);
    serve("prefetched 0 of 1", true);
    serve("prefetched 1 of 1", false);
}

TEST_C(WarmService, MakesItsListAnew)
{
    const struct example_path list =
            example_path(test_directory(), "blobs/ids");
    serve("prefetched 0 of 0", true);
    EXPECT_EQ(0, remove(list.text));
    serve("prefetched 0 of 0", false);
    serve("prefetched 1 of 1", false);
}

/* Cached-only mode says so at once; the run compiles after all. */
TEST_C(WarmService, CompilesWhatTheLastRunDidNotNeed)
{
    serve("prefetched 0 of 0", true);
    setenv("WARM_SERVICE_MODEL", "2", 1);
    serve("prefetched 1 of 1", true);
    serve("prefetched 2 of 2", false);
    setenv("WARM_SERVICE_MODEL", "3", 1);
    serve("prefetched 2 of 2", true);
    unsetenv("WARM_SERVICE_MODEL");
    serve("prefetched 3 of 3", false);
}

/* Whatever the list holds, the store has the program. */
TEST_C(WarmService, TakesAnyBytesForAList)
{
    const struct example_path list =
            example_path(test_directory(), "blobs/ids");
    size_t size;
    serve("prefetched 0 of 0", true);
    char *bytes = example_contents(list.text, &size);
    EXPECT_GT(size, 200);
    for (size_t cut = 0; cut < size && !test_has_failed();
            cut += cut < 24 ? 1 : 97) {
        example_write(list.text, bytes, cut);
        serve("prefetched 0 of ", false);
    }
    for (size_t bit = 0; bit < 8 * size && !test_has_failed();
            bit += bit < 8 * 16 ? 5 : 8 * 97 + 1) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        example_write(list.text, bytes, size);
        serve("prefetched 0 of ", false);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    serve("prefetched 1 of 1", false);
    free(bytes);
}

#ifdef BY_HAND
/* ---- The table of single_file --------------------------------------------
 */

static void check_table(const void *bytes, size_t size)
{
    const struct example_path store = example_path(test_directory(), "blobs");
    example_write(store.text, bytes, size);
    EXPECT_EQ(wrong_result, run(SINGLE_FILE, store.text, NULL, NULL));
    EXPECT_FALSE(prints("nothing compiled"));
}

/* One line of warning, with this in it. */
static void expect_one_warning(const char *text)
{
    char *err = example_contents(
            example_path(test_directory(), "run.err").text, NULL);
    const char *end = strchr(err, '\n');
    EXPECT_NOT_NULL(strstr(err, text));
    EXPECT_TRUE(end != NULL && end[1] == '\0');
    free(err);
}

static char *make_table(size_t *size)
{
    const struct example_path store = example_path(test_directory(), "blobs");
    remove(store.text);
    EXPECT_EQ(wrong_result, run(SINGLE_FILE, store.text, NULL, NULL));
    char *bytes = example_contents(store.text, size);
    EXPECT_GT(*size, 1000);
    return bytes;
}

/* Every length of the first entry's head, then every step-th. */
static void cut_file(size_t step)
{
    size_t size;
    char *bytes = make_table(&size);
    for (size_t cut = 0; cut < size && !test_has_failed();
            cut += cut < 32 ? 1 : step) {
        check_table(bytes, cut);
        if (cut > 0 && cut != 8)
            expect_one_warning(cut < 8 ? "is no file of blobs" : "is cut");
    }
    check_table(bytes, size - 1);
    expect_one_warning("is cut short or damaged");
    free(bytes);
}

TEST_C(SingleFile, CompilesWhatACutFileLacks)
{
    cut_file(2111);
}

TEST_C(SingleFile, CompilesWhatAFileCutAnywhereLacks)
{
    cut_file(211);
}

/* Nothing but the end: it is told once, and gone then. */
TEST_C(SingleFile, IsWholeAgainAfterBytesTooMany)
{
    size_t size, rewritten;
    const struct example_path store = example_path(test_directory(), "blobs");
    char *bytes = make_table(&size);
    char *grown = calloc(1, size + 5);
    memcpy(grown, bytes, size);
    example_write(store.text, grown, size + 5);
    EXPECT_EQ(wrong_result, run(SINGLE_FILE, store.text, NULL, NULL));
    EXPECT_TRUE(prints("nothing compiled"));
    expect_one_warning("is cut short or damaged");
    free(example_contents(store.text, &rewritten));
    EXPECT_EQ(size, rewritten);
    EXPECT_EQ(wrong_result, run(SINGLE_FILE, store.text, NULL, NULL));
    EXPECT_TRUE(prints("nothing compiled"));
    EXPECT_FALSE(warns("warning: "));
    free(grown);
    free(bytes);
}

static void check_foreign(const char *bytes, size_t size)
{
    const struct example_path store = example_path(test_directory(), "blobs");
    size_t left;
    check_table(bytes, size);
    expect_one_warning("is no file of blobs: neither used nor replaced");
    char *now = example_contents(store.text, &left);
    EXPECT_EQ(size, left);
    EXPECT_TRUE(left == size && memcmp(now, bytes, size) == 0);
    free(now);
}

TEST_C(SingleFile, LeavesAForeignFileAsItIs)
{
    check_foreign("x", 1);
    check_foreign("blobs 1", 7);
    check_foreign("blobs 2\nof a newer version", 26);
    check_foreign("a letter to a friend, and long enough\n", 38);
}

TEST_C(SingleFile, LeavesAFolderAsItIs)
{
    const struct example_path store = example_path(test_directory(), "blobs");
    struct stat status;
    EXPECT_EQ(0, mkdir(store.text, 0700));
    EXPECT_EQ(wrong_result, run(SINGLE_FILE, store.text, NULL, NULL));
    expect_one_warning("is a folder");
    EXPECT_EQ(0, stat(store.text, &status));
    EXPECT_TRUE(S_ISDIR(status.st_mode));
}

/* Every bit of the magic and of the first entry's sizes, then every so often
 * one, in IDs and blobs too. */
TEST_C(SingleFile, CompilesWhatFlippedBitsSpoil)
{
    size_t size;
    char *bytes = make_table(&size);
    for (size_t bit = 0; bit < 8 * size && !test_has_failed();
            bit += bit < 8 * 24 ? 1 : 8 * 151 + 1) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        check_table(bytes, size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    free(bytes);
}

static void put_size(char *at, uint64_t size)
{
    for (int i = 0; i < 8; i++)
        at[i] = (char)(size >> 8 * i);
}

/* Sizes that fit if they are added carelessly: the first entry is found, and
 * its blob reaches far out of the file. */
TEST_C(SingleFile, CompilesWhereSizesWrapAround)
{
    size_t size;
    uint64_t id_size = 0;
    char *bytes = make_table(&size);
    for (int i = 7; i >= 0; i--)
        id_size = id_size << 8 | (unsigned char)bytes[8 + i];
    EXPECT_LT(id_size, size);
    put_size(bytes + 16, 0 - id_size);
    check_table(bytes, size);
    put_size(bytes + 16, 64 - id_size);
    check_table(bytes, size);
    put_size(bytes + 16, UINT64_MAX);
    check_table(bytes, size);
    put_size(bytes + 8, UINT64_MAX);
    check_table(bytes, size);
    free(bytes);
}

TEST_C(SingleFile, DropsWhatARunDidNotUse)
{
    size_t size, rewritten;
    char *bytes = make_table(&size);
    const struct example_path store = example_path(test_directory(), "blobs");
    char *grown = malloc(size + 16 + 8);
    memcpy(grown, bytes, size);
    memset(grown + size, 0, 24);
    grown[size] = grown[size + 8] = 4; /* an entry of nobody's */
    bytes[8 + 16 + 20] = (char)(bytes[8 + 16 + 20] ^ 1);
    grown[8 + 16 + 20] = bytes[8 + 16 + 20]; /* and one that is not found */
    check_table(grown, size + 24);
    free(example_contents(store.text, &rewritten));
    EXPECT_EQ(size, rewritten);
    free(grown);
    free(bytes);
}
#endif
