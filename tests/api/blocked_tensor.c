/* SPDX-License-Identifier: Apache-2.0 */
#include "blocked_tensor.h"

#include "test.h"

#include <stdlib.h>

void blocked_tensor_init(struct blocked_tensor *t, dnnl_data_type_t type,
        int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = NULL;
    t->loops = tag_loops_of(dnnl_fmt_tag2str(tag), dims);
    if (dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag)
            != dnnl_success)
        abort();
    /* Room for the padding too. */
    tensor_init(&t->tensor, type, 1, (dnnl_dims_t){tag_loops_size(&t->loops)},
            dnnl_a);
    EXPECT_EQ(t->tensor.size, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(t->tensor.md);
    t->tensor.md = md;
}

bool blocked_tensor_is_inside(const struct blocked_tensor *t,
        const dnnl_dims_t dims, const dnnl_dims_t place)
{
    for (int i = 0; i < t->loops.count; i++)
        if (place[t->loops.of[i].dim] >= dims[t->loops.of[i].dim]) return false;
    return true;
}
