/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/flat/flat_size.h"

#include "stores/files/store_bytes.h"
#include "stores/files/store_fs.h"

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

static int write_size_file(
        int fd, bool at_work, uint64_t bytes, uint64_t changed)
{
    uint8_t file[flat_size_bytes];
    struct stat st;
    memcpy(file, magic, sizeof magic);
    store_put_u32(file + 8, version);
    store_put_u32(file + 12, at_work ? 1 : 0);
    store_put_u64(file + 16, bytes);
    store_put_u64(file + 24, changed);
    store_put_u64(file + checksum_at, XXH3_64bits(file, checksum_at));
    const int error = store_fs_write_at(fd, file, sizeof file, 0);
    if (error != 0) return error;
    if (fstat(fd, &st) != 0) return errno;
    if (st.st_size == flat_size_bytes) return 0;
    return store_fs_truncate(fd, flat_size_bytes);
}

int flat_size_read(uint64_t *bytes, int fd, int root_fd)
{
    uint8_t file[flat_size_bytes];
    struct stat st;
    uint64_t changed = 0;
    if (fstat(fd, &st) != 0) return errno;
    if (st.st_size != flat_size_bytes) return EBADMSG;
    int error = store_fs_read_at(fd, file, sizeof file, 0);
    if (error == 0) error = changed_ns(&changed, root_fd);
    if (error != 0) return error;
    if (memcmp(file, magic, sizeof magic) != 0
            || store_get_u32(file + 8) != version
            || store_get_u64(file + checksum_at)
                       != XXH3_64bits(file, checksum_at)
            || store_get_u32(file + 12) != 0
            || store_get_u64(file + 24) != changed)
        return EBADMSG;
    *bytes = store_get_u64(file + 16);
    return 0;
}

int flat_size_mark(int fd)
{
    return write_size_file(fd, true, 0, 0);
}

int flat_size_write(uint64_t bytes, int fd, int root_fd)
{
    uint64_t changed = 0;
    const int error = changed_ns(&changed, root_fd);
    return error != 0 ? error : write_size_file(fd, false, bytes, changed);
}
