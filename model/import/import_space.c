/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of pixels as channels, and back: a reshape, a transposition, and a
 * reshape. */
#include "model/import/import.h"

#include <string.h>

/* The input, of four dimensions, and the blocks' size. */
static bool read_blocks(
        struct import *im, struct graph_shape *x, int64_t *block)
{
    if (!import_check_inputs(im, 1, 1)) return false;
    *x = import_tensor(im, import_input(im, 0))->shape;
    *block = 0;
    if (!import_int(im, "blocksize", block)) return false;
    if (x->ndims != 4) return import_fail(im, "%d dimensions, not 4", x->ndims);
    return (*block >= 1 && *block <= INT16_MAX)
           || import_fail(im, "attribute blocksize is %lld", (long long)*block);
}

/* Input 0 as `split`, turned, and as `out`. */
static bool emit_turned(struct import *im, const struct graph_shape *split,
        const int perm[graph_max_ndims], const struct graph_shape *out)
{
    struct graph_node node = {.op = graph_op_transpose, .input_count = 1};
    struct graph_shape turned = *split;
    int x = import_emit_reshape(im, import_input(im, 0), split, import_between);
    if (x == graph_none) return false;
    for (int d = 0; d < split->ndims; d++) {
        node.u.perm[d] = perm[d];
        turned.dims[d] = split->dims[perm[d]];
    }
    node.inputs = &x;
    int y = import_emit(
            im, &node, import_tensor(im, x)->type, &turned, import_between);
    return y != graph_none && import_emit_reshape(im, y, out, 0) != graph_none;
}

bool import_depth_to_space(struct import *im, enum graph_op op)
{
    /* Which of the blocks' two dimensions are before the channels. */
    static const int depth_first[graph_max_ndims] = {0, 3, 4, 1, 5, 2};
    static const int columns_first[graph_max_ndims] = {0, 1, 4, 2, 5, 3};
    char mode[import_word_size] = "DCR";
    struct graph_shape x;
    int64_t b;
    (void)op;
    if (!read_blocks(im, &x, &b) || !import_word(im, "mode", mode))
        return false;
    bool is_depth_first = strcmp(mode, "DCR") == 0;
    if (!is_depth_first && strcmp(mode, "CRD") != 0)
        return import_fail(im, "attribute mode is '%s'", mode);
    if (x.dims[1] % (b * b) != 0)
        return import_fail(im, "%lld channels in blocks of %lld squared",
                (long long)x.dims[1], (long long)b);
    int64_t channels = x.dims[1] / (b * b);
    struct graph_shape split = {.ndims = 6,
            .dims = {x.dims[0], b, b, channels, x.dims[2], x.dims[3]}};
    if (!is_depth_first) {
        split.dims[1] = channels;
        split.dims[3] = b;
    }
    struct graph_shape out = {.ndims = 4,
            .dims = {x.dims[0], channels, x.dims[2] * b, x.dims[3] * b}};
    return emit_turned(
            im, &split, is_depth_first ? depth_first : columns_first, &out);
}

bool import_space_to_depth(struct import *im, enum graph_op op)
{
    static const int perm[graph_max_ndims] = {0, 3, 5, 1, 2, 4};
    struct graph_shape x;
    int64_t b;
    (void)op;
    if (!read_blocks(im, &x, &b)) return false;
    if (x.dims[2] % b != 0 || x.dims[3] % b != 0)
        return import_fail(im, "%lld by %lld in blocks of %lld",
                (long long)x.dims[2], (long long)x.dims[3], (long long)b);
    int64_t height = x.dims[2] / b;
    int64_t width = x.dims[3] / b;
    struct graph_shape split = {
            .ndims = 6, .dims = {x.dims[0], x.dims[1], height, b, width, b}};
    struct graph_shape out = {
            .ndims = 4, .dims = {x.dims[0], x.dims[1] * b * b, height, width}};
    return emit_turned(im, &split, perm, &out);
}
