/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file.h"

#include "src/platform/signal_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int file_read_some_at(
        size_t *got, int fd, void *data, size_t size, uint64_t offset)
{
    ssize_t n;
    do
        n = pread(fd, data, size, (off_t)offset);
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? errno : 0;
}

int file_read_up_to(
        size_t *got, int fd, void *data, size_t size, uint64_t offset)
{
    char *at = data;
    size_t n = 1;
    int error = 0;
    for (*got = 0; *got < size && error == 0 && n > 0; *got += n)
        error = file_read_some_at(
                &n, fd, at + *got, size - *got, offset + *got);
    return error;
}

int file_read_at(int fd, void *data, size_t size, uint64_t offset)
{
    size_t got;
    const int error = file_read_up_to(&got, fd, data, size, offset);
    return error == 0 && got < size ? EBADMSG : error;
}

int file_read_some(size_t *got, int fd, void *data, size_t size)
{
    ssize_t n;
    do
        n = read(fd, data, size);
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? errno : 0;
}

static bool has_room_soon(int fd, unsigned patience_ms)
{
    struct pollfd room = {fd, POLLOUT, 0};
    return patience_ms > 0 && poll(&room, 1, (int)patience_ms) > 0;
}

/* Without a limit no write is told by SIGXFSZ that a file is too large. */
static bool has_size_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0
           || limit.rlim_cur != RLIM_INFINITY;
}

/* offset: where, which no pipe takes; -1: where the last one ended. */
static int write_all(
        int fd, const char *at, size_t size, off_t offset, unsigned patience_ms)
{
    struct signal_mask mask;
    const bool is_masked = offset < 0 || has_size_limit();
    int error = 0;
    if (is_masked) signal_mask_begin(&mask);
    while (size > 0 && error == 0) {
        const ssize_t n =
                offset < 0 ? write(fd, at, size) : pwrite(fd, at, size, offset);
        if (n < 0
                && (errno == EINTR
                        || (errno == EAGAIN && has_room_soon(fd, patience_ms))))
            continue;
        if (n <= 0) {
            error = n < 0 ? errno : ENOSPC;
        } else {
            at += n;
            size -= (size_t)n;
            if (offset >= 0) offset += n;
        }
    }
    if (is_masked) signal_mask_end(&mask);
    return error;
}

int file_write_all(int fd, const void *data, size_t size)
{
    return write_all(fd, data, size, -1, 0);
}

int file_write_patiently(
        int fd, const void *data, size_t size, unsigned patience_ms)
{
    return write_all(fd, data, size, -1, patience_ms);
}

int file_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
    return write_all(fd, data, size, (off_t)offset, 0);
}

int file_set_size(int fd, uint64_t size)
{
    struct signal_mask mask;
    signal_mask_begin(&mask);
    int error;
    do
        error = ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
    while (error == EINTR);
    signal_mask_end(&mask);
    return error;
}

int file_reserve(int fd, uint64_t size)
{
    struct signal_mask mask;
    signal_mask_begin(&mask);
    const int error = posix_fallocate(fd, 0, (off_t)size);
    signal_mask_end(&mask);
    return error;
}

int file_end_appending(int fd)
{
    return fcntl(fd, F_SETFL, 0) == 0 ? 0 : errno;
}

int file_sync_data(int fd)
{
    return fdatasync(fd) == 0 ? 0 : errno;
}

int file_sync(int fd)
{
    return fsync(fd) == 0 ? 0 : errno;
}

int file_sync_by_system(int fd, bool data_alone)
{
    return (int)syscall(data_alone ? SYS_fdatasync : SYS_fsync, fd);
}

/* What most files fit, and malloc() takes from its heap. */
enum { first_size = 124 << 10 };

/* The rest of a file that is larger than what was read of it. */
static int read_rest(
        uint8_t **bytes, size_t *size, size_t there, int fd, uint64_t most)
{
    struct file_facts facts;
    const int error = file_facts(&facts, fd);
    if (error != 0) return error;
    if (facts.kind != file_is_plain) return ELOOP;
    if (facts.size > most || facts.size >= SIZE_MAX) return EFBIG;
    *size = (size_t)facts.size;
    uint8_t *larger = realloc(*bytes, *size + 1);
    if (larger == NULL) return ENOMEM;
    *bytes = larger;
    if (there > *size) there = *size;
    return file_read_at(fd, larger + there, *size - there, there);
}

/* A small file is read without asking for its size first. What is no plain file
 * does not end there, or cannot be read in this way. */
int file_read_open(uint8_t **data, size_t *size, int fd, uint64_t most)
{
    size_t count = 0;
    uint8_t *bytes = malloc(first_size);
    if (bytes == NULL) return ENOMEM;
    int error = file_read_some_at(&count, fd, bytes, first_size, 0);
    if (error != 0 || count == 0 || count == first_size || count > most)
        error = read_rest(&bytes, &count, count, fd, most);
    if (error != 0) {
        free(bytes);
        return error;
    }
    bytes[count] = '\0';
    uint8_t *smaller = realloc(bytes, count + 1);
    *data = smaller != NULL ? smaller : bytes;
    *size = count;
    return 0;
}

int file_read_whole(uint8_t **data, size_t *size, int folder, const char *path,
        uint64_t most)
{
    int fd;
    int error = file_open(&fd, folder, path,
            file_for_reading | file_no_link | file_no_wait, 0);
    if (error != 0) return error;
    error = file_read_open(data, size, fd, most);
    (void)file_close(fd);
    return error;
}

int file_write_whole(int folder, const char *name, unsigned more_flags,
        unsigned mode, const void *data, size_t size)
{
    int fd;
    int error = file_open(&fd, folder, name,
            file_for_writing | file_made_if_missing | file_emptied
                    | file_no_link | more_flags,
            mode);
    if (error != 0) return error;
    error = file_write_all(fd, data, size);
    const int closing = file_close(fd);
    return error != 0 ? error : closing;
}

int file_write_new(int folder, const char *name, const struct file_part *parts,
        size_t count, unsigned mode, bool exact,
        enum file_durability durability)
{
    int fd;
    int error = file_open(&fd, folder, name,
            file_for_writing | file_made_if_missing | file_must_be_new
                    | file_no_link,
            mode);
    if (error != 0) return error;
    uint64_t offset = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        error = file_write_at(fd, parts[i].data, parts[i].size, offset);
        offset += parts[i].size;
    }
    if (error == 0 && exact) error = file_set_mode(fd, mode);
    if (error == 0 && durability >= file_durability_data)
        error = file_sync_data(fd);
    const int closing = file_close(fd);
    if (error == 0) error = closing;
    if (error != 0) (void)file_remove(folder, name);
    return error;
}

int file_replace(int scratch, int folder, const char *name,
        const struct file_part *parts, size_t count, unsigned mode, bool exact,
        enum file_durability durability)
{
    char fresh[file_unique_size];
    file_unique_name(fresh, "");
    int error = file_write_new(
            scratch, fresh, parts, count, mode, exact, durability);
    if (error != 0) return error;
    error = file_rename(scratch, fresh, folder, name, true);
    if (error != 0) (void)file_remove(scratch, fresh);
    return error;
}

int file_make(int folder, const char *name, unsigned mode)
{
    int fd;
    if (mknodat(folder, name, S_IFREG | (mode_t)mode, 0) == 0) return 0;
    /* Not of every file system (FUSE), nor in every container. */
    if (errno != ENOSYS && errno != EOPNOTSUPP && errno != EPERM) return errno;
    const int error = file_open(&fd, folder, name,
            file_for_writing | file_made_if_missing | file_must_be_new
                    | file_no_link,
            mode);
    return error != 0 ? error : file_close(fd);
}
