/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/weight_memory.h"
#include "model/import/import_scope.h"
#include "model/onnx/onnx_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(name) ((name)->is_lost = true)
#include <uthash.h>

/* Functions that call functions, and all their nodes: a small file could ask
 * for any number of them. */
enum { most_depth = 32, most_nodes = 1 << 18 };

struct meaning {
    UT_hash_handle hh;
    char *name;    /* in the scope */
    char *meaning; /* in the model; "" if nothing is given */
    bool is_lost;
};

/* ---- Names --------------------------------------------------------------- */

const char *import_scope_find(const struct scope *scope, const char *name)
{
    for (; scope != NULL; scope = scope->outer) {
        struct meaning *found = NULL;
        HASH_FIND(hh, scope->meanings, name, strlen(name), found);
        if (found != NULL) return found->meaning;
        if (scope->function != NULL) return NULL;
    }
    return name;
}

const char *import_name(const struct import *im, const char *name)
{
    return import_scope_find(im->scope, name);
}

bool import_scope_add(struct import *im, struct scope *scope, const char *name,
        const char *meaning)
{
    struct meaning *known = NULL;
    HASH_FIND(hh, scope->meanings, name, strlen(name), known);
    if (known != NULL)
        return import_fail(im, "two things are called '%s' inside", name);
    struct meaning *added = calloc(1, sizeof *added);
    if (added == NULL) return fail_out_of_memory(im->failure);
    added->name = strdup(name);
    added->meaning = strdup(meaning);
    bool ok = added->name != NULL && added->meaning != NULL;
    struct meaning *head = scope->meanings;
    if (ok) HASH_ADD_KEYPTR(hh, head, added->name, strlen(name), added);
    if (!ok || added->is_lost) {
        free(added->name);
        free(added->meaning);
        free(added);
        return fail_out_of_memory(im->failure);
    }
    scope->meanings = head;
    return true;
}

bool import_scope_add_own(
        struct import *im, struct scope *scope, const char *name)
{
    char own[240];
    /* Names whose begin is the same are many: the second try is the last. */
    for (int again = 0;; again = ++im->fresh) {
        (void)snprintf(
                own, sizeof own, "%.160s~%d.%d", name, scope->number, again);
        if (names_find(im->names, own) == NULL) break;
    }
    return import_scope_add(im, scope, name, own)
           && names_add(&im->names, own, graph_none, im->failure);
}

void import_scope_fini(struct scope *scope)
{
    struct meaning *next;
    for (struct meaning *m = scope->meanings; m != NULL; m = next) {
        next = m->hh.next;
        HASH_DEL(scope->meanings, m);
        free(m->name);
        free(m->meaning);
        free(m);
    }
}

/* ---- Attributes ---------------------------------------------------------- */

static const Onnx__AttributeProto *attribute_of(
        const Onnx__NodeProto *node, const char *name)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *a = node->attribute[i];
        if (a->name != NULL && strcmp(a->name, name) == 0) return a;
    }
    return NULL;
}

/* The scope of the function that nodes in a scope belong to; NULL: of none. */
static const struct scope *function_of(const struct scope *scope)
{
    while (scope != NULL && scope->function == NULL)
        scope = scope->outer;
    return scope;
}

const Onnx__AttributeProto *import_attribute(
        const struct import *im, const char *name)
{
    const struct scope *scope = function_of(im->scope);
    const Onnx__AttributeProto *a = attribute_of(im->node, name);
    while (a != NULL && a->ref_attr_name != NULL
            && a->ref_attr_name[0] != '\0') {
        if (scope == NULL) return NULL; /* it belongs to no function */
        a = attribute_of(scope->caller, a->ref_attr_name);
        scope = function_of(scope->caller_scope);
    }
    return a;
}

/* A function's defaults are in a field that the messages here do not have. */
static bool check_attributes(
        struct import *im, const Onnx__FunctionProto *function)
{
    enum { attribute_proto = 11 };
    const ProtobufCMessage *message = &function->base;
    for (unsigned i = 0; i < message->n_unknown_fields; i++)
        if (message->unknown_fields[i].tag == attribute_proto)
            return import_fail(im,
                    "default values of a function's attributes are not "
                    "supported");
    return true;
}

/* ---- Nodes --------------------------------------------------------------- */

/* All inputs of the node in hand must be there: nodes inside are in an order in
 * which they can run. */
static bool check_inputs(struct import *im)
{
    for (size_t i = 0; i < im->node->n_input; i++) {
        if (im->node->input[i][0] == '\0') continue;
        const char *name = import_name(im, im->node->input[i]);
        if (name != NULL && name[0] == '\0') continue;
        const struct name_facts *facts =
                name == NULL ? NULL : names_find(im->names, name);
        if (facts == NULL || facts->tensor == graph_none)
            return import_fail(im, "input '%s' is not computed before",
                    im->node->input[i]);
    }
    return true;
}

bool import_count_inside(struct import *im)
{
    return im->inlined_nodes++ < most_nodes
           || import_fail(im,
                   "functions and graphs of nodes have more than %d nodes in "
                   "all",
                   (int)most_nodes);
}

bool import_nodes_inside(
        struct import *im, Onnx__NodeProto **nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!import_count_inside(im) || !import_take_in_hand(im, nodes[i])
                || !check_inputs(im) || !import_node(im))
            return false;
    }
    return true;
}

bool import_inside(struct import *im, struct scope *scope,
        bool (*inside)(struct import *im, const void *what), const void *what)
{
    const Onnx__NodeProto *node = im->node;
    char label[sizeof im->label];
    struct scope *outer = im->scope;
    if (im->depth == most_depth)
        return import_fail(im,
                "more than %d functions, or graphs of nodes, in each other",
                (int)most_depth);
    memcpy(label, im->label, sizeof label);
    im->depth++;
    im->scope = scope;
    bool ok = inside(im, what);
    im->scope = outer;
    im->depth--;
    im->node = node;
    memcpy(im->label, label, sizeof label);
    return ok;
}

/* ---- Functions ----------------------------------------------------------- */

static const char *text(const char *or_null)
{
    return or_null == NULL ? "" : or_null;
}

const Onnx__FunctionProto *import_find_function(const struct import *im)
{
    for (size_t i = 0; i < im->model->n_functions; i++) {
        const Onnx__FunctionProto *f = im->model->functions[i];
        if (strcmp(text(f->name), text(im->node->op_type)) == 0
                && strcmp(text(f->domain), text(im->node->domain)) == 0)
            return f;
    }
    return NULL;
}

static bool add_parameters(
        struct import *im, struct scope *scope, const Onnx__FunctionProto *f)
{
    for (size_t i = 0; i < f->n_input; i++) {
        const char *given = import_has_input(im, i)
                                    ? import_name(im, im->node->input[i])
                                    : "";
        if (!import_scope_add(im, scope, f->input[i], text(given)))
            return false;
    }
    for (size_t i = 0; i < f->n_output; i++) {
        const bool is_input =
                import_scope_find(scope, f->output[i]) != NULL; /* passed on */
        if (is_input)
            return import_fail(im, "output '%s' of the function is an input",
                    f->output[i]);
        const bool ok = import_has_output(im, (int)i)
                                ? import_scope_add(im, scope, f->output[i],
                                        import_name(im, im->node->output[i]))
                                : import_scope_add_own(im, scope, f->output[i]);
        if (!ok) return false;
    }
    return true;
}

bool import_scope_add_outputs(struct import *im, struct scope *scope,
        Onnx__NodeProto **nodes, size_t count, const Onnx__FunctionProto *f)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < nodes[i]->n_output; k++) {
            const char *name = nodes[i]->output[k];
            bool is_parameter = name[0] == '\0';
            for (size_t p = 0; f != NULL && p < f->n_output; p++)
                is_parameter = is_parameter || strcmp(f->output[p], name) == 0;
            if (!is_parameter && !import_scope_add_own(im, scope, name))
                return false;
        }
    return true;
}

static bool import_body(struct import *im, const void *what)
{
    const Onnx__FunctionProto *f = what;
    const int64_t opset = im->opset;
    bool ok = import_take_opset(im, f->opset_import, f->n_opset_import)
              && import_nodes_inside(im, f->node, f->n_node);
    im->opset = opset;
    return ok;
}

bool import_call(struct import *im, const Onnx__FunctionProto *function)
{
    struct scope scope = {.outer = im->scope,
            .number = ++im->scopes,
            .function = function,
            .caller = im->node,
            .caller_scope = im->scope};
    if (im->node->n_input > function->n_input
            || im->node->n_output > function->n_output)
        return import_fail(im, "more inputs or outputs than the function has");
    bool ok = check_attributes(im, function)
              && add_parameters(im, &scope, function)
              && import_scope_add_outputs(
                      im, &scope, function->node, function->n_node, function)
              && import_inside(im, &scope, import_body, function);
    import_scope_fini(&scope);
    return ok;
}

/* ---- Constants ----------------------------------------------------------- */

/* Its bytes, as a copy: reading takes them away. */
static bool copy_raw(struct import *im, Onnx__TensorProto *message)
{
    const ProtobufCBinaryData from = message->raw_data;
    message->raw_data.data = NULL;
    if (!message->has_raw_data || from.len == 0) return true;
    message->raw_data.data = weight_malloc(from.len);
    if (message->raw_data.data == NULL) return fail_out_of_memory(im->failure);
    memcpy(message->raw_data.data, from.data, from.len);
    return true;
}

bool import_read_tensor(struct import *im, struct graph_tensor *read,
        Onnx__TensorProto *message)
{
    Onnx__TensorProto once = *message;
    if (im->depth == 0)
        return onnx_tensor_find(
                read, message, im->label, &im->files, false, im->failure);
    const bool ok = import_charge(im, message->raw_data.len)
                    && copy_raw(im, &once)
                    && onnx_tensor_find(read, &once, im->label, &im->files,
                            false, im->failure);
    if (once.raw_data.data != message->raw_data.data) free(once.raw_data.data);
    if (!ok || message->has_raw_data) return ok;
    if (import_charge(im, graph_tensor_size(read))) return true;
    free(read->data);
    read->data = NULL;
    return false;
}

bool import_scope_add_constants(
        struct import *im, struct scope *scope, const Onnx__GraphProto *graph)
{
    for (size_t i = 0; i < graph->n_initializer; i++) {
        Onnx__TensorProto *message = graph->initializer[i];
        struct graph_tensor read = {0};
        if (!import_scope_add_own(im, scope, text(message->name))
                || !import_read_tensor(im, &read, message))
            return false;
        const char *name = import_scope_find(scope, text(message->name));
        int tensor = graph_add_tensor(im->graph, name, read.type, &read.shape,
                read.data, im->failure);
        if (tensor == graph_none) return false;
        im->graph->tensors[tensor].is_weight = read.type == graph_type_f32;
        names_find(im->names, name)->tensor = tensor;
    }
    return true;
}
