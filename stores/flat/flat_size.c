/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/flat/flat_size.h"

#include "src/common/byte_order.h"
#include "src/platform/file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 'c', 'f', 'g'};

enum { version = 1, checksum_at = 32 };

/* When a name was last added to the directory, or removed. */
static int changed_ns(uint64_t *ns, int root_fd)
{
    struct file_facts facts;
    const int error = file_facts(&facts, root_fd);
    *ns = facts.modified_ns;
    return error;
}

static int write_size_file(
        int fd, bool at_work, uint64_t bytes, uint64_t changed)
{
    uint8_t file[flat_size_bytes];
    struct file_facts facts;
    memcpy(file, magic, sizeof magic);
    store_le32(file + 8, version);
    store_le32(file + 12, at_work ? 1 : 0);
    store_le64(file + 16, bytes);
    store_le64(file + 24, changed);
    store_le64(file + checksum_at, XXH3_64bits(file, checksum_at));
    int error = file_write_at(fd, file, sizeof file, 0);
    if (error == 0) error = file_facts(&facts, fd);
    if (error != 0 || facts.size == flat_size_bytes) return error;
    return file_set_size(fd, flat_size_bytes);
}

int flat_size_read(uint64_t *bytes, int fd, int root_fd)
{
    uint8_t file[flat_size_bytes];
    struct file_facts facts;
    uint64_t changed = 0;
    int error = file_facts(&facts, fd);
    if (error != 0) return error;
    if (facts.size != flat_size_bytes) return EBADMSG;
    error = file_read_at(fd, file, sizeof file, 0);
    if (error == 0) error = changed_ns(&changed, root_fd);
    if (error != 0) return error;
    if (memcmp(file, magic, sizeof magic) != 0 || load_le32(file + 8) != version
            || load_le64(file + checksum_at) != XXH3_64bits(file, checksum_at)
            || load_le32(file + 12) != 0 || load_le64(file + 24) != changed)
        return EBADMSG;
    *bytes = load_le64(file + 16);
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
