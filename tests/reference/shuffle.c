/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <string.h>

struct reference_value reference_shuffle(const struct reference_tensor *src,
        int axis, dnnl_dim_t group_size, const dnnl_dims_t place)
{
    dnnl_dim_t rows = src->dims[axis] / group_size;
    dnnl_dims_t from;
    memcpy(from, place, sizeof from);
    from[axis] = place[axis] % rows * group_size + place[axis] / rows;
    return (struct reference_value){reference_at(src, from), 0.0};
}
