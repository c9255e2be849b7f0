/* SPDX-License-Identifier: Apache-2.0 */
/* What the platform's files, paths and masks of signals promise. */
#include "src/platform/file.h"
#include "src/platform/file_system.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "src/platform/signal_mask.h"

#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *put_path(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%s/%s", test_directory(), name);
    return path;
}

enum { at_one_stroke = 124 << 10 };

/* Memory that is given next is not zero. */
static void soil_memory(void)
{
    char *memory = malloc(at_one_stroke);
    ASSERT_TRUE(memory != NULL);
    memset(memory, 'x', at_one_stroke);
    EXPECT_EQ('x', ((volatile char *)memory)[at_one_stroke - 1]);
    free(memory);
}

/* A small file is read at one stroke; the others are asked for their size. */
TEST_C(File, IsReadWholeWhateverItsSize)
{
    static const size_t sizes[] = {
            0, 1, at_one_stroke - 1, at_one_stroke, at_one_stroke + 1};
    static char bytes[at_one_stroke + 1];
    char path[path_size];
    int folder;
    ASSERT_EQ(0, folder_open(&folder, file_here, test_directory()));
    put_path(path, "file");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i % 251);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *data = NULL;
        size_t size = 7;
        const struct file_part part = {bytes, sizes[i]};
        ASSERT_EQ(0, file_replace(folder, folder, "file", &part, 1, 0600, false,
                             file_durability_none));
        soil_memory();
        ASSERT_EQ(0, file_read_whole(&data, &size, file_here, path, sizes[i]));
        EXPECT_EQ(sizes[i], size);
        EXPECT_EQ(0, memcmp(bytes, data, size));
        EXPECT_EQ(0, data[size]);
        free(data);
        if (sizes[i] > 0)
            EXPECT_EQ(EFBIG, file_read_whole(&data, &size, file_here, path,
                                     sizes[i] - 1));
    }
    (void)file_close(folder);
}

TEST_C(File, ThatIsNoneIsNotRead)
{
    uint8_t *data;
    size_t size;
    char path[path_size];
    EXPECT_EQ(ELOOP, file_read_whole(&data, &size, file_here, test_directory(),
                             UINT64_MAX));
    EXPECT_EQ(0, mkfifo(put_path(path, "fifo"), 0600));
    EXPECT_EQ(
            ELOOP, file_read_whole(&data, &size, file_here, path, UINT64_MAX));
}

static int open_to_lock(const char *path)
{
    int fd;
    EXPECT_EQ(0,
            file_open(&fd, file_here, path,
                    file_for_reading | file_for_writing | file_made_if_missing,
                    0600));
    return fd;
}

TEST_C(File, RangesAreLockedByWhoHasItOpen)
{
    char path[path_size];
    bool locked = true;
    put_path(path, "file");
    const int one = open_to_lock(path);
    const int other = open_to_lock(path);
    EXPECT_EQ(0, file_range_is_locked(&locked, one, 10, 5));
    EXPECT_FALSE(locked);
    EXPECT_EQ(0, file_lock_range(one, file_lock_shared, 10, 5));
    EXPECT_EQ(0, file_lock_range(other, file_lock_shared, 12, 1));
    EXPECT_EQ(EAGAIN, file_lock_range(one, file_lock_alone, 10, 5));
    EXPECT_EQ(0, file_range_is_locked(&locked, other, 10, 1));
    EXPECT_TRUE(locked);
    EXPECT_EQ(0, file_unlock_range(other, 0, 0));
    EXPECT_EQ(0, file_lock_range(one, file_lock_alone, 10, 5));
    EXPECT_EQ(EAGAIN, file_lock_range(other, file_lock_shared, 14, 1));
    EXPECT_EQ(0, file_lock_range(other, file_lock_alone, 15, 1));
    EXPECT_EQ(0, file_close(one));
    EXPECT_EQ(0, file_close(other));
}

TEST_C(File, OfAPipeHasWhatIsWrittenToTheOther)
{
    char bytes[8];
    size_t got;
    int reader;
    int writer;
    ASSERT_EQ(0, file_pipe(&reader, &writer));
    EXPECT_TRUE(reader > STDERR_FILENO && writer > STDERR_FILENO);
    EXPECT_EQ(0, file_write_all(writer, "abc", 3));
    EXPECT_EQ(0, file_read_some(&got, reader, bytes, sizeof bytes));
    EXPECT_EQ(3, got);
    EXPECT_EQ(0, memcmp("abc", bytes, 3));
    EXPECT_EQ(0, file_close(writer));
    EXPECT_EQ(0, file_read_some(&got, reader, bytes, sizeof bytes));
    EXPECT_EQ(0, got);
    EXPECT_EQ(0, file_close(reader));
}

TEST_C(File, LinksSayWhereTheyLead)
{
    struct file_facts facts;
    char target[path_size];
    int folder;
    ASSERT_EQ(0, folder_open(&folder, file_here, test_directory()));
    EXPECT_EQ(0, file_make_link(folder, "link", "no/where"));
    EXPECT_EQ(EEXIST, file_make_link(folder, "link", "elsewhere"));
    EXPECT_EQ(0, file_facts_of_link(&facts, folder, "link"));
    EXPECT_EQ(file_is_link, facts.kind);
    EXPECT_EQ(ENOENT, file_facts_at(&facts, folder, "link"));
    EXPECT_EQ(0, file_link_target(target, sizeof target, folder, "link"));
    EXPECT_STR_EQ("no/where", target);
    (void)file_close(folder);
}

static int count_until_two(void *user, const char *path)
{
    int *count = user;
    EXPECT_TRUE(strstr(path, ".icd") != NULL);
    return ++*count == 2 ? 7 : 0;
}

TEST_C(Folder, PathsOfAPatternAreVisitedUntilToldToStop)
{
    static const char *const names[] = {"a.icd", "b.icd", "c.icd", "a.txt"};
    char path[path_size];
    int count = 0;
    int folder;
    ASSERT_EQ(0, folder_open(&folder, file_here, test_directory()));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ASSERT_EQ(0, file_make(folder, names[i], 0600));
    EXPECT_EQ(7, folder_each_match(
                         put_path(path, "[a-c].icd"), count_until_two, &count));
    EXPECT_EQ(2, count);
    EXPECT_EQ(0, folder_each_match(
                         put_path(path, "a.i*"), count_until_two, &(int){5}));
    EXPECT_EQ(0, folder_each_match(put_path(path, "[x-z].icd"), count_until_two,
                         &(int){1}));
    (void)file_close(folder);
}

static bool is_in(const char *names, size_t size, const char *name)
{
    for (size_t at = 0; at < size; at += strlen(names + at) + 1)
        if (strcmp(names + at, name) == 0) return true;
    return false;
}

/* More than fit into one answer of the kernel's. */
TEST_C(Folder, HasAllItsNamesInAList)
{
    enum { count = 2000 };
    char path[path_size];
    char *names = NULL;
    size_t size = 7;
    size_t bytes = 0;
    bool at_once = false;
    int fd;
    ASSERT_EQ(0, folder_make(file_here, put_path(path, "folder"), 0700, true));
    ASSERT_EQ(0, folder_open(&fd, file_here, path));
    EXPECT_EQ(0, folder_read_names(&names, &size, &at_once, fd));
    EXPECT_EQ(0, size);
    EXPECT_TRUE(at_once);
    free(names);
    (void)file_close(fd);
    ASSERT_EQ(0, folder_open(&fd, file_here, path));
    for (int i = 0; i < count; i++) {
        char name[48];
        bytes += (size_t)snprintf(
                         name, sizeof name, "a name of some length, and %d", i)
                 + 1;
        ASSERT_EQ(0, file_make(fd, name, 0600));
    }
    ASSERT_EQ(0, folder_read_names(&names, &size, &at_once, fd));
    EXPECT_EQ(bytes, size);
    EXPECT_FALSE(at_once); /* more than the system tells in one piece */
    EXPECT_TRUE(is_in(names, size, "a name of some length, and 0"));
    EXPECT_TRUE(is_in(names, size, "a name of some length, and 1999"));
    EXPECT_FALSE(is_in(names, size, "."));
    EXPECT_FALSE(is_in(names, size, ".."));
    free(names);
    (void)file_close(fd);
    ASSERT_EQ(0, file_make(file_here, put_path(path, "file"), 0600));
    ASSERT_EQ(0, file_open(&fd, file_here, path, file_for_reading, 0));
    EXPECT_EQ(ENOTDIR, folder_read_names(&names, &size, &at_once, fd));
    EXPECT_EQ(0, size);
    EXPECT_TRUE(names == NULL);
    (void)file_close(fd);
}

TEST_C(Library, IsKnownByTheFileThatTheSystemFound)
{
    const char *why = NULL;
    char path[path_size];
    double (*find)(double);
    struct library *library = library_open_lazily("libm.so.6", &why);
    ASSERT_TRUE(library != NULL);
    EXPECT_TRUE(library_find(library, "cbrt", &find));
    EXPECT_TRUE(library_path(path, library));
    EXPECT_EQ('/', path[0]);
    EXPECT_TRUE(file_may_be_read(path));
    library_close(library);
    EXPECT_TRUE(library_open_lazily("libnone-such.so.1", &why) == NULL);
    EXPECT_TRUE(strstr(why, "libnone-such.so.1") != NULL);
}

TEST_C(Path, FromTheRootKeepsLinks)
{
    char working[path_size];
    char expected[path_size + 16];
    ASSERT_TRUE(path_working(working));
    (void)snprintf(expected, sizeof expected, "%s/a/../b", working);
    char *path = path_from_root("a/../b");
    EXPECT_STR_EQ(expected, path);
    free(path);
    path = path_from_root("/a/../b");
    EXPECT_STR_EQ("/a/../b", path);
    free(path);
}

static bool is_blocked(int signal)
{
    sigset_t mask;
    return pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0
           && sigismember(&mask, signal) == 1;
}

TEST_C(FileSystem, IsNamedByItsType)
{
    static const struct {
        unsigned long type;
        enum file_system_kind kind;
        const char *name;
    } of[] = {{0x6969, file_system_is_network, "NFS"},
            {0xff534d42, file_system_is_network, "SMB (CIFS)"},
            {(unsigned long)0xfffffffffe534d42, file_system_is_network,
                    "SMB (CIFS)"},
            {0x01021997, file_system_is_network, "9p"},
            {0x65735546, file_system_is_fuse, "FUSE"},
            {0x794c7630, file_system_is_union, "overlayfs"},
            {0xef53, file_system_is_local, ""}, {0, file_system_is_local, ""}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct file_system fs = file_system_of_type(of[i].type);
        EXPECT_EQ(of[i].kind, fs.kind);
        EXPECT_STR_EQ(of[i].name, fs.name);
        EXPECT_EQ(fs.kind == file_system_is_local,
                file_system_words(fs.kind)[0] == '\0');
    }
}

/* Of one that is not known nothing is relied on; of a server's, a program's and
 * a union's neither, but for overlayfs, whose layers are looked at. */
TEST_C(FileSystem, IsReliedOnByItsType)
{
    static const struct {
        unsigned long type;
        bool tells_all_names;
        enum file_stamps stamps;
    } of[] = {{0xef53, true, file_stamps_are_kept},
            {0x58465342, true, file_stamps_are_kept},
            {0x9123683e, true, file_stamps_are_kept},
            {0xf2f52010, true, file_stamps_are_kept},
            {0x01021994, true, file_stamps_are_kept},
            {0x794c7630, true, file_stamps_are_of_layers},
            {0x61756673, false, file_stamps_are_loose},
            {0x6969, false, file_stamps_are_loose},
            {0xff534d42, false, file_stamps_are_loose},
            {0x65735546, false, file_stamps_are_loose},
            {0x9fa0, false, file_stamps_are_loose}, /* /proc */
            {0, false, file_stamps_are_loose}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct file_system fs = file_system_of_type(of[i].type);
        EXPECT_EQ(of[i].tells_all_names, fs.tells_all_names);
        EXPECT_EQ(of[i].stamps, fs.stamps);
    }
}

TEST_C(FileSystem, OfAnOpenFolder)
{
    struct file_system fs;
    int fd;
    ASSERT_EQ(0, folder_open(&fd, file_here, "/proc"));
    EXPECT_EQ(0, file_system_of_open(&fs, fd));
    EXPECT_FALSE(fs.tells_all_names || folder_tells_all_names(fd));
    EXPECT_EQ(0, file_close(fd));
    EXPECT_EQ(EBADF, file_system_of_open(&fs, file_none));
    EXPECT_FALSE(folder_tells_all_names(file_none));
}

/* Also of what is not there yet: it will be where the folder above is. */
TEST_C(FileSystem, OfWhatIsNotThereIsTheOneAbove)
{
    char path[path_size];
    errno = 5;
    EXPECT_STR_EQ(file_system_of(test_directory()).name,
            file_system_of(put_path(path, "none/such/folder")).name);
    EXPECT_EQ(file_system_is_local, file_system_of("/proc/none").kind);
    EXPECT_EQ(file_system_is_local, file_system_of("none").kind);
    EXPECT_EQ(file_system_is_local, file_system_of("").kind);
    EXPECT_EQ(5, errno);
}

TEST_C(SignalMask, OfAnInnerCallEndsWithTheOuterOne)
{
    struct signal_mask outer;
    struct signal_mask inner;
    ASSERT_FALSE(is_blocked(SIGXFSZ) || is_blocked(SIGPIPE));
    signal_mask_begin(&outer);
    signal_mask_begin(&inner);
    EXPECT_EQ(0, raise(SIGPIPE));
    signal_mask_end(&inner);
    EXPECT_EQ(0, raise(SIGXFSZ));
    EXPECT_TRUE(is_blocked(SIGXFSZ) && is_blocked(SIGPIPE));
    signal_mask_end(&outer); /* either would end the process */
    EXPECT_FALSE(is_blocked(SIGXFSZ) || is_blocked(SIGPIPE));
}
