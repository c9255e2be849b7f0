/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/statistics.h"

#include "layer/settings/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char *const names[layer_reason_count] = {
        [layer_reason_missing] = "missing",
        [layer_reason_partial] = "partial",
        [layer_reason_damaged] = "damaged",
        [layer_reason_stale] = "stale",
        [layer_reason_refused] = "refused",
        [layer_reason_differs] = "differs",
        [layer_reason_recompile] = "recompile",
        [layer_reason_includes] = "includes",
        [layer_reason_options] = "options",
        [layer_reason_identity] = "identity",
        [layer_reason_environment] = "environment",
        [layer_reason_binary] = "binary",
        [layer_reason_built_in] = "built_in",
        [layer_reason_compiled] = "compiled",
        [layer_reason_linked] = "linked",
        [layer_reason_died] = "died",
        [layer_reason_quarantined] = "quarantined",
        [layer_reason_driver_faster] = "driver_faster",
        [layer_reason_too_fast] = "too_fast",
        [layer_reason_unsupported] = "unsupported",
        [layer_reason_failed] = "failed",
        [layer_reason_unused] = "unused",
        [layer_reason_slow_query] = "slow_query",
        [layer_reason_too_small] = "too_small",
        [layer_reason_too_large] = "too_large",
        [layer_reason_store] = "store",
        [layer_reason_driver_changed] = "driver_changed",
};

const char *layer_reason_name(enum layer_reason reason)
{
    return names[reason];
}

/* ---- Counting ------------------------------------------------------------ */

/* Numbers that nothing else depends on: relaxed. */
static struct {
    atomic_uint_least64_t memory_hits;
    atomic_uint_least64_t disk_hits;
    atomic_uint_least64_t remote_hits;
    atomic_uint_least64_t remote_failures;
    atomic_uint_least64_t incomplete_hits;
    atomic_uint_least64_t finalised_hits;
    atomic_uint_least64_t unloaded_hits;
    atomic_uint_least64_t partial_hits;
    atomic_uint_least64_t failed_answered;
    atomic_uint_least64_t failed_kept;
    atomic_uint_least64_t misses_by[layer_reason_count];
    atomic_uint_least64_t kept;
    atomic_uint_least64_t not_kept_by[layer_reason_count];
    atomic_uint_least64_t deferred;
    atomic_uint_least64_t nothing_to_keep;
    atomic_uint_least64_t kept_by_others;
    atomic_uint_least64_t store_failures;
    atomic_uint_least64_t bytes_read;
    atomic_uint_least64_t bytes_written;
    atomic_uint_least64_t load_ns;
    atomic_uint_least64_t saved_ns;
    atomic_uint_least64_t compile_ns;
    atomic_uint_least64_t overhead_ns;
    atomic_uint_least64_t capture_ns;
    atomic_bool is_reported;
} counters;

static void forget_parents(void)
{
    memset(&counters, 0, sizeof counters); /* a child has one thread */
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forget_parents);
}

static void add(atomic_uint_least64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

void statistics_count_hit(
        bool from_memory, uint64_t bytes, uint64_t load_ns, uint64_t compile_ns)
{
    add(from_memory ? &counters.memory_hits : &counters.disk_hits, 1);
    session_count(session_loaded);
    add(&counters.bytes_read, bytes);
    add(&counters.load_ns, load_ns);
    if (compile_ns > load_ns) add(&counters.saved_ns, compile_ns - load_ns);
}

static void subtract(atomic_uint_least64_t *counter, uint64_t n)
{
    atomic_fetch_sub_explicit(counter, n, memory_order_relaxed);
}

/* Of the parent's hits, too, which a child does not count. */
static void subtract_most(atomic_uint_least64_t *counter, uint64_t most)
{
    uint_least64_t n = atomic_load_explicit(counter, memory_order_relaxed);
    while (n > 0
            && !atomic_compare_exchange_weak_explicit(counter, &n,
                    n > most ? n - most : 0, memory_order_relaxed,
                    memory_order_relaxed))
        ;
}

static void subtract_one(atomic_uint_least64_t *counter)
{
    subtract_most(counter, 1);
}

void statistics_count_unloaded(void)
{
    add(&counters.unloaded_hits, 1);
}

void statistics_count_late_load(
        uint64_t found_ns, uint64_t load_ns, uint64_t compile_ns)
{
    const uint64_t all_ns = found_ns + load_ns;
    subtract_one(&counters.unloaded_hits);
    add(&counters.load_ns, load_ns);
    if (compile_ns > all_ns) add(&counters.saved_ns, compile_ns - all_ns);
}

void statistics_count_late_refusal(bool from_memory)
{
    subtract_one(&counters.unloaded_hits);
    subtract_one(from_memory ? &counters.memory_hits : &counters.disk_hits);
}

void statistics_count_incomplete(uint64_t saved_ns)
{
    add(&counters.incomplete_hits, 1);
    subtract(&counters.saved_ns, saved_ns);
}

/* Each counts; one that was slower than compiling saved nothing. */
void statistics_count_failed_answered(uint64_t answer_ns, uint64_t compile_ns)
{
    add(&counters.failed_answered, 1);
    add(&counters.load_ns, answer_ns);
    if (compile_ns > answer_ns) add(&counters.saved_ns, compile_ns - answer_ns);
}

void statistics_count_failed_undone(uint64_t answer_ns, uint64_t compile_ns)
{
    subtract_one(&counters.failed_answered);
    if (compile_ns > answer_ns)
        subtract_most(&counters.saved_ns, compile_ns - answer_ns);
}

void statistics_count_failed_kept(void)
{
    add(&counters.failed_kept, 1);
}

void statistics_count_deferred(void)
{
    add(&counters.deferred, 1);
    session_count(session_deferred);
}

void statistics_count_finalised(void)
{
    add(&counters.finalised_hits, 1);
}

void statistics_count_partial_hit(uint64_t load_ns, uint64_t compile_ns)
{
    add(&counters.partial_hits, 1);
    add(&counters.load_ns, load_ns);
    add(&counters.compile_ns, compile_ns);
}

void statistics_count_miss(
        enum layer_reason reason, uint64_t compile_ns, uint64_t overhead_ns)
{
    add(&counters.misses_by[reason], 1);
    add(&counters.compile_ns, compile_ns);
    add(&counters.overhead_ns, overhead_ns);
}

void statistics_count_kept(uint64_t bytes, uint64_t query_ns)
{
    add(&counters.kept, 1);
    session_count(session_kept);
    add(&counters.bytes_written, bytes);
    add(&counters.capture_ns, query_ns);
}

void statistics_count_not_kept(enum layer_reason reason, uint64_t query_ns)
{
    add(&counters.not_kept_by[reason], 1);
    add(&counters.capture_ns, query_ns);
}

void statistics_count_nothing_to_keep(void)
{
    add(&counters.nothing_to_keep, 1);
}

void statistics_count_kept_by_others(void)
{
    add(&counters.kept_by_others, 1);
}

void statistics_count_store_failure(void)
{
    add(&counters.store_failures, 1);
}

void statistics_add_remote(uint64_t hits, uint64_t failures)
{
    add(&counters.remote_hits, hits);
    add(&counters.remote_failures, failures);
}

static uint64_t now(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static uint64_t sum(uint64_t out[layer_reason_count],
        const atomic_uint_least64_t by[layer_reason_count])
{
    uint64_t total = 0;
    for (int i = 0; i < layer_reason_count; i++) {
        out[i] = now(&by[i]);
        total += out[i];
    }
    return total;
}

void statistics_get(struct statistics_totals *t)
{
    *t = (struct statistics_totals){
            .memory_hits = now(&counters.memory_hits),
            .disk_hits = now(&counters.disk_hits),
            .remote_hits = now(&counters.remote_hits),
            .remote_failures = now(&counters.remote_failures),
            .incomplete_hits = now(&counters.incomplete_hits),
            .finalised_hits = now(&counters.finalised_hits),
            .unloaded_hits = now(&counters.unloaded_hits),
            .partial_hits = now(&counters.partial_hits),
            .failed_answered = now(&counters.failed_answered),
            .failed_kept = now(&counters.failed_kept),
            .kept = now(&counters.kept),
            .deferred = now(&counters.deferred),
            .nothing_to_keep = now(&counters.nothing_to_keep),
            .kept_by_others = now(&counters.kept_by_others),
            .store_failures = now(&counters.store_failures),
            .bytes_read = now(&counters.bytes_read),
            .bytes_written = now(&counters.bytes_written),
            .load_ns = now(&counters.load_ns),
            .saved_ns = now(&counters.saved_ns),
            .compile_ns = now(&counters.compile_ns),
            .overhead_ns = now(&counters.overhead_ns),
            .capture_ns = now(&counters.capture_ns),
    };
    t->hits = t->memory_hits + t->disk_hits;
    t->misses = sum(t->misses_by, counters.misses_by);
    t->not_kept = sum(t->not_kept_by, counters.not_kept_by);
}

bool statistics_take_report(void)
{
    return !atomic_exchange(&counters.is_reported, true);
}
