/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/program_acquire.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/create/exit_capture.h"
#include "src/gpu/program/create/program_build.h"
#include "src/gpu/program/create/program_load.h"
#include "src/gpu/program/object/context_memory.h"
#include "src/gpu/program/object/form_queue.h"

static uint64_t next_number(void)
{
    static atomic_uint_least64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* Nothing of it will be kept, and it is no program that is lost. */
static void note_read_only(struct program *p)
{
    p->is_declined = store_is_read_only(p->store);
    if (p->is_declined) statistics_add(&statistics.store_read_only, 1);
}

/* What was compiled goes to the store, once it is captured. */
static void keep_for_store(
        const struct program_build *b, struct store *store, struct program *p)
{
    store_retain(store);
    p->store = store;
    p->is_fresh = b->mode == dnnl_cache_compile_mode_recompile;
    if (p->is_fresh)
        store_note_fresh(store, p->id.data, p->id.size, p->made);
    else
        program_attach_journal(b->recipe, store, p);
    note_read_only(p);
    waiting_add(p);
    exit_capture_watch(p);
}

/* store: NULL: there is none. */
static dnnl_status_t build_anew(
        struct program_build *b, struct store *store, struct program **out)
{
    const uint64_t number = next_number();
    dnnl_status_t st = program_from_worker(b, out);
    const bool is_elsewhere = st == dnnl_success;
    if (st == dnnl_not_required) st = program_from_compiler(b, out);
    buffer_fini(&b->object);
    buffer_fini(&b->included);
    if (st != dnnl_success) return st;
    (*out)->made = number;
    if (store != NULL && b->trace.blob_status != dnnl_cache_blob_unsupported)
        keep_for_store(b, store, *out);
    if (is_elsewhere) program_share_taken(*out);
    return st;
}

static dnnl_status_t build_without_blob(
        struct program_build *b, struct program **out)
{
    struct store *store = b->recipe->key->bytes.size > 0
                                  ? engine_store(b->recipe->engine)
                                  : NULL;
    dnnl_status_t st = dnnl_cache_miss;
    if (store != NULL && b->mode != dnnl_cache_compile_mode_recompile)
        st = program_from_store(b, store, out);
    if (st != dnnl_success && b->mode != dnnl_cache_compile_mode_cached_only)
        st = build_anew(b, store, out);
    if (st == dnnl_success && store != NULL)
        program_record(b->recipe, store, *out);
    store_release(store);
    return st;
}

static dnnl_status_t build_program(
        void *arg, void **value, struct shared_text **note)
{
    struct program_build *b = arg;
    struct program *p = NULL;
    dnnl_status_t st;
    b->ran = true;
    form_queue_call_begin();
    if (b->recipe->blob != NULL) {
        st = program_load(b->recipe, b->recipe->blob, &b->trace, &p);
        b->trace.origin = dnnl_cache_origin_blob;
    } else {
        st = build_without_blob(b, &p);
    }
    form_queue_call_end();
    if (st == dnnl_success) *value = p;
    *note = b->note;
    b->note = NULL;
    return st;
}

enum cache_way program_cache_way(
        bool is_cacheable, dnnl_cache_compile_mode_t mode)
{
    if (!is_cacheable) return cache_way_unkept;
    if (mode == dnnl_cache_compile_mode_recompile) return cache_way_anew;
    /* Cached-only calls never wait for another thread's compilation. */
    if (mode == dnnl_cache_compile_mode_cached_only) return cache_way_no_wait;
    return cache_way_shared;
}

/* With a blob nothing is compiled, so nothing is compiled again. */
static dnnl_cache_compile_mode_t mode_of(const struct program_recipe *recipe)
{
    const dnnl_cache_compile_mode_t mode = engine_compile_mode(recipe->engine);
    if (mode == dnnl_cache_compile_mode_cached_only) return mode;
    return recipe->blob != NULL ? dnnl_cache_compile_mode_normal
           : recipe->is_fresh   ? dnnl_cache_compile_mode_recompile
                                : mode;
}

/* A program that came from the store before anyone knew its source. */
static void attach_prefetched(
        const struct program_recipe *recipe, struct program *p)
{
    const bool is_attached =
            !p->use.has_classes || program_use_is_attached(&p->use);
    if (!atomic_load(&p->from_store)) return;
    if (is_attached && atomic_load(&p->use.record) != NULL) return;
    struct store *store = engine_store(recipe->engine);
    if (store != NULL && !is_attached) program_attach_journal(recipe, store, p);
    if (store != NULL) program_record(recipe, store, p);
    store_release(store);
}

dnnl_status_t program_acquire(const struct program_recipe *recipe,
        struct program **out, struct program_trace *trace,
        struct shared_text **note)
{
    struct program_build b = {.recipe = recipe, .mode = mode_of(recipe)};
    const struct cache_key key = program_key_of_cache(recipe->key);
    struct context_memory *memory;
    void *value = NULL;
    if (recipe->is_fresh && b.mode == dnnl_cache_compile_mode_cached_only)
        return dnnl_cache_miss;
    dnnl_status_t st = context_memory(recipe->engine, &memory);
    if (st != dnnl_success) return st;
    st = cache_get_or_build(memory->programs, &key,
            program_cache_way(key.size > 0, b.mode), build_program, &b, &value,
            NULL, note);
    program_release_lease(&b, st == dnnl_success ? value : NULL);
    if (st != dnnl_success) return st;
    *trace = b.trace;
    if (!b.ran) trace->origin = dnnl_cache_origin_memory_hit;
    *out = value;
    if (!b.ran) attach_prefetched(recipe, *out);
    return dnnl_success;
}

void program_forget(struct dnnl_engine *engine, struct program *program)
{
    struct cache_key key = program_key_of_cache(&program->key);
    struct context_memory *memory;
    if (key.size == 0) return;
    if (context_memory(engine, &memory) == dnnl_success)
        (void)cache_remove_value(memory->programs, &key, program);
    /* Once: others may find it unusable as well, and one of them may have put
     * a better one there since. */
    if (!atomic_exchange(&program->from_store, false)) return;
    struct store *store = engine_store(engine);
    if (store != NULL) store_remove(store, program->id.data, program->id.size);
    store_release(store);
}

dnnl_status_t program_adopt(const struct program_recipe *recipe, cl_program cl,
        struct program **out)
{
    struct program *p;
    dnnl_status_t st = cl_status(clRetainProgram(cl), "clRetainProgram");
    if (st == dnnl_success) st = program_create(recipe, cl, &p);
    if (st != dnnl_success) return st;
    p->made = next_number();
    if (p->id.size > 0) p->store = engine_store(recipe->engine);
    if (p->store != NULL) {
        note_read_only(p);
        waiting_add(p);
        exit_capture_watch(p);
    }
    *out = p;
    return dnnl_success;
}
