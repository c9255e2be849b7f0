/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/note_kernels.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What is read of a source, and what is in front of the next word. */
struct scan {
    const char *at;
    const char *end;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind a comment, or where it is. */
static void skip_comment(struct scan *s)
{
    const size_t left = (size_t)(s->end - s->at);
    const char *last = NULL; /* of it */
    size_t size = 1;
    if (left < 2 || s->at[0] != '/') return;
    if (s->at[1] == '/') {
        last = memchr(s->at, '\n', left);
    } else if (s->at[1] == '*') {
        last = memmem(s->at + 2, left - 2, "*/", 2);
        size = 2;
    } else {
        return;
    }
    s->at = last != NULL ? last + size : s->end;
}

/* The next word; its size is 0 at the end. *follows: what comes behind it. */
static size_t next_word(struct scan *s, const char **word, char *follows)
{
    while (s->at < s->end && !is_word(*s->at)) {
        const char *before = s->at;
        skip_comment(s);
        if (s->at == before) s->at++;
    }
    *word = s->at;
    while (s->at < s->end && is_word(*s->at))
        s->at++;
    const char *behind = s->at;
    while (behind < s->end && isspace((unsigned char)*behind))
        behind++;
    *follows = '\0';
    if (behind < s->end) *follows = *behind;
    return (size_t)(s->at - *word);
}

static bool is(const char *word, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(word, name, size) == 0;
}

/* A kernel's name is the first word behind "kernel" that a parenthesis follows,
 * but for those of attributes. */
static size_t next_kernel(struct scan *s, const char **name)
{
    char follows;
    bool is_kernel = false;
    int depth = 0;
    for (size_t size; (size = next_word(s, name, &follows)) > 0;) {
        if (is(*name, size, "__attribute__")) {
            /* Its words stand in parentheses. */
            for (; s->at < s->end; s->at++) {
                depth += *s->at == '(';
                depth -= *s->at == ')';
                if (*s->at == ')' && depth == 0) break;
            }
        } else if (is(*name, size, "kernel") || is(*name, size, "__kernel")) {
            is_kernel = true;
        } else if (is_kernel && follows == '(') {
            return size;
        }
    }
    return 0;
}

void note_kernels_list(
        char text[note_kernels_size], const dnnl_cache_note_t *build)
{
    enum { most = 3, most_name = 40 };
    size_t count = 0;
    size_t used = 0;
    const char *name;
    text[0] = '\0';
    for (size_t i = 0; i < build->source_count; i++) {
        struct scan s = {
                build->sources[i], build->sources[i] + build->source_sizes[i]};
        for (size_t size; (size = next_kernel(&s, &name)) > 0; count++) {
            if (count >= most) continue;
            used += (size_t)snprintf(text + used, note_kernels_size - used,
                    "%s%.*s", count == 0 ? "" : ", ",
                    (int)(size < most_name ? size : most_name), name);
        }
    }
    if (count > most)
        (void)snprintf(text + used, note_kernels_size - used, ", ...");
}

void note_kernels_print(
        char text[note_kernels_size], const dnnl_cache_note_t *build)
{
    char list[note_kernels_size];
    note_kernels_list(list, build);
    text[0] = '\0';
    if (list[0] != '\0')
        (void)snprintf(text, note_kernels_size, " (kernels %.*s)",
                note_kernels_size - 12, list);
}
