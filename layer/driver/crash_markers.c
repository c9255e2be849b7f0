/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/crash_markers.h"

#include "layer/driver/state_start.h"
#include "layer/settings/print.h"
#include "layer/settings/state_place.h"
#include "src/platform/file.h"
#include "src/platform/kept_descriptor.h"
#include "tools/common/state/crash_marker_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock; /* guards name, own and closed, and what is done with
                           * the file: an application may close it at any time,
                           * so that it is looked at before each use */
    char name[file_unique_size]; /* "": no file was made */
    struct kept_descriptor own;  /* the process's file */
    bool closed;
    atomic_ullong used; /* a bit for each slot */
    /* What the slots hold, each its user's. */
    struct crash_key keys[crash_marker_files_slots];
    struct crashes crashes; /* written once, by crash_markers_start() */
} markers = {.lock = PTHREAD_MUTEX_INITIALIZER, .own = {.fd = -1}};

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
    kept_descriptor_close(&markers.own);
    markers.name[0] = '\0';
    markers.closed = false;
    atomic_store(&markers.used, 0);
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

void crash_markers_start(int folder)
{
    crash_marker_files_collect(folder, tell_death);
    crashes_read(&markers.crashes, folder, crashes_now_s());
}

static const struct crashes *known_crashes(void)
{
    state_start();
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
    (void)file_close(folder);
}

void crash_markers_note_kept(size_t id_size, const uint8_t *id)
{
    const struct crashes *crashes = known_crashes();
    if (crashes->count == 0) return;
    const struct crash_key key = crash_key_of(id_size, id);
    if (crashes_take_replaced(crashes, key)) note(key, crash_event_replaced);
}

/* ---- Making it ----------------------------------------------------------- */

/* All slots at once: a full disk is met here. */
static bool fill(int fd)
{
    uint8_t bytes[crash_marker_files_size + sizeof(struct crash_marker_owner)] =
            {0};
    const struct crash_marker_owner self = crash_marker_files_self();
    memcpy(bytes + crash_marker_files_size, &self, sizeof self);
    return file_write_at(fd, bytes, sizeof bytes, 0) == 0;
}

static bool is_removed(int fd)
{
    struct file_facts facts;
    return file_facts(&facts, fd) != 0 || facts.links == 0;
}

/* A new file, locked. Between its making and its locking another process may
 * take it for a dead one's: then once more. */
static bool make_file_locked(int folder)
{
    for (int attempt = 0; attempt < 8; attempt++) {
        int fd;
        file_unique_name(markers.name, CRASH_MARKER_FILES_PREFIX);
        const int error = file_open(&fd, folder, markers.name,
                file_for_reading | file_for_writing | file_made_if_missing
                        | file_must_be_new | file_no_link,
                0600);
        /* EAGAIN: it has been taken for a dead one's already. */
        if (error == EEXIST || error == EAGAIN) continue;
        if (error != 0) break;
        const bool locked = file_lock(fd, file_lock_alone, 0) == 0;
        if (locked && !fill(fd)) {
            (void)file_remove(folder, markers.name);
            (void)file_close(fd);
            break;
        }
        if (locked && !is_removed(fd))
            return kept_descriptor_keep(&markers.own, fd) == 0;
        (void)file_close(fd);
    }
    markers.name[0] = '\0';
    return false;
}

/* The file that the application has closed, opened and locked again. What a
 * thread was loading meanwhile is in there. */
static bool reopen_locked(int folder)
{
    const struct kept_descriptor was = markers.own;
    struct kept_descriptor again;
    int fd;
    if (markers.name[0] == '\0'
            || file_open(&fd, folder, markers.name,
                       file_for_reading | file_for_writing | file_no_link
                               | file_no_wait,
                       0)
                       != 0
            || kept_descriptor_keep(&again, fd) != 0)
        return false;
    if (again.inode == was.inode && again.device == was.device
            && file_lock(again.fd, file_lock_alone, 0) == 0) {
        markers.own = again;
        return true;
    }
    kept_descriptor_close(&again);
    return false;
}

/* The process's file is open, locked and has a name. make: it is made if it is
 * missing, or was removed. */
static bool have_file_locked(bool make)
{
    const bool is_ours = kept_descriptor_is_ours(&markers.own);
    if (is_ours && (!make || !is_removed(markers.own.fd))) return true;
    const int folder = state_folder_open();
    if (folder < 0) return false;
    bool have = !is_ours && reopen_locked(folder);
    if (!have && make) {
        kept_descriptor_close(&markers.own);
        have = make_file_locked(folder);
    }
    (void)file_close(folder);
    return have;
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

static void give_slot(int slot)
{
    atomic_fetch_and(&markers.used, ~(1ULL << slot));
}

static bool write_slot(int slot, struct crash_key key, bool make)
{
    (void)pthread_mutex_lock(&markers.lock);
    const bool have = !(make && markers.closed) && have_file_locked(make);
    if (have)
        (void)file_write_at(
                markers.own.fd, &key, sizeof key, (uint64_t)slot * sizeof key);
    (void)pthread_mutex_unlock(&markers.lock);
    return have;
}

int crash_markers_begin(size_t id_size, const uint8_t *id)
{
    (void)known_crashes(); /* before our own file is there */
    const int slot = take_slot();
    if (slot < 0) return -1;
    markers.keys[slot] = crash_key_of(id_size, id);
    if (write_slot(slot, markers.keys[slot], true)) return slot;
    give_slot(slot);
    return -1;
}

void crash_markers_end(int slot)
{
    if (slot < 0) return;
    const struct crash_key key = markers.keys[slot];
    (void)write_slot(slot, (struct crash_key){0, 0}, false);
    give_slot(slot);
    /* It ended a process once, but not us. */
    if (crashes_forgive(&markers.crashes, key)) note(key, crash_event_fine);
}

void crash_markers_close(void)
{
    (void)pthread_mutex_lock(&markers.lock);
    markers.closed = true;
    const int folder = markers.name[0] != '\0' ? state_folder_open() : -1;
    if (folder >= 0) {
        (void)file_remove(folder, markers.name);
        (void)file_close(folder);
    }
    /* The file stays open to the end, for threads that are loading still. */
    (void)pthread_mutex_unlock(&markers.lock);
}
