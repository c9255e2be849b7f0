/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_file.h"

#include "src/platform/kept_descriptor.h"
#include "stores/core/store_owner.h"
#include "stores/files/store_detach.h"
#include "stores/files/store_fs.h"
#include "stores/files/store_mode.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What SQLite may keep beside a database. We ask for the first only; the
 * others are there if somebody else wrote to the file his way. */
static const char *const companions[] = {"-journal", "-wal", "-shm"};
enum { companion_count = sizeof companions / sizeof companions[0] };

/* The name of the file while it is being made. */
static const char being_made[] = "-new";

static bool is_private(const struct dnnl_cache_store_handle *store)
{
    return store->options.sharing == dnnl_cache_store_sharing_private;
}

static int refuse(const struct dnnl_cache_store_handle *store, const char *path,
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
        const struct dnnl_cache_store_handle *store, const char *path)
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
        const struct dnnl_cache_store_handle *store, const char *directory)
{
    *resolved = realpath(directory, NULL);
    if (*resolved == NULL && errno == ENOENT && !store->options.read_only) {
        const int error = store_fs_make_directories(directory,
                store_directory_mode(&store->options), !is_private(store));
        if (error != 0) return error;
        *resolved = realpath(directory, NULL);
    }
    return *resolved != NULL ? 0 : errno;
}

int pack_file_locate(
        struct pack_file *file, const struct dnnl_cache_store_handle *store)
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
        char path[PATH_MAX], const struct pack_file *file, const char *ending)
{
    const int n = snprintf(path, PATH_MAX, "%s%s", file->path, ending);
    return n > 0 && n < PATH_MAX;
}

/* Whatever has this path beside the database, and what is in it. */
static int take_away(const struct pack_file *file, const char *path)
{
    const int directory = kept_descriptor_openat(
            AT_FDCWD, file->directory, O_PATH | O_DIRECTORY, 0);
    if (directory < 0) return errno;
    const int error =
            store_fs_remove_tree(directory, strrchr(path, '/') + 1, 4);
    close(directory);
    return error;
}

/* Gives the file its name if nobody has it. */
static int name_file(const char *made, const char *path)
{
    if (renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    /* A file system that cannot do that, or not even links. There two that
     * make the store at once may lose what one of them put first. */
    if (link(made, path) == 0) {
        unlink(made);
        return 0;
    }
    if (errno == EEXIST || errno == ENOENT) return errno;
    return rename(made, path) == 0 ? 0 : errno;
}

/* An empty file is an empty database. It gets its mode before it gets its name,
 * and no descriptor, which would take others' locks with it when it is closed.
 * What a dead maker left, or another one has just made, is as good. */
static int make_file(const struct pack_file *file,
        const struct dnnl_cache_store_handle *store)
{
    char made[PATH_MAX];
    struct stat st;
    const mode_t mode = store_file_mode(&store->options);
    if (!path_with(made, file, being_made)) return ENAMETOOLONG;
    if (lstat(made, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size > 0)) {
        const int error = take_away(file, made);
        if (error != 0) return error;
    }
    if (mknod(made, S_IFREG | mode, 0) != 0 && errno != EEXIST) return errno;
    int error = 0;
    if (!is_private(store)
            && fchmodat(AT_FDCWD, made, mode, AT_SYMLINK_NOFOLLOW) != 0)
        error = errno;
    if (error == 0) error = name_file(made, file->path);
    if (error == EEXIST) unlink(made);
    /* Somebody else has been first, with this one or with his own. */
    return error == EEXIST || error == ENOENT ? 0 : error;
}

static int check_file(const struct pack_file *file,
        const struct dnnl_cache_store_handle *store,
        const struct file_facts *facts)
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
    struct stat st;
    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

bool pack_file_is_obstructed(const struct pack_file *file)
{
    char path[PATH_MAX];
    return path_with(path, file, companions[0]) && is_obstacle(path);
}

/* SQLite would wait for ever for somebody at the other end of a FIFO. Who only
 * reads removes nothing. */
static int clear_companions(const struct pack_file *file,
        const struct dnnl_cache_store_handle *store)
{
    char path[PATH_MAX];
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
        unlink(path);
    return 0;
}

int pack_file_prepare(const struct pack_file *file,
        const struct dnnl_cache_store_handle *store, bool make,
        struct pack_identity *identity)
{
    struct file_facts facts;
    int error = file_facts_of_link(&facts, file_here, file->path);
    if (error == ENOENT && make) {
        /* The directory may be gone, too. */
        error = store_fs_make_directories(file->directory,
                store_directory_mode(&store->options), !is_private(store));
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
    if (faccessat(AT_FDCWD, file->directory, W_OK | X_OK, AT_EACCESS) != 0)
        return errno == ENOENT;
    return faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) == 0
           || errno == ENOENT;
}

bool pack_file_disk_is_full(const struct pack_file *file)
{
    struct statvfs disk;
    const uint64_t plenty = 16 * 1024 * 1024;
    return statvfs(file->directory, &disk) != 0
           || (uint64_t)disk.f_bavail < plenty / (uint64_t)disk.f_frsize;
}

static uint64_t size_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
                                                        : 0;
}

uint64_t pack_file_size(const struct pack_file *file)
{
    return size_of(file->path);
}

uint64_t pack_file_bytes(const struct pack_file *file)
{
    char path[PATH_MAX];
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
    const char *name = strrchr(file->path, '/') + 1;
    const int n = snprintf(
            place->name, sizeof place->name, "%s%s", name, suffixes[beside]);
    if (n < 0 || (size_t)n >= sizeof place->name) return ENAMETOOLONG;
    const int fd = kept_descriptor_openat(
            AT_FDCWD, file->directory, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return errno;
    if (beside == store_beside_totals
            && faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        const int error = errno;
        close(fd);
        return error;
    }
    place->folder_fd = fd;
    return 0;
}

/* ---- A second name ------------------------------------------------------- */

static bool has_second_name(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1;
}

static bool find_journal(char path[PATH_MAX], const struct pack_file *file)
{
    return path_with(path, file, companions[0]);
}

bool pack_file_has_second_name(const struct pack_file *file)
{
    char journal[PATH_MAX];
    return has_second_name(file->path)
           || (find_journal(journal, file) && has_second_name(journal));
}

/* Nothing is to be undone with it. SQLite makes another one. */
static int remove_shared_journal(const struct pack_file *file)
{
    char journal[PATH_MAX];
    if (!find_journal(journal, file)) return ENAMETOOLONG;
    return !has_second_name(journal) || unlink(journal) == 0 ? 0 : errno;
}

/* Closing fd takes this process's locks on the old file with it, which nobody
 * needs once the name leads to the copy. */
static int detach_database(int directory, const struct pack_file *file,
        const struct dnnl_cache_store_handle *store)
{
    const char *name = strrchr(file->path, '/') + 1;
    const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    const int error = store_detach(directory, name, fd, &store->options);
    close(fd);
    return error;
}

int pack_file_detach(const struct pack_file *file,
        const struct dnnl_cache_store_handle *store)
{
    const int directory =
            open(file->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return errno;
    int error = has_second_name(file->path)
                        ? detach_database(directory, file, store)
                        : 0;
    if (error == 0) error = remove_shared_journal(file);
    close(directory);
    return error;
}

/* ---- Aside --------------------------------------------------------------- */

/* Nobody else may be moving the file: he might move our new one. If somebody
 * is, he does what we want done: ESTALE. The caller closes *directory. */
static int lock_directory(int *directory, const struct pack_file *file)
{
    const int fd = kept_descriptor_openat(
            AT_FDCWD, file->directory, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        *directory = fd;
        return 0;
    }
    const int error = errno;
    close(fd);
    return error == EWOULDBLOCK ? ESTALE : error;
}

int pack_file_leave(
        const struct pack_file *file, const struct pack_identity *identity)
{
    int directory = -1;
    int error = lock_directory(&directory, file);
    if (error != 0) return error;
    if (pack_file_is(file, identity) && unlink(file->path) != 0) error = errno;
    if (error == 0) error = remove_shared_journal(file);
    close(directory);
    return error;
}

int pack_file_move_aside(const struct pack_file *file,
        const struct dnnl_cache_store_handle *store,
        const struct pack_identity *identity)
{
    char unique[store_fs_name_size];
    char aside[PATH_MAX];
    store_fs_unique_name(unique);
    const int n =
            snprintf(aside, sizeof aside, "%s.aside-%s", file->path, unique);
    if (n < 0 || (size_t)n >= sizeof aside) return ENAMETOOLONG;
    int directory = -1;
    int error = lock_directory(&directory, file);
    if (error != 0) return error;
    if (pack_file_is(file, identity) && rename(file->path, aside) != 0)
        error = errno;
    if (error == 0)
        store_log(store, dnnl_cache_log_warning,
                "%s: not a store, nor what is left of one: moved to %s",
                file->path, aside);
    close(directory);
    return error;
}
