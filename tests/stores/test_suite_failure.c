/* SPDX-License-Identifier: Apache-2.0 */
/* Every store where the file system does not do what one hopes. */
#include "store_suite.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_status(int expected, int actual, int line)
{
    if (expected == actual) return 0;
    fprintf(stderr, "%s:%d: expected %d, got %d\n", __FILE__, line, expected,
            actual);
    return 1;
}
#define CHECK(expected, call) \
    failures += check_status((int)(expected), (int)(call), __LINE__)

/* What a child process needs. */
struct job {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
    dnnl_cache_store_handle_t *store;
};

static int use_read_only(void *user)
{
    const struct job *job = user;
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    int failures = 0;
    if (!test_drop_capabilities()) return 77;
    CHECK(dnnl_success,
            dnnl_cache_store_open(&store, job->kind->type, &job->options));
    if (store == NULL) return 1;
    CHECK(dnnl_success, get_number_quietly(store, 1, 20));
    CHECK(dnnl_cache_miss, get_number_quietly(store, 2, 20));
    CHECK(dnnl_success, put_number(store, 2, 20));
    CHECK(dnnl_cache_miss, get_number_quietly(store, 2, 20));
    CHECK(dnnl_success, remove_id(store, "nothing"));
    CHECK(dnnl_runtime_error, remove_id(store, "id 1"));
    CHECK(dnnl_success, get_number_quietly(store, 1, 20));
    CHECK(dnnl_success, dnnl_cache_store_get_statistics(store, &statistics));
    CHECK(1, statistics.puts_read_only);
    CHECK(0, statistics.puts);
    dnnl_cache_store_close(store);
    return failures;
}

STORE_TEST(Root, ReadOnlyDirectoriesServeReaders)
{
    char command[2 * path_size];
    char root[path_size];
    struct job job = {kind, kind_options(kind), NULL};
    dnnl_cache_store_handle_t *store = kind_open(kind, &job.options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 20));
    dnnl_cache_store_close(store);
    path_in_test(root, "store");
    snprintf(command, sizeof command, "chmod -R a-w '%s'", root);
    EXPECT_EQ(0, system(command));
    EXPECT_EQ(0, in_child(use_read_only, &job));
    snprintf(command, sizeof command, "chmod -R u+w '%s'", root);
    EXPECT_EQ(0, system(command));
}

STORE_TEST(Root, WhatOthersMayWriteToIsRefused)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = NULL;
    char root[path_size];
    path_in_test(root, "store");
    EXPECT_EQ(0, mkdir(root, 0700));
    static const mode_t modes[] = {0702, 0720, 01777};
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(0, chmod(root, modes[i]));
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_store_open(&store, kind->type, &options));
    }
    if (geteuid() == 0) {
        EXPECT_EQ(0, chmod(root, 0700));
        EXPECT_EQ(0, chown(root, 12345, (gid_t)-1));
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_store_open(&store, kind->type, &options));
    }
    EXPECT_NULL(store);
    options.sharing = dnnl_cache_store_sharing_group;
    store = kind_open(kind, &options);
    EXPECT_NOT_NULL(store);
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, chown(root, geteuid(), (gid_t)-1));
    EXPECT_EQ(0, chmod(root, 0755));
}

STORE_TEST(Root, MustBeADirectory)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = NULL;
    char root[path_size];
    char path[2 * path_size];
    write_whole(path_in_test(root, "store"), "x", 1);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&store, kind->type, &options));
    snprintf(path, sizeof path, "%s/below", options.path);
    options.path = path;
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&store, kind->type, &options));
    EXPECT_NULL(store);
}

static int put_with_file_limit(void *user)
{
    struct job *job = user;
    const struct rlimit limit = {60000, 60000};
    struct dnnl_cache_store_statistics before =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_statistics after = DNNL_CACHE_STORE_STATISTICS_INIT;
    int failures = 0;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 77;
    CHECK(dnnl_success, dnnl_cache_store_get_statistics(job->store, &before));
    CHECK(dnnl_runtime_error, put_number(job->store, 1, 100000));
    CHECK(dnnl_success, get_number_quietly(job->store, 1, 1000));
    CHECK(dnnl_runtime_error, put_number(job->store, 2, 100000));
    CHECK(dnnl_cache_miss, get_number_quietly(job->store, 2, 100000));
    CHECK(dnnl_success, put_number(job->store, 3, 1000));
    CHECK(dnnl_success, get_number_quietly(job->store, 3, 1000));
    CHECK(dnnl_success, dnnl_cache_store_get_statistics(job->store, &after));
    CHECK(2, after.puts_failed - before.puts_failed);
    CHECK(0, after.damaged);
    return failures;
}

STORE_TEST(Failure, AWriteCutShortPublishesNothing)
{
    struct job job = {kind, kind_options(kind), NULL};
    job.options.capacity = 2000000;
    job.store = kind_open(kind, &job.options);
    ASSERT_NOT_NULL(job.store);
    EXPECT_OK(put_number(job.store, 1, 1000));
    EXPECT_EQ(0, in_child(put_with_file_limit, &job));
    EXPECT_OK(get_number(job.store, 1, 1000));
    EXPECT_OK(put_number(job.store, 1, 100000));
    EXPECT_OK(get_number(job.store, 1, 100000));
    EXPECT_EQ(2, count_entries(job.store));
    kind_expect_order(kind, job.store);
    dnnl_cache_store_close(job.store);
}

static int fill_small_disk(void *user)
{
    const struct job *job = user;
    char root[path_size];
    int failures = 0;
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", path_in_test(root, "store"), "tmpfs", 0,
                       "size=400k,mode=0700")
                       != 0)
        return 77;
    char ballast[path_size];
    static const char zeros[40000];
    write_whole(path_in_test(ballast, "store/ballast"), zeros, sizeof zeros);
    dnnl_cache_store_handle_t *store = NULL;
    CHECK(dnnl_success,
            dnnl_cache_store_open(&store, job->kind->type, &job->options));
    if (store == NULL) return 1;
    unsigned kept = 0;
    while (kept < 100 && put_number(store, kept, 10000) == dnnl_success)
        kept++;
    CHECK(true, kept > 10 && kept < 50);
    CHECK(dnnl_runtime_error, put_number(store, kept, 10000));
    CHECK(dnnl_runtime_error, put_number(store, 0, 30000));
    for (unsigned i = 0; i < kept; i++)
        CHECK(dnnl_success, get_number_quietly(store, i, 10000));
    /* Where there is room for nothing, a store may not even be able to remove
     * entries: a pack notes first how to undo that. */
    unlink(ballast);
    CHECK(dnnl_success, remove_id(store, "id 0"));
    CHECK(dnnl_success, remove_id(store, "id 1"));
    CHECK(dnnl_success, remove_id(store, "id 2"));
    CHECK(dnnl_success, put_number(store, kept, 10000));
    CHECK(dnnl_success, get_number_quietly(store, kept, 10000));
    dnnl_cache_store_close(store);
    return failures;
}

STORE_TEST(Failure, AFullDiskIsNoCatastrophe)
{
    char root[path_size];
    struct job job = {kind, kind_options(kind), NULL};
    job.options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    EXPECT_EQ(0, mkdir(path_in_test(root, "store"), 0700));
    const int result = in_child(fill_small_disk, &job);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}

static int use_without_descriptors(void *user)
{
    struct job *job = user;
    struct rlimit limit = {3, 3};
    int failures = 0;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 77;
    CHECK(dnnl_runtime_error, get_number_quietly(job->store, 1, 20));
    CHECK(dnnl_runtime_error, put_number(job->store, 2, 20));
    CHECK(dnnl_runtime_error, remove_id(job->store, "id 1"));
    return failures;
}

STORE_TEST(Failure, NoDescriptorsLeftIsAFailureNotAMiss)
{
    struct job job = {kind, kind_options(kind), NULL};
    job.store = kind_open(kind, &job.options);
    ASSERT_NOT_NULL(job.store);
    EXPECT_OK(put_number(job.store, 1, 20));
    EXPECT_EQ(0, in_child(use_without_descriptors, &job));
    EXPECT_OK(get_number(job.store, 1, 20));
    EXPECT_EQ(1, count_entries(job.store));
    dnnl_cache_store_close(job.store);
}
