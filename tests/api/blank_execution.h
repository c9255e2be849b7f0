/* SPDX-License-Identifier: Apache-2.0 */
/* Executes any primitive, whatever its arguments are. */
#ifndef DNNL_CACHE_TESTS_API_BLANK_EXECUTION_H
#define DNNL_CACHE_TESTS_API_BLANK_EXECUTION_H

#include "dnnl_cache.h"

#include <stdbool.h>

/* True if every tensor is known and none is of more than a few KiB. */
bool blank_execution_is_small(const_dnnl_primitive_desc_t pd);

/* True if a tensor has no element. */
bool blank_execution_has_empty(const_dnnl_primitive_desc_t pd);

/* Executes a primitive of the descriptor on new memory objects, whose contents
 * nobody set, and waits for it. */
dnnl_status_t blank_execution_run(
        const_dnnl_primitive_desc_t pd, const_dnnl_primitive_t primitive);

#endif /* DNNL_CACHE_TESTS_API_BLANK_EXECUTION_H */
