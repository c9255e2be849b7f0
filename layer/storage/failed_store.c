/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/failed_store.h"

#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage_calls.h"
#include "tools/common/state/failed_place.h"

#include <dnnl_cache/journal.h>

#include <stdlib.h>
#include <string.h>

/* A failure to keep a failure is nobody's: the driver is asked again. */
static void hear(dnnl_cache_log_level_t level, const char *text, void *unused)
{
    static char stage[] = "failed builds"; /* as print_log() takes it */
    (void)unused;
    print_log(level, text, stage);
}

bool failed_store_is_on(void)
{
    const struct layer_settings *settings = layer_settings();
    if (!settings->failed_builds || !settings->persistent
            || settings->directory[0] == '\0'
            || storage_begin_local_call() == NULL)
        return false;
    const bool is_writable = !storage_state.is_read_only;
    storage_end_call();
    return is_writable;
}

/* NULL: there is none. */
static dnnl_cache_store_handle_t *open_for(enum failed_access access)
{
    const struct layer_settings *settings = layer_settings();
    return failed_store_is_on() ? failed_place_open(settings->directory,
                   settings->store->is_file, access, hear, NULL)
                                : NULL;
}

static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy != NULL) memcpy(copy, bytes, size);
    return copy;
}

uint8_t *failed_store_get(size_t *size, size_t key_size, const uint8_t *key)
{
    const uint8_t *bytes = NULL;
    uint8_t *copy = NULL;
    dnnl_cache_store_handle_t *store = open_for(failed_access_change);
    if (store == NULL) return NULL;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    if (s->get(s->user, key_size, key, size, &bytes) == dnnl_success) {
        copy = copy_of(bytes, *size);
        s->release(s->user, *size, bytes);
    }
    dnnl_cache_store_close(store);
    return copy;
}

bool failed_store_put(size_t key_size, const uint8_t *key, size_t size,
        const uint8_t *record, uint64_t compile_ns)
{
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_store_handle_t *store = open_for(failed_access_make);
    if (store == NULL) return false;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    metadata.compile_ns = compile_ns;
    const dnnl_status_t st =
            s->put(s->user, key_size, key, size, record, &metadata);
    (void)dnnl_cache_store_get_statistics(store, &statistics);
    dnnl_cache_store_close(store);
    return st == dnnl_success && statistics.puts > 0;
}

void failed_store_remove(size_t key_size, const uint8_t *key)
{
    dnnl_cache_store_handle_t *store = open_for(failed_access_change);
    if (store == NULL) return;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    (void)s->remove(s->user, key_size, key);
    dnnl_cache_store_close(store);
}

bool failed_store_note(const dnnl_cache_note_t *note)
{
    dnnl_cache_store_handle_t *store = open_for(failed_access_change);
    if (store == NULL) return false;
    const dnnl_status_t st = dnnl_cache_store_journal_append(store, note);
    dnnl_cache_store_close(store);
    return st == dnnl_success;
}
