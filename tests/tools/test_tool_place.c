/* SPDX-License-Identifier: Apache-2.0 */
/* What is a store, and of which type; what is none is left as it is. */
#include "dnnl_cache/store.h"
#include "test.h"
#include "tool_helpers.h"

#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const types[] = {"bucket", "flat", "tree", "pack"};
enum { type_count = sizeof types / sizeof *types };

/* Opens and closes a store of the type at the test's place of this name, with
 * the entry if it is not NULL. */
static void make_store(size_t type, const char *name, const struct made *entry)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = in_test(name);
    ASSERT_OK(dnnl_cache_store_open(&store, types[type], &options));
    if (entry != NULL) put_made(store, entry, 0);
    dnnl_cache_store_close(store);
}

static void expect_file(const char *path, const char *text)
{
    size_t size;
    uint8_t *bytes = read_whole(path, &size);
    EXPECT_BYTES_EQ(text, strlen(text), bytes, size);
    free(bytes);
}

/* What cannot be read is not empty, and each failure is told. */
TEST_SAMPLE_STORE(ToolPlace, SaysThatDescriptorsAreTooFew)
{
    static const char *const commands[] = {"list", "stats", "verify"};
    struct rlimit before;
    ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
    const int next = dup(STDERR_FILENO);
    EXPECT_EQ(0, close(next));
    for (rlim_t left = 0; left < 8; left++)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            const struct rlimit few = {(rlim_t)next + left, before.rlim_max};
            EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
            const struct run *run = run_tool(commands[i], NULL);
            EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &before));
            if (run->code == exit_ok) continue;
            EXPECT_TRUE(run->code == exit_store || run->code == exit_io);
            EXPECT_NOT_NULL(strstr(run->err, "Too many open files"));
        }
    EXPECT_EQ(exit_ok, run_tool("verify", NULL)->code);
}

/* Every command but import that opens a store, with all its arguments. */
static const char *const commands_at_work[][4] = {{"stats"}, {"list"},
        {"verify"}, {"verify", "--repair"}, {"evict", "--to", "1G"},
        {"gc", "--older-than", "9w"}, {"clear", "--yes"}, {"inspect", "aa"},
        {"why", "aa"}, {"export", "/dev/null"}};
enum { command_count = sizeof commands_at_work / sizeof *commands_at_work };

TEST_C(ToolPlace, WithFilesOfOthersIsLeftAlone)
{
    static const char *const asked[] = {NULL, "bucket", "flat", "tree", "pack"};
    static const char *const names[] = {"size.txt", "index.bin", "config.file",
            "cache_size.txt", "0123456789abcdef.cl_cache", "notes"};
    enum { name_count = sizeof names / sizeof *names };
    char path[path_size];
    ASSERT_EQ(0, mkdir(in_test("store"), 0700));
    for (size_t i = 0; i < name_count; i++) {
        snprintf(path, sizeof path, "%s/%s", in_test("store"), names[i]);
        write_whole(path, "7", 1);
    }
    for (size_t t = 0; t < sizeof asked / sizeof *asked; t++)
        for (size_t i = 0; i < command_count; i++) {
            const char *const *c = commands_at_work[i];
            const struct run *run =
                    t == 0 ? run_tool(c[0], c[1], c[2], c[3], NULL)
                           : run_tool("--type", asked[t], c[0], c[1], c[2],
                                   c[3], NULL);
            EXPECT_EQ(exit_store, run->code);
            EXPECT_STR_EQ("", run->out);
            EXPECT_NOT_NULL(strstr(run->err, "/store: not a store"));
        }
    for (size_t i = 0; i < name_count; i++) {
        snprintf(path, sizeof path, "%s/%s", in_test("store"), names[i]);
        expect_file(path, "7");
        ASSERT_EQ(0, unlink(path));
    }
    /* Nothing else was made. */
    EXPECT_STR_EQ(text_of("dnnl-cache: %s: not a store: an empty folder\n",
                          in_test("store")),
            run_tool("list", NULL)->err);
    EXPECT_EQ(0, rmdir(in_test("store")));
}

/* What a layer leaves that could write nothing into its files. */
static void leave_beginning(const char *place)
{
    ASSERT_EQ(0, mkdir(place, 0700));
    ASSERT_EQ(0, mkdir(text_of("%s/layer", place), 0700));
    write_whole(text_of("%s/config.file", place), "", 0);
}

static void expect_no_store(const char *const places[], const char *why)
{
    for (size_t i = 0; places[i] != NULL; i++) {
        const struct run *run =
                run_bare("--store", in_test(places[i]), "list", NULL);
        EXPECT_EQ(exit_store, run->code);
        EXPECT_STR_EQ(text_of("dnnl-cache: %s: no store is there, and none can "
                              "be made: %s\n",
                              in_test(places[i]), why),
                run->err);
    }
}

/* In a process of its own, with file systems of its own. */
static int look_at_full_disk(void)
{
    static const char *const places[] = {
            "disk/begun", "disk/empty", "disk/file", NULL};
    char disk[path_size];
    char zeros[4096] = {0};
    snprintf(disk, sizeof disk, "%s", in_test("disk"));
    if (mkdir(disk, 0700) != 0 || unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", disk, "tmpfs", 0, "size=64k,mode=0700") != 0)
        return 77;
    leave_beginning(in_test("disk/begun"));
    EXPECT_EQ(0, mkdir(in_test("disk/empty"), 0700));
    write_whole(in_test("disk/file"), "", 0);
    const int fd =
            open(in_test("disk/rest"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    while (write(fd, zeros, sizeof zeros) > 0)
        continue;
    EXPECT_EQ(0, close(fd));
    expect_no_store(places, "No space left on device");
    EXPECT_EQ(0, mount("none", disk, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL));
    expect_no_store(places, "Read-only file system");
    return test_has_failed();
}

TEST_C(ToolPlace, WhereNoneCanBeMadeIsSaidToBeSo)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(look_at_full_disk());
    ASSERT_EQ(child, waitpid(child, &status, 0));
    ASSERT_TRUE(WIFEXITED(status));
    (void)rmdir(in_test("disk"));
    if (WEXITSTATUS(status) == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, WEXITSTATUS(status));
    ASSERT_EQ(0, symlink("loop", in_test("loop")));
    EXPECT_NOT_NULL(
            strstr(run_bare("--store", in_test("loop"), "list", NULL)->err,
                    "Too many levels of symbolic links"));
    write_whole(in_test("file"), "", 0);
    EXPECT_NOT_NULL(
            strstr(run_bare("--store", in_test("file/x"), "list", NULL)->err,
                    "Not a directory"));
}

TEST_C(ToolPlace, WithAFileThatIsNoPackIsLeftAlone)
{
    char text[1025]; /* whole pages, with a word of ours */
    snprintf(text, sizeof text, "%-1024s", "see dnnl_cache_entry");
    const char *const texts[] = {"", "important", "SQLite format 3", text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_whole(in_test("store"), texts[i], strlen(texts[i]));
        for (size_t c = 0; c < command_count; c++) {
            const char *const *a = commands_at_work[c];
            const struct run *run =
                    run_tool("--type", "pack", a[0], a[1], a[2], a[3], NULL);
            EXPECT_EQ(exit_store, run->code);
            EXPECT_NOT_NULL(strstr(run->err, "not a store of type pack"));
            run = run_tool(a[0], a[1], a[2], a[3], NULL);
            EXPECT_EQ(exit_store, run->code);
        }
        expect_file(in_test("store"), texts[i]);
    }
}

TEST_C(ToolPlace, TellsItsType)
{
    struct made m = make_engine("GPU", "1");
    for (int filled = 0; filled < 2; filled++)
        for (size_t i = 0; i < type_count; i++) {
            const char *name = text_of("%s-%d", types[i], filled);
            char place[path_size];
            snprintf(place, sizeof place, "%s", in_test(name));
            make_store(i, strrchr(place, '/') + 1, filled ? &m : NULL);
            const struct run *run = run_bare("--store", place, "stats", NULL);
            EXPECT_EQ(exit_ok, run->code);
            EXPECT_NOT_NULL(strstr(
                    run->out, text_of("type               %s\n", types[i])));
            EXPECT_NOT_NULL(strstr(
                    run->out, text_of("entries            %d\n", filled)));
            EXPECT_STR_EQ("", run->err);
            for (size_t j = 0; j < type_count; j++) {
                run = run_bare("--store", place, "--type", types[j], "clear",
                        "--yes", NULL);
                if (j == i) continue;
                EXPECT_EQ(exit_store, run->code);
                EXPECT_STR_EQ("", run->out);
                EXPECT_STR_EQ(text_of("dnnl-cache: %s: not a store of type %s "
                                      "(looks like a store of type %s: --type "
                                      "%s)\n",
                                      place, types[j], types[i], types[i]),
                        run->err);
            }
            /* It was cleared, and still is a store. */
            EXPECT_EQ(exit_ok, run_bare("--store", place, "list", NULL)->code);
        }
    made_fini(&m);
}

TEST_C(ToolPlace, WithoutItsBookIsAStoreByItsEntries)
{
    struct made m = make_engine("GPU", "1");
    static const char *const size_files[] = {
            "index.bin", "config.file", "cache_size.txt"};
    for (size_t i = 0; i < 3; i++) {
        char path[path_size];
        make_store(i, types[i], &m);
        snprintf(path, sizeof path, "%s/%s", in_test(types[i]), size_files[i]);
        ASSERT_EQ(0, unlink(path));
        const struct run *run =
                run_bare("--store", in_test(types[i]), "stats", NULL);
        EXPECT_EQ(exit_ok, run->code);
        EXPECT_NOT_NULL(
                strstr(run->out, text_of("type               %s\n", types[i])));
        /* What another store's size file is beside entries makes no store. */
        write_whole(path, "important", 9);
        EXPECT_EQ(
                exit_store, run_bare("--store", in_test(types[i]), "--type",
                                    types[(i + 1) % 3], "clear", "--yes", NULL)
                                    ->code);
        expect_file(path, "important");
    }
    made_fini(&m);
}

TEST_SAMPLE_STORE(ToolPlace, IsFilledByImportIfNothingIsThere)
{
    char archive[path_size];
    char place[path_size];
    snprintf(archive, sizeof archive, "%s", in_test("archive"));
    snprintf(place, sizeof place, "%s", in_test("place"));
    ASSERT_EQ(exit_ok, run_tool("export", archive, NULL)->code);
    for (size_t i = 0; i < type_count; i++) {
        const bool is_file = strcmp(types[i], "pack") == 0;
        char new[path_size];
        snprintf(new, sizeof new, "%s", in_test(types[i]));
        /* At no place, and at an empty one of the right kind. */
        EXPECT_EQ(exit_ok, run_bare("--store", new, "--type", types[i],
                                   "import", archive, NULL)
                                   ->code);
        EXPECT_EQ(exit_ok, run_bare("--store", new, "verify", NULL)->code);
        ASSERT_EQ(0, mkdir(place, 0700));
        EXPECT_EQ(is_file ? exit_store : exit_ok,
                run_bare("--store", place, "--type", types[i], "import",
                        archive, NULL)
                        ->code);
        (void)run_bare("--store", place, "clear", "--yes", NULL);
        ASSERT_EQ(0, rename(place, in_test(text_of("old-%zu", i))));
        write_whole(place, "", 0);
        ASSERT_EQ(0, chmod(place, 0600));
        EXPECT_EQ(is_file ? exit_ok : exit_store,
                run_bare("--store", place, "--type", types[i], "import",
                        archive, NULL)
                        ->code);
        ASSERT_EQ(0, unlink(place));
    }
    /* Not among the files of others, nor into a store of another type. */
    ASSERT_EQ(0, mkdir(place, 0700));
    write_whole(text_of("%s/notes", place), "important", 9);
    const struct run *run = run_bare("--store", place, "import", archive, NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_STR_EQ(text_of("dnnl-cache: %s: not a store: name one with --store "
                          "PLACE\n",
                          place),
            run->err);
    run = run_tool("--type", "flat", "import", archive, NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_EQ(exit_ok, run_tool("import", archive, NULL)->code);
}

/* Flat or as the variable says, as the OpenCL layer makes its own. */
TEST_SAMPLE_STORE(ToolPlace, OfANewStoreHasTheDefaultType)
{
    char archive[path_size];
    snprintf(archive, sizeof archive, "%s", in_test("archive"));
    EXPECT_EQ(exit_ok, run_tool("export", archive, NULL)->code);
    setenv("DNNL_CACHE_DIR", in_test("layers"), 1);
    EXPECT_EQ(exit_ok, run_bare("import", archive, NULL)->code);
    EXPECT_NOT_NULL(strstr(run_bare("stats", NULL)->out, " flat\n"));
    setenv("DNNL_CACHE_DIR", in_test("other"), 1);
    setenv("DNNL_CACHE_STORE", "tree", 1);
    EXPECT_EQ(exit_ok, run_bare("import", archive, NULL)->code);
    EXPECT_NOT_NULL(strstr(run_bare("stats", NULL)->out, " tree\n"));
    unsetenv("DNNL_CACHE_STORE");
    char named[path_size];
    snprintf(named, sizeof named, "%s", in_test("named"));
    EXPECT_EQ(
            exit_ok, run_bare("--store", named, "import", archive, NULL)->code);
    EXPECT_NOT_NULL(
            strstr(run_bare("--store", named, "stats", NULL)->out, " flat\n"));
    unsetenv("DNNL_CACHE_DIR");
}

/* A flat store under LRU, which is the layer's, notes it as its files' time. */
TEST_C(ToolPlace, OfAnyTypeTellsTheLastUse)
{
    struct made m = make_engine("GPU", "1");
    const struct timespec used[2] = {
            {.tv_sec = 4136745600}, {.tv_sec = 4136745600}};
    glob_t found = {0};
    make_store(1, "store", &m);
    ASSERT_EQ(0, glob(in_test("store/*.cl_cache"), 0, NULL, &found));
    ASSERT_EQ(1, found.gl_pathc);
    ASSERT_EQ(0, utimensat(AT_FDCWD, found.gl_pathv[0], used, 0));
    globfree(&found);
    EXPECT_NOT_NULL(strstr(run_tool("list", NULL)->out, "2101-02-02 "));
    EXPECT_NOT_NULL(strstr(
            run_tool("stats", "--json", NULL)->out, "\"used\": \"2101-02-02T"));
    made_fini(&m);
}

TEST_C(ToolPlace, IsWhatIsThereWhateverTheEnvironmentSays)
{
    struct made m = make_engine("GPU", "1");
    make_store(0, "store", &m);
    setenv("DNNL_CACHE_STORE", "pack", 1);
    EXPECT_NOT_NULL(strstr(run_tool("stats", NULL)->out, " bucket\n"));
    unsetenv("DNNL_CACHE_STORE");
    /* Two in one place would take each other's files away. */
    make_store(1, "other", NULL);
    ASSERT_EQ(0,
            rename(in_test("other/config.file"), in_test("store/config.file")));
    const struct run *run = run_tool("clear", "--yes", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "a flat store is there (config.file)"));
    made_fini(&m);
}
