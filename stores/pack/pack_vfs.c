/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_vfs.h"

#include "src/platform/environment.h"
#include "src/platform/folder.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/library.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pack_vfs_file {
    sqlite3_file base; /* first */
    struct kept_descriptor kept;
    const char *path; /* SQLite's, which lasts as long */
    int level;        /* of the lock: SQLITE_LOCK_... */
    bool is_made;     /* its name is not in the directory for sure */
    struct pack_vfs_file *next, **at; /* of those that are open */
};

static struct pack_vfs_file *of(sqlite3_file *file)
{
    return (struct pack_vfs_file *)file;
}

/* SQLite asks for the reason at the end of a call, when it has undone what had
 * been begun. */
static _Thread_local int last_error;

static int fail(int error, int code)
{
    last_error = error;
    return code;
}

/* ---- fork() -------------------------------------------------------------- */

/* A child has copies of the descriptors, and whatever lock its parent gets with
 * one would last as long as the child: so it closes them first of all. Files
 * are opened and closed in calls that fork() waits for (pack_pool.h): then
 * nobody has the lock. */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static struct pack_vfs_file *open_files;                      /* open_lock */

static void after_fork_in_child(void)
{
    for (struct pack_vfs_file *f = open_files; f != NULL; f = f->next)
        kept_descriptor_close(&f->kept);
    open_files = NULL;
}

static void enter_list(struct pack_vfs_file *f)
{
    pthread_mutex_lock(&open_lock);
    f->next = open_files;
    f->at = &open_files;
    if (f->next != NULL) f->next->at = &f->next;
    open_files = f;
    pthread_mutex_unlock(&open_lock);
}

static void leave_list(struct pack_vfs_file *f)
{
    pthread_mutex_lock(&open_lock);
    *f->at = f->next;
    if (f->next != NULL) f->next->at = f->at;
    pthread_mutex_unlock(&open_lock);
}

/* ---- Contents ------------------------------------------------------------ */

static int vfs_read(sqlite3_file *file, void *data, int size, sqlite3_int64 at)
{
    size_t got;
    const int error = file_read_up_to(
            &got, of(file)->kept.fd, data, (size_t)size, (uint64_t)at);
    if (error != 0) return fail(error, SQLITE_IOERR_READ);
    if (got == (size_t)size) return SQLITE_OK;
    memset((char *)data + got, 0, (size_t)size - got); /* as SQLite wants it */
    return SQLITE_IOERR_SHORT_READ;
}

static int vfs_write(
        sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    if (!kept_descriptor_is_ours(&of(file)->kept))
        return fail(EBADF, SQLITE_IOERR_WRITE);
    const int error =
            file_write_at(of(file)->kept.fd, data, (size_t)size, (uint64_t)at);
    if (error == 0) return SQLITE_OK;
    return fail(error, error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE);
}

static int vfs_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    const int error = kept_descriptor_is_ours(&of(file)->kept)
                              ? file_set_size(of(file)->kept.fd, (uint64_t)size)
                              : EBADF;
    return error == 0 ? SQLITE_OK : fail(error, SQLITE_IOERR_TRUNCATE);
}

/* The directory of a file that was made. */
static int sync_directory(const char *path)
{
    char directory[path_size];
    int fd;
    const char *slash = strrchr(path, '/');
    const size_t size = slash != NULL ? (size_t)(slash - path) : 0;
    if (size >= sizeof directory) return SQLITE_CANTOPEN;
    memcpy(directory, path, size);
    strcpy(directory + size, size > 0 ? "" : slash != NULL ? "/" : ".");
    /* As SQLite's own: it may not be read. */
    if (folder_open(&fd, file_here, directory) != 0) return SQLITE_OK;
    const int error = folder_sync(fd);
    (void)file_close(fd);
    return error == 0 ? SQLITE_OK : fail(error, SQLITE_IOERR_DIR_FSYNC);
}

static int vfs_sync(sqlite3_file *file, int flags)
{
    struct pack_vfs_file *f = of(file);
    (void)flags;
    const int error = kept_descriptor_is_ours(&f->kept)
                              ? file_sync_data(f->kept.fd)
                              : EBADF;
    if (error != 0) return fail(error, SQLITE_IOERR_FSYNC);
    if (!f->is_made) return SQLITE_OK;
    f->is_made = false;
    return sync_directory(f->path);
}

static int vfs_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct file_facts facts;
    const int error = file_facts(&facts, of(file)->kept.fd);
    if (error != 0) return fail(error, SQLITE_IOERR_FSTAT);
    *size = (sqlite3_int64)facts.size;
    return SQLITE_OK;
}

/* ---- Locks --------------------------------------------------------------- */

/* Where SQLite has them in a database. */
enum {
    pending_byte = 0x40000000,
    reserved_byte = pending_byte + 1,
    shared_first = pending_byte + 2,
    shared_size = 510
};

/* failure: what it means if it is not that somebody else has one. */
static int code_of(int error, int failure)
{
    if (error == 0) return SQLITE_OK;
    return error == EAGAIN || error == ENOLCK ? SQLITE_BUSY
                                              : fail(error, failure);
}

static int set_lock(struct pack_vfs_file *f, enum file_lock kind, uint64_t at,
        uint64_t size, int failure)
{
    return code_of(file_lock_range(f->kept.fd, kind, at, size), failure);
}

static int free_lock(struct pack_vfs_file *f, uint64_t at, uint64_t size)
{
    return code_of(
            file_unlock_range(f->kept.fd, at, size), SQLITE_IOERR_UNLOCK);
}

static int lock_shared(struct pack_vfs_file *f)
{
    int code =
            set_lock(f, file_lock_shared, pending_byte, 1, SQLITE_IOERR_LOCK);
    if (code != SQLITE_OK) return code;
    code = set_lock(
            f, file_lock_shared, shared_first, shared_size, SQLITE_IOERR_LOCK);
    const int freed = free_lock(f, pending_byte, 1);
    if (code == SQLITE_OK && freed != SQLITE_OK) {
        (void)free_lock(f, 0, 0);
        code = SQLITE_IOERR_UNLOCK;
    }
    if (code == SQLITE_OK) f->level = SQLITE_LOCK_SHARED;
    return code;
}

static int lock_reserved(struct pack_vfs_file *f)
{
    const int code =
            set_lock(f, file_lock_alone, reserved_byte, 1, SQLITE_IOERR_LOCK);
    if (code == SQLITE_OK) f->level = SQLITE_LOCK_RESERVED;
    return code;
}

/* No reader begins from the first byte on; those that are there end first. */
static int lock_exclusive(struct pack_vfs_file *f)
{
    int code = SQLITE_OK;
    if (f->level < SQLITE_LOCK_PENDING) {
        code = set_lock(f, file_lock_alone, pending_byte, 1, SQLITE_IOERR_LOCK);
        if (code != SQLITE_OK) return code;
        f->level = SQLITE_LOCK_PENDING;
    }
    code = set_lock(
            f, file_lock_alone, shared_first, shared_size, SQLITE_IOERR_LOCK);
    if (code == SQLITE_OK) f->level = SQLITE_LOCK_EXCLUSIVE;
    return code;
}

/* Where a call begins: with a descriptor of ours, or with another connection.
 */
static int vfs_lock(sqlite3_file *file, int level)
{
    struct pack_vfs_file *f = of(file);
    if (f->level >= level) return SQLITE_OK;
    if (!kept_descriptor_is_ours(&f->kept)) return SQLITE_READONLY_DBMOVED;
    if (level == SQLITE_LOCK_SHARED) return lock_shared(f);
    if (level == SQLITE_LOCK_RESERVED) return lock_reserved(f);
    return lock_exclusive(f);
}

static int vfs_unlock(sqlite3_file *file, int level)
{
    struct pack_vfs_file *f = of(file);
    int code = SQLITE_OK;
    if (f->level <= level) return SQLITE_OK;
    /* The kernel has freed what was closed. */
    if (!kept_descriptor_is_ours(&f->kept)) {
        f->level = level;
        return SQLITE_OK;
    }
    if (level == SQLITE_LOCK_SHARED && f->level > SQLITE_LOCK_RESERVED)
        code = set_lock(f, file_lock_shared, shared_first, shared_size,
                SQLITE_IOERR_RDLOCK);
    if (code != SQLITE_OK) return SQLITE_IOERR_RDLOCK;
    code = level == SQLITE_LOCK_SHARED ? free_lock(f, pending_byte, 2)
                                       : free_lock(f, 0, 0);
    if (code != SQLITE_OK) return SQLITE_IOERR_UNLOCK;
    f->level = level;
    return SQLITE_OK;
}

static int vfs_check_reserved(sqlite3_file *file, int *is_reserved)
{
    struct pack_vfs_file *f = of(file);
    bool locked = f->level > SQLITE_LOCK_SHARED;
    const int error = locked ? 0
                             : file_range_is_locked(
                                     &locked, f->kept.fd, reserved_byte, 1);
    *is_reserved = locked;
    return error == 0 ? SQLITE_OK : fail(error, SQLITE_IOERR_CHECKRESERVEDLOCK);
}

/* ---- The rest of a file -------------------------------------------------- */

static int vfs_close(sqlite3_file *file)
{
    struct pack_vfs_file *f = of(file);
    /* Said, not left to close(): a child forked meanwhile may have a copy. */
    (void)vfs_unlock(file, SQLITE_LOCK_NONE);
    leave_list(f);
    kept_descriptor_close(&f->kept);
    return SQLITE_OK;
}

/* Has another file the name, or none? */
static bool has_moved(const struct pack_vfs_file *f)
{
    struct file_facts facts;
    return file_facts_at(&facts, file_here, f->path) != 0
           || facts.number != f->kept.inode || facts.device != f->kept.device;
}

/* One that SQLite has none of. */
enum { ask_if_ours = 0x646e63 };

static int vfs_control(sqlite3_file *file, int what, void *argument)
{
    const struct pack_vfs_file *f = of(file);
    switch (what) {
    case ask_if_ours:
        *(bool *)argument = kept_descriptor_is_ours(&f->kept);
        return SQLITE_OK;
    case SQLITE_FCNTL_LOCKSTATE:
        *(int *)argument = f->level;
        return SQLITE_OK;
    case SQLITE_FCNTL_HAS_MOVED:
        *(int *)argument = has_moved(f);
        return SQLITE_OK;
    case SQLITE_FCNTL_VFSNAME:
        *(char **)argument = sqlite3_mprintf("%s", pack_vfs_name());
        return SQLITE_OK;
    default:
        return SQLITE_NOTFOUND;
    }
}

static int vfs_sector_size(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

/* As SQLite's own. */
static int vfs_characteristics(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
        .iVersion = 1, /* no memory is shared, and none is mapped */
        .xClose = vfs_close,
        .xRead = vfs_read,
        .xWrite = vfs_write,
        .xTruncate = vfs_truncate,
        .xSync = vfs_sync,
        .xFileSize = vfs_size,
        .xLock = vfs_lock,
        .xUnlock = vfs_unlock,
        .xCheckReservedLock = vfs_check_reserved,
        .xFileControl = vfs_control,
        .xSectorSize = vfs_sector_size,
        .xDeviceCharacteristics = vfs_characteristics,
};

/* ---- Opening ------------------------------------------------------------- */

/* A journal is as the database: whoever may write to that has to be able to
 * undo what is in it. */
static void make_alike(int fd, const struct file_facts *database)
{
    struct file_facts facts;
    const unsigned mode = database->mode & 0777;
    if (process_user() == 0)
        (void)file_set_owner(fd, database->owner, database->group);
    if (file_facts(&facts, fd) == 0 && facts.size == 0
            && (facts.mode & 0777) != mode)
        (void)file_set_mode(fd, mode);
}

static int open_journal(int *fd, const char *path, unsigned flags)
{
    struct file_facts database;
    const bool make = (flags & file_made_if_missing) != 0;
    const bool has_database =
            file_facts_at(&database, file_here, sqlite3_filename_database(path))
            == 0;
    const int error = file_open(fd, file_here, path, flags,
            has_database ? database.mode & 0777 : 0600);
    if (error == 0 && make && has_database) make_alike(*fd, &database);
    if (error == 0) return SQLITE_OK;
    return error == EACCES && make && !file_is_there(path)
                   ? SQLITE_READONLY_DIRECTORY
                   : fail(error, SQLITE_CANTOPEN);
}

/* Read-only if it cannot be had otherwise. */
static int open_database(
        int *fd, const char *path, unsigned flags, bool *is_written)
{
    int error = file_open(fd, file_here, path, flags, 0600);
    if (error != 0 && *is_written && error != EISDIR) {
        *is_written = false;
        error = file_open(fd, file_here, path,
                file_for_reading | file_no_link | file_kept, 0);
    }
    return error == 0 ? SQLITE_OK : fail(error, SQLITE_CANTOPEN);
}

static sqlite3_vfs *theirs; /* SQLite's own; fixed once ours is registered */

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file,
        int flags, int *out_flags)
{
    struct pack_vfs_file *f = of(file);
    bool is_written = (flags & SQLITE_OPEN_READWRITE) != 0;
    const unsigned how =
            file_for_reading | file_no_link | file_no_wait | file_kept
            | (is_written ? file_for_writing : 0u)
            | ((flags & SQLITE_OPEN_CREATE) != 0
                            ? file_made_if_missing | file_of_any_user
                            : 0u)
            | ((flags & SQLITE_OPEN_EXCLUSIVE) != 0 ? file_must_be_new : 0u);
    (void)vfs;
    /* What has no name: SQLite's are in memory, and nearly never there. */
    if (path == NULL
            || (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL)) == 0)
        return theirs->xOpen(theirs, path, file, flags, out_flags);
    *f = (struct pack_vfs_file){
            .kept = KEPT_DESCRIPTOR_NONE, .path = path, .is_made = false};
    const bool is_journal = (flags & SQLITE_OPEN_MAIN_JOURNAL) != 0;
    int fd = -1;
    const int code = is_journal ? open_journal(&fd, path, how)
                                : open_database(&fd, path, how, &is_written);
    if (code != SQLITE_OK) return code;
    const int error = kept_descriptor_keep(&f->kept, fd);
    if (error != 0) return fail(error, SQLITE_CANTOPEN);
    enter_list(f);
    f->is_made = is_journal && (how & file_made_if_missing) != 0;
    if (out_flags != NULL && !is_written)
        *out_flags = (flags & ~SQLITE_OPEN_READWRITE) | SQLITE_OPEN_READONLY;
    else if (out_flags != NULL)
        *out_flags = flags;
    f->base.pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    const int error = file_remove(file_here, path);
    if (error != 0)
        return fail(error, error == ENOENT ? SQLITE_IOERR_DELETE_NOENT
                                           : SQLITE_IOERR_DELETE);
    return sync != 0 ? sync_directory(path) : SQLITE_OK;
}

static int vfs_access(
        sqlite3_vfs *vfs, const char *path, int flags, int *result)
{
    (void)vfs;
    return theirs->xAccess(theirs, path, flags, result);
}

static int vfs_full_path(
        sqlite3_vfs *vfs, const char *path, int capacity, char *full)
{
    (void)vfs;
    return theirs->xFullPathname(theirs, path, capacity, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *bytes)
{
    (void)vfs;
    return theirs->xRandomness(theirs, size, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return theirs->xSleep(theirs, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *now)
{
    (void)vfs;
    return theirs->xCurrentTime(theirs, now);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *text)
{
    (void)vfs;
    (void)size;
    (void)text;
    return last_error;
}

/* ---- Registering --------------------------------------------------------- */

/* Of each copy of this file in a process its own: another one may be unloaded.
 */
static char name[48];
static sqlite3_vfs ours = {
        .iVersion = 1,
        .zName = name,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
};
static bool is_registered;

static void register_once(void)
{
    if (sqlite3_initialize() != SQLITE_OK
            || pthread_atfork(NULL, NULL, after_fork_in_child) != 0)
        return;
    theirs = sqlite3_vfs_find(NULL);
    if (theirs == NULL) return;
    snprintf(name, sizeof name, "dnnl_cache-%p", (void *)&ours);
    ours.mxPathname = theirs->mxPathname;
    ours.szOsFile = theirs->szOsFile > (int)sizeof(struct pack_vfs_file)
                            ? theirs->szOsFile
                            : (int)sizeof(struct pack_vfs_file);
    is_registered = sqlite3_vfs_register(&ours, 0) == SQLITE_OK;
}

/* After all that a library does when it is unloaded. */
__attribute__((destructor(101))) static void unregister(void)
{
    if (is_registered) (void)sqlite3_vfs_unregister(&ours);
}

const char *pack_vfs_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, register_once);
    return is_registered ? name : NULL;
}

bool pack_vfs_is_ours(sqlite3 *db)
{
    bool is_ours = false;
    return sqlite3_file_control(db, "main", ask_if_ours, &is_ours) == SQLITE_OK
           && is_ours;
}
