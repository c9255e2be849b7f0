/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of one name stand together, as the format asks: for each name all
 * members are gone through.
 */
#include "dnnl_cache/metrics.h"

#include "dnnl_cache/remote_store.h"
#include "stores/chain/chain_internal.h"
#include "stores/open/metrics_text.h"

#include "dnnl_cache.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library --------------------------------------------------------- */

/* A number of dnnl_cache_statistics_t. */
struct counted {
    const char *kind; /* label; NULL: none */
    size_t offset;
};

#define OF(member) offsetof(dnnl_cache_statistics_t, member)

static const struct {
    const char *name;
    enum metrics_type type;
    bool is_ns;
    const char *help;
    struct counted of[4]; /* offset 0, which is struct_size: no more */
} library_metrics[] = {
        {"dnnl_cache_hits_total", metrics_counter, false,
                "Look-ups that found the object in memory.",
                {{"program", OF(program_hits)}, {"kernel", OF(kernel_hits)},
                        {"primitive", OF(primitive_hits)}}},
        {"dnnl_cache_misses_total", metrics_counter, false,
                "Look-ups that did not.",
                {{"program", OF(program_misses)}, {"kernel", OF(kernel_misses)},
                        {"primitive", OF(primitive_misses)}}},
        {"dnnl_cache_failures_total", metrics_counter, false,
                "Objects that could not be made.",
                {{"program", OF(program_failures)},
                        {"kernel", OF(kernel_failures)},
                        {"primitive", OF(primitive_failures)}}},
        {"dnnl_cache_evictions_total", metrics_counter, false,
                "Objects that left memory to make room.",
                {{"program", OF(program_evictions)},
                        {"kernel", OF(kernel_evictions)},
                        {"primitive", OF(primitive_evictions)}}},
        {"dnnl_cache_entries", metrics_gauge, false, "Objects in memory.",
                {{"program", OF(program_entries)},
                        {"kernel", OF(kernel_entries)},
                        {"primitive", OF(primitive_entries)}}},
        {"dnnl_cache_programs_compiled_total", metrics_counter, false,
                "Programs compiled from source.",
                {{NULL, OF(programs_compiled)}}},
        {"dnnl_cache_programs_loaded_total", metrics_counter, false,
                "Programs loaded from blobs.", {{NULL, OF(programs_loaded)}}},
        {"dnnl_cache_programs_incomplete_total", metrics_counter, false,
                "Programs loaded whose launches compiled.",
                {{NULL, OF(programs_incomplete)}}},
        {"dnnl_cache_programs_never_captured", metrics_gauge, false,
                "Programs compiled that no store has, nor its journal.",
                {{NULL, OF(programs_never_captured)}}},
        {"dnnl_cache_blobs_rejected_total", metrics_counter, false,
                "Blobs that were damaged, stale or not supported.",
                {{NULL, OF(blobs_rejected)}}},
        {"dnnl_cache_compile_seconds_total", metrics_counter, true,
                "Time that the driver compiled.", {{NULL, OF(compile_ns)}}},
        {"dnnl_cache_load_seconds_total", metrics_counter, true,
                "Time that the driver loaded binaries.", {{NULL, OF(load_ns)}}},
        {"dnnl_cache_saved_seconds_total", metrics_counter, true,
                "Time that making the objects found would have taken.",
                {{NULL, OF(saved_ns)}}},
        {"dnnl_cache_attached_hits_total", metrics_counter, false,
                "Blobs used from attached stores.", {{NULL, OF(store_hits)}}},
        {"dnnl_cache_attached_misses_total", metrics_counter, false,
                "Blobs that attached stores did not have.",
                {{NULL, OF(store_misses)}}},
        {"dnnl_cache_attached_puts_total", metrics_counter, false,
                "Blobs given to attached stores.", {{NULL, OF(store_puts)}}},
        {"dnnl_cache_attached_failures_total", metrics_counter, false,
                "Calls of attached stores that failed.",
                {{NULL, OF(store_failures)}}},
        {"dnnl_cache_attached_read_only_total", metrics_counter, false,
                "Programs compiled with a store that cannot be written.",
                {{NULL, OF(store_read_only)}}},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t number_at(const void *structure, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)structure + offset);
}

static void write_number(struct metrics_text *text, const char *name,
        const struct metrics_label own[2], bool is_ns, uint64_t number)
{
    if (is_ns)
        metrics_seconds(text, name, own, number);
    else
        metrics_number(text, name, own, number);
}

static dnnl_status_t write_library(struct metrics_text *text)
{
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    const dnnl_status_t st = dnnl_cache_get_statistics(&statistics);
    if (st != dnnl_success) return st;
    for (size_t i = 0; i < COUNT(library_metrics); i++) {
        const char *name = library_metrics[i].name;
        metrics_begin(
                text, name, library_metrics[i].type, library_metrics[i].help);
        for (size_t j = 0; library_metrics[i].of[j].offset != 0; j++) {
            const struct counted *of = &library_metrics[i].of[j];
            const struct metrics_label own[2] = {
                    {of->kind != NULL ? "kind" : NULL, of->kind}, {NULL, NULL}};
            write_number(text, name, own, library_metrics[i].is_ns,
                    number_at(&statistics, of->offset));
        }
    }
    return st;
}

/* ---- Stores -------------------------------------------------------------- */

/* All numbers that there may be of a member. */
struct numbers {
    struct dnnl_cache_store_statistics store;
    struct dnnl_cache_store_remote_statistics remote;
    struct dnnl_cache_store_chain_member_statistics chain;
    uint64_t is_left_alone; /* of a server */
    uint64_t is_skipped;    /* by the chain */
};

enum { most_name = 255 };

struct member {
    const char *name;
    char numbered[32];
    bool is_store;  /* has `store`, and not only callbacks */
    bool is_remote; /* has `remote` */
    bool is_in_chain;
    struct numbers numbers;
};

/* Who has a number. */
enum owner { owner_store, owner_remote, owner_chain };

struct store_metric {
    const char *name;
    enum metrics_type type;
    bool is_ns;
    enum owner owner;
    const char *reason; /* label; NULL: none */
    size_t offset;
    const char *help; /* NULL: samples of the name above */
};

#define STORE(of) owner_store, NULL, offsetof(struct numbers, store.of)
#define REMOTE(of) owner_remote, NULL, offsetof(struct numbers, remote.of)
#define CHAIN(of) owner_chain, NULL, offsetof(struct numbers, chain.of)
#define REFUSED(reason)                                                        \
    {                                                                          \
        "dnnl_cache_store_refused_total", metrics_counter, false, owner_store, \
                #reason, offsetof(struct numbers, store.puts_##reason), NULL   \
    }

static const struct store_metric store_metrics[] = {
        {"dnnl_cache_store_hits_total", metrics_counter, false, STORE(hits),
                "Gets that found a blob."},
        {"dnnl_cache_store_misses_total", metrics_counter, false, STORE(misses),
                "Gets that found none; those that failed are not counted."},
        {"dnnl_cache_store_damaged_total", metrics_counter, false,
                STORE(damaged), "Entries found damaged, or of another key."},
        {"dnnl_cache_store_puts_total", metrics_counter, false, STORE(puts),
                "Blobs stored."},
        {"dnnl_cache_store_puts_unchanged_total", metrics_counter, false,
                STORE(puts_unchanged), "Puts of what was there already."},
        {"dnnl_cache_store_refused_total", metrics_counter, false, owner_store,
                "off", offsetof(struct numbers, store.puts_off),
                "Puts that were not kept."},
        REFUSED(read_only),
        REFUSED(too_small),
        REFUSED(too_large),
        REFUSED(full),
        REFUSED(lock_timeout),
        REFUSED(failed),
        {"dnnl_cache_store_removes_total", metrics_counter, false,
                STORE(removes), "Entries removed on request."},
        {"dnnl_cache_store_evictions_total", metrics_counter, false,
                STORE(evictions), "Entries removed to make room."},
        {"dnnl_cache_store_expired_total", metrics_counter, false,
                STORE(expired), "Entries removed for their age."},
        {"dnnl_cache_store_bytes", metrics_gauge, false, STORE(bytes),
                "Recorded size of the store; 0: not known."},
        {"dnnl_cache_chain_failures_total", metrics_counter, false,
                CHAIN(failures), "Calls of the member that failed."},
        {"dnnl_cache_chain_skipped_total", metrics_counter, false,
                CHAIN(skipped), "Calls that were not made after failures."},
        {"dnnl_cache_chain_fills_total", metrics_counter, false, CHAIN(fills),
                "Blobs copied into the member from further ones."},
        {"dnnl_cache_chain_is_skipped", metrics_gauge, false, owner_chain, NULL,
                offsetof(struct numbers, is_skipped),
                "1: the member is skipped after failures."},
        {"dnnl_cache_remote_errors_total", metrics_counter, false,
                REMOTE(errors), "Requests without an answer that makes sense."},
        {"dnnl_cache_remote_timeouts_total", metrics_counter, false,
                REMOTE(timeouts),
                "Of the errors, requests over their deadline."},
        {"dnnl_cache_remote_refusals_total", metrics_counter, false,
                REMOTE(refusals), "Requests that the server refused."},
        {"dnnl_cache_remote_too_large_total", metrics_counter, false,
                REMOTE(too_large), "Bodies over max_blob_bytes."},
        {"dnnl_cache_remote_gets_failed_total", metrics_counter, false,
                REMOTE(gets_failed), "Gets that ended with one of these."},
        {"dnnl_cache_remote_gets_skipped_total", metrics_counter, false,
                REMOTE(gets_skipped), "Gets that were not made."},
        {"dnnl_cache_remote_lists_total", metrics_counter, false, REMOTE(lists),
                "Of the hits, lists of working sets."},
        {"dnnl_cache_remote_puts_dropped_total", metrics_counter, false,
                REMOTE(puts_dropped), "Puts that were not sent."},
        {"dnnl_cache_remote_puts_queued", metrics_gauge, false,
                REMOTE(puts_queued), "Puts that wait to be sent."},
        {"dnnl_cache_remote_breaker_opened_total", metrics_counter, false,
                REMOTE(breaker_opened), "Times the server was left alone."},
        {"dnnl_cache_remote_received_bytes_total", metrics_counter, false,
                REMOTE(bytes_received), "Bytes received."},
        {"dnnl_cache_remote_sent_bytes_total", metrics_counter, false,
                REMOTE(bytes_sent), "Bytes sent."},
        {"dnnl_cache_remote_waited_seconds_total", metrics_counter, true,
                REMOTE(waited_ns), "Time that callers waited for gets."},
        {"dnnl_cache_remote_is_left_alone", metrics_gauge, false, owner_remote,
                NULL, offsetof(struct numbers, is_left_alone),
                "1: the server is left alone after errors."},
};

static bool has(const struct member *member, enum owner owner)
{
    switch (owner) {
    case owner_remote:
        return member->is_remote;
    case owner_chain:
        return member->is_in_chain;
    default:
        return member->is_store;
    }
}

static void look_at(
        struct member *member, const dnnl_cache_store_handle_t *store)
{
    struct numbers *n = &member->numbers;
    n->store.struct_size = sizeof n->store;
    n->remote.struct_size = sizeof n->remote;
    if (store == NULL) return;
    member->is_store =
            dnnl_cache_store_get_statistics(store, &n->store) == dnnl_success;
    member->is_remote =
            dnnl_cache_store_remote_get_statistics(store, &n->remote)
            == dnnl_success;
    n->is_left_alone = n->remote.is_left_alone;
    if (member->name == NULL)
        member->name = member->is_remote ? "remote" : "local";
}

/* That of the member, unless it is too long for a label or another's: two
 * samples of one name and the same labels are not allowed. */
static const char *name_in_chain(struct member *member, size_t number,
        const struct member *before, size_t count, const char *name)
{
    bool is_good = strlen(name) <= most_name;
    for (size_t i = 0; i < count; i++)
        is_good = is_good && strcmp(before[i].name, name) != 0;
    if (is_good) return name;
    (void)snprintf(
            member->numbered, sizeof member->numbered, "number %zu", number);
    return member->numbered;
}

/* The members of a chain, or the store itself; the caller frees them. */
static struct member *find_members(
        size_t *count, const dnnl_cache_store_handle_t *store)
{
    /* Neither is changed: what is called here only reads. */
    dnnl_cache_store_handle_t *s =
            (dnnl_cache_store_handle_t *)(uintptr_t)store;
    const struct chain *chain = chain_of(s);
    *count = 0;
    struct member *members =
            calloc(chain != NULL ? chain->count + 1 : 1, sizeof *members);
    if (members == NULL) return NULL;
    for (size_t i = 0; chain != NULL && i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        if (link->is_absent) continue;
        struct member *m = &members[*count];
        m->name = name_in_chain(m, i, members, (*count)++, link->name);
        m->numbers.chain.struct_size = sizeof m->numbers.chain;
        m->is_in_chain = dnnl_cache_store_chain_get_member_statistics(
                                 s, i, &m->numbers.chain)
                         == dnnl_success;
        m->numbers.is_skipped = m->numbers.chain.is_skipped;
        look_at(m, link->store);
    }
    if (chain == NULL) look_at(&members[(*count)++], store);
    return members;
}

static void write_store_metric(struct metrics_text *text,
        const struct store_metric *metric, const struct member *members,
        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct metrics_label own[2] = {{"store", members[i].name},
                {metric->reason != NULL ? "reason" : NULL, metric->reason}};
        if (has(&members[i], metric->owner))
            write_number(text, metric->name, own, metric->is_ns,
                    number_at(&members[i].numbers, metric->offset));
    }
}

static dnnl_status_t write_store(
        struct metrics_text *text, const dnnl_cache_store_handle_t *store)
{
    size_t count = 0;
    struct member *members = find_members(&count, store);
    if (members == NULL) return dnnl_out_of_memory;
    for (size_t i = 0; i < COUNT(store_metrics); i++) {
        const struct store_metric *metric = &store_metrics[i];
        bool anybody = false;
        for (size_t j = 0; j < count; j++)
            anybody = anybody || has(&members[j], metric->owner);
        if (!anybody) continue;
        if (metric->help != NULL)
            metrics_begin(text, metric->name, metric->type, metric->help);
        write_store_metric(text, metric, members, count);
    }
    free(members);
    return dnnl_success;
}

/* ---- Both ---------------------------------------------------------------- */

static dnnl_status_t write_all(
        struct metrics_text *text, const dnnl_cache_store_handle_t *store)
{
    text->used = 0;
    const dnnl_status_t st = write_library(text);
    return st == dnnl_success && store != NULL ? write_store(text, store) : st;
}

dnnl_status_t dnnl_cache_store_get_metrics(
        const dnnl_cache_store_handle_t *store, size_t label_count,
        const struct dnnl_cache_metrics_label *labels, size_t *size, char *text)
{
    struct metrics_label read[metrics_most_labels];
    if (size == NULL || !metrics_read_labels(read, label_count, labels))
        return dnnl_invalid_arguments;
    struct metrics_text out = {.label_count = label_count, .labels = read};
    dnnl_status_t st = write_all(&out, store);
    if (st != dnnl_success) return st;
    const size_t most = out.used + 1;
    const bool fits = text != NULL && most <= *size;
    *size = most;
    if (text == NULL) return dnnl_success;
    if (!fits) return dnnl_invalid_arguments;
    out.text = text;
    out.size = most - 1;
    st = write_all(&out, store);
    if (st != dnnl_success) return st;
    text[out.used] = '\0';
    *size = out.used + 1;
    return dnnl_success;
}
