/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine's facts: where they come from, and the blob that carries them.
 */
#include "src/gpu/engine/engine.h"

#include "src/blob/id.h"
#include "src/blob/reader.h"
#include "src/blob/writer.h"
#include "src/common/byte_order.h"
#include "src/gpu/device/device.h"
#include "src/gpu/device/identity_watch.h"
#include "src/gpu/engine/blob_match.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/engine/statistics.h"
#include "src/platform/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Facts as bytes ------------------------------------------------------ */

void engine_facts_encode(
        const struct engine_facts *facts, uint8_t out[ENGINE_FACTS_SIZE])
{
    store_le32(out, facts->simd_width);
    store_le32(out + 4, facts->max_work_group_size);
    store_le32(out + 8, facts->accepts);
    store_le32(out + 12, 0); /* reserved */
}

/* dnnl_cache_blob_corrupt if no device can have such facts. */
static dnnl_status_t decode_facts(
        const uint8_t *bytes, size_t size, struct engine_facts *facts)
{
    if (size != ENGINE_FACTS_SIZE) return dnnl_cache_blob_corrupt;
    struct engine_facts read = {
            load_le32(bytes), load_le32(bytes + 4), load_le32(bytes + 8)};
    if (!engine_facts_are_valid(&read) || load_le32(bytes + 12) != 0)
        return dnnl_cache_blob_corrupt;
    *facts = read;
    return dnnl_success;
}

/* ---- The ID -------------------------------------------------------------- */

/* The ID of engines of a device, empty if it cannot be identified or made. */
static dnnl_status_t engine_id(cl_device_id device, struct id_builder *id)
{
    const struct device_identity *identity;
    dnnl_status_t st = device_identify(device, &identity);
    if (st != dnnl_success) return st;
    if (identity->fields.size == 0) return dnnl_success;
    id_builder_init(id, blob_kind_engine);
    id_put_fields(id, identity->fields.data, identity->fields.size);
    st = id_builder_status(id);
    if (st != dnnl_success) id_builder_fini(id); /* a part is not an ID */
    return st;
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(
        cl_device_id device, size_t *size, uint8_t *cache_blob_id)
{
    if (device == NULL || size == NULL) return dnnl_invalid_arguments;
    struct id_builder id = {{NULL, 0, 0, false}, false};
    dnnl_status_t st = engine_id(device, &id);
    if (st == dnnl_success)
        st = output_bytes(id.bytes.data, id.bytes.size, size, cache_blob_id);
    id_builder_fini(&id);
    return st;
}

/* ---- The blob ------------------------------------------------------------ */

/* What is in the blob of an engine with these facts, which bytes hold. */
static struct blob_contents contents_of(const struct engine_facts *facts,
        const struct id_builder *id, uint8_t bytes[ENGINE_FACTS_SIZE])
{
    engine_facts_encode(facts, bytes);
    const struct blob_contents contents = {.kind = blob_kind_engine,
            .id = id->bytes.data,
            .id_size = id->bytes.size,
            .engine_facts = bytes,
            .engine_facts_size = ENGINE_FACTS_SIZE};
    return contents;
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob)
{
    if (engine == NULL || size == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    struct id_builder id = {{NULL, 0, 0, false}, false};
    const struct engine_facts *facts;
    dnnl_status_t st = engine_id(engine->device, &id);
    if (st != dnnl_success) goto out;
    if (id.bytes.size == 0) {
        *size = 0;
        goto out;
    }
    st = engine_get_facts(engine, &facts);
    if (st != dnnl_success) goto out;
    if (!engine->facts_certain
            || (engine->info.origin == dnnl_cache_origin_compiled
                    && identity_changed_file(device_driver(engine->device))
                               != NULL)) {
        *size = 0;
        goto out;
    }
    uint8_t bytes[ENGINE_FACTS_SIZE];
    const struct blob_contents contents = contents_of(facts, &id, bytes);
    st = output_blob(&contents, size, cache_blob);
out:
    id_builder_fini(&id);
    return st;
}

static dnnl_status_t facts_of_blob(cl_device_id device, size_t size,
        const uint8_t *cache_blob, struct engine_facts *facts,
        struct blob_reason *reason)
{
    struct blob_view view;
    struct id_builder id = {{NULL, 0, 0, false}, false};
    dnnl_status_t st =
            blob_verify(cache_blob, size, blob_kind_engine, &view, reason);
    if (st != dnnl_success) return st;
    st = engine_id(device, &id);
    if (st == dnnl_success)
        st = blob_match_id(&view, id.bytes.data, id.bytes.size, reason);
    if (st == dnnl_success) {
        st = decode_facts(view.engine_facts, view.engine_facts_size, facts);
        if (st != dnnl_success)
            blob_reject(st, "engine facts out of range", reason);
    }
    id_builder_fini(&id);
    return st;
}

/* ---- Establishing them --------------------------------------------------- */

/* Facts with all that is told of them; published as one. */
struct established {
    struct engine_facts facts;
    bool certain;
    dnnl_cache_creation_info_t info;
    struct blob_reason reason;
};

static void publish(struct dnnl_engine *engine, const struct established *e)
{
    engine->facts = e->facts;
    engine->facts_certain = e->certain;
    engine->info = e->info;
    engine->info_reason = e->reason;
    engine->info.blob_reason = engine->info_reason.text;
}

static void take_stored(struct established *e, size_t blob_size)
{
    e->certain = true;
    e->info.origin = dnnl_cache_origin_store_hit;
    e->info.blob_bytes = blob_size;
}

/* The facts from a store. What it has that is of no use is removed, and a
 * dnnl_cache_miss like what it has not. */
static dnnl_status_t facts_of_store(struct dnnl_engine *engine,
        struct store *store, const struct id_builder *id, struct established *e)
{
    struct store_blob blob;
    if (!store_get(store, id->bytes.data, id->bytes.size, &blob))
        return dnnl_cache_miss;
    dnnl_status_t st = facts_of_blob(
            engine->device, blob.size, blob.data, &e->facts, &e->reason);
    size_t size = blob.size;
    store_give_back(store, &blob);
    if (st == dnnl_success) {
        take_stored(e, size);
        statistics_add(&statistics.store_hits, 1);
        return st;
    }
    statistics_add(&statistics.store_misses, 1);
    if (!is_blobs_fault(st)) return st;
    e->info.blob_status = st;
    if (is_worth_removing(st))
        store_remove(store, id->bytes.data, id->bytes.size);
    return dnnl_cache_miss;
}

/* Offers facts that were compiled to the store, once: by whoever comes here
 * first outside of a store's callback, and by each who removed a blob: it may
 * have been one offered meanwhile. A newer library's blob stays. */
static void offer_facts(struct dnnl_engine *engine, struct store *store,
        const struct id_builder *id, dnnl_status_t blob_status)
{
    if (engine->info.origin != dnnl_cache_origin_compiled
            || !engine->facts_certain || store_is_inside()
            || blob_status == dnnl_cache_blob_unsupported)
        return;
    if (atomic_exchange(&engine->offered, true)
            && !is_worth_removing(blob_status))
        return;
    uint8_t bytes[ENGINE_FACTS_SIZE];
    const struct blob_contents contents =
            contents_of(&engine->facts, id, bytes);
    store_offer(store, &contents, engine->info.driver_ns,
            device_driver(engine->device));
}

static dnnl_status_t probe(struct dnnl_engine *engine, struct established *e)
{
    uint64_t start = clock_ns();
    dnnl_status_t st = probe_run(engine, &e->facts, &e->certain);
    if (st != dnnl_success) return st;
    e->info.origin = dnnl_cache_origin_compiled;
    e->info.driver_ns = clock_ns() - start;
    statistics_add(&statistics.compile_ns, e->info.driver_ns);
    statistics_add(&statistics.programs_compiled, 1);
    return dnnl_success;
}

/* Publishes facts that were found, or, if there are none yet, compiles the
 * probe for them. */
static dnnl_status_t settle(struct dnnl_engine *engine, bool found,
        uint64_t start, struct established *e)
{
    dnnl_status_t st = dnnl_success;
    switch (once_begin(&engine->probed)) {
    case once_is_done:
        break;
    case once_is_ours:
        if (!found) st = probe(engine, e);
        e->info.total_ns = clock_ns() - start;
        if (st == dnnl_success) publish(engine, e);
        once_end(&engine->probed, st == dnnl_success);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    return st;
}

dnnl_status_t engine_take_facts(
        struct dnnl_engine *engine, const struct store_blob *blob)
{
    struct established e;
    uint64_t start = clock_ns();
    memset(&e, 0, sizeof e);
    e.info = engine_no_info;
    dnnl_status_t st = facts_of_blob(
            engine->device, blob->size, blob->data, &e.facts, &e.reason);
    if (st != dnnl_success) return st;
    take_stored(&e, blob->size);
    return settle(engine, true, start, &e);
}

/* From the store, else by compiling the probe and offering the store what it
 * tells. No other thread waits for the store's callbacks: they may use the
 * library, other engines too. */
static dnnl_status_t establish(struct dnnl_engine *engine, struct store *store)
{
    struct id_builder id = {{NULL, 0, 0, false}, false};
    struct established e;
    dnnl_cache_compile_mode_t mode = engine_compile_mode(engine);
    uint64_t start = clock_ns();
    memset(&e, 0, sizeof e);
    e.info = engine_no_info;
    dnnl_status_t st = dnnl_success;
    if (store != NULL) st = engine_id(engine->device, &id);
    if (st == dnnl_success)
        st = id.bytes.size > 0 && mode != dnnl_cache_compile_mode_recompile
                     ? facts_of_store(engine, store, &id, &e)
                     : dnnl_cache_miss;
    bool found = st == dnnl_success;
    /* A miss at once: not even waiting for another thread's probe. */
    if (found || mode != dnnl_cache_compile_mode_cached_only
            || once_get_done(&engine->probed))
        st = settle(engine, found, start, &e);
    if (st == dnnl_success && id.bytes.size > 0)
        offer_facts(engine, store, &id, e.info.blob_status);
    id_builder_fini(&id);
    return st;
}

dnnl_status_t engine_get_facts(
        struct dnnl_engine *engine, const struct engine_facts **facts)
{
    if (engine->kind != dnnl_gpu) return dnnl_unimplemented;
    dnnl_status_t st = dnnl_success;
    if (!once_get_done(&engine->probed)) {
        struct store *store = engine_store(engine);
        st = establish(engine, store);
        store_release(store);
    }
    if (st == dnnl_success) *facts = &engine->facts;
    return st;
}

dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(
        dnnl_engine_t *engine, cl_device_id device, cl_context context,
        size_t size, const uint8_t *cache_blob)
{
    if (engine == NULL || device == NULL || context == NULL || size == 0
            || cache_blob == NULL)
        return dnnl_invalid_arguments;
    uint64_t start = clock_ns();
    struct dnnl_engine *e = NULL;
    dnnl_status_t st = dnnl_ocl_interop_engine_create(&e, device, context);
    if (st != dnnl_success) return st;
    st = facts_of_blob(device, size, cache_blob, &e->facts, NULL);
    if (st != dnnl_success) {
        engine_release(e);
        return st;
    }
    e->facts_certain = true;
    e->info.origin = dnnl_cache_origin_blob;
    e->info.blob_bytes = size;
    e->info.total_ns = clock_ns() - start;
    once_set_done(&e->probed);
    *engine = e;
    return dnnl_success;
}

/* ---- Creation info ------------------------------------------------------- */

dnnl_status_t creation_info_copy(
        const dnnl_cache_creation_info_t *info, dnnl_cache_creation_info_t *out)
{
    return output_struct(info, sizeof *info, out);
}

dnnl_status_t dnnl_cache_engine_get_creation_info(
        dnnl_engine_t engine, dnnl_cache_creation_info_t *info)
{
    if (engine == NULL || info == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    const struct device_identity *identity;
    dnnl_status_t st = engine_identity(engine, &identity);
    if (st != dnnl_success) return st;
    dnnl_cache_creation_info_t now = {.blob_reason = "", .form_reason = ""};
    if (once_get_done(&engine->probed)) now = engine->info;
    now.not_cacheable_reason = identity->reason;
    return creation_info_copy(&now, info);
}
