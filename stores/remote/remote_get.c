/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/working_set.h"
#include "stores/remote/remote_internal.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- Bytes that are out -------------------------------------------------- */

/* A blob is somewhere in the body that it came in. What is in front of it has
 * been checked and is needed no more: the address of the body. */
static void note_body(const uint8_t *blob, uint8_t *body)
{
    memcpy((uint8_t *)(uintptr_t)blob - sizeof body, &body, sizeof body);
}

/* The address takes at most 7 bytes of the head, from its end. */
void remote_store_describe_lent(
        dnnl_cache_store_metadata_t *metadata, const uint8_t *blob)
{
    uint8_t *body;
    memcpy(&body, blob - sizeof body, sizeof body);
    remote_entry_describe(metadata, body);
}

void remote_store_release(void *user, size_t size, const uint8_t *blob)
{
    uint8_t *body;
    (void)size;
    if (user == NULL || blob == NULL) return;
    memcpy(&body, blob - sizeof body, sizeof body);
    remote_body_free(body);
}

/* ---- Gets ---------------------------------------------------------------- */

struct gets {
    struct remote_store *store;
    struct remote_live *live;
    size_t count;
    const size_t *id_sizes;
    const uint8_t *const *ids;
    size_t *sizes;
    const uint8_t **blobs;
    uint64_t name;   /* the beginning of the first one's */
    size_t names;    /* that each ID is asked under */
    uint8_t *absent; /* of each ID, under how many it is not there */
    size_t hits;
    uint64_t saved_ns;
    uint64_t held_ns; /* by the transport: the longest */
};

static void add(atomic_uint_fast64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

bool remote_store_wants(const struct remote_request *request)
{
    return remote_entry_is_begun(
            request->body_size, request->body, request->max_bytes);
}

/* The beginning of a name. */
static uint64_t number_of(const char *name)
{
    char digits[16 + 1];
    memcpy(digits, name, sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    return strtoull(digits, NULL, 16);
}

/* All IDs under their first name, then all under their second. */
static struct remote_call *make_call(struct gets *gets)
{
    const struct remote_url *url = &gets->store->core.url;
    const size_t count = gets->count * gets->names;
    struct remote_call *call = remote_call_make(count);
    if (call == NULL) return NULL;
    call->timeout_ns = url->timeout_ms * 1000000;
    call->is_wanted = remote_store_wants;
    for (size_t r = 0; r < count; r++) {
        struct remote_request *request = &call->requests[r];
        const size_t i = r % gets->count;
        const uint64_t most = url->max_blob_bytes + gets->id_sizes[i]
                              + remote_entry_most_overhead(gets->store->keys);
        char name[remote_name_size];
        remote_entry_name_with(name, gets->store->keys, r / gets->count,
                gets->id_sizes[i], gets->ids[i]);
        memcpy(request->name, name, sizeof name);
        if (r == 0) gets->name = number_of(name);
        request->verb = remote_verb_get;
        request->max_bytes = most < SIZE_MAX ? (size_t)most : SIZE_MAX;
    }
    return call;
}

/* Until the entry is put anew each get of it finds the same. One that another
 * has driven from its place is told again. */
static bool is_told(struct remote_store *store, const char *name)
{
    const size_t count = sizeof store->told / sizeof *store->told;
    const uint64_t number = number_of(name);
    return atomic_exchange(&store->told[number % count], number) == number;
}

bool remote_store_tells_setting(
        struct remote_store *store, enum remote_verdict verdict)
{
    const unsigned bit = 1u << verdict;
    return (atomic_fetch_or(&store->told_settings, bit) & bit) == 0;
}

/* What came is no entry for us. */
static void tell(struct remote_store *store, const char *name,
        enum remote_verdict verdict)
{
    const bool is_of_setting = remote_verdict_is_of_setting(verdict);
    if (!is_of_setting) store_count_damage(&store->base);
    if (is_of_setting ? remote_store_tells_setting(store, verdict)
                      : !is_told(store, name))
        store_log(&store->base, dnnl_cache_log_warning, "%s/%s: %s%s",
                store->base.options.path, name, remote_verdict_text(verdict),
                is_of_setting ? "; this is told of one entry" : "");
}

/* A body that arrived. */
static void take(struct gets *gets, size_t i, struct remote_request *request)
{
    struct remote_store *store = gets->store;
    struct remote_entry entry;
    size_t at = 0;
    size_t size = 0;
    if (gets->blobs[i] != NULL) return; /* under the other name */
    enum remote_verdict verdict = remote_entry_uncover(&at, &size,
            request->name, request->body_size, request->body, store->keys);
    if (verdict == remote_intact)
        verdict = remote_entry_decode_as(&entry, gets->id_sizes[i],
                gets->ids[i], size, request->body + at, store->keys);
    if (verdict != remote_intact || entry.item.blob_size == 0) {
        tell(store, request->name, verdict);
        gets->absent[i]++;
        return;
    }
    note_body(entry.blob, request->body);
    request->body = NULL; /* moved to the caller */
    gets->blobs[i] = entry.blob;
    gets->sizes[i] = (size_t)entry.item.blob_size;
    gets->hits++;
    gets->saved_ns += entry.item.compile_ns;
    store_count(&store->base.counters.hits);
    if (dnnl_cache_store_working_set_is_list(gets->id_sizes[i], gets->ids[i]))
        add(&store->core.counters.lists, 1);
}

/* A long body that is no entry was cut off. It is damaged, as a short one is.
 */
static enum remote_result judge(
        const struct remote_request *request, enum remote_result result)
{
    return result == remote_result_too_large && request->body_size > 0
                           && !remote_entry_is_longer(request->body_size,
                                   request->body, request->max_bytes)
                   ? remote_result_done
                   : result;
}

/* Whose entries are larger is to be known, since they are compiled each time:
 * of one, since there may be as many as a server likes. */
static void tell_too_large(
        struct remote_store *store, const struct remote_request *request)
{
    if (atomic_exchange(&store->told_too_large, true)) return;
    store_log(&store->base, dnnl_cache_log_warning,
            "%s/%s: larger than max_blob_bytes=%" PRIu64
            ", and not used. Open the store with more if this entry should be; "
            "this is told of one entry",
            store->base.options.path, request->name,
            store->core.url.max_blob_bytes);
}

static void take_result(struct gets *gets, size_t i,
        struct remote_request *request, enum remote_result result)
{
    struct remote_store *store = gets->store;
    if (request->held_ns > gets->held_ns) gets->held_ns = request->held_ns;
    switch (judge(request, result)) {
    case remote_result_done:
        take(gets, i, request);
        break;
    case remote_result_absent:
        gets->absent[i]++;
        break;
    case remote_result_too_large:
        tell_too_large(store, request);
        break;
    default:
        break;
    }
}

/* What was not found is a miss, if the server has said so of each name. */
static void count_others(const struct gets *gets)
{
    struct remote_store *store = gets->store;
    for (size_t i = 0; i < gets->count; i++) {
        if (gets->blobs[i] != NULL) continue;
        if (gets->absent[i] == gets->names)
            store_count(&store->base.counters.misses);
        else
            add(&store->core.counters.gets_failed, 1);
    }
}

static void take_all(struct gets *gets, struct remote_call *call)
{
    for (size_t r = 0; r < call->count; r++)
        take_result(gets, r % gets->count, &call->requests[r],
                remote_call_result(call, r));
    count_others(gets);
}

/* Checks what is there while more comes in. */
static void take_as_they_come(
        struct gets *gets, struct remote_call *call, uint64_t patience_ns)
{
    size_t left = call->count;
    struct remote_request *request;
    while (left > 0
            && (request = remote_call_take_some(call, patience_ns)) != NULL)
        for (; request != NULL; request = request->next, left--)
            take_result(gets, (size_t)(request - call->requests) % gets->count,
                    request, request->result);
    count_others(gets);
}

/* ---- Waiting in vain, which a lease can make good ------------------------ */

static struct remote_missed *missed_of(const struct gets *gets)
{
    struct remote_store *store = gets->store;
    return &store->missed[gets->name
                          % (sizeof store->missed / sizeof *store->missed)];
}

/* A get waited so long for nothing. */
static void note_missed(const struct gets *gets, uint64_t waited_ns)
{
    struct remote_missed *missed = missed_of(gets);
    atomic_store(&missed->waited_ns, waited_ns);
    atomic_store(&missed->name, gets->name);
}

/* A lease brought the entry after all, which saved what compiling it costs.
 * Where that is not known, the get before was not in vain: else each entry that
 * another host compiles would make this host a little less patient, until it
 * asks no more and compiles what the others wait for. */
static void make_good(const struct gets *gets)
{
    struct remote_missed *missed = missed_of(gets);
    uint64_t saved_ns = gets->saved_ns;
    if (saved_ns == 0 && atomic_load(&missed->name) == gets->name)
        saved_ns = atomic_exchange(&missed->waited_ns, 0);
    remote_thread_waited(gets->live->gets, 0, saved_ns);
}

static void ask_and_wait(
        struct gets *gets, struct remote_call *call, uint64_t patience_ns)
{
    struct remote_core *core = &gets->store->core;
    const uint64_t began = clock_ns();
    call->may_rest = call->count == 1;
    call->may_drive = call->count == 1;
    if (!remote_thread_submit(gets->live->gets, call)) {
        add(&core->counters.gets_failed, gets->count);
        remote_call_destroy(call);
        return;
    }
    take_as_they_come(gets, call, patience_ns);
    const uint64_t took = clock_ns() - began;
    const uint64_t waited = took > gets->held_ns ? took - gets->held_ns : 0;
    if (patience_ns >= call->timeout_ns) remote_call_give_up(call);
    remote_call_leave(call);
    /* Of a hit whose compile time is not known nothing was lost. */
    const uint64_t saved =
            gets->hits > 0 && gets->saved_ns < waited ? waited : gets->saved_ns;
    remote_thread_waited(gets->live->gets, waited, saved);
    if (gets->count == 1 && gets->hits == 0) note_missed(gets, waited);
    add(&core->counters.waited_ns, took);
}

/* One request whose answer nobody waits for. */
static void probe(struct gets *gets)
{
    gets->count = 1;
    struct remote_call *call = make_call(gets);
    if (call == NULL) return;
    if (remote_thread_submit(gets->live->gets, call))
        remote_call_leave(call);
    else
        remote_call_destroy(call);
}

const char *remote_call_find_failure(struct remote_call *call, size_t i)
{
    switch (judge(&call->requests[i], remote_call_result(call, i))) {
    case remote_result_done:
    case remote_result_absent:
        return NULL;
    case remote_result_too_large:
        return "an entry is larger than max_blob_bytes";
    case remote_result_none:
    case remote_result_timed_out:
        return "no answer in time";
    default:
        return call->requests[i].why[0] != '\0' ? call->requests[i].why
                                                : "the server failed";
    }
}

static dnnl_status_t tell_failure(
        const struct remote_store *store, const char *why)
{
    store_log(&store->base, dnnl_cache_log_warning, "%s: %s",
            store->base.options.path, why);
    return dnnl_runtime_error;
}

/* For a tool: whatever the breaker says. */
static dnnl_status_t get_patiently(struct gets *gets)
{
    dnnl_status_t st = dnnl_cache_miss;
    struct remote_call *call = make_call(gets);
    if (call == NULL) return dnnl_out_of_memory;
    if (!remote_store_ask(gets->live->gets, call)) {
        remote_call_destroy(call);
        return tell_failure(gets->store, "no thread");
    }
    for (size_t r = 0; r < call->count && st == dnnl_cache_miss; r++) {
        const char *why = remote_call_find_failure(call, r);
        if (why != NULL) st = tell_failure(gets->store, why);
    }
    if (st == dnnl_cache_miss) take_all(gets, call);
    remote_call_leave(call);
    return gets->hits > 0 ? dnnl_success : st;
}

dnnl_status_t dnnl_cache_store_remote_has(dnnl_cache_store_handle_t *base,
        size_t id_size, const uint8_t *id, bool *has)
{
    if (base == NULL || remote_store_is_other(base) || id_size == 0
            || id == NULL || has == NULL)
        return dnnl_invalid_arguments;
    struct remote_store *store = remote_store_of(base);
    struct remote_live *live = remote_store_live(store);
    const size_t names = remote_keys_names(store->keys);
    struct remote_call *call = live != NULL ? remote_call_make(names) : NULL;
    const char *why = NULL;
    bool is_there = false;
    if (call == NULL) return dnnl_out_of_memory;
    for (size_t i = 0; i < names; i++) {
        call->requests[i].verb = remote_verb_head;
        remote_entry_name_with(
                call->requests[i].name, store->keys, i, id_size, id);
    }
    if (!remote_store_ask(live->gets, call)) {
        remote_call_destroy(call);
        return tell_failure(store, "no thread");
    }
    for (size_t i = 0; i < names && why == NULL; i++) {
        why = remote_call_find_failure(call, i);
        is_there =
                is_there || remote_call_result(call, i) == remote_result_done;
    }
    const dnnl_status_t st =
            why == NULL ? dnnl_success : tell_failure(store, why);
    if (why == NULL) *has = is_there;
    remote_call_leave(call);
    return st;
}

static dnnl_status_t ask_all(struct gets *gets)
{
    uint64_t patience_ns = 0;
    gets->live = remote_store_live(gets->store);
    if (gets->live == NULL) return dnnl_out_of_memory;
    if (gets->store->options.is_patient) return get_patiently(gets);
    const enum remote_admission admission =
            remote_thread_admit(gets->live->gets, &patience_ns);
    if (admission == remote_admission_ask) {
        struct remote_call *call = make_call(gets);
        if (call == NULL) return dnnl_out_of_memory;
        ask_and_wait(gets, call, patience_ns);
        if (gets->hits == 0 && gets->absent[0] > 0)
            remote_marker_note_miss(gets->store, gets->live);
    } else {
        add(&gets->store->core.counters.gets_skipped, gets->count);
        if (admission == remote_admission_probe) probe(gets);
    }
    remote_store_report_news(gets->store, gets->live);
    return gets->hits > 0 ? dnnl_success : dnnl_cache_miss;
}

static dnnl_status_t get_all(struct gets *gets)
{
    uint8_t one = 0;
    const bool is_one = gets->count == 1;
    gets->names = remote_keys_names(gets->store->keys);
    gets->absent = is_one ? &one : calloc(gets->count, 1);
    if (gets->absent == NULL) return dnnl_out_of_memory;
    const dnnl_status_t st = ask_all(gets);
    if (!is_one) free(gets->absent);
    return st;
}

dnnl_status_t remote_store_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    size_t found_size = 0;
    const uint8_t *found = NULL;
    if (user == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    struct gets gets = {.store = user,
            .count = 1,
            .id_sizes = &id_size,
            .ids = &id,
            .sizes = &found_size,
            .blobs = &found};
    const dnnl_status_t st = get_all(&gets);
    if (st != dnnl_success) return st;
    *size = found_size;
    *blob = found;
    return st;
}

dnnl_status_t remote_store_get_many(void *user, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs)
{
    if (user == NULL
            || !store_asks_for_many(count, id_sizes, ids, sizes, blobs))
        return dnnl_invalid_arguments;
    struct gets gets = {.store = user,
            .count = count,
            .id_sizes = id_sizes,
            .ids = ids,
            .sizes = sizes,
            .blobs = blobs};
    return get_all(&gets);
}

/* ---- One compilation for all hosts --------------------------------------- */

/* The transport decides how long waiting pays: two holders at most. It says
 * from look to look when the next one is, so that one that is stuck is left. */
static uint64_t longest_wait_ns(const struct remote_url *url)
{
    const uint64_t lease_ns = url->lease_ms * 1000000;
    return 2 * (remote_lease_longest_ns(lease_ns) + lease_ns)
           + 4 * url->timeout_ms * 1000000;
}

/* The lease came when its caller had gone. */
static void end_unused_lease(struct remote_call *call)
{
    const struct remote_request *request = &call->requests[0];
    if (request->result == remote_result_absent && request->holds_lease)
        remote_leases_end(call->leases, request->name, remote_verb_stop);
}

/* What the transport has to say of a lease that it did not wait for to the end.
 * Once: another server's leases may all be so. */
static void tell_lease(
        struct remote_store *store, const struct remote_request *request)
{
    if (request->why[0] == '\0'
            || atomic_exchange(&store->has_told_lease, true))
        return;
    store_log(&store->base, dnnl_cache_log_warning,
            "%s/%s: %s, and was waited for no longer than lease_ms; this is "
            "told of one entry",
            store->base.options.path, request->name, request->why);
}

static void wait(struct gets *gets, struct remote_call *call, bool *holds_lease)
{
    struct remote_request *request = &call->requests[0];
    remote_leases_retain(gets->live->leases);
    call->leases = gets->live->leases;
    call->last = end_unused_lease;
    call->longest_ns = longest_wait_ns(&gets->store->core.url);
    call->may_rest = true;
    call->may_drive = true;
    request->verb = remote_verb_lease;
    if (!remote_thread_submit(gets->live->gets, call)) {
        remote_call_destroy(call);
        return;
    }
    remote_call_wait(call, call->timeout_ns);
    remote_call_give_up(call);
    const enum remote_result result =
            judge(request, remote_call_result(call, 0));
    if (result == remote_result_too_large) tell_too_large(gets->store, request);
    if (result == remote_result_absent) tell_lease(gets->store, request);
    if (result == remote_result_done) take(gets, 0, request);
    if (gets->absent[0] > 0) /* damaged */
        store_count(&gets->store->base.counters.misses);
    else if (result == remote_result_absent && request->holds_lease)
        *holds_lease = remote_leases_add(gets->live->leases, request->name);
    if (*holds_lease) request->holds_lease = false; /* moved to the caller */
    remote_call_leave(call);
}

dnnl_status_t remote_store_acquire_lease(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    struct remote_store *store = user;
    size_t found_size = 0;
    const uint8_t *found = NULL;
    uint64_t patience_ns = 0;
    bool holds_lease = false;
    uint8_t absent = 0;
    if (store == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    /* The name that it will be put under; get() has asked for the other. */
    struct gets gets = {.store = store,
            .count = 1,
            .id_sizes = &id_size,
            .ids = &id,
            .sizes = &found_size,
            .blobs = &found,
            .names = 1,
            .absent = &absent};
    gets.live = remote_store_live(store);
    if (gets.live == NULL) return dnnl_out_of_memory;
    /* Who cannot put what it compiles is no use to those who wait. */
    if (remote_thread_is_open(gets.live->gets)
            || remote_thread_rests(gets.live->puts)
            || remote_thread_admit(gets.live->gets, &patience_ns)
                       != remote_admission_ask)
        return dnnl_not_required;
    struct remote_call *call = make_call(&gets);
    if (call == NULL) return dnnl_out_of_memory;
    wait(&gets, call, &holds_lease);
    remote_store_report_news(store, gets.live);
    if (gets.hits == 0)
        return holds_lease ? dnnl_cache_miss : dnnl_not_required;
    make_good(&gets);
    *size = found_size;
    *blob = found;
    return dnnl_success;
}

void remote_store_release_lease(void *user, size_t id_size, const uint8_t *id)
{
    struct remote_store *store = user;
    char name[remote_name_size];
    if (store == NULL || id_size == 0 || id == NULL) return;
    struct remote_live *live = remote_store_live(store);
    if (live == NULL) return;
    remote_entry_name_with(name, store->keys, 0, id_size, id);
    if (remote_leases_take(live->leases, name))
        remote_leases_end(live->leases, name, remote_verb_fail);
}
