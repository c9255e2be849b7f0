/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_store.h"

#include "src/platform/clock.h"
#include "src/platform/signal_mask.h"
#include "stores/core/store_put.h"
#include "stores/journal/record_attach.h"
#include "stores/pack/pack_internal.h"
#include "stores/pack/pack_vfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool pack_is_off(const struct pack_store *store)
{
    return store->base.options.off;
}

dnnl_status_t pack_finish(
        const struct pack_store *store, const char *what, int error)
{
    if (error == EPERM) return store_status_of(error);
    if (error != ETIMEDOUT) return store_finish(&store->base, what, error);
    store_log(&store->base, dnnl_cache_log_warning,
            "%s: %s: locked by others%s", store->base.options.path, what,
            store->read_only ? ", or left half-written by one that died, which "
                               "the next writer undoes"
                             : "");
    return store_status_of(error);
}

/* ---- Calls --------------------------------------------------------------- */

/* Is the connection of the file that has the name now, as it is now? SQLite
 * would wait for ever for a FIFO in place of a journal. */
static bool is_current(
        struct pack_store *store, const struct pack_connection *c)
{
    return c->generation == atomic_load(&store->generation)
           && pack_vfs_is_ours(c->db)
           && pack_file_is(&store->file, &c->identity)
           && !pack_file_is_obstructed(&store->file);
}

/* After these a connection is as good as before. */
static bool may_be_kept(int error)
{
    return error == 0 || error == ENOENT || error == ETIMEDOUT
           || error == ERANGE || error == STORE_IS_FULL;
}

/* SQLite says "full" of a disk, and of pages that the file cannot have, which
 * is where a damaged number may point. Then an emptier store helps. */
static bool is_damage(struct pack_store *store, struct pack_connection *c)
{
    char text[8] = "";
    return !pack_file_disk_is_full(&store->file)
           && (pack_check(c, sizeof text, text) != 0
                   || strcmp(text, "ok") != 0);
}

/* *doubts: the call has met damage that nobody could see again. If it does so
 * twice it is believed. */
static int call_body(struct pack_store *store, bool write, uint64_t deadline_ns,
        pack_body body, void *user, bool *doubts)
{
    struct pack_connection *c = NULL;
    int error = pack_pool_enter(&store->pool, write, deadline_ns, &c);
    if (error != 0) return error;
    if (c != NULL && !is_current(store, c)) {
        pack_connection_close(c);
        c = NULL;
    }
    const bool reused = c != NULL;
    if (c == NULL) {
        const unsigned generation = atomic_load(&store->generation);
        error = pack_connection_open(
                &c, &store->file, &store->base, write, deadline_ns);
        if (error == 0) c->generation = generation;
    }
    if (error == 0) {
        c->deadline_ns = deadline_ns;
        error = body(store, c, user);
    }
    if (error == ENOSPC && c != NULL && is_damage(store, c)) error = EBADMSG;
    /* The header may have come to say so; opening tells if it is damaged. */
    if (error == EROFS && reused) error = ESTALE;
    if (c != NULL
            && (c->is_stuck || !may_be_kept(error)
                    || !pack_vfs_is_ours(c->db))) {
        pack_connection_close(c);
        c = NULL;
    }
    if (error == EMLINK) {
        error = pack_detach(&store->file, &store->base, deadline_ns);
        if (error == 0) error = ESTALE;
    }
    if (error == EBADMSG && !store->read_only) {
        /* Still as one who is in a call: fork() has to wait. */
        const int healed =
                pack_heal(&store->file, &store->base, *doubts, deadline_ns);
        if (healed == EAGAIN) *doubts = true;
        if (healed != EAGAIN) atomic_fetch_add(&store->generation, 1);
        if (healed == ENOENT || healed == EAGAIN)
            error = ESTALE;
        else if (healed != 0)
            error = healed;
    }
    pack_pool_leave(&store->pool, write, c);
    return error;
}

/* Another attempt, that is. The file may be replaced again and again, by those
 * who detach it from copies. */
static bool may_help(int error, bool write, int attempt, uint64_t deadline_ns)
{
    enum { usual_attempts = 4 };
    if (attempt + 1 < usual_attempts)
        return error == ESTALE || (error == EBADMSG && write);
    return error == ESTALE && clock_ns() < deadline_ns;
}

int pack_call(struct pack_store *store, bool write, unsigned timeout_ms,
        pack_body body, void *user)
{
    const uint64_t deadline_ns = clock_ns() + (uint64_t)timeout_ms * 1000000u;
    int error = 0;
    bool doubts = false;
    struct signal_mask mask;
    /* A reader writes as well: it undoes what a writer that died had begun. */
    signal_mask_begin(&mask);
    for (int attempt = 0;; attempt++) {
        error = call_body(store, write, deadline_ns, body, user, &doubts);
        if (error == EBADMSG) store_count_damage(&store->base);
        if (!may_help(error, write, attempt, deadline_ns)) break;
    }
    signal_mask_end(&mask);
    return error;
}

/* ---- Open and close ------------------------------------------------------ */

static uint64_t pack_bytes(const dnnl_cache_store_handle_t *base)
{
    const struct pack_store *store = (const struct pack_store *)base;
    return store->is_open ? pack_file_bytes(&store->file) : 0;
}

static int pack_find_place(struct store_place *place,
        const dnnl_cache_store_handle_t *base, enum store_beside file)
{
    const struct pack_store *store = (const struct pack_store *)base;
    return store->is_open ? pack_file_find_place(place, &store->file, file)
                          : ENOTSUP;
}

static void pack_close(dnnl_cache_store_handle_t *base)
{
    struct pack_store *store = (struct pack_store *)base;
    if (store->is_open) {
        if (store->use_count > 0)
            (void)pack_call(store, true, base->options.lock_timeout_ms,
                    pack_write_uses, NULL);
        pack_pool_fini(&store->pool);
        store_used_report(base);
        store_totals_add(base);
    }
    pack_file_fini(&store->file);
    store_fini(base);
    free(store);
}

static const struct store_calls pack_store_calls = {
        .close = pack_close,
        .iterate = pack_iterate,
        .bytes = pack_bytes,
        .trim = pack_trim,
        .date_back = pack_date_entry_back,
        .verify = pack_verify,
        .find_place = pack_find_place,
        .capacity_for = pack_capacity_for,
};

static const dnnl_cache_store_t pack_callbacks = {
        .can_put = store_can_put,
        .get = pack_get,
        .release = pack_release,
        .put = pack_put,
        .remove = pack_remove,
        .get_many = pack_get_many,
};

static int touch_nothing(
        struct pack_store *store, struct pack_connection *c, void *unused)
{
    (void)store;
    (void)c;
    (void)unused;
    return 0;
}

/* The first call: makes the file, or finds out what is wrong with it. */
static int open_file(struct pack_store *store)
{
    const struct dnnl_cache_store_options *options = &store->base.options;
    int error = pack_file_locate(&store->file, &store->base);
    if (error != 0) return error;
    struct pack_identity identity;
    error = pack_file_prepare(
            &store->file, &store->base, !options->read_only, &identity);
    if (error != 0) return error;
    error = pack_pool_init(&store->pool);
    if (error != 0) return error;
    store->is_open = true;
    store->read_only =
            options->read_only || !pack_file_is_writable(&store->file);
    /* Who finds the store locked for long opens it all the same. */
    if (!store->read_only) {
        store_totals_begin(&store->base);
        error = pack_call(
                store, true, options->lock_timeout_ms, touch_nothing, NULL);
        /* To put a copy of the store in order is not worth a copy of it. */
        if (error == 0 && !pack_file_has_second_name(&store->file))
            (void)pack_call(store, true, 0, pack_tidy, NULL);
        if (error == 0 && !store_totals_is_there(&store->base))
            store_totals_make(&store->base);
    } else {
        error = pack_call(
                store, false, options->lock_timeout_ms, touch_nothing, NULL);
        if (error == EBADMSG || error == ENOENT) error = 0;
    }
    return error == ETIMEDOUT || error == ENOSPC || error == EDQUOT ? 0 : error;
}

dnnl_status_t pack_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options)
{
    if (store == NULL || options == NULL) return dnnl_invalid_arguments;
    struct pack_store *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = store_init(&opened->base, &pack_store_calls,
            &pack_callbacks, &store_usual_defaults, options);
    if (st == dnnl_success) record_attach(&opened->base);
    if (st == dnnl_success && !pack_is_off(opened)) {
        const int error =
                sqlite3_threadsafe() != 0 ? open_file(opened) : ENOSYS;
        st = pack_finish(opened, "open", error);
    }
    if (st != dnnl_success) {
        pack_close(&opened->base);
        return st;
    }
    if (opened->read_only && !opened->base.options.read_only)
        store_tell_read_only(&opened->base);
    if (!pack_is_off(opened) && !opened->read_only) {
        opened->base.is_writable = true;
        opened->base.callbacks.note = store_note;
    }
    *store = &opened->base;
    return dnnl_success;
}
