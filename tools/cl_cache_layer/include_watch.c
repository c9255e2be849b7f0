/* SPDX-License-Identifier: Apache-2.0 */
#include "include_watch.h"

#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { first_slots = 64 /* a power of two */ };

/* A table of hashes that are not 0, with a number for each. */
struct table {
    struct slot {
        uint64_t hash; /* 0: free */
        int number;
    } * slots;
    size_t count;
    size_t capacity;
};

struct include_watch {
    int fd;
    struct table folders; /* by path: the number of the watch; -1: none */
    struct table names;   /* what is waited for: watch and name */
};

/* ---- Tables -------------------------------------------------------------- */

static uint64_t hash_of(int number, const char *text, size_t size)
{
    static const unsigned char key[crypto_shorthash_KEYBYTES];
    uint64_t hash = 0;
    unsigned char bytes[crypto_shorthash_BYTES];
    _Static_assert(sizeof bytes == sizeof hash, "one number");
    crypto_shorthash(bytes, (const unsigned char *)text, size, key);
    memcpy(&hash, bytes, sizeof hash);
    hash = (hash ^ (uint64_t)(unsigned)number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash != 0 ? hash : 1;
}

/* The slot of a hash, or the free one where it belongs. */
static struct slot *slot_of(struct slot *slots, size_t capacity, uint64_t hash)
{
    size_t at = (size_t)(hash >> 32) & (capacity - 1);
    while (slots[at].hash != 0 && slots[at].hash != hash)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static const struct slot *table_find(const struct table *table, uint64_t hash)
{
    if (table->capacity == 0) return NULL;
    const struct slot *slot = slot_of(table->slots, table->capacity, hash);
    return slot->hash != 0 ? slot : NULL;
}

/* False: no memory. At most half of the slots are taken. */
static bool table_add(struct table *table, uint64_t hash, int number)
{
    if (table->count >= table->capacity / 2) {
        const size_t capacity =
                table->capacity != 0 ? 2 * table->capacity : first_slots;
        struct slot *slots = calloc(capacity, sizeof *slots);
        if (slots == NULL) return false;
        for (size_t i = 0; i < table->capacity; i++)
            if (table->slots[i].hash != 0)
                *slot_of(slots, capacity, table->slots[i].hash) =
                        table->slots[i];
        free(table->slots);
        table->slots = slots;
        table->capacity = capacity;
    }
    struct slot *slot = slot_of(table->slots, table->capacity, hash);
    if (slot->hash == 0) table->count++;
    *slot = (struct slot){hash, number};
    return true;
}

/* ---- Folders ------------------------------------------------------------- */

/* One that is not there has none above it, which are watched; one that may not
 * be read is no folder of the user's, who cannot look what is new there. */
static bool is_passed_by(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES;
}

/* The watch on the folder of size bytes of a path, "" is the working directory;
 * *number is -1 if it is passed by. False: it cannot be watched. */
static bool watch_folder(
        struct include_watch *watch, const char *path, size_t size, int *number)
{
    static const uint32_t events =
            IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;
    char folder[PATH_MAX] = ".";
    const uint64_t hash = hash_of(0, path, size);
    const struct slot *known = table_find(&watch->folders, hash);
    if (known != NULL) {
        *number = known->number;
        return true;
    }
    if (size >= sizeof folder) return false;
    if (size > 0) {
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    *number = inotify_add_watch(watch->fd, folder, events);
    if (*number < 0 && !is_passed_by(errno)) return false;
    return table_add(&watch->folders, hash, *number);
}

/* Each folder on the way, for the next name of the path. */
static bool watch_place(struct include_watch *watch, const char *path)
{
    const char *name = path;
    while (*name == '/')
        name++;
    while (*name != '\0') {
        const size_t size = strcspn(name, "/");
        int number = -1;
        if (!watch_folder(watch, path, (size_t)(name - path), &number)
                || (number >= 0
                        && !table_add(&watch->names,
                                hash_of(number, name, size), number)))
            return false;
        name += size;
        while (*name == '/')
            name++;
    }
    return true;
}

/* ---- From begin to end --------------------------------------------------- */

static void release(struct include_watch *watch)
{
    if (watch->fd >= 0) close(watch->fd);
    free(watch->folders.slots);
    free(watch->names.slots);
    free(watch);
}

struct include_watch *include_watch_begin(const struct include_files *files)
{
    struct include_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) return NULL;
    watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    bool done = watch->fd >= 0;
    for (size_t i = 0; i < files->place_capacity && done; i++)
        if (files->places[i].path != NULL)
            done = watch_place(watch, files->places[i].path);
    if (done) return watch;
    release(watch);
    return NULL;
}

/* A folder that is gone, or a queue that was too short, tells nothing. */
static bool is_waited_for(
        const struct include_watch *watch, const struct inotify_event *event)
{
    if ((event->mask & (IN_Q_OVERFLOW | IN_IGNORED | IN_UNMOUNT)) != 0)
        return true;
    return event->len > 0
           && table_find(&watch->names,
                      hash_of(event->wd, event->name, strlen(event->name)))
                      != NULL;
}

/* Room for one event with the longest name, at least. */
union events {
    struct inotify_event first;
    char bytes[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
};

static bool is_any_waited_for(const struct include_watch *watch,
        const union events *events, size_t size)
{
    bool is = false;
    for (size_t at = 0; at < size && !is;) {
        const struct inotify_event *event =
                (const struct inotify_event *)(const void *)&events->bytes[at];
        is = is_waited_for(watch, event);
        at += sizeof *event + event->len;
    }
    return is;
}

bool include_watch_end(struct include_watch *watch)
{
    union events events;
    bool is_quiet = watch != NULL;
    bool is_over = false;
    while (is_quiet && !is_over) {
        const ssize_t size = read(watch->fd, &events, sizeof events);
        if (size > 0)
            is_quiet = !is_any_waited_for(watch, &events, (size_t)size);
        else if (size == 0 || errno != EINTR)
            is_over = true;
        if (is_over) is_quiet = size < 0 && errno == EAGAIN;
    }
    if (watch != NULL) release(watch);
    return is_quiet;
}
