/* SPDX-License-Identifier: Apache-2.0 */
#include "default_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_anothers(const char *path, uid_t *owner)
{
    struct stat st;
    if (stat(path, &st) != 0) return false;
    *owner = st.st_uid;
    return st.st_uid != geteuid() && st.st_uid != 0;
}

/* Of an absolute path, or the nearest folder above it that is there. */
static bool is_nearest_anothers(char *path, uid_t *owner)
{
    struct stat st;
    while (stat(path, &st) != 0) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT || slash == NULL || slash == path) return false;
        *slash = '\0';
    }
    return is_anothers(path, owner);
}

bool default_place_is_anothers(char *why, size_t capacity, const char *variable,
        const char *base, const char *path)
{
    char nearest[PATH_MAX];
    uid_t owner = 0;
    const int n = snprintf(nearest, sizeof nearest, "%s", path);
    if (n < 0 || (size_t)n >= sizeof nearest) return false;
    if (!is_anothers(base, &owner) && !is_nearest_anothers(nearest, &owner))
        return false;
    (void)snprintf(why, capacity,
            "%s=%.256s: a folder of another user (%lu), who would be shut out "
            "of what this user makes there: set %s to a folder of your own "
            "(sudo -H), or DNNL_CACHE_DIR",
            variable, base, (unsigned long)owner, variable);
    return true;
}
