/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/run_log.h"

#include "tools/common/state/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME "refresh.log"

enum { most_bytes = 1 << 20 };

/* Nothing but a file of this user's is written to. */
static int open_in(int folder)
{
    struct stat st;
    const int fd = openat(folder, NAME,
            O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
                    | O_CLOEXEC,
            0600);
    if (fd < 0) return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()
            && st.st_nlink == 1) {
        if (st.st_size > most_bytes && ftruncate(fd, 0) != 0) errno = 0;
        return fd;
    }
    close(fd);
    errno = EPERM;
    return -1;
}

int run_log_open(char path[], size_t capacity, const char *store)
{
    struct stat st;
    const bool is_pack = stat(store, &st) == 0 && S_ISREG(st.st_mode);
    const char *suffix = state_folder_suffix(is_pack);
    const int size = snprintf(path, capacity, "%s%s/" NAME, store, suffix);
    if (size < 0 || (size_t)size >= capacity) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const size_t folder_size = (size_t)size - sizeof "/" NAME + 1;
    path[folder_size] = '\0';
    const int folder = state_folder_open_path(path, true);
    path[folder_size] = '/';
    if (folder < 0) return -1;
    const int fd = open_in(folder);
    const int error = errno;
    close(folder);
    errno = error;
    return fd;
}

void run_log_print(int fd, const char *format, ...)
{
    va_list arguments;
    char when[32] = "";
    struct tm tm;
    const time_t now = time(NULL);
    if (localtime_r(&now, &tm) != NULL)
        (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    (void)dprintf(fd, "%s dnnl-cache-run: ", when);
    va_start(arguments, format);
    (void)vdprintf(fd, format, arguments);
    va_end(arguments);
    (void)dprintf(fd, "\n");
}
