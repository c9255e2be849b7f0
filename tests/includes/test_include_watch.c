/* SPDX-License-Identifier: Apache-2.0 */
/* What comes and goes where a compiler looks, while it runs. */
#include "src/includes/include_watch.h"

#include "src/platform/clock.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

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

static struct include_watch *begin_at(size_t count, const char *const *places)
{
    struct include_files files = {0};
    char reason[160];
    for (size_t i = 0; i < count; i++) {
        size_t index = 0;
        EXPECT_TRUE(include_files_find(
                &files, in_test(places[i]), &index, sizeof reason, reason));
    }
    struct include_watch *watch = include_watch_begin(&files);
    include_files_fini(&files);
    return watch;
}

/* folder/here.h is there, the others are not; link leads to folder. */
static struct include_watch *begin(void)
{
    static const char *const places[] = {"folder/here.h", "folder/x.h",
            "folder/none/y.h", "link/z.h", "link/here.h"};
    struct include_watch *watch =
            begin_at(sizeof places / sizeof *places, places);
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

/* As if folder/here.h had been changed at that time of the system's. */
static struct include_watch *begin_after(uint64_t changed_ns)
{
    struct include_files files = {0};
    char reason[160];
    size_t index = INCLUDE_NO_FILE;
    EXPECT_TRUE(include_files_find(
            &files, in_test("folder/here.h"), &index, sizeof reason, reason));
    EXPECT_EQ(index, 0);
    if (index == 0) files.list[index].changed_ns = changed_ns;
    struct include_watch *watch = include_watch_begin(&files);
    include_files_fini(&files);
    return watch;
}

/* The files' times are compared at the end: a file that was written just before
 * must not keep its time when it is written under the compiler. Kernels before
 * 6.13 give all changes of one tick the same time. */
TEST_C(LayerIncludeWatch, BeginsInAnotherTickThanTheLastChange)
{
    enum { ahead_ns = 8000000 };
    make_all();
    const uint64_t changed_ns = clock_file_ns() + ahead_ns;
    struct include_watch *watch = begin_after(changed_ns);
    EXPECT_TRUE(clock_file_ns() > changed_ns);
    EXPECT_TRUE(include_watch_end(watch));
}

TEST_C(LayerIncludeWatch, DoesNotWaitForAClockThatWasSetBack)
{
    const uint64_t hour_ns = UINT64_C(3600000000000);
    make_all();
    const uint64_t start = clock_ns();
    struct include_watch *watch = begin_after(clock_file_ns() + hour_ns);
    EXPECT_TRUE(clock_ns() - start < hour_ns / 60);
    EXPECT_TRUE(include_watch_end(watch));
}

/* On a file system that knows no case these are names of folder/x.h and of the
 * link. */
TEST_C(LayerIncludeWatch, TakesEachCaseOfANameForTheName)
{
    static const char *const names[] = {"folder/X.H", "LINK", "folder/None"};
    make_all();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct include_watch *watch = begin();
        write_file(names[i]);
        ASSERT_EQ(0, unlink(in_test(names[i])));
        EXPECT_FALSE(include_watch_end(watch));
    }
}

/* Capital and small letters beyond ASCII may differ in length. */
TEST_C(LayerIncludeWatch, TakesLettersBeyondAsciiForEachOther)
{
    static const char *const places[] = {"folder/gr\xc3\xbc\xc3\x9f.h"};
    make_all();
    struct include_watch *watch = begin_at(1, places);
    write_file("folder/GR\xc3\x9c\xe1\xba\x9e.H");
    EXPECT_FALSE(include_watch_end(watch));
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

/* Of one place alone, which is behind a link. */
static struct include_watch *begin_behind(const char *place)
{
    struct include_watch *watch = begin_at(1, &place);
    EXPECT_NOT_NULL(watch);
    return watch;
}

static void expect_move_noticed(const char *place, const char *moved)
{
    struct include_watch *watch = begin_behind(place);
    ASSERT_EQ(0, rename(in_test(moved), in_test("away")));
    ASSERT_EQ(0, rename(in_test("away"), in_test(moved)));
    EXPECT_FALSE(include_watch_end(watch));
}

TEST_C(LayerIncludeWatch, NoticesWhatALinkLeadsTo)
{
    make_folder("a");
    make_folder("a/b");
    make_folder("a/b/c");
    ASSERT_EQ(0, symlink(in_test("a/b/c"), in_test("absolute")));
    ASSERT_EQ(0, symlink("a/b/../b/c", in_test("relative")));
    ASSERT_EQ(0, symlink("relative", in_test("second")));
    expect_move_noticed("absolute/z.h", "a/b/c");
    expect_move_noticed("absolute/z.h", "a/b");
    expect_move_noticed("relative/z.h", "a");
    expect_move_noticed("second/z.h", "a/b/c");
    expect_move_noticed("second/z.h", "relative");
    EXPECT_TRUE(include_watch_end(begin_behind("second/z.h")));
}

TEST_C(LayerIncludeWatch, NoticesWhatALinkToNothingLeadsTo)
{
    make_folder("a");
    ASSERT_EQ(0, symlink("a/none.h", in_test("none.h")));
    struct include_watch *watch = begin_behind("none.h");
    write_file("a/none.h");
    ASSERT_EQ(0, unlink(in_test("a/none.h")));
    EXPECT_FALSE(include_watch_end(watch));
}

/* What is in the folder can be opened by who knows its name. Where the folders
 * that lead to the test's let the other user watch nothing, all is left out. */
TEST_C(LayerIncludeWatch, WatchesNoNamesInAFolderThatCannotBeRead)
{
    static const char *const beside = "x.h";
    static const char *const file = "closed/x.h";
    static const char *const deeper = "closed/open/x.h";
    const bool is_root = geteuid() == 0;
    make_folder("closed");
    make_folder("closed/open");
    ASSERT_EQ(0, chmod(in_test("closed/open"), 0755));
    ASSERT_EQ(0, chmod(in_test("closed"), is_root ? 0711 : 0300));
    ASSERT_EQ(0, chmod(test_directory(), 0755));
    ASSERT_EQ(0, chmod(in_test(".."), 0755)); /* this program's own */
    if (is_root) ASSERT_EQ(0, seteuid(65534));
    const bool is_reached =
            faccessat(AT_FDCWD, in_test("closed"), F_OK, AT_EACCESS) == 0
            && include_watch_end(begin_at(1, &beside));
    struct include_watch *at_file = is_reached ? begin_at(1, &file) : NULL;
    struct include_watch *at_deeper = is_reached ? begin_at(1, &deeper) : NULL;
    if (is_root) ASSERT_EQ(0, seteuid(0));
    if (is_reached) {
        EXPECT_NULL(at_file);
        EXPECT_NOT_NULL(at_deeper);
        ASSERT_EQ(0, rename(in_test("closed/open"), in_test("closed/away")));
        ASSERT_EQ(0, rename(in_test("closed/away"), in_test("closed/open")));
        EXPECT_FALSE(include_watch_end(at_deeper));
    }
    ASSERT_EQ(0, chmod(in_test("closed"), 0700));
    ASSERT_EQ(0, chmod(in_test(".."), 0700));
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

/* ---- Its descriptor ------------------------------------------------------ */

/* The number of this process's inotify instance; -1: none. */
static int inotify_descriptor(void)
{
    for (int fd = 0; fd < 256; fd++) {
        char link[64];
        char target[64] = "";
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, target, sizeof target - 1) > 0
                && strcmp(target, "anon_inode:inotify") == 0)
            return fd;
    }
    return -1;
}

/* What the application's own instance tells is the application's. */
TEST_C(LayerIncludeWatch, LeavesAnotherInstanceOfTheNumberAlone)
{
    char event[4096];
    make_folder("folder");
    write_file("folder/here.h");
    ASSERT_EQ(0, symlink("folder", in_test("link")));
    struct include_watch *watch = begin();
    const int fd = inotify_descriptor();
    ASSERT_TRUE(fd >= 64);
    const int own = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ASSERT_TRUE(inotify_add_watch(own, in_test("folder"), IN_CREATE) > 0);
    ASSERT_EQ(fd, dup2(own, fd));
    close(own);
    write_file("folder/new.h");
    EXPECT_FALSE(include_watch_end(watch));
    EXPECT_TRUE(read(fd, event, sizeof event) > 0);
    close(fd);
}

/* As when an application closes all it knows nothing of, and opens a pipe. */
TEST_C(LayerIncludeWatch, LeavesADescriptorAloneThatIsNotItsOwnAnyMore)
{
    int ends[2];
    char byte = 0;
    make_folder("folder");
    write_file("folder/here.h");
    ASSERT_EQ(0, symlink("folder", in_test("link")));
    struct include_watch *watch = begin();
    const int fd = inotify_descriptor();
    ASSERT_TRUE(fd >= 0);
    ASSERT_EQ(0, pipe(ends));
    ASSERT_EQ(fd, dup2(ends[0], fd));
    ASSERT_EQ(1, write(ends[1], "x", 1));
    EXPECT_FALSE(include_watch_end(watch));
    EXPECT_EQ(1, read(fd, &byte, 1));
    EXPECT_EQ('x', byte);
    close(fd);
    close(ends[0]);
    close(ends[1]);
    EXPECT_EQ(-1, inotify_descriptor());
}
