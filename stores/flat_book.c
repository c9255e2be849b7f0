/* SPDX-License-Identifier: Apache-2.0 */
#include "flat_book.h"

#include "store_bytes.h"
#include "store_fs.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 'c', 'f', 'g'};

enum { version = 1, checksum_at = 32 };

/* When a name was last added to the directory, or removed. */
static int changed_ns(uint64_t *ns, int root_fd)
{
    struct stat st;
    if (fstat(root_fd, &st) != 0) return errno;
    *ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u
          + (uint64_t)st.st_mtim.tv_nsec;
    return 0;
}

static int write_book(int fd, bool at_work, uint64_t bytes, uint64_t changed)
{
    uint8_t book[flat_book_size];
    struct stat st;
    memcpy(book, magic, sizeof magic);
    store_put_u32(book + 8, version);
    store_put_u32(book + 12, at_work ? 1 : 0);
    store_put_u64(book + 16, bytes);
    store_put_u64(book + 24, changed);
    store_put_u64(book + checksum_at, XXH3_64bits(book, checksum_at));
    const int error = store_fs_write_at(fd, book, sizeof book, 0);
    if (error != 0) return error;
    if (fstat(fd, &st) != 0) return errno;
    if (st.st_size == flat_book_size) return 0;
    return store_fs_truncate(fd, flat_book_size);
}

int flat_book_read(uint64_t *bytes, int fd, int root_fd)
{
    uint8_t book[flat_book_size];
    struct stat st;
    uint64_t changed = 0;
    if (fstat(fd, &st) != 0) return errno;
    if (st.st_size != flat_book_size) return EBADMSG;
    int error = store_fs_read_at(fd, book, sizeof book, 0);
    if (error == 0) error = changed_ns(&changed, root_fd);
    if (error != 0) return error;
    if (memcmp(book, magic, sizeof magic) != 0
            || store_get_u32(book + 8) != version
            || store_get_u64(book + checksum_at)
                       != XXH3_64bits(book, checksum_at)
            || store_get_u32(book + 12) != 0
            || store_get_u64(book + 24) != changed)
        return EBADMSG;
    *bytes = store_get_u64(book + 16);
    return 0;
}

int flat_book_mark(int fd)
{
    return write_book(fd, true, 0, 0);
}

int flat_book_write(uint64_t bytes, int fd, int root_fd)
{
    uint64_t changed = 0;
    const int error = changed_ns(&changed, root_fd);
    return error != 0 ? error : write_book(fd, false, bytes, changed);
}
