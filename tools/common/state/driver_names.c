/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/driver_names.h"

#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "drivers"

enum {
    lock_ms = 100,
    key_digits = driver_names_key_size - 1,
    word_size = 17 /* of how it is identified, and of its digest */
};

/* Of a part whose digest is not in the ID. */
static const char uncounted[] = " (does not count)";

bool driver_names_key(
        char key[driver_names_key_size], size_t size, const uint8_t *digest)
{
    if (size < key_digits / 2) return false;
    for (size_t i = 0; i < key_digits / 2; i++)
        (void)snprintf(key + 2 * i, 3, "%02x", digest[i]);
    return true;
}

char *driver_names_read(int folder)
{
    return state_folder_read(folder, NAME, driver_names_most_bytes);
}

/* ---- Lines --------------------------------------------------------------- */

struct line {
    char key[driver_names_key_size];
    struct driver_part part;
};

/* The next word, with the blank behind it; false: there is none, or it is too
 * long. */
static bool take_word(char *word, size_t room, const char **at)
{
    const size_t size = strcspn(*at, " ");
    if (size == 0 || size >= room || (*at)[size] != ' ') return false;
    memcpy(word, *at, size);
    word[size] = '\0';
    *at += size + 1;
    return true;
}

static bool is_key(const char *text)
{
    return strspn(text, "0123456789abcdef") == key_digits;
}

/* "KEY HOW DIGEST NAME": the name is the rest. */
static bool read_line(struct line *line, const char *text)
{
    char how[word_size];
    char digest[word_size];
    if (!take_word(line->key, sizeof line->key, &text) || !is_key(line->key)
            || !take_word(how, sizeof how, &text)
            || !take_word(digest, sizeof digest, &text))
        return false;
    const size_t size = strlen(text);
    if (size == 0 || size >= sizeof line->part.name) return false;
    memcpy(line->part.name, text, size + 1);
    (void)snprintf(line->part.how, sizeof line->part.how, "%s %s", how, digest);
    return true;
}

bool driver_names_next(
        struct driver_part *part, const char **at, const char *key)
{
    char text[state_line_size];
    struct line line;
    while (state_lines_next(text, at)) {
        if (!read_line(&line, text) || strcmp(line.key, key) != 0) continue;
        *part = line.part;
        return true;
    }
    return false;
}

bool driver_names_have(const char *text, const char *key)
{
    struct driver_part part;
    return text != NULL && driver_names_next(&part, &text, key);
}

/* ---- Adding -------------------------------------------------------------- */

/* What is written, in memory. */
struct text {
    char *data; /* owned */
    size_t size;
    size_t room;
    bool failed;
};

static void append(struct text *out, const char *line, size_t size)
{
    if (!out->failed && out->room - out->size < size) {
        const size_t room = 2 * (out->room + size);
        char *data = realloc(out->data, room);
        if (data != NULL) {
            out->data = data;
            out->room = room;
        }
        out->failed = data == NULL;
    }
    if (out->failed || size == 0) return;
    memcpy(out->data + out->size, line, size);
    out->size += size;
}

/* What ends a word or a line in the file. */
static void make_plain(char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) *name = '?';
}

/* Of a part "NAME HOW DIGEST"; a name may have blanks. */
static void append_part(struct text *out, const char *key, const char *part)
{
    char name[256];
    char text[state_line_size];
    char line[state_line_size];
    const size_t size = strlen(part);
    const size_t tail = sizeof uncounted - 1;
    const bool counts =
            size < tail || strcmp(part + size - tail, uncounted) != 0;
    (void)snprintf(name, sizeof name, "%.*s",
            (int)(counts || size < tail ? size : size - tail), part);
    char *digest = strrchr(name, ' ');
    if (digest == NULL) return;
    *digest++ = '\0';
    char *how = strrchr(name, ' ');
    if (how == NULL || how == name) return;
    *how++ = '\0';
    make_plain(name);
    (void)snprintf(text, sizeof text, "%s %.16s %.16s %.*s", key, how,
            counts && *digest != '\0' ? digest : "-", driver_part_name_size - 1,
            name);
    append(out, line, state_line_make(line, text));
}

/* How many builds there are, by their first lines: lines of one stand
 * together. */
static size_t count_builds(const char *text)
{
    char before[driver_names_key_size] = "";
    char words[state_line_size];
    struct line line;
    size_t count = 0;
    while (text != NULL && state_lines_next(words, &text)) {
        if (!read_line(&line, words) || strcmp(line.key, before) == 0) continue;
        memcpy(before, line.key, sizeof before);
        count++;
    }
    return count;
}

/* What is there, without the oldest builds. */
static void append_latest(struct text *out, const char *text, size_t drop)
{
    char before[driver_names_key_size] = "";
    char words[state_line_size];
    char again[state_line_size];
    struct line line;
    size_t count = 0;
    while (text != NULL && state_lines_next(words, &text)) {
        if (!read_line(&line, words)) continue;
        if (strcmp(line.key, before) != 0) count++;
        memcpy(before, line.key, sizeof before);
        if (count > drop) append(out, again, state_line_make(again, words));
    }
}

static bool add_locked(
        int folder, const char *key, size_t size, const char *parts)
{
    struct text out = {NULL, 0, 0, false};
    char *there = driver_names_read(folder);
    if (driver_names_have(there, key)) {
        free(there);
        return true;
    }
    const size_t count = count_builds(there);
    if (size == 0) {
        free(there);
        return false;
    }
    append_latest(&out, there,
            count >= driver_names_most_builds
                    ? count - driver_names_most_builds + 1
                    : 0);
    free(there);
    for (size_t at = 0; at < size && memchr(parts + at, '\0', size - at);
            at += strlen(parts + at) + 1)
        append_part(&out, key, parts + at);
    const bool done = !out.failed && out.size <= driver_names_most_bytes
                      && state_folder_replace(folder, NAME, out.data, out.size);
    free(out.data);
    return done;
}

bool driver_names_add(
        int folder, const char *key, size_t size, const char *parts)
{
    const int lock = state_folder_lock(folder, lock_ms);
    if (lock < 0) return false;
    const bool done = add_locked(folder, key, size, parts);
    state_folder_unlock(lock);
    return done;
}
