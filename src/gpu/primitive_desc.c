/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitive_desc.h"

#include "blob/id.h"
#include "common/hash.h"
#include "gpu/engine.h"
#include "gpu/output.h"

#include <stdlib.h>
#include <string.h>

/* Room for an ordinary key, so that making one allocates once. */
enum { KEY_RESERVE = 1024 };

/* ---- Life ---------------------------------------------------------------- */

dnnl_status_t primitive_desc_start(struct dnnl_primitive_desc **pd,
        struct dnnl_engine *engine, const struct primitive_kind *kind,
        const struct dnnl_primitive_attr *attr)
{
    const struct engine_facts *facts;
    dnnl_status_t st = engine_get_facts(engine, &facts);
    if (st != dnnl_success) return st;
    struct dnnl_primitive_desc *p = calloc(1, sizeof *p);
    if (p == NULL) return dnnl_out_of_memory;
    atomic_init(&p->references, 1);
    atomic_init(&p->id_ready, false);
    pthread_mutex_init(&p->id_lock, NULL);
    engine_retain(engine);
    p->engine = engine;
    p->kind = kind;
    p->facts = facts;
    if (attr != NULL) p->attr = *attr;
    *pd = p;
    return dnnl_success;
}

void primitive_desc_add(struct dnnl_primitive_desc *pd, int arg, bool is_output,
        const struct dnnl_memory_desc *md)
{
    struct pd_tensor *tensor = &pd->tensors[pd->tensor_count++];
    tensor->arg = arg;
    tensor->is_output = is_output;
    tensor->md = *md;
}

/* Pointers and descriptors share one handle type for both kinds of access. */
static struct dnnl_primitive_desc *mutable_pd(
        const struct dnnl_primitive_desc *pd)
{
    return (struct dnnl_primitive_desc *)(uintptr_t)pd;
}

void primitive_desc_retain(const struct dnnl_primitive_desc *pd)
{
    atomic_fetch_add_explicit(
            &mutable_pd(pd)->references, 1, memory_order_relaxed);
}

void primitive_desc_release(const struct dnnl_primitive_desc *pd)
{
    if (pd == NULL) return;
    struct dnnl_primitive_desc *p = mutable_pd(pd);
    if (atomic_fetch_sub_explicit(&p->references, 1, memory_order_acq_rel) != 1)
        return;
    engine_release(p->engine);
    engine_release(p->host_engine);
    pthread_mutex_destroy(&p->id_lock);
    buffer_fini(&p->key);
    buffer_fini(&p->id);
    free(p);
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc)
{
    primitive_desc_release(primitive_desc);
    return dnnl_success;
}

/* ---- Key and ID ---------------------------------------------------------- */

static void put_dims(struct buffer *out, const dnnl_dims_t dims, int count)
{
    buffer_append_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++)
        buffer_append_u64(out, (uint64_t)dims[i]);
}

static void put_float(struct buffer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    buffer_append_u32(out, bits);
}

/* Starts a field of the ID whose length is not known yet. */
static size_t begin_field(struct buffer *key, enum id_tag tag)
{
    size_t at = key->size;
    buffer_append_u16(key, (uint16_t)tag);
    buffer_append_u16(key, 0);
    buffer_append_u32(key, 0);
    return at;
}

static void end_field(struct buffer *key, size_t at)
{
    if (key->failed) return;
    uint32_t length = (uint32_t)(key->size - at - ID_FIELD_HEADER_SIZE);
    for (size_t i = 0; i < 4; i++)
        key->data[at + 4 + i] = (uint8_t)(length >> (8 * i));
}

/* The operation as ID fields, encoded in place: keys are made for every
 * descriptor and must be cheap. */
static void put_operation(
        const struct dnnl_primitive_desc *pd, struct buffer *k)
{
    uint8_t facts[ENGINE_FACTS_SIZE];
    size_t at = begin_field(k, id_engine_facts);
    engine_facts_encode(pd->facts, facts);
    buffer_append(k, facts, sizeof facts);
    end_field(k, at);
    at = begin_field(k, id_primitive_kind);
    buffer_append_u32(k, (uint32_t)pd->kind->kind);
    end_field(k, at);
    at = begin_field(k, id_implementation_name);
    buffer_append(
            k, pd->kind->implementation, strlen(pd->kind->implementation));
    end_field(k, at);
    at = begin_field(k, id_op_desc);
    buffer_append_u32(k, (uint32_t)pd->prop_kind);
    buffer_append_u32(k, (uint32_t)pd->alg_kind);
    put_float(k, pd->alpha);
    put_float(k, pd->beta);
    buffer_append_u32(k, (uint32_t)pd->with_groups);
    put_dims(k, pd->strides, pd->spatial);
    put_dims(k, pd->dilates, pd->spatial);
    put_dims(k, pd->padding_l, pd->spatial);
    put_dims(k, pd->padding_r, pd->spatial);
    end_field(k, at);
    for (int i = 0; i < pd->tensor_count; i++) {
        at = begin_field(k, id_memory_desc);
        memory_desc_put_id(&pd->tensors[i].md, (uint32_t)pd->tensors[i].arg, k);
        end_field(k, at);
    }
    at = begin_field(k, id_post_ops);
    post_ops_put_id(&pd->attr.post_ops, k);
    end_field(k, at);
}

/* In memory, primitives are told apart by where they live: context, device,
 * and the host engine of a copy. */
static void put_place(const struct dnnl_primitive_desc *pd, struct buffer *key)
{
    buffer_append_u64(key, (uint64_t)(uintptr_t)pd->engine->context);
    buffer_append_u64(key, (uint64_t)(uintptr_t)pd->engine->device);
    buffer_append_u64(key, pd->host_engine != NULL ? 1 : 0);
}

static bool any_output_empty(const struct dnnl_primitive_desc *pd)
{
    for (int i = 0; i < pd->tensor_count; i++)
        if (pd->tensors[i].is_output
                && memory_desc_nelems(&pd->tensors[i].md) == 0)
            return true;
    return false;
}

dnnl_status_t primitive_desc_finish(
        struct dnnl_primitive_desc *pd, struct dnnl_primitive_desc **out)
{
    pd->is_empty = any_output_empty(pd);
    (void)buffer_reserve(&pd->key, KEY_RESERVE);
    put_place(pd, &pd->key);
    pd->key_prefix = pd->key.size;
    put_operation(pd, &pd->key);
    dnnl_status_t st = buffer_status(&pd->key);
    if (st != dnnl_success) {
        primitive_desc_release(pd);
        return st;
    }
    pd->key_hash = hash64(pd->key.data, pd->key.size);
    *out = pd;
    return dnnl_success;
}

static dnnl_status_t make_id(
        const struct dnnl_primitive_desc *pd, struct buffer *out)
{
    const struct device_identity *identity;
    dnnl_status_t st = engine_identity(pd->engine, &identity);
    if (st != dnnl_success) return st;
    if (identity->fields.size == 0 || pd->is_empty || pd->host_engine != NULL)
        return dnnl_success;
    struct id_builder id;
    id_builder_init(&id, blob_kind_primitive);
    (void)buffer_reserve(&id.bytes, identity->fields.size + pd->key.size);
    buffer_append(&id.bytes, identity->fields.data, identity->fields.size);
    buffer_append(&id.bytes, pd->key.data + pd->key_prefix,
            pd->key.size - pd->key_prefix);
    st = id_builder_status(&id);
    if (st == dnnl_success)
        *out = id.bytes;
    else
        id_builder_fini(&id);
    return st;
}

dnnl_status_t primitive_desc_id(
        const struct dnnl_primitive_desc *pd, const uint8_t **id, size_t *size)
{
    struct dnnl_primitive_desc *p = mutable_pd(pd);
    if (!atomic_load_explicit(&p->id_ready, memory_order_acquire)) {
        struct buffer made = {NULL, 0, 0, false};
        dnnl_status_t st = make_id(pd, &made);
        if (st != dnnl_success) return st;
        pthread_mutex_lock(&p->id_lock);
        if (!atomic_load_explicit(&p->id_ready, memory_order_relaxed)) {
            p->id = made;
            buffer_init(&made);
            atomic_store_explicit(&p->id_ready, true, memory_order_release);
        }
        pthread_mutex_unlock(&p->id_lock);
        buffer_fini(&made);
    }
    *id = p->id.data;
    *size = p->id.size;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_primitive_desc_get_cache_blob_id(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, uint8_t *id)
{
    const uint8_t *bytes;
    size_t bytes_size;
    if (primitive_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = primitive_desc_id(primitive_desc, &bytes, &bytes_size);
    if (st != dnnl_success) return st;
    return output_bytes(bytes, bytes_size, size, id);
}

/* ---- Queries ------------------------------------------------------------- */

const struct dnnl_memory_desc *primitive_desc_tensor(
        const struct dnnl_primitive_desc *pd, int arg)
{
    for (int i = 0; i < pd->tensor_count; i++)
        if (pd->tensors[i].arg == arg) return &pd->tensors[i].md;
    return NULL;
}

/* The DNNL_ARG_* a descriptor query is about; 0: a tensor no primitive here
 * has; -1: not such a query, or a wrong index. */
static int queried_arg(dnnl_query_t what, int index)
{
    switch (what) {
    case dnnl_query_exec_arg_md:
        return index;
    case dnnl_query_src_md:
        return index == 0 ? DNNL_ARG_SRC : 0;
    case dnnl_query_dst_md:
        return index == 0 ? DNNL_ARG_DST : 0;
    case dnnl_query_weights_md:
        if (index == 1) return DNNL_ARG_BIAS;
        return index == 0 ? DNNL_ARG_WEIGHTS : 0;
    case dnnl_query_workspace_md:
    case dnnl_query_scratchpad_md:
        return index == 0 ? 0 : -1;
    case dnnl_query_diff_src_md:
    case dnnl_query_diff_weights_md:
    case dnnl_query_diff_dst_md:
        return 0;
    default:
        return -1;
    }
}

const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index)
{
    if (primitive_desc == NULL) return NULL;
    int arg = queried_arg(what, index);
    if (arg < 0) return NULL;
    const struct dnnl_memory_desc *md =
            primitive_desc_tensor(primitive_desc, arg);
    return md != NULL ? md : &memory_desc_zero;
}

static int count_tensors(const struct dnnl_primitive_desc *pd, bool outputs)
{
    int count = 0;
    for (int i = 0; i < pd->tensor_count; i++)
        count += pd->tensors[i].is_output == outputs;
    return count;
}

static dnnl_status_t query_blob_id(
        const struct dnnl_primitive_desc *pd, dnnl_query_t what, void *result)
{
    const uint8_t *id;
    size_t size;
    dnnl_status_t st = primitive_desc_id(pd, &id, &size);
    if (st != dnnl_success) return st;
    if (what == dnnl_query_cache_blob_id)
        *(const uint8_t **)result = id;
    else
        *(dnnl_dim_t *)result = (dnnl_dim_t)size;
    return dnnl_success;
}

/* Queries that only some kinds answer. */
static dnnl_status_t query_operation(
        const struct dnnl_primitive_desc *pd, dnnl_query_t what, void *result)
{
    bool is_eltwise = pd->kind->kind == dnnl_eltwise;
    bool is_convolution = pd->kind->kind == dnnl_convolution;
    switch (what) {
    case dnnl_query_prop_kind:
        if (!is_eltwise && !is_convolution) return dnnl_unimplemented;
        *(dnnl_prop_kind_t *)result = pd->prop_kind;
        return dnnl_success;
    case dnnl_query_alg_kind:
        if (!is_eltwise && !is_convolution) return dnnl_unimplemented;
        *(dnnl_alg_kind_t *)result = pd->alg_kind;
        return dnnl_success;
    case dnnl_query_alpha_f32:
    case dnnl_query_beta_f32:
        if (!is_eltwise) return dnnl_unimplemented;
        *(float *)result = what == dnnl_query_alpha_f32 ? pd->alpha : pd->beta;
        return dnnl_success;
    case dnnl_query_strides:
    case dnnl_query_dilations:
    case dnnl_query_padding_l:
    case dnnl_query_padding_r:
        if (!is_convolution) return dnnl_unimplemented;
        *(const dnnl_dims_t **)result =
                what == dnnl_query_strides ? (const dnnl_dims_t *)&pd->strides
                : what == dnnl_query_dilations
                        ? (const dnnl_dims_t *)&pd->dilates
                : what == dnnl_query_padding_l
                        ? (const dnnl_dims_t *)&pd->padding_l
                        : (const dnnl_dims_t *)&pd->padding_r;
        return dnnl_success;
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine:
        if (pd->kind->kind != dnnl_reorder) return dnnl_unimplemented;
        *(dnnl_engine_t *)result =
                (what == dnnl_query_reorder_src_engine) == pd->host_is_src
                                && pd->host_engine != NULL
                        ? pd->host_engine
                        : pd->engine;
        return dnnl_success;
    default:
        return dnnl_unimplemented;
    }
}

dnnl_status_t dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index, void *result)
{
    const struct dnnl_primitive_desc *pd = primitive_desc;
    if (pd == NULL || result == NULL) return dnnl_invalid_arguments;
    if (what >= dnnl_query_some_md && what <= dnnl_query_exec_arg_md) {
        const_dnnl_memory_desc_t md =
                dnnl_primitive_desc_query_md(pd, what, index);
        if (md == NULL) return dnnl_invalid_arguments;
        *(const_dnnl_memory_desc_t *)result = md;
        return dnnl_success;
    }
    switch (what) {
    case dnnl_query_engine:
    case dnnl_query_scratchpad_engine:
        *(dnnl_engine_t *)result = pd->engine;
        return dnnl_success;
    case dnnl_query_primitive_kind:
        *(dnnl_primitive_kind_t *)result = pd->kind->kind;
        return dnnl_success;
    case dnnl_query_num_of_inputs_s32:
        *(int *)result = count_tensors(pd, false);
        return dnnl_success;
    case dnnl_query_num_of_outputs_s32:
        *(int *)result = count_tensors(pd, true);
        return dnnl_success;
    case dnnl_query_memory_consumption_s64:
        *(dnnl_dim_t *)result = 0; /* no scratch memory beyond the tensors */
        return dnnl_success;
    case dnnl_query_impl_info_str:
        *(const char **)result = pd->kind->implementation;
        return dnnl_success;
    case dnnl_query_cache_blob_id:
    case dnnl_query_cache_blob_id_size_s64:
        return query_blob_id(pd, what, result);
    default:
        return query_operation(pd, what, result);
    }
}
