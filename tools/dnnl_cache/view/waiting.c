/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/waiting.h"

#include "src/drivers/launch_class.h"
#include "tools/common/id/facts.h"

#include <dnnl_cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void waiting_load(struct waiting *waiting, struct tool *tool)
{
    waiting->list = NULL;
    (void)dnnl_cache_store_journal_load(&waiting->list, tool->store);
    if (waiting->list != NULL && waiting->list->count == 0)
        waiting_fini(waiting);
}

void waiting_fini(struct waiting *waiting)
{
    dnnl_cache_store_journal_free(waiting->list);
    waiting->list = NULL;
}

/* What the layer recorded with a binary; all zero for another blob. */
static void read_facts(struct facts *facts, size_t size, const uint8_t *blob)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    memset(facts, 0, sizeof *facts);
    if (blob != NULL
            && dnnl_cache_blob_inspect(size, blob, &info) == dnnl_success
            && info.user_data_size > 0
            && facts_decode(facts, info.user_data, info.user_data_size))
        (void)facts_read_classes(facts, size, blob);
}

/* A launch that is looked for among those of a blob that the library made. */
struct wanted {
    const char *kernel;
    struct launch_class class;
    bool is_there;
};

static dnnl_status_t look(const dnnl_cache_blob_part_t *part, void *user)
{
    struct wanted *wanted = user;
    const char *list = part->launches;
    if (part->kind != dnnl_cache_blob_part_kernel || list == NULL
            || strcmp(part->name, wanted->kernel) != 0)
        return dnnl_success;
    for (struct launch_class class; launch_class_read_next(&class, &list);)
        if (launch_class_is_same(&class, &wanted->class))
            wanted->is_there = true;
    return dnnl_success;
}

static bool is_in_blob(size_t size, const uint8_t *blob, const char *kernel,
        const struct launch_class *class)
{
    struct wanted wanted = {.kernel = kernel, .class = *class};
    if (blob != NULL) (void)dnnl_cache_blob_describe(size, blob, look, &wanted);
    return wanted.is_there;
}

void waiting_for_each(const struct waiting *waiting, size_t id_size,
        const uint8_t *id, size_t blob_size, const uint8_t *blob,
        void (*visit)(void *user, const char *launch), void *user)
{
    struct facts facts;
    if (waiting->list == NULL) return;
    read_facts(&facts, blob_size, blob);
    for (size_t i = 0; i < waiting->list->count; i++) {
        const dnnl_cache_note_t *note = waiting->list->items[i]->note;
        if (note->kind != dnnl_cache_note_launch || note->id_size != id_size
                || memcmp(note->id, id, id_size) != 0)
            continue;
        char name[launch_class_text_size];
        char *launch;
        struct launch_class class;
        if (!launch_class_of_note(&class, note)) continue;
        if (facts_have_launch(&facts, note->kernel, &class)
                || is_in_blob(blob_size, blob, note->kernel, &class))
            continue;
        launch_class_write(name, &class);
        if (asprintf(&launch, "%s %s", note->kernel, name) < 0) continue;
        visit(user, launch);
        free(launch);
    }
    facts_free_lists(&facts);
}

struct joined {
    char *text; /* NULL: no memory */
};

static void join(void *user, const char *launch)
{
    struct joined *joined = user;
    char *longer = NULL;
    if (joined->text == NULL) return;
    if (asprintf(&longer, "%s%s%s", joined->text,
                joined->text[0] != '\0' ? ", " : "", launch)
            < 0)
        longer = NULL;
    free(joined->text);
    joined->text = longer;
}

char *waiting_text(const struct waiting *waiting, size_t id_size,
        const uint8_t *id, size_t blob_size, const uint8_t *blob)
{
    struct joined joined = {strdup("")};
    waiting_for_each(waiting, id_size, id, blob_size, blob, join, &joined);
    return joined.text;
}
