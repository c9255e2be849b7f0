/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/linux_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int linux_rename_new(int from, const char *name, int to, const char *to_name)
{
    return renameat2(from, name, to, to_name, RENAME_NOREPLACE) == 0 ? 0
                                                                     : errno;
}

int linux_birth_of_link(uint64_t *made_ns, int folder, const char *path)
{
    struct statx st;
    *made_ns = 0;
    if (statx(folder, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) != 0)
        return errno;
    if ((st.stx_mask & STATX_BTIME) == 0) return ENOTSUP;
    *made_ns =
            (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
    return 0;
}

static bool is_of(const struct statx *st, const struct file_facts *facts)
{
    enum { second = 1000000000 };
    return (st->stx_mask & STATX_BASIC_STATS) == STATX_BASIC_STATS
           && st->stx_ino == facts->number
           && makedev(st->stx_dev_major, st->stx_dev_minor) == facts->device
           && (uint64_t)st->stx_ctime.tv_sec * second + st->stx_ctime.tv_nsec
                      == facts->changed_ns;
}

int linux_mount_of(uint64_t *number, int fd, const struct file_facts *facts,
        const char *path)
{
    enum { unique = 0x4000, place = 0x90 }; /* as in newer <linux/stat.h> */
    struct statx st;
    memset(&st, 0, sizeof st);
    *number = 0;
    const int result =
            fd >= 0 ? statx(fd, "", AT_EMPTY_PATH, unique, &st)
                    : statx(AT_FDCWD, path, 0, unique | STATX_BASIC_STATS, &st);
    if (result != 0) return errno;
    if ((st.stx_mask & unique) == 0) return ENOTSUP;
    if (fd < 0 && !is_of(&st, facts)) return ESTALE;
    memcpy(number, (const unsigned char *)&st + place, sizeof *number);
    return 0;
}
