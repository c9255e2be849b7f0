/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_lock.h"

#include "src/platform/clock.h"
#include "src/platform/kept_descriptor.h"
#include "stores/files/store_detach.h"
#include "stores/files/store_fs.h"
#include "stores/files/store_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
static size_t held_capacity;                                  /* held_lock */

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
    if (held_count == held_capacity) {
        const size_t capacity = held_capacity > 0 ? 2 * held_capacity : 16;
        struct kept_descriptor *more = realloc(held, capacity * sizeof *more);
        if (more != NULL) {
            held = more;
            held_capacity = capacity;
        }
    }
    if (held_count == held_capacity) error = ENOMEM;
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
        held_capacity = 0;
    }
    pthread_mutex_unlock(&held_lock);
    return found;
}

/* ---- Locks --------------------------------------------------------------- */

/* flock() has no time-out of its own and an alarm belongs to the application:
 * so ask, and sleep longer each time, up to 5 ms. */
static int lock_until(int fd, uint64_t deadline)
{
    uint64_t pause = 50000;
    for (;;) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return 0;
        if (errno != EWOULDBLOCK && errno != EINTR) return errno;
        const uint64_t now = clock_ns();
        if (now >= deadline) return ETIMEDOUT;
        const uint64_t left = deadline - now;
        clock_sleep_ns(pause < left ? pause : left);
        if (pause < 5000000) pause *= 2;
    }
}

static uint64_t deadline_in(unsigned timeout_ms)
{
    return clock_ns() + (uint64_t)timeout_ms * 1000000u;
}

int store_lock_descriptor(int fd, unsigned timeout_ms)
{
    int error = note(fd);
    if (error == 0) error = lock_until(fd, deadline_in(timeout_ms));
    if (error != 0) (void)forget(fd);
    return error;
}

static int open_regular(int *fd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options)
{
    const mode_t mode = store_file_mode(options);
    const int opened = kept_descriptor_openat(dirfd, name,
            O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode);
    if (opened < 0) return errno;
    struct stat st;
    int error = 0;
    if (fstat(opened, &st) != 0)
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = ELOOP;
    else if (options->sharing != dnnl_cache_store_sharing_private
             && st.st_size == 0)
        (void)fchmod(opened, mode); /* another owner's is fine as it is */
    if (error != 0) {
        close(opened);
        return error;
    }
    *fd = opened;
    return 0;
}

int store_lock_settle(int fd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options)
{
    struct stat locked;
    struct stat st;
    if (fstat(fd, &locked) != 0) return errno;
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0
            || st.st_ino != locked.st_ino || st.st_dev != locked.st_dev)
        return EAGAIN;
    if (st.st_nlink == 1) return 0;
    const int error = store_detach(dirfd, name, fd, options);
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
    const uint64_t deadline = deadline_in(timeout_ms);
    for (int attempt = 0; store_lock_may_retry(attempt, deadline); attempt++) {
        int opened = -1;
        int error = open_regular(&opened, dirfd, name, options);
        if (error == ELOOP || error == EISDIR || error == ENXIO) {
            error = store_fs_remove_tree(dirfd, name, 4);
            if (error != 0) return error;
            continue;
        }
        if (error != 0) return error;
        error = note(opened);
        if (error == 0) error = lock_until(opened, deadline);
        if (error != 0) {
            (void)forget(opened);
            close(opened);
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
    int error = 0;
    if (lock.fd < 0) { /* it could not be locked */
        if (fd >= 0) close(fd);
        return 0;
    }
    if (!kept_descriptor_is_ours(&lock))
        return 0; /* the application closed it */
    /* Said, not left to close(): a child forked meanwhile has a copy of the
     * descriptor and would keep the lock until it exits. */
    while (flock(fd, LOCK_UN) != 0 && error == 0)
        if (errno != EINTR) error = errno;
    const int closed = kept_descriptor_close(&lock);
    return error != 0 ? error : closed;
}
