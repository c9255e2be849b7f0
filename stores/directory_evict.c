/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through a store: who is there, and who has to go. */
#include "directory_store.h"

#include "store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Who is there -------------------------------------------------------- */

struct member {
    struct directory_entry entry;
    double worth;
};

struct roll {
    const struct directory_store *store;
    struct member *members;
    size_t count;
    size_t room;
};

static int add_member(void *user, const struct directory_slot *slot)
{
    struct roll *roll = user;
    if (roll->count == roll->room) {
        const size_t room = roll->room > 0 ? 2 * roll->room : 64;
        struct member *members = realloc(roll->members, room * sizeof *members);
        if (members == NULL) return ENOMEM;
        roll->members = members;
        roll->room = room;
    }
    struct member *member = &roll->members[roll->count];
    *member = (struct member){.entry.slot = *slot};
    const int error =
            roll->store->layout->measure(&member->entry, roll->store, slot);
    if (error == 0) roll->count++;
    return error == ENOENT ? 0 : error; /* gone meanwhile */
}

/* The caller frees roll->members, also after a failure. */
static int call_roll(struct roll *roll, const struct directory_store *store)
{
    *roll = (struct roll){.store = store};
    const int error = store->layout->for_each(store, add_member, roll);
    return error == ENOENT ? 0 : error;
}

/* Those of equal worth, as where no use can be noted: the largest first. */
static int compare_worth(const void *left, const void *right)
{
    const struct member *a = left;
    const struct member *b = right;
    if (a->worth != b->worth) return a->worth < b->worth ? -1 : 1;
    return (a->entry.bytes < b->entry.bytes)
           - (a->entry.bytes > b->entry.bytes);
}

/* Takes a member away; what somebody else holds a lock on stays. */
static int dismiss(struct directory_transaction *t, const struct member *member,
        uint64_t *removed)
{
    const struct directory_layout *layout = t->store->layout;
    const int error = layout->discard(t, &member->entry.slot);
    if (error == EAGAIN) return 0;
    if (error != 0 && error != ENOENT) {
        t->broken = true;
        return error;
    }
    t->bytes = store_size_subtract(t->bytes, member->entry.bytes);
    if (error == 0 && removed != NULL) ++*removed;
    return 0;
}

/* With the lock held: all entries, each worth something; t->bytes is what they
 * have. Incomplete ones are no entries, and go at once. */
static int muster(
        struct directory_transaction *t, struct roll *roll, uint64_t now)
{
    const struct dnnl_cache_store_options *options = &t->store->base.options;
    size_t kept = 0;
    int error = call_roll(roll, t->store);
    if (error != 0) return error;
    t->bytes = 0;
    for (size_t i = 0; i < roll->count; i++)
        t->bytes = store_size_add(t->bytes, roll->members[i].entry.bytes);
    for (size_t i = 0; i < roll->count && error == 0; i++) {
        struct member *member = &roll->members[i];
        if (member->entry.complete) {
            member->worth = store_worth(options, &member->entry.item, now);
            roll->members[kept++] = *member;
        } else {
            error = dismiss(t, member, NULL);
        }
    }
    roll->count = kept;
    return error;
}

int directory_recount(struct directory_transaction *t)
{
    struct roll roll;
    int error = directory_start(t);
    if (error != 0) return error;
    error = muster(t, &roll, store_now_ns());
    if (error == 0) {
        t->broken = false;
        /* The size is right, but the next writer has to look again. */
        if (t->store->layout->prune != NULL
                && t->store->layout->prune(t->store) != 0)
            t->broken = true;
        if (roll.count > 0) store_count(&t->store->base.counters.recounts);
    }
    free(roll.members);
    return error;
}

/* ---- Who has to go ------------------------------------------------------- */

/* All files of the store, with so many bytes more. */
static uint64_t total_with(
        const struct directory_transaction *t, uint64_t bytes)
{
    return store_size_add(
            store_size_add(t->bytes, bytes), t->store->layout->size_file_bytes);
}

/* Those of least worth go until the rest, with bytes more, is at most `most`;
 * nobody goes if all of it is within `enough`. ERANGE if that was not to be. */
static int evict(struct directory_transaction *t, uint64_t bytes, uint64_t most,
        uint64_t enough, uint64_t *evicted)
{
    struct roll roll;
    int error = directory_start(t);
    if (error != 0) return error;
    error = muster(t, &roll, store_now_ns());
    if (error == 0) t->broken = false;
    if (error == 0 && total_with(t, bytes) > enough) {
        if (roll.count > 0)
            qsort(roll.members, roll.count, sizeof *roll.members,
                    compare_worth);
        for (size_t i = 0;
                i < roll.count && error == 0 && total_with(t, bytes) > most;
                i++)
            error = dismiss(t, &roll.members[i], evicted);
        if (error == 0 && total_with(t, bytes) > most) error = ERANGE;
    }
    free(roll.members);
    return error;
}

static void count_evictions(const struct directory_transaction *t, uint64_t n)
{
    atomic_fetch_add_explicit(
            &t->store->base.counters.evictions, n, memory_order_relaxed);
}

int directory_make_room(struct directory_transaction *t, uint64_t bytes)
{
    const struct dnnl_cache_store_options *options = &t->store->base.options;
    const struct dnnl_cache_store_limit *capacity = &options->capacity;
    if (capacity->kind != dnnl_cache_store_limit_kind_bytes
            || total_with(t, bytes) <= capacity->bytes)
        return 0;
    if (options->policy == dnnl_cache_store_policy_none) return EDQUOT;
    uint64_t evicted = 0;
    int error = evict(
            t, bytes, store_low_water(options), capacity->bytes, &evicted);
    /* What is too large for the low-water mark may fit the capacity. */
    if (error == ERANGE && total_with(t, bytes) <= capacity->bytes) error = 0;
    count_evictions(t, evicted);
    return error;
}

int directory_shrink(
        struct directory_transaction *t, uint64_t max_bytes, uint64_t *removed)
{
    uint64_t evicted = 0;
    const int error = evict(t, 0, max_bytes, max_bytes, &evicted);
    count_evictions(t, evicted);
    *removed += evicted;
    return error == ERANGE ? 0 : error;
}

/* ---- Who is too old ------------------------------------------------------ */

static bool age_in_ns(uint64_t *ns, uint64_t seconds)
{
    if (seconds > UINT64_MAX / 1000000000u) return false; /* any */
    *ns = seconds * 1000000000u;
    return true;
}

static bool is_older(
        const struct directory_entry *entry, uint64_t now, uint64_t max_age_ns)
{
    return now > entry->item.used_ns && now - entry->item.used_ns > max_age_ns;
}

bool directory_has_expired(
        struct directory_store *store, uint64_t max_age_seconds)
{
    struct roll roll;
    uint64_t max_age_ns;
    bool found = false;
    if (!age_in_ns(&max_age_ns, max_age_seconds)) return false;
    const uint64_t now = store_now_ns();
    const int error = call_roll(&roll, store);
    for (size_t i = 0; error == 0 && i < roll.count && !found; i++)
        found = is_older(&roll.members[i].entry, now, max_age_ns);
    free(roll.members);
    return found;
}

int directory_expire(struct directory_transaction *t, uint64_t max_age_seconds,
        uint64_t *removed)
{
    struct roll roll;
    uint64_t max_age_ns;
    uint64_t expired = 0;
    if (!age_in_ns(&max_age_ns, max_age_seconds)) return 0;
    const uint64_t now = store_now_ns();
    int error = directory_start(t);
    if (error != 0) return error;
    error = muster(t, &roll, now);
    if (error == 0) t->broken = false;
    for (size_t i = 0; i < roll.count && error == 0; i++)
        if (is_older(&roll.members[i].entry, now, max_age_ns))
            error = dismiss(t, &roll.members[i], &expired);
    free(roll.members);
    atomic_fetch_add_explicit(
            &t->store->base.counters.expired, expired, memory_order_relaxed);
    if (removed != NULL) *removed += expired;
    return error;
}

/* ---- Trim and verify ----------------------------------------------------- */

/* A writer's turn, or why there is none. */
static int begin(struct directory_transaction *t, struct directory_store *store)
{
    if (store->read_only) return EROFS;
    return directory_begin(t, store, store->base.options.lock_timeout_ms);
}

dnnl_status_t directory_trim(struct dnnl_cache_store_handle *base,
        uint64_t max_bytes, uint64_t max_age_seconds, uint64_t *removed)
{
    struct directory_store *store = (struct directory_store *)base;
    struct directory_transaction t;
    if (directory_is_off(store)) return dnnl_success;
    int error = begin(&t, store);
    if (error == 0) {
        error = directory_expire(&t, max_age_seconds, removed);
        if (error == 0)
            error = max_bytes != UINT64_MAX
                            ? directory_shrink(&t, max_bytes, removed)
                            : directory_recount(&t);
        directory_end(&t);
    }
    return store_finish(&store->base, "trim", error);
}

struct verification {
    struct directory_store *store;
    struct directory_transaction *t; /* NULL: look only */
    bool (*progress)(
            void *user, const struct dnnl_cache_store_verdict *verdict);
    void *user;
    struct dnnl_cache_store_check *check;
};

enum { stop = -1 };

/* False: enough was seen. */
static bool tell(const struct verification *v,
        const struct directory_slot *slot, size_t id_size, const uint8_t *id,
        bool intact)
{
    char path[directory_path_size];
    if (v->progress == NULL) return true;
    v->store->layout->path(path, v->store, slot);
    const struct dnnl_cache_store_verdict verdict = {path, intact, id_size, id};
    return v->progress(v->user, &verdict);
}

static int verify_entry(void *user, const struct directory_slot *slot)
{
    struct verification *v = user;
    const struct directory_layout *layout = v->store->layout;
    size_t size = 0;
    size_t id_size = 0;
    uint8_t *id = NULL;
    int error = layout->check(&size, v->store, slot);
    if (error == ENOENT && v->t == NULL) return 0; /* gone meanwhile */
    if (error != 0 && error != EBADMSG && error != ENOENT) return error;
    const bool intact = error == 0;
    error = 0;
    if (intact) {
        v->check->intact++;
        v->check->bytes += size;
    } else {
        v->check->damaged++;
        (void)layout->read_id(&id, &id_size, v->store, slot);
        if (v->t != NULL) error = layout->discard(v->t, slot);
        if (v->t != NULL && error == 0) v->check->repaired++;
    }
    if (error == ENOENT || error == EAGAIN) error = 0;
    if (error == 0 && !tell(v, slot, id_size, id, intact)) error = stop;
    free(id);
    return error;
}

dnnl_status_t directory_verify(struct dnnl_cache_store_handle *base,
        bool repair,
        bool (*progress)(
                void *user, const struct dnnl_cache_store_verdict *verdict),
        void *user, struct dnnl_cache_store_check *check)
{
    struct directory_store *store = (struct directory_store *)base;
    struct directory_transaction t;
    struct verification v = {store, repair ? &t : NULL, progress, user, check};
    if (directory_is_off(store)) return dnnl_success;
    int error = repair ? begin(&t, store) : 0;
    if (error != 0) return store_finish(&store->base, "verify", error);
    error = store->layout->for_each(store, verify_entry, &v);
    if (error == stop || error == ENOENT) error = 0;
    if (repair) {
        /* What was removed is not in the size; that is counted anew. */
        t.broken = true;
        const int counted = directory_recount(&t);
        if (error == 0) error = counted;
        directory_end(&t);
    }
    return store_finish(&store->base, "verify", error);
}
