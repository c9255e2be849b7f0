/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_lock.h"

#include "src/common/array.h"
#include "src/platform/clock.h"
#include "src/platform/kept_descriptor.h"
#include "stores/files/store_detach.h"
#include "stores/files/store_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- fork() ---------------------------------------------------------------
 *
 * A lock of flock() belongs to all copies of its descriptor. A child that was
 * forked while one of our threads held a lock has a copy, and if the parent
 * were killed then, the child would keep the lock for as long as it lives. So
 * it closes its copies first of all. (A log callback must not fork: it may be
 * called with a lock held.) */

static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static struct kept_descriptor *held;                          /* held_lock */
static size_t held_count;                                     /* held_lock */

static void before_fork(void)
{
    pthread_mutex_lock(&held_lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&held_lock);
}

static void after_fork_in_child(void)
{
    for (size_t i = 0; i < held_count; i++)
        kept_descriptor_close(&held[i]);
    held_count = 0;
    pthread_mutex_unlock(&held_lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Before the lock is taken. 0 or an errno value. */
static int note(int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int error = pthread_once(&once, watch_forks);
    pthread_mutex_lock(&held_lock);
    /* Of one that the application closed meanwhile. */
    for (size_t i = held_count; i-- > 0;)
        if (held[i].fd == fd) held[i] = held[--held_count];
    if (!array_grow(&held, held_count, sizeof *held)) error = ENOMEM;
    if (error == 0) error = kept_descriptor_note(&held[held_count], fd);
    if (error == 0) held_count++;
    pthread_mutex_unlock(&held_lock);
    return error;
}

/* What was noted; none if nothing was. */
static struct kept_descriptor forget(int fd)
{
    struct kept_descriptor found = KEPT_DESCRIPTOR_NONE;
    pthread_mutex_lock(&held_lock);
    for (size_t i = 0; i < held_count && found.fd < 0; i++) {
        if (held[i].fd != fd) continue;
        found = held[i];
        held[i] = held[--held_count];
    }
    if (held_count == 0) {
        free(held);
        held = NULL;
    }
    pthread_mutex_unlock(&held_lock);
    return found;
}

/* ---- Locks --------------------------------------------------------------- */

int store_lock_descriptor(int fd, unsigned timeout_ms)
{
    int error = note(fd);
    if (error == 0)
        error = file_lock_until(fd, file_lock_alone,
                clock_ns() + (uint64_t)timeout_ms * 1000000u);
    if (error != 0) (void)forget(fd);
    return error;
}

/* Is this name the only one of the open file? Told after it was opened: a link
 * to a file of this user's may have been at the name, and may be gone by now,
 * which leaves the other file with one name, too. */
static bool has_this_name_alone(
        int dirfd, const char *name, const struct file_facts *opened)
{
    struct file_facts named;
    return file_facts_of_link(&named, dirfd, name) == 0
           && file_is_same(&named, opened) && named.links == 1;
}

static int open_regular(int *fd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options)
{
    const unsigned mode = store_file_mode(options);
    struct file_facts facts;
    const int error = file_open_plain(fd, &facts, dirfd, name,
            file_for_writing | file_made_if_missing | file_of_any_user, mode);
    /* Another owner's is fine as it is; one with a second name may be any file
     * of this user's, to which somebody has made a link. */
    if (error == 0 && store_is_shared(options) && facts.size == 0
            && has_this_name_alone(dirfd, name, &facts))
        (void)file_set_mode(*fd, mode);
    return error;
}

int store_lock_settle(int fd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options)
{
    struct file_facts locked;
    struct file_facts named;
    int error = file_facts(&locked, fd);
    if (error != 0) return error;
    if (file_facts_of_link(&named, dirfd, name) != 0
            || !file_is_same(&named, &locked))
        return EAGAIN;
    if (named.links == 1) return 0;
    error = store_detach(dirfd, name, fd, options);
    return error == 0 ? EAGAIN : error;
}

bool store_lock_may_retry(int attempt, uint64_t deadline_ns)
{
    enum { least_attempts = 8 };
    return attempt < least_attempts || clock_ns() < deadline_ns;
}

int store_lock_file(int *fd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options, unsigned timeout_ms)
{
    const uint64_t deadline = clock_ns() + (uint64_t)timeout_ms * 1000000u;
    for (int attempt = 0; store_lock_may_retry(attempt, deadline); attempt++) {
        int opened;
        int error = open_regular(&opened, dirfd, name, options);
        if (error == ELOOP || error == EISDIR || error == ENXIO) {
            error = folder_remove_tree(dirfd, name, 4);
            if (error != 0) return error;
            continue;
        }
        if (error != 0) return error;
        error = note(opened);
        if (error == 0)
            error = file_lock_until(opened, file_lock_alone, deadline);
        if (error != 0) {
            (void)forget(opened);
            (void)file_close(opened);
            return error;
        }
        error = store_lock_settle(opened, dirfd, name, options);
        if (error == 0) {
            *fd = opened;
            return 0;
        }
        store_unlock_file(opened);
        if (error != EAGAIN) return error;
    }
    return ETIMEDOUT;
}

int store_unlock_file(int fd)
{
    struct kept_descriptor lock = forget(fd);
    if (lock.fd < 0) { /* it could not be locked */
        (void)file_close(fd);
        return 0;
    }
    if (!kept_descriptor_is_ours(&lock))
        return 0; /* the application closed it */
    /* Said, not left to closing: a child forked meanwhile has a copy of the
     * descriptor and would keep the lock until it exits. */
    const int error = file_unlock(fd);
    const int closed = kept_descriptor_close(&lock);
    return error != 0 ? error : closed;
}
