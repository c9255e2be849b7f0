/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_store.c: an application that starts warm because a store is attached
 * to the library. The application itself, layer.c, does not know about the
 * store.
 *
 *     attach_store ~/.cache/attach_store    compiled 3 programs, result ...
 *     attach_store ~/.cache/attach_store    from the cache, result in 8 ms, ...
 *
 * The store is the bucket store of stores/: a folder that any number of
 * processes may share, and whose size is limited. Without the store the
 * application works in the same way, only slower.
 */
#include "example.h"
#include "layer.h"
#include <dnnl_cache/store.h>

/* For every engine of this process. NULL if there is no such store. */
static dnnl_cache_store_handle_t *attach(const char *folder)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    options.path = folder;
    options.capacity = dnnl_cache_store_megabytes(64);
    options.log = example_log;
    if (dnnl_cache_store_open(&store, "bucket", &options) != dnnl_success)
        return NULL;
    dnnl_cache_set_default_store(dnnl_cache_store_get_callbacks(store));
    return store;
}

/* First release everything that uses the store, primitives in memory included.
 */
static void detach(dnnl_cache_store_handle_t *store)
{
    dnnl_cache_set_default_store(NULL);
    dnnl_set_primitive_cache_capacity(0);
    dnnl_cache_store_close(store);
}

static dnnl_status_t run(
        const struct device *device, const char *folder, bool *right)
{
    struct layer layer = {0};
    const double began = clock_ms();
    dnnl_cache_store_handle_t *store = attach(folder);
    dnnl_status_t st = layer_compute(&layer, device);
    if (st == dnnl_success) {
        example_print_library_time(clock_ms() - began);
        st = layer_check(&layer, right);
    }
    layer_fini(&layer);
    detach(store);
    return st;
}

int main(int argc, char **argv)
{
    static const struct example example = {"FOLDER",
            "A layer of a neural network on an OpenCL device. What it is\n"
            "compiled to is kept in a store that is attached to the library.\n",
            run};
    return example_main(&example, argc, argv);
}
