/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's primitives: creation from source, memory or blob, and blobs.
 */
#include "gpu/primitive/primitive.h"

#include "common/clock.h"
#include "gpu/device/environment.h"
#include "gpu/engine/output.h"
#include "gpu/primitive/primitive_key.h"
#include "gpu/primitive/verbose.h"

#include <stdlib.h>
#include <string.h>

/* ---- Through the cache --------------------------------------------------- */

struct build {
    const struct dnnl_primitive_desc *pd;
    const struct program_blob *blob; /* NULL: from memory or source */
    struct program_trace trace;
    bool ran; /* this call was the builder */
};

static dnnl_status_t build_impl(void *arg, void **value, struct note **note)
{
    struct build *b = arg;
    struct primitive_impl *impl = NULL;
    b->ran = true;
    dnnl_status_t st =
            primitive_impl_create(b->pd, b->blob, &impl, &b->trace, note);
    if (st == dnnl_success) *value = impl;
    return st;
}

static dnnl_status_t get_impl(
        struct build *b, struct primitive_impl **out, struct note **note)
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
    struct program *program = (*out)->program;
    /* The program may have found no room, or have left before the primitive
     * that was to go with it entered. */
    if (program != NULL && program_has_no_room(program))
        (void)cache_remove_value(cache, &key, value);
    if (program != NULL && b->ran)
        program_keep(program);
    else if (program != NULL)
        program_touch(program);
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
    struct note *note = NULL;
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

/* The blob of a primitive: its program, its kernel and how it is launched; the
 * ID alone if nothing is compiled for it. */
static dnnl_status_t write_blob(
        const struct dnnl_primitive *p, size_t *size, uint8_t *out)
{
    struct blob_program program;
    uint8_t facts[LAUNCH_FACTS_SIZE];
    const struct primitive_plan *plan = p->impl->plan;
    struct blob_contents contents = {.kind = blob_kind_primitive};
    dnnl_status_t st = primitive_key_id(p->pd, &contents.id, &contents.id_size);
    if (st != dnnl_success) return st;
    if (contents.id_size == 0) {
        *size = 0;
        return dnnl_success;
    }
    if (p->impl->program == NULL) return output_blob(&contents, size, out);
    st = program_describe(p->impl->program, &program);
    if (st != dnnl_success) return st;
    launch_facts_encode(plan, facts);
    struct blob_kernel kernel = {.program = 0,
            .name = plan->kernel,
            .name_size = strlen(plan->kernel),
            .facts = facts,
            .facts_size = sizeof facts};
    contents.programs = &program;
    contents.program_count = 1;
    contents.kernels = &kernel;
    contents.kernel_count = 1;
    return output_blob(&contents, size, out);
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
    if (st == dnnl_success && blob->view.program_count == 1)
        st = blob_view_program(&blob->view, 0, &blob->program);
    return st;
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
    if (st == dnnl_success)
        st = creation_keep_blob(&p->creation, impl->program, &blob);
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
