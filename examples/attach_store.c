/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_store.c: an application that starts warm because a store is attached
 * to the library. The application itself, layer.c, knows nothing of it.
 *
 *     attach_store ~/.cache/attach_store    compiled 3 programs, result ...
 *     attach_store ~/.cache/attach_store    from the cache, result in 8 ms, ...
 *
 * The store is the bucket store of stores/, to copy or to link: a
 * folder that any number of processes may share, and that stays below a size.
 * Without it everything works, only slower.
 */
#include "bucket_store.h"
#include "example.h"
#include "layer.h"

/* For every engine of this process. NULL if there is no such store. */
static struct store *attach(const char *folder)
{
    struct store_options options = store_options_default();
    struct store *store = NULL;
    options.path = folder;
    options.capacity = store_limit_mb(64);
    options.log = example_log;
    if (bucket_store_open(&store, &options) != dnnl_success) return NULL;
    dnnl_cache_set_store(store_callbacks(store));
    return store;
}

/* Whatever knows the store goes before it does: primitives kept in memory,
 * too. */
static void detach(struct store *store)
{
    dnnl_cache_set_store(NULL);
    dnnl_set_primitive_cache_capacity(0);
    store_close(store);
}

static dnnl_status_t run(
        const struct device *device, const char *folder, bool *right)
{
    struct layer layer = {0};
    const double began = example_now_ms();
    struct store *store = attach(folder);
    dnnl_status_t st = layer_compute(&layer, device);
    if (st == dnnl_success) {
        example_print_library_time(example_now_ms() - began);
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
