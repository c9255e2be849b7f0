/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in which some elements are others. */
#include "model/import/import_picks.h"

#include <string.h>

static bool read_reduction(struct import *im, enum graph_scatter *how)
{
    static const char *const words[] = {[graph_scatter_none] = "none",
            [graph_scatter_add] = "add",
            [graph_scatter_mul] = "mul",
            [graph_scatter_max] = "max",
            [graph_scatter_min] = "min"};
    char word[import_word_size] = "none";
    if (!import_word(im, "reduction", word)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *how = (enum graph_scatter)i;
            return *how == graph_scatter_none
                   || import_tensor(im, import_input(im, 0))->type
                              != graph_type_bool
                   || import_fail(im, "reduction '%s' of type bool", word);
        }
    return import_fail(im, "reduction '%s' is not known here", word);
}

/* Three inputs, of which the updates have the data's type. */
static bool check_inputs(struct import *im, enum graph_scatter *how)
{
    if (!import_check_inputs(im, 3, 3) || !read_reduction(im, how))
        return false;
    const enum graph_type x = import_tensor(im, import_input(im, 0))->type;
    const enum graph_type updates =
            import_tensor(im, import_input(im, 2))->type;
    return x == updates
           || import_fail(im, "updates of type %s for %s",
                   graph_type_name(updates), graph_type_name(x));
}

static int emit_scatter(struct import *im, struct graph_node *node, int output)
{
    const struct graph_tensor *x = import_tensor(im, node->inputs[0]);
    const struct graph_shape shape = x->shape;
    node->input_count = 3;
    return import_emit(im, node, x->type, &shape, output);
}

static bool has_updates(const struct import *im)
{
    return graph_shape_count(&import_tensor(im, import_input(im, 2))->shape)
           != 0;
}

bool import_scatter_elements(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    if (!check_inputs(im, &node.u.scatter.how)) return false;
    int inputs[3] = {
            import_input(im, 0), import_input(im, 1), import_input(im, 2)};
    const struct graph_shape x = import_tensor(im, inputs[0])->shape;
    const struct graph_tensor *indices = import_tensor(im, inputs[1]);
    if (indices->type != graph_type_i64 && indices->type != graph_type_i32)
        return import_fail(
                im, "indices of type %s", graph_type_name(indices->type));
    if (indices->shape.ndims != x.ndims)
        return import_fail(im, "indices of %d dimensions for %d",
                indices->shape.ndims, x.ndims);
    if (!import_check_shape(im, 2, &indices->shape)
            || !import_axis_attribute(im, 0, x.ndims, &node.u.scatter.axis))
        return false;
    const int axis = node.u.scatter.axis;
    for (int d = 0; d < x.ndims; d++)
        if (d != axis && indices->shape.dims[d] > x.dims[d])
            return import_fail(im, "indices of %lld in dimension %d of %lld",
                    (long long)indices->shape.dims[d], d, (long long)x.dims[d]);
    if (!has_updates(im)) return import_alias(im, inputs[0], 0);
    if (!import_check_indices(im, inputs[1], x.dims[axis])) return false;
    node.inputs = inputs;
    return emit_scatter(im, &node, 0) != graph_none;
}

/* A dimension of places, and one of what is at a place. */
static bool emit_lines(
        struct import *im, const struct picks *p, struct graph_node *node)
{
    struct graph_shape x = {.ndims = 2, .dims = {1, 1}};
    struct graph_shape updates = {.ndims = 2, .dims = {1, 1}};
    struct graph_shape indices = {.ndims = 2, .dims = {1, 1}};
    for (int d = 0; d < p->x.ndims; d++)
        x.dims[d < p->depth ? 0 : 1] *= p->x.dims[d];
    indices.dims[0] = updates.dims[0] = graph_shape_count(&p->places);
    updates.dims[1] = x.dims[1];
    node->inputs[0] =
            import_emit_reshape(im, import_input(im, 0), &x, import_between);
    node->inputs[1] = import_emit_reshape(
            im, import_emit_picks(im, p, x.dims[0]), &indices, import_between);
    node->inputs[2] = import_emit_reshape(
            im, import_input(im, 2), &updates, import_between);
    return node->inputs[0] != graph_none && node->inputs[1] != graph_none
           && node->inputs[2] != graph_none;
}

bool import_scatter_nd(struct import *im, enum graph_op op)
{
    struct picks p;
    int inputs[3];
    struct graph_node node = {.op = op, .inputs = inputs};
    if (!check_inputs(im, &node.u.scatter.how) || !import_read_picks(im, 0, &p))
        return false;
    struct graph_shape updates = p.places;
    for (int d = p.depth; d < p.x.ndims; d++) {
        if (updates.ndims == graph_max_ndims)
            return import_fail(
                    im, "more than %d dimensions", (int)graph_max_ndims);
        updates.dims[updates.ndims++] = p.x.dims[d];
    }
    if (!import_check_shape(im, 2, &updates)) return false;
    if (!has_updates(im)) return import_alias(im, import_input(im, 0), 0);
    if (!emit_lines(im, &p, &node)) return false;
    const int y = emit_scatter(im, &node, import_between);
    return import_emit_reshape(im, y, &p.x, 0) != graph_none;
}
