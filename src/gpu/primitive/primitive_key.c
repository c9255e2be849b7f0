/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/primitive_key.h"

#include "src/blob/id.h"
#include "src/common/byte_order.h"
#include "src/common/hash.h"
#include "src/gpu/device/environment.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/engine/output.h"

#include <string.h>

/* ---- Key ----------------------------------------------------------------- */

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

/* The operation as ID fields, in place: keys are made for every descriptor and
 * must be cheap. */
static void put_operation(
        const struct dnnl_primitive_desc *pd, struct buffer *k)
{
    size_t name_size = strlen(pd->kind->implementation);
    uint8_t *start = buffer_reserve(k, operation_size(pd));
    if (start == NULL) return;
    uint8_t *value = id_field_begin(start, id_engine_facts);
    engine_facts_encode(pd->facts, value);
    value = id_field_begin(
            id_field_end(value, value + ENGINE_FACTS_SIZE), id_primitive_kind);
    store_le32(value, (uint32_t)pd->kind->kind);
    value = id_field_begin(
            id_field_end(value, value + 4), id_implementation_name);
    memcpy(value, pd->kind->implementation, name_size);
    value = id_field_begin(id_field_end(value, value + name_size), id_op_desc);
    uint8_t *at = id_field_end(value, write_op_desc(pd, value));
    for (int i = 0; i < pd->tensor_count; i++) {
        const struct pd_tensor *tensor = &pd->tensors[i];
        /* Whose the scratch memory is changes no program. */
        if (tensor->arg == DNNL_ARG_SCRATCHPAD) continue;
        value = id_field_begin(at, id_memory_desc);
        at = id_field_end(value, memory_desc_write_id(&tensor->md,
                                         (uint32_t)tensor->arg, value));
    }
    value = id_field_begin(at, id_post_ops);
    at = id_field_end(value, attr_write_id(&pd->attr, value));
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

dnnl_status_t primitive_key_make(struct dnnl_primitive_desc *pd)
{
    (void)buffer_reserve(&pd->key, PLACE_SIZE + operation_size(pd));
    put_place(pd, &pd->key);
    pd->key_prefix = pd->key.size;
    put_operation(pd, &pd->key);
    dnnl_status_t st = buffer_status(&pd->key);
    if (st == dnnl_success) pd->key_hash = hash64(pd->key.data, pd->key.size);
    return st;
}

/* ---- ID ------------------------------------------------------------------ */

static dnnl_status_t make_id(
        const struct dnnl_primitive_desc *pd, struct buffer *out)
{
    const struct device_identity *identity;
    (void)environment_changed(); /* later calls only glance */
    dnnl_status_t st = engine_identity(pd->engine, &identity);
    if (st != dnnl_success) return st;
    if (identity->fields.size == 0) return dnnl_success;
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

dnnl_status_t primitive_key_id(
        const struct dnnl_primitive_desc *pd, const uint8_t **id, size_t *size)
{
    struct dnnl_primitive_desc *p = primitive_desc_mutable(pd);
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
    const bool is_certain = environment_changed_at_a_glance() == NULL;
    *id = is_certain ? p->id.data : NULL;
    *size = is_certain ? p->id.size : 0;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_primitive_desc_get_cache_blob_id(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, uint8_t *id)
{
    const uint8_t *bytes;
    size_t bytes_size;
    if (primitive_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = primitive_key_id(primitive_desc, &bytes, &bytes_size);
    if (st != dnnl_success) return st;
    return output_bytes(bytes, bytes_size, size, id);
}
