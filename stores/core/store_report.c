/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_report.h"

#include "stores/core/store_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

void store_log(const dnnl_cache_store_handle_t *store,
        dnnl_cache_log_level_t level, const char *format, ...)
{
    if (store->options.log == NULL) return;
    const int saved = errno;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    store->options.log(level, text, store->options.log_user);
    errno = saved;
}

dnnl_status_t store_status_of(int error)
{
    if (error == 0) return dnnl_success;
    return error == ENOMEM ? dnnl_out_of_memory : dnnl_runtime_error;
}

const char *store_cause(int error)
{
    switch (error) {
    case ENOSPC:
        return "its file system has no room (bytes or files); free some, or "
               "use "
               "another one: ";
    case EDQUOT:
        return "this user's quota on its file system is used up; free some of "
               "it, or use another one: ";
    case EIO:
        return "the disk or the server of its file system fails; look into the "
               "system's log, or use another one: ";
    case ESTALE:
        return "the server of its file system has replaced it; mount it again, "
               "or use another one: ";
    case ENOLCK:
        return "its file system has no locks, or no more of them; use another "
               "one: ";
    default:
        return "";
    }
}

dnnl_status_t store_finish(
        const dnnl_cache_store_handle_t *store, const char *what, int error)
{
    if (error != 0)
        store_log(store, dnnl_cache_log_warning, "%s: %s: %s%s",
                store->options.path, what, store_cause(error),
                error == EBADMSG ? "damaged" : strerror(error));
    return store_status_of(error);
}

bool store_tells_again(dnnl_cache_store_handle_t *store, int error)
{
    return store_cause(error)[0] == '\0'
           || atomic_exchange(&store->told_cause, error) != error;
}

void store_tell_read_only(const dnnl_cache_store_handle_t *store)
{
    enum { most_told = 16 };
    static _Atomic uint64_t told[most_told]; /* hashes of paths */
    const char *path = store->options.path;
    const uint64_t hash = XXH3_64bits(path, strlen(path)) | 1;
    if (store->options.log == NULL) return;
    for (size_t i = 0; i < most_told; i++) {
        uint64_t none = 0;
        if (atomic_load(&told[i]) == hash) return;
        if (atomic_compare_exchange_strong(&told[i], &none, hash)) break;
        if (none == hash) return;
    }
    store_log(store, dnnl_cache_log_warning,
            "%s: read-only store: this user may not write there, so nothing is "
            "kept. Make it writable (chmod u+w, or mount it so), or choose "
            "another one (dnnl_cache_persistent_set_dir(), DNNL_CACHE_DIR)",
            path);
}

void store_count(atomic_uint_fast64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* What this thread has met, in any store: a member of a chain's as well, and
 * nothing that other threads meet meanwhile. */
static _Thread_local uint64_t damage_met;

uint64_t store_damage_met(void)
{
    return damage_met;
}

void store_count_damage(dnnl_cache_store_handle_t *store)
{
    store_count(&store->counters.damaged);
    damage_met++;
}

static _Thread_local bool is_of_another_key;

void store_note_other_key(bool is_of_another)
{
    is_of_another_key = is_of_another;
}

/* What comes of it, but for who only looks, or moves entries. */
static const char *remedy(const dnnl_cache_store_handle_t *store)
{
    if (store->options.read_only || store->has_limits_of_others) return "";
    return store->is_writable ? ": compiled again and replaced"
                              : ": compiled again";
}

void store_report_damage(dnnl_cache_store_handle_t *store, const char *name)
{
    const uint64_t hash = XXH3_64bits(name, strlen(name));
    const char *what = is_of_another_key ? "of another key" : "damaged";
    store_count_damage(store);
    /* Of what nobody signed there may be as much as somebody likes. */
    if (store->mac != NULL && store_mac_key_signs(store->mac)) {
        if (!atomic_exchange(&store->unsigned_was_told, true))
            store_log(store, dnnl_cache_log_warning,
                    "%s/%s: %s, or not signed with the store's key%s; this "
                    "is told of one entry",
                    store->options.path, name, what, remedy(store));
        return;
    }
    if (atomic_exchange_explicit(&store->told[hash % store_most_told], hash,
                memory_order_relaxed)
            == hash)
        return;
    store_log(store, dnnl_cache_log_warning, "%s/%s: %s%s", store->options.path,
            name, what, remedy(store));
}
