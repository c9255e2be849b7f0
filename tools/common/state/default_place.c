/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/default_place.h"

#include "src/platform/owner.h"

#include <stdio.h>

static bool is_anothers(const char *path, uint32_t *owner)
{
    struct file_facts facts;
    if (file_facts_at(&facts, file_here, path) != 0) return false;
    *owner = facts.owner;
    return !file_is_own(&facts) && facts.owner != 0;
}

bool default_place_is_anothers(char *why, size_t capacity, const char *variable,
        const char *base, const char *path)
{
    uint32_t owner = 0;
    if (!is_anothers(base, &owner) && !owner_nearest_is_another(path, &owner))
        return false;
    (void)snprintf(why, capacity,
            "%s=%.256s: a folder of another user (%lu), who would be shut out "
            "of what this user makes there: set %s to a folder of your own "
            "(sudo -H), or DNNL_CACHE_DIR",
            variable, base, (unsigned long)owner, variable);
    return true;
}
