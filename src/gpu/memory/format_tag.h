/* SPDX-License-Identifier: Apache-2.0 */
/* What format tags mean. */
#ifndef DNNL_CACHE_GPU_FORMAT_TAG_H
#define DNNL_CACHE_GPU_FORMAT_TAG_H

#include "dnnl_cache_types.h"

#include <stdbool.h>

struct format_tag_layout {
    int ndims;
    int order[DNNL_MAX_NDIMS]; /* dimensions, outermost first */
    int inner_nblks;
    dnnl_dims_t inner_blks; /* outermost first */
    dnnl_dims_t inner_idxs; /* their dimensions */
};

/* The tag's name in letters a, b, c ...; static; NULL for any, undef and what
 * is no tag. */
const char *format_tag_name(dnnl_format_tag_t tag);

/* Reads the name; false if there is none. */
bool format_tag_read(dnnl_format_tag_t tag, struct format_tag_layout *layout);

#endif /* DNNL_CACHE_GPU_FORMAT_TAG_H */
