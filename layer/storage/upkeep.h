/* SPDX-License-Identifier: Apache-2.0 */
/* upkeep.h: when all entries are looked at for their age. */
#ifndef DNNL_CACHE_LAYER_UPKEEP_H
#define DNNL_CACHE_LAYER_UPKEEP_H

#include <stdbool.h>
#include <stdint.h>

/* Has no process looked for a day, or none with this limit? Notes that this one
 * is about to: of several that ask at once one is told to. To look costs a
 * reading of the whole store, which a start must not wait for. */
bool upkeep_is_due(uint64_t max_days);

#endif /* DNNL_CACHE_LAYER_UPKEEP_H */
