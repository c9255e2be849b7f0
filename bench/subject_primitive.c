/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A primitive: f32 matmul of square matrices.
 */
#include "subject.h"

#include "failure.h"

#include <string.h>

static bool primitive_prepare(struct object *o)
{
    const dnnl_dims_t dims = {o->size, o->size};
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < OBJECT_INPUTS && st == dnnl_success; i++)
        st = dnnl_memory_desc_create_with_tag(
                &o->inputs[i], 2, dims, dnnl_f32, dnnl_ab);
    return succeeded(st, "dnnl_memory_desc_create_with_tag");
}

static bool primitive_describe(struct object *o)
{
    return succeeded(
            dnnl_matmul_primitive_desc_create(&o->primitive_desc, o->engine,
                    o->inputs[0], o->inputs[1], NULL, o->inputs[2], NULL),
            "dnnl_matmul_primitive_desc_create");
}

/* As oneDNN's users ask for it: the size, then the bytes. */
static bool primitive_id(struct object *o, const uint8_t **id, size_t *size)
{
    int64_t bytes = 0;
    dnnl_status_t st = dnnl_primitive_desc_query(
            o->primitive_desc, dnnl_query_cache_blob_id_size_s64, 0, &bytes);
    if (st == dnnl_success)
        st = dnnl_primitive_desc_query(
                o->primitive_desc, dnnl_query_cache_blob_id, 0, (void *)id);
    *size = (size_t)bytes;
    return succeeded(st, "dnnl_primitive_desc_query");
}

static bool primitive_create(struct object *o)
{
    return succeeded(dnnl_primitive_create(&o->primitive, o->primitive_desc),
            "dnnl_primitive_create");
}

static bool primitive_load(struct object *o, const struct bytes *blob)
{
    return succeeded(dnnl_primitive_create_from_cache_blob(&o->primitive,
                             o->primitive_desc, blob->size, blob->data),
            "dnnl_primitive_create_from_cache_blob");
}

/* Creation has launched it already. */
static bool primitive_use(struct object *o)
{
    return o->primitive != NULL;
}

static bool primitive_blob(struct object *o, size_t *size, uint8_t *blob)
{
    return succeeded(dnnl_primitive_get_cache_blob(o->primitive, size, blob),
            "dnnl_primitive_get_cache_blob");
}

/* Creation has kept it. */
static bool primitive_keep(struct object *o)
{
    return o->primitive != NULL;
}

static bool clear(dnnl_memory_t memory, size_t size)
{
    void *data;
    dnnl_status_t st = dnnl_memory_map_data(memory, &data);
    if (st == dnnl_success) {
        memset(data, 0, size);
        st = dnnl_memory_unmap_data(memory, data);
    }
    return succeeded(st, "dnnl_memory_map_data");
}

static bool primitive_run_prepare(struct object *o)
{
    dnnl_status_t st = dnnl_stream_create(
            &o->stream, o->engine, dnnl_stream_default_flags);
    if (!succeeded(st, "dnnl_stream_create")) return false;
    for (int i = 0; i < OBJECT_INPUTS; i++) {
        st = dnnl_memory_create(
                &o->memories[i], o->inputs[i], o->engine, DNNL_MEMORY_ALLOCATE);
        if (!succeeded(st, "dnnl_memory_create")
                || !clear(o->memories[i],
                        dnnl_memory_desc_get_size(o->inputs[i])))
            return false;
    }
    return true;
}

static bool primitive_run(struct object *o)
{
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, o->memories[0]},
            {DNNL_ARG_WEIGHTS, o->memories[1]}, {DNNL_ARG_DST, o->memories[2]}};
    return succeeded(dnnl_primitive_execute(o->primitive, o->stream, 3, args),
                   "dnnl_primitive_execute")
           && succeeded(dnnl_stream_wait(o->stream), "dnnl_stream_wait");
}

static void primitive_forget(struct object *o)
{
    dnnl_primitive_desc_destroy(o->primitive_desc);
    o->primitive_desc = NULL;
}

static void primitive_drop(struct object *o)
{
    dnnl_primitive_destroy(o->primitive);
    o->primitive = NULL;
}

static void primitive_finish(struct object *o)
{
    int capacity;
    dnnl_stream_destroy(o->stream);
    for (int i = 0; i < OBJECT_INPUTS; i++) {
        dnnl_memory_destroy(o->memories[i]);
        dnnl_memory_desc_destroy(o->inputs[i]);
    }
    /* The primitive cache would keep every context that was ever used. */
    if (dnnl_get_primitive_cache_capacity(&capacity) == dnnl_success) {
        dnnl_set_primitive_cache_capacity(0);
        dnnl_set_primitive_cache_capacity(capacity);
    }
}

const struct subject subject_primitive = {
        .name = "primitive",
        .prepare = primitive_prepare,
        .describe = primitive_describe,
        .id = primitive_id,
        .create = primitive_create,
        .load = primitive_load,
        .use = primitive_use,
        .blob = primitive_blob,
        .keep = primitive_keep,
        .run_prepare = primitive_run_prepare,
        .run = primitive_run,
        .forget = primitive_forget,
        .drop = primitive_drop,
        .finish = primitive_finish,
};
