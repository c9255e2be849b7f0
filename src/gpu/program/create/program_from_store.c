/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/program_build.h"

#include "src/gpu/device/capture_cost.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/create/program_load.h"
#include "src/gpu/program/object/form_queue.h"

void program_attach_journal(const struct program_recipe *recipe,
        struct store *store, struct program *p)
{
    if (recipe->warm_up == NULL && !recipe->reads_files
            && recipe->text->sources != NULL && store_has_notes(store)
            && (p->use.is_loaded ? p->use.has_classes
                                 : capture_is_costly(p->device)))
        program_use_attach(&p->use, store, &p->id, recipe->text, p->compile_ns);
}

void program_record(const struct program_recipe *recipe, struct store *store,
        struct program *p)
{
    if (!recipe->reads_files
            && (recipe->text->sources != NULL || recipe->text->il != NULL))
        program_use_record(&p->use, store,
                recipe->warm_up != NULL ? dnnl_cache_note_primitive
                                        : dnnl_cache_note_library,
                &p->id, recipe->text, p->compile_ns);
}

/* The program from a store's blob. What is of no use there is removed, and a
 * dnnl_cache_miss like what is not there. */
static dnnl_status_t load_found(struct program_build *b, struct store *store,
        const struct store_blob *bytes, struct program **out)
{
    const struct program_id id = program_key_id(b->recipe->key);
    struct program_blob blob;
    const size_t size = bytes->size;
    dnnl_status_t st =
            program_blob_open(&blob, bytes->data, size, &id, &b->trace.reason);
    if (st == dnnl_success) {
        st = program_load(b->recipe, &blob, &b->trace, out);
        if (is_blobs_fault(st))
            blob_reject(st, "its program cannot be used", &b->trace.reason);
    }
    store_give_back(store, bytes);
    if (st == dnnl_success) {
        b->trace.origin = dnnl_cache_origin_store_hit;
        b->trace.blob_bytes = size;
        atomic_store(&(*out)->from_store, true);
        program_attach_journal(b->recipe, store, *out);
        if (b->mode != dnnl_cache_compile_mode_cached_only)
            program_form_later(*out, store, b->recipe->text->options);
        statistics_add(&statistics.store_hits, 1);
        return st;
    }
    statistics_add(&statistics.store_misses, 1);
    /* Out of memory, say, is not the blob's fault. */
    if (!is_blobs_fault(st)) return st;
    b->trace.blob_status = st;
    /* One that may not compile cannot put a better one there; and another may
     * have done so since. */
    if (is_worth_removing(st) && b->mode != dnnl_cache_compile_mode_cached_only)
        store_remove(store, id.data, id.size);
    return dnnl_cache_miss;
}

/* What is not there may be compiled by another host just now. That is waited
 * for only where a binary is complete when it is built: others have to wait
 * until the driver is asked for it. */
static bool acquire_lease(
        struct program_build *b, struct store *store, struct store_blob *bytes)
{
    const struct program_id id = program_key_id(b->recipe->key);
    bool holds_lease;
    if (b->mode != dnnl_cache_compile_mode_normal
            || capture_is_costly(b->recipe->engine->device))
        return false;
    const bool is_there =
            store_acquire_lease(store, id.data, id.size, bytes, &holds_lease);
    if (holds_lease) {
        store_retain(store);
        b->leased_from = store;
    }
    return is_there;
}

dnnl_status_t program_from_store(
        struct program_build *b, struct store *store, struct program **out)
{
    const struct program_id id = program_key_id(b->recipe->key);
    struct store_blob bytes;
    if (store_get(store, id.data, id.size, &bytes))
        return load_found(b, store, &bytes, out);
    return acquire_lease(b, store, &bytes) ? load_found(b, store, &bytes, out)
                                           : dnnl_cache_miss;
}

void program_release_lease(
        const struct program_build *b, struct program *program)
{
    const struct program_id id = program_key_id(b->recipe->key);
    if (b->leased_from == NULL) return;
    if (program != NULL) program_share(program);
    store_release_lease(b->leased_from, id.data, id.size);
    store_release(b->leased_from);
}
