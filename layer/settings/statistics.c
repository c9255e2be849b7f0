/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/statistics.h"

#include "layer/settings/print.h"
#include "layer/settings/session.h"
#include "layer/settings/settings.h"
#include "tools/common/text/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[layer_reason_count] = {
        [layer_reason_missing] = "missing",
        [layer_reason_partial] = "partial",
        [layer_reason_damaged] = "damaged",
        [layer_reason_stale] = "stale",
        [layer_reason_refused] = "refused",
        [layer_reason_differs] = "differs",
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
    atomic_uint_least64_t harvest_ns;
    atomic_bool reported;
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
static void subtract_one(atomic_uint_least64_t *counter)
{
    uint_least64_t n = atomic_load_explicit(counter, memory_order_relaxed);
    while (n > 0
            && !atomic_compare_exchange_weak_explicit(counter, &n, n - 1,
                    memory_order_relaxed, memory_order_relaxed))
        ;
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
    add(&counters.harvest_ns, query_ns);
}

void statistics_count_not_kept(enum layer_reason reason, uint64_t query_ns)
{
    add(&counters.not_kept_by[reason], 1);
    add(&counters.harvest_ns, query_ns);
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
            .harvest_ns = now(&counters.harvest_ns),
    };
    t->hits = t->memory_hits + t->disk_hits;
    t->misses = sum(t->misses_by, counters.misses_by);
    t->not_kept = sum(t->not_kept_by, counters.not_kept_by);
}

/* ---- Reports ------------------------------------------------------------- */

static void write_row(FILE *out, const char *name, uint64_t number)
{
    fprintf(out, "  %-27s %11" PRIu64 "\n", name, number);
}

static void write_reasons(FILE *out, const uint64_t by[layer_reason_count])
{
    for (int i = 0; i < layer_reason_count; i++)
        if (by[i] > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n", names[i], by[i]);
}

static void write_ms(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-26s %12.3f\n", name, (double)ns / 1e6);
}

void statistics_write_table(const struct statistics_totals *t, FILE *out)
{
    fprintf(out, "dnnl_cache layer: %s (%ld)\n", program_invocation_short_name,
            (long)getpid());
    write_row(out, "hits", t->hits);
    if (t->hits > 0) {
        fprintf(out, "    %-24s %12" PRIu64 "\n", "from memory",
                t->memory_hits);
        fprintf(out, "    %-24s %12" PRIu64 "\n", "from disk", t->disk_hits);
        if (t->remote_hits > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n", "of a server",
                    t->remote_hits);
        if (t->incomplete_hits > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n", "incomplete",
                    t->incomplete_hits);
        if (t->unloaded_hits > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n", "never loaded",
                    t->unloaded_hits);
    }
    write_row(out, "partial hits", t->partial_hits);
    write_row(out, "misses", t->misses);
    write_reasons(out, t->misses_by);
    write_row(out, "programs kept", t->kept);
    write_row(out, "programs left to refresh", t->deferred);
    write_row(out, "programs not kept", t->not_kept);
    write_reasons(out, t->not_kept_by);
    write_row(out, "misses with nothing to keep", t->nothing_to_keep);
    write_row(out, "kept by others", t->kept_by_others);
    if (t->remote_failures > 0)
        write_row(out, "not asked of the server", t->remote_failures);
    write_row(out, "failures of the store", t->store_failures);
    if (t->store_failures > 0 && !layer_settings()->print_debug)
        fputs("    DNNL_CACHE_PRINT_DEBUG=1 tells which\n", out);
    write_row(out, "bytes read", t->bytes_read);
    write_row(out, "bytes written", t->bytes_written);
    write_ms(out, "ms saved", t->saved_ns);
    write_ms(out, "ms loading", t->load_ns);
    write_ms(out, "ms compiling", t->compile_ns);
    write_ms(out, "ms of the layer on misses", t->overhead_ns);
    write_ms(out, "ms asking for binaries", t->harvest_ns);
}

static void write_json_reasons(struct json *json, const char *name,
        const uint64_t by[layer_reason_count])
{
    json_begin_object(json, name);
    for (int i = 0; i < layer_reason_count; i++)
        if (by[i] > 0) json_number(json, names[i], by[i]);
    json_end_object(json);
}

void statistics_write_json(const struct statistics_totals *t, FILE *out)
{
    const struct {
        const char *name;
        uint64_t number;
    } numbers[] = {
            {"hits", t->hits},
            {"memory_hits", t->memory_hits},
            {"disk_hits", t->disk_hits},
            {"remote_hits", t->remote_hits},
            {"remote_failures", t->remote_failures},
            {"incomplete_hits", t->incomplete_hits},
            {"finalised_hits", t->finalised_hits},
            {"unloaded_hits", t->unloaded_hits},
            {"partial_hits", t->partial_hits},
            {"misses", t->misses},
            {"kept", t->kept},
            {"not_kept", t->not_kept},
            {"deferred", t->deferred},
            {"nothing_to_keep", t->nothing_to_keep},
            {"kept_by_others", t->kept_by_others},
            {"store_failures", t->store_failures},
            {"bytes_read", t->bytes_read},
            {"bytes_written", t->bytes_written},
            {"saved_ns", t->saved_ns},
            {"load_ns", t->load_ns},
            {"compile_ns", t->compile_ns},
            {"overhead_ns", t->overhead_ns},
            {"harvest_ns", t->harvest_ns},
    };
    struct json json;
    json_init_line(&json, out);
    json_begin_object(&json, NULL);
    json_text(&json, "program", program_invocation_short_name);
    json_number(&json, "pid", (uint64_t)getpid());
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_number(&json, numbers[i].name, numbers[i].number);
    write_json_reasons(&json, "misses_by", t->misses_by);
    write_json_reasons(&json, "not_kept_by", t->not_kept_by);
    json_end_object(&json);
}

void statistics_report(void)
{
    const struct settings_output *output = &layer_settings()->statistics;
    struct statistics_totals totals;
    char *text = NULL;
    size_t size = 0;
    if (!output->on || atomic_exchange(&counters.reported, true)) return;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL) return;
    statistics_get(&totals);
    if (output->path[0] == '\0')
        statistics_write_table(&totals, memory);
    else
        statistics_write_json(&totals, memory);
    if (fclose(memory) == 0) print_report(output, "statistics", text, size);
    free(text);
}
