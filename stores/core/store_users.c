/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_users.h"

#include "src/platform/machine.h"
#include "stores/core/store_age.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

static const uint64_t forgotten_ns = UINT64_C(90) * 86400 * 1000000000u;

uint64_t store_users_find_own(void)
{
    char view[machine_view_size];
    if (!machine_view(view)) return 0;
    const uint64_t who = XXH3_64bits(view, strlen(view));
    return who != 0 ? who : 1;
}

/* A time that is ahead is of a clock that was wrong, and counts as now. */
static bool is_recent(const struct store_user *user, uint64_t now_ns)
{
    return user->who != 0
           && (user->seen_ns > now_ns || now_ns - user->seen_ns < forgotten_ns);
}

void store_users_note(struct store_users *users, uint64_t who, uint64_t now_ns)
{
    struct store_user *place = &users->list[0];
    if (who == 0) return;
    if (users->since_ns == 0 || store_is_ahead(users->since_ns, now_ns))
        users->since_ns = now_ns;
    for (size_t i = 0; i < store_users_most; i++) {
        struct store_user *user = &users->list[i];
        if (user->who == who || user->who == 0) { /* free ones are behind */
            place = user;
            break;
        }
        if (user->seen_ns < place->seen_ns) place = user;
    }
    *place = (struct store_user){.who = who, .seen_ns = now_ns};
}

uint64_t store_users_count_others(
        const struct store_users *users, uint64_t who, uint64_t now_ns)
{
    uint64_t count = who == 0 ? 1 : 0;
    for (size_t i = 0; i < store_users_most; i++)
        if (users->list[i].who != who && is_recent(&users->list[i], now_ns))
            count++;
    return count;
}
