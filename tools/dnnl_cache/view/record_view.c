/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/record_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct place {
    UT_hash_handle hh;
    size_t program;
};

struct table {
    struct place *places; /* by ID */
    struct place all[];
};

void record_name(char name[record_name_size], size_t id_size, const uint8_t *id)
{
    snprintf(name, record_name_size, "%012" PRIx64,
            XXH3_64bits(id, id_size) >> 16);
}

static struct record_program *find(
        const struct record_view *view, size_t id_size, const uint8_t *id)
{
    const struct table *table = view->table;
    struct place *place = NULL;
    HASH_FIND(hh, table->places, id, (unsigned)id_size, place);
    return place != NULL ? &view->programs[place->program] : NULL;
}

const struct record_program *record_view_find(
        const struct record_view *view, size_t id_size, const uint8_t *id)
{
    return find(view, id_size, id);
}

static bool add_programs(struct record_view *view)
{
    struct table *table = view->table;
    for (size_t i = 0; i < view->list->count; i++) {
        const struct dnnl_cache_store_journal_item *item = view->list->items[i];
        const dnnl_cache_note_t *note = item->note;
        if (note->kind != dnnl_cache_note_build) continue;
        struct record_program *program = &view->programs[view->count];
        struct place *place = &table->all[view->count];
        program->build = item;
        record_name(program->name, note->id_size, note->id);
        place->program = view->count++;
        HASH_ADD_KEYPTR(
                hh, table->places, note->id, (unsigned)note->id_size, place);
    }
    return HASH_COUNT(table->places) == view->count;
}

/* How many each has; then where they are. */
static void add_parts(struct record_view *view)
{
    const struct dnnl_cache_store_journal_item **next = view->parts;
    for (size_t i = 0; i < view->list->count; i++) {
        const dnnl_cache_note_t *note = view->list->items[i]->note;
        struct record_program *program = find(view, note->id_size, note->id);
        if (program == NULL || note->kind == dnnl_cache_note_build) continue;
        program->kernel_count += note->kind == dnnl_cache_note_kernel;
        program->launch_count += note->kind == dnnl_cache_note_launch;
    }
    for (size_t i = 0; i < view->count; i++) {
        view->programs[i].parts = next;
        next += view->programs[i].kernel_count + view->programs[i].launch_count;
    }
    for (size_t i = 0; i < view->list->count; i++) {
        const struct dnnl_cache_store_journal_item *item = view->list->items[i];
        struct record_program *program =
                find(view, item->note->id_size, item->note->id);
        if (program != NULL && item->note->kind != dnnl_cache_note_build)
            program->parts[program->part_count++] = item;
    }
}

bool record_view_make(struct record_view *view,
        const struct dnnl_cache_store_journal_list *list)
{
    const size_t count = list->count;
    *view = (struct record_view){.list = list,
            .programs = calloc(count + 1, sizeof *view->programs),
            .parts = calloc(count + 1, sizeof(void *)),
            .table = calloc(
                    1, sizeof(struct table) + count * sizeof(struct place))};
    if (view->programs == NULL || view->parts == NULL || view->table == NULL
            || !add_programs(view))
        return false;
    add_parts(view);
    return true;
}

/* Inputs come before what they are linked to. */
void record_view_keep_inputs(struct record_view *view)
{
    for (size_t i = view->count; i-- > 0;) {
        const dnnl_cache_note_t *note = view->programs[i].build->note;
        for (size_t k = 0; view->programs[i].stays && k < note->input_count;
                k++) {
            struct record_program *input =
                    find(view, note->input_id_sizes[k], note->input_ids[k]);
            if (input != NULL) input->stays = true;
        }
    }
}

void record_view_fini(struct record_view *view)
{
    struct table *table = view->table;
    if (table != NULL) HASH_CLEAR(hh, table->places);
    free(table);
    free(view->parts);
    free(view->programs);
    *view = (struct record_view){.count = 0};
}

uint64_t record_program_bytes(const struct record_program *program)
{
    const dnnl_cache_note_t *note = program->build->note;
    uint64_t bytes = note->il_size;
    for (size_t i = 0; i < note->source_count; i++)
        bytes += note->source_sizes[i];
    for (size_t i = 0; i < note->header_count; i++)
        bytes += note->headers[i].size;
    for (size_t i = 0; i < note->header_program_count; i++)
        bytes += note->header_programs[i].size;
    return bytes;
}
