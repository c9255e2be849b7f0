/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/attributes.h"

#include "common/byte_order.h"

#include <stdlib.h>

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr)
{
    if (attr == NULL) return dnnl_invalid_arguments;
    struct dnnl_primitive_attr *a = calloc(1, sizeof *a);
    if (a == NULL) return dnnl_out_of_memory;
    *attr = a;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops)
{
    static const struct dnnl_post_ops none;
    if (attr == NULL) return dnnl_invalid_arguments;
    attr->post_ops = post_ops != NULL ? *post_ops : none;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr)
{
    free(attr);
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops)
{
    if (post_ops == NULL) return dnnl_invalid_arguments;
    struct dnnl_post_ops *p = calloc(1, sizeof *p);
    if (p == NULL) return dnnl_out_of_memory;
    *post_ops = p;
    return dnnl_success;
}

bool eltwise_is_valid(dnnl_alg_kind_t alg, float alpha, float beta)
{
    if (alg < dnnl_eltwise_relu || alg > dnnl_eltwise_hardswish) return false;
    switch (alg) {
    /* Bounds the wrong way round, or none at all. */
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
        return alpha <= beta;
    case dnnl_eltwise_soft_relu:
        return alpha != 0.0f;
    default:
        return true;
    }
}

dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, float alpha, float beta)
{
    if (post_ops == NULL || !eltwise_is_valid(alg_kind, alpha, beta))
        return dnnl_invalid_arguments;
    if (post_ops->count == DNNL_CACHE_MAX_POST_OPS) return dnnl_out_of_memory;
    post_ops->ops[post_ops->count++] =
            (struct post_op){dnnl_eltwise, alg_kind, alpha, beta};
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops)
{
    free(post_ops);
    return dnnl_success;
}

uint8_t *post_ops_write_id(const struct dnnl_post_ops *post_ops, uint8_t *at)
{
    store_le32(at, (uint32_t)post_ops->count);
    at += 4;
    for (int i = 0; i < post_ops->count; i++, at += 16) {
        const struct post_op *op = &post_ops->ops[i];
        store_le32(at, (uint32_t)op->kind);
        store_le32(at + 4, (uint32_t)op->alg_kind);
        store_le_float(at + 8, op->alpha);
        store_le_float(at + 12, op->beta);
    }
    return at;
}
