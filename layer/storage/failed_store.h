/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failed_store.h: records of builds that fail, which are in a store of their
 * own beside the user's (tools/common/state/failed_place.h), and nowhere else.
 *
 * It is opened for each call, which is rare: a build that was not found in the
 * storage. So nothing of it is open at a fork, or at exit. Without
 * DNNL_CACHE_FAILED_BUILDS=1 nothing is found or kept. Thread-safe.
 */
#ifndef DNNL_CACHE_LAYER_STORAGE_FAILED_STORE_H
#define DNNL_CACHE_LAYER_STORAGE_FAILED_STORE_H

#include "dnnl_cache/sys/note.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if records may be found and kept: by the settings, and by the store on
 * disk, which this user may write to. */
bool failed_store_is_on(void);

/* A copy of a record, which the caller frees; NULL: there is none that is
 * whole. */
uint8_t *failed_store_get(size_t *size, size_t key_size, const uint8_t *key);

/* False: it is not kept. */
bool failed_store_put(size_t key_size, const uint8_t *key, size_t size,
        const uint8_t *record, uint64_t compile_ns);

void failed_store_remove(size_t key_size, const uint8_t *key);

/* What dnnl-cache refresh is to build again. */
bool failed_store_note(const dnnl_cache_note_t *note);

#endif /* DNNL_CACHE_LAYER_STORAGE_FAILED_STORE_H */
