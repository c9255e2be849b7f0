/* SPDX-License-Identifier: Apache-2.0 */
#include "crash_marker_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A dead process's file: what it was loading goes into the list, with the time
 * when it began. */
static void collect(int folder, const char *name, int fd,
        void (*tell)(const char *file, struct crash_key key))
{
    struct crash_key keys[crash_marker_files_slots] = {{0, 0}};
    struct stat st;
    /* Somebody else was faster, or it is no file of ours. */
    if (fstat(fd, &st) != 0 || st.st_nlink == 0 || !S_ISREG(st.st_mode)) return;
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
