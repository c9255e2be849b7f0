/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_fs.h"

#include "src/platform/kept_descriptor.h"
#include "src/platform/signal_mask.h"
#include "stores/files/store_mode.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- Directories --------------------------------------------------------- */

int store_fs_make_directories(const char *path, mode_t mode, bool exact)
{
    char *prefix = strdup(path);
    if (prefix == NULL) return ENOMEM;
    int error = 0;
    for (char *slash = prefix; slash != NULL;) {
        slash = strchr(slash + 1, '/');
        if (slash != NULL) *slash = '\0';
        if (mkdir(prefix, mode) != 0) {
            /* A parent that cannot be made may be there all the same, on a
             * read-only file system for one: the last mkdir() decides. */
            if (slash == NULL && errno != EEXIST) error = errno;
        } else if (slash == NULL && exact && chmod(prefix, mode) != 0) {
            error = errno;
        }
        if (slash != NULL) *slash = '/';
    }
    free(prefix);
    return error;
}

int store_fs_make_directory(
        int dirfd, const char *name, mode_t mode, bool exact)
{
    if (mkdirat(dirfd, name, mode) != 0) return errno;
    if (exact && fchmodat(dirfd, name, mode, 0) != 0) return errno;
    return 0;
}

int store_fs_sync_directory(
        int dirfd, const struct dnnl_cache_store_options *options)
{
    if (options->durability < dnnl_cache_store_durability_data_and_directory)
        return 0;
    return fsync(dirfd) == 0 ? 0 : errno;
}

/* ---- Opening ------------------------------------------------------------- */

/* One component at a time, for kernels and sandboxes without openat2(). */
static int open_stepwise(int *fd, int dirfd, const char *path, int flags)
{
    char component[NAME_MAX + 1];
    int at = dirfd;
    int error = 0;
    for (;;) {
        const size_t length = strcspn(path, "/");
        const bool last = path[length] == '\0';
        if (length > NAME_MAX) {
            error = ENAMETOOLONG;
            break;
        }
        memcpy(component, path, length);
        component[length] = '\0';
        const int next = kept_descriptor_openat(at, component,
                last ? flags : O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
        if (next < 0) error = errno;
        if (at != dirfd) close(at);
        at = dirfd;
        if (next < 0) break;
        if (last) {
            *fd = next;
            return 0;
        }
        at = next;
        path += length + 1;
    }
    if (at != dirfd) close(at);
    return error;
}

/* With the number that the kernel gave. */
static int open_beneath(int *fd, int dirfd, const char *path, int flags)
{
    static atomic_bool unavailable;
    flags |= O_NOFOLLOW | O_CLOEXEC;
    if (!atomic_load_explicit(&unavailable, memory_order_relaxed)) {
        const struct open_how how = {
                .flags = (unsigned)flags,
                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
        };
        const long opened = syscall(SYS_openat2, dirfd, path, &how, sizeof how);
        if (opened >= 0) {
            *fd = (int)opened;
            return 0;
        }
        if (errno != ENOSYS && errno != EPERM) return errno;
        atomic_store_explicit(&unavailable, true, memory_order_relaxed);
    }
    return open_stepwise(fd, dirfd, path, flags);
}

int store_fs_open_beneath(int *fd, int dirfd, const char *path, int flags)
{
    const int error = open_beneath(fd, dirfd, path, flags);
    if (error == 0) *fd = kept_descriptor_raise(*fd);
    return error;
}

static int open_for_reading(int *fd, int dirfd, const char *path)
{
    const int error =
            open_beneath(fd, dirfd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (error == 0) *fd = kept_descriptor_raise_read(*fd);
    return error;
}

static int size_of_regular(uint64_t *size, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return errno;
    if (!S_ISREG(st.st_mode)) return ELOOP;
    *size = (uint64_t)st.st_size;
    return 0;
}

int store_fs_open_file(int *fd, uint64_t *size, int dirfd, const char *path)
{
    int opened;
    int error = open_for_reading(&opened, dirfd, path);
    if (error == 0) {
        error = size_of_regular(size, opened);
        if (error != 0) close(opened);
    }
    if (error == 0) *fd = opened;
    return error;
}

/* ---- Reading and writing ------------------------------------------------- */

int store_fs_read_at(int fd, void *data, size_t size, uint64_t offset)
{
    char *cursor = data;
    while (size > 0) {
        const ssize_t n = pread(fd, cursor, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return EBADMSG;
        cursor += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return 0;
}

int store_fs_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
    const char *cursor = data;
    struct signal_mask mask;
    int error = 0;
    signal_mask_begin(&mask);
    while (size > 0 && error == 0) {
        const ssize_t n = pwrite(fd, cursor, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            error = n < 0 ? errno : EIO;
        } else {
            cursor += n;
            offset += (uint64_t)n;
            size -= (size_t)n;
        }
    }
    signal_mask_end(&mask);
    return error;
}

int store_fs_truncate(int fd, uint64_t size)
{
    struct signal_mask mask;
    signal_mask_begin(&mask);
    const int error = ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
    signal_mask_end(&mask);
    return error;
}

/* What most files fit, and malloc() takes from its heap. */
enum { first_size = 124 << 10 };

/* The rest of a file that is larger than what was read of it. */
static int read_rest(
        uint8_t **bytes, size_t *size, size_t there, int fd, uint64_t max)
{
    uint64_t file_size;
    int error = size_of_regular(&file_size, fd);
    if (error != 0) return error;
    if (file_size > max || file_size > SIZE_MAX) return EBADMSG;
    *size = (size_t)file_size;
    uint8_t *larger = realloc(*bytes, *size > 0 ? *size : 1);
    if (larger == NULL) return ENOMEM;
    *bytes = larger;
    if (there > *size) there = *size;
    return store_fs_read_at(fd, larger + there, *size - there, there);
}

/* A small file is read without asking for its size first. What is none does not
 * end there, or cannot be read in this way. */
static int read_contents(uint8_t **bytes, size_t *size, int fd, uint64_t max)
{
    ssize_t n;
    do
        n = pread(fd, *bytes, first_size, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0 || n == first_size || (uint64_t)n > max)
        return read_rest(bytes, size, n > 0 ? (size_t)n : 0, fd, max);
    *size = (size_t)n;
    uint8_t *smaller = realloc(*bytes, *size);
    if (smaller != NULL) *bytes = smaller;
    return 0;
}

int store_fs_read_file(
        uint8_t **data, size_t *size, int dirfd, const char *path, uint64_t max)
{
    int fd;
    size_t read_size = 0;
    int error = open_for_reading(&fd, dirfd, path);
    if (error != 0) return error;
    uint8_t *bytes = malloc(first_size);
    error = bytes != NULL ? read_contents(&bytes, &read_size, fd, max) : ENOMEM;
    close(fd);
    if (error != 0) {
        free(bytes);
        return error;
    }
    *data = bytes;
    *size = read_size;
    return 0;
}

/* In one reading, which a file of that size fits with a byte to spare. */
static bool has_just(int fd, const void *data, size_t size)
{
    char bytes[4096];
    ssize_t n;
    if (size >= sizeof bytes) return false;
    do
        n = pread(fd, bytes, size + 1, 0);
    while (n < 0 && errno == EINTR);
    return n >= 0 && (size_t)n == size && memcmp(bytes, data, size) == 0;
}

static int compare_contents(int fd, const char *expected, size_t size)
{
    int error = 0;
    for (size_t at = 0; at < size && error == 0;) {
        char chunk[4096];
        const size_t n = size - at < sizeof chunk ? size - at : sizeof chunk;
        error = store_fs_read_at(fd, chunk, n, at);
        if (error == 0 && memcmp(chunk, expected + at, n) != 0) error = ENOMSG;
        at += n;
    }
    return error;
}

int store_fs_compare_file(
        int dirfd, const char *path, const void *data, size_t size)
{
    int fd;
    uint64_t file_size;
    int error = open_for_reading(&fd, dirfd, path);
    if (error != 0) return error;
    if (size == 0 || !has_just(fd, data, size)) {
        error = size_of_regular(&file_size, fd);
        if (error == 0 && file_size != size) error = ENOMSG;
        if (error == 0) error = compare_contents(fd, data, size);
    }
    close(fd);
    return error;
}

int store_fs_classify(int error)
{
    switch (error) {
    case ELOOP:
    case EISDIR:
    case ENXIO:
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
        return EBADMSG;
    case ENOTDIR:
        return ENOENT;
    default:
        return error;
    }
}

int store_fs_write_file(int dirfd, const char *name,
        const struct store_part *parts, size_t count,
        const struct dnnl_cache_store_options *options)
{
    const mode_t mode = store_file_mode(options);
    const int fd = kept_descriptor_openat(
            dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (fd < 0) return errno;
    int error = 0;
    uint64_t offset = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        error = store_fs_write_at(fd, parts[i].data, parts[i].size, offset);
        offset += parts[i].size;
    }
    if (error == 0 && options->sharing != dnnl_cache_store_sharing_private
            && fchmod(fd, mode) != 0)
        error = errno;
    if (error == 0 && options->durability >= dnnl_cache_store_durability_data
            && fdatasync(fd) != 0)
        error = errno;
    /* Some file systems report a failed write at close only. */
    if (close(fd) != 0 && error == 0) error = errno;
    if (error != 0) unlinkat(dirfd, name, 0);
    return error;
}

int store_fs_replace_file(int tmp_dirfd, int dirfd, const char *name,
        const struct store_part *parts, size_t count,
        const struct dnnl_cache_store_options *options)
{
    char tmp[store_fs_name_size];
    store_fs_unique_name(tmp);
    int error = store_fs_write_file(tmp_dirfd, tmp, parts, count, options);
    if (error != 0) return error;
    if (renameat(tmp_dirfd, tmp, dirfd, name) != 0) {
        error = errno;
        unlinkat(tmp_dirfd, tmp, 0);
    }
    return error;
}

/* ---- Removing ------------------------------------------------------------ */

int store_fs_remove_tree(int dirfd, const char *name, unsigned depth)
{
    if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT) return 0;
    if (errno != EISDIR && errno != EPERM) return errno;
    if (unlinkat(dirfd, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return 0;
    if (errno != ENOTEMPTY && errno != EEXIST) return errno;
    if (depth == 0) return ENOTEMPTY;
    int fd;
    int error = store_fs_open_beneath(&fd, dirfd, name, O_RDONLY | O_DIRECTORY);
    if (error != 0) return error;
    error = store_fs_empty_directory(fd, depth - 1);
    close(fd);
    if (error != 0) return error;
    return unlinkat(dirfd, name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

/* A stream of its own: descriptors share their position with their copies. */
static int open_stream(DIR **dir, int dirfd)
{
    const int fd =
            kept_descriptor_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return errno;
    *dir = fdopendir(fd);
    if (*dir != NULL) return 0;
    const int error = errno;
    close(fd);
    return error;
}

/* The next name other than "." and ".."; NULL at the end or on an error. */
static const char *next_name(DIR *dir, int *error)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            *error = errno;
            return NULL;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    }
}

int store_fs_empty_directory(int dirfd, unsigned depth)
{
    DIR *dir;
    int error = open_stream(&dir, dirfd);
    if (error != 0) return error;
    int first_error = 0;
    const char *name;
    while ((name = next_name(dir, &error)) != NULL) {
        const int removed = store_fs_remove_tree(dirfd, name, depth);
        if (first_error == 0) first_error = removed;
    }
    closedir(dir);
    return first_error != 0 ? first_error : error;
}

/* ---- Names --------------------------------------------------------------- */

void store_fs_unique_name(char name[store_fs_name_size])
{
    uint64_t chance;
    if (getrandom(&chance, sizeof chance, GRND_NONBLOCK)
            != (ssize_t)sizeof chance) {
        static atomic_uint_fast64_t counter;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        chance = (uint64_t)now.tv_nsec + ((uint64_t)now.tv_sec << 30)
                 + (atomic_fetch_add(&counter, 1) << 50);
    }
    snprintf(name, store_fs_name_size, "%ld-%016" PRIx64, (long)getpid(),
            chance);
}

char *store_fs_put_decimal(char *at, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

char *store_fs_put_hash(char *at, uint64_t hash)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[hash >> shift & 15];
    return at;
}

bool store_fs_parse_decimal(const char *text, uint64_t *value)
{
    if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0')) return false;
    uint64_t v = 0;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (v > (UINT64_MAX - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

int store_fs_for_each_name(
        int dirfd, int (*visit)(void *user, const char *name), void *user)
{
    DIR *dir;
    int error = open_stream(&dir, dirfd);
    if (error != 0) return error;
    const char *name;
    while ((name = next_name(dir, &error)) != NULL) {
        error = visit(user, name);
        if (error != 0) break;
    }
    closedir(dir);
    return error;
}

struct numbers {
    uint64_t max;
    int (*visit)(void *user, uint64_t number);
    void *user;
};

static int visit_number(void *user, const char *name)
{
    const struct numbers *numbers = user;
    uint64_t number;
    if (!store_fs_parse_decimal(name, &number) || number > numbers->max)
        return 0;
    return numbers->visit(numbers->user, number);
}

int store_fs_for_each_number(int dirfd, uint64_t max,
        int (*visit)(void *user, uint64_t number), void *user)
{
    struct numbers numbers = {max, visit, user};
    return store_fs_for_each_name(dirfd, visit_number, &numbers);
}
