/* SPDX-License-Identifier: Apache-2.0 */
/* Every store in an application that closes what it does not know. */
#include "journal_helpers.h"
#include "own_descriptors.h"
#include "store_suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a child process needs. */
struct job {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
    rlim_t most_descriptors; /* 0: as it is */
    int own_count;
    bool in_grandchild;
};

static int failures;

static void check(bool is_so, int line)
{
    if (is_so) return;
    fprintf(stderr, "%s:%d: not so\n", __FILE__, line);
    failures++;
}
#define CHECK(is_so) check((is_so), __LINE__)

static void lose(const struct job *job)
{
    if (own_descriptors_take(test_directory(), job->own_count)) return;
    failures++;
}

/* All calls, while what the application has opened must stay as it is. */
static void use(dnnl_cache_store_handle_t *store, unsigned number)
{
    uint64_t removed = 0;
    struct dnnl_cache_store_check found = DNNL_CACHE_STORE_CHECK_INIT;
    CHECK(put_number(store, number, 3000) == dnnl_success);
    CHECK(get_number_quietly(store, number, 3000) == dnnl_success);
    CHECK(get_number_quietly(store, 1, 3000) == dnnl_success);
    CHECK(get_number_quietly(store, 1000, 3000) == dnnl_cache_miss);
    CHECK(append_build(store, "k", number % 2 != 0 ? "one" : "two")
            == dnnl_success);
    CHECK(append_build(store, "k", "one") == dnnl_success);
    CHECK(put_number(store, 1001, 3000) == dnnl_success);
    CHECK(remove_id(store, "id 1001") == dnnl_success);
    CHECK(dnnl_cache_store_trim(store, UINT64_MAX, UINT64_MAX, &removed)
            == dnnl_success);
    CHECK(dnnl_cache_store_verify(store, true, NULL, NULL, &found)
            == dnnl_success);
    CHECK(found.damaged == 0);
    CHECK(own_descriptors_are_untouched());
}

static int lose_descriptors(void *user)
{
    const struct job *job = user;
    dnnl_cache_store_handle_t *store = NULL;
    const struct rlimit limit = {job->most_descriptors, job->most_descriptors};
    failures = 0;
    if (job->most_descriptors > 0) CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(dnnl_cache_store_open(&store, job->kind->type, &job->options)
            == dnnl_success);
    if (store == NULL) return 1;
    CHECK(put_number(store, 1, 3000) == dnnl_success);
    if (job->in_grandchild) {
        int status = 0;
        const pid_t parent = fork();
        if (parent != 0) { /* a daemon: its parent ends */
            CHECK(waitpid(parent, &status, 0) == parent && status == 0);
            dnnl_cache_store_close(store);
            return failures;
        }
    }
    lose(job);
    use(store, 2);
    use(store, 3);
    lose(job);
    use(store, 4);
    lose(job);
    dnnl_cache_store_close(store);
    CHECK(own_descriptors_are_untouched());
    if (job->in_grandchild) _exit(failures);
    return failures;
}

static struct job job_of(const struct store_kind *kind)
{
    return (struct job){
            .kind = kind, .options = kind_options(kind), .own_count = 90};
}

STORE_TEST(Descriptors, OfTheApplicationAreLeftAlone)
{
    struct job job = job_of(kind);
    EXPECT_EQ(0, in_child(lose_descriptors, &job));
    dnnl_cache_store_handle_t *store = kind_open(kind, &job.options);
    EXPECT_EQ(4, count_entries(store));
    dnnl_cache_store_close(store);
}

STORE_TEST(Descriptors, OfADaemonAreLeftAlone)
{
    struct job job = job_of(kind);
    job.in_grandchild = true;
    EXPECT_EQ(0, in_child(lose_descriptors, &job));
}

/* There are no numbers of 64 and more. */
STORE_TEST(Descriptors, MayBeFew)
{
    struct job job = job_of(kind);
    job.most_descriptors = 40;
    job.own_count = 12;
    EXPECT_EQ(0, in_child(lose_descriptors, &job));
}

/* The root, and a pack's connections. */
STORE_TEST(Descriptors, ThatAreKeptBetweenCallsAreFewAndHigh)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_OK(put_number(store, 1, 3000));
    EXPECT_OK(get_number(store, 1, 3000));
    EXPECT_OK(append_build(store, "k", "one"));
    EXPECT_OK(append_build(store, "k", "one"));
    char link[64];
    char target[path_size];
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        const ssize_t n = readlink(link, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        const bool is_in_store =
                strncmp(target, test_directory(), strlen(test_directory()))
                == 0;
        EXPECT_FALSE(is_in_store && fd < 64);
        count += is_in_store;
    }
    EXPECT_EQ(kind->keeps_connections ? 2 : 1, count);
    dnnl_cache_store_close(store);
}

/* ---- Amid calls ---------------------------------------------------------- */

struct worker {
    dnnl_cache_store_handle_t *store;
    atomic_bool is_over;
};

static void *put_and_get(void *user)
{
    struct worker *worker = user;
    for (unsigned i = 0; !atomic_load(&worker->is_over); i = (i + 1) % 20) {
        (void)put_number(worker->store, 2 + i, 3000);
        (void)get_number_quietly(worker->store, 2 + i, 3000);
        (void)append_build(worker->store, "k", i % 2 != 0 ? "one" : "two");
    }
    return NULL;
}

/* What a call loses it may fail for, and nobody's file is written to; the next
 * call is as any other. */
static int lose_amid_calls(void *user)
{
    const struct job *job = user;
    struct worker worker = {.store = NULL};
    pthread_t thread;
    failures = 0;
    CHECK(dnnl_cache_store_open(&worker.store, job->kind->type, &job->options)
            == dnnl_success);
    if (worker.store == NULL) return 1;
    atomic_init(&worker.is_over, false);
    CHECK(pthread_create(&thread, NULL, put_and_get, &worker) == 0);
    for (int i = 0; i < 8; i++) {
        const struct timespec pause = {0, 2000000};
        lose(job);
        (void)nanosleep(&pause, NULL);
        CHECK(own_descriptors_are_not_written_to());
    }
    atomic_store(&worker.is_over, true);
    (void)pthread_join(thread, NULL);
    CHECK(put_number(worker.store, 1, 3000) == dnnl_success);
    lose(job);
    use(worker.store, 50);
    dnnl_cache_store_close(worker.store);
    return failures;
}

STORE_TEST(Descriptors, MayBeLostAmidCalls)
{
    struct job job = job_of(kind);
    job.own_count = 40;
    EXPECT_EQ(0, in_child(lose_amid_calls, &job));
}
