/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/primitive_desc.h"

#include "src/common/log.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/primitive/refusal.h"
#include "src/gpu/primitive/staged.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life ---------------------------------------------------------------- */

dnnl_status_t primitive_desc_start(struct dnnl_primitive_desc **pd,
        struct dnnl_engine *engine, const struct primitive_kind *kind,
        const struct dnnl_primitive_attr *attr)
{
    log_note_onednn();
    const struct engine_facts *facts;
    dnnl_status_t st = engine_get_facts(engine, &facts);
    if (st == dnnl_unimplemented) return decline(kind->kind, LACK_HOST);
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
    atomic_init(&p->plan, NULL);
    pthread_mutex_init(&p->id_lock, NULL);
    text_slot_init(&p->refusal);
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
        pd->failure = decline_of(pd, LACK_ARGUMENTS);
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

const struct dnnl_memory_desc *pd_tensor(
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

void primitive_desc_retain(const struct dnnl_primitive_desc *pd)
{
    atomic_fetch_add_explicit(
            &primitive_desc_mutable(pd)->references, 1, memory_order_relaxed);
}

void primitive_desc_release(const struct dnnl_primitive_desc *pd)
{
    if (pd == NULL) return;
    struct dnnl_primitive_desc *p = primitive_desc_mutable(pd);
    if (atomic_fetch_sub_explicit(&p->references, 1, memory_order_acq_rel) != 1)
        return;
    engine_release(p->engine);
    engine_release(p->other_engine);
    pthread_mutex_destroy(&p->id_lock);
    text_slot_fini(&p->refusal);
    if (p->tensors != p->usual_tensors) free(p->tensors);
    free(p->numbers);
    primitive_plan_destroy(atomic_load(&p->plan));
    staged_destroy(p->staged);
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
    *primitive_desc = primitive_desc_mutable(existing_primitive_desc);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_next_impl(
        dnnl_primitive_desc_t primitive_desc)
{
    return primitive_desc == NULL ? dnnl_invalid_arguments
                                  : dnnl_last_impl_reached;
}

/* ---- What is known of it ------------------------------------------------- */

bool primitive_desc_has_empty_output(const struct dnnl_primitive_desc *pd)
{
    for (int i = 0; i < pd->tensor_count; i++)
        if (pd->tensors[i].is_output
                && memory_desc_nelems(&pd->tensors[i].md) == 0)
            return true;
    return false;
}

void primitive_desc_note_refusal(
        const struct dnnl_primitive_desc *pd, struct shared_text *note)
{
    text_slot_put(&primitive_desc_mutable(pd)->refusal, note);
}

dnnl_status_t dnnl_cache_primitive_desc_get_build_log(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, char *log)
{
    if (primitive_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    return output_note(
            text_slot_get(&primitive_desc_mutable(primitive_desc)->refusal),
            size, log);
}

dnnl_status_t primitive_desc_find_doubt(
        const struct dnnl_primitive_desc *pd, const char **reason)
{
    const struct device_identity *identity;
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
