/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/told.h"

#include "src/platform/kept_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A mark's time may be a little later than the clock that is read here: a file
 * system may have a finer or another one. */
enum { day_s = 86400, clocks_differ_s = 60 };

/* A folder of this user's alone; -1: none. */
static int open_own(const char *path)
{
    struct stat st;
    if (path == NULL || path[0] != '/') return -1;
    const int fd =
            kept_descriptor_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid()
            && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static int open_folder(void)
{
    char path[64];
    const char *temporary = secure_getenv("TMPDIR");
    (void)snprintf(
            path, sizeof path, "/run/user/%lu", (unsigned long)geteuid());
    int fd = open_own(secure_getenv("XDG_RUNTIME_DIR"));
    if (fd < 0) fd = open_own(path);
    if (fd < 0) fd = open_own("/run"); /* root's */
    if (fd < 0)
        fd = kept_descriptor_openat(AT_FDCWD,
                temporary != NULL && temporary[0] == '/' ? temporary : "/tmp",
                O_RDONLY | O_DIRECTORY, 0);
    return fd;
}

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Of a mark that is there already. */
static bool is_old(int fd)
{
    struct stat st;
    const time_t now = time(NULL);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
        return true;
    if (st.st_mtim.tv_sec <= now + clocks_differ_s
            && now - st.st_mtim.tv_sec < day_s)
        return false;
    (void)futimens(fd, NULL);
    return true;
}

static bool is_due_in(int folder, const char *text)
{
    enum { flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };
    char name[80];
    (void)snprintf(name, sizeof name, "dnnl_cache-told-%lu-%016" PRIx64,
            (unsigned long)geteuid(), hash_of(text));
    int fd = kept_descriptor_openat(
            folder, name, O_WRONLY | O_CREAT | O_EXCL | flags, 0600);
    if (fd >= 0) {
        close(fd);
        return true;
    }
    fd = errno == EEXIST
                 ? kept_descriptor_openat(folder, name, O_RDONLY | flags, 0)
                 : -1;
    const bool is_due = fd < 0 || is_old(fd);
    if (fd >= 0) close(fd);
    return is_due;
}

bool told_is_due(const char *text)
{
    const int saved = errno;
    const int folder = open_folder();
    const bool is_due = folder < 0 || is_due_in(folder, text);
    if (folder >= 0) close(folder);
    errno = saved;
    return is_due;
}
