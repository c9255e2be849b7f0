/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told what of a folder whose entries are looked at. */
#include "src/gpu/device/file_search.h"
#include "src/gpu/device/linker_files.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct told {
    unsigned missing, unfit, listed, failed, visited;
    int error;
    char name[path_size]; /* the last one's */
};

static void note_missing(void *user, const char *path)
{
    struct told *told = user;
    told->missing++;
    (void)snprintf(told->name, sizeof told->name, "%s", path);
}

static void note_unfit(void *user, const char *path)
{
    struct told *told = user;
    told->unfit++;
    (void)snprintf(told->name, sizeof told->name, "%s", path);
}

static void note_listed(void *user, const struct file_listing *listing)
{
    (void)listing;
    ((struct told *)user)->listed++;
}

static void note_failed(void *user, const char *name, int error)
{
    struct told *told = user;
    (void)name;
    told->failed++;
    told->error = error;
}

static void visit(const struct file_search *search, const char *folder,
        const char *name, void *user)
{
    struct told *told = user;
    (void)search;
    (void)folder;
    told->visited++;
    (void)snprintf(told->name, sizeof told->name, "%s", name);
}

static struct told look_in(const char *folder)
{
    struct told told = {0};
    const struct file_search search = {.user = &told,
            .missing = note_missing,
            .unfit = note_unfit,
            .listed = note_listed,
            .failed = note_failed};
    file_search_entries(&search, folder, "a", visit, &told);
    return told;
}

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(0, fclose(file));
}

TEST_C(FileSearch, EntriesAreThoseOfThePrefix)
{
    char folder[path_size];
    char path[path_size + 8];
    (void)snprintf(folder, sizeof folder, "%s/folder", test_directory());
    ASSERT_EQ(0, folder_make(file_here, folder, 0700, true));
    (void)snprintf(path, sizeof path, "%s/ab", folder);
    make_file(path);
    (void)snprintf(path, sizeof path, "%s/b", folder);
    make_file(path);
    const struct told told = look_in(folder);
    EXPECT_EQ(1, told.listed);
    EXPECT_EQ(1, told.visited);
    EXPECT_STR_EQ("ab", told.name);
    EXPECT_EQ(0, told.missing + told.unfit + told.failed);
}

/* Where another thing has its name, or that of a folder above, one may appear
 * as well. */
TEST_C(FileSearch, AFolderThatIsNotThereIsMissing)
{
    char paths[3][path_size];
    (void)snprintf(paths[0], path_size, "%s/none", test_directory());
    (void)snprintf(paths[1], path_size, "%s/file", test_directory());
    (void)snprintf(paths[2], path_size, "%s/file/below", test_directory());
    make_file(paths[1]);
    for (int i = 0; i < 3; i++) {
        const struct told told = look_in(paths[i]);
        EXPECT_EQ(i == 1 ? 0 : 1, told.missing);
        EXPECT_EQ(i == 1 ? 1 : 0, told.unfit);
        EXPECT_STR_EQ(paths[i], told.name);
        EXPECT_EQ(0, told.listed + told.visited + told.failed);
    }
}

static int find_none(
        void *user, const char *path, const char *label, struct file_head *head)
{
    struct file_facts facts;
    (void)user;
    (void)label;
    (void)head;
    const int error = file_facts_at(&facts, file_here, path);
    if (error != 0) return error;
    return facts.kind == file_is_plain ? 0 : EISDIR;
}

/* What takes the place of a file or a folder, and is neither, may become one:
 * it is watched. */
TEST_C(FileSearch, WhatIsNeitherFileNorFolderIsUnfit)
{
    static const char *const names[] = {"folder", "socket", "fifo"};
    struct told told = {0};
    char path[path_size];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct file_search search = {.user = &told,
            .find = find_none,
            .missing = note_missing,
            .unfit = note_unfit,
            .listed = note_listed,
            .failed = note_failed};
    (void)snprintf(path, sizeof path, "%s/folder", test_directory());
    ASSERT_EQ(0, folder_make(file_here, path, 0700, true));
    (void)snprintf(path, sizeof path, "%s/fifo", test_directory());
    ASSERT_EQ(0, mkfifo(path, 0600));
    (void)snprintf(path, sizeof path, "%s/socket", test_directory());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_TRUE(fd >= 0 && strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path));
    ASSERT_EQ(0, bind(fd, (struct sockaddr *)&address, sizeof address));
    for (size_t i = 0; i < COUNT(names); i++) {
        told = (struct told){0};
        (void)snprintf(path, sizeof path, "%s/%s", test_directory(), names[i]);
        EXPECT_FALSE(
                file_search_try(&search, test_directory(), names[i], "label"));
        EXPECT_EQ(1, told.unfit);
        EXPECT_STR_EQ(path, told.name);
        if (i > 0) {
            EXPECT_FALSE(file_search_has_folder(&search, path));
            file_search_entries(&search, path, "", visit, &told);
            EXPECT_EQ(3, told.unfit);
        }
        EXPECT_EQ(0, told.missing + told.failed + told.listed);
    }
    (void)close(fd);
}

/* ---- Programs of a linker ------------------------------------------------ */

struct paths {
    unsigned unfit, missing;
    char folder[path_size]; /* that counts */
};

static bool is_linker(const struct paths *paths, const char *path)
{
    const size_t size = strlen(paths->folder);
    return strncmp(path, paths->folder, size) == 0
           && strcmp(path + size, "/ld") == 0;
}

static void count_missing(void *user, const char *path)
{
    struct paths *paths = user;
    paths->missing += is_linker(paths, path);
}

static void count_unfit(void *user, const char *path)
{
    struct paths *paths = user;
    paths->unfit += is_linker(paths, path);
}

static void ignore_found(void *user, const char *path, const char *label)
{
    (void)user;
    (void)path;
    (void)label;
}

static void ignore_opened(void *user, const struct file_opened *opened,
        const char *path, const char *label)
{
    (void)opened;
    ignore_found(user, path, label);
}

static void ignore_listed(void *user, const struct file_listing *listing)
{
    (void)user;
    (void)listing;
}

static void ignore_failed(void *user, const char *name, int error)
{
    (void)user;
    (void)name;
    (void)error;
}

/* Who is told what of "again/ld" if PATH has the folder "bin" by two names. */
static struct paths look_for_linker(void)
{
    struct paths paths = {0};
    char list[2 * path_size];
    char *before = getenv("PATH") != NULL ? strdup(getenv("PATH")) : NULL;
    const struct file_search search = {.user = &paths,
            .found = ignore_found,
            .find = find_none,
            .found_open = ignore_opened,
            .missing = count_missing,
            .unfit = count_unfit,
            .listed = ignore_listed,
            .failed = ignore_failed};
    (void)snprintf(
            paths.folder, sizeof paths.folder, "%s/again", test_directory());
    (void)snprintf(
            list, sizeof list, "%s/bin:%s", test_directory(), paths.folder);
    setenv("PATH", list, 1);
    linker_files_find(&search, test_directory(), test_directory());
    if (before != NULL)
        setenv("PATH", before, 1);
    else
        unsetenv("PATH");
    free(before);
    return paths;
}

TEST_C(LinkerFiles, WhatIsUnfitIsSoUnderEachNameOfItsFolder)
{
    char folder[path_size];
    char path[path_size + 8];
    (void)snprintf(folder, sizeof folder, "%s/bin", test_directory());
    ASSERT_EQ(0, folder_make(file_here, folder, 0700, true));
    (void)snprintf(path, sizeof path, "%s/again", test_directory());
    ASSERT_EQ(0, symlink("bin", path));
    struct paths paths = look_for_linker();
    EXPECT_EQ(1, paths.missing);
    EXPECT_EQ(0, paths.unfit);
    (void)snprintf(path, sizeof path, "%s/ld", folder);
    make_file(path); /* which nobody may run */
    paths = look_for_linker();
    EXPECT_EQ(0, paths.missing);
    EXPECT_EQ(1, paths.unfit);
}

/* Nothing is said of what is in it: an identity cannot be told. */
TEST_C(FileSearch, AFolderThatCannotBeReadIsAFailure)
{
    struct rlimit all;
    ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &all));
    const char *folder = test_directory();
    struct rlimit none = all;
    none.rlim_cur = 0;
    ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
    const struct told told = look_in(folder);
    ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &all));
    EXPECT_EQ(1, told.failed);
    EXPECT_EQ(EMFILE, told.error);
    EXPECT_EQ(0, told.missing + told.listed + told.visited);
}
