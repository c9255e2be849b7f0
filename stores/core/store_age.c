/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_age.h"

#include "stores/files/store_size.h"

static const uint64_t second_ns = 1000000000u;
static const uint64_t day_ns = UINT64_C(86400) * 1000000000u;

/* ---- A clock that goes back ---------------------------------------------- */

/* So long is a clock believed that is ahead of the present one. */
enum { days_of_patience = 7 };

/* So many days, in use_days. */
enum { days_kept = 6, bits_of_days = 5, most_days = 31 };

static uint64_t day_of(uint64_t ns)
{
    return ns / day_ns;
}

bool store_is_ahead(uint64_t ns, uint64_t now_ns)
{
    return ns > now_ns && ns - now_ns > STORE_CLOCK_SKEW_NS;
}

static void note_day(struct store_clock *clock, uint64_t now_ns)
{
    const uint64_t days = day_of(now_ns) - day_of(clock->latest_ns);
    if (days == 0 || clock->latest_ns == 0) return;
    clock->use_days = clock->use_days << bits_of_days
                      | (uint32_t)(days < most_days ? days : most_days);
    clock->use_days &= (UINT32_C(1) << store_clock_use_days_bits) - 1;
}

void store_clock_use(struct store_clock *clock, uint64_t now_ns)
{
    if (!store_is_ahead(clock->latest_ns, now_ns)) {
        if (now_ns <= clock->latest_ns) return;
        note_day(clock, now_ns);
        clock->latest_ns = now_ns;
        return;
    }
    if (clock->early_until_ns == 0 || now_ns < clock->early_from_ns)
        clock->early_from_ns = now_ns;
    if (now_ns > clock->early_until_ns) clock->early_until_ns = now_ns;
    if (now_ns - clock->early_from_ns >= days_of_patience * day_ns)
        *clock = (struct store_clock){.latest_ns = now_ns};
}

bool store_clock_find_early(struct store_age_span *span,
        const struct store_clock *clock, uint64_t now_ns)
{
    if (clock->early_until_ns == 0 || clock->latest_ns < day_ns
            || store_is_ahead(clock->latest_ns, now_ns))
        return false;
    /* A file system's clock ticks, and what is recorded are seconds. */
    *span = (struct store_age_span){
            .from_ns = store_size_subtract(clock->early_from_ns, second_ns),
            .until_ns = store_size_add(clock->early_until_ns, second_ns),
            .counts_as_ns = clock->latest_ns - day_ns,
    };
    return span->until_ns < span->counts_as_ns;
}

uint64_t store_date_back(uint64_t used_ns)
{
    const uint64_t dated = used_ns / store_dated_share;
    return store_is_dated_back(dated) ? dated : 0;
}

uint64_t store_date_of(uint64_t used_ns)
{
    return store_is_dated_back(used_ns) ? used_ns * store_dated_share : used_ns;
}

uint64_t store_clock_use_of(
        const struct store_clock *clock, uint64_t used_ns, uint64_t now_ns)
{
    struct store_age_span early;
    return !store_is_dated_back(used_ns)
                           && store_clock_find_early(&early, clock, now_ns)
                           && used_ns >= early.from_ns
                           && used_ns <= early.until_ns
                   ? early.counts_as_ns
                   : used_ns;
}

struct dnnl_cache_store_entry store_clock_item(const struct store_clock *clock,
        const struct dnnl_cache_store_entry *item, uint64_t now_ns)
{
    struct dnnl_cache_store_entry result = *item;
    result.used_ns = store_clock_use_of(clock, item->used_ns, now_ns);
    result.created_ns = store_clock_use_of(clock, item->created_ns, now_ns);
    return result;
}

/* ---- Ages ---------------------------------------------------------------- */

/* The day that begins the last so many on which the store was used; 0: it is
 * not known to have been used on so many. */
static uint64_t first_of_use_days(
        const struct store_clock *clock, unsigned count)
{
    uint64_t day = day_of(clock->latest_ns);
    for (unsigned i = 0; i + 1 < count; i++) {
        const uint32_t days =
                clock->use_days >> (i * bits_of_days) & (uint32_t)most_days;
        if (days == 0 || days == most_days || i == days_kept) return 0;
        day -= days;
    }
    return day;
}

uint64_t store_age_limit(const struct store_clock *clock, enum store_ages ages,
        uint64_t now_ns, uint64_t max_age_seconds)
{
    enum { least_days = 2 }; /* today is one */
    struct store_clock now = *clock;
    if (max_age_seconds > now_ns / second_ns) return 0;
    const uint64_t max_age_ns = max_age_seconds * second_ns;
    const uint64_t by_clock = now_ns - max_age_ns;
    if (ages == store_ages_by_clock || max_age_ns < day_ns) return by_clock;
    store_clock_use(&now, now_ns);
    uint64_t days = day_of(max_age_ns);
    if (days < least_days) days = least_days;
    if (days > days_kept + 1) days = days_kept + 1;
    const uint64_t by_use = first_of_use_days(&now, (unsigned)days) * day_ns;
    return by_use < by_clock ? by_use : by_clock;
}
