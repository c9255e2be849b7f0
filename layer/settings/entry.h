/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.h: by which of its functions a loader took the layer in.
 *
 * Loaders differ in what they look for, and ignore a layer that lacks it
 * without a word. So dnnl-cache-run has the loader load the layer in a process
 * of its own, and calls this function of the layer there; therefore the layer
 * exports it.
 */
#ifndef DNNL_CACHE_LAYER_SETTINGS_ENTRY_H
#define DNNL_CACHE_LAYER_SETTINGS_ENTRY_H

enum layer_entry {
    layer_entry_none = 0, /* no loader did */
    layer_entry_plain,    /* clInitLayer */
    layer_entry_with_properties
};

#define LAYER_ENTRY_NAME "dnnl_cache_layer_entry"

/* Of the last loader that did: an enum layer_entry. */
int dnnl_cache_layer_entry(void);

#endif /* DNNL_CACHE_LAYER_SETTINGS_ENTRY_H */
