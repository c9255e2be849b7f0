/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file_system.h"

#include "src/platform/library.h" /* path_size */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/vfs.h>

/* In numbers: <linux/magic.h> lacks some, and others depend on its age. */
static const struct {
    unsigned long type;
    struct file_system is;
} types[] = {
        {0x00006969, {file_system_is_network, "NFS"}},
        {0xff534d42, {file_system_is_network, "SMB (CIFS)"}},
        {0xfe534d42, {file_system_is_network, "SMB (CIFS)"}},
        {0x0000517b, {file_system_is_network, "SMB (CIFS)"}},
        {0x01021997, {file_system_is_network, "9p"}},
        {0x00c36400, {file_system_is_network, "Ceph"}},
        {0x5346414f, {file_system_is_network, "AFS"}},
        {0x6b414653, {file_system_is_network, "AFS"}},
        {0x0bd00bd0, {file_system_is_network, "Lustre"}},
        {0x47504653, {file_system_is_network, "GPFS"}},
        {0x01161970, {file_system_is_network, "GFS2"}},
        {0x7461636f, {file_system_is_network, "OCFS2"}},
        {0x65735546, {file_system_is_fuse, "FUSE"}},
        {0x794c7630, {file_system_is_union, "overlayfs"}},
        {0x61756673, {file_system_is_union, "aufs"}},
};

struct file_system file_system_of_type(unsigned long type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == (type & 0xffffffffu)) return types[i].is;
    return (struct file_system){file_system_is_local, ""};
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
    struct file_system found = {file_system_is_local, ""};
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
