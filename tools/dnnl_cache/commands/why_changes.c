/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/why_changes.h"

#include "src/common/array.h"
#include "src/platform/file.h"
#include "tools/common/id/difference.h"
#include "tools/common/id/fields.h"
#include "tools/common/state/driver_names.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/state_place.h"
#include "tools/dnnl_cache/refresh/refresh_prune.h"
#include "tools/dnnl_cache/view/known_texts.h"
#include "tools/dnnl_cache/view/named_files.h"
#include "tools/dnnl_cache/view/parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    most_lines = 20,       /* of one difference */
    most_line_bytes = 160, /* of a line, for people */
    digest_size = 32,
};

/* What is known of one of the two. */
struct side {
    const struct subject *subject;
    char name[catalog_short_digits + 1];
    struct parts parts;
    struct named_files included;
    bool includes_nothing; /* false: it does, or that cannot be told */
    struct driver_part *driver_parts; /* owned */
    size_t driver_part_count;
    struct named_files driver;
};

struct details {
    const struct why_changes *changes;
    struct tool *tool;
    struct side a;
    struct side b;
    struct known_texts texts;
    struct json *json; /* NULL: text */
    bool out_of_memory;
};

/* ---- What is known ------------------------------------------------------- */

static bool has(const struct details *d, const char *ingredient)
{
    return difference_has(d->changes->names, ingredient);
}

/* The layer has the digest of what is included in a key of its own. */
static bool may_include_others(const struct details *d)
{
    return has(d, "includes") || has(d, "application_key");
}

static bool has_other_driver(const struct details *d)
{
    return has(d, "driver_components") || has(d, "driver_build");
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
static bool has_other_includes(const struct details *d)
{
    dnnl_cache_id_field_t a;
    dnnl_cache_id_field_t b;
    size_t at_a = 0;
    size_t at_b = 0;
    if (has(d, "includes")) return true;
    for (;;) {
        const bool is_a = next_digest_key(&a, &at_a, d->a.subject);
        const bool is_b = next_digest_key(&b, &at_b, d->b.subject);
        if (!is_a || !is_b) return is_a != is_b;
        if (memcmp(a.value, b.value, digest_size) != 0) return true;
    }
}

static enum tool_exit load_included(struct side *side, struct details *d)
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
static void load_driver(struct side *side, struct details *d, const char *text)
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

static void load_drivers(struct details *d)
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

static enum tool_exit load_texts(struct details *d)
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

static void side_init(struct side *side, const struct subject *subject)
{
    side->subject = subject;
    (void)snprintf(side->name, sizeof side->name, "%.*s", catalog_short_digits,
            subject->name);
}

static enum tool_exit details_load(struct details *d,
        const struct why_changes *changes, struct tool *tool, struct json *json)
{
    enum tool_exit code = exit_ok;
    *d = (struct details){.changes = changes, .tool = tool, .json = json};
    side_init(&d->a, changes->a);
    side_init(&d->b, changes->b);
    if (may_include_others(d)) code = load_included(&d->a, d);
    if (may_include_others(d) && code == exit_ok)
        code = load_included(&d->b, d);
    if (has_other_driver(d)) load_drivers(d);
    if (code == exit_ok && (may_include_others(d) || has(d, "source")))
        code = load_texts(d);
    return code;
}

static void side_fini(struct side *side)
{
    parts_fini(&side->parts);
    named_files_fini(&side->included);
    named_files_fini(&side->driver);
    free(side->driver_parts);
}

static void details_fini(struct details *d)
{
    side_fini(&d->a);
    side_fini(&d->b);
    known_texts_fini(&d->texts);
}

/* ---- Files --------------------------------------------------------------- */

static void write_file(
        void *user, const struct named_file *a, const struct named_file *b)
{
    const struct details *d = user;
    FILE *out = d->tool->out;
    const char *name = a != NULL ? a->name : b->name;
    fputs("  ", out);
    text_print(out, name, strlen(name));
    if (a != NULL && b != NULL)
        fputs(": other content\n", out);
    else
        fprintf(out, ": only in %s\n", a != NULL ? d->a.name : d->b.name);
}

static void write_json_file(
        void *user, const struct named_file *a, const struct named_file *b)
{
    const struct details *d = user;
    json_begin_object(d->json, NULL);
    json_text(d->json, "name", a != NULL ? a->name : b->name);
    json_text(d->json, "change",
            a == NULL   ? "only_b"
            : b == NULL ? "only_a"
                        : "content");
    json_end_object(d->json);
}

static void count_file(
        void *user, const struct named_file *a, const struct named_file *b)
{
    size_t *count = user;
    (void)a;
    (void)b;
    (*count)++;
}

struct pair {
    const struct named_files *a;
    const struct named_files *b;
    const char *what; /* "included files" */
    const char *same; /* what else differs if they do not */
    bool a_has_none;  /* that is known */
    bool b_has_none;
};

static bool is_a_known(const struct pair *pair)
{
    return pair->a->count > 0 || pair->a_has_none;
}

static bool are_known(const struct pair *pair)
{
    return is_a_known(pair) && (pair->b->count > 0 || pair->b_has_none);
}

/* Of one side nothing is known: an entry of another release, or an ID alone. */
static const char *unknown_side(
        const struct details *d, const struct pair *pair)
{
    return is_a_known(pair) ? d->b.name : d->a.name;
}

static void write_files(struct details *d, const struct pair *pair)
{
    FILE *out = d->tool->out;
    size_t count = 0;
    if (pair->a->count == 0 && pair->b->count == 0) return;
    if (!are_known(pair)) {
        fprintf(out, "\n%s: not known of %s\n", pair->what,
                unknown_side(d, pair));
        return;
    }
    named_files_compare(pair->a, pair->b, count_file, &count);
    fprintf(out, "\n%s%s\n", pair->what,
            count > 0 ? " that differ:" : pair->same);
    named_files_compare(pair->a, pair->b, write_file, d);
}

static void write_json_files(
        struct details *d, const char *name, const struct pair *pair)
{
    if (!are_known(pair)) {
        json_null(d->json, name);
        return;
    }
    json_begin_array(d->json, name);
    named_files_compare(pair->a, pair->b, write_json_file, d);
    json_end_array(d->json);
}

static struct pair included_of(const struct details *d)
{
    return (struct pair){.a = &d->a.included,
            .b = &d->b.included,
            .what = "included files",
            .same = has_other_includes(d) ? ": the same, from other places"
                                          : ": the same",
            .a_has_none = d->a.includes_nothing,
            .b_has_none = d->b.includes_nothing};
}

static struct pair driver_of(const struct details *d)
{
    return (struct pair){.a = &d->a.driver,
            .b = &d->b.driver,
            .what = "files of the driver",
            .same = ": the same"};
}

/* ---- Lines --------------------------------------------------------------- */

/* One difference while it is written. */
struct shown {
    const struct details *details;
    size_t count; /* of its lines */
};

static void write_line(void *user, char sign, const char *text, size_t size)
{
    struct shown *shown = user;
    FILE *out = shown->details->tool->out;
    if (++shown->count > most_lines) return;
    fputs("  ", out);
    if (sign != '@') fputc(sign, out);
    text_print(out, text, size < most_line_bytes ? size : most_line_bytes);
    fputs(size > most_line_bytes ? "...\n" : "\n", out);
}

static void write_json_line(
        void *user, char sign, const char *text, size_t size)
{
    struct shown *shown = user;
    if (++shown->count > most_lines) return;
    char *line = malloc(size + 2);
    if (line == NULL) return;
    line[0] = sign;
    memcpy(line + 1, text, size);
    json_bytes(shown->details->json, NULL, line + (sign == '@'),
            size + (sign != '@'));
    free(line);
}

static size_t more_than_shown(const struct shown *shown)
{
    return shown->count > most_lines ? shown->count - most_lines : 0;
}

/* from and to: what a stands for comes second where b was there before. */
static void write_lines(struct details *d, const char *name,
        const struct text_piece *a, const struct text_piece *b)
{
    FILE *out = d->tool->out;
    const bool nearest = d->changes->nearest;
    struct shown shown = {d, 0};
    fputs("\nlines of ", out);
    text_print(out, name, strlen(name));
    fprintf(out, ", - of %s, + of %s:\n", nearest ? d->b.name : d->a.name,
            nearest ? d->a.name : d->b.name);
    if (!text_diff_each(nearest ? b : a, nearest ? a : b, write_line, &shown))
        d->out_of_memory = true;
    else if (shown.count == 0)
        fputs("  none but the end of the last one\n", out);
    const size_t more = more_than_shown(&shown);
    if (more > 0)
        fprintf(out, "  %zu more line%s\n", more, more == 1 ? "" : "s");
}

static void write_json_lines(struct details *d, const char *name,
        const struct text_piece *a, const struct text_piece *b)
{
    const bool nearest = d->changes->nearest;
    struct shown shown = {d, 0};
    json_begin_object(d->json, NULL);
    json_text(d->json, "name", name);
    json_text(d->json, "from", nearest ? "b" : "a");
    json_begin_array(d->json, "diff");
    if (!text_diff_each(
                nearest ? b : a, nearest ? a : b, write_json_line, &shown))
        d->out_of_memory = true;
    json_end_array(d->json);
    json_number(d->json, "more_lines", more_than_shown(&shown));
    json_end_object(d->json);
}

static void show_lines(struct details *d, const char *name,
        const struct text_piece *a, const struct text_piece *b)
{
    (d->json != NULL ? write_json_lines : write_lines)(d, name, a, b);
}

static bool find_source(struct text_piece *source, const struct details *d,
        const struct subject *subject)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    while (fields_next(&field, &at, subject->id_size, subject->id))
        if (strcmp(field.name, "source") == 0)
            return known_texts_source(
                    source, &d->texts, field.size, field.value);
    return false;
}

static void show_source(struct details *d)
{
    struct text_piece a = {NULL, 0};
    struct text_piece b = {NULL, 0};
    if (find_source(&a, d, d->a.subject) && find_source(&b, d, d->b.subject))
        show_lines(d, "the source", &a, &b);
    free((char *)(uintptr_t)a.text);
    free((char *)(uintptr_t)b.text);
}

static void show_lines_of_file(
        void *user, const struct named_file *a, const struct named_file *b)
{
    struct details *d = user;
    struct text_piece from;
    struct text_piece to;
    if (a == NULL || b == NULL
            || !known_texts_file(&from, &d->texts, a->digest_size, a->digest)
            || !known_texts_file(&to, &d->texts, b->digest_size, b->digest))
        return;
    show_lines(d, a->name, &from, &to);
}

static void show_all_lines(struct details *d)
{
    if (has(d, "source")) show_source(d);
    named_files_compare(&d->a.included, &d->b.included, show_lines_of_file, d);
}

/* ---- All of it ----------------------------------------------------------- */

static enum tool_exit end(struct details *d, enum tool_exit code)
{
    if (code == exit_ok && d->out_of_memory) code = tool_no_memory(d->tool);
    details_fini(d);
    return code;
}

enum tool_exit why_changes_write(
        const struct why_changes *changes, struct tool *tool)
{
    struct details d;
    const enum tool_exit code = details_load(&d, changes, tool, NULL);
    if (code == exit_ok) {
        const struct pair included = included_of(&d);
        const struct pair driver = driver_of(&d);
        write_files(&d, &included);
        write_files(&d, &driver);
        show_all_lines(&d);
    }
    return end(&d, code);
}

enum tool_exit why_changes_write_json(
        const struct why_changes *changes, struct tool *tool, struct json *json)
{
    struct details d;
    const enum tool_exit code = details_load(&d, changes, tool, json);
    const struct pair included = included_of(&d);
    const struct pair driver = driver_of(&d);
    write_json_files(&d, "included_files", &included);
    write_json_files(&d, "driver_files", &driver);
    json_begin_array(json, "lines");
    show_all_lines(&d);
    json_end_array(json);
    return end(&d, code);
}
