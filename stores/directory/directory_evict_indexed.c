/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entries have to go, by an index. In order of creation the index says so
 * without a look at the directory. By use or cost entries have to be looked at:
 * all of them if there are few, or if many have to go; else as many as a sample
 * has, of which the lowest in rank goes. It is among the lowest 64th of the
 * store then, on average, and a put costs the same however large the store is.
 */
#include "stores/directory/directory_store.h"

#include "src/platform/clock.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>

/* ---- In order of creation ------------------------------------------------ */

/* Nothing is left but dead records, which take room as well. ERANGE if there
 * is not even one of those. */
static int drop_dead_records(struct directory_transaction *t)
{
    if (t->index.count == 0) return ERANGE;
    int error = directory_start(t);
    if (error == 0) error = directory_index_rebuild(&t->index, NULL, 0);
    if (error != 0) t->broken = true;
    return error;
}

int directory_evict_oldest(struct directory_transaction *t, uint64_t *evicted)
{
    const struct directory_layout *layout = t->store->layout;
    struct directory_record oldest;
    struct dnnl_cache_store_entry item;
    int error = directory_start(t);
    if (error == 0) error = directory_index_take_oldest(&t->index, &oldest);
    if (error == EBADMSG) return directory_recount(t);
    if (error == ENOENT) return drop_dead_records(t);
    if (error != 0) return error;
    error = layout->read_times(&item, t->store, &oldest.slot);
    /* Another entry than the index knows, or none: somebody has been at work
     * here who does not know of the index. Once counted, what it says is what
     * is there, and damaged entries are in it without a time. */
    if (!t->counted
            && (error == ENOENT
                    || (error == 0 && item.created_ns != oldest.created_ns))) {
        error = directory_recount(t);
    } else if (error == 0 || error == EBADMSG || error == ENOENT) {
        error = layout->discard(t, &oldest.slot);
        if (error == 0) {
            ++*evicted;
            directory_note_eviction(t, &oldest.slot);
        }
        if (error == ENOENT) error = 0;
    }
    if (error != 0) t->broken = true;
    return error;
}

bool directory_may_be_older(
        struct directory_transaction *t, uint64_t now_ns, uint64_t limit_ns)
{
    struct directory_record oldest;
    const int error = directory_index_peek_oldest(&t->index, &oldest);
    if (error != 0) return error == EBADMSG;
    /* Ahead of the clock: that says nothing about use. */
    if (store_is_ahead(oldest.created_ns, now_ns))
        return store_notes_use(&t->store->base->options);
    return oldest.created_ns < limit_ns;
}

/* ---- By the ranks of a sample -------------------------------------------- */

enum {
    sample_size = 64,
    sample_share = 8, /* of a sample at most so many go */
    /* A sample will do if less than a part in so many has to go. */
    few = 16
};

struct sample {
    struct directory_record record;
    uint64_t number; /* of the record */
    double rank;
};

int directory_weigh(double *rank, uint64_t *used_ns,
        struct directory_transaction *t, const struct directory_slot *slot,
        uint64_t now_ns)
{
    struct dnnl_cache_store_entry item = {0};
    const int error = t->store->layout->read_times(&item, t->store, slot);
    *rank = -1;
    *used_ns = UINT64_MAX;
    if (error == ENOENT || error == EBADMSG) return 0;
    if (error != 0) return error;
    item = store_clock_item(directory_clock(t), &item, now_ns);
    *rank = store_eviction_rank(&t->store->base->options, &item, now_ns);
    *used_ns = item.used_ns;
    return 0;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct sample *a = left;
    const struct sample *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool is_sampled(const struct sample *s, size_t count, uint64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (s[i].number == number) return true;
    return false;
}

/* Live records from all over the index, by splitmix64; dead ones are passed
 * over. EBADMSG: the index is damaged. */
static int take_sample(struct directory_transaction *t,
        struct sample s[sample_size], size_t *count, uint64_t now_ns)
{
    const uint64_t span = t->index.count - t->index.first;
    uint64_t state = now_ns;
    *count = 0;
    for (int tries = 0; tries < 4 * sample_size && *count < sample_size;
            tries++) {
        struct sample *next = &s[*count];
        uint64_t used_ns;
        uint64_t random = state += 0x9e3779b97f4a7c15u;
        random = (random ^ (random >> 30)) * 0xbf58476d1ce4e5b9u;
        random = (random ^ (random >> 27)) * 0x94d049bb133111ebu;
        const uint64_t number =
                t->index.first + (random ^ (random >> 31)) % span;
        if (is_sampled(s, *count, number)) continue;
        *next = (struct sample){.number = number};
        int error = directory_index_get(&t->index, &next->record, number);
        if (error == 0 && !next->record.live) continue;
        if (error == 0)
            error = directory_weigh(
                    &next->rank, &used_ns, t, &next->record.slot, now_ns);
        if (error != 0) return error;
        ++*count;
    }
    return 0;
}

/* Evicts the lowest of a sample until the rest, with bytes more, fits.
 * ENOENT: nothing was found to go. */
static int evict_of_sample(struct directory_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t *evicted)
{
    struct sample s[sample_size];
    size_t count;
    int error = directory_start(t);
    if (error == 0) error = take_sample(t, s, &count, clock_epoch_ns());
    if (error == EBADMSG) return directory_recount(t);
    if (error != 0) return error;
    if (count == 0) return ENOENT;
    qsort(s, count, sizeof *s, compare_ranks);
    for (size_t i = 0; i < count && i < sample_share && error == 0
                       && directory_total_with(t, bytes) > most;
            i++) {
        error = t->store->layout->discard(t, &s[i].record.slot);
        if (error == 0) {
            ++*evicted;
            directory_note_eviction(t, &s[i].record.slot);
        }
        if (error == 0 || error == ENOENT)
            error = directory_index_kill(&t->index, &s[i].record, s[i].number);
    }
    if (error != 0) t->broken = true; /* the index has what is gone */
    return error;
}

/* By rank, with as many looks as it takes. */
static int evict_worst(struct directory_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t *evicted)
{
    const uint64_t excess =
            store_size_subtract(directory_total_with(t, bytes), most);
    int error = ENOENT;
    if (t->index.live_count > sample_size && excess < t->index.live_bytes / few)
        error = evict_of_sample(t, bytes, most, evicted);
    if (error == ENOENT)
        error = directory_evict_by_rank(t, bytes, most, most, evicted);
    return error == ERANGE ? drop_dead_records(t) : error;
}

int directory_evict_indexed(struct directory_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t *evicted)
{
    const bool by_rank = store_notes_use(&t->store->base->options);
    int error = 0;
    while (error == 0 && directory_total_with(t, bytes) > most)
        error = by_rank ? evict_worst(t, bytes, most, evicted)
                        : directory_evict_oldest(t, evicted);
    return error;
}
