/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/driver_lines.h"

#include "src/common/array.h"
#include "src/common/hash.h"
#include "src/platform/file.h"
#include "src/platform/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where an ELF file's build-id is, if it has one. */
enum { HEAD_SIZE = FILE_SEARCH_OPENED_HEAD };

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
    lines->count++;
    return line;
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

/* ---- Files that are found more than once --------------------------------- */

static const struct driver_file *find_file(
        const struct driver_lines *lines, const char *path, bool with_head)
{
    const uint64_t hash = hash64(path, strlen(path));
    for (size_t i = 0; i < lines->file_count; i++)
        if (lines->files[i].hash == hash
                && strcmp(lines->files[i].path, path) == 0
                && (!with_head || lines->files[i].head != NULL))
            return &lines->files[i];
    return NULL;
}

static void file_fini(struct driver_file *file)
{
    free(file->path);
    free(file->head);
}

/* Of a text all that a file_head has; nothing else is read as one. NULL: memory
 * ran out. */
static char *copy_text(size_t *copied, const unsigned char *bytes, size_t size)
{
    if (size > FILE_SEARCH_HEAD_SIZE) size = FILE_SEARCH_HEAD_SIZE;
    if (memchr(bytes, '\0', size) != NULL) size = 0;
    *copied = size > 0 ? size : 1;
    char *text = calloc(*copied + 1, 1);
    if (text != NULL) memcpy(text, bytes, size);
    return text;
}

/* Takes the file over. 0 or ENOMEM: looked at again, it would be watched
 * twice. */
static int remember(
        struct driver_lines *lines, struct driver_file *file, const char *path)
{
    file->hash = hash64(path, strlen(path));
    file->path = strdup(path);
    if (file->path != NULL
            && array_grow(&lines->files, lines->file_count, sizeof *file)) {
        lines->files[lines->file_count++] = *file;
        return 0;
    }
    file_fini(file);
    return ENOMEM;
}

void driver_lines_fini(struct driver_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->list[i].path);
    for (size_t i = 0; i < lines->file_count; i++)
        file_fini(&lines->files[i]);
    free(lines->list);
    free(lines->files);
    free(lines->piece);
    buffer_fini(&lines->missing);
    *lines = (struct driver_lines){.list = NULL};
}

/* Its line, by the build-id or the digest. */
static void add_known(struct driver_lines *lines,
        const struct driver_file *file, const char *name)
{
    const bool has_id = file->build_id_size > 0;
    struct driver_line *line =
            driver_lines_add(lines, name, has_id ? "build-id" : "content",
                    has_id ? file->build_id : file->digest.bytes,
                    has_id ? file->build_id_size : sizeof file->digest.bytes);
    if (line != NULL) line->bytes = (int64_t)file->facts.size;
}

/* ---- Files --------------------------------------------------------------- */

/* Room for that much of a file, and its first bytes. 0 or an errno value. */
static int make_room(struct driver_lines *lines, uint64_t size)
{
    size_t wanted = size < FILE_PIECE_SIZE ? (size_t)size : FILE_PIECE_SIZE;
    if (wanted < HEAD_SIZE) wanted = HEAD_SIZE;
    if (wanted <= lines->piece_size) return 0;
    unsigned char *larger = realloc(lines->piece, wanted);
    if (larger == NULL) return ENOMEM;
    lines->piece = larger;
    lines->piece_size = wanted;
    return 0;
}

/* Of a file that has several names, which count each, once; lines->piece has
 * its first bytes. 0 or an errno value. */
static int digest_once(struct digest256 *out, struct driver_lines *lines,
        int fd, const struct file_facts *facts, const char *path, size_t there)
{
    for (size_t i = 0; i < lines->file_count; i++) {
        const struct driver_file *file = &lines->files[i];
        if (file->build_id_size > 0 || !file_is_unchanged(&file->facts, facts))
            continue;
        *out = file->digest;
        return 0;
    }
    const int error = make_room(lines, facts->size);
    return error != 0 ? error
                      : file_digest(out, &lines->systems, fd, facts, path,
                              lines->piece, there);
}

static void copy_head(
        struct file_head *to, const unsigned char *piece, size_t size)
{
    if (to == NULL) return;
    to->size = size < FILE_SEARCH_HEAD_SIZE ? size : FILE_SEARCH_HEAD_SIZE;
    memcpy(to->bytes, piece, to->size);
    to->bytes[to->size] = '\0';
}

static size_t head_size_of(const struct file_facts *facts)
{
    return facts->size < HEAD_SIZE ? (size_t)facts->size : HEAD_SIZE;
}

/* Adds an open plain file, whose settled facts these are and whose first bytes
 * are in lines->piece: by its build-id, which is near the beginning of a
 * library's file, or by a digest of its contents. loaded: the object that has
 * its name in this process; NULL: none. */
static int add_begun_file(struct driver_lines *lines, int fd,
        const struct file_facts *facts, const char *path, const char *name,
        const struct loaded_object *loaded, struct file_head *first)
{
    struct driver_file file = {.facts = *facts};
    const size_t head = head_size_of(facts);
    int error = 0;
    copy_head(first, lines->piece, head);
    file.build_id_size =
            library_build_id_of_file(lines->piece, head, file.build_id);
    if (loaded != NULL)
        error = compare_loaded(
                loaded, file.build_id, file.build_id_size, facts);
    if (error != 0) return error;
    watch_file(lines, path, facts);
    file.head = copy_text(&file.head_size, lines->piece, head);
    if (file.head == NULL) return ENOMEM;
    if (file.build_id_size == 0)
        error = digest_once(&file.digest, lines, fd, facts, path, head);
    if (error == 0) {
        add_known(lines, &file, name);
        return remember(lines, &file, path);
    }
    file_fini(&file);
    return error;
}

/* The same; its first bytes are read. */
static int add_open_file(struct driver_lines *lines, int fd,
        const struct file_facts *facts, const char *path, const char *name,
        const struct loaded_object *loaded, struct file_head *first)
{
    int error = make_room(lines, 0);
    if (error == 0)
        error = file_read_at(fd, lines->piece, head_size_of(facts), 0);
    if (error != 0) return error == EBADMSG ? ESTALE : error;
    return add_begun_file(lines, fd, facts, path, name, loaded, first);
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

/* What has the path now: objects that are loaded were looked at for the watch
 * a moment ago. */
static bool look_at_loaded(struct file_facts *facts,
        const struct driver_lines *lines, const char *path)
{
    return (lines->watch != NULL
                   && identity_watch_find_file(facts, lines->watch, path))
           || file_facts_at(facts, file_here, path) == 0;
}

/* The object that was loaded from a file with this path, whatever file has the
 * path now; NULL: none. */
static const struct loaded_object *find_loaded(const struct driver_lines *lines,
        const struct loaded_objects *objects, const char *path,
        const struct file_facts *facts)
{
    struct file_facts now;
    const struct loaded_object *o =
            loaded_objects_find_file(objects, loaded_base_name(path));
    if (o == NULL) return NULL;
    return strcmp(o->path, path) == 0
                           || (look_at_loaded(&now, lines, o->path)
                                   && file_is_same(&now, facts))
                   ? o
                   : NULL;
}

void driver_lines_watch_absent(struct driver_lines *lines, const char *path)
{
    if (lines->watch != NULL) identity_watch_add_absent(lines->watch, path);
}

void driver_lines_watch_unfit(struct driver_lines *lines, const char *path)
{
    struct file_facts facts;
    if (file_facts_settled(&facts, file_none, path) == 0)
        watch_file(lines, path, &facts);
    else
        driver_lines_watch_absent(lines, path);
}

static void add_opened(struct driver_lines *lines,
        const struct loaded_objects *objects, int fd,
        const struct file_facts *facts, const char *path, const char *name,
        struct file_head *head)
{
    const size_t before = lines->count;
    const int error = add_open_file(lines, fd, facts, path, name,
            find_loaded(lines, objects, path, facts), head);
    driver_lines_set_path(lines, before, path);
    if (error != 0) driver_lines_fail(lines, name, error);
}

/* False: it was not found before. */
static bool add_again(struct driver_lines *lines, const char *path,
        const char *name, struct file_head *head)
{
    const size_t before = lines->count;
    const struct driver_file *file = find_file(lines, path, head != NULL);
    if (file == NULL) return false;
    if (head != NULL) {
        head->size = file->head_size;
        memcpy(head->bytes, file->head, file->head_size + 1);
    }
    add_known(lines, file, name);
    driver_lines_set_path(lines, before, path);
    return true;
}

void driver_lines_add_opened(struct driver_lines *lines,
        const struct loaded_objects *objects, const struct file_opened *opened,
        const char *path, const char *name)
{
    const size_t before = lines->count;
    const struct file_facts *facts = &opened->facts;
    if (add_again(lines, path, name, NULL)) return;
    int error = make_room(lines, 0);
    if (error == 0 && opened->head_size < head_size_of(facts)) error = ESTALE;
    if (error == 0) {
        memcpy(lines->piece, opened->head, head_size_of(facts));
        error = add_begun_file(lines, opened->fd, facts, path, name,
                find_loaded(lines, objects, path, facts), NULL);
    }
    driver_lines_set_path(lines, before, path);
    if (error != 0) driver_lines_fail(lines, name, error);
}

/* Another name of a file that was found, which has not changed since. */
static bool find_same(struct driver_file *out, const struct driver_lines *lines,
        const struct file_facts *facts)
{
    for (size_t i = 0; i < lines->file_count; i++) {
        const struct driver_file *file = &lines->files[i];
        if (!file_is_unchanged(&file->facts, facts)) continue;
        *out = *file;
        out->head = NULL;
        return true;
    }
    return false;
}

/* By what is known of the file, or a digest that others keep. False: it has to
 * be read. */
static bool add_kept(struct driver_lines *lines,
        const struct loaded_objects *objects, const struct file_facts *facts,
        const char *path, const char *name)
{
    const size_t before = lines->count;
    struct driver_file file = {.facts = *facts};
    if (loaded_objects_find_file(objects, loaded_base_name(path)) != NULL
            || (!find_same(&file, lines, facts)
                    && !file_digest_find(
                            &file.digest, &lines->systems, facts, path)))
        return false;
    watch_file(lines, path, facts);
    add_known(lines, &file, name);
    driver_lines_set_path(lines, before, path);
    if (remember(lines, &file, path) != 0)
        driver_lines_fail(lines, name, ENOMEM);
    return true;
}

/* What is there: that it cannot be opened is no answer. */
static void open_and_add(struct driver_lines *lines,
        const struct loaded_objects *objects, const char *path,
        const char *name, struct file_head *head)
{
    struct file_facts facts;
    int fd;
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error == 0) {
        error = file_facts_settled(&facts, fd, NULL);
        if (error == 0 && facts.kind != file_is_plain) error = ESTALE;
        if (error == 0)
            add_opened(lines, objects, fd, &facts, path, name, head);
        (void)file_close(fd);
    }
    if (error != 0) driver_lines_fail(lines, name, error);
}

/* The look-up comes first: most of what is looked for is not there, and of what
 * is there most has a digest that is kept. */
int driver_lines_find_file(struct driver_lines *lines,
        const struct loaded_objects *objects, const char *path,
        const char *name, struct file_head *head)
{
    struct file_facts facts;
    if (add_again(lines, path, name, head)) return 0;
    const int error = file_facts_settled(&facts, file_none, path);
    if (error != 0) return error;
    if (facts.kind != file_is_plain) return EISDIR;
    if (head != NULL || !add_kept(lines, objects, &facts, path, name))
        open_and_add(lines, objects, path, name, head);
    return 0;
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
        if (line != NULL && lines->is_description
                && file_facts_at(&facts, file_here, o->path) == 0)
            line->bytes = (int64_t)facts.size;
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
