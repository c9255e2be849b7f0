/* SPDX-License-Identifier: Apache-2.0 */
/* A journal that several processes write to: at once, killed, after fork(). */
#include "journal_helpers.h"
#include "store_helpers.h"
#include "stores/core/store_internal.h"
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { writers = 6, notes_of_each = 100 };

static int write_many(void *user)
{
    const int writer = *(int *)user;
    dnnl_cache_store_handle_t *store =
            open_type(dnnl_cache_store_get_default_type(), false);
    /* Half of the notes are the same in all processes. */
    for (int i = 0; i < notes_of_each; i++) {
        char id[32];
        snprintf(id, sizeof id, "%d of %d", i, i % 2 == 0 ? 0 : writer);
        const dnnl_cache_note_t note = note_of_build(id, id);
        while (dnnl_cache_store_journal_append(store, &note) != dnnl_success)
            continue;
    }
    dnnl_cache_store_close(store);
    return 0;
}

static pid_t start_writer(int writer)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) _exit(write_many(&writer));
    return pid;
}

TEST_C(Journal, HasEachNoteOfManyProcessesOnce)
{
    dnnl_cache_store_handle_t *store =
            open_type(dnnl_cache_store_get_default_type(), false);
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    pid_t pids[writers];
    int status;
    for (int i = 0; i < writers; i++)
        pids[i] = start_writer(i);
    for (int i = 0; i < writers; i++) {
        ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
        EXPECT_EQ(0, status);
    }
    ASSERT_OK(dnnl_cache_store_journal_get_statistics(store, &s));
    EXPECT_EQ(notes_of_each / 2 * (writers + 1), (long long)s.builds);
    dnnl_cache_store_close(store);
}

TEST_C(Journal, SurvivesWritersThatAreKilled)
{
    dnnl_cache_store_handle_t *store =
            open_type(dnnl_cache_store_get_default_type(), false);
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    uint64_t random = test_seed();
    uint64_t before = 0;
    for (int round = 0; round < 40; round++) {
        const pid_t pid = start_writer(round + 1);
        /* As many notes as chance wants have been written. */
        const uint64_t wanted = before + next_random(&random) % 20;
        do
            ASSERT_OK(dnnl_cache_store_journal_get_statistics(store, &s));
        while (s.builds < wanted && waitpid(pid, NULL, WNOHANG) == 0);
        kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        /* Nothing that was there is lost, and more can be written. */
        char id[32];
        snprintf(id, sizeof id, "round %d", round);
        EXPECT_OK(append_build(store, id, id));
        ASSERT_OK(dnnl_cache_store_journal_get_statistics(store, &s));
        EXPECT_GT((long long)s.builds, (long long)before);
        before = s.builds;
    }
    dnnl_cache_store_close(store);
}

/* The malloc() of AddressSanitizer waits in the child for threads that are not
 * there. */
#ifndef __SANITIZE_ADDRESS__

/* Waits in a call, and then has the journal's lock, until somebody frees that
 * of the file. */
static void *append_in_thread(void *user)
{
    while (append_build(user, "thread", "of a thread") != dnnl_success)
        continue;
    return NULL;
}

static void note_after_fork(dnnl_cache_store_handle_t *store)
{
    alarm(60); /* a child that hangs fails the test */
    while (append_build(store, "child", "of the child") != dnnl_success)
        continue;
    dnnl_cache_store_close(store);
}

TEST_C(Journal, ForksAmidAThreadThatHasTheLock)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *store = open_type(type, false);
    pthread_t thread;
    int status = 0;
    EXPECT_OK(append_build(store, "a", "x"));
    const int fd = open(journal_path(type), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(0, flock(fd, LOCK_EX));
    ASSERT_EQ(0, pthread_create(&thread, NULL, append_in_thread, store));
    while (pthread_mutex_trylock(&store->journal.lock.mutex) == 0)
        pthread_mutex_unlock(&store->journal.lock.mutex);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        close(fd);
        note_after_fork(store);
        _exit(0);
    }
    ASSERT_EQ(0, flock(fd, LOCK_UN));
    EXPECT_EQ(pid, waitpid(pid, &status, 0));
    EXPECT_EQ(0, status);
    close(fd);
    pthread_join(thread, NULL);
    EXPECT_TRUE(strstr(journal_lines(store), "build a x -DA=1\n") != NULL);
    EXPECT_TRUE(strstr(journal_lines(store), "of the child") != NULL);
    EXPECT_TRUE(strstr(journal_lines(store), "of a thread") != NULL);
    dnnl_cache_store_close(store);
}
#endif

static int close_after_fork(void *user)
{
    dnnl_cache_store_handle_t *store = user;
    int pipes[2];
    /* Takes the numbers that the fork has freed. */
    if (pipe(pipes) != 0) return 1;
    dnnl_cache_store_journal_end_drain(store);
    dnnl_cache_store_close(store);
    return fcntl(pipes[0], F_GETFD) < 0 || fcntl(pipes[1], F_GETFD) < 0 ? 2 : 0;
}

TEST_C(Journal, IsNotDrainedByAChild)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *store = open_type(type, false);
    dnnl_cache_store_handle_t *other = open_type(type, false);
    EXPECT_OK(dnnl_cache_store_journal_begin_drain(store, 0));
    EXPECT_EQ(0, in_child(close_after_fork, store));
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_store_journal_begin_drain(other, 0));
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
}
