/* SPDX-License-Identifier: Apache-2.0 */
/* The least that somebody else's program does with an installed store: keeps a
 * blob in the directory of its argument and gets it back. */
#include <dnnl_cache/store.h>

#include <stdio.h>
#include <string.h>

/* Names that a store's own sources use must stay free for a program's. */
void store_log(void);
void store_log(void) {}

int main(int argc, char **argv)
{
    static const uint8_t id[] = {1, 2, 3};
    static const uint8_t blob[] = {4, 5, 6, 7};
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    const uint8_t *got = NULL;
    size_t size = 0;
    store_log();
    if (argc != 2) return 2;
    options.path = argv[1];
    if (dnnl_cache_store_open(&store, "bucket", &options) != dnnl_success)
        return 1;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    int good = s->put(s->user, sizeof id, id, sizeof blob, blob, NULL)
                       == dnnl_success
               && s->get(s->user, sizeof id, id, &size, &got) == dnnl_success
               && size == sizeof blob && memcmp(got, blob, size) == 0;
    if (got != NULL) s->release(s->user, size, got);
    dnnl_cache_store_close(store);
    if (!good) (void)fprintf(stderr, "the store does not keep a blob\n");
    return good ? 0 : 1;
}
