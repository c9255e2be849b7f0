/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/crash_marker_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Whose --------------------------------------------------------------- */

/* When a process began; 0: it is not told, or the process has ended and nobody
 * has asked how. */
static uint64_t begin_of(uint64_t number)
{
    enum { began_field = 22 };
    char path[64];
    char text[1024];
    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", number);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
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
    struct crash_marker_owner self = {.number = (uint64_t)getpid()};
    struct stat st;
    self.began = begin_of(self.number);
    if (self.began == 0 || stat("/proc/self/ns/pid", &st) != 0)
        return (struct crash_marker_owner){0, 0, 0};
    self.numbers = st.st_ino;
    return self;
}

/* Lives its process, though it has lost the lock? One in another container
 * cannot be seen. */
static bool is_alive(int fd)
{
    struct crash_marker_owner owner;
    struct stat st;
    return pread(fd, &owner, sizeof owner, crash_marker_files_size)
                   == (ssize_t)sizeof owner
           && owner.began != 0 && stat("/proc/self/ns/pid", &st) == 0
           && owner.numbers == st.st_ino
           && begin_of(owner.number) == owner.began;
}

/* ---- What dead ones left ------------------------------------------------- */

/* A dead process's file: what it was loading goes into the list, with the time
 * when it began. */
static void collect(int folder, const char *name, int fd,
        void (*tell)(const char *file, struct crash_key key))
{
    struct crash_key keys[crash_marker_files_slots] = {{0, 0}};
    struct stat st;
    /* Somebody else was faster, or it is no file of ours. */
    if (fstat(fd, &st) != 0 || st.st_nlink == 0 || !S_ISREG(st.st_mode)) return;
    if (is_alive(fd)) return;
    const uint64_t now_s = crashes_now_s();
    uint64_t when_s = st.st_mtim.tv_sec > 0 ? (uint64_t)st.st_mtim.tv_sec : 0;
    if (when_s > now_s) when_s = now_s;
    if (pread(fd, keys, crash_marker_files_size, 0) > 0)
        for (int i = 0; i < crash_marker_files_slots; i++) {
            if (crash_key_is_zero(keys[i])) continue;
            if (tell != NULL) tell(name, keys[i]);
            crashes_note(folder, keys[i], crash_event_death, when_s);
        }
    (void)unlinkat(folder, name, 0);
}

static void look_at(int folder, const char *name,
        void (*tell)(const char *file, struct crash_key key))
{
    const int fd =
            openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        collect(folder, name, fd, tell);
        (void)flock(fd, LOCK_UN);
    }
    close(fd);
}

void crash_marker_files_collect(
        int folder, void (*tell)(const char *file, struct crash_key key))
{
    static const char prefix[] = CRASH_MARKER_FILES_PREFIX;
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = copy >= 0 ? fdopendir(copy) : NULL;
    if (names == NULL) {
        if (copy >= 0) close(copy);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(names)) != NULL;)
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0)
            look_at(folder, entry->d_name, tell);
    (void)closedir(names);
}
