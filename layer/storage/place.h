/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h: can programs be kept where the environment says?
 *
 * An application that cannot keep anything works, and tells nobody. Who starts
 * it asks here before: dnnl-cache-run does, of the layer that it has found, so
 * that the answer is that of the very store which will be opened. That is why
 * the function has a name of its own among what the layer exports.
 */
#ifndef DNNL_CACHE_LAYER_PLACE_H
#define DNNL_CACHE_LAYER_PLACE_H

#include <stddef.h>

enum place {
    place_usable = 0, /* or nothing is to be kept on disk */
    place_none,       /* no variable says where */
    place_refused,    /* no store can be opened or made there */
    place_read_only   /* what is there is found, nothing is added */
};

#define PLACE_CHECK_NAME "dnnl_cache_layer_check_place"

/* By the environment as it is now; writes nothing. An enum place; why is told
 * the path, and what is wrong with it, if there is one. */
int dnnl_cache_layer_check_place(char *why, size_t capacity);

#endif /* DNNL_CACHE_LAYER_PLACE_H */
