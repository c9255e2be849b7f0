/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/tree/tree_size.h"

#include "stores/files/store_fs.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <sys/stat.h>

/* The bytes that are there stay there: on a full disk there may be no room for
 * others later. */
int tree_size_mark(int fd)
{
    return store_fs_write_at(fd, "?", 1, 0);
}

int tree_size_write(uint64_t bytes, int fd, int root_fd)
{
    char text[store_size_max_bytes + 1];
    struct stat st;
    (void)root_fd;
    const size_t length = store_size_format(text, bytes);
    if (fstat(fd, &st) != 0) return errno;
    /* First, while the mark is still there: of a death in between there must
     * not be left a number with digits of two. */
    int error =
            (size_t)st.st_size != length ? store_fs_truncate(fd, length) : 0;
    /* The mark goes last, by itself: a disk may be full in the middle. */
    if (error == 0) error = store_fs_write_at(fd, text + 1, length - 1, 1);
    return error == 0 ? store_fs_write_at(fd, text, 1, 0) : error;
}
