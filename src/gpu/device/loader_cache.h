/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader_cache.h: /etc/ld.so.cache as bytes: which paths it has for the name of
 * a shared object. Trusts nothing, allocates nothing.
 *
 * It is a head, entries of one size, each with the places of a name and a path,
 * and texts. It may begin with the form that older systems read.
 */
#ifndef DNNL_CACHE_GPU_DEVICE_LOADER_CACHE_H
#define DNNL_CACHE_GPU_DEVICE_LOADER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { loader_cache_least_size = 48 };

struct loader_cache {
    const unsigned char *bytes; /* borrowed; NULL: none */
    size_t size;
    size_t start; /* of the part that offsets count from */
};

/* False: it is none. */
bool loader_cache_begin(
        struct loader_cache *cache, const unsigned char *bytes, size_t size);

/* The next absolute path of that name, which lies in the bytes; *at is 0 at
 * first. NULL: no more. */
const char *loader_cache_next(
        const struct loader_cache *cache, const char *name, uint32_t *at);

#endif /* DNNL_CACHE_GPU_DEVICE_LOADER_CACHE_H */
