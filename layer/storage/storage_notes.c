/* SPDX-License-Identifier: Apache-2.0 */
/* The notes and entries of the store on disk. */
#include "layer/settings/settings.h"
#include "layer/storage/opening.h"
#include "layer/storage/storage.h"
#include "layer/storage/storage_calls.h"

#include <dnnl_cache/journal.h>

bool storage_note(const dnnl_cache_note_t *note)
{
    dnnl_cache_store_handle_t *store = storage_begin_local_call();
    if (store == NULL) return false;
    const dnnl_status_t st = dnnl_cache_store_journal_append(store, note);
    storage_note_failure("note", st);
    storage_end_call();
    return st == dnnl_success;
}

struct note_visitor {
    bool (*visit)(void *user, const dnnl_cache_note_t *note, uint64_t key);
    void *user;
};

static bool visit_note(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    const struct note_visitor *v = user;
    return v->visit(v->user, item->note, item->key);
}

void storage_for_each_note(
        bool (*visit)(void *user, const dnnl_cache_note_t *note, uint64_t key),
        void *user)
{
    struct note_visitor v = {visit, user};
    dnnl_cache_store_handle_t *store = storage_begin_local_call();
    if (store == NULL) return;
    storage_note_failure(
            "journal", dnnl_cache_store_journal_read(store, visit_note, &v));
    storage_end_call();
}

void storage_drop_notes(size_t count, const uint64_t *keys)
{
    dnnl_cache_store_handle_t *store = storage_begin_local_call();
    if (store == NULL) return;
    storage_note_failure(
            "journal", dnnl_cache_store_journal_drop(store, count, keys));
    storage_end_call();
}

uint64_t storage_most_waiting(void)
{
    static const uint64_t most = UINT64_C(64) << 20; /* of any journal */
    const uint64_t limit = opening_journal_limit(layer_settings());
    return (limit < most ? limit : most) / 4;
}

bool storage_begin_drain(void)
{
    dnnl_cache_store_handle_t *store = storage_begin_local_call();
    if (store == NULL) return false;
    const bool is_alone =
            dnnl_cache_store_journal_begin_drain(store, 0) == dnnl_success;
    storage_end_call();
    return is_alone;
}

void storage_end_drain(void)
{
    dnnl_cache_store_handle_t *store = storage_begin_local_call();
    if (store == NULL) return;
    dnnl_cache_store_journal_end_drain(store);
    storage_end_call();
}

struct id_visitor {
    bool (*visit)(
            void *user, size_t id_size, const uint8_t *id, uint64_t created_ns);
    void *user;
};

static bool visit_item(void *user, const struct dnnl_cache_store_entry *item)
{
    const struct id_visitor *v = user;
    return v->visit(v->user, item->id_size, item->id, item->created_ns);
}

void storage_for_each_id(bool (*visit)(void *user, size_t id_size,
                                 const uint8_t *id, uint64_t created_ns),
        void *user)
{
    struct id_visitor v = {visit, user};
    dnnl_cache_store_handle_t *store = storage_begin_local_call();
    if (store == NULL) return;
    storage_note_failure(
            "iterate", dnnl_cache_store_iterate(store, visit_item, &v));
    storage_end_call();
}
