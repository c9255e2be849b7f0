/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/fields.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/commands/why_details.h"

#include <stdlib.h>
#include <string.h>

enum {
    most_lines = 20,      /* of one difference */
    most_line_bytes = 160 /* of a line, for people */
};

/* One difference while it is written. */
struct shown {
    const struct why_details *details;
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
static void write_lines(struct why_details *d, const char *name,
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

static void write_json_lines(struct why_details *d, const char *name,
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

static void show_lines(struct why_details *d, const char *name,
        const struct text_piece *a, const struct text_piece *b)
{
    (d->json != NULL ? write_json_lines : write_lines)(d, name, a, b);
}

static bool find_source(struct text_piece *source, const struct why_details *d,
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

static void show_source(struct why_details *d)
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
    struct why_details *d = user;
    struct text_piece from;
    struct text_piece to;
    if (a == NULL || b == NULL
            || !known_texts_file(&from, &d->texts, a->digest_size, a->digest)
            || !known_texts_file(&to, &d->texts, b->digest_size, b->digest))
        return;
    show_lines(d, a->name, &from, &to);
}

void why_lines_show(struct why_details *d)
{
    if (why_details_has(d, "source")) show_source(d);
    named_files_compare(&d->a.included, &d->b.included, show_lines_of_file, d);
}
