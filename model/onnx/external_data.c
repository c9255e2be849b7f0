/* SPDX-License-Identifier: Apache-2.0 */
#include "model/onnx/external_data.h"

#include "src/platform/file.h"
#include "src/platform/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a tensor's message says. */
struct said {
    const char *location;
    uint64_t offset;
    uint64_t length;
    bool has_length;
};

/* Decimal digits and nothing else. */
static bool read_number(uint64_t *number, const char *text)
{
    *number = 0;
    bool ok = *text != '\0';
    for (; ok && *text != '\0'; text++) {
        uint64_t digit = (uint64_t)*text - '0';
        ok = *text >= '0' && *text <= '9'
             && *number <= (UINT64_MAX - digit) / 10;
        if (ok) *number = *number * 10 + digit;
    }
    return ok;
}

static bool read_said(struct said *place, const Onnx__TensorProto *message,
        const char *what, struct failure *failure)
{
    *place = (struct said){0};
    for (size_t i = 0; i < message->n_external_data; i++) {
        const char *key = message->external_data[i]->key;
        const char *value = message->external_data[i]->value;
        bool ok = key != NULL && value != NULL;
        if (ok && strcmp(key, "location") == 0) {
            place->location = value;
        } else if (ok && strcmp(key, "offset") == 0) {
            ok = read_number(&place->offset, value);
        } else if (ok && strcmp(key, "length") == 0) {
            ok = read_number(&place->length, value);
            place->has_length = true;
        }
        if (!ok)
            return fail(failure, "%s: its external data has %s \"%s\"", what,
                    key == NULL ? "no key for" : key,
                    value == NULL ? "" : value);
    }
    return true;
}

/* True if a path stays below the folder it starts in. */
static bool is_below(const char *path)
{
    if (*path == '\0' || *path == '/') return false;
    for (const char *part = path; part != NULL;) {
        size_t size = strcspn(part, "/");
        if (size == 2 && memcmp(part, "..", 2) == 0) return false;
        part = part[size] == '/' ? part + size + 1 : NULL;
    }
    return true;
}

/* ---- The file ------------------------------------------------------------ */

/* What a path is from a folder on, both without links; NULL if not below it. */
static const char *below(const char *path, const char *folder)
{
    size_t size = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, size) == 0 && path[size] == '/'
                   ? path + size + 1
                   : NULL;
}

/* Without following any link: there was none when the path was resolved, and
 * one that is there now was not looked at. Nor waiting, should it be a pipe. */
static int open_without_links(const char *folder, const char *path)
{
    int above;
    int fd = file_none;
    if (file_open(&above, file_here, folder, file_must_be_folder | file_no_link,
                0)
            != 0)
        return file_none;
    (void)file_open(&fd, above, path,
            file_for_reading | file_beneath | file_no_wait | file_kept, 0);
    (void)file_close(above);
    return fd;
}

struct byte_source *external_data_open(const struct external_place *place,
        const char *folder, const char *what, struct failure *failure)
{
    struct byte_source *source = NULL;
    const char *path = place->path;
    char *top = path_absolute(folder);
    char *resolved = path_absolute(path);
    const char *rest =
            top != NULL && resolved != NULL ? below(resolved, top) : NULL;
    const int fd = rest != NULL ? open_without_links(top, rest) : file_none;
    struct failure reason = {""};
    if (resolved != NULL && rest == NULL)
        (void)fail(failure,
                "%s: %s leads out of the model's folder, in which its data "
                "must be",
                what, path);
    else if (fd != file_none)
        source = byte_source_take(fd, path, &reason);
    if (source == NULL)
        (void)fail(failure, "%s: no file %s with its data", what, path);
    free(top);
    free(resolved);
    return source;
}

bool external_data_check(const struct external_place *place, size_t size,
        const struct byte_source *source, const char *what,
        struct failure *failure)
{
    const uint64_t there = byte_source_size(source);
    return (place->offset <= there && size <= there - place->offset)
           || fail(failure,
                   "%s: %s has %llu bytes, none of the %zu from %llu on", what,
                   place->path, (unsigned long long)there, size,
                   (unsigned long long)place->offset);
}

/* ---- The place ----------------------------------------------------------- */

bool external_data_find(struct external_place *place, size_t size,
        const Onnx__TensorProto *message, const char *folder, const char *what,
        struct failure *failure)
{
    struct said said;
    if (!read_said(&said, message, what, failure)) return false;
    if (folder == NULL || said.location == NULL || !is_below(said.location))
        return fail(failure, "%s: its data must be in a file beside the model",
                what);
    if (said.has_length && said.length != size)
        return fail(failure, "%s: %llu bytes of data, its shape needs %zu",
                what, (unsigned long long)said.length, size);
    const int written = snprintf(
            place->path, sizeof place->path, "%s/%s", folder, said.location);
    if (written < 0 || (size_t)written >= sizeof place->path)
        return fail(failure, "%s: the name of its data file is too long", what);
    place->offset = said.offset;
    return true;
}
