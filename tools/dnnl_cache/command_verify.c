/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify: first the store checks that all bytes are those that were written,
 * then each blob is looked at: a value may be whole and still be none that the
 * library would take.
 */
#include "commands.h"
#include "json.h"
#include "progress.h"
#include "subject.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* What was found wrong. */
struct finding {
    char *name; /* the store's word for a place, or an entry's name */
    char *what; /* why it is foreign; NULL: it is damaged */
    size_t id_size;
    uint8_t *id; /* of a foreign one */
};

struct verification {
    struct tool *tool;
    struct progress progress;
    struct finding *findings;
    size_t count;
    size_t capacity;
    bool out_of_memory;
    dnnl_status_t status; /* of the store, in the second pass */
    uint64_t looked_at;
    uint64_t bytes; /* of good blobs */
    uint64_t intact;
    uint64_t damaged;
    uint64_t foreign;
    uint64_t newer;
    uint64_t removed;
};

static struct finding *add_finding(
        struct verification *v, const char *name, const char *what)
{
    if (v->count == v->capacity) {
        const size_t capacity = 2 * v->capacity + 16;
        struct finding *findings =
                realloc(v->findings, capacity * sizeof *findings);
        v->out_of_memory = findings == NULL;
        if (findings == NULL) return NULL;
        v->findings = findings;
        v->capacity = capacity;
    }
    struct finding *f = &v->findings[v->count];
    *f = (struct finding){
            .name = strdup(name), .what = what != NULL ? strdup(what) : NULL};
    v->count++;
    v->out_of_memory = f->name == NULL || (what != NULL && f->what == NULL);
    return v->out_of_memory ? NULL : f;
}

static void fini(struct verification *v)
{
    for (size_t i = 0; i < v->count; i++) {
        free(v->findings[i].name);
        free(v->findings[i].what);
        free(v->findings[i].id);
    }
    free(v->findings);
}

/* ---- Bytes --------------------------------------------------------------- */

static bool note_bytes(void *user, const struct store_verdict *verdict)
{
    struct verification *v = user;
    progress_set(&v->progress, ++v->looked_at);
    return verdict->intact || add_finding(v, verdict->name, NULL) != NULL;
}

static enum tool_exit check_bytes(struct verification *v, uint64_t total)
{
    struct store_check check;
    progress_init(&v->progress, v->tool, "reading", total);
    const dnnl_status_t st = store_verify(
            v->tool->store, v->tool->options->repair, note_bytes, v, &check);
    progress_clear(&v->progress);
    v->damaged = check.damaged;
    v->removed = check.repaired;
    if (v->out_of_memory) return tool_no_memory(v->tool);
    return tool_check(v->tool, "verify", st);
}

/* ---- Blobs --------------------------------------------------------------- */

static void judge(struct verification *v, const struct store_item *item,
        size_t size, const uint8_t *blob)
{
    dnnl_cache_blob_info_t info;
    char name[catalog_name_size];
    const dnnl_status_t st = subject_check_blob(
            v->tool, &info, item->id_size, item->id, size, blob);
    if (st == dnnl_success) {
        v->intact++;
        v->bytes += size;
        return;
    }
    if (st == dnnl_cache_blob_unsupported) {
        v->newer++;
        return;
    }
    v->foreign++;
    entry_name(name, item->id_size, item->id);
    struct finding *f = add_finding(v, name, v->tool->reason);
    if (f == NULL) return;
    f->id = malloc(item->id_size);
    f->id_size = item->id_size;
    v->out_of_memory = f->id == NULL;
    if (f->id != NULL) memcpy(f->id, item->id, item->id_size);
}

static bool note_blob(void *user, const struct store_item *item)
{
    struct verification *v = user;
    const dnnl_cache_store_t *store = store_callbacks(v->tool->store);
    const uint8_t *blob;
    size_t size;
    progress_set(&v->progress, ++v->looked_at);
    const dnnl_status_t st =
            store->get(store->user, item->id_size, item->id, &size, &blob);
    /* Damaged, which is counted already, or gone meanwhile. */
    if (st == dnnl_cache_miss) return true;
    v->status = st;
    if (st != dnnl_success) return false;
    judge(v, item, size, blob);
    store->release(store->user, size, blob);
    return !v->out_of_memory;
}

/* Foreign entries hold nothing that anybody could use. */
static enum tool_exit remove_foreign(struct verification *v)
{
    const dnnl_cache_store_t *store = store_callbacks(v->tool->store);
    for (size_t i = 0; i < v->count; i++) {
        const struct finding *f = &v->findings[i];
        if (f->id == NULL) continue;
        const dnnl_status_t st = store->remove(store->user, f->id_size, f->id);
        if (st != dnnl_success) return tool_check(v->tool, "remove", st);
        v->removed++;
    }
    return exit_ok;
}

static enum tool_exit check_blobs(struct verification *v, uint64_t total)
{
    v->looked_at = 0;
    progress_init(&v->progress, v->tool, "checking", total);
    const dnnl_status_t st = store_iterate(v->tool->store, note_blob, v);
    progress_clear(&v->progress);
    if (v->out_of_memory) return tool_no_memory(v->tool);
    if (st != dnnl_success) return tool_check(v->tool, "verify", st);
    if (v->status != dnnl_success)
        return tool_check(v->tool, "verify", v->status);
    return v->tool->options->repair ? remove_foreign(v) : exit_ok;
}

/* ---- Report -------------------------------------------------------------- */

static enum tool_exit write_text(
        const struct verification *v, struct tool *tool)
{
    struct table table;
    table_init_plain(&table, 3);
    for (size_t i = 0; i < v->count; i++) {
        const struct finding *f = &v->findings[i];
        table_add(&table, f->what != NULL ? "foreign" : "damaged");
        table_add(&table, f->name);
        table_add(&table,
                f->what != NULL ? f->what
                                : "the bytes are not those that were written");
    }
    enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    if (code != exit_ok) return code;
    table_init_plain(&table, 2);
    table_add(&table, "intact");
    table_add_number(&table, v->intact);
    table_add(&table, "intact blobs");
    table_add_size(&table, v->bytes);
    table_add(&table, "damaged");
    table_add_number(&table, v->damaged);
    table_add(&table, "foreign");
    table_add_number(&table, v->foreign);
    table_add(&table, "of a newer format");
    table_add_number(&table, v->newer);
    table_add(&table, "removed");
    table_add_number(&table, v->removed);
    code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static void write_json(const struct verification *v, struct tool *tool)
{
    struct json json;
    json_init(&json, tool->out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "verify");
    json_number(&json, "intact", v->intact);
    json_number(&json, "intact_blob_bytes", v->bytes);
    json_number(&json, "damaged", v->damaged);
    json_number(&json, "foreign", v->foreign);
    json_number(&json, "newer", v->newer);
    json_number(&json, "removed", v->removed);
    json_begin_array(&json, "findings");
    for (size_t i = 0; i < v->count; i++) {
        const struct finding *f = &v->findings[i];
        json_begin_object(&json, NULL);
        json_text(&json, "name", f->name);
        json_text(&json, "problem", f->what != NULL ? "foreign" : "damaged");
        json_text(&json, "reason", f->what);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

int command_verify(struct tool *tool)
{
    struct verification v = {.tool = tool};
    uint64_t total = 0;
    enum tool_exit code = tool_open(tool,
            tool->options->repair ? tool_access_change : tool_access_read);
    if (code == exit_ok && progress_is_shown(tool))
        code = catalog_count(tool, &total);
    if (code == exit_ok) code = check_bytes(&v, total);
    if (code == exit_ok) code = check_blobs(&v, total);
    if (code == exit_ok && tool->options->json) write_json(&v, tool);
    if (code == exit_ok && tool_reports(tool)) code = write_text(&v, tool);
    if (code == exit_ok && v.damaged + v.foreign > 0) {
        code = exit_found;
        if (!tool->options->repair)
            tool_warn(tool, "damage was found: verify --repair removes it");
    }
    fini(&v);
    return (int)code;
}
