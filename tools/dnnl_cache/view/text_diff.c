/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/text_diff.h"

#include "src/common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* most_edits: lines that are removed and added. What is looked for takes memory
 * of its square and time of it times the lines. */
enum { context = 2, most_edits = 512 };

struct lines {
    struct text_piece *items; /* owned */
    size_t count;
};

struct diff {
    struct lines from;
    struct lines to;
    /* Where the part that differs begins, and how long it is on each side. */
    size_t begin;
    size_t from_count;
    size_t to_count;
    bool *is_removed; /* owned, of from_count */
    bool *is_added;   /* owned, of to_count */
};

/* ---- Lines --------------------------------------------------------------- */

/* False: no memory. */
static bool split(struct lines *lines, const struct text_piece *text)
{
    for (size_t at = 0; at < text->size;) {
        const char *begin = text->text + at;
        const char *end = memchr(begin, '\n', text->size - at);
        const size_t size =
                end != NULL ? (size_t)(end - begin) : text->size - at;
        if (!array_grow(&lines->items, lines->count, sizeof *lines->items))
            return false;
        lines->items[lines->count++] = (struct text_piece){begin, size};
        at += size + 1;
    }
    return true;
}

static bool are_same(const struct text_piece *a, const struct text_piece *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* What both begin and end with is left out. */
static void trim(struct diff *d)
{
    size_t from = d->from.count;
    size_t to = d->to.count;
    while (d->begin < from && d->begin < to
            && are_same(&d->from.items[d->begin], &d->to.items[d->begin]))
        d->begin++;
    while (from > d->begin && to > d->begin
            && are_same(&d->from.items[from - 1], &d->to.items[to - 1])) {
        from--;
        to--;
    }
    d->from_count = from - d->begin;
    d->to_count = to - d->begin;
}

/* ---- The fewest edits ---------------------------------------------------- */

/* Myers' algorithm. Of each number of edits so far, and each diagonal (lines of
 * from less lines of to), how many lines of from are behind: the row of d edits
 * has d + 1 of these, from diagonal -d on, two apart. */
struct search {
    const struct diff *diff;
    size_t *rows[most_edits + 1]; /* owned */
};

static size_t furthest(const struct search *s, long edits, long diagonal)
{
    const size_t *row = s->rows[edits - 1];
    const long before = edits - 1;
    const bool may_remove = diagonal - 1 >= -before;
    const bool may_add = diagonal + 1 <= before;
    const size_t removed =
            may_remove ? row[(diagonal - 1 + before) / 2] + 1 : 0;
    const size_t added = may_add ? row[(diagonal + 1 + before) / 2] : 0;
    return may_remove && (!may_add || removed > added) ? removed : added;
}

/* As far as the lines are the same. */
static size_t slide(const struct diff *d, size_t x, long diagonal)
{
    const struct text_piece *from = d->from.items + d->begin;
    const struct text_piece *to = d->to.items + d->begin;
    for (;;) {
        const size_t y = (size_t)((long)x - diagonal);
        if (x >= d->from_count || y >= d->to_count
                || !are_same(&from[x], &to[y]))
            return x;
        x++;
    }
}

/* One more edit: *done if that is enough. False: no memory. */
static bool take_row(struct search *s, long edits, bool *done)
{
    const struct diff *d = s->diff;
    const long goal = (long)d->from_count - (long)d->to_count;
    size_t *row = malloc(((size_t)edits + 1) * sizeof *row);
    s->rows[edits] = row;
    if (row == NULL) return false;
    for (long diagonal = -edits; diagonal <= edits; diagonal += 2) {
        size_t x = edits > 0 ? furthest(s, edits, diagonal) : 0;
        /* Beyond an end there is nothing to be found. */
        if (x <= d->from_count && (long)x - diagonal >= 0
                && (size_t)((long)x - diagonal) <= d->to_count)
            x = slide(d, x, diagonal);
        row[(diagonal + edits) / 2] = x;
        if (diagonal == goal && x == d->from_count) *done = true;
    }
    return true;
}

/* From the end back: which line each edit is. */
static void mark(const struct search *s, struct diff *d, long edits)
{
    long diagonal = (long)d->from_count - (long)d->to_count;
    for (; edits > 0; edits--) {
        const size_t *row = s->rows[edits - 1];
        const long before = edits - 1;
        const size_t x = furthest(s, edits, diagonal);
        const bool is_removed =
                diagonal - 1 >= -before
                && row[(diagonal - 1 + before) / 2] + 1 == x
                && (diagonal + 1 > before
                        || row[(diagonal + 1 + before) / 2] < x);
        if (is_removed) {
            d->is_removed[x - 1] = true;
            diagonal--;
        } else {
            d->is_added[(size_t)((long)x - diagonal) - 1] = true;
            diagonal++;
        }
    }
}

/* False: no memory. *found false: there are too many edits. */
static bool search(struct diff *d, bool *found)
{
    struct search *s = calloc(1, sizeof *s);
    if (s == NULL) return false;
    s->diff = d;
    bool good = true;
    long edits = 0;
    *found = false;
    while (good && !*found && edits <= most_edits) {
        good = take_row(s, edits, found);
        edits++;
    }
    if (good && *found) mark(s, d, edits - 1);
    for (size_t i = 0; i <= most_edits; i++)
        free(s->rows[i]);
    free(s);
    return good;
}

static bool find_edits(struct diff *d)
{
    bool found = false;
    d->is_removed = calloc(d->from_count + 1, sizeof *d->is_removed);
    d->is_added = calloc(d->to_count + 1, sizeof *d->is_added);
    if (d->is_removed == NULL || d->is_added == NULL || !search(d, &found))
        return false;
    for (size_t i = 0; !found && i < d->from_count; i++)
        d->is_removed[i] = true;
    for (size_t i = 0; !found && i < d->to_count; i++)
        d->is_added[i] = true;
    return true;
}

/* ---- Output -------------------------------------------------------------- */

/* Lines of both, side by side: how many of each are behind. */
struct place {
    size_t from;
    size_t to;
};

static char sign_at(const struct diff *d, const struct place *at)
{
    if (at->from >= d->begin && at->from - d->begin < d->from_count
            && d->is_removed[at->from - d->begin])
        return '-';
    if (at->to >= d->begin && at->to - d->begin < d->to_count
            && d->is_added[at->to - d->begin])
        return '+';
    return at->from < d->from.count ? ' ' : '\0';
}

static void step(struct place *at, char sign)
{
    if (sign != '+') at->from++;
    if (sign != '-') at->to++;
}

/* Behind the last change of a hunk that begins at one, and what follows it. */
static struct place end_of_hunk(const struct diff *d, struct place at)
{
    struct place end = at;
    size_t unchanged = 0;
    for (char sign; (sign = sign_at(d, &at)) != '\0';) {
        step(&at, sign);
        unchanged = sign == ' ' ? unchanged + 1 : 0;
        if (unchanged > 2 * context) break;
        if (sign != ' ' || unchanged <= context) end = at;
    }
    return end;
}

struct output {
    void (*line)(void *user, char sign, const char *text, size_t size);
    void *user;
};

static void write_hunk(const struct diff *d, struct place at,
        const struct place *end, const struct output *out)
{
    char head[128];
    const size_t from = end->from - at.from;
    const size_t to = end->to - at.to;
    /* Lines count from 1; of none, the one before. */
    const int size = snprintf(head, sizeof head, "@@ -%zu,%zu +%zu,%zu @@",
            at.from + (from > 0), from, at.to + (to > 0), to);
    out->line(out->user, '@', head, (size_t)size);
    while (at.from < end->from || at.to < end->to) {
        const char sign = sign_at(d, &at);
        const struct text_piece *piece =
                sign == '+' ? &d->to.items[at.to] : &d->from.items[at.from];
        out->line(out->user, sign, piece->text, piece->size);
        step(&at, sign);
    }
}

static void write_hunks(const struct diff *d, const struct output *out)
{
    struct place at = {0, 0};
    struct place written = {0, 0};
    for (char sign; (sign = sign_at(d, &at)) != '\0';) {
        if (sign == ' ') {
            step(&at, sign);
            continue;
        }
        struct place begin = at;
        while (begin.from > written.from && begin.to > written.to
                && at.from - begin.from < context) {
            begin.from--;
            begin.to--;
        }
        written = end_of_hunk(d, at);
        write_hunk(d, begin, &written, out);
        at = written;
    }
}

bool text_diff_each(const struct text_piece *from, const struct text_piece *to,
        void (*line)(void *user, char sign, const char *text, size_t size),
        void *user)
{
    const struct output out = {line, user};
    struct diff d = {.begin = 0};
    bool good = split(&d.from, from) && split(&d.to, to);
    if (good) {
        trim(&d);
        good = find_edits(&d);
    }
    if (good) write_hunks(&d, &out);
    free(d.from.items);
    free(d.to.items);
    free(d.is_removed);
    free(d.is_added);
    return good;
}
