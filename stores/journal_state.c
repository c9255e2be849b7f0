/* SPDX-License-Identifier: Apache-2.0 */
#include "journal_state.h"

#include "store_lock.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- fork() ---------------------------------------------------------------
 *
 * A journal's lock is held during slow reads and writes, and while another
 * process is waited for, so fork() does not wait for it. Instead, who takes it
 * first in a child makes it anew. A thread that had it is not in the child. */

static atomic_uint forks; /* from the first process to this one */
static pthread_mutex_t renewal = PTHREAD_MUTEX_INITIALIZER; /* taken first */

static void after_fork_in_child(void)
{
    atomic_fetch_add(&forks, 1);
    (void)pthread_mutex_init(&renewal, NULL);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

static void renew_after_fork(struct store_journal *journal)
{
    const unsigned now = atomic_load(&forks);
    if (atomic_load(&journal->forks) == now) return;
    pthread_mutex_lock(&renewal);
    if (atomic_load(&journal->forks) != now) {
        if (pthread_mutex_trylock(&journal->lock) == 0) {
            pthread_mutex_unlock(&journal->lock);
        } else {
            /* A thread was changing it. The table may be half of one, so not
             * even its memory can be freed; the file is read again. */
            (void)pthread_mutex_init(&journal->lock, NULL);
            journal->keys = (struct journal_keys){NULL, 0, 0};
            journal->inode = 0;
            journal->end = 0;
            journal->watch_fd = -1; /* perhaps closed, and another's by now */
        }
        /* store_lock.c has closed it; the parent drains. */
        journal->drain_fd = -1;
        atomic_store(&journal->forks, now);
    }
    pthread_mutex_unlock(&renewal);
}

void store_journal_lock(struct store_journal *journal)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    renew_after_fork(journal);
    pthread_mutex_lock(&journal->lock);
}

void store_journal_unlock(struct store_journal *journal)
{
    pthread_mutex_unlock(&journal->lock);
}

/* ---- The file that is known ---------------------------------------------- */

/* A process may close all descriptors that it does not know: the number may be
 * another file's. */
void store_journal_end_watch(struct store_journal *journal)
{
    struct stat st;
    if (journal->watch_fd >= 0 && fstat(journal->watch_fd, &st) == 0
            && st.st_ino == journal->inode && st.st_dev == journal->device)
        close(journal->watch_fd);
    journal->watch_fd = -1;
}

/* ---- Life ---------------------------------------------------------------- */

void store_journal_init(struct store_journal *journal)
{
    pthread_mutex_init(&journal->lock, NULL);
    atomic_init(&journal->forks, atomic_load(&forks));
    journal->max_bytes = JOURNAL_MAX_BYTES;
    journal->watch_fd = -1;
    journal->drain_fd = -1;
    journal->is_made = true;
}

void store_journal_fini(struct store_journal *journal)
{
    if (journal->is_made) {
        renew_after_fork(journal);
        store_journal_end_watch(journal);
        store_unlock_file(journal->drain_fd);
        pthread_mutex_destroy(&journal->lock);
    }
    journal->is_made = false;
    journal_keys_fini(&journal->keys);
}
