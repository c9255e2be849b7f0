/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_detach.h"

#include "src/platform/environment.h"
#include "stores/files/store_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int copy_bytes(int to, int from, uint64_t size)
{
    enum { chunk_size = 1 << 16 };
    uint8_t *chunk = malloc(chunk_size);
    int error = chunk == NULL ? ENOMEM : 0;
    for (uint64_t at = 0; at < size && error == 0;) {
        const uint64_t left = size - at;
        const size_t n = left < chunk_size ? (size_t)left : chunk_size;
        error = file_read_at(from, chunk, n, at);
        if (error == 0) error = file_write_at(to, chunk, n, at);
        at += n;
    }
    free(chunk);
    return error;
}

/* Of root, who is at work in a user's store, it has to stay the user's. */
static int copy_file(
        int to, int from, const struct dnnl_cache_store_options *options)
{
    struct file_facts facts;
    int error = file_facts(&facts, from);
    if (error != 0) return error;
    if (!file_is_own(&facts)) {
        error = file_set_owner(to, facts.owner, facts.group);
        if (error != 0 && process_user() == 0) return error;
    }
    error = file_set_mode(to, facts.mode & 0777);
    if (error == 0) error = copy_bytes(to, from, facts.size);
    return error == 0 ? store_sync_data(to, options) : error;
}

int store_detach(int dirfd, const char *name, int fd,
        const struct dnnl_cache_store_options *options)
{
    char fresh[file_name_size];
    int to;
    const int n = snprintf(fresh, sizeof fresh, "%s" STORE_DETACH_SUFFIX, name);
    if (n < 0 || (size_t)n >= sizeof fresh) return ENAMETOOLONG;
    /* Of one who died at it: only who has the lock gets here. */
    int error = file_remove(dirfd, fresh);
    if (error != 0 && error != ENOENT) return error;
    error = file_open(&to, dirfd, fresh,
            file_for_writing | file_made_if_missing | file_must_be_new
                    | file_no_link,
            0600);
    if (error != 0) return error;
    error = copy_file(to, fd, options);
    const int closed = file_close(to);
    if (error == 0) error = closed;
    if (error == 0) error = file_rename(dirfd, fresh, dirfd, name, true);
    if (error != 0) (void)file_remove(dirfd, fresh);
    return error;
}
