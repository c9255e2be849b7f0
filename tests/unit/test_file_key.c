/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_key.h"

#include "test.h"

#include <fcntl.h>
#include <linux/major.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#ifndef STATX_INO /* musl's of Debian 12 has only the kernel's */
#include <linux/stat.h>
#endif

static size_t make_key(char key[FILE_KEY_MAX], int fd,
        const struct file_facts *facts, const char *path)
{
    uint64_t system = 0;
    return file_key_make(key, &system, fd, facts, path);
}

/* A new file's; -1: of a file system whose files have no keys. */
static int make_file(char path[512], struct file_facts *facts)
{
    char key[FILE_KEY_MAX];
    snprintf(path, 512, "%.400s/file", test_directory());
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || file_facts(facts, fd) != 0) return -1;
    if (facts->changed_ns % 1000000000 != 0
            && make_key(key, fd, facts, path) != 0)
        return fd;
    close(fd);
    return -1;
}

TEST_C(FileKey, NamesThePath)
{
    char path[512];
    char key[FILE_KEY_MAX];
    struct file_facts facts;
    const int fd = make_file(path, &facts);
    if (fd < 0) SKIP_TEST("a file system without digests");
    const size_t size = make_key(key, fd, &facts, path);
    EXPECT_EQ(strlen(key), size);
    EXPECT_EQ(0, strcmp(path, file_key_path(key)));
    EXPECT_EQ(0, make_key(key, fd, &facts, "file"));
    close(fd);
}

/* Where an open file on the same device has told which file system it is. */
TEST_C(FileKey, IsTheSameOfAFileThatIsNotOpen)
{
    char path[512];
    char open_key[FILE_KEY_MAX];
    char key[FILE_KEY_MAX];
    struct file_facts facts;
    uint64_t system = 0;
    const int fd = make_file(path, &facts);
    if (fd < 0) SKIP_TEST("a file system without digests");
    EXPECT_EQ(0, file_key_make(key, &system, file_none, &facts, path));
    EXPECT_EQ(0, system);
    const size_t size = file_key_make(open_key, &system, fd, &facts, path);
    EXPECT_GT(size, 0);
    EXPECT_GT(system, 0);
    EXPECT_EQ(size, file_key_make(key, &system, file_none, &facts, path));
    EXPECT_EQ(0, memcmp(open_key, key, size));
    /* The path leads to a file with other times by now. */
    facts.changed_ns -= facts.changed_ns % 1000000000;
    EXPECT_EQ(0, file_key_make(key, &system, file_none, &facts, path));
    close(fd);
}

static bool has_mount_numbers(int fd)
{
    enum { unique = 0x4000 };
    struct statx st;
    return syscall(SYS_statx, fd, "", AT_EMPTY_PATH, unique, &st) == 0
           && (st.stx_mask & unique) != 0;
}

/* Another image may have the same numbers and times, but not the same mount. */
TEST_C(FileKey, OfWhatMayBeAnImagesNamesTheMount)
{
    char path[512];
    char key[FILE_KEY_MAX];
    struct file_facts facts;
    const int fd = make_file(path, &facts);
    if (fd < 0) SKIP_TEST("a file system without digests");
    struct file_facts changed = facts;
    changed.changed_ns -= changed.changed_ns % 1000000000;
    const size_t size = make_key(key, fd, &changed, path);
    if (has_mount_numbers(fd)) {
        const char *version = strchr(key, ' ') + 1;
        unsigned long long mount = 0;
        EXPECT_EQ(strlen(key), size);
        EXPECT_EQ(1, sscanf(version, "1/%llu ", &mount));
        EXPECT_GT(mount, 0);
        EXPECT_EQ(0, strcmp(path, file_key_path(key)));
    } else {
        EXPECT_EQ(0, size);
    }
    changed.device = makedev(LOOP_MAJOR, 7);
    EXPECT_EQ(0, make_key(key, fd, &changed, path));
    changed = facts;
    changed.device = makedev(LOOP_MAJOR, 7);
    EXPECT_EQ(0, make_key(key, fd, &changed, path));
    EXPECT_GT(make_key(key, fd, &facts, path), 0);
    close(fd);
}
