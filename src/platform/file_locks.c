/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* flock() has no time-out of its own and an alarm belongs to the application:
 * so ask, and sleep longer each time, up to 5 ms. */
int file_lock_until(int fd, enum file_lock kind, uint64_t deadline_ns)
{
    const int operation =
            (kind == file_lock_alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
    uint64_t pause = 50000;
    for (;;) {
        if (flock(fd, operation) == 0) return 0;
        if (errno != EWOULDBLOCK && errno != EINTR) return errno;
        const uint64_t now = clock_ns();
        if (now >= deadline_ns) return ETIMEDOUT;
        const uint64_t left = deadline_ns - now;
        clock_sleep_ns(pause < left ? pause : left);
        if (pause < 5000000) pause *= 2;
    }
}

int file_lock(int fd, enum file_lock kind, unsigned wait_ms)
{
    const int error = file_lock_until(
            fd, kind, clock_ns() + (uint64_t)wait_ms * 1000000u);
    return error == ETIMEDOUT && wait_ms == 0 ? EWOULDBLOCK : error;
}

int file_unlock(int fd)
{
    /* Said: a child forked meanwhile may have a copy of the descriptor. */
    while (fd >= 0 && flock(fd, LOCK_UN) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

static int set_range(int fd, int command, struct flock *lock)
{
    lock->l_whence = SEEK_SET;
    while (fcntl(fd, command, lock) != 0)
        if (errno != EINTR) return errno == EACCES ? EAGAIN : errno;
    return 0;
}

int file_lock_range(int fd, enum file_lock kind, uint64_t from, uint64_t size)
{
    return set_range(fd, F_OFD_SETLK,
            &(struct flock){
                    .l_type = kind == file_lock_alone ? F_WRLCK : F_RDLCK,
                    .l_start = (off_t)from,
                    .l_len = (off_t)size});
}

int file_unlock_range(int fd, uint64_t from, uint64_t size)
{
    return set_range(fd, F_OFD_SETLK,
            &(struct flock){.l_type = F_UNLCK,
                    .l_start = (off_t)from,
                    .l_len = (off_t)size});
}

int file_range_is_locked(bool *locked, int fd, uint64_t from, uint64_t size)
{
    struct flock lock = {
            .l_type = F_WRLCK, .l_start = (off_t)from, .l_len = (off_t)size};
    const int error = set_range(fd, F_OFD_GETLK, &lock);
    *locked = error == 0 && lock.l_type != F_UNLCK;
    return error;
}

bool file_lock_byte(int fd, uint64_t offset)
{
    return fd < 0 || file_lock_range(fd, file_lock_alone, offset, 1) != EAGAIN;
}

void file_unlock_byte(int fd, uint64_t offset)
{
    (void)file_unlock_range(fd, offset, 1);
}
