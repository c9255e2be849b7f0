/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/staging.h"

#include "src/gpu/engine/engine.h"
#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/primitive_key.h"
#include "src/gpu/primitive/random_plan.h"
#include "src/gpu/primitive/refusal.h"
#include "src/gpu/primitive/staged.h"

#include <stdlib.h>
#include <string.h>

/* Where plain tensors begin: a multiple of every element's size, and of what
 * devices load at once. */
enum { ALIGNMENT = 256 };

/* ---- Before the operation is described ----------------------------------- */

/* One that no kernel could have is left as it is, for the kind to refuse. */
static bool has_blocks(const struct dnnl_memory_desc *md)
{
    return md != NULL && md->format_kind == dnnl_blocked && md->inner_nblks > 0
           && memory_desc_fits_int32(md);
}

/* The dense tensor with its last dimension innermost, in scratch memory. False:
 * it does not fit there. */
static bool place(struct staging *s, struct staging_tensor *tensor)
{
    struct dnnl_memory_desc *plain = &tensor->plain;
    *plain = tensor->given;
    plain->format_kind = dnnl_format_kind_any;
    plain->offset0 = 0;
    plain->inner_nblks = 0;
    memset(plain->inner_blks, 0, sizeof plain->inner_blks);
    memset(plain->inner_idxs, 0, sizeof plain->inner_idxs);
    memory_desc_pad(plain);
    memory_desc_set_plain(plain);
    const size_t size = dnnl_memory_desc_get_size(plain);
    if (size > SIZE_MAX - s->scratch_size - ALIGNMENT) return false;
    plain->offset0 = (dnnl_dim_t)(s->scratch_size
                                  / dnnl_data_type_size(plain->data_type));
    if (data_type_is_half_byte(plain->data_type)) plain->offset0 *= 2;
    s->scratch_size += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return true;
}

/* Notes a tensor; returns what stands in for it. NULL after a failure: then the
 * call, which is made once more, has nothing in blocks either. */
static const struct dnnl_memory_desc *add(
        struct staging *s, int arg, const struct dnnl_memory_desc *given)
{
    struct staging_tensor **list =
            realloc(s->tensors, ((size_t)s->count + 1) * sizeof *s->tensors);
    if (list != NULL) s->tensors = list;
    struct staging_tensor *tensor =
            list != NULL ? malloc(sizeof *tensor) : NULL;
    if (tensor == NULL) {
        s->failure = dnnl_out_of_memory;
        return NULL;
    }
    tensor->arg = arg;
    tensor->given = *given;
    s->tensors[s->count++] = tensor;
    /* No refusal: what is that large is refused, and told, without blocks. */
    if (!place(s, tensor)) s->failure = dnnl_unimplemented;
    return &tensor->plain;
}

/* The tensors of binary post-ops, each in the copy of the attributes. */
static void add_post_ops(struct staging *s, const_dnnl_primitive_attr_t *attr)
{
    bool is_any = false;
    for (int i = 0; *attr != NULL && i < (*attr)->post_ops.count; i++)
        is_any = is_any || has_blocks((*attr)->post_ops.ops[i].src1);
    if (!is_any) return;
    dnnl_status_t st = attr_copy(&s->plain_attr, *attr);
    *attr = NULL;
    if (st != dnnl_success) {
        s->failure = st;
        return;
    }
    for (int i = 0; i < s->plain_attr.post_ops.count; i++) {
        struct dnnl_memory_desc *src1 = s->plain_attr.post_ops.ops[i].src1;
        if (!has_blocks(src1)) continue;
        const struct dnnl_memory_desc *plain = add(
                s, DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1, src1);
        if (plain == NULL) return;
        *src1 = *plain;
    }
    *attr = &s->plain_attr;
}

bool staging_begin(struct staging *s, const_dnnl_primitive_attr_t *attr,
        size_t count, const struct staged_argument *arguments)
{
    *s = (struct staging){.attr = *attr, .failure = dnnl_success};
    for (size_t i = 0; i < count; i++)
        if (has_blocks(*arguments[i].md))
            *arguments[i].md = add(s, arguments[i].arg, *arguments[i].md);
    add_post_ops(s, attr);
    return s->count > 0 || s->failure != dnnl_success;
}

bool staging_begin_list(struct staging *s, const_dnnl_primitive_attr_t *attr,
        int n, const_dnnl_memory_desc_t const **src_descs,
        const_dnnl_memory_desc_t *dst_desc)
{
    const struct staged_argument dst = {DNNL_ARG_DST, dst_desc};
    bool is_staged = staging_begin(s, attr, 1, &dst);
    if (n < 1 || n > PD_MAX_TENSORS || *src_descs == NULL) return is_staged;
    s->sources = malloc((size_t)n * sizeof(const_dnnl_memory_desc_t));
    if (s->sources == NULL) {
        s->failure = dnnl_out_of_memory;
        *src_descs = NULL;
        return true;
    }
    for (int i = 0; i < n; i++) {
        s->sources[i] = (*src_descs)[i];
        if (has_blocks(s->sources[i]))
            s->sources[i] = add(s, DNNL_ARG_MULTIPLE_SRC + i, s->sources[i]);
    }
    is_staged = s->count > 0 || s->failure != dnnl_success;
    if (is_staged) {
        *src_descs = s->sources;
    } else {
        free(s->sources);
        s->sources = NULL;
    }
    return is_staged;
}

/* ---- Stages -------------------------------------------------------------- */

/* Is dst read, too? */
static bool is_accumulated(const struct dnnl_primitive_desc *pd, int arg)
{
    bool has_sum = false;
    for (int i = 0; i < pd->attr.post_ops.count; i++)
        has_sum = has_sum || pd->attr.post_ops.ops[i].kind == dnnl_sum;
    return has_sum && arg == DNNL_ARG_DST;
}

static struct staging_tensor *find(const struct staging *s, int arg)
{
    for (int i = 0; i < s->count; i++)
        if (s->tensors[i]->arg == arg) return s->tensors[i];
    return NULL;
}

static dnnl_status_t add_reorder(struct staged *staged,
        struct dnnl_engine *engine, int arg,
        const struct dnnl_memory_desc *from, const struct dnnl_memory_desc *to)
{
    dnnl_primitive_desc_t pd;
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            &pd, from, engine, to, engine, NULL);
    if (st == dnnl_success)
        staged->stages[staged->count++] = (struct stage){.pd = pd, .arg = arg};
    return st;
}

/* The reorders before the operation, or those after it. */
static dnnl_status_t add_reorders(const struct staging *s,
        struct staged *staged, const struct dnnl_primitive_desc *operation,
        bool is_before)
{
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < operation->tensor_count && st == dnnl_success; i++) {
        const struct pd_tensor *t = &operation->tensors[i];
        const struct staging_tensor *tensor = find(s, t->arg);
        if (tensor == NULL) continue;
        if (is_before && (!t->is_output || is_accumulated(operation, t->arg)))
            st = add_reorder(
                    staged, operation->engine, t->arg, &tensor->given, &t->md);
        if (!is_before && t->is_output)
            st = add_reorder(
                    staged, operation->engine, t->arg, &t->md, &tensor->given);
    }
    return st;
}

/* Takes over the operation, also on failure. */
static dnnl_status_t make_stages(const struct staging *s,
        const struct dnnl_primitive_desc *operation, struct staged **out)
{
    struct staged *staged = calloc(1, sizeof *staged);
    const size_t most = 2 * (size_t)operation->tensor_count + 1;
    if (staged != NULL) staged->stages = calloc(most, sizeof(struct stage));
    if (staged == NULL || staged->stages == NULL) {
        staged_destroy(staged);
        primitive_desc_release(operation);
        return dnnl_out_of_memory;
    }
    staged->scratch_size = s->scratch_size;
    dnnl_status_t st = add_reorders(s, staged, operation, true);
    staged->stages[staged->count++] = (struct stage){.pd = operation};
    if (st == dnnl_success) st = add_reorders(s, staged, operation, false);
    if (st == dnnl_success)
        *out = staged;
    else
        staged_destroy(staged);
    return st;
}

/* ---- The descriptor ------------------------------------------------------ */

/* What the operation is, without its tensors. */
static void copy_operation(
        struct dnnl_primitive_desc *to, const struct dnnl_primitive_desc *from)
{
    to->prop_kind = from->prop_kind;
    to->alg_kind = from->alg_kind;
    to->alpha = from->alpha;
    to->beta = from->beta;
    to->epsilon = from->epsilon;
    to->power = from->power;
    to->bias = from->bias;
    to->flags = from->flags;
    to->size = from->size;
    to->spatial = from->spatial;
    to->with_groups = from->with_groups;
    to->axis = from->axis;
    memcpy(to->strides, from->strides, sizeof to->strides);
    memcpy(to->dilates, from->dilates, sizeof to->dilates);
    memcpy(to->padding_l, from->padding_l, sizeof to->padding_l);
    memcpy(to->padding_r, from->padding_r, sizeof to->padding_r);
    memcpy(to->kernel, from->kernel, sizeof to->kernel);
    if (from->other_engine != NULL) engine_retain(from->other_engine);
    to->other_engine = from->other_engine;
    to->other_is_src = from->other_is_src;
    if (from->number_count > 0)
        primitive_desc_set_numbers(to, from->numbers, from->number_count);
}

/* The operation's tensors, those with blocks as they were given; and scratch
 * memory, where the caller brings it. */
static void add_tensors(const struct staging *s, struct dnnl_primitive_desc *to,
        const struct dnnl_primitive_desc *operation)
{
    for (int i = 0; i < operation->tensor_count; i++) {
        const struct pd_tensor *t = &operation->tensors[i];
        const struct staging_tensor *tensor = find(s, t->arg);
        primitive_desc_add(to, t->arg, t->is_output,
                tensor != NULL ? &tensor->given : &t->md);
    }
    if (to->attr.scratchpad_mode != dnnl_scratchpad_mode_user
            || s->scratch_size == 0)
        return;
    struct dnnl_memory_desc scratch;
    (void)memory_desc_start(
            &scratch, 1, (dnnl_dims_t){(dnnl_dim_t)s->scratch_size}, dnnl_u8);
    memory_desc_set_plain(&scratch);
    primitive_desc_add(to, DNNL_ARG_SCRATCHPAD, true, &scratch);
}

/* Why the operation is no stage; LACK_NONE: it is one. Random numbers go by
 * where an element lies in the dst that was given. */
static enum lack find_misfit(
        const struct staging *s, const struct dnnl_primitive_desc *operation)
{
    if (operation->has_runtime_dims) return LACK_BLOCKS_AND_RUNTIME;
    return random_plan_has_part(operation) && find(s, DNNL_ARG_DST) != NULL
                   ? LACK_RANDOM_BLOCKS
                   : LACK_NONE;
}

/* Takes over the operation, also on failure. */
static dnnl_status_t make_descriptor(const struct staging *s,
        struct dnnl_primitive_desc *operation, struct dnnl_primitive_desc **out)
{
    struct dnnl_primitive_desc *pd;
    const enum lack lack = find_misfit(s, operation);
    if (lack != LACK_NONE) {
        dnnl_status_t st = decline_of(operation, lack);
        primitive_desc_release(operation);
        return st;
    }
    dnnl_status_t st = primitive_desc_start(
            &pd, operation->engine, operation->kind, s->attr);
    if (st != dnnl_success) {
        primitive_desc_release(operation);
        return st;
    }
    copy_operation(pd, operation);
    add_tensors(s, pd, operation);
    st = pd->failure;
    pd->is_empty = operation->is_empty;
    if (st == dnnl_success)
        st = make_stages(s, operation, &pd->staged);
    else
        primitive_desc_release(operation);
    if (st == dnnl_success) st = primitive_key_make(pd);
    if (st == dnnl_success)
        *out = pd;
    else
        primitive_desc_release(pd);
    return st;
}

dnnl_status_t staging_end(struct staging *s,
        dnnl_primitive_desc_t *primitive_desc, dnnl_status_t status)
{
    struct dnnl_primitive_desc *made = NULL;
    dnnl_status_t st = s->failure != dnnl_success ? s->failure : status;
    if (st == dnnl_success && primitive_desc == NULL)
        st = refuse(s->operation->kind->kind, REFUSAL_NULL);
    if (st == dnnl_success)
        st = make_descriptor(s, s->operation, &made);
    else if (status == dnnl_success)
        primitive_desc_release(s->operation);
    if (st == dnnl_success) *primitive_desc = made;
    for (int i = 0; i < s->count; i++)
        free(s->tensors[i]);
    free(s->tensors);
    free(s->sources);
    attr_fini(&s->plain_attr);
    return st;
}
