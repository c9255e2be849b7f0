/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/kernel_cache.h"

#include "src/common/byte_order.h"
#include "src/common/hash.h"
#include "src/common/log.h"
#include "src/gpu/program/object/context_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Keys ---------------------------------------------------------------- */

/* Bytes before the name, of which most are not allocated. */
struct name_key {
    uint8_t brief[1024];
    uint8_t *bytes; /* brief, or malloc'ed */
    struct cache_key key;
};

static dnnl_status_t name_key_init(struct name_key *k, const void *place,
        size_t size, uint64_t hash, const char *name)
{
    size_t name_size = strlen(name);
    size_t all = 8 + size + name_size;
    k->bytes = all <= sizeof k->brief ? k->brief : malloc(all);
    if (k->bytes == NULL) return dnnl_out_of_memory;
    store_le64(k->bytes, size);                      /* where the name begins */
    if (size > 0) memcpy(k->bytes + 8, place, size); /* else it may be NULL */
    memcpy(k->bytes + 8 + size, name, name_size);
    k->key.data = k->bytes;
    k->key.size = all;
    /* Of the same bytes, but the long ones are hashed once for all names. */
    k->key.hash =
            (hash ^ hash64(name, name_size)) * UINT64_C(0x9e3779b97f4a7c15);
    return dnnl_success;
}

static void name_key_fini(struct name_key *k)
{
    if (k->bytes != k->brief) free(k->bytes);
}

/* ---- By program and name ------------------------------------------------- */

struct build {
    struct program *program;
    const char *name;
    cl_kernel *first;
};

static dnnl_status_t build_kernel(
        void *arg, void **value, struct shared_text **note)
{
    struct build *b = arg;
    struct kernel *kernel;
    (void)note;
    dnnl_status_t st = kernel_create(
            b->program, b->name, b->first != NULL ? *b->first : NULL, &kernel);
    if (st != dnnl_success) return st;
    if (b->first != NULL) *b->first = NULL;
    *value = kernel;
    return dnnl_success;
}

static bool is_in_memory(const struct program *program)
{
    return atomic_load(&program->in_memory);
}

dnnl_status_t kernel_acquire(struct dnnl_engine *engine,
        struct program *program, const char *name, cl_kernel *first,
        struct kernel **out)
{
    struct build b = {program, name, first};
    struct name_key key;
    void *value = NULL;
    uintptr_t place = (uintptr_t)program; /* alive while the entry is there */
    struct context_memory *memory;
    dnnl_status_t st = context_memory(engine, &memory);
    if (st != dnnl_success) return st;
    if (!is_in_memory(program)) {
        st = cache_get_or_build(memory->kernels, NULL, cache_way_unkept,
                build_kernel, &b, &value, NULL, NULL);
    } else {
        st = name_key_init(
                &key, &place, sizeof place, hash64(&place, sizeof place), name);
        if (st != dnnl_success) return st;
        st = cache_get_or_build(memory->kernels, &key.key, cache_way_shared,
                build_kernel, &b, &value, NULL, NULL);
        /* Its program may have left, and found no kernel to take along. */
        if (st == dnnl_success && !is_in_memory(program))
            (void)cache_remove_value(memory->kernels, &key.key, value);
        name_key_fini(&key);
    }
    if (st == dnnl_success) *out = value;
    return st;
}

/* ---- By program key and name --------------------------------------------- */

dnnl_status_t kernel_not_there(const char *name)
{
    log_message(dnnl_cache_log_info, "kernel",
            "the program has no kernel \"%s\"", name);
    return dnnl_invalid_arguments;
}

struct fast_build {
    const struct program_recipe *recipe;
    const char *name;
};

static dnnl_status_t build_fast(
        void *arg, void **value, struct shared_text **note)
{
    const struct fast_build *b = arg;
    struct program_trace trace;
    struct program *program;
    struct kernel *kernel;
    dnnl_status_t st = program_acquire(b->recipe, &program, &trace, note);
    if (st != dnnl_success) return st;
    st = kernel_acquire(b->recipe->engine, program, b->name, NULL, &kernel);
    program_release(program);
    if (st == dnnl_cache_blob_stale) return kernel_not_there(b->name);
    if (st == dnnl_success) *value = kernel;
    return st;
}

dnnl_status_t kernel_acquire_fast(const struct program_recipe *recipe,
        const char *name, struct kernel **out, struct shared_text **note)
{
    struct context_memory *memory;
    struct fast_build b = {recipe, name};
    struct name_key key;
    void *value = NULL;
    dnnl_cache_compile_mode_t mode = engine_compile_mode(recipe->engine);
    const struct buffer *place = &recipe->key->bytes;
    dnnl_status_t st = context_memory(recipe->engine, &memory);
    if (st == dnnl_success)
        st = name_key_init(
                &key, place->data, place->size, recipe->key->hash, name);
    if (st != dnnl_success) return st;
    st = cache_get_or_build(memory->fast_kernels, &key.key,
            program_cache_way(place->size > 0, mode), build_fast, &b, &value,
            NULL, note);
    if (st == dnnl_success) {
        struct kernel *kernel = value;
        program_touch(kernel->program);
        /* As above. */
        if (!is_in_memory(kernel->program))
            (void)cache_remove_value(memory->fast_kernels, &key.key, kernel);
        *out = kernel;
    }
    name_key_fini(&key);
    return st;
}
