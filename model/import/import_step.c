/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import_step.h"
#include "model/onnx/onnx.h"
#include "model/onnx/onnx_names.h"

#include <stdlib.h>
#include <string.h>

/* The node that a step is, of which all but attributes has its place here. */
struct made {
    Onnx__NodeProto node;
    char *inputs[import_step_inputs];
    char *outputs[import_step_outputs];
    char names[import_step_outputs][import_name_size];
    Onnx__AttributeProto *attributes;
    Onnx__AttributeProto **list;
};

static char nothing[] = "";

/* Tensors in between have names that nothing was to find. */
static bool make_inputs(
        struct import *im, const struct import_step *step, struct made *made)
{
    for (int i = 0; i < step->input_count; i++) {
        if (step->inputs[i] == graph_none) return false;
        made->inputs[i] = nothing;
        if (step->inputs[i] == import_absent) continue;
        made->inputs[i] = im->graph->tensors[step->inputs[i]].name;
        names_find(im->names, made->inputs[i])->tensor = step->inputs[i];
    }
    made->node.n_input = (size_t)step->input_count;
    made->node.input = made->inputs;
    return true;
}

static bool make_outputs(struct import *im, int count, struct made *made)
{
    for (int i = 0; i < count; i++) {
        if (!import_fresh_name(im, made->names[i])) return false;
        made->outputs[i] = made->names[i];
    }
    made->node.n_output = (size_t)count;
    made->node.output = made->outputs;
    return true;
}

/* Of those that a function's node refers to, the values. */
static bool make_attributes(
        struct import *im, const struct import_step *step, struct made *made)
{
    const size_t given =
            step->has_attributes_of_node ? im->node->n_attribute : 0;
    const size_t most = given + import_step_settings;
    size_t count = 0;
    made->attributes = calloc(most, sizeof *made->attributes);
    made->list = calloc(most, sizeof *made->list);
    if (made->attributes == NULL || made->list == NULL)
        return fail_out_of_memory(im->failure);
    for (size_t i = 0; i < given; i++) {
        char *name = im->node->attribute[i]->name;
        const Onnx__AttributeProto *a =
                name == NULL ? NULL : import_attribute(im, name);
        if (a == NULL) continue;
        made->attributes[count] = *a;
        made->attributes[count++].name = name;
    }
    for (int i = 0; i < import_step_settings; i++) {
        if (step->settings[i].name == NULL) break;
        Onnx__AttributeProto *a = &made->attributes[count++];
        onnx__attribute_proto__init(a);
        a->name = (char *)(uintptr_t)step->settings[i].name;
        a->has_type = a->has_i = true;
        a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        a->i = step->settings[i].value;
    }
    for (size_t i = 0; i < count; i++)
        made->list[i] = &made->attributes[i];
    made->node.n_attribute = count;
    made->node.attribute = made->list;
    return true;
}

/* In hand instead of the node that it is a part of. */
static bool import_made(
        struct import *im, const struct import_step *step, struct made *made)
{
    const Onnx__NodeProto *node = im->node;
    struct scope *scope = im->scope;
    const int64_t opset = im->opset;
    im->node = &made->node;
    im->scope = NULL;
    im->opset = step->opset == 0 ? onnx_newest_opset : step->opset;
    const bool ok = import_operator_node(im, "");
    im->node = node;
    im->scope = scope;
    im->opset = opset;
    return ok;
}

bool import_steps(
        struct import *im, const struct import_step *step, int *outputs)
{
    struct made made = {.attributes = NULL};
    const int count = step->output_count == 0 ? 1 : step->output_count;
    onnx__node_proto__init(&made.node);
    made.node.op_type = (char *)(uintptr_t)step->op;
    bool ok = make_inputs(im, step, &made) && make_outputs(im, count, &made)
              && make_attributes(im, step, &made)
              && import_made(im, step, &made);
    free(made.attributes);
    free(made.list);
    for (int i = 0; ok && i < count; i++)
        outputs[i] = names_find(im->names, made.names[i])->tensor;
    return ok;
}

int import_emit_step(
        struct import *im, const struct import_step *step, int output)
{
    int tensor;
    if (!import_steps(im, step, &tensor)) return graph_none;
    (void)import_alias(im, tensor, output);
    return tensor;
}
