/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told what of a folder whose entries are looked at. */
#include "src/gpu/device/file_search.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

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
