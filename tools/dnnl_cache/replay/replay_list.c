/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/replay/replay_list.h"

#include <stdlib.h>
#include <string.h>

/* HASH_ADD of what cannot grow refuses. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* An hour: more is forged, or a machine slept meanwhile. */
static const uint64_t most_compile_ns = UINT64_C(3600) * 1000000000u;

/* A build of the record and its name here. */
struct build {
    UT_hash_handle hh;
    const struct replay_name *name;
};

struct builds {
    struct build *all;   /* owned */
    struct build *table; /* by the ID in the record */
};

static bool builds_make(struct builds *builds,
        const struct dnnl_cache_store_journal_list *record,
        const struct replay_names *names)
{
    size_t count = 0;
    *builds = (struct builds){
            .all = calloc(names->count + 1, sizeof *builds->all)};
    if (builds->all == NULL) return false;
    for (size_t i = 0; i < record->count; i++) {
        const dnnl_cache_note_t *note = record->items[i]->note;
        if (note->kind != dnnl_cache_note_build) continue;
        struct build *build = &builds->all[count];
        build->name = &names->names[count++];
        HASH_ADD_KEYPTR(
                hh, builds->table, note->id, (unsigned)note->id_size, build);
    }
    return HASH_COUNT(builds->table) == count;
}

static void builds_fini(struct builds *builds)
{
    HASH_CLEAR(hh, builds->table);
    free(builds->all);
}

/* NULL: it has none here. */
static const struct replay_name *find_name(
        const struct builds *builds, size_t id_size, const uint8_t *id)
{
    struct build *found = NULL;
    HASH_FIND(hh, builds->table, id, (unsigned)id_size, found);
    return found != NULL && found->name->size > 0 ? found->name : NULL;
}

/* Some were chosen for a larger device; drivers refuse such launches. */
static bool fits(
        const struct replay_names *names, const dnnl_cache_note_t *launch)
{
    uint64_t group = 1;
    for (int i = 0; i < 3 && launch->local_size[0] > 0; i++) {
        const uint64_t size =
                launch->local_size[i] > 0 ? launch->local_size[i] : 1;
        if (size > names->items[i] || size > names->group / group) return false;
        group *= size;
    }
    return true;
}

static bool name_inputs(struct replay_list *list, size_t *next,
        dnnl_cache_note_t *note, const struct builds *builds)
{
    const size_t first = *next;
    for (size_t i = 0; i < note->input_count; i++) {
        const struct replay_name *input =
                find_name(builds, note->input_id_sizes[i], note->input_ids[i]);
        if (input == NULL) return false;
        list->input_sizes[*next] = input->size;
        list->inputs[(*next)++] = input->id;
    }
    note->input_id_sizes = list->input_sizes + first;
    note->input_ids = list->inputs + first;
    return true;
}

static void add(struct replay_list *list,
        const struct dnnl_cache_store_journal_item *item,
        const struct builds *builds, const struct replay_names *names,
        size_t *next_input)
{
    struct replay_item *copy = &list->items[list->list.count];
    dnnl_cache_note_t *note = &copy->note;
    copy->item = *item;
    copy->note = *item->note;
    copy->item.note = note;
    const struct replay_name *name = find_name(builds, note->id_size, note->id);
    const bool is_build = note->kind == dnnl_cache_note_build;
    if (note->kind == dnnl_cache_note_kernel) return;
    if (name == NULL
            || (is_build && !name_inputs(list, next_input, note, builds))) {
        list->nameless += is_build;
        return;
    }
    if (!is_build && !fits(names, note)) {
        list->unfit++;
        return;
    }
    /* No record has these, unless it is forged or was a journal. */
    note->file_count = 0;
    /* Policies of eviction go by it. */
    if (note->compile_ns > most_compile_ns) note->compile_ns = most_compile_ns;
    note->id_size = name->size;
    note->id = name->id;
    list->pointers[list->list.count++] = &copy->item;
}

bool replay_list_make(struct replay_list *list,
        const struct dnnl_cache_store_journal_list *record,
        const struct replay_names *names)
{
    struct builds builds = {NULL, NULL};
    size_t inputs = 0;
    size_t next_input = 0;
    for (size_t i = 0; i < record->count; i++)
        inputs += record->items[i]->note->input_count;
    *list = (struct replay_list){
            .items = calloc(record->count + 1, sizeof *list->items),
            .pointers = calloc(record->count + 1, sizeof(void *)),
            .input_sizes = calloc(inputs + 1, sizeof *list->input_sizes),
            .inputs = calloc(inputs + 1, sizeof *list->inputs)};
    list->list.struct_size = sizeof list->list;
    list->list.items = list->pointers;
    const bool is_made = list->items != NULL && list->pointers != NULL
                         && list->input_sizes != NULL && list->inputs != NULL
                         && builds_make(&builds, record, names);
    for (size_t i = 0; is_made && i < record->count; i++)
        add(list, record->items[i], &builds, names, &next_input);
    builds_fini(&builds);
    return is_made;
}

void replay_list_fini(struct replay_list *list)
{
    free(list->items);
    free(list->pointers);
    free(list->input_sizes);
    free(list->inputs);
    *list = (struct replay_list){.nameless = 0};
}
