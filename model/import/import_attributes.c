/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of the node in hand. */
#include "model/import/import.h"

#include <string.h>

/* True if an attribute holds what `type` says. The first files told no type:
 * they have the value alone. Later ones may leave out a value of 0. */
static bool is_of(struct import *im, const Onnx__AttributeProto *a,
        Onnx__AttributeProto__AttributeType type, bool has_value)
{
    if (a->has_type ? a->type == type : has_value) return true;
    return import_fail(
            im, "attribute %s is of another type than %d", a->name, (int)type);
}

bool import_int(struct import *im, const char *name, int64_t *value)
{
    const Onnx__AttributeProto *a = import_attribute(im, name);
    if (a == NULL) return true;
    if (!is_of(im, a, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, a->has_i))
        return false;
    *value = a->i;
    return true;
}

bool import_flag(struct import *im, const char *name, bool *value)
{
    int64_t number = *value;
    if (!import_int(im, name, &number)) return false;
    *value = number != 0;
    return true;
}

bool import_float(struct import *im, const char *name, float *value)
{
    const Onnx__AttributeProto *a = import_attribute(im, name);
    if (a == NULL) return true;
    if (!is_of(im, a, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, a->has_f))
        return false;
    *value = a->f;
    return true;
}

static bool few_enough(
        struct import *im, const char *name, size_t count, int most)
{
    return count <= (size_t)most
           || import_fail(im, "attribute %s has %zu numbers, more than %d",
                   name, count, most);
}

bool import_ints(struct import *im, const char *name, int64_t *values, int most,
        int *count)
{
    const Onnx__AttributeProto *a = import_attribute(im, name);
    if (a == NULL) return true;
    if (!is_of(im, a, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
                a->n_ints != 0)
            || !few_enough(im, name, a->n_ints, most))
        return false;
    *count = (int)a->n_ints;
    for (int i = 0; i < *count; i++)
        values[i] = a->ints[i];
    return true;
}

bool import_floats(struct import *im, const char *name, float *values, int most,
        int *count)
{
    const Onnx__AttributeProto *a = import_attribute(im, name);
    if (a == NULL) return true;
    if (!is_of(im, a, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
                a->n_floats != 0)
            || !few_enough(im, name, a->n_floats, most))
        return false;
    *count = (int)a->n_floats;
    for (int i = 0; i < *count; i++)
        values[i] = a->floats[i];
    return true;
}

bool import_word(
        struct import *im, const char *name, char value[import_word_size])
{
    const Onnx__AttributeProto *a = import_attribute(im, name);
    if (a == NULL) return true;
    if (!is_of(im, a, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING, a->has_s))
        return false;
    size_t size = a->s.len < import_word_size ? a->s.len : import_word_size - 1;
    if (size != 0) memcpy(value, a->s.data, size);
    value[size] = '\0';
    return true;
}

/* ---- Axes ---------------------------------------------------------------- */

bool import_axis(struct import *im, int64_t axis, int ndims, int *out)
{
    if (axis < -ndims || axis >= ndims)
        return import_fail(im, "there is no axis %lld of %d dimensions",
                (long long)axis, ndims);
    *out = (int)(axis < 0 ? axis + ndims : axis);
    return true;
}

bool import_distinct_axes(struct import *im, const int64_t *given, int count,
        int ndims, int axes[graph_max_ndims])
{
    bool taken[graph_max_ndims] = {false};
    for (int i = 0; i < count; i++) {
        if (!import_axis(im, given[i], ndims, &axes[i])) return false;
        if (taken[axes[i]]) return import_fail(im, "axis %d twice", axes[i]);
        taken[axes[i]] = true;
    }
    return true;
}

bool import_axis_attribute(
        struct import *im, int64_t otherwise, int ndims, int *out)
{
    int64_t axis = otherwise;
    return import_int(im, "axis", &axis) && import_axis(im, axis, ndims, out);
}

bool import_axes(struct import *im, size_t input, int ndims,
        bool marked[graph_max_ndims], bool *given)
{
    int64_t numbers[graph_max_ndims];
    int axes[graph_max_ndims];
    int count = 0;
    memset(marked, 0, graph_max_ndims * sizeof *marked);
    if (import_has_input(im, input)) {
        if (!import_constant_ints(im, input, numbers, graph_max_ndims, &count))
            return false;
    } else if (!import_ints(im, "axes", numbers, graph_max_ndims, &count)) {
        return false;
    }
    if (!import_distinct_axes(im, numbers, count, ndims, axes)) return false;
    for (int i = 0; i < count; i++)
        marked[axes[i]] = true;
    *given = count != 0;
    return true;
}
