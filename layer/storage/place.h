/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h: can programs be stored where the environment says?
 *
 * An application whose store cannot be used works, and prints nothing. So
 * dnnl-cache-run checks the place first. It calls this function of the layer
 * that it found, so that the answer is that of the store which the layer will
 * open; therefore the layer exports the function.
 */
#ifndef DNNL_CACHE_LAYER_PLACE_H
#define DNNL_CACHE_LAYER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct layer_settings;

enum place {
    place_usable = 0, /* or nothing is to be kept on disk */
    place_none,       /* no variable says where */
    place_refused,    /* no store can be opened or made there */
    place_read_only   /* what is there is found, nothing is added */
};

#define PLACE_CHECK_NAME "dnnl_cache_layer_check_place"

/* Checks the current environment; writes nothing to disk. Returns an enum
 * place. why receives the path, if something is to be kept on disk, and what is
 * wrong with it. */
int dnnl_cache_layer_check_place(char *why, size_t capacity);

/* True if this user may write to the store that the settings name, which is
 * there. */
bool place_is_writable(const struct layer_settings *settings);

#endif /* DNNL_CACHE_LAYER_PLACE_H */
