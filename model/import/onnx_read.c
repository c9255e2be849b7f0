/* SPDX-License-Identifier: Apache-2.0 */
/* A file of ONNX, from its bytes to a graph. */
#include "model/import/fixed_input.h"
#include "model/import/import.h"
#include "model/import/import_inline.h"
#include "model/onnx/onnx.h"
#include "model/onnx/onnx_declared.h"
#include "model/onnx/onnx_model.h"
#include "model/onnx/onnx_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CONSTANT_LIMIT (UINT64_C(1) << 30)

bool import_is_standard_domain(const char *domain)
{
    return domain == NULL || domain[0] == '\0'
           || strcmp(domain, "ai.onnx") == 0;
}

static bool is_same_domain(const char *a, const char *b)
{
    const bool is_standard = import_is_standard_domain(a);
    return is_standard == import_is_standard_domain(b)
           && (is_standard || strcmp(a, b) == 0);
}

/* Files import a few. */
static bool check_imports(
        struct import *im, Onnx__OperatorSetIdProto **sets, size_t count)
{
    enum { most_imports = 256 };
    if (count > most_imports)
        return fail(im->failure, "%zu operator sets are imported, at most %d",
                count, (int)most_imports);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_domain(sets[i]->domain, sets[k]->domain))
                return fail(im->failure,
                        "operator sets %lld and %lld of %s are imported",
                        (long long)sets[k]->version,
                        (long long)sets[i]->version,
                        import_is_standard_domain(sets[i]->domain)
                                ? "the standard domain"
                                : sets[i]->domain);
    return true;
}

bool import_take_opset(
        struct import *im, Onnx__OperatorSetIdProto **sets, size_t count)
{
    if (!check_imports(im, sets, count)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!import_is_standard_domain(sets[i]->domain)) continue;
        im->opset = sets[i]->version;
        return import_check_opset(im);
    }
    return true;
}

static bool read_opset(struct import *im, const Onnx__ModelProto *model)
{
    enum { first_ir_with_imports = 3 };
    if (model->n_opset_import == 0
            && model->ir_version >= first_ir_with_imports)
        return fail(im->failure, "the model imports no operator set");
    /* The first files did not say. Calls of functions need none. */
    im->opset = model->n_opset_import == 0 ? 1 : import_no_opset;
    return import_take_opset(im, model->opset_import, model->n_opset_import);
}

bool import_check_opset(struct import *im)
{
    return (im->opset >= onnx_oldest_opset && im->opset <= onnx_newest_opset)
           || fail(im->failure, "operator set %lld, %d to %d are known",
                   (long long)im->opset, (int)onnx_oldest_opset,
                   (int)onnx_newest_opset);
}

/* ---- Names --------------------------------------------------------------- */

static bool add_name(
        struct import *im, const char *kind, const char *name, int node)
{
    if (name == NULL || name[0] == '\0')
        return fail(im->failure, "%s without a name", kind);
    return names_add(&im->names, name, node, im->failure)
           || fail(im->failure, "two things are called '%s'", name);
}

/* All that the file defines. An input with the name of an initializer is no
 * input: that is how the first files listed them. */
static bool add_names(struct import *im, const Onnx__GraphProto *file)
{
    for (size_t i = 0; i < file->n_initializer; i++)
        if (!add_name(im, "an initializer", file->initializer[i]->name,
                    graph_none))
            return false;
    for (size_t i = 0; i < file->n_node; i++)
        for (size_t k = 0; k < file->node[i]->n_output; k++)
            if (file->node[i]->output[k][0] != '\0'
                    && !add_name(
                            im, "an output", file->node[i]->output[k], (int)i))
                return false;
    return true;
}

static bool add_constant(struct import *im, Onnx__TensorProto *message)
{
    struct graph_tensor read;
    char what[160];
    (void)snprintf(what, sizeof what, "initializer '%.120s'", message->name);
    if (!onnx_tensor_find(&read, message, what, &im->files, true, im->failure))
        return false;
    int tensor = graph_add_tensor(im->graph, message->name, read.type,
            &read.shape, read.data, im->failure);
    if (tensor == graph_none) {
        deferred_destroy(read.deferred);
        return false;
    }
    im->graph->tensors[tensor].deferred = read.deferred;
    im->graph->tensors[tensor].is_half = read.is_half;
    im->graph->tensors[tensor].is_weight = read.type == graph_type_f32;
    names_find(im->names, message->name)->tensor = tensor;
    return true;
}

static bool add_input(struct import *im, const struct onnx_open *open,
        const Onnx__ValueInfoProto *value)
{
    enum graph_type type;
    struct graph_shape shape;
    if (value->name != NULL && value->name[0] != '\0') {
        const struct name_facts *known = names_find(im->names, value->name);
        if (known != NULL && known->tensor != graph_none
                && im->graph->tensors[known->tensor].data != NULL)
            return true;
    }
    if (!add_name(im, "an input", value->name, graph_none)
            || !onnx_declared_input(open, value, &type, &shape, im->failure))
        return false;
    const bool is_half = onnx_declared_half(value);
    const struct onnx_constant *fixed =
            fixed_input_find(open->source, value->name);
    void *data = NULL;
    if (fixed != NULL
            && !fixed_input_make(&data, im, fixed, type, &shape, is_half))
        return false;
    int tensor = graph_add_tensor(
            im->graph, value->name, type, &shape, data, im->failure);
    if (tensor == graph_none) return false;
    im->graph->tensors[tensor].is_half = is_half;
    if (type == graph_type_f32 && !is_half) im->graph->has_float = true;
    names_find(im->names, value->name)->tensor = tensor;
    return fixed != NULL || graph_add_input(im->graph, tensor, im->failure);
}

static bool add_tensors(struct import *im, const struct onnx_open *open)
{
    const Onnx__GraphProto *file = open->file;
    if (file->n_sparse_initializer != 0)
        return fail(im->failure, "initializers that are sparse");
    for (size_t i = 0; i < file->n_initializer; i++)
        if (!add_constant(im, file->initializer[i])) return false;
    for (size_t i = 0; i < file->n_input; i++)
        if (!add_input(im, open, file->input[i])) return false;
    return fixed_inputs_check(open, im->failure)
           && onnx_declared_given(open, im->graph, im->failure);
}

/* ---- Nodes --------------------------------------------------------------- */

bool import_take_in_hand(struct import *im, const Onnx__NodeProto *node)
{
    const char *type = node->op_type == NULL ? "" : node->op_type;
    if (node->name != NULL && node->name[0] != '\0')
        (void)snprintf(im->label, sizeof im->label, "%.40s '%.100s'", type,
                node->name);
    else
        (void)snprintf(im->label, sizeof im->label, "%.40s of '%.100s'", type,
                node->n_output == 0 ? "" : node->output[0]);
    im->node = node;
    return node->n_output != 0 || import_fail(im, "no output");
}

/* The types that the table of operators promises, and no others. */
static bool check_type(struct import *im, const struct import_operator *found)
{
    const int x = import_input(im, 0);
    if (x == graph_none || found->types == 0) return true;
    const enum graph_type type = import_tensor(im, x)->type;
    return (found->types & 1U << type) != 0
           || import_fail(im,
                   "input 0 is of type %s, not f32 or another that "
                   "%s takes here",
                   graph_type_name(type), found->name);
}

bool import_operator_node(struct import *im, const char *domain)
{
    const char *type = im->node->op_type == NULL ? "" : im->node->op_type;
    const struct import_operator *found = import_find_operator(domain, type);
    if (found == NULL)
        return import_fail(im, "operator %s is not known here", type);
    if (im->opset == import_no_opset)
        return import_fail(
                im, "no operator set of the standard domain is imported");
    return check_type(im, found) && found->function(im, found->op);
}

bool import_node(struct import *im)
{
    const char *domain = im->node->domain == NULL ? "" : im->node->domain;
    const Onnx__FunctionProto *function = import_find_function(im);
    if (function != NULL) return import_call(im, function);
    if (!import_is_standard_domain(domain)
            && strcmp(domain, import_runtime_domain) != 0)
        return import_fail(im, "operators of %s are not known here", domain);
    return import_operator_node(im, domain);
}

enum state { state_new, state_open, state_done };

/* A node on the way down to what others wait for. */
struct step {
    size_t node;
    size_t next_input;
};

struct order {
    const Onnx__GraphProto *file;
    enum state *states; /* of each node */
    struct step *steps;
    size_t depth;
};

static void open_node(struct order *order, size_t node)
{
    order->states[node] = state_open;
    order->steps[order->depth++] = (struct step){node, 0};
}

/* Makes sure of one input of the node in hand, or opens the node that has to
 * come first. */
static bool need(struct import *im, struct order *order, const char *name)
{
    if (name[0] == '\0') return true;
    const struct name_facts *facts = names_find(im->names, name);
    if (facts == NULL)
        return import_fail(im, "input '%s' is nowhere computed", name);
    if (facts->tensor != graph_none) return true;
    size_t node = (size_t)facts->node;
    if (order->states[node] == state_open)
        return import_fail(im, "input '%s' depends on its own result", name);
    if (order->states[node] == state_done)
        return import_fail(im,
                "input '%s' is an output that is not computed "
                "here",
                name);
    open_node(order, node);
    return true;
}

/* A node and all that it needs. */
static bool import_from(struct import *im, struct order *order, size_t first)
{
    open_node(order, first);
    while (order->depth != 0) {
        struct step *step = &order->steps[order->depth - 1];
        size_t depth = order->depth;
        const Onnx__NodeProto *node = order->file->node[step->node];
        if (!import_take_in_hand(im, node)) return false;
        while (step->next_input < node->n_input && order->depth == depth) {
            if (!need(im, order, node->input[step->next_input])) return false;
            /* One that was not there is asked for again: it may still not. */
            if (order->depth == depth) step->next_input++;
        }
        if (order->depth != depth) continue;
        if (!import_node(im)) return false;
        order->states[step->node] = state_done;
        order->depth--;
    }
    return true;
}

/* In the file's order, which is that in which they can run; or else in one. */
static bool import_nodes(struct import *im, const Onnx__GraphProto *file)
{
    struct order order = {
            .file = file,
            .states = calloc(file->n_node + 1, sizeof *order.states),
            .steps = calloc(file->n_node + 1, sizeof *order.steps),
    };
    bool ok = order.states != NULL && order.steps != NULL;
    if (!ok) (void)fail_out_of_memory(im->failure);
    for (size_t i = 0; ok && i < file->n_node; i++)
        if (order.states[i] == state_new) ok = import_from(im, &order, i);
    free(order.states);
    free(order.steps);
    return ok;
}

/* ---- The graph ----------------------------------------------------------- */

static bool add_outputs(struct import *im, const Onnx__GraphProto *file)
{
    for (size_t i = 0; i < file->n_output; i++) {
        const char *name = file->output[i]->name;
        struct name_facts *facts =
                name == NULL ? NULL : names_find(im->names, name);
        if (facts == NULL || facts->tensor == graph_none)
            return fail(im->failure, "output '%s' is %s computed%s",
                    name == NULL ? "" : name, facts == NULL ? "nowhere" : "not",
                    facts == NULL ? "" : " here");
        if (facts->is_output)
            return fail(im->failure, "two outputs are called '%s'", name);
        facts->is_output = true;
        if (!graph_shape_fits(&im->graph->tensors[facts->tensor].shape, 1))
            return fail(im->failure, "output '%s' has no elements", name);
        if (!graph_add_output(im->graph, name, facts->tensor, im->failure))
            return false;
        im->graph->outputs[i].is_half = onnx_declared_half(file->output[i]);
    }
    return im->graph->output_count != 0 || fail(im->failure, "no outputs");
}

/* What the file says of the types of its tensors must be so. */
static bool check_declared(
        struct import *im, Onnx__ValueInfoProto **values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct name_facts *facts =
                values[i]->name == NULL
                        ? NULL
                        : names_find(im->names, values[i]->name);
        if (facts != NULL && facts->tensor != graph_none
                && !onnx_declared_check(im->graph, values[i],
                        &im->graph->tensors[facts->tensor], im->failure))
            return false;
    }
    return true;
}

static bool read_graph(struct import *im, const Onnx__ModelProto *model,
        const struct onnx_source *source)
{
    const Onnx__GraphProto *file = model->graph;
    const struct onnx_open open = {file, source};
    if (file == NULL) return fail(im->failure, "a model without a graph");
    return read_opset(im, model) && add_names(im, file)
           && add_tensors(im, &open) && import_nodes(im, file)
           && check_declared(im, file->value_info, file->n_value_info)
           && check_declared(im, file->output, file->n_output)
           && add_outputs(im, file) && graph_sweep(im->graph, im->failure);
}

bool onnx_model_read_graph(struct graph *graph, struct onnx_model *model,
        const struct onnx_source *source, struct failure *failure)
{
    uint64_t limit = source->constant_limit;
    struct import im = {
            .graph = graph,
            .files = {.folder = source->folder, .source = model->source},
            .bytes_left = limit == 0 ? DEFAULT_CONSTANT_LIMIT : limit,
            .failure = failure,
    };
    im.model = model->message;
    bool ok = read_graph(&im, model->message, source);
    if (!ok) graph_fini(graph);
    onnx_files_close(&im.files);
    names_fini(&im.names);
    return ok;
}

bool onnx_read_graph(struct graph *graph, const struct onnx_source *source,
        struct failure *failure)
{
    struct onnx_model *model =
            onnx_model_open(source->bytes, source->size, failure);
    bool ok = model != NULL
              && onnx_model_read_graph(graph, model, source, failure);
    onnx_model_close(model);
    if (ok
            && (!graph_read(graph, failure)
                    || !graph_close_files(graph, failure))) {
        graph_fini(graph);
        ok = false;
    }
    return ok;
}
