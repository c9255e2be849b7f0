/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/tree/tree_size.h"

#include "src/platform/file.h"
#include "stores/files/store_size.h"

/* The bytes that are there stay there: on a full disk there may be no room for
 * others later. */
int tree_size_mark(int fd)
{
    return file_write_at(fd, "?", 1, 0);
}

int tree_size_write(uint64_t bytes, int fd, int root_fd)
{
    char text[store_size_max_bytes + 1];
    struct file_facts facts;
    (void)root_fd;
    const size_t length = store_size_format(text, bytes);
    int error = file_facts(&facts, fd);
    if (error != 0) return error;
    /* First, while the mark is still there: of a death in between there must
     * not be left a number with digits of two. */
    if (facts.size != length) error = file_set_size(fd, length);
    /* The mark goes last, by itself: a disk may be full in the middle. */
    if (error == 0) error = file_write_at(fd, text + 1, length - 1, 1);
    return error == 0 ? file_write_at(fd, text, 1, 0) : error;
}
