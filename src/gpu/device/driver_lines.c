/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/driver_lines.h"

#include "src/common/hash.h"
#include "src/platform/file.h"
#include "src/platform/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where an ELF file's build-id is, if it has one. */
enum { HEAD_SIZE = 1 << 14 };

void driver_lines_fail(struct driver_lines *lines, const char *name, int error)
{
    if (lines->error != 0) return;
    lines->error = error;
    snprintf(lines->culprit, sizeof lines->culprit, "%.60s", name);
}

struct driver_line *driver_lines_add(struct driver_lines *lines,
        const char *name, const char *how, const unsigned char *digest,
        size_t digest_size)
{
    if (lines->count == MAX_LINES) {
        driver_lines_fail(lines, name, E2BIG);
        return NULL;
    }
    struct driver_line *line = &lines->list[lines->count];
    char *text = line->text;
    int used = snprintf(text, LINE_SIZE, "%.96s %s ", name, how);
    for (size_t i = 0; i < digest_size; i++)
        used += snprintf(
                text + used, LINE_SIZE - (size_t)used, "%02x", digest[i]);
    line->bytes = -1;
    line->has_digest = false;
    lines->count++;
    return line;
}

static void set_bytes(struct driver_line *line, uint64_t bytes)
{
    if (line != NULL) line->bytes = (int64_t)bytes;
}

void driver_lines_set_path(
        struct driver_lines *lines, size_t before, const char *path)
{
    if (!lines->is_description || lines->count == before) return;
    struct driver_line *line = &lines->list[before];
    line->path = path_absolute(path);
    if (line->path == NULL) line->path = strdup(path);
    if (line->path == NULL) driver_lines_fail(lines, "a path", ENOMEM);
}

/* ---- Files --------------------------------------------------------------- */

/* Is the file that was opened what the object was loaded from? It need not be
 * while a package is updated. */
static int compare_loaded(const struct loaded_object *loaded, const uint8_t *id,
        size_t id_size, const struct file_facts *facts)
{
    const struct library_facts *library = &loaded->library;
    if (id_size > 0 && library->build_id_size > 0)
        return id_size == library->build_id_size
                               && memcmp(id, library->build_id, id_size) == 0
                       ? 0
                       : ESTALE;
    int fd;
    char path[path_size];
    struct file_facts of_loaded;
    int error = library_open_file(&fd, path, library);
    if (error != 0) return error;
    error = file_facts(&of_loaded, fd);
    (void)file_close(fd);
    if (error != 0) return error;
    return file_is_same(&of_loaded, facts) ? 0 : ESTALE;
}

static void watch_file(struct driver_lines *lines, const char *path,
        const struct file_facts *facts)
{
    if (lines->watch != NULL)
        identity_watch_add_file(lines->watch, path, facts);
}

/* Of a file that has several names, which count each, once; lines->piece has
 * its first bytes. 0 or an errno value. */
static int digest_once(struct digest256 *out, struct driver_lines *lines,
        int fd, const struct file_facts *facts, const char *path, size_t there)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct driver_line *line = &lines->list[i];
        if (!line->has_digest || !file_is_unchanged(&line->facts, facts))
            continue;
        *out = line->digest;
        return 0;
    }
    return file_digest(out, fd, facts, path, lines->piece, there);
}

static void copy_head(
        struct file_head *to, const unsigned char *piece, size_t size)
{
    if (to == NULL) return;
    to->size = size < FILE_SEARCH_HEAD_SIZE ? size : FILE_SEARCH_HEAD_SIZE;
    memcpy(to->bytes, piece, to->size);
    to->bytes[to->size] = '\0';
}

/* Adds an open plain file, whose settled facts these are: by its build-id,
 * which is near the beginning of a library's file, or by a digest of its
 * contents. loaded: the object that has its name in this process; NULL: none.
 */
static int add_open_file(struct driver_lines *lines, int fd,
        const struct file_facts *facts, const char *path, const char *name,
        const struct loaded_object *loaded, struct file_head *first)
{
    uint8_t id[library_build_id_most];
    struct digest256 digest;
    const size_t head =
            facts->size < HEAD_SIZE ? (size_t)facts->size : HEAD_SIZE;
    int error = file_read_at(fd, lines->piece, head, 0);
    if (error != 0) return error == EBADMSG ? ESTALE : error;
    copy_head(first, lines->piece, head);
    size_t id_size = library_build_id_of_file(lines->piece, head, id);
    if (loaded != NULL) error = compare_loaded(loaded, id, id_size, facts);
    if (error != 0) return error;
    watch_file(lines, path, facts);
    if (id_size > 0) {
        set_bytes(driver_lines_add(lines, name, "build-id", id, id_size),
                facts->size);
        return 0;
    }
    error = digest_once(&digest, lines, fd, facts, path, head);
    if (error != 0) return error;
    struct driver_line *line = driver_lines_add(
            lines, name, "content", digest.bytes, sizeof digest.bytes);
    set_bytes(line, facts->size);
    if (line != NULL) {
        line->has_digest = true;
        line->facts = *facts;
        line->digest = digest;
    }
    return 0;
}

/* A link that leads nowhere has nothing for the driver either; a name that is
 * gone by now had something a moment ago. */
static bool is_dangling(const char *path, int error)
{
    struct file_facts facts;
    return (error == ENOENT || error == ENOTDIR || error == ELOOP)
           && file_facts_of_link(&facts, file_here, path) == 0
           && facts.kind == file_is_link;
}

/* The object that was loaded from a file with this path, whatever file has the
 * path now; NULL: none. */
static const struct loaded_object *find_loaded(
        const struct loaded_objects *objects, const char *name,
        const struct file_facts *facts)
{
    struct file_facts now;
    const struct loaded_object *o = loaded_objects_find_file(objects, name);
    return o != NULL && file_facts_at(&now, file_here, o->path) == 0
                           && file_is_same(&now, facts)
                   ? o
                   : NULL;
}

void driver_lines_watch_absent(struct driver_lines *lines, const char *path)
{
    if (lines->watch != NULL) identity_watch_add_absent(lines->watch, path);
}

static void add_opened(struct driver_lines *lines,
        const struct loaded_objects *objects, int fd,
        const struct file_facts *facts, const char *path, const char *name,
        struct file_head *head)
{
    const size_t before = lines->count;
    const int error = add_open_file(lines, fd, facts, path, name,
            find_loaded(objects, loaded_base_name(path), facts), head);
    driver_lines_set_path(lines, before, path);
    if (error != 0) driver_lines_fail(lines, name, error);
}

int driver_lines_find_file(struct driver_lines *lines,
        const struct loaded_objects *objects, const char *path,
        const char *name, struct file_head *head)
{
    struct file_facts facts;
    int fd;
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) return error;
    error = file_facts_settled(&facts, fd, NULL);
    if (error != 0)
        driver_lines_fail(lines, name, error);
    else if (facts.kind == file_is_plain)
        add_opened(lines, objects, fd, &facts, path, name, head);
    else
        error = EISDIR;
    (void)file_close(fd);
    return error == EISDIR ? EISDIR : 0;
}

void driver_lines_add_file(struct driver_lines *lines,
        const struct loaded_objects *objects, const char *path,
        const char *name)
{
    const int error = driver_lines_find_file(lines, objects, path, name, NULL);
    if (error == 0 || error == EISDIR) return;
    if (is_dangling(path, error)) {
        driver_lines_add(lines, name, "dangling", NULL, 0);
        driver_lines_watch_absent(lines, path);
    } else {
        driver_lines_fail(lines, name, error);
    }
}

/* The code in memory is that of the build-id, whatever file has the path by
 * now; but processes that the driver starts take the file. */
static void watch_loaded(
        struct driver_lines *lines, const struct loaded_object *o)
{
    struct file_facts facts;
    if (o->path[0] != '/' || o->path_is_cut) return;
    if (file_facts_settled(&facts, file_none, o->path) == 0)
        watch_file(lines, o->path, &facts);
    else
        driver_lines_watch_absent(lines, o->path);
}

void driver_lines_add_loaded(
        struct driver_lines *lines, const struct loaded_object *o)
{
    const char *name = loaded_object_name(o);
    const struct library_facts *library = &o->library;
    char path[path_size];
    struct file_facts facts;
    int fd;
    if (library->build_id_size > 0) {
        struct driver_line *line = driver_lines_add(lines, name, "build-id",
                library->build_id, library->build_id_size);
        if (lines->is_description
                && file_facts_at(&facts, file_here, o->path) == 0)
            set_bytes(line, facts.size);
        watch_loaded(lines, o);
        return;
    }
    int error = library_open_file(&fd, path, library);
    if (error == 0) {
        error = file_facts_settled(&facts, fd, NULL);
        if (error == 0)
            error = add_open_file(lines, fd, &facts, path, name, NULL, NULL);
        (void)file_close(fd);
    }
    if (error != 0) driver_lines_fail(lines, name, error);
}
