/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_detach.h"

#include "stores/files/store_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_bytes(int to, int from, uint64_t size)
{
    enum { chunk_size = 1 << 16 };
    uint8_t *chunk = malloc(chunk_size);
    int error = chunk == NULL ? ENOMEM : 0;
    for (uint64_t at = 0; at < size && error == 0;) {
        const uint64_t left = size - at;
        const size_t n = left < chunk_size ? (size_t)left : chunk_size;
        error = store_fs_read_at(from, chunk, n, at);
        if (error == 0) error = store_fs_write_at(to, chunk, n, at);
        at += n;
    }
    free(chunk);
    return error;
}

/* Of root, who is at work in a user's store, it has to stay the user's. */
static int copy_file(
        int to, int from, const struct dnnl_cache_store_options *options)
{
    struct stat st;
    if (fstat(from, &st) != 0) return errno;
    const bool is_given =
            st.st_uid == geteuid() || fchown(to, st.st_uid, st.st_gid) == 0;
    if (!is_given && geteuid() == 0) return errno;
    if (fchmod(to, st.st_mode & 0777) != 0) return errno;
    const int error = copy_bytes(to, from, (uint64_t)st.st_size);
    if (error == 0 && options->durability >= dnnl_cache_store_durability_data
            && fdatasync(to) != 0)
        return errno;
    return error;
}

int store_detach(int dirfd, const char *name, int fd,
        const struct dnnl_cache_store_options *options)
{
    char fresh[NAME_MAX + 1];
    const int n = snprintf(fresh, sizeof fresh, "%s" STORE_DETACH_SUFFIX, name);
    if (n < 0 || (size_t)n >= sizeof fresh) return ENAMETOOLONG;
    /* Of one who died at it: only who has the lock gets here. */
    if (unlinkat(dirfd, fresh, 0) != 0 && errno != ENOENT) return errno;
    const int to = openat(dirfd, fresh,
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0) return errno;
    int error = copy_file(to, fd, options);
    if (close(to) != 0 && error == 0) error = errno;
    if (error == 0 && renameat(dirfd, fresh, dirfd, name) != 0) error = errno;
    if (error != 0) (void)unlinkat(dirfd, fresh, 0);
    return error;
}
