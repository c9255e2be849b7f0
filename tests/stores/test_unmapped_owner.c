/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A seed in a user namespace, where the files of root and of all others belong
 * to nobody. As bubblewrap does it: a namespace with one user, and the seed
 * bound to a place with folders that nobody else may write to.
 */
#include "dnnl_cache/store.h"

#include "store_helpers.h"
#include "test.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { small = 300, somebody = 54321, another = 54399, no_namespace = 77 };

static const struct kind {
    const char *type;
    const char *name; /* below the place */
} kinds[] = {
        {"bucket", ""},
        {"tree", ""},
        {"flat", ""},
        {"pack", "/blobs.pack"},
};
enum { kind_count = sizeof kinds / sizeof *kinds };

/* What a process in the namespace finds. */
struct scene {
    const struct kind *kind;
    const char *named; /* the variable; NULL: not set */
    mode_t above;      /* of the folder that the seed is bound to a folder of */
    const char *key;   /* below the test's directory; NULL: none */
    bool is_roots_key; /* whose number is not known inside */
    bool expected;     /* the seed is used */
};

static bool write_text(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool done =
            fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return done;
}

/* One user in it. */
static bool enter_namespace(void)
{
    char map[64];
    (void)snprintf(map, sizeof map, "%d %d 1", somebody, somebody);
    return setresgid(somebody, somebody, somebody) == 0
           && setresuid(somebody, somebody, somebody) == 0
           && prctl(PR_SET_DUMPABLE, 1) == 0 /* or /proc/self is root's */
           && unshare(CLONE_NEWUSER) == 0
           && write_text("/proc/self/uid_map", map);
}

/* As a sandbox does it, read-only. */
static bool bind_seed(const struct scene *scene)
{
    char seed[path_size];
    char key[path_size];
    (void)path_in_test(seed, "seed");
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", "/mnt", "tmpfs", 0, "mode=755") != 0)
        return false;
    if (scene->key != NULL)
        run_shell("cp '%s' /mnt/key && chown %d /mnt/key && chmod go-w "
                  "/mnt/key",
                path_in_test(key, scene->key),
                scene->is_roots_key ? 0 : somebody);
    return true && mkdir("/mnt/above", 0700) == 0
           && chmod("/mnt/above", scene->above) == 0
           && mkdir("/mnt/above/seed", 0700) == 0
           && mount(seed, "/mnt/above/seed", NULL, MS_BIND, NULL) == 0
           && mount("none", "/mnt/above/seed", NULL,
                      MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV,
                      NULL)
                      == 0;
}

static int use_seed(void *user)
{
    const struct scene *scene = user;
    char path[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = test_options();
    if (!bind_seed(scene) || !enter_namespace()) return no_namespace;
    if (scene->named != NULL)
        (void)setenv("DNNL_CACHE_TRUST_UNMAPPED", scene->named, 1);
    (void)snprintf(path, sizeof path, "/mnt/above/seed%s", scene->kind->name);
    options.path = path;
    options.read_only = true;
    if (scene->key != NULL) options.key_file = "/mnt/key";
    const bool is_open =
            dnnl_cache_store_open(&store, scene->kind->type, &options)
            == dnnl_success;
    const bool is_used =
            is_open && get_number_quietly(store, 1, small) == dnnl_success;
    dnnl_cache_store_close(store);
    return is_used == scene->expected ? 0 : 1;
}

/* Of an owner, with a mode; key: of the user's own. */
static void make_seed(
        const struct kind *kind, int owner, mode_t mode, const char *key)
{
    char path[path_size];
    char place[path_size];
    char file[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = test_options();
    run_shell("rm -rf '%s/seed'; mkdir '%s/seed'; chmod 755 '%s'",
            test_directory(), test_directory(), test_directory());
    (void)snprintf(
            path, sizeof path, "%s%s", path_in_test(place, "seed"), kind->name);
    options.path = path;
    if (key != NULL) options.key_file = path_in_test(file, key);
    EXPECT_OK(dnnl_cache_store_open(&store, kind->type, &options));
    EXPECT_OK(put_number(store, 1, small));
    dnnl_cache_store_close(store);
    run_shell("chmod -R a+rX '%s' && chmod %o '%s' && chown -R %d:%d '%s'",
            place, mode, place, owner, owner, place);
}

static bool run_scene(const struct scene *scene)
{
    const int result = in_child(use_seed, (void *)(uintptr_t)scene);
    if (result == no_namespace) {
        test_skip(__FILE__, __LINE__, "no user namespace may be made");
        return false;
    }
    EXPECT_EQ(0, result);
    return true;
}

static bool is_root(void)
{
    if (geteuid() == 0) return true;
    test_skip(__FILE__, __LINE__, "not root");
    return false;
}

/* For each kind of store, the same scene with a seed of this owner. */
static void run_all(struct scene scene, int owner, mode_t mode)
{
    if (!is_root()) return;
    for (int i = 0; i < kind_count; i++) {
        make_seed(&kinds[i], owner, mode, NULL);
        scene.kind = &kinds[i];
        if (!run_scene(&scene)) return;
    }
}

TEST_C(UnmappedOwner, OfASeedIsRefused)
{
    const struct scene scene = {.above = 0755, .expected = false};
    run_all(scene, 0, 0755);
}

/* In the sandbox it looks as root's: its owner can write to it outside. */
TEST_C(UnmappedOwner, WhoCanWriteOutsideLooksTheSameAndIsRefused)
{
    const struct scene scene = {.above = 0755, .expected = false};
    run_all(scene, another, 0755);
}

TEST_C(UnmappedOwner, OfANamedPlaceIsAccepted)
{
    const struct scene scene = {.named = "/nowhere:/mnt/above/seed",
            .above = 0755,
            .expected = true};
    run_all(scene, 0, 0755);
}

TEST_C(UnmappedOwner, OfAPlaceBelowANamedOneIsAccepted)
{
    const struct scene scene = {
            .named = "/mnt/above/", .above = 0755, .expected = true};
    run_all(scene, 0, 0755);
}

TEST_C(UnmappedOwner, OfAnotherPlaceThanTheNamedOneIsRefused)
{
    const struct scene scene = {.named = "/mnt/above/see:/mnt/above/seed2:mnt",
            .above = 0755,
            .expected = false};
    run_all(scene, 0, 0755);
}

TEST_C(UnmappedOwner, OfWhatOthersMayWriteToIsRefusedThoughNamed)
{
    const struct scene scene = {
            .named = "/mnt/above/seed", .above = 0755, .expected = false};
    run_all(scene, 0, 0775);
}

/* Who may write to a folder above can put another seed there. */
TEST_C(UnmappedOwner, BelowAFolderThatOthersMayWriteToIsRefusedThoughNamed)
{
    const struct scene scene = {
            .named = "/mnt/above/seed", .above = 01777, .expected = false};
    run_all(scene, 0, 0755);
}

/* With a key of the user's own entries prove who made them. */
TEST_C(UnmappedOwner, OfEntriesWithTheUsersKeyIsAccepted)
{
    char key[path_size];
    if (!is_root()) return;
    EXPECT_OK(dnnl_cache_store_key_file_make(path_in_test(key, "key")));
    for (int i = 0; i < kind_count; i++) {
        make_seed(&kinds[i], 0, 0755, "key");
        const struct scene scene = {.kind = &kinds[i],
                .above = 0755,
                .key = "key",
                .expected = true};
        if (!run_scene(&scene)) return;
    }
}

/* Two pairs: of who makes the seed, and of somebody else. */
static bool make_pairs(void)
{
    char secret[path_size];
    char public[path_size];
    if (!is_root()) return false;
    EXPECT_OK(dnnl_cache_store_key_pair_make(
            path_in_test(secret, "secret"), path_in_test(public, "public")));
    EXPECT_OK(dnnl_cache_store_key_pair_make(
            path_in_test(secret, "secret2"), path_in_test(public, "public2")));
    return true;
}

/* A seed of an owner, signed with a key; what the user has is "public". */
static void run_signed(struct scene scene, int owner, const char *key)
{
    scene.above = 0755;
    scene.key = "public";
    for (int i = 0; i < kind_count; i++) {
        make_seed(&kinds[i], owner, 0755, key);
        scene.kind = &kinds[i];
        if (!run_scene(&scene)) return;
    }
}

TEST_C(UnmappedOwner, OfASignedSeedIsAccepted)
{
    const struct scene scene = {.expected = true};
    if (!make_pairs()) return;
    run_signed(scene, 0, "secret");
    run_signed(scene, another, "secret");
}

/* The attack: who can write outside puts an entry of his own there. */
TEST_C(UnmappedOwner, WhoCanWriteOutsideCannotSign)
{
    const struct scene scene = {.expected = false};
    if (!make_pairs()) return;
    run_signed(scene, another, NULL);
    run_signed(scene, another, "secret2");
}

/* In the sandbox nobody knows whose key it is. */
TEST_C(UnmappedOwner, OfThePublicKeyIsRefused)
{
    const struct scene scene = {.is_roots_key = true, .expected = false};
    if (!make_pairs()) return;
    run_signed(scene, 0, "secret");
}
