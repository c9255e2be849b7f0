/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitive_desc.h"

#include "blob/id.h"
#include "common/byte_order.h"
#include "common/hash.h"
#include "gpu/attribute_tensors.h"
#include "gpu/engine.h"
#include "gpu/output.h"

#include <stdlib.h>
#include <string.h>

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
    /* First: what comes later cannot fail. */
    st = attr_copy(&p->attr, attr);
    if (st != dnnl_success) {
        free(p);
        return st;
    }
    atomic_init(&p->references, 1);
    atomic_init(&p->id_ready, false);
    pthread_mutex_init(&p->id_lock, NULL);
    note_slot_init(&p->refusal);
    engine_retain(engine);
    p->engine = engine;
    p->kind = kind;
    p->facts = facts;
    p->tensors = p->usual_tensors;
    *pd = p;
    return dnnl_success;
}

/* Makes room for one more tensor; false and the failure is noted otherwise. */
static bool make_room(struct dnnl_primitive_desc *pd)
{
    if (pd->tensor_count == PD_MAX_TENSORS) {
        pd->failure = dnnl_unimplemented;
        return false;
    }
    if (pd->tensor_count != PD_USUAL_TENSORS
            || pd->tensors != pd->usual_tensors)
        return true;
    pd->tensors = malloc(PD_MAX_TENSORS * sizeof *pd->tensors);
    if (pd->tensors == NULL) {
        pd->tensors = pd->usual_tensors;
        pd->failure = dnnl_out_of_memory;
        return false;
    }
    memcpy(pd->tensors, pd->usual_tensors, sizeof pd->usual_tensors);
    return true;
}

void primitive_desc_add(struct dnnl_primitive_desc *pd, int arg, bool is_output,
        const struct dnnl_memory_desc *md)
{
    if (!make_room(pd)) return;
    struct pd_tensor *tensor = &pd->tensors[pd->tensor_count++];
    tensor->arg = arg;
    tensor->is_output = is_output;
    tensor->md = *md;
}

const struct dnnl_memory_desc *primitive_desc_tensor(
        const struct dnnl_primitive_desc *pd, int arg)
{
    for (int i = 0; i < pd->tensor_count; i++)
        if (pd->tensors[i].arg == arg) return &pd->tensors[i].md;
    return NULL;
}

void primitive_desc_set_numbers(
        struct dnnl_primitive_desc *pd, const float *numbers, int count)
{
    size_t size = (size_t)count * sizeof *numbers;
    free(pd->numbers);
    pd->number_count = 0;
    pd->numbers = malloc(size);
    if (pd->numbers == NULL) {
        pd->failure = dnnl_out_of_memory;
        return;
    }
    memcpy(pd->numbers, numbers, size);
    pd->number_count = count;
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
    note_slot_fini(&p->refusal);
    if (p->tensors != p->usual_tensors) free(p->tensors);
    free(p->numbers);
    attr_fini(&p->attr);
    buffer_fini(&p->key);
    buffer_fini(&p->id);
    free(p);
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc)
{
    primitive_desc_release(primitive_desc);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_clone(dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_primitive_desc_t existing_primitive_desc)
{
    if (primitive_desc == NULL || existing_primitive_desc == NULL)
        return dnnl_invalid_arguments;
    primitive_desc_retain(existing_primitive_desc);
    *primitive_desc = mutable_pd(existing_primitive_desc);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_next_impl(
        dnnl_primitive_desc_t primitive_desc)
{
    return primitive_desc == NULL ? dnnl_invalid_arguments
                                  : dnnl_last_impl_reached;
}

/* ---- Key and ID ---------------------------------------------------------- */

/* What write_op_desc() writes of every operation. */
enum { OP_DESC_SIZE = 52 };

/* Room that put_operation() needs: little more than it fills, since small
 * allocations are the fast ones. */
static size_t operation_size(const struct dnnl_primitive_desc *pd)
{
    size_t size = 6 * ID_FIELD_HEADER_SIZE + ENGINE_FACTS_SIZE + 4
                  + strlen(pd->kind->implementation) + OP_DESC_SIZE
                  + 4 * (size_t)pd->number_count
                  + 5 * (4 + 8 * (size_t)pd->spatial);
    for (int i = 0; i < pd->tensor_count; i++)
        size += ID_FIELD_HEADER_SIZE + memory_desc_id_size(&pd->tensors[i].md);
    return size + attr_id_size(&pd->attr);
}

/* Fields are encoded in place, with a cursor: keys are made for every
 * descriptor and must be cheap. begin_field() returns where the value starts,
 * end_field() fills in its length. */
static uint8_t *begin_field(uint8_t *at, enum id_tag tag)
{
    store_le16(at, (uint16_t)tag);
    store_le16(at + 2, 0);
    return at + ID_FIELD_HEADER_SIZE;
}

static uint8_t *end_field(uint8_t *value, uint8_t *end)
{
    store_le32(value - 4, (uint32_t)(end - value));
    return end;
}

static uint8_t *write_dims(uint8_t *at, const dnnl_dims_t dims, int count)
{
    store_le32(at, (uint32_t)count);
    at += 4;
    for (int i = 0; i < count; i++, at += 8)
        store_le64(at, (uint64_t)dims[i]);
    return at;
}

static uint8_t *write_op_desc(const struct dnnl_primitive_desc *pd, uint8_t *at)
{
    store_le32(at, (uint32_t)pd->prop_kind);
    store_le32(at + 4, (uint32_t)pd->alg_kind);
    store_le_float(at + 8, pd->alpha);
    store_le_float(at + 12, pd->beta);
    store_le32(at + 16, (uint32_t)pd->with_groups);
    store_le32(at + 20, (uint32_t)pd->axis);
    store_le_float(at + 24, pd->epsilon);
    store_le_float(at + 28, pd->power);
    store_le_float(at + 32, pd->bias);
    store_le32(at + 36, pd->flags);
    store_le64(at + 40, (uint64_t)pd->size);
    store_le32(at + 48, (uint32_t)pd->number_count);
    at += OP_DESC_SIZE;
    for (int i = 0; i < pd->number_count; i++, at += 4)
        store_le_float(at, pd->numbers[i]);
    at = write_dims(at, pd->kernel, pd->spatial);
    at = write_dims(at, pd->strides, pd->spatial);
    at = write_dims(at, pd->dilates, pd->spatial);
    at = write_dims(at, pd->padding_l, pd->spatial);
    return write_dims(at, pd->padding_r, pd->spatial);
}

/* The operation as ID fields. */
static void put_operation(
        const struct dnnl_primitive_desc *pd, struct buffer *k)
{
    size_t name_size = strlen(pd->kind->implementation);
    uint8_t *start = buffer_reserve(k, operation_size(pd));
    if (start == NULL) return;
    uint8_t *value = begin_field(start, id_engine_facts);
    engine_facts_encode(pd->facts, value);
    value = begin_field(
            end_field(value, value + ENGINE_FACTS_SIZE), id_primitive_kind);
    store_le32(value, (uint32_t)pd->kind->kind);
    value = begin_field(end_field(value, value + 4), id_implementation_name);
    memcpy(value, pd->kind->implementation, name_size);
    value = begin_field(end_field(value, value + name_size), id_op_desc);
    uint8_t *at = end_field(value, write_op_desc(pd, value));
    for (int i = 0; i < pd->tensor_count; i++) {
        const struct pd_tensor *tensor = &pd->tensors[i];
        value = begin_field(at, id_memory_desc);
        at = end_field(value, memory_desc_write_id(&tensor->md,
                                      (uint32_t)tensor->arg, value));
    }
    value = begin_field(at, id_post_ops);
    at = end_field(value, attr_write_id(&pd->attr, value));
    k->size += (size_t)(at - start);
}

/* In memory, primitives are told apart by where they live: context, device;
 * copies have nothing there. */
enum { PLACE_SIZE = 24 };

static void put_place(const struct dnnl_primitive_desc *pd, struct buffer *key)
{
    uint8_t *at = buffer_reserve(key, PLACE_SIZE);
    if (at == NULL) return;
    store_le64(at, (uint64_t)(uintptr_t)pd->engine->context);
    store_le64(at + 8, (uint64_t)(uintptr_t)pd->engine->device);
    store_le64(at + 16, primitive_desc_is_copy(pd) ? 1 : 0);
    key->size += PLACE_SIZE;
}

static bool any_output_empty(const struct dnnl_primitive_desc *pd)
{
    for (int i = 0; i < pd->tensor_count; i++)
        if (pd->tensors[i].is_output
                && memory_desc_nelems(&pd->tensors[i].md) == 0)
            return true;
    return false;
}

/* Attributes that kernels cannot do are known when the launch is planned: they
 * are refused now. */
static dnnl_status_t try_tail(const struct dnnl_primitive_desc *pd)
{
    if (attr_is_default(&pd->attr) || pd->kind->plan == NULL
            || any_output_empty(pd))
        return dnnl_success;
    struct primitive_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = pd->kind->plan(pd, plan);
    free(plan->passes);
    free(plan);
    return st;
}

/* Kernels find elements by strides alone, but for reorder's. */
static dnnl_status_t check_tensors(struct dnnl_primitive_desc *pd)
{
    for (int i = 0; i < pd->tensor_count; i++) {
        const struct dnnl_memory_desc *md = &pd->tensors[i].md;
        if (pd->kind->kind != dnnl_reorder && !memory_desc_is_plain(md))
            return dnnl_unimplemented;
        if (memory_desc_has_runtime(md)) pd->has_runtime_dims = true;
    }
    return pd->has_runtime_dims
                           && (pd->kind->attributes & takes_runtime_dims) == 0
                   ? dnnl_unimplemented
                   : dnnl_success;
}

dnnl_status_t primitive_desc_finish(
        struct dnnl_primitive_desc *pd, struct dnnl_primitive_desc **out)
{
    dnnl_status_t st = pd->failure;
    if (st == dnnl_success) st = attribute_tensors_add(pd);
    if (st == dnnl_success) st = pd->failure;
    if (st == dnnl_success) st = check_tensors(pd);
    if (st == dnnl_success) st = try_tail(pd);
    if (st == dnnl_success) {
        pd->is_empty = any_output_empty(pd);
        (void)buffer_reserve(&pd->key, PLACE_SIZE + operation_size(pd));
        put_place(pd, &pd->key);
        pd->key_prefix = pd->key.size;
        put_operation(pd, &pd->key);
        st = buffer_status(&pd->key);
    }
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
    if (identity->fields.size == 0 || pd->is_empty
            || primitive_desc_is_copy(pd))
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

void primitive_desc_note_refusal(
        const struct dnnl_primitive_desc *pd, struct note *note)
{
    note_slot_put(&mutable_pd(pd)->refusal, note);
}

dnnl_status_t dnnl_cache_primitive_desc_get_build_log(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, char *log)
{
    if (primitive_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    return output_note(
            note_slot_get(&mutable_pd(primitive_desc)->refusal), size, log);
}

dnnl_status_t primitive_desc_find_doubt(
        const struct dnnl_primitive_desc *pd, const char **reason)
{
    const struct device_identity *identity;
    *reason = "there is nothing to compile";
    if (pd->is_empty || primitive_desc_is_copy(pd)) return dnnl_success;
    dnnl_status_t st = engine_identity(pd->engine, &identity);
    if (st == dnnl_success) *reason = identity->reason;
    return st;
}

dnnl_status_t dnnl_cache_primitive_desc_is_cacheable(
        const_dnnl_primitive_desc_t primitive_desc, int *cacheable,
        const char **reason)
{
    if (primitive_desc == NULL || cacheable == NULL)
        return dnnl_invalid_arguments;
    const char *doubt;
    dnnl_status_t st = primitive_desc_find_doubt(primitive_desc, &doubt);
    if (st != dnnl_success) return st;
    *cacheable = *doubt == '\0';
    if (reason != NULL) *reason = doubt;
    return dnnl_success;
}
