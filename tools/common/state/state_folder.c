/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/state_folder.h"

#include "src/platform/clock.h"
#include "src/platform/signal_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *state_folder_suffix(bool is_pack)
{
    return is_pack ? "-layer" : "/layer";
}

/* Code runs because of what is in there: a crash marker can send a program to
 * the compiler. Others must not be able to make that happen. */
static bool is_safe(int folder)
{
    struct stat st;
    return fstat(folder, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0)
           && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int state_folder_open_path(const char *path, bool make)
{
    enum { flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int folder = open(path, flags);
    /* Its parent is the store's to make. */
    if (make && folder < 0 && errno == ENOENT && mkdir(path, 0700) == 0)
        folder = open(path, flags);
    if (folder >= 0 && !is_safe(folder)) {
        close(folder);
        folder = -1;
        errno = EPERM;
    }
    return folder;
}

/* ---- Lock ---------------------------------------------------------------- */

int state_folder_lock(int folder, unsigned timeout_ms)
{
    const struct timespec pause = {0, 1000000};
    const double begun = clock_ms();
    const int lock = openat(folder, "lock",
            O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (lock < 0) return -1;
    while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR)
                || clock_ms() - begun >= timeout_ms) {
            close(lock);
            return -1;
        }
        (void)nanosleep(&pause, NULL);
    }
    return lock;
}

void state_folder_unlock(int lock)
{
    if (lock < 0) return;
    /* Said: a child forked meanwhile may have a copy of the descriptor. */
    (void)flock(lock, LOCK_UN);
    close(lock);
}

/* ---- Files --------------------------------------------------------------- */

/* A regular file; -1: none. */
static int open_file(int folder, const char *name, int flags, struct stat *st)
{
    const int fd = openat(folder, name,
            flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode)) return fd;
    close(fd);
    return -1;
}

/* As many bytes as there are, into room for capacity. */
static size_t read_up_to(int fd, char *text, size_t capacity, off_t from)
{
    size_t size = 0;
    while (size < capacity) {
        const ssize_t n =
                pread(fd, text + size, capacity - size, from + (off_t)size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        size += (size_t)n;
    }
    return size;
}

/* What follows a hole in a file is there still. */
static void end_lines_at_nuls(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0') text[i] = '\n';
}

char *state_folder_read(int folder, const char *name, size_t most)
{
    struct stat st;
    const int fd = open_file(folder, name, O_RDONLY, &st);
    if (fd < 0) return NULL;
    const uint64_t size = (uint64_t)st.st_size;
    const size_t wanted = size > most ? most : (size_t)size;
    char *text = malloc(wanted + 1);
    if (text != NULL) {
        const size_t n =
                read_up_to(fd, text, wanted, st.st_size - (off_t)wanted);
        text[n] = '\0';
        end_lines_at_nuls(text, n);
    }
    close(fd);
    return text;
}

/* A file with a second name is in somebody's copy of the store, which is made
 * of hard links, and must not change there. */
static bool detach(int folder, const char *name)
{
    char *text = state_folder_read(folder, name, SIZE_MAX - 1);
    const bool good = text != NULL
                      && state_folder_replace(folder, name, text, strlen(text));
    free(text);
    return good;
}

bool state_folder_append(
        int folder, const char *name, const char *text, size_t size)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0
            && S_ISREG(st.st_mode) && st.st_nlink > 1 && !detach(folder, name))
        return false;
    const int fd = open_file(folder, name, O_RDWR | O_CREAT | O_APPEND, &st);
    if (fd < 0) return false;
    const off_t old = st.st_size;
    if ((uint64_t)old + size > state_folder_most_bytes) {
        close(fd);
        return false;
    }
    /* A line that another process did not finish must not damage ours. */
    char last = '\n';
    if (old > 0) (void)read_up_to(fd, &last, 1, old - 1);
    const bool good = (last == '\n' || signal_mask_write(fd, "\n", 1) == 0)
                      && signal_mask_write(fd, text, size) == 0;
    if (!good) (void)!ftruncate(fd, old);
    close(fd);
    return good;
}

bool state_folder_replace(
        int folder, const char *name, const char *text, size_t size)
{
    char fresh[state_folder_name_size];
    state_folder_unique(fresh, "new-");
    const int fd = openat(folder, fresh,
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool good = signal_mask_write(fd, text, size) == 0;
    good = close(fd) == 0 && good;
    good = good && renameat(folder, fresh, folder, name) == 0;
    if (!good) (void)unlinkat(folder, fresh, 0);
    return good;
}

void state_folder_unique(char name[state_folder_name_size], const char *prefix)
{
    uint64_t chance;
    struct timespec now;
    if (getrandom(&chance, sizeof chance, GRND_NONBLOCK)
            != (ssize_t)sizeof chance) {
        (void)clock_gettime(CLOCK_REALTIME, &now);
        chance = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    }
    (void)snprintf(name, state_folder_name_size, "%.16s%ld-%016" PRIx64, prefix,
            (long)getpid(), chance);
}
