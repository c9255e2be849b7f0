/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_calls.h: calls of Linux that not every C library has (musl got them
 * late). CMake takes linux_calls.c or, where one is missing,
 * linux_calls_absent.c, in which each fails with ENOSYS; callers have another
 * way, as for kernels without them. Any thread.
 */
#ifndef DNNL_CACHE_PLATFORM_LINUX_CALLS_H
#define DNNL_CACHE_PLATFORM_LINUX_CALLS_H

#include "src/platform/file.h"

#include <stdint.h>

/* Renames, and fails with EEXIST where something has the new name.
 * EINVAL: the file system cannot. */
int linux_rename_new(int from, const char *name, int to, const char *to_name);

/* When what a name stands for, links themselves included, was made:
 * nanoseconds since 1970. ENOTSUP: the file system does not know. */
int linux_birth_of_link(uint64_t *made_ns, int folder, const char *path);

/* The number of the mount that a file is in, which no other mount gets while
 * the system runs: of an open one, or (file_none) of what the path leads to if
 * that has these facts still (ESTALE). ENOTSUP: a kernel before 6.8. */
int linux_mount_of(uint64_t *number, int fd, const struct file_facts *facts,
        const char *path);

#endif /* DNNL_CACHE_PLATFORM_LINUX_CALLS_H */
