/* SPDX-License-Identifier: Apache-2.0 */
/* For a C library without one of the calls. */
#include "src/platform/linux_calls.h"

#include <errno.h>

int linux_rename_new(int from, const char *name, int to, const char *to_name)
{
    (void)from;
    (void)name;
    (void)to;
    (void)to_name;
    return ENOSYS;
}

int linux_birth_of_link(uint64_t *made_ns, int folder, const char *path)
{
    (void)folder;
    (void)path;
    *made_ns = 0;
    return ENOSYS;
}

int linux_mount_of(uint64_t *number, int fd, const struct file_facts *facts,
        const char *path)
{
    (void)fd;
    (void)facts;
    (void)path;
    *number = 0;
    return ENOSYS;
}
