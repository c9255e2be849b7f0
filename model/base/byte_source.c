/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct byte_source {
    atomic_int users;
    int fd;     /* -1: in memory */
    char *path; /* for messages; owned */
    uint64_t size;
    const uint8_t *bytes; /* borrowed; NULL: in a file */
    struct stat facts;    /* of the file when it was opened */
};

static struct byte_source *create(struct failure *failure)
{
    struct byte_source *source = malloc(sizeof *source);
    if (source == NULL) {
        (void)fail_out_of_memory(failure);
        return NULL;
    }
    *source = (struct byte_source){.fd = -1};
    atomic_init(&source->users, 1);
    return source;
}

struct byte_source *byte_source_borrow(
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    struct byte_source *source = create(failure);
    if (source == NULL) return NULL;
    source->bytes = bytes;
    source->size = size;
    return source;
}

/* errno tells why a path cannot be read from. */
static void fail_to_open(const char *path, struct failure *failure)
{
    (void)fail(failure, "cannot open %s: %s", path,
            errno == EINVAL ? "not a file" : strerror(errno));
}

struct byte_source *byte_source_take(
        int fd, const char *path, struct failure *failure)
{
    struct byte_source *source = create(failure);
    if (source == NULL) {
        (void)close(fd);
        return NULL;
    }
    source->fd = fd;
    source->path = strdup(path);
    if (source->path == NULL) {
        (void)fail_out_of_memory(failure);
    } else if (fstat(fd, &source->facts) != 0
               || !S_ISREG(source->facts.st_mode)) {
        errno = S_ISDIR(source->facts.st_mode) ? EISDIR : EINVAL;
        fail_to_open(path, failure);
    } else {
        source->size = (uint64_t)source->facts.st_size;
        return source;
    }
    byte_source_release(source);
    return NULL;
}

struct byte_source *byte_source_open(const char *path, struct failure *failure)
{
    /* Without waiting for whoever writes to a pipe. */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) return byte_source_take(fd, path, failure);
    fail_to_open(path, failure);
    return NULL;
}

struct byte_source *byte_source_retain(struct byte_source *source)
{
    atomic_fetch_add(&source->users, 1);
    return source;
}

void byte_source_release(struct byte_source *source)
{
    if (source == NULL || atomic_fetch_sub(&source->users, 1) != 1) return;
    if (source->fd >= 0) (void)close(source->fd);
    free(source->path);
    free(source);
}

uint64_t byte_source_size(const struct byte_source *source)
{
    return source->size;
}

const uint8_t *byte_source_memory(const struct byte_source *source)
{
    return source->bytes;
}

static bool read_all(
        int fd, uint64_t offset, size_t size, uint8_t *to, int *error)
{
    *error = 0;
    while (size != 0) {
        const ssize_t got = pread(fd, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) *error = errno;
        if (got <= 0) return false;
        to += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

bool byte_source_read(const struct byte_source *source, uint64_t offset,
        size_t size, void *to, struct failure *failure)
{
    int error;
    if (offset > source->size || size > source->size - offset)
        return fail(failure, "%zu bytes from %llu on, and there are %llu", size,
                (unsigned long long)offset, (unsigned long long)source->size);
    if (size == 0) return true;
    if (source->bytes != NULL) {
        memcpy(to, source->bytes + offset, size);
        return true;
    }
    if (read_all(source->fd, offset, size, to, &error)) return true;
    return fail(failure, "cannot read %s: %s", source->path,
            error != 0 ? strerror(error) : "it has become shorter");
}

bool byte_source_check(
        const struct byte_source *source, struct failure *failure)
{
    struct stat now;
    const struct stat *then = &source->facts;
    if (source->fd < 0) return true;
    if (fstat(source->fd, &now) != 0)
        return fail(
                failure, "cannot read %s: %s", source->path, strerror(errno));
    return (now.st_size == then->st_size
                   && now.st_mtim.tv_sec == then->st_mtim.tv_sec
                   && now.st_mtim.tv_nsec == then->st_mtim.tv_nsec)
           || fail(failure, "%s was written to while it was read",
                   source->path);
}
