/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_files.h"

#include "src/common/array.h"
#include "src/platform/file.h"
#include "src/platform/library.h"

#include <errno.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(
        size_t reason_size, char *reason, const char *path, const char *why)
{
    snprintf(reason, reason_size, "%.100s: %s", path, why);
    return false;
}

static bool refuse_for(struct include_files *files, size_t reason_size,
        char *reason, const char *path, int error)
{
    if (error == ENOMEM) files->lacks_memory = true;
    return refuse(reason_size, reason, path, strerror(error));
}

/* ---- Places -------------------------------------------------------------- */

/* The place of a path, which is not known yet; NULL: no memory. */
static struct include_place *add_place(
        struct include_files *files, const char *path)
{
    const size_t size = strlen(path) + 1;
    struct include_place *place = malloc(sizeof *place + size);
    if (place == NULL) return NULL;
    memset(place, 0, sizeof *place);
    place->path = memcpy(place + 1, path, size);
    HASH_ADD_KEYPTR(hh, files->places, place->path, size - 1, place);
    if (place->hh.tbl != NULL) return place;
    free(place);
    return NULL;
}

static void remove_place(
        struct include_files *files, struct include_place *place)
{
    HASH_DEL(files->places, place);
    free(place);
}

/* ---- Files --------------------------------------------------------------- */

static size_t folder_size_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash + 1 - path) : 0;
}

/* False if it cannot be told: the folder was taken away meanwhile. */
static bool look_at_folder(struct file_facts *facts, const char *path)
{
    char folder[path_size] = ".";
    const size_t size = folder_size_of(path);
    if (size >= sizeof folder) return false; /* none that could be opened */
    if (size > 0) {
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    return file_facts_at(facts, file_here, folder) == 0;
}

/* What a file is: itself, and the folder that it was reached through. */
struct identity {
    uint64_t device;
    uint64_t inode;
    uint64_t folder_device; /* both 0: by whatever folder */
    uint64_t folder_inode;
};

struct include_known {
    UT_hash_handle hh;
    struct identity identity;
    size_t file;
};

/* INCLUDE_NO_FILE: it is not known. */
static size_t find_known(
        const struct include_files *files, const struct identity *identity)
{
    struct include_known *known;
    HASH_FIND(hh, files->known, identity, sizeof *identity, known);
    return known != NULL ? known->file : INCLUDE_NO_FILE;
}

/* False: no memory. */
static bool add_known(struct include_files *files,
        const struct identity *identity, size_t file)
{
    struct include_known *known = calloc(1, sizeof *known);
    if (known == NULL) return false;
    known->identity = *identity;
    known->file = file;
    HASH_ADD(hh, files->known, identity, sizeof known->identity, known);
    if (known->hh.tbl != NULL) return true;
    free(known);
    return false;
}

/* The file that comes next in the list is known from now on, and has its first
 * alias. False: no memory. */
static bool note_file(struct include_files *files, struct include_file *file,
        const struct identity *identity)
{
    const struct identity anywhere = {
            .device = identity->device, .inode = identity->inode};
    file->first_alias = find_known(files, &anywhere);
    if (file->first_alias == INCLUDE_NO_FILE) {
        file->first_alias = files->count;
        if (!add_known(files, &anywhere, files->count)) return false;
    }
    return identity->folder_inode == 0
           || add_known(files, identity, files->count);
}

/* Reads until the end, whatever size the file is said to have. Returns 0, or
 * an errno; EFBIG if there are more than `most` bytes. */
static int read_all(
        int fd, size_t expected, size_t most, char **text, size_t *size)
{
    size_t capacity = expected + 1; /* one more, to see the end at once */
    size_t have = 0;
    char *bytes = malloc(capacity);
    int error = bytes != NULL ? 0 : ENOMEM;
    while (error == 0) {
        size_t got;
        error = file_read_some(&got, fd, bytes + have, capacity - have);
        if (got == 0) break;
        have += got;
        if (have > most) error = EFBIG;
        if (have < capacity) continue;
        capacity *= 2;
        char *more = realloc(bytes, capacity);
        if (more == NULL)
            error = ENOMEM;
        else
            bytes = more;
    }
    if (error != 0) {
        free(bytes);
        return error;
    }
    *text = bytes;
    *size = have;
    return 0;
}

/* Adds what is open as fd; path stays the caller's and must outlive it. */
static bool add_file(struct include_files *files, const char *path, int fd,
        const struct file_facts *facts, const struct identity *identity,
        size_t reason_size, char *reason)
{
    const size_t room = include_max_bytes - files->bytes;
    struct include_file file = {.path = path,
            .folder_size = folder_size_of(path),
            .device = facts->device,
            .number = facts->number,
            .modified_ns = facts->modified_ns,
            .changed_ns = facts->changed_ns};
    if (files->count == include_max_files)
        return refuse(reason_size, reason, path, "too many files are included");
    int error = EFBIG;
    if (facts->size <= room)
        error = read_all(fd, (size_t)facts->size, room, &file.text, &file.size);
    if (error == EFBIG)
        return refuse(
                reason_size, reason, path, "the included files are too large");
    if (error != 0) return refuse_for(files, reason_size, reason, path, error);
    if (!array_grow(&files->list, files->count, sizeof *files->list)
            || !note_file(files, &file, identity)) {
        free(file.text);
        return refuse_for(files, reason_size, reason, path, ENOMEM);
    }
    files->bytes += file.size;
    files->list[files->count++] = file;
    return true;
}

/* The file is another one by another folder, and the same by another path
 * through the same folder, so that its own includes are the same: without that
 * a/../a/x.h, a/../a/../a/x.h and so on would be new for ever. */
static bool take_open_file(struct include_files *files, const char *path,
        int fd, size_t *index, size_t reason_size, char *reason)
{
    struct file_facts facts;
    struct file_facts folder;
    const int error = file_facts(&facts, fd);
    if (error != 0) return refuse(reason_size, reason, path, strerror(error));
    if (facts.kind != file_is_plain)
        return refuse(
                reason_size, reason, path, "included, but not a regular file");
    struct identity identity = {.device = facts.device, .inode = facts.number};
    if (look_at_folder(&folder, path)) {
        identity.folder_device = folder.device;
        identity.folder_inode = folder.number;
        *index = find_known(files, &identity);
        if (*index != INCLUDE_NO_FILE) return true;
    }
    if (!add_file(files, path, fd, &facts, &identity, reason_size, reason))
        return false;
    *index = files->count - 1;
    return true;
}

/* Looks at a path for the first time. */
static bool look(struct include_files *files, const char *path, size_t *index,
        size_t reason_size, char *reason)
{
    int fd;
    const int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    /* ENOTDIR is refused: a folder that is a file may tell the compiler where
     * to look (clang's header maps). */
    if (error == ENOENT) {
        *index = INCLUDE_NO_FILE;
        return true;
    }
    if (error != 0) return refuse_for(files, reason_size, reason, path, error);
    bool done = take_open_file(files, path, fd, index, reason_size, reason);
    (void)file_close(fd);
    return done;
}

bool include_files_find(struct include_files *files, const char *path,
        size_t *index, size_t reason_size, char *reason)
{
    struct include_place *place;
    HASH_FIND_STR(files->places, path, place);
    if (place != NULL) {
        *index = place->file;
        return true;
    }
    if (HASH_COUNT(files->places) == include_max_places)
        return refuse(reason_size, reason, path,
                "includes were searched in too many places");
    place = add_place(files, path);
    if (place == NULL)
        return refuse_for(files, reason_size, reason, path, ENOMEM);
    if (!look(files, place->path, &place->file, reason_size, reason)) {
        remove_place(files, place);
        return false;
    }
    *index = place->file;
    return true;
}

void include_files_drop_text(struct include_files *files, size_t index)
{
    free(files->list[index].text);
    files->list[index].text = NULL;
}

/* Of a regular file that is open. */
static bool digest_of(int fd, uint8_t digest[32])
{
    struct file_facts facts;
    char *text = NULL;
    size_t size = 0;
    if (file_facts(&facts, fd) != 0 || facts.kind != file_is_plain
            || facts.size > include_max_bytes
            || read_all(fd, (size_t)facts.size, include_max_bytes, &text, &size)
                       != 0)
        return false;
    const bool ok =
            crypto_generichash(digest, 32, (const uint8_t *)text, size, NULL, 0)
            == 0;
    free(text);
    return ok;
}

bool include_files_digest(const struct include_file *file, uint8_t digest[32])
{
    int fd;
    const bool ok = file_open(&fd, file_here, file->path,
                            file_for_reading | file_no_wait, 0)
                            == 0
                    && digest_of(fd, digest);
    (void)file_close(fd);
    return ok;
}

void include_files_fini(struct include_files *files)
{
    struct include_place *place;
    struct include_place *following;
    struct include_known *known;
    struct include_known *next;
    for (size_t i = 0; i < files->count; i++)
        free(files->list[i].text);
    HASH_ITER(hh, files->places, place, following)
    remove_place(files, place);
    HASH_ITER(hh, files->known, known, next)
    {
        HASH_DEL(files->known, known);
        free(known);
    }
    free(files->list);
    *files = (struct include_files){0};
}
