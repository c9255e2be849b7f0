/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/commands/why_details.h"

#include <string.h>

static void write_file(
        void *user, const struct named_file *a, const struct named_file *b)
{
    const struct why_details *d = user;
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
    const struct why_details *d = user;
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
        const struct why_details *d, const struct pair *pair)
{
    return is_a_known(pair) ? d->b.name : d->a.name;
}

static void write_files(struct why_details *d, const struct pair *pair)
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
        struct why_details *d, const char *name, const struct pair *pair)
{
    if (!are_known(pair)) {
        json_null(d->json, name);
        return;
    }
    json_begin_array(d->json, name);
    named_files_compare(pair->a, pair->b, write_json_file, d);
    json_end_array(d->json);
}

static struct pair included_of(const struct why_details *d)
{
    return (struct pair){.a = &d->a.included,
            .b = &d->b.included,
            .what = "included files",
            .same = why_details_has_other_includes(d)
                            ? ": the same, from other places"
                            : ": the same",
            .a_has_none = d->a.includes_nothing,
            .b_has_none = d->b.includes_nothing};
}

static struct pair driver_of(const struct why_details *d)
{
    return (struct pair){.a = &d->a.driver,
            .b = &d->b.driver,
            .what = "files of the driver",
            .same = ": the same"};
}

void why_files_write(struct why_details *d)
{
    const struct pair included = included_of(d);
    const struct pair driver = driver_of(d);
    write_files(d, &included);
    write_files(d, &driver);
}

void why_files_write_json(struct why_details *d)
{
    const struct pair included = included_of(d);
    const struct pair driver = driver_of(d);
    write_json_files(d, "included_files", &included);
    write_json_files(d, "driver_files", &driver);
}
