/* SPDX-License-Identifier: Apache-2.0 */
#include "crashes.h"

#include "state_folder.h"
#include "state_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum {
    most_bytes = 1 << 20,     /* of a list: what is older is forgotten */
    shorten_above = 64 << 10, /* bytes */
    lock_timeout_ms = 200
};

static const char file_name[] = "crashes";

struct crash_key crash_key_of(size_t id_size, const uint8_t *id)
{
    const XXH128_hash_t hash = XXH3_128bits(id, id_size);
    return (struct crash_key){hash.high64, hash.low64};
}

bool crash_key_is_zero(struct crash_key key)
{
    return key.high == 0 && key.low == 0;
}

static int compare_keys(const void *left, const void *right)
{
    const struct crash_key a = ((const struct crash *)left)->key;
    const struct crash_key b = ((const struct crash *)right)->key;
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

/* ---- Reading ------------------------------------------------------------- */

static bool parse(struct crash_key *key, bool *fine, const char *line)
{
    char word[8];
    if (sscanf(line, "%16" SCNx64 "%16" SCNx64 " %7s", &key->high, &key->low,
                word)
            != 3)
        return false;
    *fine = strcmp(word, "fine") == 0;
    return *fine || strcmp(word, "crash") == 0;
}

/* Events in the order of the file; then sorted, those of one ID are in that
 * order still, for each has its number. */
struct event {
    struct crash crash; /* count: 0 for fine, else 1 */
    size_t number;
};

static int compare_events(const void *left, const void *right)
{
    const struct event *a = left;
    const struct event *b = right;
    const int order = compare_keys(&a->crash, &b->crash);
    return order != 0 ? order
                      : (a->number > b->number) - (a->number < b->number);
}

static struct event *read_events(size_t *count, const char *text)
{
    enum { shortest_line = 32 + 1 + 4 + 1 + 16 + 1 };
    const size_t most = strlen(text) / shortest_line + 1;
    struct event *events = calloc(most, sizeof *events);
    char line[state_line_size];
    size_t n = 0;
    while (events != NULL && n < most && state_lines_next(line, &text)) {
        bool fine;
        struct event *event = &events[n];
        if (!parse(&event->crash.key, &fine, line)) continue;
        event->crash.count = fine ? 0 : 1;
        event->number = n++;
    }
    *count = n;
    return events;
}

/* One item for each ID. */
static void sum_up(
        struct crashes *crashes, const struct event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct crash *crash = &events[i].crash;
        struct crash *last =
                crashes->count > 0 ? &crashes->items[crashes->count - 1] : NULL;
        if (last == NULL || compare_keys(last, crash) != 0)
            crashes->items[crashes->count++] =
                    (struct crash){.key = crash->key, .count = crash->count};
        else
            last->count = crash->count > 0 ? last->count + 1 : 0;
    }
}

void crashes_read(struct crashes *crashes, int folder)
{
    char *text = state_folder_read(folder, file_name, most_bytes);
    size_t count = 0;
    struct event *events = text != NULL ? read_events(&count, text) : NULL;
    *crashes = (struct crashes){NULL, 0};
    free(text);
    if (count > 0) {
        qsort(events, count, sizeof *events, compare_events);
        crashes->items = calloc(count, sizeof *crashes->items);
        if (crashes->items != NULL) sum_up(crashes, events, count);
    }
    free(events);
}

void crashes_fini(struct crashes *crashes)
{
    free(crashes->items);
    *crashes = (struct crashes){NULL, 0};
}

static struct crash *find(const struct crashes *crashes, struct crash_key key)
{
    const struct crash wanted = {.key = key};
    return crashes->count == 0
                   ? NULL
                   : bsearch(&wanted, crashes->items, crashes->count,
                           sizeof wanted, compare_keys);
}

unsigned crashes_count(const struct crashes *crashes, struct crash_key key)
{
    const struct crash *crash = find(crashes, key);
    return crash != NULL ? crash->count : 0;
}

bool crashes_forgive(const struct crashes *crashes, struct crash_key key)
{
    struct crash *crash = find(crashes, key);
    return crash != NULL && crash->count > 0
           && !atomic_exchange(&crash->forgiven, true);
}

/* ---- Writing ------------------------------------------------------------- */

static size_t make_line(
        char line[state_line_size], struct crash_key key, bool fine)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64 " %s",
            key.high, key.low, fine ? "fine" : "crash");
    return state_line_make(line, text);
}

/* As many lines as still say something. Needs the folder's lock. */
static void shorten(int folder)
{
    struct crashes crashes;
    char line[state_line_size];
    char *text = NULL;
    size_t size = 0;
    crashes_read(&crashes, folder);
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out != NULL && i < crashes.count; i++)
        for (unsigned n = 0;
                n < crashes.items[i].count && n < crashes_to_quarantine; n++) {
            (void)make_line(line, crashes.items[i].key, false);
            (void)fputs(line, out);
        }
    if (out != NULL && fclose(out) == 0)
        (void)state_folder_replace(folder, file_name, text, size);
    free(text);
    crashes_fini(&crashes);
}

void crashes_note(int folder, struct crash_key key, bool fine)
{
    char line[state_line_size];
    const size_t size = make_line(line, key, fine);
    const int lock = state_folder_lock(folder, lock_timeout_ms);
    if (lock < 0) return;
    char *text = state_folder_read(folder, file_name, most_bytes);
    if (text != NULL && strlen(text) > shorten_above) shorten(folder);
    free(text);
    (void)state_folder_append(folder, file_name, line, size);
    state_folder_unlock(lock);
}
