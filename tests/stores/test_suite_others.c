/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every store shared by two users of a group, whose umasks let nobody else in,
 * and on a file system for which "A" and "a" are one name.
 */
#include "fuse_folder.h"
#include "journal_helpers.h"
#include "store_suite.h"

#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    not_allowed = 77,
    one_user = 12345,
    other_user = 12346,
    group = 12347,
    blob = 1000
};

static int check(bool is_so, int line)
{
    if (!is_so) (void)fprintf(stderr, "%s:%d: wrong\n", __FILE__, line);
    return is_so ? 0 : 1;
}

#define CHECK(is_so) failures += check((is_so), __LINE__)

/* ---- Two users ----------------------------------------------------------- */

struct visit {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
    uid_t user;
    unsigned own;    /* the first of the numbers that this user puts */
    unsigned others; /* and the first of those that are there; 0: none */
    bool damages;    /* removes the one, and writes over the other */
};

enum { each = 8 };

/* Who is not root does not get to the test's directory: the store is at another
 * place for this process. */
static bool become(struct visit *v)
{
    static const char place[] = "/mnt";
    char store[path_size];
    static char path[path_size];
    (void)snprintf(path, sizeof path, "%s%s", place, v->kind->path);
    v->options.path = path;
    (void)umask(077);
    return unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount(path_in_test(store, "store"), place, NULL, MS_BIND, NULL)
                      == 0
           && setgroups(0, NULL) == 0 && setresgid(group, group, group) == 0
           && setresuid(v->user, v->user, v->user) == 0;
}

static int visit_store(void *user)
{
    struct visit *v = user;
    dnnl_cache_store_handle_t *store = NULL;
    char id[32];
    int failures = 0;
    if (!become(v)) return not_allowed;
    CHECK(dnnl_cache_store_open(&store, v->kind->type, &v->options)
            == dnnl_success);
    if (store == NULL) return failures;
    for (unsigned i = 0; v->others > 0 && i < each; i++)
        CHECK(get_number_quietly(store, v->others + i, blob) == dnnl_success);
    for (unsigned i = 0; i < each; i++) {
        CHECK(put_number(store, v->own + i, blob) == dnnl_success);
        CHECK(get_number_quietly(store, v->own + i, blob) == dnnl_success);
    }
    CHECK(statistics_of(store).puts == each);
    (void)snprintf(id, sizeof id, "note %u", v->own);
    CHECK(append_build(store, id, "source") == dnnl_success);
    CHECK(strstr(journal_lines(store), id) != NULL);
    if (v->others > 0 && v->options.sharing == dnnl_cache_store_sharing_group) {
        (void)snprintf(id, sizeof id, "note %u", v->others);
        CHECK(strstr(journal_lines(store), id) != NULL);
    }
    if (v->damages) { /* what the other one has put */
        (void)snprintf(id, sizeof id, "id %u", v->others);
        CHECK(remove_id(store, id) == dnnl_success);
        CHECK(get_number_quietly(store, v->others, blob) == dnnl_cache_miss);
        CHECK(put_number(store, v->others + 1, 2 * blob) == dnnl_success);
        CHECK(get_number_quietly(store, v->others + 1, 2 * blob)
                == dnnl_success);
    }
    CHECK(statistics_of(store).damaged == 0);
    CHECK(statistics_of(store).puts_failed == 0);
    dnnl_cache_store_close(store);
    return failures;
}

static void share_one_store(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options)
{
    struct visit visits[] = {
            {kind, *options, one_user, 100, 0, false},
            {kind, *options, other_user, 200, 100, true},
            {kind, *options, one_user, 300, 200, true},
            {kind, *options, other_user, 400, 300, false},
    };
    for (size_t i = 0; i < COUNT(visits); i++) {
        const int result = in_child(visit_store, &visits[i]);
        if (result == not_allowed) SKIP_TEST("not root");
        EXPECT_EQ(0, result);
    }
}

/* What the group may not use would shut the other one out. */
static void expect_modes_of_the_group(void)
{
    char command[2 * path_size];
    char root[path_size];
    (void)snprintf(command, sizeof command,
            "bad=$(find '%s' -mindepth 1 ! -perm -060; find '%s' -mindepth 1 "
            "-type d ! -perm -070); echo \"$bad\"; [ -z \"$bad\" ]",
            path_in_test(root, "store"), root);
    EXPECT_EQ(0, system(command));
}

/* Files have the mode that the group needs, whatever the umask. */
STORE_TEST(Others, OfTheGroupShareAStore)
{
    char root[path_size];
    struct dnnl_cache_store_options options = kind_options(kind);
    options.sharing = dnnl_cache_store_sharing_group;
    EXPECT_EQ(0, mkdir(path_in_test(root, "store"), 0770));
    if (chown(root, one_user, group) != 0 || chmod(root, 02770) != 0)
        SKIP_TEST("not root");
    share_one_store(kind, &options);
    expect_modes_of_the_group();
}

/* Where there is room for some entries alone one user evicts the other's. */
STORE_TEST(Others, OfTheGroupEvictWhatTheOtherHas)
{
    char root[path_size];
    struct dnnl_cache_store_options options = kind_options(kind);
    struct visit one = {kind, options, one_user, 100, 0, false};
    struct visit other = {kind, options, other_user, 200, 0, false};
    EXPECT_EQ(0, mkdir(path_in_test(root, "store"), 0770));
    if (chown(root, one_user, group) != 0 || chmod(root, 02770) != 0)
        SKIP_TEST("not root");
    options.sharing = dnnl_cache_store_sharing_group;
    options.capacity = kind->room_for(each + 2);
    one.options = other.options = options;
    const int result = in_child(visit_store, &one);
    if (result == not_allowed) SKIP_TEST("not root");
    EXPECT_EQ(0, result);
    EXPECT_EQ(0, in_child(visit_store, &other));
}

/* A private one is one user's. */
static int open_anothers(void *user)
{
    struct visit *v = user;
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    if (!become(v)) return not_allowed;
    CHECK(dnnl_cache_store_open(&store, v->kind->type, &v->options)
            == dnnl_runtime_error);
    dnnl_cache_store_close(store);
    return failures;
}

STORE_TEST(Others, DoNotUseAPrivateStore)
{
    char root[path_size];
    struct visit one = {kind, kind_options(kind), one_user, 100, 0, false};
    struct visit other = {kind, kind_options(kind), other_user, 200, 0, false};
    EXPECT_EQ(0, mkdir(path_in_test(root, "store"), 0755));
    if (chown(root, one_user, group) != 0) SKIP_TEST("not root");
    const int result = in_child(visit_store, &one);
    if (result == not_allowed) SKIP_TEST("not root");
    EXPECT_EQ(0, result);
    EXPECT_EQ(0, in_child(open_anothers, &other));
}

/* ---- What one of the group plants -----------------------------------------
 */

/* In place of each file or folder of the store: a link to what is the other
 * user's alone, a second name of that (which the kernel grants only without
 * fs.protected_hardlinks), a FIFO that nobody opens. $1 is the file. */
static const char *const plants[] = {
        "rm -rf \"$1\" && ln -s /mnt/private/secret \"$1\"",
        "rm -rf \"$1\" && ln -s /mnt/private/empty \"$1\"",
        "rm -rf \"$1\" && ln -s /mnt/private \"$1\"",
        "rm -rf \"$1\" && ln -s /mnt/nowhere \"$1\"",
        "rm -rf \"$1\" && ln private/secret \"$1\"",
        "rm -rf \"$1\" && ln private/empty \"$1\"",
        "rm -rf \"$1\" && mkfifo -m 660 \"$1\""};
static const char *const planted[] = {"f", "d"};

static int use_planted(void *user)
{
    struct visit *v = user;
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_check found = DNNL_CACHE_STORE_CHECK_INIT;
    if (!become(v)) return not_allowed;
    (void)alarm(120); /* instead of waiting for ever */
    v->options.log = NULL;
    if (dnnl_cache_store_open(&store, v->kind->type, &v->options)
            != dnnl_success)
        return 0; /* it may refuse */
    for (unsigned i = 0; i < 2 * each; i++) {
        (void)put_number(store, 100 + i, blob);
        const int got = get_number_quietly(store, 100 + i, blob);
        if (got == -1) return 1; /* other bytes */
    }
    (void)append_build(store, "note", "source");
    (void)dnnl_cache_store_verify(store, true, NULL, NULL, &found);
    (void)dnnl_cache_store_trim(store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL);
    (void)put_number(store, 100, blob);
    dnnl_cache_store_close(store);
    return 0;
}

/* A store of the group with entries, and something of one user's alone. */
static bool make_store_and_secret(
        const struct store_kind *kind, struct visit *visit)
{
    char root[path_size];
    struct dnnl_cache_store_options options = kind_options(kind);
    options.sharing = dnnl_cache_store_sharing_group;
    run_shell("rm -rf '%s'", path_in_test(root, "store"));
    EXPECT_EQ(0, mkdir(root, 0770));
    if (chown(root, one_user, group) != 0 || chmod(root, 02770) != 0)
        return false;
    *visit = (struct visit){kind, options, one_user, 100, 0, false};
    if (in_child(visit_store, visit) == not_allowed) return false;
    run_shell("cd '%s' && mkdir -m 700 private && echo secret >private/secret "
              "&& : >private/empty && chmod 600 private/* && chown -R %d:%d "
              "private",
            root, one_user, group);
    return true;
}

static void expect_secret(const char *plant)
{
    char root[path_size];
    char command[3 * path_size];
    (void)snprintf(command, sizeof command,
            "cd '%s/private' && [ \"$(stat -c %%a . secret empty | tr '\\n' ' "
            "')\" = '2700 600 600 ' ] && [ \"$(cat secret)\" = secret ] && "
            "[ ! -s empty ] && [ \"$(ls -A | wc -l)\" = 2 ] && "
            "[ ! -e ../nowhere ]",
            path_in_test(root, "store"));
    if (system(command) == 0) return;
    test_fail(__FILE__, __LINE__, "by: %s", plant);
    run_shell("ls -laR '%s'/private >&2", root);
}

STORE_TEST(Others, OfTheGroupPlantLinksInVain)
{
    char root[path_size];
    for (size_t i = 0; i < COUNT(plants) * COUNT(planted); i++) {
        struct visit visit;
        const char *plant = plants[i / COUNT(planted)];
        if (!make_store_and_secret(kind, &visit)) SKIP_TEST("not root");
        run_shell("cd '%s' && find . -mindepth 1 -depth ! -path './private*' "
                  "-type %s -exec sh -c '%s' plant {} \\;",
                path_in_test(root, "store"), planted[i % COUNT(planted)],
                plant);
        EXPECT_EQ(0, in_child(use_planted, &visit));
        expect_secret(plant);
    }
}

/* As /tmp is, but for a group: who may write there may not remove what others
 * have. Each has what it puts. */
static int visit_sticky(void *user)
{
    struct visit *v = user;
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    if (!become(v)) return not_allowed;
    CHECK(dnnl_cache_store_open(&store, v->kind->type, &v->options)
            == dnnl_success);
    if (store == NULL) return failures;
    for (unsigned i = 0; v->others > 0 && i < each; i++)
        CHECK(get_number_quietly(store, v->others + i, blob) == dnnl_success);
    for (unsigned i = 0; i < each; i++) {
        CHECK(put_number(store, v->own + i, blob) == dnnl_success);
        CHECK(get_number_quietly(store, v->own + i, blob) == dnnl_success);
    }
    CHECK(statistics_of(store).puts_failed == 0);
    CHECK(statistics_of(store).damaged == 0);
    dnnl_cache_store_close(store);
    return failures;
}

STORE_TEST(Others, OfTheGroupShareAStickyFolder)
{
    char root[path_size];
    struct dnnl_cache_store_options options = kind_options(kind);
    options.sharing = dnnl_cache_store_sharing_group;
    struct visit visits[] = {
            {kind, options, one_user, 100, 0, false},
            {kind, options, other_user, 200, 100, false},
            {kind, options, one_user, 300, 200, false},
    };
    EXPECT_EQ(0, mkdir(path_in_test(root, "store"), 0770));
    if (chown(root, 0, group) != 0 || chmod(root, 03770) != 0)
        SKIP_TEST("not root");
    for (size_t i = 0; i < COUNT(visits); i++) {
        const int result = in_child(visit_sticky, &visits[i]);
        if (result == not_allowed) SKIP_TEST("not root");
        EXPECT_EQ(0, result);
    }
}

/* ---- Names that are one -------------------------------------------------- */

struct folded {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
};

static int use_folded(void *user)
{
    struct folded *f = user;
    char path[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    char behind[path_size];
    struct fuse_folder fuse;
    struct stat st;
    if (mkdir(path_in_test(behind, "behind"), 0700) != 0
            || unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || !fuse_folder_begin(&fuse, path_in_test(path, "store"), behind))
        return not_allowed;
    fuse_folder_fold_case(&fuse);
    write_whole(path_in_test(path, "store/ONE"), "", 0);
    CHECK(stat(path_in_test(path, "store/one"), &st) == 0);
    CHECK(unlink(path_in_test(path, "store/oNe")) == 0);
    f->options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    CHECK(dnnl_cache_store_open(&store, f->kind->type, &f->options)
            == dnnl_success);
    if (store == NULL) return failures;
    for (unsigned i = 0; i < 60; i++)
        CHECK(put_number(store, i, blob) == dnnl_success);
    /* IDs that differ in this alone. */
    CHECK(put_bytes(store, "An ID", "A", 1) == dnnl_success);
    CHECK(put_bytes(store, "an id", "a", 1) == dnnl_success);
    dnnl_cache_store_close(store);
    CHECK(dnnl_cache_store_open(&store, f->kind->type, &f->options)
            == dnnl_success);
    for (unsigned i = 0; i < 60; i++)
        CHECK(get_number_quietly(store, i, blob) == dnnl_success);
    char text[8] = "";
    CHECK(get_text(store, "An ID", text, sizeof text) == dnnl_success);
    CHECK(strcmp(text, "A") == 0);
    CHECK(get_text(store, "an id", text, sizeof text) == dnnl_success);
    CHECK(strcmp(text, "a") == 0);
    CHECK(statistics_of(store).damaged == 0);
    dnnl_cache_store_close(store);
    fuse_folder_end(&fuse);
    return failures;
}

STORE_TEST(Others, AreTheNamesOfAFileSystemThatFoldsCase)
{
    char path[path_size];
    struct folded f = {kind, kind_options(kind)};
    EXPECT_EQ(0, mkdir(path_in_test(path, "store"), 0700));
    const int result = in_child(use_folded, &f);
    if (result == not_allowed)
        SKIP_TEST("no /dev/fuse, or mounting is not allowed here");
    EXPECT_EQ(0, result);
}
