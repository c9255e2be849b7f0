/* SPDX-License-Identifier: Apache-2.0 */
/* upkeep.h: when to remove old entries. */
#ifndef DNNL_CACHE_LAYER_UPKEEP_H
#define DNNL_CACHE_LAYER_UPKEEP_H

#include <stdbool.h>
#include <stdint.h>

/* True if no process has checked the ages of all entries for a day, or none
 * with this limit. Records that this one does: of several callers at once one
 * gets true. The check reads the whole store, which a start must not wait for.
 */
bool upkeep_is_due(uint64_t max_days);

#endif /* DNNL_CACHE_LAYER_UPKEEP_H */
