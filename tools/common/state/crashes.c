/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/crashes.h"

#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xxhash.h>

enum {
    most_bytes = 1 << 20,     /* of a list: what is older is forgotten */
    shorten_above = 64 << 10, /* bytes */
    skew_seconds = 60,        /* clocks of machines may differ */
    lock_timeout_ms = 200
};

static const char file_name[] = "crashes";

static const char *const words[] = {
        [crash_event_death] = "crash",
        [crash_event_replaced] = "replaced",
        [crash_event_fine] = "fine",
};
enum { word_count = sizeof words / sizeof *words };

struct crash_key crash_key_of(size_t id_size, const uint8_t *id)
{
    const XXH128_hash_t hash = XXH3_128bits(id, id_size);
    return (struct crash_key){hash.high64, hash.low64};
}

bool crash_key_is_zero(struct crash_key key)
{
    return key.high == 0 && key.low == 0;
}

static int compare_keys(struct crash_key a, struct crash_key b)
{
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

uint64_t crashes_now_s(void)
{
    return (uint64_t)time(NULL);
}

/* ---- Events -------------------------------------------------------------- */

/* In the order of the file; then sorted, those of one ID are in that order
 * still, for each has its number. */
struct event {
    struct crash_key key;
    enum crash_event what;
    uint64_t when_s;
    size_t number;
};

struct events {
    struct event *items;
    size_t count;
};

static bool parse(struct event *event, const char *line)
{
    char word[16];
    if (sscanf(line, "%16" SCNx64 "%16" SCNx64 " %15s %" SCNu64,
                &event->key.high, &event->key.low, word, &event->when_s)
            != 4)
        return false;
    for (int i = 0; i < word_count; i++)
        if (strcmp(word, words[i]) == 0) {
            event->what = (enum crash_event)i;
            return true;
        }
    return false;
}

static int compare_events(const void *left, const void *right)
{
    const struct event *a = left;
    const struct event *b = right;
    const int order = compare_keys(a->key, b->key);
    return order != 0 ? order
                      : (a->number > b->number) - (a->number < b->number);
}

/* What a clock that was ahead has written is not believed either. */
static bool is_forgotten(const struct event *event, uint64_t now_s)
{
    return event->when_s > now_s
                   ? event->when_s - now_s > skew_seconds
                   : now_s - event->when_s > crashes_forget_seconds;
}

static void parse_events(
        struct events *events, const char *text, uint64_t now_s)
{
    enum { shortest_line = 32 + 1 + 4 + 1 + 1 + 1 + 16 + 1 };
    const size_t most = strlen(text) / shortest_line + 1;
    char line[state_line_size];
    events->items = calloc(most, sizeof *events->items);
    while (events->items != NULL && events->count < most
            && state_lines_next(line, &text)) {
        struct event *event = &events->items[events->count];
        if (!parse(event, line) || is_forgotten(event, now_s)) continue;
        event->number = events->count++;
    }
}

/* Leaves what follows the last load that was fine. */
static void drop_forgiven(struct events *events)
{
    size_t kept = 0;
    size_t begin = 0; /* of the ID's, among those that are kept */
    for (size_t i = 0; i < events->count; i++) {
        const struct event event = events->items[i];
        if (i == 0 || compare_keys(events->items[i - 1].key, event.key) != 0)
            begin = kept;
        if (event.what == crash_event_fine)
            kept = begin;
        else
            events->items[kept++] = event;
    }
    events->count = kept;
}

/* Those that count, sorted by ID. */
static int read_events(struct events *events, int folder, uint64_t now_s)
{
    char *text = state_folder_read(folder, file_name, most_bytes);
    const int error = text == NULL && errno != ENOENT ? errno : 0;
    *events = (struct events){NULL, 0};
    if (text != NULL) parse_events(events, text, now_s);
    free(text);
    if (events->count > 0)
        qsort(events->items, events->count, sizeof *events->items,
                compare_events);
    drop_forgiven(events);
    return error;
}

/* ---- Reading ------------------------------------------------------------- */

static void add_event(struct crash *crash, const struct event *event)
{
    crash->last_s = event->when_s;
    if (event->what == crash_event_death) {
        crash->deaths++;
    } else if (!crash->is_replaced) {
        crash->is_replaced = true;
        crash->deaths = 0;
    }
}

int crashes_read(struct crashes *crashes, int folder, uint64_t now_s)
{
    struct events events;
    *crashes = (struct crashes){NULL, 0};
    const int error = read_events(&events, folder, now_s);
    if (events.count > 0)
        crashes->items = calloc(events.count, sizeof *crashes->items);
    for (size_t i = 0; crashes->items != NULL && i < events.count; i++) {
        const struct event *event = &events.items[i];
        if (i == 0 || compare_keys(event[-1].key, event->key) != 0)
            crashes->items[crashes->count++].key = event->key;
        add_event(&crashes->items[crashes->count - 1], event);
    }
    free(events.items);
    return error;
}

void crashes_fini(struct crashes *crashes)
{
    free(crashes->items);
    *crashes = (struct crashes){NULL, 0};
}

static int compare_with_crash(const void *key, const void *crash)
{
    return compare_keys(
            *(const struct crash_key *)key, ((const struct crash *)crash)->key);
}

struct crash *crashes_find(const struct crashes *crashes, struct crash_key key)
{
    return crashes->count == 0
                   ? NULL
                   : bsearch(&key, crashes->items, crashes->count,
                           sizeof *crashes->items, compare_with_crash);
}

enum crash_state crash_state_of(const struct crash *crash)
{
    if (crash == NULL || crash->deaths < crashes_deaths_to_act
            || atomic_load(&crash->forgiven)
            || atomic_load(&crash->replaced_now))
        return crash_state_load;
    return crash->is_replaced ? crash_state_quarantined : crash_state_replace;
}

bool crashes_forgive(const struct crashes *crashes, struct crash_key key)
{
    struct crash *crash = crashes_find(crashes, key);
    return crash != NULL && !atomic_exchange(&crash->forgiven, true);
}

bool crashes_take_replaced(const struct crashes *crashes, struct crash_key key)
{
    struct crash *crash = crashes_find(crashes, key);
    return crash_state_of(crash) == crash_state_replace
           && !atomic_exchange(&crash->replaced_now, true);
}

/* ---- Writing ------------------------------------------------------------- */

static size_t make_line(char line[state_line_size], const struct event *event)
{
    char text[96];
    (void)snprintf(text, sizeof text,
            "%016" PRIx64 "%016" PRIx64 " %s %" PRIu64, event->key.high,
            event->key.low, words[event->what], event->when_s);
    return state_line_make(line, text);
}

/* As many lines as still say something, without those that are meant. Needs the
 * folder's lock. */
static bool rewrite(int folder, uint64_t now_s,
        bool (*is_meant)(void *user, struct crash_key key), void *user)
{
    struct events events;
    char line[state_line_size];
    char *text = NULL;
    size_t size = 0;
    bool good = false;
    /* What cannot be read is not replaced. */
    if ((errno = read_events(&events, folder, now_s)) != 0) return false;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out != NULL && i < events.count; i++) {
        if (is_meant != NULL && is_meant(user, events.items[i].key)) continue;
        (void)make_line(line, &events.items[i]);
        (void)fputs(line, out);
    }
    if (out != NULL && fclose(out) == 0)
        good = state_folder_replace(folder, file_name, text, size);
    free(text);
    free(events.items);
    return good;
}

void crashes_note(int folder, struct crash_key key, enum crash_event event,
        uint64_t when_s)
{
    const struct event noted = {.key = key, .what = event, .when_s = when_s};
    char line[state_line_size];
    const size_t size = make_line(line, &noted);
    const int lock = state_folder_lock(folder, lock_timeout_ms);
    if (lock < 0) return;
    char *text = state_folder_read(folder, file_name, most_bytes);
    if (text != NULL && strlen(text) > shorten_above)
        (void)rewrite(folder, crashes_now_s(), NULL, NULL);
    free(text);
    (void)state_folder_append(folder, file_name, line, size);
    state_folder_unlock(lock);
}

static bool is_any(void *user, struct crash_key key)
{
    (void)user;
    (void)key;
    return true;
}

bool crashes_clear(int folder,
        bool (*is_meant)(void *user, struct crash_key key), void *user,
        size_t *cleared)
{
    enum { patience_ms = 5000 }; /* somebody waits for an answer */
    struct crashes crashes;
    const uint64_t now_s = crashes_now_s();
    *cleared = 0;
    if (is_meant == NULL) is_meant = is_any;
    const int lock = state_folder_lock(folder, patience_ms);
    if (lock < 0) return false;
    const int error = crashes_read(&crashes, folder, now_s);
    for (size_t i = 0; i < crashes.count; i++)
        *cleared += is_meant(user, crashes.items[i].key);
    crashes_fini(&crashes);
    const bool good =
            error == 0
            && (*cleared == 0 || rewrite(folder, now_s, is_meant, user));
    state_folder_unlock(lock);
    if (error != 0) errno = error;
    return good;
}
