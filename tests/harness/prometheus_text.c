/* SPDX-License-Identifier: Apache-2.0 */
#include "prometheus_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_samples = 1024, most_line = 4096, most_names = 256 };

struct reader {
    char name[most_line]; /* of the samples that are expected */
    bool has_help;        /* and its HELP, and its TYPE */
    bool is_counter;
    size_t names;
    char *known[most_names]; /* whose samples have ended or are being read */
    size_t samples;
    char *keys[most_samples]; /* names with labels */
    char mistake[most_line + 64];
};

static bool say(struct reader *r, const char *what, const char *line)
{
    snprintf(r->mistake, sizeof r->mistake, "%s: %.1000s", what, line);
    return false;
}

static size_t name_length(const char *text, bool may_have_colons)
{
    size_t n = 0;
    if (isdigit((unsigned char)text[0])) return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_'
            || (may_have_colons && text[n] == ':'))
        n++;
    return n;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static bool read_help(struct reader *r, const char *line)
{
    const char *at = line + strlen("# HELP ");
    const size_t n = name_length(at, true);
    if (n == 0 || at[n] != ' ' || at[n + 1] == '\0')
        return say(r, "no name or no help", line);
    snprintf(r->name, sizeof r->name, "%.*s", (int)n, at);
    for (size_t i = 0; i < r->names; i++)
        if (strcmp(r->known[i], r->name) == 0)
            return say(r, "a name twice", line);
    if (r->names == most_names) return say(r, "too many names", line);
    r->known[r->names++] = strdup(r->name);
    r->has_help = true;
    return true;
}

static bool read_type(struct reader *r, const char *line)
{
    char expected[most_line + 32];
    if (!r->has_help) return say(r, "TYPE without HELP", line);
    r->has_help = false;
    r->is_counter = ends_with(line, " counter");
    snprintf(expected, sizeof expected, "# TYPE %s %s", r->name,
            r->is_counter ? "counter" : "gauge");
    if (strcmp(expected, line) != 0) return say(r, "no such type", line);
    if (r->is_counter != ends_with(r->name, "_total"))
        return say(r, "_total is for counters, and for all of them", line);
    return true;
}

/* Behind the labels, from the brace on; NULL: they are none. */
static const char *skip_labels(const char *at)
{
    do {
        const size_t n = name_length(++at, false);
        if (n == 0 || strncmp(at, "__", 2) == 0 || at[n] != '='
                || at[n + 1] != '"')
            return NULL;
        for (at += n + 2; *at != '"'; at++) {
            if (*at == '\0') return NULL;
            if (*at == '\\' && strchr("\\\"n", *++at) == NULL) return NULL;
        }
        at++;
    } while (*at == ',');
    return *at == '}' ? at + 1 : NULL;
}

static bool is_value(const char *text)
{
    char *end = NULL;
    if (!isdigit((unsigned char)text[0])) return false;
    (void)strtod(text, &end);
    return *end == '\0';
}

static bool read_sample(struct reader *r, const char *line)
{
    const size_t n = name_length(line, true);
    if (r->has_help) return say(r, "HELP without TYPE", line);
    if (n != strlen(r->name) || strncmp(line, r->name, n) != 0)
        return say(r, "not of the name above", line);
    const char *end = line[n] == '{' ? skip_labels(line + n) : line + n;
    if (end == NULL) return say(r, "labels", line);
    if (*end != ' ' || !is_value(end + 1)) return say(r, "a value", line);
    if (r->samples == most_samples) return say(r, "too many samples", line);
    r->keys[r->samples] = strndup(line, (size_t)(end - line));
    for (size_t i = 0; i < r->samples; i++)
        if (strcmp(r->keys[i], r->keys[r->samples]) == 0) {
            free(r->keys[r->samples]);
            return say(r, "a sample twice", line);
        }
    r->samples++;
    return true;
}

static bool read_line(struct reader *r, const char *line)
{
    if (strncmp(line, "# HELP ", 7) == 0) return read_help(r, line);
    if (strncmp(line, "# TYPE ", 7) == 0) return read_type(r, line);
    return read_sample(r, line);
}

const char *prometheus_find_mistake(const char *text)
{
    static struct reader r;
    r = (struct reader){.names = 0};
    bool is_good = text[0] != '\0' || say(&r, "nothing", text);
    while (is_good && *text != '\0') {
        char line[most_line];
        const size_t n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (n >= most_line)
            is_good = say(&r, "a long line", line);
        else if (text[n] == '\0')
            is_good = say(&r, "no end of the last line", line);
        else
            is_good = read_line(&r, line);
        text += n + (text[n] != '\0');
    }
    if (is_good && r.has_help) is_good = say(&r, "HELP without TYPE", r.name);
    for (size_t i = 0; i < r.names; i++)
        free(r.known[i]);
    for (size_t i = 0; i < r.samples; i++)
        free(r.keys[i]);
    return is_good ? NULL : r.mistake;
}

double prometheus_value(const char *text, const char *sample)
{
    const size_t n = strlen(sample);
    for (const char *at = text; at != NULL && *at != '\0';) {
        if (strncmp(at, sample, n) == 0 && at[n] == ' ')
            return strtod(at + n + 1, NULL);
        at = strchr(at, '\n');
        if (at != NULL) at++;
    }
    return -1.0;
}
