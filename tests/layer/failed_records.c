/* SPDX-License-Identifier: Apache-2.0 */
#include "failed_records.h"

#include "test.h"

#include <dnnl_cache/journal.h>
#include <dnnl_cache/store.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In a record, little-endian. */
enum { state_at = 16, when_at = 24, least_size = 32, most_records = 512 };

static dnnl_cache_store_handle_t *open_store(const char *store)
{
    char path[1024];
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *failed = NULL;
    (void)snprintf(path, sizeof path, "%s/layer/failed", store);
    if (access(path, F_OK) != 0) return NULL;
    options.path = path;
    options.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    EXPECT_EQ(dnnl_success, dnnl_cache_store_open(&failed, "flat", &options));
    return failed;
}

struct keys {
    size_t count;
    size_t sizes[most_records];
    uint8_t *list[most_records];
};

static bool add_key(void *user, const struct dnnl_cache_store_entry *item)
{
    struct keys *keys = user;
    uint8_t *copy = malloc(item->id_size + 1);
    if (keys->count == most_records || copy == NULL) {
        free(copy);
        return false;
    }
    memcpy(copy, item->id, item->id_size);
    keys->sizes[keys->count] = item->id_size;
    keys->list[keys->count++] = copy;
    return true;
}

static uint64_t number_at(const uint8_t *at)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--)
        number = number << 8 | at[i];
    return number;
}

static void put_number(uint8_t *at, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* Visits a copy of each; true: it is put in place of the record. */
static unsigned visit_all(const char *store,
        bool (*visit)(void *user, uint8_t *record, size_t *size), void *user)
{
    static struct keys keys;
    unsigned count = 0;
    dnnl_cache_store_handle_t *failed = open_store(store);
    memset(&keys, 0, sizeof keys);
    if (failed == NULL) return 0;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(failed);
    EXPECT_EQ(dnnl_success, dnnl_cache_store_iterate(failed, add_key, &keys));
    for (size_t i = 0; i < keys.count; i++) {
        const uint8_t *bytes = NULL;
        size_t size = 0;
        if (s->get(s->user, keys.sizes[i], keys.list[i], &size, &bytes)
                == dnnl_success) {
            uint8_t *copy = malloc(size + 1);
            memcpy(copy, bytes, size);
            s->release(s->user, size, bytes);
            count++;
            if (visit(user, copy, &size))
                EXPECT_EQ(
                        dnnl_success, s->put(s->user, keys.sizes[i],
                                              keys.list[i], size, copy, NULL));
            free(copy);
        }
        free(keys.list[i]);
    }
    dnnl_cache_store_close(failed);
    return count;
}

struct counting {
    unsigned state;
    unsigned found;
};

static bool count_one(void *user, uint8_t *record, size_t *size)
{
    struct counting *counting = user;
    if (*size >= least_size
            && (counting->state == 0
                    || number_at(record + state_at) == counting->state))
        counting->found++;
    return false;
}

unsigned failed_records_count(const char *store, unsigned state)
{
    struct counting counting = {state, 0};
    (void)visit_all(store, count_one, &counting);
    return counting.found;
}

static bool age_one(void *user, uint8_t *record, size_t *size)
{
    const uint64_t *seconds = user;
    if (*size < least_size) return false;
    put_number(record + when_at, number_at(record + when_at) - *seconds);
    return true;
}

unsigned failed_records_age(const char *store, uint64_t seconds)
{
    return visit_all(store, age_one, &seconds);
}

struct changing {
    void (*change)(uint8_t *record, size_t *size);
};

static bool change_one(void *user, uint8_t *record, size_t *size)
{
    const struct changing *changing = user;
    changing->change(record, size);
    return true;
}

unsigned failed_records_change(
        const char *store, void (*change)(uint8_t *record, size_t *size))
{
    struct changing changing = {change};
    return visit_all(store, change_one, &changing);
}

static bool count_note(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    unsigned *count = user;
    *count += item->note->kind == dnnl_cache_note_build;
    return true;
}

unsigned failed_records_count_notes(const char *store)
{
    unsigned count = 0;
    dnnl_cache_store_handle_t *failed = open_store(store);
    if (failed == NULL) return 0;
    EXPECT_EQ(dnnl_success,
            dnnl_cache_store_journal_read(failed, count_note, &count));
    dnnl_cache_store_close(failed);
    return count;
}
