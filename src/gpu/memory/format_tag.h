/* SPDX-License-Identifier: Apache-2.0 */
/* What format tags mean. */
#ifndef DNNL_CACHE_GPU_FORMAT_TAG_H
#define DNNL_CACHE_GPU_FORMAT_TAG_H

#include "dnnl_cache/onednn/types.h"

#include <stdbool.h>

struct format_tag_layout {
    int ndims;
    int order[DNNL_MAX_NDIMS]; /* dimensions, outermost first */
    int inner_nblks;
    dnnl_dims_t inner_blks; /* outermost first */
    dnnl_dims_t inner_idxs; /* their dimensions */
};

/* Reads the tag's name; false for any, undef and what is not a tag. */
bool format_tag_read(dnnl_format_tag_t tag, struct format_tag_layout *layout);

#endif /* DNNL_CACHE_GPU_FORMAT_TAG_H */
