/* SPDX-License-Identifier: Apache-2.0 */
/* An application that calls exit() while its store sends and receives. */
#include "dnnl_cache/remote_store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static dnnl_cache_store_handle_t *store;
static bool closes;

/* Registered first, called last: after OpenSSL's handler. */
static void end(void)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    if (closes)
        dnnl_cache_store_close(store);
    else
        (void)nanosleep(&pause, NULL);
}

/* http_leaver URL NANOSECONDS [close] */
int main(int argc, char **argv)
{
    enum { count = 20, size = 200000 };
    static uint8_t blob[size];
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    if (argc < 3 || atexit(end) != 0) return 2;
    closes = argc > 3;
    options.url = argv[1];
    if (dnnl_cache_store_open_remote(&store, &options) != dnnl_success)
        return 2;
    const struct timespec pause = {.tv_nsec = strtol(argv[2], NULL, 10)};
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    for (int i = 0; i < count; i++) {
        const uint8_t id = (uint8_t)(i + 1);
        const uint8_t *got = NULL;
        size_t got_size = 0;
        if (s->put(s->user, 1, &id, size, blob, NULL) != dnnl_success) return 3;
        if (i == 0 && s->get(s->user, 1, &id, &got_size, &got) == dnnl_success)
            s->release(s->user, got_size, got);
    }
    (void)nanosleep(&pause, NULL);
    exit(0); /* the store is open, and there is more to send */
}
