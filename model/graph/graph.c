/* SPDX-License-Identifier: Apache-2.0 */
#include "model/graph/graph.h"

#include "src/common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Room for one more --------------------------------------------------- */

static bool grow(void *array, int count, size_t size, struct failure *failure)
{
    if (count > INT32_MAX / 2)
        return fail(failure, "more than %d parts of a graph", count);
    return array_grow(array, (size_t)count, size)
           || fail_out_of_memory(failure);
}

int graph_add_tensor(struct graph *graph, const char *name,
        enum graph_type type, const struct graph_shape *shape, void *data,
        struct failure *failure)
{
    if (!graph_shape_fits(shape, 0)) {
        free(data);
        return fail(failure, "%s: more elements than can be addressed", name),
               graph_none;
    }
    char *copy = strdup(name);
    bool room = grow(&graph->tensors, graph->tensor_count,
            sizeof *graph->tensors, failure);
    if (copy == NULL || !room) {
        (void)fail_out_of_memory(failure);
        free(copy);
        free(data);
        return graph_none;
    }
    graph->tensors[graph->tensor_count] = (struct graph_tensor){
            .name = copy,
            .type = type,
            .shape = *shape,
            .data = data,
            .producer = graph_none,
    };
    return graph->tensor_count++;
}

int graph_add_node(struct graph *graph, const struct graph_node *node,
        struct failure *failure)
{
    bool room = grow(
            &graph->nodes, graph->node_count, sizeof *graph->nodes, failure);
    struct graph_node copy = *node;
    size_t inputs_size = (size_t)node->input_count * sizeof *node->inputs;
    copy.label = strdup(node->label);
    copy.inputs = malloc(inputs_size + 1);
    if (!room || copy.label == NULL || copy.inputs == NULL) {
        free(copy.label);
        free(copy.inputs);
        (void)fail_out_of_memory(failure);
        return graph_none;
    }
    if (inputs_size != 0) memcpy(copy.inputs, node->inputs, inputs_size);
    graph->nodes[graph->node_count] = copy;
    graph->tensors[node->output].producer = graph->node_count;
    return graph->node_count++;
}

bool graph_add_input(struct graph *graph, int tensor, struct failure *failure)
{
    bool room = grow(
            &graph->inputs, graph->input_count, sizeof *graph->inputs, failure);
    if (room) graph->inputs[graph->input_count++] = tensor;
    return room;
}

bool graph_add_output(struct graph *graph, const char *name, int tensor,
        struct failure *failure)
{
    if (!grow(&graph->outputs, graph->output_count, sizeof *graph->outputs,
                failure))
        return false;
    char *copy = strdup(name);
    if (copy == NULL) return fail_out_of_memory(failure);
    graph->outputs[graph->output_count++] =
            (struct graph_output){.name = copy, .tensor = tensor};
    return true;
}

/* ---- End ----------------------------------------------------------------- */

static void tensor_fini(struct graph_tensor *tensor)
{
    deferred_destroy(tensor->deferred);
    free(tensor->name);
    free(tensor->data);
}

static void node_fini(struct graph_node *node)
{
    free(node->label);
    free(node->inputs);
}

void graph_fini(struct graph *graph)
{
    if (graph == NULL) return;
    for (int i = 0; i < graph->tensor_count; i++)
        tensor_fini(&graph->tensors[i]);
    for (int i = 0; i < graph->node_count; i++)
        node_fini(&graph->nodes[i]);
    for (int i = 0; i < graph->output_count; i++)
        free(graph->outputs[i].name);
    free(graph->tensors);
    free(graph->nodes);
    free(graph->inputs);
    free(graph->outputs);
    memset(graph, 0, sizeof *graph);
}

/* ---- Constants ----------------------------------------------------------- */

bool graph_tensor_read(
        const struct graph_tensor *tensor, struct failure *failure)
{
    return deferred_read(tensor->deferred, failure);
}

bool graph_read(struct graph *graph, struct failure *failure)
{
    for (int i = 0; i < graph->tensor_count; i++)
        if (!graph_tensor_read(&graph->tensors[i], failure)) return false;
    return true;
}

bool graph_close_files(struct graph *graph, struct failure *failure)
{
    bool ok = true;
    for (int i = 0; i < graph->tensor_count; i++)
        ok = deferred_close(graph->tensors[i].deferred, failure) && ok;
    return ok;
}

/* ---- What nobody needs --------------------------------------------------- */

/* Marks what the outputs need, last nodes first. */
static void mark(const struct graph *graph, bool *needed)
{
    for (int i = 0; i < graph->input_count; i++)
        needed[graph->inputs[i]] = true;
    for (int i = 0; i < graph->output_count; i++)
        needed[graph->outputs[i].tensor] = true;
    for (int i = graph->node_count - 1; i >= 0; i--) {
        const struct graph_node *node = &graph->nodes[i];
        for (int k = 0; needed[node->output] && k < node->input_count; k++)
            if (node->inputs[k] != graph_none) needed[node->inputs[k]] = true;
    }
}

/* Keeps the needed tensors; their new numbers go to `numbers`. */
static void keep_tensors(struct graph *graph, const bool *needed, int *numbers)
{
    int kept = 0;
    for (int i = 0; i < graph->tensor_count; i++) {
        numbers[i] = needed[i] ? kept : graph_none;
        if (needed[i])
            graph->tensors[kept++] = graph->tensors[i];
        else
            tensor_fini(&graph->tensors[i]);
    }
    graph->tensor_count = kept;
}

static void keep_nodes(
        struct graph *graph, const bool *needed, const int *numbers)
{
    int kept = 0;
    for (int i = 0; i < graph->node_count; i++) {
        struct graph_node *node = &graph->nodes[i];
        if (!needed[node->output]) {
            node_fini(node);
            continue;
        }
        node->output = numbers[node->output];
        graph->tensors[node->output].producer = kept;
        for (int k = 0; k < node->input_count; k++)
            if (node->inputs[k] != graph_none)
                node->inputs[k] = numbers[node->inputs[k]];
        graph->nodes[kept++] = *node;
    }
    graph->node_count = kept;
}

bool graph_sweep(struct graph *graph, struct failure *failure)
{
    size_t count = (size_t)graph->tensor_count;
    bool *needed = calloc(count + 1, sizeof *needed);
    int *numbers = calloc(count + 1, sizeof *numbers);
    bool ok = needed != NULL && numbers != NULL;
    if (ok) {
        mark(graph, needed);
        keep_tensors(graph, needed, numbers);
        keep_nodes(graph, needed, numbers);
        for (int i = 0; i < graph->input_count; i++)
            graph->inputs[i] = numbers[graph->inputs[i]];
        for (int i = 0; i < graph->output_count; i++)
            graph->outputs[i].tensor = numbers[graph->outputs[i].tensor];
    } else {
        (void)fail_out_of_memory(failure);
    }
    free(needed);
    free(numbers);
    return ok;
}

int graph_find_tensor(const struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->tensor_count; i++)
        if (strcmp(graph->tensors[i].name, name) == 0) return i;
    return graph_none;
}
