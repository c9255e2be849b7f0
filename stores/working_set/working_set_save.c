/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/working_set/working_set_internal.h"

#include "src/platform/clock.h"
#include "stores/core/store_internal.h"

#include <stdlib.h>

void working_set_note_asked(struct dnnl_cache_store_working_set *set,
        size_t id_size, const uint8_t *id)
{
    working_set_lock(set);
    struct item *item = working_set_add_locked(set, id_size, id);
    if (item != NULL) {
        set->has_unsaved = set->has_unsaved || !item->is_listed;
        item->is_asked = true;
    }
    fork_unlock(&set->lock);
}

/* The list of what was asked for, and with all of what is listed; from malloc,
 * NULL: out of memory. */
static uint8_t *write_locked(
        struct dnnl_cache_store_working_set *set, bool all, size_t *size)
{
    struct working_set_id *ids = calloc(set->count + 1, sizeof *ids);
    size_t count = 0;
    if (ids == NULL) return NULL;
    for (size_t i = 0; i < set->count; i++) {
        struct item *item = &set->items[i];
        item->is_listed = item->is_asked || (all && item->is_listed);
        if (item->is_listed)
            ids[count++] = (struct working_set_id){item->id_size, item->id};
    }
    set->statistics.listed = count;
    set->has_unsaved = false;
    uint8_t *list = working_set_list_write(size, count, ids);
    free(ids);
    return list;
}

static dnnl_status_t put_list(struct dnnl_cache_store_working_set *set,
        size_t size, const uint8_t *list)
{
    const dnnl_status_t st = set->inner.put(
            set->inner.user, set->list_id_size, set->list_id, size, list, NULL);
    if (st == dnnl_success) return st;
    working_set_lock(set);
    set->has_unsaved = true;
    fork_unlock(&set->lock);
    return st;
}

/* Has the list all that was asked for, and at most as many others? */
static bool will_do_locked(const struct dnnl_cache_store_working_set *set)
{
    uint64_t asked = 0;
    for (size_t i = 0; i < set->count; i++)
        asked += set->items[i].is_asked;
    return asked == 0
           || (!set->has_unsaved && set->statistics.listed <= 2 * asked);
}

dnnl_status_t dnnl_cache_store_working_set_save(
        struct dnnl_cache_store_working_set *set)
{
    size_t size = 0;
    uint8_t *list = NULL;
    if (set == NULL) return dnnl_invalid_arguments;
    if (set->inner.put == NULL) return dnnl_success;
    working_set_lock(set);
    const bool is_needed = set->list_id != NULL && !will_do_locked(set);
    if (is_needed) list = write_locked(set, false, &size);
    fork_unlock(&set->lock);
    if (!is_needed) return dnnl_success;
    if (list == NULL) return dnnl_out_of_memory;
    const dnnl_status_t st = put_list(set, size, list);
    free(list);
    return st;
}

/* What is listed stays: most of it may be asked for later in this start. */
void working_set_save_in_time(struct dnnl_cache_store_working_set *set)
{
    size_t size = 0;
    uint8_t *list = NULL;
    if (set->save_every_ns == 0 || set->inner.put == NULL) return;
    working_set_lock(set);
    bool is_due = set->has_unsaved && !set->is_saving && set->list_id != NULL;
    if (is_due) {
        const uint64_t now_ns = clock_ns();
        is_due = now_ns - set->saved_ns >= set->save_every_ns;
        if (is_due) set->saved_ns = now_ns;
    }
    if (is_due) {
        set->is_saving = true;
        list = write_locked(set, true, &size);
    }
    fork_unlock(&set->lock);
    if (!is_due) return;
    if (list != NULL) (void)put_list(set, size, list);
    free(list);
    working_set_lock(set);
    set->is_saving = false;
    fork_unlock(&set->lock);
}
