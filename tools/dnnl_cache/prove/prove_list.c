/* SPDX-License-Identifier: Apache-2.0 */
/* Which entries of a list of notes are proved, in which order, for which
 * launches. */
#include "tools/dnnl_cache/prove/prove.h"

#include "src/common/array.h"
#include "src/drivers/launch_class.h"
#include "src/platform/clock.h"
#include "src/platform/random.h"
#include "tools/dnnl_cache/view/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t second_ns = 1000000000u;

/* A job and its entry; those with the largest rank come first. */
struct chosen {
    const struct refresh_job *job;
    struct prove_entry *entry;
    uint64_t rank;
};

/* A launch that an entry has code for. */
struct made_launch {
    struct dnnl_cache_store_journal_item item;
    dnnl_cache_note_t note;
    char *kernel; /* owned */
};

struct listing {
    struct prove *prove;
    const struct dnnl_cache_store_journal_list *notes;
    struct chosen *chosen; /* owned */
    size_t chosen_count;
    struct made_launch **launches; /* owned, as what they point to */
    size_t launch_count;
};

/* ---- Which --------------------------------------------------------------- */

static bool is_young(const struct prove *p, const struct prove_entry *e)
{
    const uint64_t now = clock_epoch_ns();
    const uint64_t created = e->entry->item.created_ns;
    /* One of a later day is of a clock that was set back, and may be old. */
    const uint64_t apart = created > now ? created - now : now - created;
    return apart / second_ns < p->least_seconds;
}

enum prove_state prove_look_at(
        const struct prove *p, const struct prove_entry *e)
{
    if (p->least_seconds > 0 && is_young(p, e)) return prove_young;
    const enum prove_result past = prove_memory_find(
            &p->memory, e->entry->name, &e->build, e->entry->item.created_ns);
    if (!p->again && past == prove_result_proved) return prove_recent;
    if (p->is_for_refresh && past == prove_result_open) return prove_open;
    /* It was told, and nobody removed it: not each refresh tells it again. */
    if (p->is_for_refresh && past == prove_result_differed) return prove_recent;
    return prove_left;
}

static bool is_decided(const struct prove_entry *e)
{
    return e->state != prove_no_record && e->state != prove_elsewhere
           && e->state != prove_refused;
}

/* False: no memory. */
static bool consider(struct listing *l, const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = job->build->note;
    struct prove *p = l->prove;
    struct prove_entry *e = prove_find(p, note->id_size, note->id);
    if (e == NULL || is_decided(e)) return true;
    snprintf(e->application, sizeof e->application, "%s",
            job->build->application);
    if (job->state == refresh_refused) {
        e->state = prove_refused;
        e->why = job->why;
        return true;
    }
    if (note->origin == dnnl_cache_note_layer && p->pool.layer[0] == '\0') {
        e->state = prove_refused;
        e->why = "the OpenCL layer is not installed with this program";
        return true;
    }
    e->why = NULL;
    e->state = prove_look_at(p, e);
    if (e->state != prove_left) return true;
    if (!array_grow(&l->chosen, l->chosen_count, sizeof *l->chosen))
        return false;
    l->chosen[l->chosen_count++] = (struct chosen){.job = job,
            .entry = e,
            .rank = p->by_use ? e->entry->item.used_ns : random_number()};
    return true;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct chosen *a = left;
    const struct chosen *b = right;
    return (a->rank < b->rank) - (a->rank > b->rank);
}

static void cut(struct listing *l)
{
    const struct prove *p = l->prove;
    if (l->chosen_count > 1)
        qsort(l->chosen, l->chosen_count, sizeof *l->chosen, compare_ranks);
    if (p->most_entries == 0) return;
    const uint64_t left =
            p->most_entries > p->tried ? p->most_entries - p->tried : 0;
    if (l->chosen_count > left) l->chosen_count = (size_t)left;
}

/* ---- For which launches -------------------------------------------------- */

static bool add_launch(struct listing *l, const dnnl_cache_note_t *build,
        const char *kernel, const struct launch_class *class)
{
    if (!array_grow(&l->launches, l->launch_count, sizeof *l->launches))
        return false;
    struct made_launch *made = calloc(1, sizeof *made);
    if (made == NULL) return false;
    l->launches[l->launch_count++] = made;
    made->kernel = strdup(kernel);
    made->note = (dnnl_cache_note_t)DNNL_CACHE_NOTE_INIT;
    made->note.kind = dnnl_cache_note_launch;
    made->note.origin = build->origin;
    made->note.id_size = build->id_size;
    made->note.id = build->id;
    made->note.kernel = made->kernel;
    launch_class_put(&made->note, class, 3);
    made->item = (struct dnnl_cache_store_journal_item)
            DNNL_CACHE_STORE_JOURNAL_ITEM_INIT;
    made->item.note = &made->note;
    made->item.application = "";
    made->item.tag = "";
    return made->kernel != NULL;
}

/* No driver has made more than some of them; an entry with code for more cannot
 * be proved, whatever is compiled again. */
static bool add_launches_of(struct listing *l, const dnnl_cache_note_t *build,
        const struct parts *parts)
{
    const size_t most = l->launch_count + 4 * (size_t)launch_classes_max;
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_blob_part_t *part = &parts->items[i];
        const char *list = part->launches;
        struct launch_class class;
        if (part->kind != dnnl_cache_blob_part_kernel || list == NULL) continue;
        while (launch_class_read_next(&class, &list))
            if (l->launch_count < most
                    && !add_launch(l, build, part->name, &class))
                return false;
    }
    return true;
}

/* False: no memory. An entry that is gone, or damaged, has none. */
static bool add_launches(struct listing *l, const dnnl_cache_note_t *build)
{
    struct tool *tool = l->prove->tool;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    struct parts parts;
    const uint8_t *blob;
    size_t size;
    bool is_added = true;
    if (s->get(s->user, build->id_size, build->id, &size, &blob)
            != dnnl_success)
        return true;
    if (dnnl_cache_blob_inspect(
                size, blob, &(dnnl_cache_blob_info_t)DNNL_CACHE_BLOB_INFO_INIT)
            == dnnl_success) {
        is_added = parts_load(&parts, tool, size, blob) == exit_ok
                   && add_launches_of(l, build, &parts);
        parts_fini(&parts);
    }
    s->release(s->user, size, blob);
    return is_added;
}

/* ---- All of them --------------------------------------------------------- */

/* The builds of the list, and the launches of what was chosen. The caller frees
 * it; NULL: no memory. */
static const struct dnnl_cache_store_journal_item **make_items(
        const struct listing *l, size_t *count)
{
    const struct dnnl_cache_store_journal_item **items =
            calloc(l->notes->count + l->launch_count + 1, sizeof(const void *));
    *count = 0;
    if (items == NULL) return NULL;
    for (size_t i = 0; i < l->notes->count; i++)
        if (l->notes->items[i]->note->kind == dnnl_cache_note_build)
            items[(*count)++] = l->notes->items[i];
    for (size_t i = 0; i < l->launch_count; i++)
        items[(*count)++] = &l->launches[i]->item;
    return items;
}

static struct refresh_job *find_job(
        const struct refresh_jobs *jobs, const struct refresh_job *wanted)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].build == wanted->build) return &jobs->jobs[i];
    return NULL;
}

/* Is there processor time for what compiling took before? */
static bool has_time_for(const struct prove *p, const struct refresh_job *job)
{
    return p->most_cpu_ns == 0
           || (p->spent_ns < p->most_cpu_ns
                   && job->build->note->compile_ns
                              < p->most_cpu_ns - p->spent_ns);
}

static enum tool_exit prove_chosen(
        struct listing *l, const struct refresh_policy *policy)
{
    struct dnnl_cache_store_journal_list list = {.struct_size = sizeof list};
    struct refresh_jobs jobs = {.list = NULL};
    const struct dnnl_cache_store_journal_item **items =
            make_items(l, &list.count);
    list.items = items;
    if (!l->prove->is_for_refresh)
        progress_init(&l->prove->progress, l->prove->tool, "proving",
                l->chosen_count);
    const bool is_made =
            items != NULL
            && refresh_jobs_make(&jobs, &list, policy) == dnnl_success;
    for (size_t i = 0; is_made && i < l->chosen_count; i++) {
        struct refresh_job *job = find_job(&jobs, l->chosen[i].job);
        if (prove_must_end(l->prove)) break;
        if (job != NULL && has_time_for(l->prove, job))
            prove_entry_again(l->prove, &jobs, job, l->chosen[i].entry);
        progress_set(&l->prove->progress, i + 1);
    }
    progress_clear(&l->prove->progress);
    refresh_jobs_fini(&jobs);
    free(items);
    return is_made ? exit_ok : tool_no_memory(l->prove->tool);
}

static void listing_fini(struct listing *l)
{
    for (size_t i = 0; i < l->launch_count; i++) {
        free(l->launches[i]->kernel);
        free(l->launches[i]);
    }
    free(l->launches);
    free(l->chosen);
}

enum tool_exit prove_list(struct prove *p,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy)
{
    struct listing l = {.prove = p, .notes = list};
    struct refresh_jobs jobs;
    enum tool_exit code = exit_ok;
    if (refresh_jobs_make(&jobs, list, policy) != dnnl_success)
        return tool_no_memory(p->tool);
    bool has_memory = true;
    for (size_t i = 0; has_memory && i < jobs.count; i++)
        has_memory = consider(&l, &jobs.jobs[i]);
    cut(&l);
    for (size_t i = 0; has_memory && i < l.chosen_count; i++)
        has_memory = add_launches(&l, l.chosen[i].job->build->note);
    if (!has_memory)
        code = tool_no_memory(p->tool);
    else if (l.chosen_count > 0)
        code = prove_chosen(&l, policy);
    listing_fini(&l);
    refresh_jobs_fini(&jobs);
    return code;
}
