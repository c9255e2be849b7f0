/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's primitives: creation from source, memory or blob, and blobs.
 */
#include "src/gpu/primitive/primitive.h"

#include "src/gpu/device/environment.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/primitive/primitive_key.h"
#include "src/gpu/primitive/verbose.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- Through the cache --------------------------------------------------- */

struct build {
    const struct dnnl_primitive_desc *pd;
    const struct program_blob *blob; /* NULL: from memory or source */
    struct program_trace trace;
    bool ran; /* this call was the builder */
};

static dnnl_status_t build_impl(
        void *arg, void **value, struct shared_text **note)
{
    struct build *b = arg;
    struct primitive_impl *impl = NULL;
    b->ran = true;
    dnnl_status_t st =
            primitive_impl_create(b->pd, b->blob, &impl, &b->trace, note);
    if (st == dnnl_success) *value = impl;
    return st;
}

/* Tells the programs' cache that they were made, or used. False if there is no
 * room in memory for one of them. */
static bool keep_programs(const struct primitive_impl *impl, bool is_made)
{
    struct program *program = impl->program;
    bool has_room = program == NULL || !program_has_no_room(program);
    if (impl->stage_count == 0 && program != NULL && is_made)
        program_keep(program);
    else if (impl->stage_count == 0 && program != NULL)
        program_touch(program);
    for (int i = 0; i < impl->stage_count; i++)
        has_room = keep_programs(impl->stages[i], is_made) && has_room;
    return has_room;
}

static dnnl_status_t get_impl(
        struct build *b, struct primitive_impl **out, struct shared_text **note)
{
    const struct dnnl_primitive_desc *pd = b->pd;
    struct cache *cache;
    const char *doubt;
    dnnl_status_t st = primitive_cache(&cache);
    if (st == dnnl_success) st = primitive_desc_find_doubt(pd, &doubt);
    if (st != dnnl_success) return st;
    struct cache_key key = {pd->key.data, pd->key.size, pd->key_hash};
    dnnl_cache_compile_mode_t mode = engine_compile_mode(pd->engine);
    /* With a blob nothing is compiled, so nothing is compiled again. */
    if (b->blob != NULL && mode == dnnl_cache_compile_mode_recompile)
        mode = dnnl_cache_compile_mode_normal;
    void *value = NULL;
    st = cache_get_or_build(cache, &key,
            program_cache_way(*doubt == '\0', mode), build_impl, b, &value,
            NULL, note);
    if (st != dnnl_success) return st;
    if (!b->ran) {
        b->trace.origin = dnnl_cache_origin_memory_hit;
        b->trace.driver_ns = 0;
    }
    *out = value;
    /* A program may have found no room, or have left before the primitive
     * that was to go with it entered. */
    if (!keep_programs(*out, b->ran))
        (void)cache_remove_value(cache, &key, value);
    return dnnl_success;
}

/* ---- Handles ------------------------------------------------------------- */

/* Takes impl over, also on failure. */
static dnnl_status_t make_handle(const struct build *b,
        struct primitive_impl *impl, uint64_t start,
        struct dnnl_primitive **out)
{
    struct dnnl_primitive *p = malloc(sizeof *p);
    dnnl_status_t st = p != NULL ? creation_init(&p->creation, &b->trace, start)
                                 : dnnl_out_of_memory;
    if (st != dnnl_success) {
        free(p);
        primitive_impl_release(impl);
        return st;
    }
    primitive_desc_retain(b->pd);
    p->pd = b->pd;
    p->impl = impl;
    *out = p;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_create(
        dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc)
{
    if (primitive == NULL || primitive_desc == NULL)
        return dnnl_invalid_arguments;
    uint64_t start = clock_ns();
    struct build b = {.pd = primitive_desc};
    struct primitive_impl *impl;
    struct shared_text *note = NULL;
    dnnl_status_t st = get_impl(&b, &impl, &note);
    if (st != dnnl_success) {
        primitive_desc_note_refusal(primitive_desc, note);
        return st;
    }
    st = make_handle(&b, impl, start, primitive);
    if (st == dnnl_success) verbose_creation(*primitive, b.ran);
    return st;
}

dnnl_status_t dnnl_primitive_get_primitive_desc(
        const_dnnl_primitive_t primitive,
        const_dnnl_primitive_desc_t *primitive_desc)
{
    if (primitive == NULL || primitive_desc == NULL)
        return dnnl_invalid_arguments;
    *primitive_desc = primitive->pd;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive)
{
    if (primitive == NULL) return dnnl_success;
    primitive_impl_release(primitive->impl);
    primitive_desc_release(primitive->pd);
    creation_fini(&primitive->creation);
    free(primitive);
    return dnnl_success;
}

/* ---- Blobs --------------------------------------------------------------- */

/* What a primitive's blob has of its launches: programs, each once, and
 * kernels. */
struct launches {
    const struct program **seen; /* owned, as the others */
    struct blob_program *programs;
    struct blob_kernel *kernels;
    uint8_t (*facts)[LAUNCH_FACTS_SIZE];
    uint32_t program_count;
    uint32_t kernel_count;
};

static void launches_fini(struct launches *l)
{
    free(l->seen);
    free(l->programs);
    free(l->kernels);
    free(l->facts);
}

static dnnl_status_t launches_init(struct launches *l, size_t most)
{
    *l = (struct launches){.seen = calloc(most, sizeof *l->seen),
            .programs = calloc(most, sizeof *l->programs),
            .kernels = calloc(most, sizeof *l->kernels),
            .facts = calloc(most, sizeof *l->facts)};
    return l->seen != NULL && l->programs != NULL && l->kernels != NULL
                           && l->facts != NULL
                   ? dnnl_success
                   : dnnl_out_of_memory;
}

static bool is_same_kernel(
        const struct blob_kernel *a, const struct blob_kernel *b)
{
    return a->program == b->program && strcmp(a->name, b->name) == 0
           && memcmp(a->facts, b->facts, LAUNCH_FACTS_SIZE) == 0;
}

/* Adds the program and the kernel of a launch, unless they are there. */
static dnnl_status_t launches_add(
        struct launches *l, const struct primitive_impl *impl)
{
    uint32_t i = 0;
    while (i < l->program_count && l->seen[i] != impl->program)
        i++;
    if (i == l->program_count) {
        dnnl_status_t st = program_describe(impl->program, &l->programs[i]);
        if (st != dnnl_success) return st;
        l->seen[l->program_count++] = impl->program;
    }
    uint8_t *facts = l->facts[l->kernel_count];
    launch_facts_encode(impl->plan, facts);
    const struct blob_kernel kernel = {.program = i,
            .name = impl->plan->kernel,
            .name_size = strlen(impl->plan->kernel),
            .facts = facts,
            .facts_size = LAUNCH_FACTS_SIZE};
    for (uint32_t k = 0; k < l->kernel_count; k++)
        if (is_same_kernel(&l->kernels[k], &kernel)) return dnnl_success;
    l->kernels[l->kernel_count++] = kernel;
    return dnnl_success;
}

/* Those of the primitive, or of its stages. */
static dnnl_status_t launches_add_all(
        struct launches *l, const struct primitive_impl *impl)
{
    if (impl->stage_count == 0)
        return impl->program != NULL ? launches_add(l, impl) : dnnl_success;
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < impl->stage_count && st == dnnl_success; i++)
        st = launches_add_all(l, impl->stages[i]);
    return st;
}

static bool launches_are_certain(const struct launches *l)
{
    for (uint32_t i = 0; i < l->program_count; i++)
        if (!program_is_certain(l->seen[i])) return false;
    return true;
}

/* The blob of a primitive: its programs, its kernels and how they are launched;
 * the ID alone if nothing is compiled for it. */
static dnnl_status_t write_blob(
        const struct dnnl_primitive *p, size_t *size, uint8_t *out)
{
    const size_t most =
            p->impl->stage_count > 0 ? (size_t)p->impl->stage_count : 1;
    struct blob_contents contents = {.kind = blob_kind_primitive};
    struct launches launches;
    dnnl_status_t st = primitive_key_id(p->pd, &contents.id, &contents.id_size);
    if (st != dnnl_success) return st;
    if (contents.id_size == 0) {
        *size = 0;
        return dnnl_success;
    }
    st = launches_init(&launches, most);
    if (st == dnnl_success) st = launches_add_all(&launches, p->impl);
    if (st == dnnl_success && !launches_are_certain(&launches)) {
        *size = 0;
        goto out;
    }
    contents.programs = launches.programs;
    contents.program_count = launches.program_count;
    contents.kernels = launches.kernels;
    contents.kernel_count = launches.kernel_count;
    if (st == dnnl_success) st = output_blob(&contents, size, out);
out:
    launches_fini(&launches);
    return st;
}

dnnl_status_t dnnl_primitive_get_cache_blob(
        const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob)
{
    if (primitive == NULL || size == NULL) return dnnl_invalid_arguments;
    if (primitive->creation.own_blob.size > 0 && environment_changed() == NULL)
        return output_bytes(primitive->creation.own_blob.data,
                primitive->creation.own_blob.size, size, cache_blob);
    return write_blob(primitive, size, cache_blob);
}

/* Verifies a primitive's blob, and reads its program's record if it has one. */
static dnnl_status_t open_blob(const struct dnnl_primitive_desc *pd,
        const uint8_t *data, size_t size, struct program_blob *blob)
{
    const uint8_t *id;
    size_t id_size;
    dnnl_status_t st =
            blob_verify(data, size, blob_kind_primitive, &blob->view, NULL);
    if (st == dnnl_success) st = primitive_key_id(pd, &id, &id_size);
    if (st == dnnl_success) st = blob_match_id(&blob->view, id, id_size, NULL);
    if (st == dnnl_success && blob->view.program_count > 0)
        st = blob_view_program(&blob->view, 0, &blob->program);
    return st;
}

/* Of several programs, some may have been in memory, captured with other bytes:
 * the blob that is given back is the caller's. */
static dnnl_status_t keep_blob(
        struct dnnl_primitive *p, const struct program_blob *blob)
{
    if (p->impl->stage_count == 0)
        return creation_keep_blob(&p->creation, p->impl->program, blob);
    p->creation.info.blob_bytes = blob->view.size;
    buffer_append(&p->creation.own_blob, blob->view.data, blob->view.size);
    return buffer_status(&p->creation.own_blob);
}

dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
        const_dnnl_primitive_desc_t primitive_desc, size_t size,
        const uint8_t *cache_blob)
{
    if (primitive == NULL || primitive_desc == NULL || size == 0
            || cache_blob == NULL)
        return dnnl_invalid_arguments;
    const uint64_t start = clock_ns();
    struct program_blob blob = {.program = {.id = NULL}};
    struct build b = {.pd = primitive_desc, .blob = &blob};
    struct primitive_impl *impl;
    struct dnnl_primitive *p = NULL;
    dnnl_status_t st = open_blob(primitive_desc, cache_blob, size, &blob);
    if (st == dnnl_success) {
        st = get_impl(&b, &impl, NULL); /* nothing is compiled */
        if (program_is_builders_own(st))
            blob_reject(st, "its programs cannot be used", NULL);
    }
    if (st == dnnl_success) st = make_handle(&b, impl, start, &p);
    if (st == dnnl_success) st = keep_blob(p, &blob);
    if (st == dnnl_success) {
        verbose_creation(p, b.ran);
        *primitive = p;
    } else {
        dnnl_primitive_destroy(p);
        primitive_desc_note_refusal(primitive_desc, NULL);
        verbose_rejection(primitive_desc, st, clock_ns() - start);
    }
    return st;
}

/* ---- Creation info ------------------------------------------------------- */

dnnl_status_t dnnl_cache_primitive_get_creation_info(
        const_dnnl_primitive_t primitive, dnnl_cache_creation_info_t *info)
{
    if (primitive == NULL || info == NULL) return dnnl_invalid_arguments;
    struct program *program = primitive->impl->program;
    dnnl_cache_creation_info_t now =
            creation_info(&primitive->creation, program);
    const uint8_t *id;
    size_t id_size;
    dnnl_status_t st = primitive_key_id(primitive->pd, &id, &id_size);
    if (st != dnnl_success) return st;
    if (id_size == 0 && program != NULL) {
        const struct device_identity *identity;
        st = engine_identity(primitive->pd->engine, &identity);
        if (st != dnnl_success) return st;
        now.not_cacheable_reason = identity->reason;
    }
    return creation_info_copy(&now, info);
}
