/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/notes.h"

#include "layer/storage/storage.h"

#include <stdlib.h>
#include <string.h>

/* An entry in the store, whose notes are to be dropped. */
struct done {
    struct done *next;
    struct facts facts; /* point into the record */
    uint8_t *record;
    uint64_t *keys; /* of its notes, a build having one for each place */
    size_t key_count;
    bool are_needed;
    bool is_missing; /* something that was noted is not in the entry */
    size_t id_size;
    uint8_t id[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct done *done;                                /* guarded by it */

static void done_free(struct done *entry)
{
    facts_free_lists(&entry->facts);
    free(entry->record);
    free(entry->keys);
    free(entry);
}

void notes_are_done(const struct built_device *d, const uint8_t *record,
        size_t size, bool are_needed)
{
    struct done *entry = malloc(sizeof *entry + d->id_size);
    if (entry == NULL) return;
    *entry = (struct done){.record = malloc(size),
            .are_needed = are_needed,
            .id_size = d->id_size};
    memcpy(entry->id, d->id, d->id_size);
    if (entry->record != NULL) memcpy(entry->record, record, size);
    if (entry->record == NULL
            || !facts_decode(&entry->facts, entry->record, size)) {
        done_free(entry);
        return;
    }
    pthread_mutex_lock(&lock);
    entry->next = done;
    done = entry;
    pthread_mutex_unlock(&lock);
}

struct keys {
    struct done *done;
    uint64_t *list;
    size_t count;
    uint64_t bytes; /* of all notes, about */
};

static void add_key(uint64_t **list, size_t *count, uint64_t key)
{
    uint64_t *more = realloc(*list, (*count + 1) * sizeof *more);
    if (more == NULL) return;
    *list = more;
    more[(*count)++] = key;
}

static bool has_launch(const struct facts *facts, const dnnl_cache_note_t *note)
{
    struct launch_class class;
    return launch_class_of_note(&class, note)
           && facts_have_launch(facts, note->kernel, &class);
}

/* Of texts that several notes have the journal has one. */
static uint64_t bytes_of(const dnnl_cache_note_t *note)
{
    uint64_t bytes = note->id_size + note->il_size;
    for (size_t i = 0; i < note->source_count; i++)
        bytes += note->source_sizes[i];
    return bytes;
}

static bool visit(void *user, const dnnl_cache_note_t *note, uint64_t key)
{
    struct keys *keys = user;
    struct done *entry = keys->done;
    keys->bytes += bytes_of(note);
    while (entry != NULL
            && (entry->id_size != note->id_size
                    || memcmp(entry->id, note->id, note->id_size) != 0))
        entry = entry->next;
    if (entry == NULL) return true;
    const bool is_build = note->kind == dnnl_cache_note_build;
    const bool is_there = !is_build
                          && (note->kind == dnnl_cache_note_made
                                  || has_launch(&entry->facts, note));
    if (is_build || (is_there && entry->are_needed))
        add_key(&entry->keys, &entry->key_count, key);
    else if (is_there)
        add_key(&keys->list, &keys->count, key);
    else
        entry->is_missing = true;
    return true;
}

/* What has an entry must not take the room of what waits to be compiled. */
static bool may_wait(const struct done *entry, const struct keys *keys)
{
    return entry->are_needed && keys->bytes < storage_most_waiting();
}

/* A build whose entry lacks a launch, perhaps another process's, is made anew
 * with all of them. */
void notes_end(void)
{
    pthread_mutex_lock(&lock);
    struct keys keys = {.done = done};
    done = NULL;
    pthread_mutex_unlock(&lock);
    if (keys.done != NULL) storage_for_each_note(visit, &keys);
    bool is_missing = false;
    for (const struct done *entry = keys.done; entry != NULL;
            entry = entry->next)
        is_missing = is_missing || entry->is_missing;
    if (is_missing) keys.count = 0;
    while (keys.done != NULL) {
        struct done *entry = keys.done;
        keys.done = entry->next;
        const bool stays = entry->is_missing || may_wait(entry, &keys);
        for (size_t i = 0; !stays && i < entry->key_count; i++)
            add_key(&keys.list, &keys.count, entry->keys[i]);
        done_free(entry);
    }
    if (keys.count > 0) storage_drop_notes(keys.count, keys.list);
    free(keys.list);
}
