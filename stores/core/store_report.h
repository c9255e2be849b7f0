/* SPDX-License-Identifier: Apache-2.0 */
/* store_report.h: messages, statuses and counters of a store. */
#ifndef DNNL_CACHE_STORES_CORE_STORE_REPORT_H
#define DNNL_CACHE_STORES_CORE_STORE_REPORT_H

#include "dnnl_cache/store.h"

#include <stdatomic.h>
#include <stdbool.h>

/* One message to the log callback, if there is one. errno is preserved. */
void store_log(const dnnl_cache_store_handle_t *store,
        dnnl_cache_log_level_t level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* dnnl_success, dnnl_out_of_memory or dnnl_runtime_error for an errno. */
dnnl_status_t store_status_of(int error);

/* What an errno value of a file system means for a store and what to do about
 * it, in words in front of strerror()'s; static. "": it says enough. */
const char *store_cause(int error);

/* Is the log to be told that a put failed? Of an error with a cause that lasts,
 * as of a full disk, once until a put is published. */
bool store_tells_again(dnnl_cache_store_handle_t *store, int error);

/* The status of a call that is done; if it failed the log is told. */
dnnl_status_t store_finish(
        const dnnl_cache_store_handle_t *store, const char *what, int error);

/* Counts damage that was met, of the store and of this thread. */
void store_count_damage(dnnl_cache_store_handle_t *store);

/* What this thread looked at last is whole, and was made with another key, or
 * without one; or it is not that (false). */
void store_note_other_key(bool is_of_another);

/* The same of a damaged entry, and tells the log its name in the store: once,
 * however often the entry is met; "of another key" if that was noted. */
void store_report_damage(dnnl_cache_store_handle_t *store, const char *name);

/* Says once a process and path that a store which was to be written is
 * read-only. */
void store_tell_read_only(const dnnl_cache_store_handle_t *store);

void store_count(atomic_uint_fast64_t *counter);

/* How much damage this thread has met, in any store. */
uint64_t store_damage_met(void);

#endif /* DNNL_CACHE_STORES_CORE_STORE_REPORT_H */
