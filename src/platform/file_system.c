/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file_system.h"

#include "src/platform/library.h" /* path_size */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/vfs.h>

/* All that is known of file systems, for all who ask. One that is not listed is
 * as a disk, but nothing is relied on there that not every file system
 * promises. In numbers: <linux/magic.h> lacks some, and others depend on its
 * age. */
static const struct {
    unsigned long type;
    struct file_system is;
} types[] = {
        {0x00006969, {.kind = file_system_is_network, .name = "NFS"}},
        {0xff534d42, {.kind = file_system_is_network, .name = "SMB (CIFS)"}},
        {0xfe534d42, {.kind = file_system_is_network, .name = "SMB (CIFS)"}},
        {0x0000517b, {.kind = file_system_is_network, .name = "SMB (CIFS)"}},
        {0x01021997, {.kind = file_system_is_network, .name = "9p"}},
        {0x00c36400, {.kind = file_system_is_network, .name = "Ceph"}},
        {0x5346414f, {.kind = file_system_is_network, .name = "AFS"}},
        {0x6b414653, {.kind = file_system_is_network, .name = "AFS"}},
        {0x0bd00bd0, {.kind = file_system_is_network, .name = "Lustre"}},
        {0x47504653, {.kind = file_system_is_network, .name = "GPFS"}},
        {0x01161970, {.kind = file_system_is_network, .name = "GFS2"}},
        {0x7461636f, {.kind = file_system_is_network, .name = "OCFS2"}},
        {0x65735546, {.kind = file_system_is_fuse, .name = "FUSE"}},
        {0x794c7630, {.kind = file_system_is_union,
                             .name = "overlayfs",
                             .tells_all_names = true,
                             .stamps = file_stamps_are_of_layers}},
        {0x61756673, {.kind = file_system_is_union, .name = "aufs"}},
        /* ext2, ext3 and ext4, by one driver */
        {0x0000ef53, {.name = "",
                             .tells_all_names = true,
                             .stamps = file_stamps_are_kept}},
        /* XFS */
        {0x58465342, {.name = "",
                             .tells_all_names = true,
                             .stamps = file_stamps_are_kept}},
        /* btrfs */
        {0x9123683e, {.name = "",
                             .tells_all_names = true,
                             .stamps = file_stamps_are_kept}},
        /* F2FS */
        {0xf2f52010, {.name = "",
                             .tells_all_names = true,
                             .stamps = file_stamps_are_kept}},
        /* tmpfs */
        {0x01021994, {.name = "",
                             .tells_all_names = true,
                             .stamps = file_stamps_are_kept}},
};

struct file_system file_system_of_type(unsigned long type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == (type & 0xffffffffu)) return types[i].is;
    return (struct file_system){.kind = file_system_is_local, .name = ""};
}

static int ask(unsigned long *type, int fd)
{
    struct statfs fs;
    int result;
    do
        result = fstatfs(fd, &fs);
    while (result != 0 && errno == EINTR);
    if (result != 0) return errno;
    *type = (unsigned long)fs.f_type & 0xffffffffu;
    return 0;
}

uint64_t file_system_type(int fd)
{
    unsigned long type = 0;
    return ask(&type, fd) == 0 ? type : 0;
}

int file_system_of_open(struct file_system *found, int fd)
{
    unsigned long type = 0;
    const int error = ask(&type, fd);
    if (error == 0) *found = file_system_of_type(type);
    return error;
}

/* False: the path has no folder above. */
static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash[1] == '\0') return false;
    slash[slash == path] = '\0';
    return true;
}

struct file_system file_system_of(const char *path)
{
    const int saved = errno;
    char above[path_size];
    struct statfs fs = {.f_type = 0};
    struct file_system found = {.kind = file_system_is_local, .name = ""};
    if (strlen(path) < sizeof above) {
        int result;
        strcpy(above, path);
        do
            result = statfs(above, &fs);
        while (result != 0
                && (errno == EINTR || (errno == ENOENT && cut_last(above))));
        if (result == 0) found = file_system_of_type((unsigned long)fs.f_type);
    }
    errno = saved;
    return found;
}

const char *file_system_words(enum file_system_kind kind)
{
    switch (kind) {
    case file_system_is_network:
        return "other machines may use it at the same time, locks may not "
               "reach "
               "them (NFS with nolock or local_lock, SMB with nobrl), file "
               "times "
               "are the server's, and each access waits for the server";
    case file_system_is_fuse:
        return "whether locks, renames and file times hold, and whether other "
               "machines use it, depends on the program that serves it";
    case file_system_is_union:
        return "what is written may be gone when the container ends, other "
               "containers do not see it, and files of lower layers are copied "
               "when they change";
    case file_system_is_local:
        break;
    }
    return "";
}
