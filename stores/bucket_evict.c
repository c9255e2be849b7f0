/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has to go. In order of creation the index says so without a look at the
 * directory. By use or cost entries have to be looked at: all of them if there
 * are few, or if many have to go; else as many as a sample has, of which the
 * least worthy goes. It is among the least worthy 64th of the store then, on
 * average, and a put costs the same however large the store is.
 */
#include "bucket_internal.h"

#include "bucket_entry.h"
#include "store_size.h"

#include <errno.h>
#include <stdlib.h>

/* All files of the store, with size.txt being replaced and one more entry. */
static uint64_t total_with(const struct bucket_transaction *t, uint64_t bytes)
{
    const uint64_t fixed =
            bucket_index_file_bytes(&t->index, 1) + 2 * store_size_max_bytes;
    return store_size_add(store_size_add(t->index.live_bytes, bytes), fixed);
}

static void add(uint64_t *counter)
{
    if (counter != NULL) ++*counter;
}

/* ---- In order of creation ------------------------------------------------ */

/* Nothing is left but dead records, which take room as well. ERANGE if there
 * is not even one of those. */
static int drop_dead_records(struct bucket_transaction *t)
{
    if (t->index.count == 0) return ERANGE;
    const int error = bucket_index_rebuild(&t->index, NULL, 0);
    if (error != 0) t->broken = true;
    return error;
}

static int evict_oldest(struct bucket_transaction *t, uint64_t *removed)
{
    struct bucket_record oldest;
    struct dnnl_cache_store_item item;
    int error = bucket_transaction_start(t);
    if (error == 0) error = bucket_index_take_oldest(&t->index, &oldest);
    if (error == EBADMSG) return bucket_transaction_recount(t);
    if (error == ENOENT) return drop_dead_records(t);
    if (error != 0) return error;
    error = bucket_entry_read_times(&item, t->root_fd, oldest.slot);
    /* Another entry than the index knows, or none: somebody has been at work
     * here who does not know of the index. Once counted, what it says is what
     * is there, and damaged entries are in it without a time. */
    if (!t->counted
            && (error == ENOENT
                    || (error == 0 && item.created_ns != oldest.created_ns))) {
        error = bucket_transaction_recount(t);
    } else if (error == 0 || error == EBADMSG || error == ENOENT) {
        error = bucket_transaction_discard(t, oldest.slot);
        if (error == 0) add(removed);
        if (error == ENOENT) error = 0;
    }
    if (error != 0) t->broken = true;
    return error;
}

/* ---- By worth ------------------------------------------------------------ */

struct candidate {
    struct bucket_record record;
    uint64_t number; /* of the record, in a sample */
    double worth;
    bool chosen; /* to go */
};

enum {
    sample_size = 64,
    sample_share = 8, /* of a sample at most so many go */
    /* A sample will do if less than a part in so many has to go. */
    few = 16
};

static int compare_worth(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    return (a->worth > b->worth) - (a->worth < b->worth);
}

static int compare_creation(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    return (a->record.created_ns > b->record.created_ns)
           - (a->record.created_ns < b->record.created_ns);
}

/* What the entry is worth: nothing if it is damaged or gone. 0, or an error
 * that is our trouble, not the entry's. */
static int weigh(const struct bucket_transaction *t, struct candidate *c,
        uint64_t now_ns, uint64_t max_age_ns)
{
    struct dnnl_cache_store_item item = {0};
    const int error =
            bucket_entry_read_times(&item, t->root_fd, c->record.slot);
    c->worth = -1;
    if (error == ENOENT || error == EBADMSG) return 0;
    if (error != 0) return error;
    c->worth = store_worth(&t->store->options, &item, now_ns);
    c->chosen = now_ns > item.used_ns && now_ns - item.used_ns > max_age_ns;
    return 0;
}

static int list_candidates(struct bucket_transaction *t,
        struct candidate **list, size_t *count, uint64_t now_ns,
        uint64_t max_age_ns)
{
    struct bucket_record *records;
    int error = bucket_index_list(&t->index, &records, count);
    if (error == EBADMSG) {
        error = bucket_transaction_recount(t);
        if (error == 0) error = bucket_index_list(&t->index, &records, count);
    }
    if (error != 0) return error;
    struct candidate *c = calloc(*count + 1, sizeof *c);
    for (size_t i = 0; c != NULL && i < *count && error == 0; i++) {
        c[i].record = records[i];
        error = weigh(t, &c[i], now_ns, max_age_ns);
    }
    free(records);
    if (c == NULL) return ENOMEM;
    if (error != 0) {
        free(c);
        return error;
    }
    *list = c;
    return 0;
}

/* Makes the index of those that were not chosen. */
static int index_others(
        struct bucket_transaction *t, struct candidate *c, size_t count)
{
    size_t kept = 0;
    struct bucket_record *rest = malloc((count + 1) * sizeof *rest);
    if (rest == NULL) return ENOMEM;
    qsort(c, count, sizeof *c, compare_creation);
    for (size_t i = 0; i < count; i++)
        if (!c[i].chosen) rest[kept++] = c[i].record;
    const uint64_t last = t->index.last_created_ns;
    const int error = bucket_index_rebuild(&t->index, rest, kept);
    if (error == 0 && last > t->index.last_created_ns)
        t->index.last_created_ns = last; /* the order of creation goes on */
    free(rest);
    return error;
}

/* Removes the chosen ones and makes the index of the others. */
static int remove_chosen(struct bucket_transaction *t, struct candidate *c,
        size_t count, uint64_t *removed)
{
    int error = bucket_transaction_start(t);
    for (size_t i = 0; i < count && error == 0; i++) {
        if (!c[i].chosen) continue;
        error = bucket_transaction_discard(t, c[i].record.slot);
        if (error == 0) add(removed);
        if (error == ENOENT) error = 0;
    }
    if (error == 0) error = index_others(t, c, count);
    if (error != 0) t->broken = true; /* the index has what is gone */
    return error;
}

/* Chooses those of least worth until the rest, with bytes more, fits. */
static int evict_by_worth(struct bucket_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t *removed)
{
    struct candidate *c;
    size_t count;
    int error = list_candidates(t, &c, &count, store_now_ns(), UINT64_MAX);
    if (error != 0) return error;
    uint64_t total = total_with(t, bytes);
    bool any = false;
    qsort(c, count, sizeof *c, compare_worth);
    for (size_t i = 0; i < count && total > most; i++) {
        c[i].chosen = any = true;
        total = store_size_subtract(total, c[i].record.bytes);
    }
    if (any)
        error = remove_chosen(t, c, count, removed);
    else
        error = drop_dead_records(t);
    free(c);
    return error;
}

/* ---- By the worth of a sample -------------------------------------------- */

static bool is_sampled(const struct candidate *c, size_t count, uint64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (c[i].number == number) return true;
    return false;
}

/* Live records from all over the index, by splitmix64; dead ones are passed
 * over. EBADMSG: the index is damaged. */
static int sample(const struct bucket_transaction *t,
        struct candidate c[sample_size], size_t *count, uint64_t now_ns)
{
    const uint64_t span = t->index.count - t->index.first;
    uint64_t state = now_ns;
    *count = 0;
    for (int tries = 0; tries < 4 * sample_size && *count < sample_size;
            tries++) {
        struct candidate *next = &c[*count];
        uint64_t random = state += 0x9e3779b97f4a7c15u;
        random = (random ^ (random >> 30)) * 0xbf58476d1ce4e5b9u;
        random = (random ^ (random >> 27)) * 0x94d049bb133111ebu;
        const uint64_t number =
                t->index.first + (random ^ (random >> 31)) % span;
        if (is_sampled(c, *count, number)) continue;
        *next = (struct candidate){.number = number};
        int error = bucket_index_read(&t->index, &next->record, number);
        if (error == 0 && !next->record.live) continue;
        if (error == 0) error = weigh(t, next, now_ns, UINT64_MAX);
        if (error != 0) return error;
        ++*count;
    }
    return 0;
}

/* Evicts the least worthy of a sample until the rest, with bytes more, fits.
 * ENOENT: nothing was found to go. */
static int evict_of_sample(struct bucket_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t *removed)
{
    struct candidate c[sample_size];
    size_t count;
    int error = bucket_transaction_start(t);
    if (error == 0) error = sample(t, c, &count, store_now_ns());
    if (error == EBADMSG) return bucket_transaction_recount(t);
    if (error != 0) return error;
    if (count == 0) return ENOENT;
    qsort(c, count, sizeof *c, compare_worth);
    for (size_t i = 0; i < count && i < sample_share && error == 0
                       && total_with(t, bytes) > most;
            i++) {
        error = bucket_transaction_discard(t, c[i].record.slot);
        if (error == 0) add(removed);
        if (error == 0 || error == ENOENT)
            error = bucket_index_kill(&t->index, &c[i].record, c[i].number);
    }
    if (error != 0) t->broken = true; /* the index has what is gone */
    return error;
}

/* By worth, with as many looks as it takes. */
static int evict_worst(struct bucket_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t *removed)
{
    const uint64_t excess = store_size_subtract(total_with(t, bytes), most);
    if (t->index.live_count > sample_size
            && excess < t->index.live_bytes / few) {
        const int error = evict_of_sample(t, bytes, most, removed);
        if (error != ENOENT) return error;
    }
    return evict_by_worth(t, bytes, most, removed);
}

/* ---- Room and age -------------------------------------------------------- */

static int shrink(struct bucket_transaction *t, uint64_t bytes, uint64_t most,
        uint64_t *removed)
{
    const bool by_worth = store_notes_use(&t->store->options);
    int error = 0;
    while (error == 0 && total_with(t, bytes) > most)
        error = by_worth ? evict_worst(t, bytes, most, removed)
                         : evict_oldest(t, removed);
    return error;
}

static void count_evictions(const struct bucket_transaction *t, uint64_t n)
{
    atomic_fetch_add_explicit(
            &t->store->counters.evictions, n, memory_order_relaxed);
}

int bucket_transaction_make_room(struct bucket_transaction *t, uint64_t bytes)
{
    const struct dnnl_cache_store_options *options = &t->store->options;
    const struct dnnl_cache_store_limit *capacity = &options->capacity;
    if (capacity->kind != dnnl_cache_store_limit_kind_bytes
            || total_with(t, bytes) <= capacity->bytes)
        return 0;
    if (options->policy == dnnl_cache_store_policy_none) return EDQUOT;
    uint64_t evicted = 0;
    const uint64_t low = store_low_water(options);
    int error = shrink(t, bytes, low, &evicted);
    /* What is too large for the low-water mark may fit the capacity. */
    if (error == ERANGE && total_with(t, bytes) <= capacity->bytes) error = 0;
    count_evictions(t, evicted);
    return error;
}

int bucket_transaction_shrink(
        struct bucket_transaction *t, uint64_t max_bytes, uint64_t *removed)
{
    uint64_t evicted = 0;
    const int error = shrink(t, 0, max_bytes, &evicted);
    count_evictions(t, evicted);
    if (removed != NULL) *removed += evicted;
    return error == ERANGE ? 0 : error;
}

/* The oldest one's creation is a bound for the age of all, unless it is ahead
 * of the clock: that says nothing about use. */
static bool may_be_older(
        struct bucket_transaction *t, uint64_t now_ns, uint64_t max_age_ns)
{
    struct bucket_record oldest;
    const int error = bucket_index_peek_oldest(&t->index, &oldest);
    if (error != 0) return error == EBADMSG;
    if (store_is_ahead(oldest.created_ns, now_ns))
        return store_notes_use(&t->store->options);
    return now_ns > oldest.created_ns
           && now_ns - oldest.created_ns > max_age_ns;
}

int bucket_transaction_expire(struct bucket_transaction *t,
        uint64_t max_age_seconds, uint64_t *removed)
{
    if (max_age_seconds > UINT64_MAX / 1000000000u) return 0;
    const uint64_t max_age_ns = max_age_seconds * 1000000000u;
    const uint64_t now_ns = store_now_ns();
    uint64_t expired = 0;
    int error = 0;
    if (store_notes_use(&t->store->options)) {
        struct candidate *c;
        size_t count;
        if (!may_be_older(t, now_ns, max_age_ns)) return 0;
        error = list_candidates(t, &c, &count, now_ns, max_age_ns);
        if (error != 0) return error;
        bool any = false;
        for (size_t i = 0; i < count; i++)
            any = any || c[i].chosen;
        if (any) error = remove_chosen(t, c, count, &expired);
        free(c);
    } else {
        while (error == 0 && may_be_older(t, now_ns, max_age_ns))
            error = evict_oldest(t, &expired);
    }
    atomic_fetch_add_explicit(
            &t->store->counters.expired, expired, memory_order_relaxed);
    if (removed != NULL) *removed += expired;
    return error;
}
