/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many blobs from a store at once, into memory: what a start needs is one
 * question to a store instead of one for each program.
 */
#include "src/blob/id.h"
#include "src/drivers/option_folders.h"
#include "src/gpu/engine/blob_match.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/create/program_load.h"
#include "src/gpu/program/object/context_memory.h"

#include <stdlib.h>
#include <string.h>

/* One wanted ID. */
struct wish {
    const uint8_t *id;
    size_t size;
    struct id_field options; /* of a program, as its ID has them */
    struct program_key key;  /* of a program */
};

/* True if the program may be one that moves: which folders it is to have, only
 * its description says. */
static bool may_move(const struct wish *w, bool has_includes)
{
    return has_includes
           && option_folders_are_numbers(
                   (const char *)w->options.value, w->options.size);
}

/* True if the ID is one of the engine's device, driver and their environment,
 * with all of the fields and no other of the kind, so that what is under it may
 * be handed to its driver. Notes a program's build options. */
static bool belongs_to(const struct device_identity *identity,
        const uint8_t *id, size_t size, struct wish *wish)
{
    struct id_reader reader;
    const uint8_t *fields;
    size_t fields_size;
    struct wish w = {.id = id, .size = size};
    const struct buffer *device = device_fields_of(identity, id, size);
    if (device->size == 0 || id_reader_init(&reader, id, size) != dnnl_success
            || id_fields(id, size, &fields, &fields_size) != dnnl_success
            || fields_size < device->size
            || memcmp(fields, device->data, device->size) != 0)
        return false;
    struct id_field field;
    bool has_options = false;
    bool has_includes = false;
    const uint8_t *own = fields + device->size;
    while (id_reader_next(&reader, &field)) {
        if (field.value >= own && field.tag < id_engine_facts) return false;
        has_includes = has_includes || field.tag == id_includes;
        if (field.tag != id_build_options) continue;
        has_options = true;
        w.options = field;
    }
    bool is_program = reader.kind == blob_kind_program && has_options
                      && !may_move(&w, has_includes);
    bool is_engine =
            reader.kind == blob_kind_engine && fields_size == device->size;
    *wish = w;
    return is_program || is_engine;
}

static dnnl_status_t make_key(struct dnnl_engine *engine, struct wish *w)
{
    if (w->options.value == NULL) return dnnl_success; /* the engine's */
    program_key_start(&w->key, engine->device, NULL);
    buffer_append(&w->key.bytes, w->id, w->size);
    return program_key_finish(&w->key);
}

static bool is_in_memory(struct dnnl_engine *engine, const struct wish *w)
{
    struct cache_key key = program_key_of_cache(&w->key);
    struct context_memory *memory;
    if (w->options.value == NULL) return once_get_done(&engine->probed);
    return context_memory(engine, &memory) == dnnl_success
           && cache_has(memory->programs, &key);
}

static dnnl_status_t load_program(struct dnnl_engine *engine,
        struct store *store, const struct wish *w,
        const struct store_blob *blob)
{
    struct program_blob opened;
    const struct program_id id = program_key_id(&w->key);
    dnnl_status_t st =
            program_blob_open(&opened, blob->data, blob->size, &id, NULL);
    if (st != dnnl_success) return st;
    char *options = malloc(w->options.size + 1);
    if (options == NULL) return dnnl_out_of_memory;
    memcpy(options, w->options.value, w->options.size);
    options[w->options.size] = '\0';
    const struct program_text text = {.options = options};
    const struct program_recipe recipe = {
            .engine = engine, .text = &text, .key = &w->key, .blob = &opened};
    struct program *program;
    struct program_trace trace;
    st = program_acquire(&recipe, &program, &trace, NULL);
    if (st == dnnl_success) {
        if (trace.origin == dnnl_cache_origin_blob) {
            atomic_store(&program->from_store, true);
            if (engine_compile_mode(engine)
                    != dnnl_cache_compile_mode_cached_only)
                program_form_later(program, store, options);
        }
        program_release(program); /* the cache holds it */
    } else if (is_blobs_fault(st))
        blob_reject(st, "its program cannot be used", NULL);
    free(options);
    return st;
}

/* Takes one answer into memory. What is of no use in the store is removed. */
static dnnl_status_t take(struct dnnl_engine *engine, struct store *store,
        const struct wish *w, const struct store_blob *blob)
{
    dnnl_status_t st = w->options.value != NULL
                               ? load_program(engine, store, w, blob)
                               : engine_take_facts(engine, blob);
    statistics_add(st == dnnl_success ? &statistics.store_hits
                                      : &statistics.store_misses,
            1);
    /* As in program_from_store.c: who may not compile cannot put a better one
     * there. */
    if (is_worth_removing(st)
            && engine_compile_mode(engine)
                       != dnnl_cache_compile_mode_cached_only)
        store_remove(store, w->id, w->size);
    return st;
}

/* Asks for all wishes and takes what comes; *found grows. Only out of memory
 * is a failure. */
static dnnl_status_t fetch(struct dnnl_engine *engine, struct store *store,
        const struct wish *wishes, size_t count, size_t *found)
{
    size_t *sizes = calloc(count, sizeof *sizes);
    const uint8_t **ids = calloc(count, sizeof *ids);
    struct store_blob *blobs = calloc(count, sizeof *blobs);
    dnnl_status_t st = sizes != NULL && ids != NULL && blobs != NULL
                               ? dnnl_success
                               : dnnl_out_of_memory;
    if (st != dnnl_success) goto out;
    for (size_t i = 0; i < count; i++) {
        sizes[i] = wishes[i].size;
        ids[i] = wishes[i].id;
    }
    st = store_get_many(store, count, sizes, ids, blobs);
    for (size_t i = 0; i < count; i++) {
        if (blobs[i].data == NULL) continue;
        dnnl_status_t one =
                st == dnnl_out_of_memory
                        ? st
                        : take(engine, store, &wishes[i], &blobs[i]);
        store_give_back(store, &blobs[i]);
        /* A cache that lacks memory keeps nothing, and says nothing. */
        if (one == dnnl_success && is_in_memory(engine, &wishes[i])) ++*found;
        if (one == dnnl_out_of_memory) st = one;
    }
out:
    free(blobs);
    free(ids);
    free(sizes);
    return st;
}

dnnl_status_t dnnl_cache_engine_prefetch(dnnl_engine_t engine, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *found)
{
    const struct device_identity *identity;
    if (engine == NULL || engine->kind != dnnl_gpu
            || (count > 0 && (id_sizes == NULL || ids == NULL)))
        return dnnl_invalid_arguments;
    for (size_t i = 0; i < count; i++)
        if (id_sizes[i] == 0 || ids[i] == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = engine_identity(engine, &identity);
    if (st != dnnl_success) return st;
    struct wish *wishes = calloc(count + 1, sizeof *wishes);
    if (wishes == NULL) return dnnl_out_of_memory;
    size_t wanted = 0;
    size_t there = 0;
    bool may_hit =
            engine_compile_mode(engine) != dnnl_cache_compile_mode_recompile;
    for (size_t i = 0; i < count && may_hit && st == dnnl_success; i++) {
        struct wish *w = &wishes[wanted];
        if (!belongs_to(identity, ids[i], id_sizes[i], w)) continue;
        st = make_key(engine, w);
        if (st != dnnl_success) break;
        if (!is_in_memory(engine, w)) {
            wanted++;
            continue;
        }
        program_key_fini(&w->key);
        there++;
    }
    struct store *store =
            wanted > 0 && st == dnnl_success ? engine_store(engine) : NULL;
    if (store != NULL) st = fetch(engine, store, wishes, wanted, &there);
    store_release(store);
    for (size_t i = 0; i < wanted; i++)
        program_key_fini(&wishes[i].key);
    free(wishes);
    if (st == dnnl_success && found != NULL) *found = there;
    return st;
}
