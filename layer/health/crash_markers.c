/* SPDX-License-Identifier: Apache-2.0 */
#include "crash_markers.h"

#include "crash_marker_files.h"
#include "print.h"
#include "signal_mask.h"
#include "state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* guards name, and the making of a file */
    char name[state_folder_name_size];
    /* The process's file. When it was removed another one gets the number. */
    atomic_int fd;
    atomic_ullong device; /* which file that is: applications that close what
                           * they do not know may get the number for one of
                           * their own */
    atomic_ullong inode;
    atomic_bool closed;
    atomic_ullong used; /* a bit for each slot */
    /* What the slots hold, each its user's. */
    struct crash_key keys[crash_marker_files_slots];
    struct crashes crashes; /* written once, by look_around() */
} markers = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* ---- This process's file ------------------------------------------------- */

enum own { own_good, own_removed, own_foreign };

/* Is what the number refers to our file? */
static enum own look_at_own(int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0
            || st.st_dev != atomic_load(&markers.device)
            || st.st_ino != atomic_load(&markers.inode))
        return own_foreign;
    return st.st_nlink > 0 ? own_good : own_removed;
}

/* ---- fork() -------------------------------------------------------------- */

static void before_fork(void)
{
    (void)pthread_mutex_lock(&markers.lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&markers.lock);
}

/* The file is the parent's: with the child's copy of the descriptor it would
 * seem to live as long as the child. */
static void after_fork_in_child(void)
{
    const int fd = atomic_exchange(&markers.fd, -1);
    if (look_at_own(fd) != own_foreign) close(fd);
    atomic_store(&markers.used, 0);
    atomic_store(&markers.closed, false);
    (void)pthread_mutex_unlock(&markers.lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- What others left ---------------------------------------------------- */

static void tell_death(const char *file, struct crash_key key)
{
    print_failure("crashes", "%s: a process ended while loading %016llx", file,
            (unsigned long long)key.high);
}

static void look_around(void)
{
    const int folder = state_folder_open();
    if (folder < 0) return;
    crash_marker_files_collect(folder, tell_death);
    crashes_read(&markers.crashes, folder, crashes_now_s());
    close(folder);
}

static const struct crashes *known_crashes(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, look_around);
    return &markers.crashes;
}

enum crash_state crash_markers_ask(size_t id_size, const uint8_t *id)
{
    const struct crashes *crashes = known_crashes();
    return crashes->count == 0 ? crash_state_load
                               : crash_state_of(crashes_find(
                                       crashes, crash_key_of(id_size, id)));
}

static void note(struct crash_key key, enum crash_event event)
{
    const int folder = state_folder_open();
    if (folder < 0) return;
    crashes_note(folder, key, event, crashes_now_s());
    close(folder);
}

void crash_markers_note_kept(size_t id_size, const uint8_t *id)
{
    const struct crashes *crashes = known_crashes();
    if (crashes->count == 0) return;
    const struct crash_key key = crash_key_of(id_size, id);
    if (crashes_take_replaced(crashes, key)) note(key, crash_event_replaced);
}

/* ---- Making it ----------------------------------------------------------- */

/* A limit for the size of files holds for bytes that are there already, too. */
static bool write_quietly(int fd, const void *bytes, size_t size, off_t at)
{
    struct signal_mask mask;
    signal_mask_begin(&mask);
    const ssize_t n = pwrite(fd, bytes, size, at);
    signal_mask_end(&mask);
    return n == (ssize_t)size;
}

/* All slots at once: a full disk is met here. */
static bool fill(int fd)
{
    static const struct crash_key empty[crash_marker_files_slots];
    return write_quietly(fd, empty, crash_marker_files_size, 0);
}

/* A new file, locked; -1 if there can be none. Between its making and its
 * locking another process may take it for a dead one's: then once more. */
static int make_file(struct stat *st, char name[state_folder_name_size])
{
    const int folder = state_folder_open();
    int made = -1;
    for (int attempt = 0; folder >= 0 && made < 0 && attempt < 8; attempt++) {
        state_folder_unique(name, CRASH_MARKER_FILES_PREFIX);
        const int fd = openat(folder, name,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) break;
        if (fd < 0) continue;
        const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (locked && !fill(fd)) {
            (void)unlinkat(folder, name, 0);
            close(fd);
            break;
        }
        if (locked && fstat(fd, st) == 0 && st->st_nlink > 0)
            made = fd;
        else
            close(fd);
    }
    if (folder >= 0) close(folder);
    return made;
}

/* Needs the lock. */
static int make_own(int fd)
{
    struct stat st;
    const enum own own = look_at_own(fd);
    if (own == own_good) return fd;
    const int fresh = make_file(&st, markers.name);
    if (fresh < 0) return -1;
    atomic_store(&markers.device, st.st_dev);
    atomic_store(&markers.inode, st.st_ino);
    if (own == own_removed) {
        /* At one stroke: others write to that number without a lock. */
        (void)dup3(fresh, fd, O_CLOEXEC);
        close(fresh);
        return fd;
    }
    atomic_store(&markers.fd, fresh);
    return fresh;
}

/* The process's file, which is made if it is missing, or was removed. */
static int get_own(void)
{
    int fd = atomic_load(&markers.fd);
    if (look_at_own(fd) == own_good) return fd;
    (void)pthread_mutex_lock(&markers.lock);
    fd = atomic_load(&markers.closed) ? -1 : make_own(atomic_load(&markers.fd));
    (void)pthread_mutex_unlock(&markers.lock);
    return fd;
}

/* ---- Slots --------------------------------------------------------------- */

/* -1: all are taken. */
static int take_slot(void)
{
    unsigned long long used = atomic_load(&markers.used);
    for (;;) {
        if (used == ~0ULL) return -1;
        const int slot = __builtin_ctzll(~used);
        if (atomic_compare_exchange_weak(
                    &markers.used, &used, used | 1ULL << slot))
            return slot;
    }
}

static bool write_slot(int fd, int slot, struct crash_key key)
{
    return write_quietly(fd, &key, sizeof key, (off_t)slot * (off_t)sizeof key);
}

int crash_markers_begin(size_t id_size, const uint8_t *id)
{
    (void)known_crashes(); /* before our own file is there */
    const int fd = get_own();
    const int slot = fd >= 0 ? take_slot() : -1;
    if (slot < 0) return -1;
    markers.keys[slot] = crash_key_of(id_size, id);
    (void)write_slot(fd, slot, markers.keys[slot]);
    return slot;
}

void crash_markers_end(int slot)
{
    if (slot < 0) return;
    const struct crash_key key = markers.keys[slot];
    const int fd = atomic_load(&markers.fd);
    if (look_at_own(fd) != own_foreign)
        (void)write_slot(fd, slot, (struct crash_key){0, 0});
    atomic_fetch_and(&markers.used, ~(1ULL << slot));
    /* It ended a process once, but not us. */
    if (crashes_forgive(&markers.crashes, key)) note(key, crash_event_fine);
}

void crash_markers_close(void)
{
    (void)pthread_mutex_lock(&markers.lock);
    atomic_store(&markers.closed, true);
    const enum own own = look_at_own(atomic_load(&markers.fd));
    const int folder = own == own_good ? state_folder_open() : -1;
    if (folder >= 0) {
        (void)unlinkat(folder, markers.name, 0);
        close(folder);
    }
    (void)pthread_mutex_unlock(&markers.lock);
    /* The file stays open to the end: other threads may be about to write to
     * that number, and the next file that the application opens would get it.
     */
}
