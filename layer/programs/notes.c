/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/notes.h"

#include "layer/driver/answer_time.h"
#include "layer/driver/quirks.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool notes_are_wanted(const struct build *build)
{
    const cl_device_id device = build->devices[0].device;
    return !layer_settings()->harvest_now && build->devices[0].id != NULL
           && (quirk_needs_idle(device)
                   || (!quirk_answers_at_once(device) && answer_time_is_long()))
           && storage_can_keep();
}

static dnnl_cache_note_t new_note(
        dnnl_cache_note_kind_t kind, const struct built_device *d)
{
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = kind;
    note.origin = dnnl_cache_note_layer;
    note.id_size = d->id_size;
    note.id = d->id;
    return note;
}

/* ---- Builds -------------------------------------------------------------- */

/* The program's constants, malloc'ed; NULL: none, or no memory. */
static dnnl_cache_note_constant_t *copy_constants(
        struct layer_program *program, size_t *count)
{
    dnnl_cache_note_constant_t *copy = NULL;
    pthread_mutex_lock(&program->lock);
    *count = program->constant_count;
    if (*count > 0) copy = calloc(*count, sizeof *copy);
    if (copy == NULL) *count = 0;
    for (size_t i = 0; i < *count; i++) {
        const struct spec_constant *constant = &program->constants[i];
        copy[i].id = constant->id;
        copy[i].size = (uint32_t)constant->size;
        memcpy(copy[i].value, constant->value, sizeof copy[i].value);
    }
    pthread_mutex_unlock(&program->lock);
    return copy;
}

static bool give_device(const struct build *build, const struct built_device *d,
        dnnl_cache_note_t *note, bool (*give)(const dnnl_cache_note_t *note))
{
    note->id_size = d->id_size;
    note->id = d->id;
    note->input_count = d->input_count;
    note->input_id_sizes = d->input_id_sizes;
    note->input_ids = (const uint8_t *const *)d->input_ids;
    note->compile_ns =
            build->is_loaded ? d->facts.compile_ns : build->compile_ns;
    return d->id != NULL && give(note);
}

bool notes_give_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs,
        bool (*give)(const dnnl_cache_note_t *note))
{
    static const dnnl_cache_note_type_t types[] = {
            [build_executable] = dnnl_cache_note_executable,
            [build_object] = dnnl_cache_note_object,
            [build_linked] = dnnl_cache_note_linked};
    char directory[PATH_MAX];
    dnnl_cache_note_t note =
            new_note(dnnl_cache_note_build, &build->devices[0]);
    const struct program_input *input = &program->input;
    const char *const source = input->source;
    dnnl_cache_note_constant_t *constants = NULL;
    for (size_t i = 0; inputs != NULL && i < inputs->count; i++)
        (void)notes_give_build(
                inputs->owners[i], inputs->builds[i], NULL, give);
    note.type = types[build->kind];
    note.options = build->options;
    if (build->kind != build_linked) {
        note.source_count = source != NULL;
        note.sources = &source;
        note.source_sizes = &input->source_size;
        note.il = input->il;
        note.il_size = input->il_size;
        note.reads_files = build->reads_files;
        note.file_count = build->file_count;
        note.files = build->files;
        note.directory = getcwd(directory, sizeof directory);
        note.constants = constants =
                copy_constants(program, &note.constant_count);
    }
    bool is_taken = true;
    for (size_t i = 0; i < build->count; i++)
        is_taken =
                give_device(build, &build->devices[i], &note, give) && is_taken;
    free(constants);
    return is_taken;
}

void notes_add_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs)
{
    for (size_t i = 0; inputs != NULL && i < inputs->count; i++)
        notes_add_build(inputs->owners[i], inputs->builds[i], NULL);
    atomic_store(&build->is_noted,
            notes_give_build(program, build, NULL, storage_note));
}

/* ---- Launches ------------------------------------------------------------ */

void notes_add_launch(const struct built_device *d, const char *kernel,
        uint32_t dimensions, const struct launch_class *class)
{
    if (layer_settings()->harvest_now) return;
    dnnl_cache_note_t note = new_note(dnnl_cache_note_launch, d);
    note.kernel = kernel;
    launch_class_put(&note, class, dimensions);
    (void)storage_note(&note);
}

static uint32_t dimensions_of(const struct launch_class *class)
{
    if (class->size[2] > 1) return 3;
    return class->size[1] > 1 ? 2 : 1;
}

void notes_add_facts(const struct built_device *d, const struct facts *facts)
{
    for (uint32_t i = 0; i < facts->kernel_count; i++)
        for (uint32_t k = 0; k < facts->kernels[i].class_count; k++) {
            const struct launch_class *class = &facts->kernels[i].classes[k];
            notes_add_launch(
                    d, facts->kernels[i].name, dimensions_of(class), class);
        }
}

/* ---- What is done -------------------------------------------------------- */

/* An entry in the store, whose notes are to be dropped. */
struct done {
    struct done *next;
    struct facts facts; /* point into the record */
    uint8_t *record;
    uint64_t build_key; /* 0: there is no such note */
    bool is_missing;    /* something that was noted is not in the entry */
    size_t id_size;
    uint8_t id[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct done *done;                                /* guarded by it */

static void done_free(struct done *entry)
{
    facts_free_lists(&entry->facts);
    free(entry->record);
    free(entry);
}

void notes_are_done(
        const struct built_device *d, const uint8_t *record, size_t size)
{
    struct done *entry = malloc(sizeof *entry + d->id_size);
    if (entry == NULL) return;
    *entry = (struct done){.record = malloc(size), .id_size = d->id_size};
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
};

static void add_key(struct keys *keys, uint64_t key)
{
    uint64_t *list = realloc(keys->list, (keys->count + 1) * sizeof *list);
    if (list == NULL) return;
    keys->list = list;
    keys->list[keys->count++] = key;
}

static bool has_launch(const struct facts *facts, const dnnl_cache_note_t *note)
{
    struct launch_class class;
    return launch_class_of_note(&class, note)
           && facts_have_launch(facts, note->kernel, &class);
}

static bool visit(void *user, const dnnl_cache_note_t *note, uint64_t key)
{
    struct keys *keys = user;
    struct done *entry = keys->done;
    while (entry != NULL
            && (entry->id_size != note->id_size
                    || memcmp(entry->id, note->id, note->id_size) != 0))
        entry = entry->next;
    if (entry == NULL) return true;
    if (note->kind == dnnl_cache_note_build)
        entry->build_key = key;
    else if (note->kind == dnnl_cache_note_made
             || has_launch(&entry->facts, note))
        add_key(keys, key);
    else
        entry->is_missing = true;
    return true;
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
        if (!entry->is_missing && entry->build_key != 0)
            add_key(&keys, entry->build_key);
        done_free(entry);
    }
    if (keys.count > 0) storage_drop_notes(keys.count, keys.list);
    free(keys.list);
}
