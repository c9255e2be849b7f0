/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/ports.h"

#include "model/graph/fold_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Inputs -------------------------------------------------------------- */

void *ports_widen(const struct graph_tensor *t, enum element to)
{
    const int64_t count = graph_shape_count(&t->shape);
    /* Halves are floats on the host. */
    const size_t size = to == element_f16
                                ? sizeof(float)
                                : (size_t)element_words(to) * word_bytes;
    void *data = malloc((size_t)count * size);
    if (data == NULL) return NULL;
    if (graph_type_is_float(t->type) || t->type == graph_type_i64) {
        memcpy(data, t->data, (size_t)count * size);
        return data;
    }
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)data)[i] = fold_read_int(t, i);
    return data;
}

/* ---- Outputs ------------------------------------------------------------- */

void ports_narrow(struct graph_tensor *tensor, const void *data)
{
    const int64_t count = graph_shape_count(&tensor->shape);
    const int64_t *wide = data;
    if (graph_type_is_float(tensor->type) || tensor->type == graph_type_i64)
        memcpy(tensor->data, data, graph_tensor_size(tensor));
    else
        for (int64_t i = 0; i < count; i++)
            fold_write_int(tensor, i, wide[i]);
}
