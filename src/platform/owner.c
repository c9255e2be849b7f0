/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/owner.h"

#include "src/platform/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- User namespaces ----------------------------------------------------- */

/* The number that stands for all that have none; 65534 unless told. */
static uint32_t overflow_owner(void)
{
    unsigned number = 65534;
    FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
    if (file == NULL) return number;
    if (fscanf(file, "%u", &number) != 1) number = 65534;
    (void)fclose(file);
    return number;
}

/* Has the namespace a user of that number? Without /proc it cannot be told: as
 * one that has. */
static bool is_mapped(uint32_t owner)
{
    uint64_t first;
    uint64_t outside;
    uint64_t count;
    FILE *file = fopen("/proc/self/uid_map", "re");
    bool is = file == NULL;
    while (!is
            && fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &first,
                       &outside, &count)
                       == 3)
        is = owner >= first && owner - first < count;
    if (file != NULL) (void)fclose(file);
    return is;
}

bool owner_is_unmapped(uint32_t owner)
{
    return owner == overflow_owner() && !is_mapped(owner);
}

/* ---- Places that the user names ------------------------------------------ */

static bool is_below(const char *path, const char *place)
{
    const size_t size = strlen(place);
    return strncmp(path, place, size) == 0
           && (path[size] == '\0' || path[size] == '/' || size == 1);
}

/* Is the path, which has no links, one of the places, or below one? */
static bool is_named(const char *path)
{
    const char *places = environment_get(OWNER_TRUST_VARIABLE);
    char place[PATH_MAX];
    char resolved[PATH_MAX];
    while (places != NULL && *places != '\0') {
        const size_t size = strcspn(places, ":");
        (void)snprintf(place, sizeof place, "%.*s", (int)size, places);
        if (place[0] == '/' && size < sizeof place
                && realpath(place, resolved) != NULL
                && is_below(path, resolved))
            return true;
        places += size + (places[size] == ':');
    }
    return false;
}

static bool is_ours_or_roots(const struct file_facts *facts)
{
    return file_is_own(facts) || facts->owner == 0;
}

static bool is_others_way(const struct file_facts *facts)
{
    return (facts->mode & file_others_write) != 0
           || (!is_ours_or_roots(facts) && !owner_is_unmapped(facts->owner));
}

/* May anybody but the owners change what the path, which has no links, leads
 * to? */
static bool is_open_to_others(const char *path)
{
    char part[PATH_MAX];
    struct file_facts facts;
    size_t size = strlen(path);
    memcpy(part, path, size + 1);
    for (;;) {
        if (file_facts_of_link(&facts, file_here, part) != 0
                || is_others_way(&facts))
            return true;
        if (size <= 1) return false;
        while (size > 1 && part[size - 1] != '/')
            size--;
        if (size > 1) size--;
        part[size] = '\0';
    }
}

const char *owner_objection(const struct file_facts *facts, const char *path)
{
    char resolved[PATH_MAX];
    if (is_ours_or_roots(facts)) return NULL;
    if (!owner_is_unmapped(facts->owner)) return "it belongs to another user";
    if (realpath(path, resolved) == NULL || !is_named(resolved))
        return "it belongs to a user who is not known in this user namespace, "
               "who may be anybody (" OWNER_TRUST_VARIABLE
               " names places that are used all the same)";
    return is_open_to_others(resolved)
                   ? "it belongs to a user who is not known in this user "
                     "namespace, and others may write to a part of its path"
                   : NULL;
}

bool owner_nearest_is_another(const char *path, uint32_t *owner)
{
    char nearest[PATH_MAX];
    struct file_facts facts;
    int error;
    const size_t size = strlen(path) + 1;
    if (size > sizeof nearest) return false;
    memcpy(nearest, path, size);
    while ((error = file_facts_at(&facts, file_here, nearest)) != 0) {
        char *slash = strrchr(nearest, '/');
        if (error != ENOENT || slash == NULL || slash == nearest) return false;
        *slash = '\0';
    }
    *owner = facts.owner;
    return !is_ours_or_roots(&facts);
}
