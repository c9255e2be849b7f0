/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/journal.h"

#include "src/common/sized_struct.h"
#include "stores/files/store_lock.h"
#include "stores/journal/journal_append.h"
#include "stores/journal/journal_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

dnnl_cache_store_handle_t *store_find_journal(dnnl_cache_store_handle_t *store)
{
    return store != NULL && store->calls->find_journal != NULL
                   ? store->calls->find_journal(store)
                   : store;
}

/* ---- Read ---------------------------------------------------------------- */

/* A whole journal in memory. */
struct image {
    uint8_t *data;
    size_t size;
    struct journal_keys texts;    /* where the record of each is */
    struct journal_keys failures; /* how often, by key of the build */
    struct journal_keys uses;     /* when last, by key of the build */
    struct journal_keys visited;  /* notes */
};

static void image_fini(struct image *image)
{
    free(image->data);
    journal_keys_fini(&image->texts);
    journal_keys_fini(&image->failures);
    journal_keys_fini(&image->uses);
    journal_keys_fini(&image->visited);
}

/* Steps to the next record; *at begins with 0. */
static bool image_next(
        const struct image *image, size_t *at, struct journal_record *record)
{
    if (*at == 0) *at = journal_head_size;
    if (*at > image->size) return false;
    const size_t n =
            journal_read_record(record, image->size - *at, image->data + *at);
    *at += n;
    return n > 0;
}

static bool index_use(struct image *image, const struct journal_record *record)
{
    const uint64_t build = journal_used_build(record);
    const uint64_t *last = journal_keys_find(&image->uses, build);
    return build == 0 || (last != NULL && *last >= record->time_ns)
           || journal_keys_set(&image->uses, build, record->time_ns);
}

static int image_index(struct image *image)
{
    struct journal_record record;
    size_t at = 0;
    bool is_good = true;
    while (is_good && image_next(image, &at, &record)) {
        if (record.key == 0) continue;
        if (record.kind == journal_text) {
            is_good = journal_keys_set(&image->texts, record.key,
                    (uint64_t)(record.payload - image->data)
                            - journal_record_head_size);
        } else if (record.kind == journal_failure) {
            const uint64_t *count =
                    journal_keys_find(&image->failures, record.key);
            is_good = journal_keys_set(&image->failures, record.key,
                    count != NULL ? *count + 1 : 1);
        } else if (record.kind == journal_use) {
            is_good = index_use(image, &record);
        }
    }
    return is_good ? 0 : ENOMEM;
}

/* An empty one if there is no journal. */
static int image_read(struct image *image, dnnl_cache_store_handle_t *store)
{
    *image = (struct image){.data = NULL};
    int error = journal_file_read(&image->data, &image->size, store);
    if (error == ENOENT || error == ENOTSUP) return 0;
    if (error == 0 && !journal_is_head(image->size, image->data)) {
        /* A writer that died at once, or that is at it, is nothing to tell. */
        if (!journal_is_head_begun(image->size, image->data)
                && !atomic_exchange(&store->journal.damage_was_told, true))
            store_log(store, dnnl_cache_log_warning,
                    "%s: the journal is damaged, and what it had is lost",
                    store->options.path);
        image->size = 0;
        return 0;
    }
    if (error == 0) error = image_index(image);
    if (error != 0) image_fini(image);
    return error;
}

/* What dnnl_cache_store_journal_load() gives. */
struct loaded {
    struct dnnl_cache_store_journal_list list; /* first */
    struct image image;
    const struct dnnl_cache_store_journal_item **pointers; /* the list's */
    struct dnnl_cache_store_journal_item *items;
    struct journal_note *notes;
};

void dnnl_cache_store_journal_free(struct dnnl_cache_store_journal_list *list)
{
    struct loaded *loaded = (struct loaded *)list;
    if (loaded == NULL) return;
    for (size_t i = 0; i < loaded->list.count; i++)
        journal_note_fini(&loaded->notes[i]);
    free(loaded->notes);
    free(loaded->items);
    free(loaded->pointers);
    image_fini(&loaded->image);
    free(loaded);
}

static bool make_lists(struct loaded *loaded)
{
    struct journal_record record;
    size_t at = 0;
    size_t most = 0;
    while (image_next(&loaded->image, &at, &record))
        most += journal_is_note(&record);
    loaded->notes = calloc(most + 1, sizeof *loaded->notes);
    loaded->items = calloc(most + 1, sizeof *loaded->items);
    loaded->pointers = calloc(most + 1, sizeof(void *));
    loaded->list.struct_size = sizeof loaded->list;
    loaded->list.items = loaded->pointers;
    return loaded->notes != NULL && loaded->items != NULL
           && loaded->pointers != NULL;
}

static int load_note(struct loaded *loaded, const struct journal_record *record)
{
    struct image *image = &loaded->image;
    const size_t i = loaded->list.count;
    struct journal_note *note = &loaded->notes[i];
    if (journal_keys_find(&image->visited, record->key) != NULL) return 0;
    const int error =
            journal_read_note(note, record, &image->texts, image->data);
    if (error != 0) return error == EBADMSG ? 0 : error;
    const uint64_t *failures = journal_keys_find(&image->failures, record->key);
    const uint64_t *used = journal_keys_find(&image->uses, record->key);
    loaded->items[i] = (struct dnnl_cache_store_journal_item){
            .struct_size = sizeof loaded->items[i],
            .note = &note->note,
            .key = record->key,
            .application = note->application,
            .tag = note->tag,
            .written_ns = record->time_ns,
            .used_ns = used != NULL && *used > record->time_ns
                               ? *used
                               : record->time_ns,
            .failures = failures != NULL ? (unsigned)*failures : 0,
    };
    loaded->pointers[i] = &loaded->items[i];
    loaded->list.count++;
    return journal_keys_set(&image->visited, record->key, 0) ? 0 : ENOMEM;
}

/* A record may have been cut or damaged on its way here, and what it lacks is
 * not missed by who replays it. A journal is made anew by itself. */
static void tell_rest(const struct image *image, size_t at,
        const dnnl_cache_store_handle_t *store)
{
    if (store->journal.is_alone && at < image->size)
        store_log(store, dnnl_cache_log_warning,
                "%s: the last %zu of %zu bytes are damaged or not whole, and "
                "are ignored",
                store->options.path, image->size - at, image->size);
}

static int load(struct loaded *loaded, dnnl_cache_store_handle_t *store)
{
    struct journal_record record;
    size_t at = 0;
    int error = image_read(&loaded->image, store);
    if (error == 0 && !make_lists(loaded)) error = ENOMEM;
    while (error == 0 && image_next(&loaded->image, &at, &record))
        if (journal_is_note(&record)) error = load_note(loaded, &record);
    if (error == 0) tell_rest(&loaded->image, at, store);
    return error;
}

dnnl_status_t dnnl_cache_store_journal_load(
        struct dnnl_cache_store_journal_list **list,
        dnnl_cache_store_handle_t *store)
{
    store = store_find_journal(store);
    if (store == NULL || list == NULL) return dnnl_invalid_arguments;
    struct loaded *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL) return dnnl_out_of_memory;
    const int error = load(loaded, store);
    if (error == 0) {
        *list = &loaded->list;
        return dnnl_success;
    }
    dnnl_cache_store_journal_free(&loaded->list);
    return error == EPERM ? dnnl_runtime_error
                          : store_finish(store, "journal", error);
}

dnnl_status_t dnnl_cache_store_journal_read(dnnl_cache_store_handle_t *store,
        dnnl_cache_store_journal_visit_t visit, void *user)
{
    struct dnnl_cache_store_journal_list *list;
    if (store == NULL || visit == NULL) return dnnl_invalid_arguments;
    const dnnl_status_t st = dnnl_cache_store_journal_load(&list, store);
    if (st != dnnl_success) return st;
    for (size_t i = 0; i < list->count; i++)
        if (!visit(user, list->items[i])) break;
    dnnl_cache_store_journal_free(list);
    return dnnl_success;
}

/* ---- Drop ---------------------------------------------------------------- */

struct need {
    struct journal_keys texts;
    bool failed;
};

static void need_text(void *user, uint64_t key)
{
    struct need *need = user;
    if (key != 0 && !journal_keys_set(&need->texts, key, 0))
        need->failed = true;
}

/* Which texts the builds that stay need. */
static void collect_texts(struct need *need, const struct image *image,
        const struct journal_keys *dropped)
{
    struct journal_record record;
    size_t at = 0;
    while (image_next(image, &at, &record))
        if (record.kind == journal_build
                && journal_keys_find(dropped, record.key) == NULL)
            journal_for_each_text(&record, need_text, need);
}

static bool stays(const struct journal_record *record, const struct need *need,
        const struct journal_keys *dropped)
{
    switch (record->kind) {
    case journal_index:
    case journal_more:
    case journal_tail:
        return false; /* they are of this file */
    case journal_text:
        return journal_keys_find(&need->texts, record->key) != NULL;
    case journal_use:
        return journal_keys_find(dropped, journal_used_build(record)) == NULL;
    default:
        return journal_keys_find(dropped, record->key) == NULL;
    }
}

/* What stays. *removed: something does not. */
static int rewrite(struct journal_bytes *bytes, bool *removed,
        const struct image *image, const struct journal_keys *dropped)
{
    struct need need = {.failed = false};
    struct journal_keys kept = {NULL, 0, 0};
    struct journal_record record;
    size_t at = 0;
    collect_texts(&need, image, dropped);
    journal_put_head(bytes);
    while (image_next(image, &at, &record)) {
        const bool is_once = record.kind == journal_failure
                             || journal_keys_find(&kept, record.key) == NULL;
        if (!is_once || !stays(&record, &need, dropped)) {
            *removed = *removed || record.key != 0;
            continue;
        }
        journal_put_record(bytes, &record);
        if (record.kind != journal_failure && record.key != 0
                && !journal_keys_set(&kept, record.key, 0))
            bytes->failed = true;
    }
    const bool failed = need.failed || bytes->failed;
    journal_keys_fini(&need.texts);
    journal_keys_fini(&kept);
    return failed ? ENOMEM : 0;
}

static int drop_locked(
        dnnl_cache_store_handle_t *store, const struct journal_keys *dropped)
{
    struct journal_file file;
    struct image image;
    struct journal_bytes bytes = {NULL, 0, 0, false};
    bool removed = false;
    int error = journal_file_open(&file, store, store->options.lock_timeout_ms);
    if (error != 0) return error;
    error = image_read(&image, store);
    if (error == 0) {
        error = rewrite(&bytes, &removed, &image, dropped);
        if (error == 0 && removed)
            error = journal_file_replace(&file, store, &bytes);
        image_fini(&image);
    }
    journal_file_close(&file);
    free(bytes.data);
    return error;
}

dnnl_status_t dnnl_cache_store_journal_drop(
        dnnl_cache_store_handle_t *store, size_t count, const uint64_t *keys)
{
    struct journal_keys dropped = {NULL, 0, 0};
    int error = 0;
    store = store_find_journal(store);
    if (store == NULL || (count > 0 && keys == NULL))
        return dnnl_invalid_arguments;
    if (!journal_is_writable(store)) return dnnl_runtime_error;
    for (size_t i = 0; i < count && error == 0; i++)
        if (keys[i] != 0 && !journal_keys_set(&dropped, keys[i], 0))
            error = ENOMEM;
    if (error == 0 && dropped.count > 0) {
        store_journal_lock(&store->journal);
        error = drop_locked(store, &dropped);
        store_journal_unlock(&store->journal);
    }
    journal_keys_fini(&dropped);
    return error == EPERM ? dnnl_runtime_error
                          : store_finish(store, "journal", error);
}

/* ---- Who drains ---------------------------------------------------------- */

dnnl_status_t dnnl_cache_store_journal_begin_drain(
        dnnl_cache_store_handle_t *store, unsigned timeout_ms)
{
    int fd = -1;
    store = store_find_journal(store);
    if (store == NULL) return dnnl_invalid_arguments;
    if (!journal_is_writable(store)) return dnnl_runtime_error;
    struct store_journal *journal = &store->journal;
    const int error = journal_file_lock_drain(&fd, store, timeout_ms);
    if (error == ETIMEDOUT || error == EWOULDBLOCK)
        return store_status_of(error);
    if (error != 0) return store_finish(store, "lock of the journal", error);
    store_journal_lock(journal);
    journal->drain_fd = fd;
    store_journal_unlock(journal);
    return dnnl_success;
}

void dnnl_cache_store_journal_end_drain(dnnl_cache_store_handle_t *store)
{
    store = store_find_journal(store);
    if (store == NULL) return;
    struct store_journal *journal = &store->journal;
    store_journal_lock(journal);
    store_unlock_file(journal->drain_fd);
    journal->drain_fd = -1;
    store_journal_unlock(journal);
}

/* ---- Statistics ---------------------------------------------------------- */

static bool count_note(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    struct dnnl_cache_store_journal_statistics *statistics = user;
    switch (item->note->kind) {
    case dnnl_cache_note_build:
        statistics->builds++;
        break;
    case dnnl_cache_note_kernel:
        statistics->kernels++;
        break;
    case dnnl_cache_note_made:
        break;
    default:
        statistics->launches++;
    }
    return true;
}

static uint64_t bytes_of(dnnl_cache_store_handle_t *store)
{
    uint8_t *data;
    size_t size;
    if (journal_file_read(&data, &size, store) != 0) return 0;
    free(data);
    return size;
}

dnnl_status_t dnnl_cache_store_journal_get_statistics(
        dnnl_cache_store_handle_t *store,
        struct dnnl_cache_store_journal_statistics *statistics)
{
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    store = store_find_journal(store);
    if (store == NULL || statistics == NULL) return dnnl_invalid_arguments;
    const dnnl_status_t st =
            dnnl_cache_store_journal_read(store, count_note, &s);
    if (st != dnnl_success) return st;
    struct store_journal *journal = &store->journal;
    s.bytes = bytes_of(store);
    store_journal_lock(journal);
    s.appended = journal->appended;
    s.known = journal->known;
    s.full = journal->full;
    s.busy = journal->busy;
    s.failed = journal->failed;
    store_journal_unlock(journal);
    return sized_struct_write(&s, sizeof s, statistics)
                   ? dnnl_success
                   : dnnl_invalid_arguments;
}
