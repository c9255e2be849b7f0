/* SPDX-License-Identifier: Apache-2.0 */
/* Resize and, before it, Upsample. */
#include "model/import/import.h"

#include <math.h>
#include <string.h>

/* Words of the file and what they mean. */
struct word {
    const char *text;
    int meaning;
};

static bool find_word(struct import *im, const char *name, const char *text,
        const struct word *words, size_t count, int *meaning)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].text, text) == 0) {
            *meaning = words[i].meaning;
            return true;
        }
    return import_fail(im, "%s is '%s', which is not known here", name, text);
}

static bool read_coordinates(
        struct import *im, enum graph_resize_coordinates *coordinates)
{
    static const struct word words[] = {
            {"half_pixel", graph_resize_half_pixel},
            {"pytorch_half_pixel", graph_resize_pytorch_half_pixel},
            {"align_corners", graph_resize_align_corners},
            {"asymmetric", graph_resize_asymmetric},
    };
    /* Before operator set 11 there was no choice. */
    bool chooses = im->opset >= 11;
    char text[import_word_size] = "asymmetric";
    int meaning = 0;
    if (chooses) strcpy(text, "half_pixel");
    const char *name = "coordinate_transformation_mode";
    if ((chooses && !import_word(im, name, text))
            || !find_word(im, name, text, words, sizeof words / sizeof *words,
                    &meaning))
        return false;
    *coordinates = (enum graph_resize_coordinates)meaning;
    return true;
}

static bool read_mode(struct import *im, enum graph_resize_mode *mode)
{
    static const struct word roundings[] = {
            {"round_prefer_floor", graph_resize_nearest_round_down},
            {"round_prefer_ceil", graph_resize_nearest_round_up},
            {"floor", graph_resize_nearest_floor},
            {"ceil", graph_resize_nearest_ceil},
    };
    static const struct word modes[] = {
            {"nearest", 0},
            {"linear", graph_resize_linear},
            {"bilinear", graph_resize_linear}, /* operator set 1 */
            {"cubic", graph_resize_cubic},
    };
    char text[import_word_size] = "nearest";
    char rounding[import_word_size] = "floor";
    int meaning = 0;
    if (im->opset >= 11) strcpy(rounding, "round_prefer_floor");
    if (!import_word(im, "mode", text)
            || !find_word(im, "mode", text, modes, sizeof modes / sizeof *modes,
                    &meaning))
        return false;
    if (meaning == 0
            && (!import_word(im, "nearest_mode", rounding)
                    || !find_word(im, "nearest_mode", rounding, roundings,
                            sizeof roundings / sizeof *roundings, &meaning)))
        return false;
    *mode = (enum graph_resize_mode)meaning;
    return true;
}

/* ---- Sizes --------------------------------------------------------------- */

/* A dimension by a scale. */
static bool scale_dimension(struct import *im, float scale, int64_t *dim)
{
    double scaled = floor((double)*dim * (double)scale);
    if (!(scale > 0.0F) || !(scaled >= 1.0) || scaled > 0x1p40)
        return import_fail(im, "scaled by %g", (double)scale);
    *dim = (int64_t)scaled;
    return true;
}

/* Scales for the axes, in their order. */
static bool apply_scales(struct import *im, const float *scales, int count,
        const int *axes, int axis_count, struct graph_shape *out,
        struct graph_resize *resize)
{
    if (count != axis_count)
        return import_fail(im, "%d scales for %d axes", count, axis_count);
    for (int i = 0; i < count; i++) {
        /* The operator's text takes the output's length, which is whole; its
         * tests take the scaled one. */
        const double length = (double)scales[i] * (double)out->dims[axes[i]];
        if (resize->coordinates == graph_resize_align_corners
                && fabs(length - round(length)) > 1e-5 * length)
            return import_fail(im,
                    "align_corners with a scaled length of %g, not a whole "
                    "number, is not supported",
                    length);
        resize->scales[axes[i]] = (double)scales[i];
        if (!scale_dimension(im, scales[i], &out->dims[axes[i]])) return false;
    }
    return true;
}

/* Keeps the ratio of width and height: the least scale for all, or the largest.
 */
static bool keep_ratio(struct import *im, const int64_t *sizes, int count,
        const int *axes, struct graph_shape *out, struct graph_resize *resize)
{
    char policy[import_word_size] = "stretch";
    double scale = 0.0;
    if (!import_word(im, "keep_aspect_ratio_policy", policy)) return false;
    if (strcmp(policy, "stretch") == 0) {
        for (int i = 0; i < count; i++) {
            int64_t *dim = &out->dims[axes[i]];
            resize->scales[axes[i]] = (double)sizes[i] / (double)*dim;
            *dim = sizes[i];
        }
        return true;
    }
    bool least = strcmp(policy, "not_larger") == 0;
    if (!least && strcmp(policy, "not_smaller") != 0)
        return import_fail(im, "keep_aspect_ratio_policy is '%s'", policy);
    for (int i = 0; i < count; i++) {
        double its = (double)sizes[i] / (double)out->dims[axes[i]];
        if (i == 0 || (least ? its < scale : its > scale)) scale = its;
    }
    for (int i = 0; i < count; i++) {
        int64_t *dim = &out->dims[axes[i]];
        /* Halves go up, not to the even number. */
        double scaled = round(scale * (double)*dim);
        if (!(scaled <= 0x1p40)) return import_fail(im, "scaled by %g", scale);
        resize->scales[axes[i]] = scale;
        *dim = (int64_t)scaled;
    }
    return true;
}

static bool apply_sizes(struct import *im, const int64_t *sizes, int count,
        const int *axes, int axis_count, struct graph_shape *out,
        struct graph_resize *resize)
{
    if (count != axis_count)
        return import_fail(im, "%d sizes for %d axes", count, axis_count);
    for (int i = 0; i < count; i++)
        if (sizes[i] < 1 || sizes[i] > INT64_C(0x10000000000))
            return import_fail(im, "a size of %lld", (long long)sizes[i]);
    return keep_ratio(im, sizes, count, axes, out, resize);
}

/* The axes that are resized: all, or those of an attribute. */
static bool read_axes(
        struct import *im, int ndims, int axes[graph_max_ndims], int *count)
{
    int64_t given[graph_max_ndims];
    *count = ndims;
    for (int d = 0; d < ndims; d++)
        given[d] = d;
    if (!import_ints(im, "axes", given, graph_max_ndims, count)) return false;
    return import_distinct_axes(im, given, *count, ndims, axes);
}

/* ---- Both ---------------------------------------------------------------- */

static bool emit_resize(struct import *im, const struct graph_resize *resize,
        const struct graph_shape *out)
{
    int x = import_input(im, 0);
    struct graph_node node = {
            .op = graph_op_resize,
            .input_count = 1,
            .inputs = &x,
            .u.resize = *resize,
    };
    /* Where nothing is larger, each element is its own neighbour. */
    bool is_same = graph_shape_equal(&import_tensor(im, x)->shape, out);
    for (int d = 0; d < out->ndims; d++)
        is_same = is_same && resize->scales[d] == 1.0;
    if (is_same) return import_alias(im, x, 0);
    return import_emit(im, &node, graph_type_f32, out, 0) != graph_none;
}

/* What both have: the modes, and scales of 1. */
static bool read_resize(struct import *im, struct graph_resize *resize)
{
    *resize = (struct graph_resize){
            .mode = graph_resize_linear, .cubic_a = -0.75F};
    for (int d = 0; d < graph_max_ndims; d++)
        resize->scales[d] = 1.0;
    const struct graph_tensor *x = import_tensor(im, import_input(im, 0));
    if (x->type != graph_type_f32 || !graph_shape_fits(&x->shape, 1))
        return import_fail(im, "input 0 is not of type f32, or empty");
    return read_mode(im, &resize->mode)
           && read_coordinates(im, &resize->coordinates);
}

/* True if a tensor is given and has elements: an empty one says nothing. */
static bool says(const struct import *im, size_t input)
{
    return import_has_input(im, input)
           && graph_shape_count(
                      &import_tensor(im, import_input(im, input))->shape)
                      != 0;
}

bool import_resize(struct import *im, enum graph_op op)
{
    struct graph_resize resize;
    float scales[graph_max_ndims];
    int64_t sizes[graph_max_ndims];
    int axes[graph_max_ndims];
    int axis_count;
    int count;
    bool antialias = false;
    (void)op;
    if (!import_check_inputs(im, 1, 4) || !read_resize(im, &resize)
            || !import_flag(im, "antialias", &antialias)
            || !import_float(im, "cubic_coeff_a", &resize.cubic_a)
            || !import_flag(im, "exclude_outside", &resize.excludes_outside))
        return false;
    if (antialias) return import_fail(im, "antialias is not known here");
    struct graph_shape out = import_tensor(im, import_input(im, 0))->shape;
    if (!read_axes(im, out.ndims, axes, &axis_count)) return false;
    /* Operator set 10 had the scales where the region of interest is now. */
    size_t at = im->opset < 11 ? 1 : 2;
    if (im->opset >= 11 && says(im, 3)) {
        if (!import_constant_ints(im, 3, sizes, graph_max_ndims, &count)
                || !apply_sizes(
                        im, sizes, count, axes, axis_count, &out, &resize))
            return false;
    } else if (!says(im, at)) {
        return import_fail(im, "neither scales nor sizes");
    } else if (!import_constant_floats(im, at, scales, graph_max_ndims, &count)
               || !apply_scales(
                       im, scales, count, axes, axis_count, &out, &resize)) {
        return false;
    }
    return emit_resize(im, &resize, &out);
}

bool import_upsample(struct import *im, enum graph_op op)
{
    struct graph_resize resize;
    float scales[graph_max_ndims] = {1.0F, 1.0F, 1.0F, 1.0F};
    int axes[graph_max_ndims];
    int count = 0;
    (void)op;
    if (!import_check_inputs(im, 1, 2) || !read_resize(im, &resize))
        return false;
    struct graph_shape out = import_tensor(im, import_input(im, 0))->shape;
    if (import_has_input(im, 1)) {
        if (!import_constant_floats(im, 1, scales, graph_max_ndims, &count))
            return false;
    } else if (import_attribute(im, "scales") != NULL) {
        if (!import_floats(im, "scales", scales, graph_max_ndims, &count))
            return false;
    } else { /* operator set 1 */
        if (!import_float(im, "height_scale", &scales[2])
                || !import_float(im, "width_scale", &scales[3]))
            return false;
        count = 4;
    }
    for (int d = 0; d < graph_max_ndims; d++)
        axes[d] = d;
    return apply_scales(im, scales, count, axes, out.ndims, &out, &resize)
           && emit_resize(im, &resize, &out);
}
