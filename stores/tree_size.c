/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_size.h"

#include "store_fs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int tree_size_read(uint64_t *bytes, int fd, int root_fd)
{
    char text[tree_size_bytes + 1];
    struct stat st;
    (void)root_fd;
    if (fstat(fd, &st) != 0) return errno;
    if (st.st_size <= 0 || st.st_size > tree_size_bytes) return EBADMSG;
    const size_t size = (size_t)st.st_size;
    const int error = store_fs_read_at(fd, text, size, 0);
    if (error != 0) return error;
    text[size] = '\0';
    if (strlen(text) != size || !store_fs_parse_decimal(text, bytes))
        return EBADMSG;
    return 0;
}

/* The bytes that are there stay there: on a full disk there may be no room for
 * others later. */
int tree_size_mark(int fd)
{
    return store_fs_write_at(fd, "?", 1, 0);
}

int tree_size_write(uint64_t bytes, int fd, int root_fd)
{
    char text[tree_size_bytes + 1];
    struct stat st;
    (void)root_fd;
    const int length = snprintf(text, sizeof text, "%" PRIu64, bytes);
    if (fstat(fd, &st) != 0) return errno;
    /* First, while the mark is still there: of a death in between there must
     * not be left a number with digits of two. */
    int error =
            st.st_size != length ? store_fs_truncate(fd, (uint64_t)length) : 0;
    /* The mark goes last, by itself: a disk may be full in the middle. */
    if (error == 0)
        error = store_fs_write_at(fd, text + 1, (size_t)length - 1, 1);
    return error == 0 ? store_fs_write_at(fd, text, 1, 0) : error;
}
