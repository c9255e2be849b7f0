/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/applications.h"

#include "src/platform/library.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

static bool is_named(const char *pattern, size_t size, const char *path)
{
    char name[path_size];
    const char *slash = strrchr(path, '/');
    if (size == 0 || size >= sizeof name) return false;
    memcpy(name, pattern, size);
    name[size] = '\0';
    if (strchr(name, '/') == NULL && slash != NULL) path = slash + 1;
    return strcmp(name, path) == 0 || fnmatch(name, path, 0) == 0;
}

bool applications_name(const char *list, const char *path)
{
    if (list == NULL) return false;
    for (;; list++) {
        const size_t size = strcspn(list, ":");
        if (is_named(list, size, path)) return true;
        list += size;
        if (*list == '\0') return false;
    }
}

bool applications_admit(const char *allow, const char *deny, const char *path)
{
    const bool is_limited = allow != NULL && allow[0] != '\0';
    return (!is_limited || applications_name(allow, path))
           && !applications_name(deny, path);
}
