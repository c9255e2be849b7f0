/* SPDX-License-Identifier: Apache-2.0 */
/* Places on disk, good and bad, as they are before a program is started. */
#include "layer/storage/place.h"
#include "layer_process.h"
#include "layer_store.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { pack = 3 }; /* a kind of layer_store.h's: the one that is a file */

struct expected {
    enum place place;
    const char *why; /* a part of it */
};

static int check(void *user)
{
    const struct expected *expected = user;
    char why[5000] = "?";
    EXPECT_EQ(expected->place, dnnl_cache_layer_check_place(why, sizeof why));
    if (strstr(why, expected->why) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", expected->why, why);
    return test_has_failed();
}

static void expect_place(
        enum place place, const char *why, const char *const *variables)
{
    struct expected expected = {place, why};
    EXPECT_EQ(0, layer_process_run(variables, check, &expected));
}

static int check_without_capabilities(void *user)
{
    return test_drop_capabilities() ? check(user) : 1;
}

static void expect_place_without_capabilities(
        enum place place, const char *why, const char *const *variables)
{
    struct expected expected = {place, why};
    EXPECT_EQ(0, layer_process_run(
                         variables, check_without_capabilities, &expected));
}

static void make_file(const char *path)
{
    const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_TRUE(fd >= 0 && close(fd) == 0);
}

/* ---- Good ---------------------------------------------------------------- */

TEST_C(LayerPlace, MayBeNewOrHaveAStoreOfItsType)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        expect_place(place_usable, "", store.variables);
        EXPECT_NE(0, access(store.path, F_OK)); /* as it was */
        ASSERT_EQ(0, layer_store_fill(&store));
        expect_place(place_usable, "", store.variables);
    }
}

TEST_C(LayerPlace, MayLackItsParents)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        strcat(store.directory, "//below/it/");
        if (i == pack) strcat(store.directory, "file");
        expect_place(place_usable, "", store.variables);
        EXPECT_NE(0, access(store.path, F_OK));
    }
}

TEST_C(LayerPlace, IsNotAskedForWithPersistenceOff)
{
    static const char *const off[] = {
            "DNNL_CACHE_PERSISTENT=0", "XDG_CACHE_HOME=", "HOME=", NULL};
    expect_place(place_usable, "", off);
}

/* Whatever the variable says: it is for new stores. */
TEST_C(LayerPlace, HasTheStoreThatIsThere)
{
    static const char *const variables[layer_store_kinds] = {
            "DNNL_CACHE_STORE=flat", "DNNL_CACHE_STORE=bucket",
            "DNNL_CACHE_STORE=tree", "DNNL_CACHE_STORE=pack"};
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        ASSERT_EQ(0, layer_store_fill(&store));
        for (size_t j = 0; j < layer_store_kinds; j++) {
            store.variables[1] = variables[j];
            expect_place(place_usable, store.path, store.variables);
        }
    }
    /* A folder cannot become a pack. */
    struct layer_store empty;
    layer_store_init(&empty, pack, NULL);
    ASSERT_EQ(0, mkdir(empty.path, 0700));
    expect_place(place_usable, empty.path, empty.variables);
}

/* ---- Bad ----------------------------------------------------------------- */

TEST_C(LayerPlace, IsMissingWithoutAVariable)
{
    static const char *const none[] = {"XDG_CACHE_HOME=", "HOME=", NULL};
    static const char *const relative[] = {
            "XDG_CACHE_HOME=here", "HOME=there", NULL};
    expect_place(place_none, "", none);
    expect_place(place_none, "", relative);
}

TEST_C(LayerPlace, WithTwoStoresIsRefused)
{
    struct layer_store store, other;
    char from[sizeof other.path + 16], to[sizeof store.path + 16];
    layer_store_init(&store, 0, NULL);
    layer_store_init(&other, 1, NULL);
    ASSERT_EQ(0, layer_store_fill(&store));
    ASSERT_EQ(0, layer_store_fill(&other));
    (void)snprintf(from, sizeof from, "%s/index.bin", other.path);
    (void)snprintf(to, sizeof to, "%s/index.bin", store.path);
    ASSERT_EQ(0, rename(from, to));
    expect_place(place_refused, "a bucket store is there", store.variables);
}

TEST_C(LayerPlace, ThatIsAFileIsRefused)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        make_file(store.path);
        expect_place(i == pack ? place_usable : place_refused,
                i == pack ? "" : "Not a directory", store.variables);
        strcat(store.directory, "/below");
        expect_place(place_refused, store.path, store.variables);
    }
}

TEST_C(LayerPlace, ThatLeadsNowhereIsRefused)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        EXPECT_EQ(0, symlink("nowhere", store.path));
        expect_place(place_refused, store.path, store.variables);
    }
}

TEST_C(LayerPlace, OthersMayWriteToIsRefused)
{
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        layer_store_init(&store, i, NULL);
        EXPECT_EQ(0, mkdir(store.path, 0700));
        EXPECT_EQ(0, chmod(store.path, 0777));
        if (i == pack) strcat(store.directory, "/file"); /* is not there */
        expect_place(place_refused, "others may write to", store.variables);
        EXPECT_EQ(0, chmod(store.path, 0700));
        expect_place(place_usable, "", store.variables);
    }
}

TEST_C(LayerPlace, ThatIsReadOnlyIsToldApart)
{
    char command[1200];
    for (size_t i = 0; i < layer_store_kinds; i++) {
        struct layer_store store;
        char below[600];
        layer_store_init(&store, i, NULL);
        ASSERT_EQ(0, layer_store_fill(&store));
        (void)snprintf(command, sizeof command, "chmod -R a-w '%s' '%s'",
                store.path, test_directory());
        ASSERT_EQ(0, system(command));
        expect_place_without_capabilities(
                place_read_only, store.path, store.variables);
        (void)snprintf(below, sizeof below, "%s.new/x", store.directory);
        store.variables[0] = below;
        expect_place_without_capabilities(
                place_refused, "Permission denied", store.variables);
        (void)snprintf(
                command, sizeof command, "chmod -R u+w '%s'", test_directory());
        EXPECT_EQ(0, system(command));
    }
}
