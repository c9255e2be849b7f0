/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/chain/chain_internal.h"

/* ---- IDs put lately ------------------------------------------------------ */

/* 0 stands for an empty place. */
static uint64_t hash_of(
        const struct chain *chain, size_t id_size, const uint8_t *id)
{
    const uint64_t hash = chain->base.options.hash(id, id_size);
    return hash != 0 ? hash : 1;
}

bool chain_was_put(struct chain *chain, size_t id_size, const uint8_t *id)
{
    const uint64_t hash = hash_of(chain, id_size, id);
    return atomic_load_explicit(
                   &chain->put_ids[hash % chain_put_ids], memory_order_relaxed)
           == hash;
}

static void note_put(struct chain *chain, size_t id_size, const uint8_t *id)
{
    const uint64_t hash = hash_of(chain, id_size, id);
    atomic_store_explicit(
            &chain->put_ids[hash % chain_put_ids], hash, memory_order_relaxed);
}

/* ---- Put ----------------------------------------------------------------- */

/* False: the member is being skipped. */
static bool put_into(struct chain *chain, size_t member, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata, dnnl_status_t *status)
{
    struct call call;
    bool failed;
    const dnnl_cache_store_t *s = &chain->links[member].callbacks;
    if (!chain_begin(&call, chain, member)) return false;
    *status = chain_end(&call,
            s->put(s->user, id_size, id, size, blob, metadata), false, &failed);
    return true;
}

void chain_fill(struct chain *chain, size_t member, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *blob)
{
    const dnnl_cache_store_handle_t *store = chain->links[member].store;
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    const bool is_known = store != NULL && store->calls->describe_lent != NULL;
    if (is_known) store->calls->describe_lent(&metadata, blob);
    for (size_t i = 0; i < member; i++) {
        dnnl_status_t st;
        if (chain->links[i].role == dnnl_cache_store_chain_role_read) continue;
        if (put_into(chain, i, id_size, id, size, blob,
                    is_known ? &metadata : NULL, &st)
                && st == dnnl_success)
            store_count(&chain->links[i].fills);
    }
}

static dnnl_status_t remove_from(
        struct chain *chain, size_t member, size_t id_size, const uint8_t *id)
{
    struct call call;
    bool failed;
    const dnnl_cache_store_t *s = &chain->links[member].callbacks;
    chain_begin_always(&call, chain, member);
    const dnnl_status_t st =
            chain_end(&call, s->remove(s->user, id_size, id), false, &failed);
    if (st == dnnl_success) store_count(&chain->links[member].removes);
    return st;
}

/* Counts what became of a put, and answers for it. */
static dnnl_status_t finish_put(struct chain *chain, bool any_writer,
        bool any_taken, dnnl_status_t status)
{
    struct store_counters *counters = &chain->base.counters;
    if (!any_writer) {
        store_count(&counters->puts_read_only);
        return dnnl_success;
    }
    store_count(any_taken ? &counters->puts : &counters->puts_failed);
    return any_taken ? dnnl_success : status;
}

dnnl_status_t chain_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct chain *chain = user;
    bool any_writer = false;
    bool any_taken = false;
    dnnl_status_t first = dnnl_success;
    if (chain == NULL || id_size == 0 || id == NULL || size == 0
            || blob == NULL)
        return dnnl_invalid_arguments;
    for (size_t i = 0; i < chain->count; i++) {
        dnnl_status_t st;
        if (chain->links[i].role == dnnl_cache_store_chain_role_fill)
            (void)remove_from(chain, i, id_size, id);
        if (chain->links[i].role != dnnl_cache_store_chain_role_write) continue;
        any_writer = true;
        if (!put_into(chain, i, id_size, id, size, blob, metadata, &st))
            continue;
        if (st == dnnl_success) {
            any_taken = true;
            store_count(&chain->links[i].puts);
        } else if (first == dnnl_success) {
            first = st;
        }
    }
    if (any_taken) note_put(chain, id_size, id);
    return finish_put(chain, any_writer, any_taken, first);
}

dnnl_status_t chain_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct chain *chain = user;
    dnnl_status_t first = dnnl_success;
    if (chain == NULL || id_size == 0 || id == NULL)
        return dnnl_invalid_arguments;
    for (size_t i = 0; i < chain->count; i++) {
        if (chain->links[i].role == dnnl_cache_store_chain_role_read) continue;
        const dnnl_status_t st = remove_from(chain, i, id_size, id);
        if (first == dnnl_success) first = st;
    }
    if (first == dnnl_success) store_count(&chain->base.counters.removes);
    return first;
}

dnnl_status_t chain_can_put(void *user)
{
    const struct chain *chain = user;
    dnnl_status_t answer = dnnl_unimplemented; /* nobody writes */
    if (chain == NULL) return dnnl_invalid_arguments;
    for (size_t i = 0; i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        const dnnl_cache_store_t *s = &link->callbacks;
        if (link->role != dnnl_cache_store_chain_role_write || s->put == NULL)
            continue;
        const dnnl_status_t st =
                s->can_put != NULL ? s->can_put(s->user) : dnnl_success;
        if (st == dnnl_success) return dnnl_success;
        if (st != dnnl_unimplemented) answer = dnnl_not_required;
    }
    return answer;
}

dnnl_status_t chain_note(void *user, const dnnl_cache_note_t *note)
{
    struct chain *chain = user;
    if (chain == NULL || note == NULL) return dnnl_invalid_arguments;
    for (size_t i = 0; i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        if (link->role == dnnl_cache_store_chain_role_write
                && link->callbacks.note != NULL)
            return link->callbacks.note(link->callbacks.user, note);
    }
    return dnnl_runtime_error;
}
