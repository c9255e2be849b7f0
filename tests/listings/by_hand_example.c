/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/how_to/keep_blobs_yourself.md's example of blobs kept by hand, between
 * the marks, compiled and run as it is printed there: check_listing.cmake
 * compares the two texts, main() runs it cold and warm.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_platform.h"

/* Listing: begin */
#include <dnnl_cache.h>
#include <stdlib.h>

/* Your store. store_get() returns a copy made with malloc(), or NULL. */
uint8_t *store_get(size_t id_size, const uint8_t *id, size_t *size);
void store_put(size_t id_size, const uint8_t *id, size_t size, uint8_t *blob);

/* Creates a primitive from the store, or compiles and stores it. */
dnnl_status_t create(dnnl_primitive_t *p, const_dnnl_primitive_desc_t pd)
{
    dnnl_dim_t id_size = 0;
    const uint8_t *id = NULL;
    dnnl_primitive_desc_query(
            pd, dnnl_query_cache_blob_id_size_s64, 0, &id_size);
    dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &id);

    size_t size = 0;
    uint8_t *blob = id_size > 0 ? store_get((size_t)id_size, id, &size) : NULL;
    dnnl_status_t warm =
            dnnl_primitive_create_from_cache_blob(p, pd, size, blob);
    free(blob);
    if (warm == dnnl_success) return dnnl_success;

    /* Not found, damaged, of another driver ... */
    dnnl_status_t cold = dnnl_primitive_create(p, pd);
    if (cold != dnnl_success || id_size == 0 /* not cacheable */
            || warm == dnnl_cache_blob_unsupported)
        return cold; /* a newer library's blob stays in the store */
    size = 0;
    dnnl_primitive_get_cache_blob(*p, &size, NULL);
    blob = size > 0 ? malloc(size) : NULL; /* 0: nothing to cache */
    if (blob != NULL
            && dnnl_primitive_get_cache_blob(*p, &size, blob) == dnnl_success)
        store_put((size_t)id_size, id, size, blob);
    free(blob);
    return dnnl_success;
}
/* Listing: end */

/* One entry is a store; whole IDs are compared in real ones. */
static uint8_t *stored;
static size_t stored_size;
static bool misused; /* asked for nothing, or given nothing */

uint8_t *store_get(size_t id_size, const uint8_t *id, size_t *size)
{
    if (id_size == 0 || id == NULL) misused = true;
    if (stored == NULL) return NULL;
    uint8_t *copy = malloc(stored_size);
    if (copy != NULL) memcpy(copy, stored, stored_size);
    *size = stored_size;
    return copy;
}

void store_put(size_t id_size, const uint8_t *id, size_t size, uint8_t *blob)
{
    if (id_size == 0 || id == NULL || size == 0) misused = true;
    free(stored);
    stored = malloc(size);
    if (stored == NULL) return;
    memcpy(stored, blob, size);
    stored_size = size;
}

static void forget(void)
{
    free(stored);
    stored = NULL;
}

/* A descriptor on an engine, or on one and the host. */
typedef dnnl_status_t (*describe)(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const_dnnl_memory_desc_t md);

static dnnl_status_t relu(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const_dnnl_memory_desc_t md)
{
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f, 0.0f,
            NULL);
}

static dnnl_status_t upload(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const_dnnl_memory_desc_t md)
{
    dnnl_engine_t host = NULL;
    dnnl_status_t st = dnnl_engine_create(&host, dnnl_cpu, 0);
    if (st == dnnl_success)
        st = dnnl_reorder_primitive_desc_create(pd, md, host, md, engine, NULL);
    dnnl_engine_destroy(host);
    return st;
}

/* Creates the primitive of a tensor of so many rows on an engine of its own, as
 * another process would; where it came from, -1 if it was not created. */
static int origin_of_run(describe what, dnnl_dim_t rows)
{
    const dnnl_dims_t dims = {rows, 3, 5};
    dnnl_engine_t engine = test_platform_engine();
    dnnl_memory_desc_t md = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    int origin = -1;
    if (engine != NULL
            && dnnl_memory_desc_create_with_tag(
                       &md, 3, dims, dnnl_f32, dnnl_abc)
                       == dnnl_success
            && what(&pd, engine, md) == dnnl_success
            && create(&primitive, pd) == dnnl_success
            && dnnl_cache_primitive_get_creation_info(primitive, &info)
                       == dnnl_success)
        origin = (int)info.origin;
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
    dnnl_engine_destroy(engine);
    return origin;
}

int main(void)
{
    const int cold = origin_of_run(relu, 2);
    const int warm = origin_of_run(relu, 2);
    const bool kept = stored != NULL;
    forget();
    /* Nothing is compiled, and kept all the same. */
    const int copy = origin_of_run(upload, 2);
    const bool kept_copy = stored != NULL;
    forget();
    const int empty = origin_of_run(relu, 0);
    const bool kept_empty = stored != NULL;
    forget();
    printf("origins: cold %d, warm %d, copy %d, empty %d; kept: %d, %d, %d; "
           "misused: %d\n",
            cold, warm, copy, empty, kept, kept_copy, kept_empty, misused);
    return cold == dnnl_cache_origin_compiled && warm == dnnl_cache_origin_blob
                           && kept && copy == dnnl_cache_origin_none
                           && empty == dnnl_cache_origin_none && kept_copy
                           && kept_empty && !misused
                   ? 0
                   : 1;
}
