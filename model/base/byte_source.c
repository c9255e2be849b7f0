/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/byte_source.h"

#include "src/platform/file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct byte_source {
    atomic_int users;
    int fd;     /* file_none: in memory */
    char *path; /* for messages; owned */
    uint64_t size;
    const uint8_t *bytes;    /* borrowed; NULL: in a file */
    struct file_facts facts; /* of the file when it was opened */
};

static struct byte_source *create(struct failure *failure)
{
    struct byte_source *source = malloc(sizeof *source);
    if (source == NULL) {
        (void)fail_out_of_memory(failure);
        return NULL;
    }
    *source = (struct byte_source){.fd = file_none};
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

static void fail_to_open(const char *path, int error, struct failure *failure)
{
    (void)fail(failure, "cannot open %s: %s", path,
            error == EINVAL ? "not a file" : strerror(error));
}

struct byte_source *byte_source_take(
        int fd, const char *path, struct failure *failure)
{
    struct byte_source *source = create(failure);
    if (source == NULL) {
        (void)file_close(fd);
        return NULL;
    }
    source->fd = fd;
    source->path = strdup(path);
    if (source->path == NULL) {
        (void)fail_out_of_memory(failure);
    } else if (file_facts(&source->facts, fd) != 0
               || source->facts.kind != file_is_plain) {
        fail_to_open(path,
                source->facts.kind == file_is_folder ? EISDIR : EINVAL,
                failure);
    } else {
        source->size = source->facts.size;
        return source;
    }
    byte_source_release(source);
    return NULL;
}

struct byte_source *byte_source_open(const char *path, struct failure *failure)
{
    /* Without waiting for whoever writes to a pipe. */
    int fd;
    const int error = file_open(&fd, file_here, path,
            file_for_reading | file_no_wait | file_kept, 0);
    if (error == 0) return byte_source_take(fd, path, failure);
    fail_to_open(path, error, failure);
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
    (void)file_close(source->fd);
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

bool byte_source_read(const struct byte_source *source, uint64_t offset,
        size_t size, void *to, struct failure *failure)
{
    if (offset > source->size || size > source->size - offset)
        return fail(failure, "%zu bytes from %llu on, and there are %llu", size,
                (unsigned long long)offset, (unsigned long long)source->size);
    if (size == 0) return true;
    if (source->bytes != NULL) {
        memcpy(to, source->bytes + offset, size);
        return true;
    }
    const int error = file_read_at(source->fd, to, size, offset);
    return error == 0
           || fail(failure, "cannot read %s: %s", source->path,
                   error == EBADMSG ? "it has become shorter"
                                    : strerror(error));
}

bool byte_source_check(
        const struct byte_source *source, struct failure *failure)
{
    struct file_facts now;
    const struct file_facts *then = &source->facts;
    if (source->fd == file_none) return true;
    const int error = file_facts(&now, source->fd);
    if (error != 0)
        return fail(
                failure, "cannot read %s: %s", source->path, strerror(error));
    return (now.size == then->size && now.modified_ns == then->modified_ns)
           || fail(failure, "%s was written to while it was read",
                   source->path);
}
