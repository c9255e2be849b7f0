/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_watch.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/library.h"

#include <errno.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

/* One behind the other; Linux follows no more. */
enum { most_links = 40 };

/* A hash in a table, with a number. */
struct entry {
    UT_hash_handle hh;
    uint64_t hash;
    int number;
};

struct include_watch {
    struct kept_descriptor inotify; /* lasts as long as the compiler runs */
    struct entry *folders;          /* by path, see watch_folder() */
    struct entry *names;            /* looked at: watch and name */
    struct entry *waited;           /* what is waited for, see hash_of_name() */
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
    return (hash ^ (uint64_t)(unsigned)number) * UINT64_C(0x9e3779b97f4a7c15);
}

/* A file system that takes x.h for X.h tells of the name that the file has, not
 * of the one that was asked for. So all cases of letters are one, and all that
 * is beyond ASCII, where letters of one name may differ in length. */
static uint64_t hash_of_name(int number, const char *name, size_t size)
{
    char folded[path_name_size];
    size_t used = 0;
    for (size_t i = 0; i < size && used < sizeof folded; i++) {
        const bool is_letter = name[i] >= 'A' && name[i] <= 'Z';
        const bool is_beyond = (name[i] & 0x80) != 0;
        const char c = (char)(is_letter ? name[i] - 'A' + 'a' : name[i]);
        if (!is_beyond)
            folded[used++] = c;
        else if (used == 0 || folded[used - 1] != '\x7f')
            folded[used++] = '\x7f';
    }
    return hash_of(number, folded, used);
}

static const struct entry *find(const struct entry *table, uint64_t hash)
{
    struct entry *found;
    HASH_FIND(hh, table, &hash, sizeof hash, found);
    return found;
}

/* False: no memory. */
static bool add(struct entry **table, uint64_t hash, int number)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return false;
    entry->hash = hash;
    entry->number = number;
    HASH_ADD(hh, *table, hash, sizeof entry->hash, entry);
    if (entry->hh.tbl != NULL) return true;
    free(entry);
    return false;
}

static void remove_all(struct entry *table)
{
    struct entry *entry;
    struct entry *following;
    HASH_ITER(hh, table, entry, following)
    {
        HASH_DEL(table, entry);
        free(entry);
    }
}

/* ---- Folders ------------------------------------------------------------- */

/* Instead of the number of a watch. */
enum {
    not_there = -1, /* what comes there is told by the folder above */
    unreadable = -2 /* what is in it can be opened by name, and not watched */
};

static bool watch_place(
        struct include_watch *watch, const char *path, unsigned links);

static bool is_ignored(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

/* The watch on the folder of size bytes of a path, "" is the working directory;
 * or what else *number may be. above is that of the folder above: only the
 * folder itself tells of its fate if that one is unreadable. False: it cannot
 * be watched. */
static bool watch_folder(struct include_watch *watch, const char *path,
        size_t size, int above, int *number)
{
    static const uint32_t events = IN_CREATE | IN_DELETE | IN_MOVED_FROM
                                   | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR;
    char folder[path_size] = ".";
    const uint64_t hash = hash_of(0, path, size);
    const struct entry *known = find(watch->folders, hash);
    if (known != NULL) {
        *number = known->number;
        return true;
    }
    if (size >= sizeof folder) return false;
    if (size > 0) {
        memcpy(folder, path, size);
        /* With a slash a link would be followed. */
        for (folder[size] = '\0'; size > 1 && folder[size - 1] == '/';)
            folder[--size] = '\0';
    }
    if (!kept_descriptor_is_ours(&watch->inotify)) return false;
    *number = inotify_add_watch(watch->inotify.fd, folder,
            above == unreadable ? events | IN_DONT_FOLLOW : events);
    if (*number < 0 && above == unreadable) return false;
    if (*number < 0 && errno == EACCES)
        *number = unreadable;
    else if (*number < 0 && !is_ignored(errno))
        return false;
    return add(&watch->folders, hash, *number);
}

/* Where a symbolic link at the first end bytes of a path leads; *place is to be
 * freed, and NULL if no link is there. False: it cannot be told. */
static bool read_link(
        const char *path, size_t folder_size, size_t end, char **place)
{
    char link[path_size];
    char target[path_size];
    *place = NULL;
    if (end >= sizeof link) return false;
    memcpy(link, path, end);
    link[end] = '\0';
    const int error = file_link_target(target, sizeof target, file_here, link);
    if (error != 0) return error == EINVAL || is_ignored(error);
    if (target[0] == '/') folder_size = 0;
    *place = malloc(folder_size + strlen(target) + 1);
    if (*place == NULL) return false;
    memcpy(*place, path, folder_size);
    strcpy(*place + folder_size, target);
    return true;
}

/* The name of size bytes in a folder that is watched. If it is a link, what it
 * leads to may come and go as well. */
static bool watch_name(struct include_watch *watch, int number,
        const char *path, size_t folder_size, size_t size, unsigned links)
{
    const uint64_t hash = hash_of(number, path + folder_size, size);
    char *place;
    const uint64_t waited = hash_of_name(number, path + folder_size, size);
    if (find(watch->names, hash) != NULL) return true;
    if (!add(&watch->names, hash, number)
            || (find(watch->waited, waited) == NULL
                    && !add(&watch->waited, waited, number))
            || !read_link(path, folder_size, folder_size + size, &place))
        return false;
    const bool done =
            place == NULL
            || (links < most_links && watch_place(watch, place, links + 1));
    free(place);
    return done;
}

/* Each folder on the way, for the next name of the path. */
static bool watch_place(
        struct include_watch *watch, const char *path, unsigned links)
{
    int number = not_there;
    const char *name = path;
    while (*name == '/')
        name++;
    while (*name != '\0') {
        const size_t at = (size_t)(name - path);
        const size_t size = strcspn(name, "/");
        if (!watch_folder(watch, path, at, number, &number)
                || (number >= 0
                        && !watch_name(watch, number, path, at, size, links)))
            return false;
        name += size;
        while (*name == '/')
            name++;
    }
    return number != unreadable;
}

/* ---- Times --------------------------------------------------------------- */

/* The kernel's clock for files goes in ticks. A file that is written twice in
 * the tick of its last change has the same time as before, and may have the
 * same bytes: nothing would tell that a compiler has read others in between. So
 * none reads before that tick is over. */
static void wait_for_another_time(const struct include_files *files)
{
    enum { nap_ns = 1000000, most_naps = 20 };
    uint64_t last_ns = 0;
    for (size_t i = 0; i < files->count; i++) {
        const struct include_file *file = &files->list[i];
        if (file->changed_ns > last_ns) last_ns = file->changed_ns;
    }
    /* No longer, if the clock was set back or is another machine's. */
    for (int i = 0; i < most_naps && clock_file_ns() <= last_ns; i++)
        clock_sleep_ns(nap_ns);
}

/* ---- From begin to end --------------------------------------------------- */

static void release(struct include_watch *watch)
{
    kept_descriptor_close(&watch->inotify);
    remove_all(watch->folders);
    remove_all(watch->names);
    remove_all(watch->waited);
    free(watch);
}

struct include_watch *include_watch_begin(const struct include_files *files)
{
    struct include_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) return NULL;
    const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    watch->inotify = KEPT_DESCRIPTOR_NONE;
    bool done = fd >= 0 && kept_descriptor_keep(&watch->inotify, fd) == 0;
    for (const struct include_place *place = files->places;
            place != NULL && done; place = place->hh.next)
        done = watch_place(watch, place->path, 0);
    if (!done) {
        release(watch);
        return NULL;
    }
    wait_for_another_time(files);
    return watch;
}

/* A folder that is elsewhere or gone, or a queue that was too short, tells no
 * names. */
static bool is_waited_for(
        const struct include_watch *watch, const struct inotify_event *event)
{
    static const uint32_t any_name =
            IN_Q_OVERFLOW | IN_IGNORED | IN_UNMOUNT | IN_MOVE_SELF;
    if ((event->mask & any_name) != 0) return true;
    return event->len > 0
           && find(watch->waited,
                      hash_of_name(event->wd, event->name, strlen(event->name)))
                      != NULL;
}

/* Room for one event with the longest name, at least. */
union events {
    struct inotify_event first;
    char bytes[16 * (sizeof(struct inotify_event) + path_name_size)];
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
    bool is_quiet = watch != NULL && kept_descriptor_is_ours(&watch->inotify);
    bool is_over = false;
    while (is_quiet && !is_over) {
        size_t size;
        const int error = file_read_some(
                &size, watch->inotify.fd, &events, sizeof events);
        is_over = size == 0;
        is_quiet = is_over ? error == EAGAIN
                           : !is_any_waited_for(watch, &events, size);
    }
    if (watch != NULL) release(watch);
    return is_quiet;
}
