/* SPDX-License-Identifier: Apache-2.0 */
/* The names in PoCL's binaries, of each layout that is known and of others. */
#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"
#include "src/gpu/device/pocl_binary.h"

#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { BINARY_SIZE = 200, NAME_SIZE = 41 };

static const char temporary[] = "_UNCACHED_aB3xY9";
static const char hash[] = "AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG";

struct binary {
    uint8_t bytes[BINARY_SIZE];
    size_t at; /* of the name */
};

static struct binary binary_of(uint32_t version, const char *name)
{
    struct binary b = {.at = version < 9 ? 32 : 36};
    for (size_t i = 0; i < sizeof b.bytes; i++)
        b.bytes[i] = (uint8_t)(i * 7 + 1);
    memcpy(b.bytes, "poclbin", 8);
    store_le32(b.bytes + 16, version);
    memset(b.bytes + b.at, 0, NAME_SIZE);
    memcpy(b.bytes + b.at, name, strlen(name));
    return b;
}

static dnnl_status_t rename_in(
        struct binary *b, const char *kernel_cache, bool *is_shared)
{
    if (kernel_cache != NULL)
        setenv("POCL_KERNEL_CACHE", kernel_cache, 1);
    else
        unsetenv("POCL_KERNEL_CACHE");
    return pocl_binary_rename(b->bytes, sizeof b->bytes, is_shared);
}

/* All but the name is as it was, and the name is text of that length. */
static void expect_renamed(
        const struct binary *before, const struct binary *after, size_t length)
{
    const size_t at = before->at;
    const size_t behind = at + NAME_SIZE;
    const char *name = (const char *)after->bytes + at;
    EXPECT_BYTES_EQ(before->bytes, at, after->bytes, at);
    EXPECT_BYTES_EQ(before->bytes + behind, BINARY_SIZE - behind,
            after->bytes + behind, BINARY_SIZE - behind);
    EXPECT_NE(0, memcmp(name, before->bytes + at, NAME_SIZE));
    EXPECT_EQ(length, strnlen(name, NAME_SIZE));
}

static const uint32_t known[] = {8, 9, 11, 12};

TEST_C(PoclBinary, HasANameOfItsOwnAtEachLoadWithoutPoclsCache)
{
    static const char *const names[] = {temporary, hash};
    static const char *const off[] = {"0", "", "no"};
    for (int v = 0; v < 4; v++)
        for (int n = 0; n < 2; n++) {
            bool is_shared = true;
            const struct binary given = binary_of(known[v], names[n]);
            struct binary one = given;
            struct binary other = given;
            ASSERT_OK(rename_in(&one, off[n], &is_shared));
            EXPECT_FALSE(is_shared);
            ASSERT_OK(rename_in(&other, off[2], &is_shared));
            expect_renamed(&given, &one, NAME_SIZE - 1);
            expect_renamed(&one, &other, NAME_SIZE - 1);
            EXPECT_EQ(0, memcmp(one.bytes + one.at, "_UNCACHED_", 10));
            /* One that was renamed once can be renamed again. */
            struct binary again = one;
            ASSERT_OK(rename_in(&again, "0", &is_shared));
            expect_renamed(&one, &again, NAME_SIZE - 1);
        }
}

TEST_C(PoclBinary, KeepsTheNameOfPoclsOwnCache)
{
    static const char *const on[] = {"1", "10", NULL};
    for (int i = 0; i < 3; i++) {
        bool is_shared = false;
        const struct binary given = binary_of(9, hash);
        struct binary b = given;
        ASSERT_OK(rename_in(&b, on[i], &is_shared));
        EXPECT_TRUE(is_shared);
        EXPECT_BYTES_EQ(given.bytes, BINARY_SIZE, b.bytes, BINARY_SIZE);
    }
}

TEST_C(PoclBinary, GetsOneNameForTheSameBytesWithPoclsCache)
{
    bool is_shared = false;
    const struct binary given = binary_of(9, temporary);
    struct binary one = given;
    struct binary same = given;
    struct binary other = given;
    other.bytes[BINARY_SIZE - 1] ^= 1;
    ASSERT_OK(rename_in(&one, NULL, &is_shared));
    EXPECT_TRUE(is_shared);
    ASSERT_OK(rename_in(&same, "1", &is_shared));
    ASSERT_OK(rename_in(&other, "1", &is_shared));
    expect_renamed(&given, &one, NAME_SIZE - 1);
    EXPECT_BYTES_EQ(one.bytes, BINARY_SIZE, same.bytes, BINARY_SIZE);
    EXPECT_NE(0, memcmp(one.bytes + one.at, other.bytes + one.at, NAME_SIZE));
    EXPECT_EQ('/', one.bytes[one.at + 2]);
}

static void expect_refused(struct binary b)
{
    const struct binary given = b;
    bool is_shared = true;
    EXPECT_STATUS(dnnl_unimplemented, rename_in(&b, "0", &is_shared));
    EXPECT_OK(rename_in(&b, "1", &is_shared));
    EXPECT_BYTES_EQ(given.bytes, BINARY_SIZE, b.bytes, BINARY_SIZE);
}

TEST_C(PoclBinary, OfALayoutThatIsNotKnownIsLeftAlone)
{
    static const char *const names[] = {"", "_UNCACHED_", "_UNCACHED_aB3xY",
            "_UNCACHED_aB3xY91", "_UNCACHED_aB/xY9", "tempdir_aB3xY9",
            "AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEF",
            "ABC/DEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG",
            "AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFQ"};
    static const uint32_t versions[] = {0, 7, 10, 13, 0xffffffff};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect_refused(binary_of(9, names[i]));
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        expect_refused(binary_of(versions[i], temporary));
    struct binary misplaced = binary_of(8, temporary);
    store_le32(misplaced.bytes + 16, 9);
    expect_refused(misplaced);
}

/* Byte for byte in memory of that very size, for AddressSanitizer. */
TEST_C(PoclBinary, CutShortIsLeftAlone)
{
    const struct binary whole = binary_of(9, temporary);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    for (size_t size = 1; size < whole.at + NAME_SIZE; size++) {
        bool is_shared = true;
        uint8_t *cut = malloc(size);
        ASSERT_NOT_NULL(cut);
        memcpy(cut, whole.bytes, size);
        EXPECT_EQ(size >= 20, pocl_layout_is(cut, size));
        if (size >= 20)
            EXPECT_STATUS(dnnl_unimplemented,
                    pocl_binary_rename(cut, size, &is_shared));
        EXPECT_BYTES_EQ(whole.bytes, size, cut, size);
        free(cut);
    }
}

TEST_C(PoclBinary, IsKnownByItsFirstBytes)
{
    struct binary b = binary_of(9, temporary);
    EXPECT_TRUE(pocl_layout_is(b.bytes, sizeof b.bytes));
    b.bytes[0] = 'P';
    EXPECT_FALSE(pocl_layout_is(b.bytes, sizeof b.bytes));
}

TEST_C(PoclBinary, FolderThatIsNotThereIsNotWaitedFor)
{
    setenv("POCL_CACHE_DIR", "/nonexistent/pocl", 1);
    const int folder = pocl_binary_lock();
    EXPECT_EQ(-1, folder);
    pocl_binary_unlock(folder);
}

/* A FIFO would be waited for. */
TEST_C(PoclBinary, WhatIsNoFolderIsNotOpened)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/file", test_directory());
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_NE(-1, file);
    close(file);
    setenv("POCL_CACHE_DIR", path, 1);
    EXPECT_EQ(-1, pocl_binary_lock());
}

static bool is_locked(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is = flock(folder, LOCK_EX | LOCK_NB) != 0;
    close(folder);
    return is;
}

/* The lock is of the folder itself, and ends with unlock. */
TEST_C(PoclBinary, FolderIsLockedAndUnlocked)
{
    setenv("POCL_CACHE_DIR", test_directory(), 1);
    for (int i = 0; i < 2; i++) {
        const int folder = pocl_binary_lock();
        EXPECT_NE(-1, folder);
        EXPECT_TRUE(is_locked(test_directory()));
        /* A program that is started meanwhile would keep it locked. */
        EXPECT_EQ(FD_CLOEXEC, fcntl(folder, F_GETFD));
        pocl_binary_unlock(folder);
        EXPECT_FALSE(is_locked(test_directory()));
    }
}
