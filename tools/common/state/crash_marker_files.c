/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/crash_marker_files.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMESPACE "/proc/self/ns/pid" /* of process numbers */

/* ---- Whose --------------------------------------------------------------- */

/* When a process began; 0: it is not told, or the process has ended and nobody
 * has asked how. */
static uint64_t begin_of(uint64_t number)
{
    enum { began_field = 22 };
    char path[64];
    char text[1024];
    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", number);
    size_t n = 0;
    int fd;
    if (file_open(&fd, file_here, path, file_for_reading, 0) == 0)
        (void)file_read_some(&n, fd, text, sizeof text - 1);
    (void)file_close(fd);
    text[n] = '\0';
    /* The second one is a name in brackets, which may have anything in it. */
    const char *at = strrchr(text, ')');
    if (at != NULL && strchr("ZXx", at[1] != '\0' ? at[2] : '\0') != NULL)
        return 0;
    for (int field = 2; at != NULL && field < began_field; field++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at + 1, NULL, 10) : 0;
}

struct crash_marker_owner crash_marker_files_self(void)
{
    struct crash_marker_owner self = {.number = (uint64_t)process_number()};
    struct file_facts facts;
    self.began = begin_of(self.number);
    if (self.began == 0 || file_facts_at(&facts, file_here, NAMESPACE) != 0)
        return (struct crash_marker_owner){0, 0, 0};
    self.numbers = facts.number;
    return self;
}

/* Lives its process, though it has lost the lock? One in another container
 * cannot be seen. */
static bool is_alive(int fd)
{
    struct crash_marker_owner owner;
    struct file_facts facts;
    return file_read_at(fd, &owner, sizeof owner, crash_marker_files_size) == 0
           && owner.began != 0
           && file_facts_at(&facts, file_here, NAMESPACE) == 0
           && owner.numbers == facts.number
           && begin_of(owner.number) == owner.began;
}

/* ---- What dead ones left ------------------------------------------------- */

/* A dead process's file: what it was loading goes into the list, with the time
 * when it began. */
static void collect(int folder, const char *name, int fd,
        void (*tell)(const char *file, struct crash_key key))
{
    struct crash_key keys[crash_marker_files_slots] = {{0, 0}};
    struct file_facts facts;
    size_t got;
    /* Somebody else was faster, or it is no file of ours. */
    if (file_facts(&facts, fd) != 0 || facts.links == 0
            || facts.kind != file_is_plain)
        return;
    if (is_alive(fd)) return;
    const uint64_t now_s = crashes_now_s();
    uint64_t when_s = facts.modified_ns / 1000000000u;
    if (when_s > now_s) when_s = now_s;
    if (file_read_up_to(&got, fd, keys, crash_marker_files_size, 0) == 0)
        for (int i = 0; i < crash_marker_files_slots; i++) {
            if (crash_key_is_zero(keys[i])) continue;
            if (tell != NULL) tell(name, keys[i]);
            crashes_note(folder, keys[i], crash_event_death, when_s);
        }
    (void)file_remove(folder, name);
}

static void look_at(int folder, const char *name,
        void (*tell)(const char *file, struct crash_key key))
{
    static const char prefix[] = CRASH_MARKER_FILES_PREFIX;
    int fd;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0
            || file_open(&fd, folder, name,
                       file_for_reading | file_for_writing | file_no_link
                               | file_no_wait,
                       0)
                       != 0)
        return;
    if (file_lock(fd, file_lock_alone, 0) == 0) {
        collect(folder, name, fd, tell);
        file_unlock(fd);
    }
    (void)file_close(fd);
}

void crash_marker_files_collect(
        int folder, void (*tell)(const char *file, struct crash_key key))
{
    char *names = NULL;
    size_t size = 0;
    bool at_once;
    if (folder_read_names(&names, &size, &at_once, folder) != 0) return;
    for (size_t at = 0; at < size; at += strlen(names + at) + 1)
        look_at(folder, names + at, tell);
    free(names);
}
