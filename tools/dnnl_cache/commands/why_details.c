/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/why_details.h"

#include "src/common/array.h"
#include "src/platform/file.h"
#include "tools/common/id/difference.h"
#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/base/state_place.h"
#include "tools/dnnl_cache/refresh/refresh_prune.h"

#include <stdlib.h>
#include <string.h>

enum { digest_size = 32 };

bool why_details_has(const struct why_details *d, const char *ingredient)
{
    return difference_has(d->changes->names, ingredient);
}

/* The layer has the digest of what is included in a key of its own. */
static bool may_include_others(const struct why_details *d)
{
    return why_details_has(d, "includes")
           || why_details_has(d, "application_key");
}

static bool has_other_driver(const struct why_details *d)
{
    return why_details_has(d, "driver_components")
           || why_details_has(d, "driver_build");
}

/* The next key that may be the layer's digest of what is included: its others
 * are words and IDs. An application's own may have that size, too. */
static bool next_digest_key(
        dnnl_cache_id_field_t *field, size_t *at, const struct subject *s)
{
    while (fields_next(field, at, s->id_size, s->id))
        if (field->size == digest_size
                && strcmp(field->name, "application_key") == 0)
            return true;
    return false;
}

static bool includes_nothing(const struct subject *s)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    while (fields_next(&field, &at, s->id_size, s->id))
        if (strcmp(field.name, "includes") == 0) return false;
    at = 0;
    return !next_digest_key(&field, &at, s);
}

/* Else the files are the same ones: another key differs. */
bool why_details_has_other_includes(const struct why_details *d)
{
    dnnl_cache_id_field_t a;
    dnnl_cache_id_field_t b;
    size_t at_a = 0;
    size_t at_b = 0;
    if (why_details_has(d, "includes")) return true;
    for (;;) {
        const bool is_a = next_digest_key(&a, &at_a, d->a.subject);
        const bool is_b = next_digest_key(&b, &at_b, d->b.subject);
        if (!is_a || !is_b) return is_a != is_b;
        if (memcmp(a.value, b.value, digest_size) != 0) return true;
    }
}

static enum tool_exit load_included(
        struct why_side *side, struct why_details *d)
{
    side->includes_nothing = includes_nothing(side->subject);
    const struct subject *s = side->subject;
    if (!s->has_blob || s->is_working_set || s->status != dnnl_success)
        return exit_ok;
    const enum tool_exit code =
            parts_load(&side->parts, d->tool, s->blob_size, s->blob);
    for (size_t i = 0; code == exit_ok && i < side->parts.count; i++) {
        const dnnl_cache_blob_part_t *part = &side->parts.items[i];
        const struct named_file file = {part->name, part->id_size, part->id};
        if (part->kind == dnnl_cache_blob_part_file
                && !named_files_add(&side->included, &file))
            d->out_of_memory = true;
    }
    return code;
}

static bool find_key(
        char key[driver_names_key_size], const struct subject *subject)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    while (fields_next(&field, &at, subject->id_size, subject->id))
        if (strcmp(field.name, "driver_components") == 0)
            return driver_names_key(key, field.size, field.value);
    return false;
}

/* First all of them: they move while the array grows. */
static void load_driver(
        struct why_side *side, struct why_details *d, const char *text)
{
    char key[driver_names_key_size];
    struct driver_part part;
    if (!find_key(key, side->subject)) return;
    while (driver_names_next(&part, &text, key)) {
        if (!array_grow(&side->driver_parts, side->driver_part_count,
                    sizeof *side->driver_parts)) {
            d->out_of_memory = true;
            return;
        }
        side->driver_parts[side->driver_part_count++] = part;
    }
    for (size_t i = 0; i < side->driver_part_count; i++) {
        const struct driver_part *p = &side->driver_parts[i];
        const struct named_file file = {
                p->name, strlen(p->how), (const uint8_t *)p->how};
        if (!named_files_add(&side->driver, &file)) d->out_of_memory = true;
    }
}

static void load_drivers(struct why_details *d)
{
    char path[state_place_size];
    if (d->tool->store == NULL || !state_place_find(path, d->tool)) return;
    const int folder = state_place_open(path, false);
    if (folder == file_none) return;
    char *text = driver_names_read(folder);
    (void)file_close(folder);
    if (text == NULL) return;
    load_driver(&d->a, d, text);
    load_driver(&d->b, d, text);
    free(text);
}

static enum tool_exit load_texts(struct why_details *d)
{
    char beside[refresh_record_path_size];
    char complaint[tool_reason_size];
    const char *record = d->tool->options->record;
    const bool is_named = record != NULL;
    if (!is_named && d->tool->store != NULL
            && refresh_record_path(beside, d->tool) && file_is_there(beside))
        record = beside;
    known_texts_load(&d->texts, d->tool, record, complaint);
    if (!is_named || d->texts.record != NULL) return exit_ok;
    tool_error(d->tool, "%s: no record: %s", record, complaint);
    return exit_io;
}

static void side_init(struct why_side *side, const struct subject *subject)
{
    side->subject = subject;
    (void)snprintf(side->name, sizeof side->name, "%.*s", catalog_short_digits,
            subject->name);
}

enum tool_exit why_details_load(struct why_details *d,
        const struct why_changes *changes, struct tool *tool, struct json *json)
{
    enum tool_exit code = exit_ok;
    *d = (struct why_details){.changes = changes, .tool = tool, .json = json};
    side_init(&d->a, changes->a);
    side_init(&d->b, changes->b);
    if (may_include_others(d)) code = load_included(&d->a, d);
    if (may_include_others(d) && code == exit_ok)
        code = load_included(&d->b, d);
    if (has_other_driver(d)) load_drivers(d);
    if (code == exit_ok
            && (may_include_others(d) || why_details_has(d, "source")))
        code = load_texts(d);
    return code;
}

static void side_fini(struct why_side *side)
{
    parts_fini(&side->parts);
    named_files_fini(&side->included);
    named_files_fini(&side->driver);
    free(side->driver_parts);
}

void why_details_fini(struct why_details *d)
{
    side_fini(&d->a);
    side_fini(&d->b);
    known_texts_fini(&d->texts);
}
