/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/remote/remote_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long the server may take for a put, which nobody waits for: so long, and
 * a second more for each MiB. */
static const uint64_t put_timeout_ns = (uint64_t)10 * 1000000000u;

/* ---- put ----------------------------------------------------------------- */

/* What waiting hosts are told. Only a server that takes no such entry takes
 * none of the next host, either. A put without an answer may have come there,
 * and is found; one that was dropped, such as when the store is closed, says
 * nothing of the next one: of all who wait one host leads. */
static enum remote_verb end_of(enum remote_result result)
{
    switch (result) {
    case remote_result_done:
        return remote_verb_built;
    case remote_result_refused:
    case remote_result_too_large:
    case remote_result_unsupported:
        return remote_verb_fail;
    default:
        return remote_verb_stop;
    }
}

/* On the thread: the store may be closed, its counters are still there. */
static void finish_put(struct remote_call *call)
{
    struct remote_store *store = call->user;
    const struct remote_request *request = &call->requests[0];
    switch (request->result) {
    case remote_result_done:
        store_count(&store->base.counters.puts);
        break;
    case remote_result_too_large:
        store_count(&store->base.counters.puts_too_large);
        break;
    case remote_result_dropped:
        store_count(&store->core.counters.puts_dropped);
        break;
    default:
        store_count(&store->base.counters.puts_failed);
        break;
    }
    free((uint8_t *)(uintptr_t)request->data);
    if (call->leases != NULL)
        remote_leases_end(call->leases, request->name, end_of(request->result));
}

/* Takes over bytes. False: no room, no thread or no memory. With kept the call
 * is the caller's to leave. */
static bool queue(struct remote_store *store, struct remote_live *live,
        const char name[remote_name_size], uint8_t *bytes, size_t size,
        struct remote_call **kept)
{
    /* Before all others: hosts wait for it. */
    const bool holds_lease = remote_leases_take(live->leases, name);
    struct remote_call *call = remote_call_make(1);
    if (call != NULL) {
        struct remote_request *request = &call->requests[0];
        request->verb = remote_verb_put;
        memcpy(request->name, name, remote_name_size);
        request->data = bytes;
        request->size = size;
        call->finish = finish_put;
        call->user = store;
        call->goes_first = holds_lease;
        if (holds_lease) {
            remote_leases_retain(live->leases);
            call->leases = live->leases;
        }
        call->starts_late = true;
        call->timeout_ns =
                put_timeout_ns + ((uint64_t)size >> 20) * 1000000000u;
        if (remote_thread_submit(live->puts, call)) {
            if (kept != NULL)
                *kept = call;
            else
                remote_call_leave(call);
            return true;
        }
    }
    remote_call_destroy(call);
    free(bytes);
    if (holds_lease) remote_leases_end(live->leases, name, remote_verb_stop);
    return false;
}

/* For a tool, which is told at once what became of it. */
static void wait_for_put(struct remote_store *store, struct remote_live *live,
        struct remote_call *call)
{
    (void)remote_thread_flush(live->puts, clock_ns() + REMOTE_TOOL_TIMEOUT_NS);
    const char *why = remote_call_find_failure(call, 0);
    if (why != NULL)
        store_log(&store->base, dnnl_cache_log_warning, "%s: not stored: %s",
                store->base.options.path, why);
    remote_call_leave(call);
}

static bool takes_puts(struct remote_live *live)
{
    uint64_t unused;
    return !remote_thread_is_open(live->gets)
           && remote_thread_admit(live->puts, &unused) != remote_admission_none;
}

/* An entry that this host does not send says nothing of what others can: of all
 * who wait for it one leads. */
static void stop_leading(struct remote_live *live, const char *name)
{
    if (remote_leases_take(live->leases, name))
        remote_leases_end(live->leases, name, remote_verb_stop);
}

dnnl_status_t remote_store_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct remote_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL || size == 0
            || blob == NULL)
        return dnnl_invalid_arguments;
    if (store_put_declines(
                &store->base, !store->base.is_writable, id_size, size))
        return dnnl_success;
    struct remote_live *live = remote_store_live(store);
    if (live == NULL) return dnnl_out_of_memory;
    remote_store_report_news(store, live);
    const bool is_patient = store->options.is_patient;
    char name[remote_name_size];
    remote_entry_name_with(name, store->keys, 0, id_size, id);
    if (!is_patient && !takes_puts(live)) {
        store_count(&store->core.counters.puts_dropped);
        stop_leading(live, name);
        return dnnl_success;
    }
    remote_marker_note_put(store, live);
    const struct remote_entry entry = {
            .item = {.id_size = id_size,
                    .id = id,
                    .blob_size = size,
                    .created_ns = clock_epoch_ns(),
                    .compile_ns = metadata != NULL ? metadata->compile_ns : 0,
                    .kind = metadata != NULL ? metadata->kind
                                             : dnnl_cache_blob_kind_undef},
            .blob = blob,
    };
    uint8_t *bytes;
    size_t bytes_size;
    const int error =
            remote_entry_encode(&bytes, &bytes_size, &entry, store->keys);
    if (error != 0) {
        stop_leading(live, name);
        return store_put_finish(&store->base, size, error);
    }
    struct remote_call *call = NULL;
    if (!queue(store, live, name, bytes, bytes_size, is_patient ? &call : NULL))
        store_count(&store->core.counters.puts_dropped);
    else if (is_patient)
        wait_for_put(store, live, call);
    return dnnl_success;
}

dnnl_status_t remote_store_can_put(void *user)
{
    struct remote_store *store = user;
    if (store == NULL) return dnnl_invalid_arguments;
    if (!store->base.is_writable) return dnnl_not_required;
    struct remote_live *live = remote_store_live(store);
    return live != NULL && !remote_thread_is_open(live->gets)
                           && !remote_thread_rests(live->puts)
                   ? dnnl_success
                   : dnnl_not_required;
}

/* ---- remove -------------------------------------------------------------- */

static int error_of(enum remote_result result)
{
    switch (result) {
    case remote_result_done:
    case remote_result_absent:
        return 0;
    case remote_result_none:
    case remote_result_timed_out:
        return ETIMEDOUT;
    case remote_result_refused:
        return EACCES;
    case remote_result_unsupported:
        return ENOTSUP;
    case remote_result_out_of_memory:
        return ENOMEM;
    default:
        return EIO;
    }
}

/* Behind what is on its way of the same object, in place of what is queued. */
int remote_store_remove_name(struct remote_store *store,
        struct remote_live *live, const char name[remote_name_size])
{
    uint64_t unused = 0;
    const bool is_patient = store->options.is_patient;
    if (!is_patient
            && remote_thread_admit(live->puts, &unused)
                       == remote_admission_none)
        return EAGAIN;
    struct remote_call *call = remote_call_make(1);
    if (call == NULL) return ENOMEM;
    call->requests[0].verb = remote_verb_remove;
    memcpy(call->requests[0].name, name, remote_name_size);
    call->goes_first = true;
    call->timeout_ns = is_patient ? REMOTE_TOOL_TIMEOUT_NS
                                  : store->core.url.timeout_ms * 1000000;
    call->starts_late = true;
    remote_thread_drop_puts(live->puts, name);
    if (!remote_thread_submit(live->puts, call)) {
        remote_call_destroy(call);
        return EAGAIN;
    }
    remote_call_wait(call, call->timeout_ns);
    remote_call_give_up(call);
    const enum remote_result result = remote_call_result(call, 0);
    remote_call_leave(call);
    return error_of(result);
}

dnnl_status_t remote_store_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct remote_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL)
        return dnnl_invalid_arguments;
    /* Who cannot sign does not remove either. */
    if (!store->base.is_writable)
        return store_finish(&store->base, "remove", EROFS);
    struct remote_live *live = remote_store_live(store);
    if (live == NULL) return dnnl_out_of_memory;
    int error = 0;
    for (size_t i = 0; i < remote_keys_names(store->keys); i++) {
        char name[remote_name_size];
        remote_entry_name_with(name, store->keys, i, id_size, id);
        const int failed = remote_store_remove_name(store, live, name);
        if (error == 0) error = failed;
    }
    if (error == 0) store_count(&store->base.counters.removes);
    return store_finish(&store->base, "remove", error);
}
