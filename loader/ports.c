/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include "fold_parts.h"
#include "half.h"
#include "tensor_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Inputs -------------------------------------------------------------- */

void *ports_widen(const struct graph_tensor *t, enum element to)
{
    const int64_t count = graph_shape_count(&t->shape);
    const size_t size = (size_t)element_words(to) * sizeof(float);
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

/* A file's elements, which the caller frees; NULL, said. */
static void *read_file(const struct graph_tensor *expected, enum element to,
        const char *path, struct failure *failure)
{
    struct graph_tensor tensor = {0};
    void *data = NULL;
    if (!tensor_file_read(&tensor, path, failure)) return NULL;
    if (tensor.type != expected->type
            || !graph_shape_equal(&tensor.shape, &expected->shape))
        fail(failure, "%s has not the type and shape of input '%s'", path,
                expected->name);
    else if ((data = ports_widen(&tensor, to)) == NULL)
        fail_out_of_memory(failure);
    tensor_file_fini(&tensor);
    return data;
}

/* i / n, rounded; of integers i. */
static void *make_ramp(const struct view *view)
{
    const int64_t count = layout_count(&view->layout);
    if (view->element == element_f32) return tensor_file_ramp(count);
    void *data = malloc((size_t)view_words(view) * sizeof(float));
    for (int64_t i = 0; data != NULL && i < count; i++)
        if (view->element == element_f64)
            ((double *)data)[i] = (double)i / (double)count;
        else
            ((int64_t *)data)[i] = i;
    return data;
}

static bool write_input(struct loader *l, int i, struct failure *failure)
{
    const struct plan_port *port = &l->plan.inputs[i];
    const char *path =
            i < l->options->input_count ? l->options->inputs[i] : "ramp";
    const struct graph_tensor *tensor = &l->graph.tensors[port->tensor];
    void *data;
    if (strcmp(path, "ramp") == 0) {
        data = make_ramp(&port->view);
        if (data == NULL) return fail_out_of_memory(failure);
    } else {
        data = read_file(tensor, port->view.element, path, failure);
        if (data == NULL) return false;
    }
    const bool ok = runner_write(&l->runner, &port->view, data, failure);
    free(data);
    return ok;
}

bool ports_write_inputs(struct loader *loader, struct failure *failure)
{
    if (loader->options->input_count > loader->plan.input_count)
        return fail(failure, "the model has %d inputs, not %d",
                loader->plan.input_count, loader->options->input_count);
    for (int i = 0; i < loader->plan.input_count; i++)
        if (!write_input(loader, i, failure)) return false;
    return true;
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

bool ports_read_view(struct loader *loader, int tensor_number,
        const struct view *view, const char *name, struct graph_tensor *tensor,
        struct failure *failure)
{
    const struct graph_tensor *is = &loader->graph.tensors[tensor_number];
    void *data = malloc((size_t)layout_count(&view->layout)
                        * (size_t)element_words(view->element) * sizeof(float));
    *tensor = (struct graph_tensor){.name = strdup(name),
            .type = is->type,
            .shape = is->shape,
            .data = malloc(graph_tensor_size(is)),
            .producer = graph_none};
    bool ok = data != NULL && tensor->name != NULL && tensor->data != NULL;
    if (!ok) fail_out_of_memory(failure);
    ok = ok && runner_read(&loader->runner, view, data, failure);
    if (ok) ports_narrow(tensor, data);
    free(data);
    return ok;
}

/* What is compared is what is written: what is beyond halves is infinite. */
static void round_to_halves(struct graph_tensor *tensor)
{
    const int64_t count = graph_shape_count(&tensor->shape);
    float *data = tensor->data;
    for (int64_t i = 0; i < count; i++)
        data[i] = half_to_float(half_from_float(data[i]));
}

bool ports_read_output(struct loader *loader, int i,
        struct graph_tensor *tensor, struct failure *failure)
{
    const struct plan_port *port = &loader->plan.outputs[i];
    const bool ok = ports_read_view(
            loader, port->tensor, &port->view, port->name, tensor, failure);
    tensor->is_half = loader->graph.outputs[i].is_half;
    if (ok && tensor->is_half) round_to_halves(tensor);
    return ok;
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
        const double e = fold_read_float(expected, i);
        const double a = fold_read_float(actual, i);
        const bool is_same = e == a || (isnan(e) && isnan(a));
        /* Everything is within a part of infinity. */
        const bool is_near =
                isfinite(e) && fabs(e - a) <= relative * fabs(e) + absolute;
        if (!is_same && !is_near) wrong++;
    }
    return wrong;
}
