/* SPDX-License-Identifier: Apache-2.0 */
#include "store_size.h"

#include "store_fs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int store_size_read(uint64_t *bytes, int dirfd, const char *name)
{
    int fd;
    uint64_t size;
    char text[store_size_max_bytes + 1];
    int error = store_fs_open_file(&fd, &size, dirfd, name);
    if (error != 0) return error;
    if (size == 0 || size > store_size_max_bytes)
        error = EBADMSG;
    else
        error = store_fs_read_at(fd, text, (size_t)size, 0);
    close(fd);
    if (error != 0) return error;
    text[size] = '\0';
    if (strlen(text) != size || !store_fs_parse_decimal(text, bytes))
        return EBADMSG;
    return 0;
}

int store_size_write(uint64_t bytes, int tmp_dirfd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options)
{
    char text[store_size_max_bytes + 1];
    const int length = snprintf(text, sizeof text, "%" PRIu64, bytes);
    const struct store_part part = {text, (size_t)length};
    return store_fs_replace_file(tmp_dirfd, dirfd, name, &part, 1, options);
}

uint64_t store_size_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t store_size_subtract(uint64_t a, uint64_t b)
{
    return a < b ? 0 : a - b;
}
