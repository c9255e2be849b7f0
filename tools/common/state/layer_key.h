/* SPDX-License-Identifier: Apache-2.0 */
/* layer_key.h: what every ID of the layer's has: its entries carry facts that
 * others' have not. The tool names programs as the layer does. */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_LAYER_KEY_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_LAYER_KEY_H

/* Grows with these facts and with what is in the IDs
 * (scripts/check_versions.py). */
#define LAYER_VERSION "7"
#define LAYER_KEY "OpenCL layer, facts " LAYER_VERSION

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_LAYER_KEY_H */
