/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/prove/prove_memory.h"

#include "src/common/array.h"
#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define NAME "proofs"

static const uint64_t second_ns = 1000000000u;
static const uint64_t day_seconds = 86400;

enum {
    lock_ms = 1000,
    /* Then lines that no longer count become a sum. */
    most_bytes = 1 << 20
};

struct prove_past {
    char name[catalog_name_size];
    uint64_t build;
    uint64_t seconds; /* when */
    enum prove_result result;
};

/* A line: what it is, whom it is about, when it was written. */
enum line_kind {
    line_sum = 't',    /* proved, differed */
    line_proved = 'p', /* name, build, seconds */
    line_open = 'o',   /* the same */
    line_differed = 'x'
};

struct line {
    char kind;
    char name[catalog_name_size];
    uint64_t a, b; /* build and seconds, or the two sums */
};

static bool read_line(struct line *line, const char *text)
{
    char name[catalog_name_size] = "";
    *line = (struct line){.kind = text[0]};
    if (line->kind == line_sum)
        return sscanf(text, "t %" SCNu64 " %" SCNu64, &line->a, &line->b) == 2;
    if (sscanf(text + 1, " %32s %" SCNx64 " %" SCNu64, name, &line->a, &line->b)
            != 3)
        return false;
    memcpy(line->name, name, sizeof name);
    return strchr("pox", line->kind) != NULL;
}

static uint64_t now_seconds(void)
{
    return clock_epoch_ns() / second_ns;
}

/* One of tomorrow is of a clock that was set back since, or that was wrong: it
 * counts for as long as one of today, and not until its day comes. */
static bool counts_still(const struct line *line)
{
    const uint64_t now = now_seconds();
    const uint64_t apart = line->b > now ? line->b - now : now - line->b;
    return apart < prove_memory_days * day_seconds;
}

/* The others are only counted. */
static bool is_kept(const struct line *line)
{
    return line->kind != line_sum && counts_still(line);
}

static enum prove_result result_of(const struct line *line)
{
    if (line->kind == line_proved) return prove_result_proved;
    return line->kind == line_open ? prove_result_open : prove_result_differed;
}

static int compare(const void *left, const void *right)
{
    const struct prove_past *a = left;
    const struct prove_past *b = right;
    if (a->build != b->build) return a->build < b->build ? -1 : 1;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order
                      : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static void take_line(struct prove_memory *memory, const struct line *line)
{
    if (line->kind == line_sum) {
        memory->totals.proved += line->a;
        memory->totals.differed += line->b;
        return;
    }
    memory->totals.proved += line->kind == line_proved;
    memory->totals.differed += line->kind == line_differed;
    if (!is_kept(line)
            || !array_grow(
                    &memory->past, memory->past_count, sizeof *memory->past))
        return;
    struct prove_past *past = &memory->past[memory->past_count++];
    memcpy(past->name, line->name, sizeof past->name);
    past->build = line->a;
    past->seconds = line->b;
    past->result = result_of(line);
}

static void take_text(struct prove_memory *memory)
{
    const char *at = memory->text;
    char text[state_line_size];
    struct line line;
    while (at != NULL && state_lines_next(text, &at))
        if (read_line(&line, text)) take_line(memory, &line);
    if (memory->past_count > 1)
        qsort(memory->past, memory->past_count, sizeof *memory->past, compare);
}

/* ---- The file becomes shorter -------------------------------------------- */

struct shortened {
    char *text; /* owned, as long as what it is made of, and a line */
    size_t size;
    struct prove_totals rest;
};

static void keep(struct shortened *s, const char *text)
{
    s->size += state_line_make(s->text + s->size, text);
}

static void shorten_line(struct shortened *s, const char *text)
{
    struct line line;
    if (!read_line(&line, text)) return;
    if (is_kept(&line)) {
        keep(s, text);
        return;
    }
    s->rest.proved += line.kind == line_sum ? line.a : line.kind == line_proved;
    s->rest.differed +=
            line.kind == line_sum ? line.b : line.kind == line_differed;
}

/* With the lock. */
static void shorten(int folder, const char *name)
{
    struct file_facts facts;
    if (file_facts_of_link(&facts, folder, name) != 0
            || facts.size < most_bytes)
        return;
    char *old = state_folder_read(folder, name, state_folder_most_bytes);
    const char *at = old;
    char text[state_line_size];
    struct shortened s = {.size = 0};
    if (old != NULL) s.text = malloc(strlen(old) + 2 * (size_t)state_line_size);
    while (s.text != NULL && state_lines_next(text, &at))
        shorten_line(&s, text);
    if (s.text != NULL) {
        snprintf(text, sizeof text, "t %" PRIu64 " %" PRIu64, s.rest.proved,
                s.rest.differed);
        keep(&s, text);
        (void)state_folder_replace(folder, name, s.text, s.size);
    }
    free(s.text);
    free(old);
}

/* Servers share the user's own folder. */
static void find_name(char name[32], const struct tool *tool)
{
    char place[place_path_size] = "";
    if (place_is_remote(tool->options) && place_path(place, tool->options))
        snprintf(name, 32, NAME "-%016" PRIx64,
                (uint64_t)XXH3_64bits(place, strlen(place)));
    else
        snprintf(name, 32, NAME);
}

/* ---- The interface ------------------------------------------------------- */

void prove_memory_open(struct prove_memory *memory, struct tool *tool)
{
    *memory = (struct prove_memory){.folder = file_none};
    find_name(memory->name, tool);
    if (!state_place_find(memory->path, tool)) memory->path[0] = '\0';
    if (memory->path[0] != '\0')
        memory->folder = state_place_open(memory->path, false);
    if (memory->folder >= 0)
        memory->text = state_folder_read(
                memory->folder, memory->name, state_folder_most_bytes);
    take_text(memory);
}

void prove_memory_close(struct prove_memory *memory)
{
    (void)file_close(memory->folder);
    free(memory->text);
    free(memory->past);
    *memory = (struct prove_memory){.folder = file_none};
}

/* An entry that was put since is another. Of a proof and a difference the later
 * one counts; that it was tried in vain takes neither back. */
enum prove_result prove_memory_find(const struct prove_memory *memory,
        const char *name, const struct driver_build *build, uint64_t created_ns)
{
    struct prove_past wanted = {
            .build = build->build, .seconds = created_ns / second_ns};
    enum prove_result result = prove_result_none;
    size_t low = 0;
    size_t high = memory->past_count;
    snprintf(wanted.name, sizeof wanted.name, "%s", name);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&memory->past[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < memory->past_count; low++) {
        const struct prove_past *past = &memory->past[low];
        if (past->build != wanted.build || strcmp(past->name, name) != 0) break;
        if (result == prove_result_none || past->result != prove_result_open)
            result = past->result;
    }
    return result;
}

static void append(
        struct prove_memory *memory, struct tool *tool, const char *text)
{
    char line[state_line_size];
    const size_t size = state_line_make(line, text);
    bool is_added = false;
    if (memory->folder < 0 && memory->path[0] != '\0')
        memory->folder = state_place_open(memory->path, true);
    if (memory->folder >= 0) {
        const int lock = state_folder_lock(memory->folder, lock_ms);
        if (lock >= 0) {
            shorten(memory->folder, memory->name);
            is_added = state_folder_append(
                    memory->folder, memory->name, line, size);
            state_folder_unlock(lock);
        }
    }
    if (is_added || memory->is_stuck) return;
    memory->is_stuck = true;
    tool_warn(tool, "what is proved cannot be written down beside the store: "
                    "it will be proved again");
}

void prove_memory_add(struct prove_memory *memory, struct tool *tool,
        const char *name, const struct driver_build *build,
        enum prove_result result)
{
    static const char kinds[] = {[prove_result_open] = line_open,
            [prove_result_proved] = line_proved,
            [prove_result_differed] = line_differed};
    char text[state_line_size];
    if (result == prove_result_none) return;
    snprintf(text, sizeof text, "%c %s %016" PRIx64 " %" PRIu64, kinds[result],
            name, build->build, now_seconds());
    memory->totals.proved += result == prove_result_proved;
    memory->totals.differed += result == prove_result_differed;
    append(memory, tool, text);
}

struct prove_totals prove_memory_read_totals(struct tool *tool)
{
    struct prove_memory memory;
    prove_memory_open(&memory, tool);
    const struct prove_totals totals = memory.totals;
    prove_memory_close(&memory);
    return totals;
}
