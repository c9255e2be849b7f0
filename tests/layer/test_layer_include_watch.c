/* SPDX-License-Identifier: Apache-2.0 */
/* What comes and goes where a compiler looks, while it runs. */
#include "include_watch.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 512 };

static const char *in_test(const char *name)
{
    static char paths[4][path_size];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
    return path;
}

static void write_file(const char *name)
{
    FILE *out = fopen(in_test(name), "we");
    ASSERT_NOT_NULL(out);
    ASSERT_EQ(0, fclose(out));
}

static void make_folder(const char *name)
{
    ASSERT_EQ(0, mkdir(in_test(name), 0700));
}

/* folder/here.h is there, the others are not; link leads to folder. */
static const char *const places[] = {"folder/here.h", "folder/x.h",
        "folder/none/y.h", "link/z.h", "link/here.h"};

static struct include_watch *begin(void)
{
    struct include_files files = {0};
    char reason[160];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t index = 0;
        EXPECT_TRUE(include_files_find(
                &files, in_test(places[i]), &index, sizeof reason, reason));
    }
    struct include_watch *watch = include_watch_begin(&files);
    include_files_fini(&files);
    EXPECT_NOT_NULL(watch);
    return watch;
}

static void make_all(void)
{
    make_folder("folder");
    make_folder("other");
    write_file("folder/here.h");
    write_file("other/here.h");
    ASSERT_EQ(0, symlink("folder", in_test("link")));
}

TEST_C(LayerIncludeWatch, IsQuietIfNothingIsAskedFor)
{
    make_all();
    struct include_watch *watch = begin();
    write_file("folder/another.h");
    write_file("x.h");
    make_folder("folder/n");
    ASSERT_EQ(0, unlink(in_test("folder/another.h")));
    ASSERT_EQ(0, rename(in_test("other"), in_test("others")));
    EXPECT_TRUE(include_watch_end(watch));
    EXPECT_FALSE(include_watch_end(NULL));
}

TEST_C(LayerIncludeWatch, NoticesAFileThatComesAndGoes)
{
    make_all();
    struct include_watch *watch = begin();
    write_file("folder/x.h");
    ASSERT_EQ(0, unlink(in_test("folder/x.h")));
    EXPECT_FALSE(include_watch_end(watch));
    /* By another name of its folder. */
    watch = begin();
    write_file("folder/z.h");
    ASSERT_EQ(0, unlink(in_test("folder/z.h")));
    EXPECT_FALSE(include_watch_end(watch));
    /* Moved there, and away. */
    write_file("a.h");
    watch = begin();
    ASSERT_EQ(0, rename(in_test("a.h"), in_test("folder/x.h")));
    ASSERT_EQ(0, rename(in_test("folder/x.h"), in_test("a.h")));
    EXPECT_FALSE(include_watch_end(watch));
}

TEST_C(LayerIncludeWatch, NoticesAFolderThatComesAndGoes)
{
    make_all();
    struct include_watch *watch = begin();
    make_folder("folder/none");
    ASSERT_EQ(0, rmdir(in_test("folder/none")));
    EXPECT_FALSE(include_watch_end(watch));
    watch = begin();
    ASSERT_EQ(0, rename(in_test("folder"), in_test("kept")));
    ASSERT_EQ(0, rename(in_test("kept"), in_test("folder")));
    EXPECT_FALSE(include_watch_end(watch));
}

TEST_C(LayerIncludeWatch, NoticesALinkThatLeadsElsewhere)
{
    make_all();
    struct include_watch *watch = begin();
    ASSERT_EQ(0, unlink(in_test("link")));
    ASSERT_EQ(0, symlink("other", in_test("link")));
    ASSERT_EQ(0, unlink(in_test("link")));
    ASSERT_EQ(0, symlink("folder", in_test("link")));
    EXPECT_FALSE(include_watch_end(watch));
}

/* More than the system keeps of them, of names that nobody asks for. */
TEST_C(LayerIncludeWatch, IsNotQuietIfEventsAreLost)
{
    unsigned long most = 16384;
    FILE *in = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
    if (in != NULL) {
        EXPECT_EQ(1, fscanf(in, "%lu", &most));
        (void)fclose(in);
    }
    make_all();
    write_file("folder/a");
    struct include_watch *watch = begin();
    for (unsigned long i = 0; i <= most / 2; i++) {
        ASSERT_EQ(0, rename(in_test("folder/a"), in_test("folder/b")));
        ASSERT_EQ(0, rename(in_test("folder/b"), in_test("folder/a")));
    }
    EXPECT_FALSE(include_watch_end(watch));
}
