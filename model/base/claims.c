/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { path_size = 4096, pause_ms = 10 };

void claims_open(struct claims *claims, const char *folder)
{
    char path[path_size];
    const int n = snprintf(path, sizeof path, "%s/compiling.lock", folder);
    claims->file = -1;
    if (n < 0 || (size_t)n >= sizeof path) return;
    claims->file = open(
            path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

/* The byte that stands for a program; the file has none of them. */
static bool set(const struct claims *claims, uint64_t hash, short type)
{
    struct flock lock = {.l_type = type,
            .l_whence = SEEK_SET,
            .l_start = (off_t)(hash >> 2),
            .l_len = 1};
    if (claims->file < 0) return true;
    if (fcntl(claims->file, F_OFD_SETLK, &lock) == 0) return true;
    return errno != EAGAIN && errno != EACCES;
}

bool claims_take(const struct claims *claims, uint64_t hash)
{
    return set(claims, hash, F_WRLCK);
}

void claims_wait(const struct claims *claims, uint64_t hash, int limit_ms)
{
    static const struct timespec pause = {0, pause_ms * 1000000};
    for (int ms = 0; ms < limit_ms && !claims_take(claims, hash);
            ms += pause_ms)
        nanosleep(&pause, NULL);
}

void claims_drop(const struct claims *claims, uint64_t hash)
{
    set(claims, hash, F_UNLCK);
}

void claims_close(struct claims *claims)
{
    if (claims->file >= 0) close(claims->file);
    claims->file = -1;
}
