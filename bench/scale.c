/* SPDX-License-Identifier: Apache-2.0 */
#include "scale.h"

#include "failure.h"
#include "rounds.h"
#include "scale_set.h"

#include <stdio.h>

/* The project's bounds for more entries than base. */
#define GET_GROWTH 1.2
#define PUT_GROWTH 1.5

struct scale_options scale_options_default(void)
{
    struct scale_options options = {
            .entries = {1000, 3000, 10000, 30000, 100000},
            .entries_count = 5,
            .kind_count = store_kind_count,
            .repeat = 1001,
            .began_ns = clock_ns(),
    };
    for (size_t i = 0; i < store_kind_count; i++)
        options.kinds[i] = &store_kinds[i];
    return options;
}

/* ---- Lines --------------------------------------------------------------- */

/* One point of the curves. */
struct point {
    const struct scale_options *options;
    const struct store_kind *kind;
    unsigned entries;
    unsigned base; /* the same as entries in the first point */
};

static bool is_base(const struct point *p)
{
    return p->entries == p->base;
}

/* What is measured at each point, and what a plain file has done to it. */
struct operation {
    const char *name;
    const char *what;
    const char *plain;
    double growth; /* the target over the base */
};

static const struct operation operations[] = {
        {"get", "get of 90 KB",
                "open, read and close of such a file among as many",
                GET_GROWTH},
        {"put", "put of 2 KB that evicts",
                "write and rename of such a file among as many, unlink of "
                "another",
                PUT_GROWTH},
};

static struct line make_line(const struct point *p, const struct operation *o,
        const char *versus, double target)
{
    return (struct line){
            .target = target,
            .unit = "ns",
            .result = {.reason = "what came before it failed"},
            .store = p->kind->name,
            .operation = o->name,
            .versus = versus,
            .entries = p->entries,
            .base = p->base,
    };
}

static struct line over_plain(const struct point *p, const struct operation *o)
{
    struct line line = make_line(p, o, "plain",
            o == &operations[0] ? p->kind->get_target : p->kind->put_target);
    snprintf(line.row, sizeof line.row, "%s_%s_%u", o->name, p->kind->name,
            p->entries);
    snprintf(line.what, sizeof line.what, "%s, %u entries, %s / %s", o->what,
            p->entries, p->kind->name, o->plain);
    return line;
}

static struct line over_base(const struct point *p, const struct operation *o)
{
    struct line line = make_line(p, o, "base", o->growth);
    snprintf(line.row, sizeof line.row, "%s_%s_%u_over_%u", o->name,
            p->kind->name, p->entries, p->base);
    snprintf(line.what, sizeof line.what, "%s, %s, %u entries / %u entries",
            o->what, p->kind->name, p->entries, p->base);
    return line;
}

/* Writes a point's lines, without results: get and put, each over plain files
 * and, but for the base, over the base. How many. */
enum { most_lines = 4 };

static size_t make_lines(struct line lines[most_lines], const struct point *p)
{
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        lines[count++] = over_plain(p, &operations[i]);
        if (!is_base(p)) lines[count++] = over_base(p, &operations[i]);
    }
    return count;
}

/* ---- A point ------------------------------------------------------------- */

/* So many files take a while; these are the stages. */
static void say(const struct point *p, const char *what)
{
    const double seconds = (double)(clock_ns() - p->options->began_ns) / 1e9;
    fprintf(stderr, "%6.1f s  %s, %u entries: %s\n", seconds, p->kind->name,
            p->entries, what);
}

static bool measure(struct rounds *rounds, const struct side *sides,
        const struct point *p, size_t count, const char *operation)
{
    char row[64];
    snprintf(row, sizeof row, "%s, %u entries, %s", p->kind->name, p->entries,
            operation);
    return rounds_measure(rounds, sides, is_base(p) ? 2 : 4, count, row);
}

/* Fills in the one or two lines; sides are ours, plain, and ours of the base.
 */
static bool compare(
        struct line *lines, const struct rounds *rounds, const struct point *p)
{
    enum { ours, plain, base };
    return rounds_compare(&lines[0].result, rounds, ours, plain)
           && (is_base(p)
                   || rounds_compare(&lines[1].result, rounds, ours, base));
}

static bool measure_gets(struct line *lines, const struct point *p,
        struct scale_set *set, struct scale_set *base)
{
    /* Each large entry once, so that none is read for the first time. */
    enum { warm_up = 200 };
    const struct side sides[] = {
            {scale_set_get, set},
            {scale_files_read, &set->files},
            {scale_set_get, base},
            {scale_files_read, &base->files},
    };
    struct rounds rounds;
    say(p, "gets");
    if (!measure(&rounds, sides, p, warm_up, "warming up")) return false;
    rounds_fini(&rounds);
    if (!measure(&rounds, sides, p, p->options->repeat, "gets")) return false;
    const bool done = compare(lines, &rounds, p);
    rounds_fini(&rounds);
    return done;
}

/* The condition of it all. Half of them, for what a pack evicts may leave more
 * room than one put needs, or less. */
static bool have_evicted(
        const struct scale_set *set, uint64_t before, size_t puts)
{
    const uint64_t evicted = set->evicted - before;
    if (evicted >= puts / 2 || set->batch_count > 0) return true;
    failure_set("%zu puts evicted only %llu entries", puts,
            (unsigned long long)evicted);
    return false;
}

/* Of stores that evict in batches: goes on until some were timed, unless that
 * takes too many puts. Those of the base are to be of this minute. */
static bool time_batches(struct scale_set *set)
{
    /* Of more entries even a third is more than that. */
    enum { enough = 5, most_puts = 5000, most_entries = 3 * most_puts };
    double ignored;
    if (set->entries > most_entries) return true;
    for (int i = 0; i < most_puts && set->batch_count < enough; i++)
        if (!scale_set_put(set, &ignored)) return false;
    return true;
}

/* Ours and, if the reference is a store, that pay for the room, too. */
static void add_room(struct result *result, const struct scale_set *set,
        const struct scale_set *reference)
{
    const double room = scale_set_room_ns(set);
    if (room <= 0) return;
    result->ours += room;
    if (reference != NULL) result->reference += scale_set_room_ns(reference);
    result->ratio = result->ours / result->reference;
}

static bool measure_puts(struct line *lines, const struct point *p,
        struct scale_set *set, struct scale_set *base)
{
    const struct side sides[] = {
            {scale_set_put, set},
            {scale_files_replace, &set->files},
            {scale_set_put, base},
            {scale_files_replace, &base->files},
    };
    struct rounds rounds;
    const size_t count = p->options->repeat;
    const uint64_t before = set->evicted;
    const bool in_batches = set->batch_count > 0;
    if (!is_base(p)) base->batch_count = 0;
    say(p, "puts");
    if (!measure(&rounds, sides, p, count, "puts")) return false;
    const bool done =
            have_evicted(set, before, count) && compare(lines, &rounds, p);
    rounds_fini(&rounds);
    if (!done || (in_batches && (!time_batches(set) || !time_batches(base))))
        return false;
    add_room(&lines[0].result, set, NULL);
    if (!is_base(p)) add_room(&lines[1].result, set, base);
    return true;
}

/* ---- All points of a store ----------------------------------------------- */

/* The stores that all points are compared with stay open. */
struct bases {
    struct scale_set gets;
    struct scale_set puts;
};

static bool fill(struct scale_set *set, const struct point *p,
        const char *folder, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    say(p, "filling");
    return scale_set_init(set, p->kind, path, p->entries);
}

static bool make_full(struct scale_set *set, const struct point *p)
{
    say(p, "filling to the brim");
    return scale_set_make_full(set);
}

static bool measure_base(struct line *lines, const struct point *p,
        struct bases *bases, const char *folder)
{
    return fill(&bases->gets, p, folder, "base_gets")
           && fill(&bases->puts, p, folder, "base_puts")
           && measure_gets(lines, p, &bases->gets, &bases->gets)
           && make_full(&bases->puts, p)
           && measure_puts(lines + 1, p, &bases->puts, &bases->puts);
}

static bool measure_point(struct line *lines, const struct point *p,
        struct bases *bases, const char *folder)
{
    struct scale_set set = {.kind = NULL};
    const bool done = fill(&set, p, folder, "set")
                      && measure_gets(lines, p, &set, &bases->gets)
                      && make_full(&set, p)
                      && measure_puts(lines + 2, p, &set, &bases->puts);
    scale_set_fini(&set);
    return done;
}

/* The reason stands in the first line that has no result. */
static void report_lines(
        struct report *report, struct line *lines, size_t count, bool done)
{
    for (size_t i = 0; i < count; i++) {
        struct result *r = &lines[i].result;
        if (!done && !r->measured) {
            snprintf(r->reason, sizeof r->reason, "%s", failure_text());
            done = true;
        }
        report_line(report, &lines[i]);
    }
}

static void measure_kind(struct report *report,
        const struct scale_options *options, const struct store_kind *kind,
        const char *folder)
{
    struct bases bases = {.gets = {.kind = NULL}};
    struct line lines[most_lines];
    bool has_base = true;
    for (size_t i = 0; i < options->entries_count; i++) {
        const struct point p = {
                options, kind, options->entries[i], options->entries[0]};
        const size_t count = make_lines(lines, &p);
        bool done = true; /* or not begun */
        if (i == 0)
            done = has_base = measure_base(lines, &p, &bases, folder);
        else if (has_base)
            done = measure_point(lines, &p, &bases, folder);
        report_lines(report, lines, count, done);
    }
    scale_set_fini(&bases.gets);
    scale_set_fini(&bases.puts);
}

void scale_measure(struct report *report, const struct scale_options *options,
        const char *folder)
{
    for (size_t i = 0; i < options->kind_count; i++)
        measure_kind(report, options, options->kinds[i], folder);
}
