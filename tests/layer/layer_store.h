/* SPDX-License-Identifier: Apache-2.0 */
/* layer_store.h: a store of each kind for the layer, in the running test's
 * directory. */
#ifndef DNNL_CACHE_TESTS_LAYER_STORE_H
#define DNNL_CACHE_TESTS_LAYER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { layer_store_kinds = 4 }; /* flat, bucket, tree, pack */

struct layer_store {
    char path[512];
    char directory[560]; /* DNNL_CACHE_DIR=... */
    char kind[32];       /* DNNL_CACHE_STORE=... */
    const char *variables[8];
};

/* Where one may be; extra: one more variable; NULL: none. The struct must not
 * be moved: variables points into it. */
void layer_store_init(
        struct layer_store *store, size_t kind, const char *extra);

/* A process puts one blob, closes the store and exits; what it exits with. */
int layer_store_fill(const struct layer_store *store);

#endif /* DNNL_CACHE_TESTS_LAYER_STORE_H */
