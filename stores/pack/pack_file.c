/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_file.h"

#include "src/platform/library.h"
#include "stores/core/store_owner.h"
#include "stores/files/store_detach.h"
#include "stores/files/store_file.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What SQLite may keep beside a database. We ask for the first only; the
 * others are there if somebody else wrote to the file his way. */
static const char *const companions[] = {"-journal", "-wal", "-shm"};
enum { companion_count = sizeof companions / sizeof companions[0] };

/* The name of the file while it is being made. */
static const char being_made[] = "-new";

static bool is_private(const dnnl_cache_store_handle_t *store)
{
    return store->options.sharing == dnnl_cache_store_sharing_private;
}

static int refuse(const dnnl_cache_store_handle_t *store, const char *path,
        const char *why)
{
    store_log(store, dnnl_cache_log_error, "%s: refused as a store: %s", path,
            why);
    return EPERM;
}

/* ---- The directory ------------------------------------------------------- */

/* "<directory>", "." for none, and "<name>" of a path, which is changed. */
static int split(char *path, const char **directory, const char **name)
{
    char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    *directory = slash == NULL ? "." : slash == path ? "/" : path;
    if (slash != NULL) *slash = '\0';
    if ((*name)[0] == '\0' || strcmp(*name, ".") == 0
            || strcmp(*name, "..") == 0)
        return EISDIR;
    return 0;
}

static int check_directory(
        const dnnl_cache_store_handle_t *store, const char *path)
{
    struct file_facts facts;
    const int error = file_facts_at(&facts, file_here, path);
    if (error != 0) return error;
    if (facts.kind != file_is_folder) return ENOTDIR;
    if (!is_private(store)) return 0;
    const char *why = store_owner_objection(&facts, store, path);
    if (why != NULL) return refuse(store, path, why);
    if ((facts.mode & file_others_write) != 0)
        return refuse(store, path,
                "others may write to the directory (chmod go-w, or ask for "
                "sharing)");
    return 0;
}

static int resolve_directory(char **resolved,
        const dnnl_cache_store_handle_t *store, const char *directory)
{
    *resolved = path_absolute(directory);
    if (*resolved == NULL && errno == ENOENT && !store->options.read_only) {
        const int error = store_make_folders(directory, &store->options);
        if (error != 0) return error;
        *resolved = path_absolute(directory);
    }
    return *resolved != NULL ? 0 : errno;
}

int pack_file_locate(
        struct pack_file *file, const dnnl_cache_store_handle_t *store)
{
    const char *directory;
    const char *name;
    struct pack_file found = {NULL, NULL};
    char *copy = strdup(store->options.path);
    int error = copy != NULL ? split(copy, &directory, &name) : ENOMEM;
    if (error == 0)
        error = resolve_directory(&found.directory, store, directory);
    if (error == 0) error = check_directory(store, found.directory);
    if (error == 0) {
        const size_t size = strlen(found.directory) + strlen(name) + 2;
        found.path = malloc(size);
        if (found.path == NULL)
            error = ENOMEM;
        else
            snprintf(found.path, size, "%s/%s",
                    strcmp(found.directory, "/") == 0 ? "" : found.directory,
                    name);
    }
    free(copy);
    if (error != 0) {
        pack_file_fini(&found);
        return error;
    }
    *file = found;
    return 0;
}

void pack_file_fini(struct pack_file *file)
{
    free(file->directory);
    free(file->path);
    *file = (struct pack_file){NULL, NULL};
}

/* ---- The file ------------------------------------------------------------ */

static bool path_with(
        char path[path_size], const struct pack_file *file, const char *ending)
{
    const int n = snprintf(path, path_size, "%s%s", file->path, ending);
    return n > 0 && n < path_size;
}

/* Whatever has this path beside the database, and what is in it. */
static int take_away(const struct pack_file *file, const char *path)
{
    int directory;
    int error = file_open(&directory, file_here, file->directory,
            file_must_be_folder | file_kept, 0);
    if (error != 0) return error;
    error = folder_remove_tree(directory, strrchr(path, '/') + 1, 4);
    (void)file_close(directory);
    return error;
}

/* Gives the file its name if nobody has it. */
static int name_file(const char *made, const char *path)
{
    const int error = file_rename(file_here, made, file_here, path, false);
    /* A file system that cannot do that, with links neither. There two that
     * make the store at once may lose what one of them put first. */
    return error == EPERM || error == EOPNOTSUPP || error == ENOSYS
                   ? file_rename(file_here, made, file_here, path, true)
                   : error;
}

/* An empty file is an empty database. It gets its mode before it gets its name,
 * and no descriptor, which would take others' locks with it when it is closed.
 * What a dead maker left, or another one has just made, is as good. */
static int make_file(
        const struct pack_file *file, const dnnl_cache_store_handle_t *store)
{
    char made[path_size];
    struct file_facts facts;
    const unsigned mode = store_file_mode(&store->options);
    int error = 0;
    if (!path_with(made, file, being_made)) return ENAMETOOLONG;
    if (file_facts_of_link(&facts, file_here, made) == 0
            && (facts.kind != file_is_plain || facts.size > 0))
        error = take_away(file, made);
    if (error == 0) error = file_make(file_here, made, mode);
    if (error != 0 && error != EEXIST) return error;
    error = is_private(store) ? 0 : file_set_mode_at(file_here, made, mode);
    if (error == 0) error = name_file(made, file->path);
    if (error == EEXIST) (void)file_remove(file_here, made);
    /* Somebody else has been first, with this one or with his own. */
    return error == EEXIST || error == ENOENT ? 0 : error;
}

static int check_file(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, const struct file_facts *facts)
{
    if (facts->kind == file_is_link) return refuse(store, file->path, "a link");
    if (facts->kind != file_is_plain)
        return refuse(store, file->path, "not a regular file");
    if (!is_private(store)) return 0;
    /* root can do as he likes anyhow, and may have put a seed there. */
    const char *why = store_owner_objection(facts, store, file->path);
    if (why != NULL) return refuse(store, file->path, why);
    if ((facts->mode & file_others_write) != 0)
        return refuse(store, file->path,
                "others may write to it (chmod go-w, or open it as shared)");
    return 0;
}

/* Is something else than a file where SQLite would have one? */
static bool is_obstacle(const char *path)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, file_here, path) == 0
           && facts.kind != file_is_plain;
}

bool pack_file_is_obstructed(const struct pack_file *file)
{
    char path[path_size];
    return path_with(path, file, companions[0]) && is_obstacle(path);
}

/* SQLite would wait for ever for somebody at the other end of a FIFO. Who only
 * reads removes nothing. */
static int clear_companions(
        const struct pack_file *file, const dnnl_cache_store_handle_t *store)
{
    char path[path_size];
    for (size_t i = 0; i < companion_count; i++) {
        if (!path_with(path, file, companions[i])) return ENAMETOOLONG;
        if (!is_obstacle(path)) continue;
        if (store->options.read_only)
            return refuse(store, path, "not a regular file");
        const int error = take_away(file, path);
        if (error != 0) return error;
    }
    /* Of one who was late, and died. */
    if (!store->options.read_only && path_with(path, file, being_made))
        (void)file_remove(file_here, path);
    return 0;
}

int pack_file_prepare(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, bool make,
        struct pack_identity *identity)
{
    struct file_facts facts;
    int error = file_facts_of_link(&facts, file_here, file->path);
    if (error == ENOENT && make) {
        /* The directory may be gone, too. */
        error = store_make_folders(file->directory, &store->options);
        if (error == 0) error = make_file(file, store);
        if (error == 0)
            error = file_facts_of_link(&facts, file_here, file->path);
    }
    if (error == 0) error = check_file(file, store, &facts);
    if (error == 0) error = clear_companions(file, store);
    if (error == 0)
        *identity = (struct pack_identity){facts.device, facts.number};
    return error;
}

bool pack_file_is(
        const struct pack_file *file, const struct pack_identity *identity)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, file_here, file->path) == 0
           && facts.device == identity->device
           && facts.number == identity->inode;
}

bool pack_file_is_writable(const struct pack_file *file)
{
    if (!folder_may_be_changed(file_here, file->directory))
        return errno == ENOENT;
    return file_may_be_written(file_here, file->path) || errno == ENOENT;
}

bool pack_file_disk_is_full(const struct pack_file *file)
{
    uint64_t room;
    const uint64_t plenty = 16 * 1024 * 1024;
    return folder_room(&room, file->directory) != 0 || room < plenty;
}

static uint64_t size_of(const char *path)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, file_here, path) == 0
                           && facts.kind == file_is_plain
                   ? facts.size
                   : 0;
}

uint64_t pack_file_size(const struct pack_file *file)
{
    return size_of(file->path);
}

uint64_t pack_file_bytes(const struct pack_file *file)
{
    char path[path_size];
    uint64_t bytes = size_of(file->path);
    for (size_t i = 0; i < companion_count; i++)
        if (path_with(path, file, companions[i]))
            bytes = store_size_add(bytes, size_of(path));
    return bytes;
}

/* ---- Beside it ----------------------------------------------------------- */

int pack_file_find_place(struct store_place *place,
        const struct pack_file *file, enum store_beside beside)
{
    static const char *const suffixes[] = {
            [store_beside_journal] = "." STORE_JOURNAL_FILE,
            [store_beside_totals] = "-totals",
    };
    struct file_facts facts;
    const char *name = strrchr(file->path, '/') + 1;
    const int n = snprintf(
            place->name, sizeof place->name, "%s%s", name, suffixes[beside]);
    if (n < 0 || (size_t)n >= sizeof place->name) return ENAMETOOLONG;
    int error = folder_open(&place->folder_fd, file_here, file->directory);
    if (error == 0 && beside == store_beside_totals) {
        error = file_facts_of_link(&facts, place->folder_fd, name);
        if (error != 0) store_place_leave(place);
    }
    return error;
}

/* ---- A second name ------------------------------------------------------- */

static bool has_second_name(const char *path)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, file_here, path) == 0
           && facts.kind == file_is_plain && facts.links > 1;
}

static bool find_journal(char path[path_size], const struct pack_file *file)
{
    return path_with(path, file, companions[0]);
}

bool pack_file_has_second_name(const struct pack_file *file)
{
    char journal[path_size];
    return has_second_name(file->path)
           || (find_journal(journal, file) && has_second_name(journal));
}

/* One look tells both: between two of them a name could be put there that leads
 * to another file of this user's, and taken away. */
int pack_file_may_change(
        const struct pack_file *file, const struct pack_identity *identity)
{
    char journal[path_size];
    struct file_facts facts;
    if (file_facts_of_link(&facts, file_here, file->path) != 0
            || facts.device != identity->device
            || facts.number != identity->inode)
        return ESTALE;
    return facts.links > 1
                           || (find_journal(journal, file)
                                   && has_second_name(journal))
                   ? EMLINK
                   : 0;
}

/* Nothing is to be undone with it. SQLite makes another one. */
static int remove_shared_journal(const struct pack_file *file)
{
    char journal[path_size];
    if (!find_journal(journal, file)) return ENAMETOOLONG;
    return has_second_name(journal) ? file_remove(file_here, journal) : 0;
}

/* Closing fd takes this process's locks on the old file with it, which nobody
 * needs once the name leads to the copy. */
static int detach_database(int directory, const struct pack_file *file,
        const dnnl_cache_store_handle_t *store)
{
    const char *name = strrchr(file->path, '/') + 1;
    int fd;
    int error =
            file_open(&fd, directory, name, file_for_reading | file_no_link, 0);
    if (error != 0) return error;
    error = store_detach(directory, name, fd, &store->options);
    (void)file_close(fd);
    return error;
}

int pack_file_detach(
        const struct pack_file *file, const dnnl_cache_store_handle_t *store)
{
    int directory;
    int error = folder_open(&directory, file_here, file->directory);
    if (error != 0) return error;
    error = has_second_name(file->path)
                    ? detach_database(directory, file, store)
                    : 0;
    if (error == 0) error = remove_shared_journal(file);
    (void)file_close(directory);
    return error;
}

/* ---- Aside --------------------------------------------------------------- */

/* Nobody else may be moving the file: he might move our new one. If somebody
 * is, he does what we want done: ESTALE. The caller closes *directory. */
static int lock_directory(int *directory, const struct pack_file *file)
{
    int error = folder_open(directory, file_here, file->directory);
    if (error != 0) return error;
    error = file_lock(*directory, file_lock_alone, 0);
    if (error != 0) (void)file_close(*directory);
    return error == EWOULDBLOCK ? ESTALE : error;
}

int pack_file_leave(
        const struct pack_file *file, const struct pack_identity *identity)
{
    int directory;
    int error = lock_directory(&directory, file);
    if (error != 0) return error;
    if (pack_file_is(file, identity))
        error = file_remove(file_here, file->path);
    if (error == 0) error = remove_shared_journal(file);
    (void)file_close(directory);
    return error;
}

int pack_file_move_aside(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store,
        const struct pack_identity *identity)
{
    char unique[file_unique_size];
    char aside[path_size];
    file_unique_name(unique, "");
    const int n =
            snprintf(aside, sizeof aside, "%s.aside-%s", file->path, unique);
    if (n < 0 || (size_t)n >= sizeof aside) return ENAMETOOLONG;
    int directory;
    int error = lock_directory(&directory, file);
    if (error != 0) return error;
    if (pack_file_is(file, identity))
        error = file_rename(file_here, file->path, file_here, aside, true);
    if (error == 0)
        store_log(store, dnnl_cache_log_warning,
                "%s: not a store, nor what is left of one: moved to %s",
                file->path, aside);
    (void)file_close(directory);
    return error;
}
