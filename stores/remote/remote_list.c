/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_trailer.h"
#include "stores/remote/remote_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table that cannot grow refuses the name instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/*
 * What reads a whole store: for tools, so it takes its time, and asks a server
 * that gets leave alone. Names come in pages, and the entries of a page in
 * batches.
 */
enum { batch_size = 32 };

/* A name that was listed. */
struct listed {
    UT_hash_handle hh;
    char name[remote_name_size];
};

/* What is done with each entry: decoded, or what is wrong with it. False ends
 * it. */
struct visitor {
    bool (*entry)(struct visitor *visitor, const char *name,
            enum remote_verdict verdict, const struct remote_entry *entry);
    struct remote_store *store;
    struct remote_live *live;
    struct listed *listed; /* owned */
    dnnl_status_t status;
};

static dnnl_status_t fail(
        struct remote_store *store, enum remote_result result, const char *why)
{
    const char *path = store->base.options.path;
    if (result == remote_result_out_of_memory) return dnnl_out_of_memory;
    if (result == remote_result_unsupported) {
        store_log(&store->base, dnnl_cache_log_error,
                "%s: this server cannot list what it has%s%s", path,
                why[0] != '\0' ? ": " : "", why);
        return dnnl_unimplemented;
    }
    store_log(&store->base, dnnl_cache_log_error, "%s: cannot be read: %s",
            path,
            result == remote_result_too_large   ? "a page of names is too long"
            : why[0] != '\0'                    ? why
            : result == remote_result_timed_out ? "no answer in time"
                                                : "the server failed");
    return dnnl_runtime_error;
}

/* ---- Entries of a page --------------------------------------------------- */

static bool is_entry_name(const char *name)
{
    char marker[remote_name_size];
    remote_marker_name(marker);
    return strlen(name) == remote_name_size - 1
           && strspn(name, "0123456789abcdef") == remote_name_size - 1
           && strcmp(name, marker) != 0;
}

/* Redis may list a name more than once. False: it did, or there is no memory.
 */
static bool note_name(struct visitor *v, const char *name)
{
    struct listed *listed = NULL;
    HASH_FIND(hh, v->listed, name, remote_name_size - 1, listed);
    if (listed != NULL) return false;
    listed = calloc(1, sizeof *listed);
    if (listed != NULL) {
        memcpy(listed->name, name, remote_name_size);
        HASH_ADD(hh, v->listed, name, remote_name_size - 1, listed);
        if (listed->hh.tbl != NULL) return true;
    }
    free(listed);
    v->status = dnnl_out_of_memory;
    return false;
}

static void forget_names(struct visitor *v)
{
    struct listed *listed;
    struct listed *next;
    HASH_ITER(hh, v->listed, listed, next)
    {
        HASH_DEL(v->listed, listed);
        free(listed);
    }
}

/* Is the entry under its own name? A copy under another is found by no get. */
static enum remote_verdict check(struct remote_entry *entry,
        const struct remote_request *request, const struct remote_keys *keys)
{
    size_t at = 0;
    size_t size = 0;
    enum remote_verdict verdict = remote_entry_uncover(
            &at, &size, request->name, request->body_size, request->body, keys);
    if (verdict == remote_intact)
        verdict = remote_entry_decode(entry, size, request->body + at, keys);
    for (size_t i = 0; verdict == remote_intact; i++) {
        char name[remote_name_size];
        if (i == remote_keys_names(keys)) return remote_another_id;
        remote_entry_name_with(
                name, keys, i, entry->item.id_size, entry->item.id);
        if (strcmp(name, request->name) == 0) return remote_intact;
    }
    return verdict;
}

/* It may be as it should be, and is another user's who allows more. */
static bool is_too_large(
        const struct remote_request *request, enum remote_result result)
{
    return result == remote_result_too_large
           && (request->body_size == 0
                   || remote_entry_is_longer(request->body_size, request->body,
                           request->max_bytes));
}

static void tell_too_large(struct visitor *v, const char *name)
{
    store_log(&v->store->base, dnnl_cache_log_warning,
            "%s/%s: larger than max_blob_bytes=%" PRIu64 ", and not looked at",
            v->store->base.options.path, name,
            v->store->core.url.max_blob_bytes);
}

static bool visit_one(struct visitor *v, struct remote_call *call, size_t i)
{
    struct remote_entry entry = {0};
    const struct remote_request *request = &call->requests[i];
    enum remote_result result = remote_call_result(call, i);
    if (result == remote_result_none) result = remote_result_timed_out;
    if (result == remote_result_absent) return true; /* removed meanwhile */
    enum remote_verdict verdict = remote_damaged;
    if (is_too_large(request, result)) {
        tell_too_large(v, request->name);
        return true;
    }
    if (result == remote_result_done)
        verdict = check(&entry, request, v->store->keys);
    else if (result != remote_result_too_large)
        v->status = fail(v->store, result,
                result == remote_result_timed_out ? "" : request->why);
    return v->status == dnnl_success
           && v->entry(v, request->name, verdict, &entry);
}

/* The names of one batch, which begin at *name. */
static bool visit_batch(struct visitor *v, const char **name, const char *end)
{
    const struct remote_url *url = &v->store->core.url;
    struct remote_call *call = remote_call_make(batch_size);
    if (call == NULL) {
        v->status = dnnl_out_of_memory;
        return false;
    }
    size_t n = 0;
    call->is_wanted = remote_store_wants;
    for (; *name < end && n < batch_size; *name += strlen(*name) + 1) {
        struct remote_request *request = &call->requests[n];
        if (!is_entry_name(*name) || !note_name(v, *name)) continue;
        memcpy(request->name, *name, remote_name_size);
        request->verb = remote_verb_get;
        request->max_bytes =
                url->max_blob_bytes < SIZE_MAX / 2
                        ? (size_t)url->max_blob_bytes
                                  + (size_t)STORE_MAX_ID_BYTES
                                  + remote_entry_most_overhead(v->store->keys)
                        : SIZE_MAX;
        n++;
    }
    call->count = n;
    bool goes_on = true;
    if (n == 0 || v->status != dnnl_success) {
        remote_call_destroy(call);
        return v->status == dnnl_success;
    }
    if (!remote_store_ask(v->live->gets, call)) {
        v->status = fail(v->store, remote_result_failed, "no thread");
        remote_call_destroy(call);
        return false;
    }
    for (size_t i = 0; i < n && goes_on; i++)
        goes_on = visit_one(v, call, i);
    remote_call_leave(call);
    return goes_on;
}

static bool visit_page(struct visitor *v, const struct remote_request *page)
{
    /* What a transport makes ends with a NUL. */
    const char *name = (const char *)page->body;
    const char *end = name + page->body_size;
    if (page->body_size == 0) return true;
    if (end[-1] != '\0') {
        v->status = fail(v->store, remote_result_failed, "a list that is none");
        return false;
    }
    while (name < end)
        if (!visit_batch(v, &name, end)) return false;
    return true;
}

/* ---- All pages ----------------------------------------------------------- */

/* Where a list goes on. Of the places so far one is kept, a later one each time
 * that as many pages again have come (Brent): a list that comes round to where
 * it was is found out, however many pages that takes. */
struct place {
    char cursor[sizeof(struct remote_request){0}.cursor];
    char kept[sizeof(struct remote_request){0}.cursor];
    uint64_t pages, keep_at;
};

/* False: it was there before, and would never end. */
static bool go_on_at(struct place *place, const char *cursor)
{
    if (strcmp(cursor, place->cursor) == 0 || strcmp(cursor, place->kept) == 0)
        return false;
    snprintf(place->cursor, sizeof place->cursor, "%s", cursor);
    if (++place->pages >= place->keep_at) {
        memcpy(place->kept, place->cursor, sizeof place->kept);
        place->keep_at = 2 * place->pages;
    }
    return true;
}

static dnnl_status_t visit_pages(struct visitor *v)
{
    struct place place = {0};
    bool goes_on = true;
    v->live = remote_store_live(v->store);
    if (v->live == NULL) return dnnl_out_of_memory;
    while (goes_on && v->status == dnnl_success) {
        struct remote_call *call = remote_call_make(1);
        if (call == NULL) return dnnl_out_of_memory;
        struct remote_request *page = &call->requests[0];
        page->verb = remote_verb_list;
        page->max_bytes = (size_t)16 * 1024 * 1024;
        memcpy(page->cursor, place.cursor, sizeof place.cursor);
        if (!remote_store_ask(v->live->gets, call)) {
            remote_call_destroy(call);
            return fail(v->store, remote_result_failed, "no thread");
        }
        const enum remote_result result = remote_call_result(call, 0);
        if (result == remote_result_done) {
            goes_on = visit_page(v, page) && page->cursor[0] != '\0';
            if (goes_on && !go_on_at(&place, page->cursor))
                v->status = fail(v->store, remote_result_failed,
                        "the server's list has no end");
        } else if (result == remote_result_none) {
            v->status = fail(v->store, remote_result_timed_out, "");
        } else {
            v->status = fail(v->store, result, page->why);
        }
        remote_call_leave(call);
    }
    return v->status;
}

static dnnl_status_t visit_all(struct visitor *v)
{
    const dnnl_status_t st = visit_pages(v);
    forget_names(v);
    return st;
}

static void report(struct remote_store *store, const char *name,
        enum remote_verdict verdict)
{
    const bool is_of_setting = remote_verdict_is_of_setting(verdict);
    if (!is_of_setting) store_count_damage(&store->base);
    if (is_of_setting && !remote_store_tells_setting(store, verdict)) return;
    store_log(&store->base, dnnl_cache_log_warning, "%s/%s: %s%s",
            store->base.options.path, name, remote_verdict_text(verdict),
            is_of_setting ? "; this is told of one entry" : "");
}

/* ---- iterate ------------------------------------------------------------- */

struct iteration {
    struct visitor visitor; /* first */
    dnnl_cache_store_visit_callback_t visit;
    void *user;
};

static bool show(struct visitor *visitor, const char *name,
        enum remote_verdict verdict, const struct remote_entry *entry)
{
    struct iteration *it = (struct iteration *)visitor;
    if (verdict == remote_intact) return it->visit(it->user, &entry->item);
    report(visitor->store, name, verdict);
    return true;
}

dnnl_status_t remote_store_iterate(dnnl_cache_store_handle_t *base,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    struct iteration it = {
            .visitor = {.entry = show, .store = remote_store_of(base)},
            .visit = visit,
            .user = user,
    };
    return visit_all(&it.visitor);
}

/* ---- verify -------------------------------------------------------------- */

struct verification {
    struct visitor visitor; /* first */
    bool repair;
    dnnl_cache_store_verify_callback_t progress;
    void *user;
    struct dnnl_cache_store_check *check;
};

static enum dnnl_cache_store_flaw flaw_of(enum remote_verdict verdict)
{
    switch (verdict) {
    case remote_newer:
        return dnnl_cache_store_flaw_newer;
    case remote_another_id:
        return dnnl_cache_store_flaw_misplaced;
    case remote_unproven:
        return dnnl_cache_store_flaw_unsigned;
    case remote_of_another_key:
    case remote_encrypted:
    case remote_not_encrypted:
        return dnnl_cache_store_flaw_encryption;
    default:
        return dnnl_cache_store_flaw_damaged;
    }
}

/* What a newer version wrote is its own, and so is what others signed, unless
 * it is asked for. A misplaced one is ours, and found by no get. */
static bool may_remove(
        const struct remote_store *store, enum dnnl_cache_store_flaw flaw)
{
    return flaw == dnnl_cache_store_flaw_damaged
           || flaw == dnnl_cache_store_flaw_misplaced
           || ((flaw == dnnl_cache_store_flaw_unsigned
                       || flaw == dnnl_cache_store_flaw_encryption)
                   && store->options.repairs_unsigned);
}

static bool judge(struct visitor *visitor, const char *name,
        enum remote_verdict verdict, const struct remote_entry *entry)
{
    struct verification *v = (struct verification *)visitor;
    const bool intact = verdict == remote_intact;
    const struct dnnl_cache_store_verdict told = {
            .struct_size = sizeof told,
            .name = name,
            .intact = intact,
            .id_size = intact ? entry->item.id_size : 0,
            .id = intact ? entry->item.id : NULL,
            .flaw = flaw_of(verdict),
    };
    if (intact) {
        v->check->intact++;
        v->check->bytes += entry->item.blob_size;
    } else {
        v->check->damaged++;
        report(visitor->store, name, verdict);
        if (v->repair && may_remove(visitor->store, told.flaw)
                && remote_store_remove_name(visitor->store, visitor->live, name)
                           == 0)
            v->check->repaired++;
    }
    return v->progress == NULL || v->progress(v->user, &told);
}

dnnl_status_t remote_store_verify(dnnl_cache_store_handle_t *base, bool repair,
        dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check)
{
    struct verification v = {
            .visitor = {.entry = judge, .store = remote_store_of(base)},
            .repair = repair,
            .progress = progress,
            .user = user,
            .check = check,
    };
    if (repair && !base->is_writable)
        return store_finish(base, "verify", EROFS);
    dnnl_status_t st = visit_all(&v.visitor);
    if (st == dnnl_success && repair
            && v.visitor.store->options.repairs_unsigned)
        st = remote_marker_remove(v.visitor.store, v.visitor.live);
    return st;
}
