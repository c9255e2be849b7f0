/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double element(const struct graph_tensor *t, int64_t i)
{
    switch (t->type) {
    case graph_type_f64:
        return ((const double *)t->data)[i];
    case graph_type_i32:
        return (double)((const int32_t *)t->data)[i];
    case graph_type_i64:
        return (double)((const int64_t *)t->data)[i];
    case graph_type_bool:
        return ((const uint8_t *)t->data)[i] != 0;
    default:
        return (double)((const float *)t->data)[i];
    }
}

/* ---- Inputs -------------------------------------------------------------- */

void *ports_widen(const struct graph_tensor *t, enum element to)
{
    const int64_t count = graph_shape_count(&t->shape);
    const size_t size = (size_t)element_words(to) * sizeof(float);
    void *data = malloc((size_t)count * size);
    if (data == NULL) return NULL;
    if (t->type != graph_type_i32 && t->type != graph_type_bool) {
        memcpy(data, t->data, (size_t)count * size);
        return data;
    }
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)data)[i] = (int64_t)element(t, i);
    return data;
}

/* ---- Outputs ------------------------------------------------------------- */

void ports_narrow(struct graph_tensor *tensor, const void *data)
{
    const int64_t count = graph_shape_count(&tensor->shape);
    const int64_t *wide = data;
    if (tensor->type == graph_type_i32)
        for (int64_t i = 0; i < count; i++)
            ((int32_t *)tensor->data)[i] = (int32_t)wide[i];
    else if (tensor->type == graph_type_bool)
        for (int64_t i = 0; i < count; i++)
            ((uint8_t *)tensor->data)[i] = wide[i] != 0;
    else
        memcpy(tensor->data, data, graph_tensor_size(tensor));
}

int64_t ports_compare(const struct graph_tensor *expected,
        const struct graph_tensor *actual, double relative, double absolute)
{
    const int64_t count = graph_shape_count(&expected->shape);
    int64_t wrong = 0;
    if (expected->type != actual->type
            || !graph_shape_equal(&expected->shape, &actual->shape))
        return count > 0 ? count : 1;
    for (int64_t i = 0; i < count; i++) {
        const double e = element(expected, i), a = element(actual, i);
        const bool is_same = e == a || (isnan(e) && isnan(a));
        /* Everything is within a part of infinity. */
        const bool is_near =
                isfinite(e) && fabs(e - a) <= relative * fabs(e) + absolute;
        if (!is_same && !is_near) wrong++;
    }
    return wrong;
}
