/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the parts of a verified blob one by one. Allocates room to decode a
 * binary, and does without; may be called from any thread. */
#ifndef DNNL_CACHE_BINARIES_DESCRIBE_H
#define DNNL_CACHE_BINARIES_DESCRIBE_H

#include "src/blob/reader.h"

/* Calls `callback` for each section, each program and each kernel of a view
 * that blob_read() filled in, in this order. Ends with the first status of the
 * callback that is not dnnl_success, and returns it. */
dnnl_status_t blob_describe(const struct blob_view *view,
        dnnl_cache_blob_part_callback_t callback, void *user);

#endif /* DNNL_CACHE_BINARIES_DESCRIBE_H */
