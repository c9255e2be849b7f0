/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_totals.h"

#include "src/common/byte_order.h"
#include "src/common/sized_struct.h"
#include "src/platform/clock.h"
#include "src/platform/fork.h"
#include "stores/core/store_internal.h"
#include "stores/core/store_users.h"
#include "stores/files/store_file.h"
#include "stores/files/store_lock.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 't', 'o', 't'};

enum {
    old_version = 1,
    version = 2,
    checksum_size = 8,
    users_at = 88,
    user_bytes = 16,
    wait_ms = 100 /* at most: others hold the lock for microseconds */
};

static const uint64_t period_ns = 1000000000u;

/* ---- What this process counted ------------------------------------------- */

/* What it guards is begun anew in a child, store by store. */
static struct fork_mutex lock = FORK_MUTEX_INIT; /* leaf */

void store_totals_lock(void)
{
    (void)fork_lock(&lock);
}

void store_totals_unlock(void)
{
    fork_unlock(&lock);
}

static uint64_t value_of(const atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static struct store_tally count(const struct store_counters *c)
{
    return (struct store_tally){
            .hits = value_of(&c->hits),
            .misses = value_of(&c->misses),
            .puts = value_of(&c->puts),
            .evictions = value_of(&c->evictions),
            .refused = value_of(&c->puts_too_small)
                       + value_of(&c->puts_too_large) + value_of(&c->puts_full)
                       + value_of(&c->puts_lock_timeout)
                       + value_of(&c->puts_failed),
    };
}

static struct store_tally subtract(
        const struct store_tally *a, const struct store_tally *b)
{
    return (struct store_tally){
            .hits = a->hits - b->hits,
            .misses = a->misses - b->misses,
            .puts = a->puts - b->puts,
            .evictions = a->evictions - b->evictions,
            .refused = a->refused - b->refused,
    };
}

static bool is_zero(const struct store_tally *t)
{
    return (t->hits | t->misses | t->puts | t->evictions | t->refused) == 0;
}

/* What is not in the file yet. A child that was forked with the store open
 * leaves what was counted before it first comes here to its parent. */
static struct store_tally pending_locked(dnnl_cache_store_handle_t *store)
{
    struct store_totals_state *state = &store->totals;
    const struct store_tally now = count(&store->counters);
    if (state->forks != fork_count()) {
        state->forks = fork_count();
        state->recorded = now;
    }
    return subtract(&now, &state->recorded);
}

/* Takes what is not in the file yet: the caller adds it, or gives it back. */
static struct store_tally take(dnnl_cache_store_handle_t *store)
{
    const struct store_tally none = {0};
    store_totals_lock();
    const struct store_tally pending = pending_locked(store);
    const struct store_tally opposite = subtract(&none, &pending);
    store->totals.recorded = subtract(&store->totals.recorded, &opposite);
    store_totals_unlock();
    return pending;
}

static void give_back(
        dnnl_cache_store_handle_t *store, const struct store_tally *tally)
{
    store_totals_lock();
    store->totals.recorded = subtract(&store->totals.recorded, tally);
    store_totals_unlock();
}

/* ---- The file ------------------------------------------------------------ */

/* How an application uses the store. A tool has the limits of others; one that
 * neither looks for entries nor puts any may have none at all. */
static void note_limits(struct dnnl_cache_store_totals *totals,
        const dnnl_cache_store_handle_t *store, const struct store_tally *tally)
{
    const struct dnnl_cache_store_options *options = &store->options;
    if (store->has_limits_of_others) return;
    if (store_has_capacity(options)) {
        totals->capacity_bytes = options->capacity;
        totals->policy = options->policy;
    } else if ((tally->hits | tally->misses | tally->puts) != 0) {
        totals->capacity_bytes = 0;
    }
}

/* What the file has. */
struct record {
    struct dnnl_cache_store_totals totals;
    struct store_clock clock;
    struct store_users users;
};

static uint32_t to_seconds(uint64_t ns)
{
    const uint64_t seconds = ns / 1000000000u;
    return seconds < UINT32_MAX ? (uint32_t)seconds : UINT32_MAX;
}

static uint64_t from_seconds(uint32_t seconds)
{
    return (uint64_t)seconds * 1000000000u;
}

/* In the file FIFO is 0, as it is without a capacity. */
static uint32_t policy_to_file(enum dnnl_cache_store_policy policy)
{
    return policy != dnnl_cache_store_policy_default
                   ? (uint32_t)policy - dnnl_cache_store_policy_fifo
                   : 0;
}

static enum dnnl_cache_store_policy policy_from_file(uint32_t number)
{
    const uint32_t most =
            dnnl_cache_store_policy_none - dnnl_cache_store_policy_fifo;
    return (enum dnnl_cache_store_policy)(
            dnnl_cache_store_policy_fifo + (number <= most ? number : 0));
}

static void encode_users(uint8_t *bytes, const struct store_users *users)
{
    store_le32(bytes, to_seconds(users->since_ns));
    for (size_t i = 0; i < store_users_most; i++) {
        uint8_t *at = bytes + 8 + i * user_bytes;
        store_le64(at, users->list[i].who);
        store_le32(at + 8, to_seconds(users->list[i].seen_ns));
    }
}

static void decode_users(struct store_users *users, const uint8_t *bytes)
{
    users->since_ns = from_seconds(load_le32(bytes));
    for (size_t i = 0; i < store_users_most; i++) {
        const uint8_t *at = bytes + 8 + i * user_bytes;
        users->list[i] = (struct store_user){.who = load_le64(at),
                .seen_ns = from_seconds(load_le32(at + 8))};
    }
}

static void encode(uint8_t *bytes, const struct record *record)
{
    const struct dnnl_cache_store_totals *totals = &record->totals;
    const struct store_clock *clock = &record->clock;
    memset(bytes, 0, store_totals_bytes);
    memcpy(bytes, magic, sizeof magic);
    store_le32(bytes + 8, version);
    store_le32(bytes + 12,
            clock->use_days << 1 | (totals->capacity_bytes != 0 ? 1u : 0u));
    store_le64(bytes + 16, totals->capacity_bytes);
    store_le32(bytes + 24, policy_to_file(totals->policy));
    store_le32(bytes + 28, to_seconds(clock->early_from_ns));
    store_le64(bytes + 32, totals->since_ns);
    store_le64(bytes + 40, totals->hits);
    store_le64(bytes + 48, totals->misses);
    store_le64(bytes + 56, totals->puts);
    store_le64(bytes + 64, totals->evictions);
    store_le64(bytes + 72, totals->refused);
    store_le32(bytes + 80, to_seconds(clock->latest_ns));
    store_le32(bytes + 84, to_seconds(clock->early_until_ns));
    encode_users(bytes + users_at, &record->users);
    const size_t summed = store_totals_bytes - checksum_size;
    store_le64(bytes + summed, XXH3_64bits(bytes, summed));
}

/* 0, EBADMSG (start anew) or EPERM (not ours to change). */
static int decode(struct record *record, const uint8_t *bytes, size_t size,
        uint64_t file_size)
{
    const bool is_named =
            size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
    const bool is_old = file_size == store_totals_old_bytes;
    const bool has_size = is_old || file_size == store_totals_bytes;
    if (!has_size && file_size != 0 && !is_named) return EPERM;
    if (!has_size || !is_named) return EBADMSG;
    const size_t summed = (size_t)file_size - checksum_size;
    if (load_le64(bytes + summed) != XXH3_64bits(bytes, summed)) return EBADMSG;
    if (load_le32(bytes + 8) != (is_old ? old_version : version)) return EPERM;
    record->users = (struct store_users){.since_ns = 0};
    if (!is_old) decode_users(&record->users, bytes + users_at);
    record->clock = (struct store_clock){
            .latest_ns = from_seconds(load_le32(bytes + 80)),
            .early_from_ns = from_seconds(load_le32(bytes + 28)),
            .early_until_ns = from_seconds(load_le32(bytes + 84)),
            .use_days = load_le32(bytes + 12) >> 1,
    };
    record->totals = (struct dnnl_cache_store_totals){
            .capacity_bytes = load_le64(bytes + 16),
            .policy = policy_from_file(load_le32(bytes + 24)),
            .since_ns = load_le64(bytes + 32),
            .hits = load_le64(bytes + 40),
            .misses = load_le64(bytes + 48),
            .puts = load_le64(bytes + 56),
            .evictions = load_le64(bytes + 64),
            .refused = load_le64(bytes + 72),
    };
    return 0;
}

static int read_from(struct record *record, int fd)
{
    uint8_t bytes[store_totals_bytes] = {0};
    struct file_facts facts;
    int error = file_facts(&facts, fd);
    if (error != 0) return error;
    const size_t size =
            facts.size < sizeof bytes ? (size_t)facts.size : sizeof bytes;
    error = file_read_at(fd, bytes, size, 0);
    return error != 0 ? error : decode(record, bytes, size, facts.size);
}

static int write_to(int fd, const struct record *record)
{
    uint8_t bytes[store_totals_bytes];
    struct file_facts facts;
    encode(bytes, record);
    int error = file_write_at(fd, bytes, sizeof bytes, 0);
    if (error == 0) error = file_facts(&facts, fd);
    if (error != 0 || facts.size == store_totals_bytes) return error;
    return file_set_size(fd, store_totals_bytes);
}

static void add(
        struct dnnl_cache_store_totals *totals, const struct store_tally *tally)
{
    totals->hits = store_size_add(totals->hits, tally->hits);
    totals->misses = store_size_add(totals->misses, tally->misses);
    totals->puts = store_size_add(totals->puts, tally->puts);
    totals->evictions = store_size_add(totals->evictions, tally->evictions);
    totals->refused = store_size_add(totals->refused, tally->refused);
}

/* Changes the file with its lock held. reset: counts begin anew. */
static int change(dnnl_cache_store_handle_t *store,
        const struct store_tally *tally, bool reset, unsigned timeout_ms)
{
    struct store_place place;
    struct record record = {.clock = {0}};
    struct dnnl_cache_store_totals *totals = &record.totals;
    const uint64_t own = store_users_find_own(); /* reads files: no lock yet */
    int fd;
    int error = store_place_find(&place, store, store_beside_totals);
    if (error != 0) return error;
    error = store_lock_file(
            &fd, place.folder_fd, place.name, &store->options, timeout_ms);
    store_place_leave(&place);
    if (error != 0) return error;
    error = read_from(&record, fd);
    if (error == EBADMSG || (error == 0 && reset)) {
        *totals = (struct dnnl_cache_store_totals){
                .capacity_bytes = totals->capacity_bytes,
                .policy = totals->policy,
                .since_ns = clock_epoch_ns(),
        };
        error = 0;
    }
    note_limits(totals, store, tally);
    add(totals, tally);
    const uint64_t now_ns = clock_epoch_ns();
    if (!store->has_limits_of_others) store_clock_use(&record.clock, now_ns);
    store_users_note(&record.users, own, now_ns);
    if (error == 0) error = write_to(fd, &record);
    store_unlock_file(fd);
    return error;
}

static int read_place(
        struct record *record, const dnnl_cache_store_handle_t *store)
{
    struct store_place place;
    struct file_facts facts;
    int fd;
    int error = store_place_find(&place, store, store_beside_totals);
    if (error != 0) return error;
    error = file_open_plain(
            &fd, &facts, place.folder_fd, place.name, file_beneath, 0);
    store_place_leave(&place);
    if (error != 0) return error;
    /* Without the lock: somebody may be writing. */
    error = EBADMSG;
    for (int attempt = 0; attempt < 4 && error == EBADMSG; attempt++)
        error = read_from(record, fd);
    (void)file_close(fd);
    return error;
}

/* ---- When ---------------------------------------------------------------- */

void store_totals_begin(dnnl_cache_store_handle_t *store)
{
    store->totals.is_begun = true;
    store->totals.forks = fork_count();
    atomic_store(&store->totals.next_ns, clock_tick_ns() + period_ns);
}

static bool is_recorded(const dnnl_cache_store_handle_t *store)
{
    return store->totals.is_begun && store->calls->find_place != NULL;
}

/* anyhow: even if there is nothing to add. */
static void add_pending(
        dnnl_cache_store_handle_t *store, bool anyhow, unsigned timeout_ms)
{
    const struct store_tally pending = take(store);
    if (is_zero(&pending) && !anyhow) return;
    if (change(store, &pending, false, timeout_ms) != 0)
        give_back(store, &pending);
    else
        atomic_store(&store->totals.is_noted, true);
}

void store_totals_tick(dnnl_cache_store_handle_t *store)
{
    if (!is_recorded(store)) return;
    const uint64_t now = clock_tick_ns();
    uint_fast64_t next =
            atomic_load_explicit(&store->totals.next_ns, memory_order_relaxed);
    if (now < next
            || !atomic_compare_exchange_strong(
                    &store->totals.next_ns, &next, now + period_ns))
        return;
    add_pending(store, false, 0);
}

bool store_totals_is_there(const dnnl_cache_store_handle_t *store)
{
    struct store_place place;
    struct file_facts facts;
    if (store_place_find(&place, store, store_beside_totals) != 0) return false;
    const bool is_there =
            file_facts_of_link(&facts, place.folder_fd, place.name) == 0
            && facts.kind == file_is_plain
            && (facts.size == store_totals_bytes
                    || facts.size == store_totals_old_bytes);
    store_place_leave(&place);
    return is_there;
}

void store_totals_make(dnnl_cache_store_handle_t *store)
{
    if (is_recorded(store) && !atomic_load(&store->totals.is_noted))
        add_pending(store, true, 0);
}

void store_totals_add(dnnl_cache_store_handle_t *store)
{
    if (!is_recorded(store)) return;
    const unsigned timeout_ms = store->options.lock_timeout_ms;
    add_pending(store, false, timeout_ms < wait_ms ? timeout_ms : wait_ms);
}

/* ---- The interface ------------------------------------------------------- */

dnnl_status_t dnnl_cache_store_get_totals(dnnl_cache_store_handle_t *store,
        struct dnnl_cache_store_totals *totals)
{
    struct record read = {.clock = {0}};
    if (store == NULL || totals == NULL) return dnnl_invalid_arguments;
    if (store->calls->find_place == NULL) return dnnl_unimplemented;
    if (!store->options.off) {
        const int error = read_place(&read, store);
        if (error == ENOMEM) return dnnl_out_of_memory;
        if (error != 0) read = (struct record){.clock = {0}};
    }
    if (is_recorded(store)) {
        store_totals_lock();
        const struct store_tally pending = pending_locked(store);
        store_totals_unlock();
        add(&read.totals, &pending);
    }
    const uint64_t now_ns = clock_epoch_ns();
    read.totals.users_since_ns =
            read.users.since_ns > now_ns ? now_ns : read.users.since_ns;
    read.totals.other_users = store_users_count_others(
            &read.users, store_users_find_own(), now_ns);
    return sized_struct_write(&read.totals, sizeof read.totals, totals)
                   ? dnnl_success
                   : dnnl_invalid_arguments;
}

struct store_clock store_totals_read_clock(
        const dnnl_cache_store_handle_t *store)
{
    struct record read = {.clock = {0}};
    return store->calls->find_place != NULL && read_place(&read, store) == 0
                   ? read.clock
                   : (struct store_clock){0};
}

dnnl_status_t dnnl_cache_store_record_totals(dnnl_cache_store_handle_t *store)
{
    if (store == NULL) return dnnl_invalid_arguments;
    if (store->calls->find_place == NULL) return dnnl_unimplemented;
    store_used_report(store);
    store_totals_add(store);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_store_reset_totals(dnnl_cache_store_handle_t *store)
{
    const struct store_tally none = {0};
    if (store == NULL) return dnnl_invalid_arguments;
    if (store->calls->find_place == NULL) return dnnl_unimplemented;
    if (store->options.off) return dnnl_success;
    int error = EROFS;
    if (is_recorded(store)) {
        (void)take(store);
        error = change(store, &none, true, store->options.lock_timeout_ms);
    }
    return store_finish(store, "reset of totals", error);
}
