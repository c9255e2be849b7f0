/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import.h"

#include <string.h>

bool import_reduction(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    bool keep = true;
    bool may_do_nothing = false;
    bool given;
    if (!import_check_inputs(im, 1, 2)) return false;
    int x = import_input(im, 0);
    enum graph_type type = import_tensor(im, x)->type;
    struct graph_shape reduced = import_tensor(im, x)->shape;
    if (type == graph_type_bool) return import_fail(im, "of type bool");
    if (!import_axes(im, 1, reduced.ndims, node.u.axes, &given)
            || !import_flag(im, "keepdims", &keep)
            || !import_flag(im, "noop_with_empty_axes", &may_do_nothing))
        return false;
    if (!given && may_do_nothing) return import_alias(im, x, 0);
    struct graph_shape dropped = {0};
    for (int d = 0; d < reduced.ndims; d++) {
        node.u.axes[d] = node.u.axes[d] || !given;
        if (!node.u.axes[d])
            dropped.dims[dropped.ndims++] = reduced.dims[d];
        else
            reduced.dims[d] = 1;
    }
    node.input_count = 1;
    node.inputs = &x;
    int y = import_emit(im, &node, type, &reduced, keep ? 0 : import_between);
    return y != graph_none
           && (keep || import_emit_reshape(im, y, &dropped, 0) != graph_none);
}
