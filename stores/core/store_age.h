/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_age.h: how long ago an entry was used, if the clock is not trusted.
 *
 * A machine without a battery starts years ago, until the network tells it the
 * time. What is used at each start seems to be years old then. Two rules keep
 * that from being taken for an age. A store remembers what they need
 * (store_totals.h), each time that a process has used it:
 *
 * - A span in which nothing of the store was used, because the machine was off
 *   or the clock jumped, is no age. An entry is too old only if the store was
 *   used on some days since, seven for an age limit of a week or more. The
 * store remembers the last days on which it was used; a month without use ends
 * the list. Age limits below a day are times of the clock alone.
 *
 * - The store remembers the latest time at which it was used, and the span in
 *   which it was used later with an earlier clock. Once the clock is not behind
 *   any more, what was used in that span counts as used a day before the latest
 *   time. If the clock stays behind for a week, the latest time was wrong, and
 *   is forgotten.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_AGE_H
#define DNNL_CACHE_STORES_CORE_STORE_AGE_H

#include "dnnl_cache/store.h"

/* Is the time ahead of the clock by more than clocks of machines differ? Then
 * the clock was wrong, at that time or now. */
#define STORE_CLOCK_SKEW_NS ((uint64_t)60 * 1000000000u)
bool store_is_ahead(uint64_t ns, uint64_t now_ns);

/* What a store remembers; ns since the epoch, 0: nothing. */
struct store_clock {
    uint64_t latest_ns;
    uint64_t early_from_ns, early_until_ns;
    /* Days between the day of the latest use and the one before that, and so
     * on, as in the file: five bits each, the latest in the lowest ones; 0: not
     * known, 31: so many or more. */
    uint32_t use_days;
};
enum { store_clock_use_days_bits = 30 };

/* The store is used now. */
void store_clock_use(struct store_clock *clock, uint64_t now_ns);

/* ---- Entries that go first ----
 *
 * An entry that a tool has judged to be of no use any more is dated back: its
 * time of the last use becomes one of the seventies, in which no machine's
 * clock is. So whoever makes room finds it where it looks anyway, the eldest
 * first, and a use makes it an entry like any other. The time itself can be
 * told from it. */
enum { store_dated_share = 16 };
#define STORE_DATED_FROM_NS (UINT64_C(80000000) * 1000000000u)
#define STORE_DATED_UNTIL_NS (UINT64_C(300000000) * 1000000000u)
static inline bool store_is_dated_back(uint64_t used_ns)
{
    return used_ns >= STORE_DATED_FROM_NS && used_ns < STORE_DATED_UNTIL_NS;
}

/* 0: no time that can be (before 2010, after 2121). */
uint64_t store_date_back(uint64_t used_ns);

/* When it was used in truth, dated back or not. */
uint64_t store_date_of(uint64_t used_ns);

/* ---- */

/* When an entry was used, as far as it matters now, with the time that it
 * has. */
uint64_t store_clock_use_of(
        const struct store_clock *clock, uint64_t used_ns, uint64_t now_ns);

/* The times that count as another; false: there are none. */
struct store_age_span {
    uint64_t from_ns, until_ns;
    uint64_t counts_as_ns;
};
bool store_clock_find_early(struct store_age_span *span,
        const struct store_clock *clock, uint64_t now_ns);

/* The item with both of its times like that. */
struct dnnl_cache_store_entry store_clock_item(const struct store_clock *clock,
        const struct dnnl_cache_store_entry *item, uint64_t now_ns);

/* By which ages entries are removed. */
enum store_ages {
    store_ages_by_clock, /* as told by a user, who looks at the times */
    store_ages_by_use,   /* as above */
};

/* What was used before that time, as store_clock_use_of() gives it, is too old;
 * 0: nothing is. */
uint64_t store_age_limit(const struct store_clock *clock, enum store_ages ages,
        uint64_t now_ns, uint64_t max_age_seconds);

#endif /* DNNL_CACHE_STORES_CORE_STORE_AGE_H */
