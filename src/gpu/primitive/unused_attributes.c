/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/unused_attributes.h"

#include "src/common/byte_order.h"
#include "src/gpu/primitive/attributes.h"

#include <stdlib.h>
#include <string.h>

static const float one = 1.0f;

/* ---- Life ---------------------------------------------------------------- */

static const struct unused_attributes nothing = {
        .rnn_scale = 1.0f, .rnn_scales = {{.count = 1}, {.count = 1}}};

/* Those of the attributes, to set something of; NULL: out of memory. */
static struct unused_attributes *to_set(struct dnnl_primitive_attr *attr)
{
    if (attr->unused == NULL) {
        attr->unused = malloc(sizeof *attr->unused);
        if (attr->unused != NULL) *attr->unused = nothing;
    }
    return attr->unused;
}

static const struct unused_attributes *to_get(
        const struct dnnl_primitive_attr *attr)
{
    return attr->unused != NULL ? attr->unused : &nothing;
}

/* Overwrites *made, or leaves it. A first factor that is to come with the
 * execution stands for all: there are no others to read. */
static dnnl_status_t rnn_scales_init(struct rnn_scales *made, dnnl_dim_t count,
        int mask, const float *values)
{
    uint32_t first;
    float *list = NULL;
    if ((uint64_t)count <= SIZE_MAX / sizeof *list)
        list = malloc((size_t)count * sizeof *list);
    if (list == NULL) return dnnl_out_of_memory;
    memcpy(&first, values, sizeof first);
    const bool is_runtime = first == DNNL_RUNTIME_F32_VAL_REP.u;
    for (dnnl_dim_t i = 0; i < count; i++)
        list[i] = values[is_runtime ? 0 : i];
    *made = (struct rnn_scales){count, mask, list};
    return dnnl_success;
}

/* The same. */
static dnnl_status_t rnn_scales_copy(
        struct rnn_scales *copy, const struct rnn_scales *scales)
{
    return scales->values == NULL ? dnnl_success
                                  : rnn_scales_init(copy, scales->count,
                                          scales->mask, scales->values);
}

dnnl_status_t unused_attributes_copy(
        struct unused_attributes **copy, const struct unused_attributes *unused)
{
    *copy = NULL;
    if (unused == NULL) return dnnl_success;
    struct unused_attributes *made = malloc(sizeof *made);
    if (made == NULL) return dnnl_out_of_memory;
    *made = *unused;
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < RNN_SCALES; i++)
        made->rnn_scales[i].values = NULL;
    for (int i = 0; i < RNN_SCALES && st == dnnl_success; i++)
        st = rnn_scales_copy(&made->rnn_scales[i], &unused->rnn_scales[i]);
    if (st != dnnl_success) {
        unused_attributes_destroy(made);
        return st;
    }
    *copy = made;
    return dnnl_success;
}

void unused_attributes_destroy(struct unused_attributes *unused)
{
    if (unused == NULL) return;
    for (int i = 0; i < RNN_SCALES; i++)
        free(unused->rnn_scales[i].values);
    free(unused);
}

/* ---- Numbers of recurrent primitives ------------------------------------- */

dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(
        dnnl_primitive_attr_t attr, const float scale, const float shift)
{
    if (attr == NULL) return dnnl_invalid_arguments;
    struct unused_attributes *unused = to_set(attr);
    if (unused == NULL) return dnnl_out_of_memory;
    unused->rnn_scale = scale;
    unused->rnn_shift = shift;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(
        const_dnnl_primitive_attr_t attr, float *scale, float *shift)
{
    if (attr == NULL) return dnnl_invalid_arguments;
    if (scale != NULL) *scale = to_get(attr)->rnn_scale;
    if (shift != NULL) *shift = to_get(attr)->rnn_shift;
    return dnnl_success;
}

/* scales may be what the attributes have already. */
static dnnl_status_t set_scales(dnnl_primitive_attr_t attr, int whose,
        dnnl_dim_t count, int mask, const float *scales)
{
    if (attr == NULL || scales == NULL || count <= 0 || mask < 0)
        return dnnl_invalid_arguments;
    struct unused_attributes *unused = to_set(attr);
    if (unused == NULL) return dnnl_out_of_memory;
    float *before = unused->rnn_scales[whose].values;
    dnnl_status_t st =
            rnn_scales_init(&unused->rnn_scales[whose], count, mask, scales);
    if (st == dnnl_success) free(before);
    return st;
}

static dnnl_status_t get_scales(const_dnnl_primitive_attr_t attr, int whose,
        dnnl_dim_t *count, int *mask, const float **scales)
{
    if (attr == NULL) return dnnl_invalid_arguments;
    const struct rnn_scales *of = &to_get(attr)->rnn_scales[whose];
    if (count != NULL) *count = of->count;
    if (mask != NULL) *mask = of->mask;
    if (scales != NULL) *scales = of->values != NULL ? of->values : &one;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
        const float *scales)
{
    return set_scales(attr, RNN_WEIGHTS, count, mask, scales);
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask,
        const float **scales)
{
    return get_scales(attr, RNN_WEIGHTS, count, mask, scales);
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
        const float *scales)
{
    return set_scales(attr, RNN_PROJECTION, count, mask, scales);
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask,
        const float **scales)
{
    return get_scales(attr, RNN_PROJECTION, count, mask, scales);
}

/* ---- What they would change ---------------------------------------------- */

static bool are_ones(const struct rnn_scales *scales)
{
    for (dnnl_dim_t i = 0; scales->values != NULL && i < scales->count; i++)
        if (scales->values[i] != 1.0f) return false;
    return true;
}

enum lack unused_attributes_lack(const struct unused_attributes *unused)
{
    if (unused == NULL) return LACK_NONE;
    if (unused->rnn_scale != 1.0f || unused->rnn_shift != 0.0f
            || !are_ones(&unused->rnn_scales[RNN_WEIGHTS])
            || !are_ones(&unused->rnn_scales[RNN_PROJECTION]))
        return LACK_RECURRENT_NUMBERS;
    return LACK_NONE;
}

/* ---- ID ------------------------------------------------------------------ */

static size_t scales_id_size(const struct rnn_scales *scales)
{
    return 12 + 4 * (size_t)scales->count;
}

static uint8_t *write_scales(const struct rnn_scales *scales, uint8_t *at)
{
    store_le64(at, (uint64_t)scales->count);
    store_le32(at + 8, (uint32_t)scales->mask);
    at += 12;
    for (dnnl_dim_t i = 0; i < scales->count; i++, at += 4)
        store_le_float(at, scales->values != NULL ? scales->values[i] : one);
    return at;
}

size_t unused_attributes_id_size(const struct unused_attributes *unused)
{
    if (unused_attributes_lack(unused) == LACK_NONE) return 0;
    return 8 + scales_id_size(&unused->rnn_scales[RNN_WEIGHTS])
           + scales_id_size(&unused->rnn_scales[RNN_PROJECTION]);
}

uint8_t *unused_attributes_write_id(
        const struct unused_attributes *unused, uint8_t *at)
{
    if (unused_attributes_lack(unused) == LACK_NONE) return at;
    store_le_float(at, unused->rnn_scale);
    store_le_float(at + 4, unused->rnn_shift);
    at = write_scales(&unused->rnn_scales[RNN_WEIGHTS], at + 8);
    return write_scales(&unused->rnn_scales[RNN_PROJECTION], at);
}
