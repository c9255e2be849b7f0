/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_marker.c: whose entries a server has.
 *
 * Names depend on the encryption key: a host with another key, or with none,
 * never asks for what the others have put, and sees a server without entries.
 * So who puts with a key also puts an object that says the key's number, under
 * a name that all know. A host with a key reads it after its first miss. A host
 * without one looks whether it is there when the server has taken a put, which
 * everybody who can read the server can read: once it puts the next. Neither
 * waits for it, and what it says decides nothing: it is only told. Who turns
 * encryption off removes it together with what is encrypted; a host that still
 * has a key puts it again.
 */
#include "stores/remote/remote_internal.h"

#include <stdlib.h>
#include <string.h>

/* As that of an entry, for servers that take no others. No ID has these bytes.
 */
void remote_marker_name(char name[remote_name_size])
{
    static const char text[] = "dnnl_cache encryption key";
    remote_entry_name(name, sizeof text - 1, (const uint8_t *)text);
}

void remote_marker_init(struct remote_store *store)
{
    struct remote_marker *marker = &store->marker;
    const struct remote_cipher *ciphers =
            remote_keys_ciphers(store->keys, &marker->count);
    for (size_t i = 0; i < marker->count; i++)
        memcpy(marker->numbers[i], ciphers[i].number,
                sizeof marker->numbers[i]);
}

/* Anybody can have written it. */
static bool is_of_another_key(const struct remote_marker *marker,
        const struct remote_request *request)
{
    if (request->body_size != remote_cipher_mark_size) return false;
    for (size_t i = 0; i < marker->count; i++) {
        uint8_t mark[remote_cipher_mark_size];
        remote_cipher_write_mark(mark, marker->numbers[i]);
        if (memcmp(mark, request->body, sizeof mark) == 0) return false;
    }
    return remote_cipher_is_encrypted(request->body_size, request->body);
}

/* On the thread, as all that end a call: the store may be closed, and its keys
 * forgotten. */
static void take_mark(struct remote_call *call)
{
    struct remote_store *store = call->user;
    const struct remote_request *request = &call->requests[0];
    if (request->result == remote_result_done
            && is_of_another_key(&store->marker, request))
        atomic_store(&store->marker.found, remote_of_another_key);
}

static void take_presence(struct remote_call *call)
{
    struct remote_store *store = call->user;
    if (call->requests[0].result == remote_result_done)
        atomic_store(&store->marker.found, remote_encrypted);
}

static void free_mark(struct remote_call *call)
{
    free((uint8_t *)(uintptr_t)call->requests[0].data);
}

/* NULL: out of memory. */
static struct remote_call *make_call(struct remote_store *store,
        enum remote_verb verb, void (*finish)(struct remote_call *call))
{
    struct remote_call *call = remote_call_make(1);
    if (call == NULL) return NULL;
    call->requests[0].verb = verb;
    remote_marker_name(call->requests[0].name);
    call->requests[0].max_bytes = remote_cipher_mark_size;
    call->finish = finish;
    call->user = store;
    call->starts_late = true;
    call->timeout_ns = store->core.url.timeout_ms * 1000000;
    return call;
}

/* False: it was not queued, and is gone. */
static bool send_call(struct remote_thread *thread, struct remote_call *call)
{
    const bool is_sent = remote_thread_submit(thread, call);
    if (is_sent)
        remote_call_leave(call);
    else
        remote_call_destroy(call);
    return is_sent;
}

void remote_marker_note_miss(
        struct remote_store *store, struct remote_live *live)
{
    struct remote_marker *marker = &store->marker;
    if (marker->count == 0 || atomic_exchange(&marker->is_asked, true)) return;
    struct remote_call *call = make_call(store, remote_verb_get, take_mark);
    if (call != NULL) (void)send_call(live->gets, call);
}

static void put_mark(struct remote_store *store, struct remote_live *live)
{
    uint8_t *mark = malloc(remote_cipher_mark_size);
    struct remote_call *call = make_call(store, remote_verb_put, free_mark);
    if (mark != NULL && call != NULL) {
        remote_cipher_write_mark(mark, store->marker.numbers[0]);
        call->requests[0].data = mark;
        call->requests[0].size = remote_cipher_mark_size;
        if (!send_call(live->puts, call)) free(mark);
        return;
    }
    remote_call_destroy(call);
    free(mark);
}

void remote_marker_note_put(
        struct remote_store *store, struct remote_live *live)
{
    const bool is_encrypted = store->marker.count > 0;
    if (!is_encrypted && atomic_load(&store->base.counters.puts) == 0) return;
    if (atomic_exchange(&store->marker.is_put, true)) return;
    if (is_encrypted) {
        put_mark(store, live);
        return;
    }
    struct remote_call *call =
            make_call(store, remote_verb_head, take_presence);
    if (call != NULL) (void)send_call(live->puts, call);
}

dnnl_status_t remote_marker_remove(
        struct remote_store *store, struct remote_live *live)
{
    char name[remote_name_size];
    if (store->marker.count > 0) return dnnl_success;
    remote_marker_name(name);
    return store_finish(&store->base, "verify",
            remote_store_remove_name(store, live, name));
}

void remote_marker_report(struct remote_store *store)
{
    const unsigned found = atomic_exchange(&store->marker.found, remote_intact);
    if (found == remote_of_another_key
            && remote_store_tells_setting(store, remote_of_another_key))
        store_log(&store->base, dnnl_cache_log_warning,
                "%s: entries there are of another key than "
                "encryption_key_file, and are misses here",
                store->base.options.path);
    if (found == remote_encrypted
            && remote_store_tells_setting(store, remote_encrypted))
        store_log(&store->base, dnnl_cache_log_warning,
                "%s: entries there are encrypted, and encryption_key_file is "
                "not given: they are misses here, and what this host puts "
                "there is not encrypted",
                store->base.options.path);
}
