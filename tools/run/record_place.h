/* SPDX-License-Identifier: Apache-2.0 */
/* record_place.h: the record that a store has beside it. */
#ifndef DNNL_CACHE_TOOLS_RUN_RECORD_PLACE_H
#define DNNL_CACHE_TOOLS_RUN_RECORD_PLACE_H

/* Has the command record what it uses beside the store, for dnnl-cache refresh
 * after an update of the driver: once the layer has its folder there, and
 * unless DNNL_CACHE_RECORD is set, if to nothing. */
void record_place_set(const char *store);

#endif /* DNNL_CACHE_TOOLS_RUN_RECORD_PLACE_H */
