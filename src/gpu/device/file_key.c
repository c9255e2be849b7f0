/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_key.h"

#include "src/platform/clock.h"
#include "src/platform/file_stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of the digest (content_digest.h): others were kept under keys without it. */
static const char digest_version[] = "1";

size_t file_key_make(char key[FILE_KEY_MAX], uint64_t *system, int fd,
        const struct file_facts *facts, const char *path)
{
    enum { second = 1000000000 };
    const char *boot = file_stamp_boot();
    char in_mount[24] = "";
    uint64_t mount;
    if (path == NULL || path[0] != '/' || boot[0] == '\0'
            || !file_stamp_is_reliable(&mount, system, fd, facts, path))
        return 0;
    if (mount != 0) snprintf(in_mount, sizeof in_mount, "/%" PRIu64, mount);
    const int size = snprintf(key, FILE_KEY_MAX,
            "%s %s%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ".%09" PRIu64
            " %" PRIu64 ".%09" PRIu64 " %s",
            boot, digest_version, in_mount, facts->device, facts->number,
            facts->size, facts->modified_ns / second,
            facts->modified_ns % second, facts->changed_ns / second,
            facts->changed_ns % second, path);
    return size > 0 && size < FILE_KEY_MAX ? (size_t)size : 0;
}

bool file_key_is_settled(const struct file_facts *facts)
{
    static const uint64_t least_ns = 2000000000;
    return clock_epoch_ns() > facts->changed_ns + least_ns;
}

const char *file_key_path(const char *key)
{
    enum { fields = 7 };
    for (int i = 0; i < fields; i++) {
        key = strchr(key, ' ');
        if (key == NULL) return NULL;
        key++;
    }
    return key[0] == '/' ? key : NULL;
}
