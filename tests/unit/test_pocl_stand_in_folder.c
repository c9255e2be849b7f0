/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files without code in a folder of PoCL's: all of a program's kernels have
 * one, or none has; what is PoCL's stays; and a folder that others can write to
 * gets none.
 */
#include "src/drivers/pocl_stand_in_file.h"
#include "src/drivers/pocl_stand_ins.h"
#include "src/platform/file.h"

#include "test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { path_room = 512 };

static const char kernels[] = "f\0g";
static const char of_f[] = "f/" POCL_ALL_LAUNCHES "/f.so";
static const char of_g[] = "g/" POCL_ALL_LAUNCHES "/g.so";

static void make_folder(char folder[path_room])
{
    (void)snprintf(folder, path_room, "%s/_UNCACHED_XXXXXX", test_directory());
    ASSERT_NOT_NULL(mkdtemp(folder));
}

static void path_in(char path[path_room], const char *folder, const char *name)
{
    if (snprintf(path, path_room, "%s/%s", folder, name) >= path_room) abort();
}

static bool is_there(const char *folder, const char *name)
{
    char path[path_room];
    struct stat status;
    path_in(path, folder, name);
    return lstat(path, &status) == 0;
}

static size_t entries;

static int count_entry(const char *path, const struct stat *status, int flag)
{
    (void)path;
    (void)status;
    (void)flag;
    entries++;
    return 0;
}

/* Without the folder itself. */
static size_t count_entries(const char *folder)
{
    entries = 0;
    EXPECT_EQ(0, ftw(folder, count_entry, 8));
    return entries - 1;
}

static bool place(struct pocl_stand_ins *stand_ins, const char *folder)
{
    return pocl_stand_ins_place(stand_ins, folder, kernels, sizeof kernels);
}

TEST_C(PoclStandInFolder, HasOneForEachKernelUntilTheyAreRemoved)
{
    struct pocl_stand_ins stand_ins;
    char folder[path_room];
    make_folder(folder);
    ASSERT_TRUE(place(&stand_ins, folder));
    EXPECT_TRUE(is_there(folder, of_f));
    EXPECT_TRUE(is_there(folder, of_g));
    EXPECT_EQ(6u, count_entries(folder));
    pocl_stand_ins_clear(&stand_ins);
    EXPECT_EQ(0u, count_entries(folder));
    pocl_stand_ins_clear(&stand_ins);
}

/* What the driver compiled for all launches. */
TEST_C(PoclStandInFolder, KeepsWhatTheDriverHas)
{
    static const char code[] = "code";
    struct pocl_stand_ins stand_ins;
    char folder[path_room];
    char path[path_room];
    char read[sizeof code] = "";
    make_folder(folder);
    path_in(path, folder, "f");
    ASSERT_EQ(0, mkdir(path, 0700));
    path_in(path, folder, "f/" POCL_ALL_LAUNCHES);
    ASSERT_EQ(0, mkdir(path, 0700));
    path_in(path, folder, of_f);
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(sizeof code, fwrite(code, 1, sizeof code, file));
    EXPECT_EQ(0, fclose(file));
    EXPECT_TRUE(place(&stand_ins, folder));
    EXPECT_TRUE(is_there(folder, of_g));
    pocl_stand_ins_clear(&stand_ins);
    EXPECT_FALSE(is_there(folder, "g"));
    file = fopen(path, "re");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(sizeof code, fread(read, 1, sizeof read, file));
    EXPECT_EQ(0, fclose(file));
    EXPECT_BYTES_EQ(code, sizeof code, read, sizeof read);
}

/* As on a file system that is full: no file may have more bytes. */
TEST_C(PoclStandInFolder, IsEmptyIfTheyDoNotFit)
{
    for (rlim_t room = 0; room <= 256; room += 128) {
        struct pocl_stand_ins stand_ins;
        struct rlimit before;
        char folder[path_room];
        make_folder(folder);
        ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &before));
        const struct rlimit limit = {room, before.rlim_max};
        void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
        const bool is_placed = place(&stand_ins, folder);
        ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &before));
        (void)signal(SIGXFSZ, handler);
        EXPECT_FALSE(is_placed);
        EXPECT_EQ(file_none, stand_ins.folder_fd);
        EXPECT_EQ(0u, count_entries(folder));
    }
}

TEST_C(PoclStandInFolder, GetsNoneIfAnotherMayWriteThere)
{
    struct pocl_stand_ins stand_ins;
    char folder[path_room];
    char link[path_room];
    make_folder(folder);
    ASSERT_EQ(0, chmod(folder, 0777));
    EXPECT_FALSE(place(&stand_ins, folder));
    ASSERT_EQ(0, chmod(folder, 0700));
    path_in(link, test_directory(), "_UNCACHED_abcdef");
    ASSERT_EQ(0, symlink(folder, link));
    EXPECT_FALSE(place(&stand_ins, link));
    EXPECT_EQ(0u, count_entries(folder));
    EXPECT_FALSE(place(&stand_ins, "/nowhere/_UNCACHED_abcdef"));
}

/* No name leads out of the folder, and no kernel of it is left half. */
TEST_C(PoclStandInFolder, GetsNoneIfANameIsNoKernels)
{
    static const char *const names[] = {"f\0..", "f\0a/b", "f\0.hidden"};
    static const size_t sizes[] = {5, 6, 10};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct pocl_stand_ins stand_ins;
        char folder[path_room];
        make_folder(folder);
        EXPECT_FALSE(
                pocl_stand_ins_place(&stand_ins, folder, names[i], sizes[i]));
        EXPECT_EQ(0u, count_entries(folder));
    }
}

/* A child of fork() has the same folder mapped. */
TEST_C(PoclStandInFolder, IsEmptyAfterAChildHadThemAtTheSameTime)
{
    struct pocl_stand_ins stand_ins;
    char folder[path_room];
    int status = 0;
    make_folder(folder);
    ASSERT_TRUE(place(&stand_ins, folder));
    const pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        struct pocl_stand_ins own;
        const bool is_placed = place(&own, folder);
        pocl_stand_ins_clear(&own);
        _exit(is_placed ? 0 : 1);
    }
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    pocl_stand_ins_clear(&stand_ins);
    EXPECT_EQ(0u, count_entries(folder));
}

/* The parent's driver has not looked for them yet. */
TEST_C(PoclStandInFolder, HasThoseOfTheParentAfterAChildHadThem)
{
    struct pocl_stand_ins stand_ins;
    char folder[path_room];
    int status = 0;
    make_folder(folder);
    ASSERT_TRUE(place(&stand_ins, folder));
    const pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        struct pocl_stand_ins own;
        const bool is_placed = place(&own, folder);
        pocl_stand_ins_clear(&own);
        _exit(is_placed && is_there(folder, of_f) && is_there(folder, of_g)
                        ? 0
                        : 1);
    }
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    EXPECT_TRUE(is_there(folder, of_f));
    EXPECT_TRUE(is_there(folder, of_g));
    pocl_stand_ins_clear(&stand_ins);
    EXPECT_EQ(0u, count_entries(folder));
}

/* The child has a copy of what says that they are there. */
TEST_C(PoclStandInFolder, HasThoseOfTheParentAfterAChildGaveUpItsCopy)
{
    struct pocl_stand_ins stand_ins;
    char folder[path_room];
    int status = 0;
    make_folder(folder);
    ASSERT_TRUE(place(&stand_ins, folder));
    const pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
        pocl_stand_ins_clear(&stand_ins);
        _exit(stand_ins.folder_fd == file_none ? 0 : 1);
    }
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    EXPECT_TRUE(is_there(folder, of_f));
    EXPECT_TRUE(is_there(folder, of_g));
    pocl_stand_ins_clear(&stand_ins);
    EXPECT_EQ(0u, count_entries(folder));
}

/* The child's own are there while the parent's go. */
TEST_C(PoclStandInFolder, KeepsThoseOfAChildThatWereThereBefore)
{
    struct pocl_stand_ins first;
    struct pocl_stand_ins second;
    char folder[path_room];
    make_folder(folder);
    ASSERT_TRUE(pocl_stand_ins_place(&first, folder, "f", 2));
    ASSERT_TRUE(place(&second, folder));
    pocl_stand_ins_clear(&second);
    EXPECT_TRUE(is_there(folder, of_f));
    EXPECT_FALSE(is_there(folder, of_g));
    pocl_stand_ins_clear(&first);
    EXPECT_EQ(0u, count_entries(folder));
}

/* Another version has other folders and names, as far as is known. */
TEST_C(PoclStandInFolder, IsOfAVersionThatWasTested)
{
    static const char *const tested[] = {"OpenCL 3.0 PoCL 3.1+debian  Linux",
            "OpenCL 3.0 PoCL 6.0+debian  Linux", "OpenCL 3.0 PoCL 7.1",
            "OpenCL 3.0 PoCL 7.1  Linux", "OpenCL 3.0 PoCL 7.1.1  Linux"};
    static const char *const others[] = {"OpenCL 3.0 PoCL 3.10",
            "OpenCL 3.0 PoCL 5.0  Linux", "OpenCL 3.0 PoCL 7.0",
            "OpenCL 3.0 PoCL 7.2", "OpenCL 3.0 PoCL 8.0", "OpenCL 3.0 PoCL",
            "OpenCL 3.0 PoCL 7.1-pre",
            "OpenCL 3.0 PoCL 7.1-pre main-0-g1234567",
            "OpenCL 3.0 PoCL 7.1-rc2  Linux", "OpenCL 3.0 PoCL 6.0.1-pre", ""};
    for (size_t i = 0; i < COUNT(tested); i++)
        EXPECT_TRUE(pocl_stand_ins_are_tested(tested[i]));
    for (size_t i = 0; i < COUNT(others); i++)
        EXPECT_FALSE(pocl_stand_ins_are_tested(others[i]));
}

/* ---- Found by its time --------------------------------------------------- */

/* A folder of a program below the parent, which was written at that second. */
static void make_program(const char *parent, const char *name, time_t second)
{
    char path[path_room];
    const struct timespec times[2] = {
            {.tv_sec = second, .tv_nsec = 1}, {.tv_sec = second, .tv_nsec = 1}};
    path_in(path, parent, name);
    ASSERT_EQ(0, mkdir(path, 0700));
    ASSERT_TRUE(strlen(path) + sizeof "/program.bc" <= sizeof path);
    strcat(path, "/program.bc");
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(0, fclose(file));
    ASSERT_EQ(0, utimensat(AT_FDCWD, path, times, 0));
}

/* Maps a file as PoCL maps what it compiled for a launch. */
static void *map_launched(const char *parent)
{
    char folder[path_room];
    char path[path_room];
    (void)snprintf(folder, sizeof folder, "%.400s/_UNCACHED_XXXXXX", parent);
    EXPECT_NOT_NULL(mkdtemp(folder));
    const int fd = pocl_folder_open(folder);
    EXPECT_TRUE(pocl_stand_in_write(fd, "f", "8-1-1"));
    path_in(path, folder, "f/8-1-1/f.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NOT_NULL(library);
    pocl_stand_in_remove(fd, "f", "8-1-1");
    (void)file_close(fd);
    return library;
}

static bool is_found(const char *expected, time_t from, time_t until)
{
    static const uint64_t second = 1000000000u;
    char path[path_size];
    return pocl_folder_find_written(
                   path, (uint64_t)from * second, (uint64_t)until * second)
           && strcmp(pocl_folder_name(path), expected) == 0;
}

TEST_C(PoclStandInFolder, IsFoundIfNoOtherWasWrittenThen)
{
    static const char name[] = "_UNCACHED_abcde1";
    char other[path_room];
    const char *parent = test_directory();
    make_program(parent, name, 1000);
    make_program(parent, "_UNCACHED_abcde2", 2000);
    make_program(parent, "_UNCACHED_a", 1000); /* not a name of PoCL's */
    EXPECT_FALSE(is_found(name, 900, 1100));
    void *library = map_launched(parent);
    EXPECT_TRUE(is_found(name, 900, 1100));
    EXPECT_TRUE(is_found(name, 1000, 1000));
    EXPECT_FALSE(is_found(name, 1001, 1100));
    EXPECT_FALSE(is_found(name, 900, 999));
    EXPECT_TRUE(is_found("_UNCACHED_abcde2", 1500, 2500));
    EXPECT_FALSE(is_found(name, 900, 2500));
    make_program(parent, "_UNCACHED_abcde3", 1010);
    EXPECT_FALSE(is_found(name, 900, 1100));
    EXPECT_TRUE(is_found(name, 900, 1005));
    /* Of two places nothing tells which it is in. */
    path_in(other, parent, "other");
    ASSERT_EQ(0, mkdir(other, 0700));
    void *second = map_launched(other);
    EXPECT_FALSE(is_found(name, 900, 1005));
    EXPECT_EQ(0, dlclose(second));
    EXPECT_TRUE(is_found(name, 900, 1005));
    EXPECT_EQ(0, dlclose(library));
}
