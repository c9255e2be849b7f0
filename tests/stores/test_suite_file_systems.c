/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every store on file systems that are full, over quota, failing or not of this
 * machine: what is said names the cause and what to do, once, and the store
 * goes on when that has passed. The errors come from the file systems.
 */
#include "fuse_folder.h"
#include "store_suite.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { not_allowed = 77, small_blob = 1000 };

struct job {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
};

/* ---- What is said -------------------------------------------------------- */

static char said[16384];

static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    (void)user;
    const size_t size = strlen(said);
    (void)snprintf(said + size, sizeof said - size, "%s\n", text);
}

static unsigned count_said(const char *words)
{
    unsigned count = 0;
    for (const char *at = said; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

static int check(bool is_so, int line)
{
    if (is_so) return 0;
    (void)fprintf(stderr, "%s:%d: wrong; said:\n%s", __FILE__, line, said);
    return 1;
}

#define CHECK(is_so) failures += check((is_so), __LINE__)

/* ---- Namespaces ---------------------------------------------------------- */

static bool leave_mounts(void)
{
    return unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static struct job job_of(const struct store_kind *kind)
{
    char path[path_size];
    struct job job = {kind, kind_options(kind)};
    job.options.log = hear;
    EXPECT_EQ(0, mkdir(path_in_test(path, "store"), 0700));
    return job;
}

static void run(int (*body)(void *user), struct job *job, const char *what)
{
    const int result = in_child(body, job);
    if (result == not_allowed) SKIP_TEST(what);
    EXPECT_EQ(0, result);
}

/* ---- FUSE ---------------------------------------------------------------- */

struct cause {
    int error;
    const char *words;
    const char *words_of_pack; /* SQLite knows fewer errors */
};

static const struct cause causes[] = {
        {ENOSPC, "has no room (bytes or files); free some",
                "has no room (bytes or files); free some"},
        {EDQUOT, "quota on its file system is used up",
                "quota on its file system is used up"},
        {EIO, "the disk or the server of its file system fails",
                "the disk or the server of its file system fails"},
        {ESTALE, "the server of its file system has replaced it",
                "the disk or the server of its file system fails"},
};

/* Two puts fail, which is said once; one that succeeds lets it be said again.
 */
static int fail_and_mend(const struct job *job, const struct fuse_folder *fuse,
        dnnl_cache_store_handle_t *store, const struct cause *cause)
{
    const char *words =
            job->kind->keeps_connections ? cause->words_of_pack : cause->words;
    struct dnnl_cache_store_statistics before =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_statistics after = DNNL_CACHE_STORE_STATISTICS_INIT;
    const unsigned number = 100 + (unsigned)(cause - causes);
    int failures = 0;
    said[0] = '\0';
    (void)dnnl_cache_store_get_statistics(store, &before);
    fuse_folder_fail(fuse, cause->error);
    for (unsigned i = 0; i < 2; i++)
        CHECK(put_number(store, number, small_blob) == dnnl_runtime_error);
    CHECK(get_number_quietly(store, 1, small_blob) == dnnl_success);
    fuse_folder_fail(fuse, 0);
    (void)dnnl_cache_store_get_statistics(store, &after);
    CHECK(count_said(words) == 1);
    /* It is no lack of capacity, where one would set another one. */
    CHECK(after.puts_failed == before.puts_failed + 2);
    CHECK(after.puts_full == before.puts_full);
    CHECK(put_number(store, number, small_blob) == dnnl_success);
    CHECK(get_number_quietly(store, number, small_blob) == dnnl_success);
    return failures;
}

static int use_fuse(void *user)
{
    const struct job *job = user;
    char root[path_size];
    char behind[path_size];
    struct fuse_folder fuse;
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    path_in_test(root, "store");
    if (mkdir(path_in_test(behind, "behind"), 0700) != 0 || !leave_mounts()
            || !fuse_folder_begin(&fuse, root, behind))
        return not_allowed;
    CHECK(dnnl_cache_store_open(&store, job->kind->type, &job->options)
            == dnnl_success);
    if (store != NULL) {
        CHECK(count_said(": on FUSE: whether locks, renames") == 1);
        CHECK(put_number(store, 1, small_blob) == dnnl_success);
        for (size_t i = 0; i < COUNT(causes); i++)
            failures += fail_and_mend(job, &fuse, store, &causes[i]);
        dnnl_cache_store_close(store);
    }
    fuse_folder_end(&fuse);
    return failures;
}

STORE_TEST(FileSystem, ThatFailsIsNamedOnce)
{
    struct job job = job_of(kind);
    run(use_fuse, &job, "no /dev/fuse, or mounting is not allowed here");
}

/* ---- tmpfs --------------------------------------------------------------- */

static int fill_disk(void *user)
{
    const struct job *job = user;
    char root[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    unsigned kept = 0;
    if (!leave_mounts()
            || mount("none", path_in_test(root, "store"), "tmpfs", 0,
                       "size=400k,mode=0700")
                       != 0)
        return not_allowed;
    CHECK(dnnl_cache_store_open(&store, job->kind->type, &job->options)
            == dnnl_success);
    if (store == NULL) return failures;
    CHECK(said[0] == '\0'); /* of this machine */
    while (kept < 100 && put_number(store, kept, 10000) == dnnl_success)
        kept++;
    CHECK(put_number(store, kept, 10000) == dnnl_runtime_error);
    CHECK(put_number(store, kept, 20000) == dnnl_runtime_error);
    CHECK(count_said("its file system has no room (bytes or files); free some, "
                     "or use another one: No space left on device")
            == 1);
    dnnl_cache_store_close(store);
    return failures;
}

STORE_TEST(FileSystem, ThatIsFullIsNamedOnce)
{
    struct job job = job_of(kind);
    job.options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    run(fill_disk, &job, "mounting is not allowed here");
}

/* root's files have no quota; below /tmp nobody else finds the test's folder.
 */
static int use_up_quota(void *user)
{
    enum { nobody = 65534 };
    struct job *job = user;
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    unsigned kept = 0;
    if (geteuid() != 0 || !leave_mounts()
            || mount("none", "/mnt", "tmpfs", 0,
                       "mode=0777,usrquota,usrquota_block_hardlimit=400k")
                       != 0
            || setgid(nobody) != 0 || setuid(nobody) != 0)
        return not_allowed;
    job->options.path = "/mnt/store";
    CHECK(dnnl_cache_store_open(&store, job->kind->type, &job->options)
            == dnnl_success);
    if (store == NULL) return failures;
    while (kept < 100 && put_number(store, kept, 10000) == dnnl_success)
        kept++;
    CHECK(kept < 100);
    CHECK(put_number(store, kept, 10000) == dnnl_runtime_error);
    CHECK(put_number(store, kept, 20000) == dnnl_runtime_error);
    CHECK(count_said("this user's quota on its file system is used up; free "
                     "some of it, or use another one: Disk quota exceeded")
            == 1);
    CHECK(get_number_quietly(store, 0, 10000) == dnnl_success);
    dnnl_cache_store_close(store);
    return failures;
}

STORE_TEST(FileSystem, WhoseQuotaIsUsedUpIsNamedOnce)
{
    struct job job = job_of(kind);
    job.options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    run(use_up_quota, &job, "not root, or no tmpfs with quotas here");
}

/* ---- overlayfs ----------------------------------------------------------- */

static bool mount_overlay(const char *shown)
{
    char options[4 * path_size];
    char upper[path_size];
    char work[path_size];
    char lower[path_size];
    return mkdir(path_in_test(upper, "upper"), 0700) == 0
           && mkdir(path_in_test(work, "work"), 0700) == 0
           && snprintf(options, sizeof options,
                      "lowerdir=%s,upperdir=%s,workdir=%s",
                      path_in_test(lower, "lower"), upper, work)
                      < (int)sizeof options
           && mount("none", shown, "overlay", 0, options) == 0;
}

/* What the layer below has is found, replaced and removed. */
static int use_overlay(void *user)
{
    struct job *job = user;
    char root[path_size];
    char lower[path_size];
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    path_in_test(root, "store");
    path_in_test(lower, "lower");
    CHECK(dnnl_cache_store_open(&store, job->kind->type, &job->options)
            == dnnl_success);
    if (store == NULL) return failures;
    for (unsigned i = 1; i <= 3; i++)
        CHECK(put_number(store, i, small_blob) == dnnl_success);
    dnnl_cache_store_close(store);
    if (rename(root, lower) != 0 || mkdir(root, 0700) != 0 || !leave_mounts()
            || !mount_overlay(root))
        return not_allowed;
    CHECK(dnnl_cache_store_open(&store, job->kind->type, &job->options)
            == dnnl_success);
    if (store == NULL) return failures;
    CHECK(count_said(": on overlayfs: what is written may be gone") == 1);
    for (unsigned i = 1; i <= 3; i++)
        CHECK(get_number_quietly(store, i, small_blob) == dnnl_success);
    CHECK(put_number(store, 1, 2 * small_blob) == dnnl_success);
    CHECK(remove_id(store, "id 2") == dnnl_success);
    CHECK(put_number(store, 4, small_blob) == dnnl_success);
    dnnl_cache_store_close(store);
    CHECK(dnnl_cache_store_open(&store, job->kind->type, &job->options)
            == dnnl_success);
    CHECK(get_number_quietly(store, 1, 2 * small_blob) == dnnl_success);
    CHECK(get_number_quietly(store, 2, small_blob) == dnnl_cache_miss);
    CHECK(get_number_quietly(store, 3, small_blob) == dnnl_success);
    CHECK(get_number_quietly(store, 4, small_blob) == dnnl_success);
    CHECK(statistics_of(store).damaged == 0);
    dnnl_cache_store_close(store);
    return failures;
}

STORE_TEST(FileSystem, OfLayersIsAStoreAsAnyOther)
{
    struct job job = job_of(kind);
    run(use_overlay, &job, "no overlayfs, or mounting is not allowed here");
}
