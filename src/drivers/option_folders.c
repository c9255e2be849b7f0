/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/option_folders.h"

#include "src/drivers/option_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Around the number of a folder, in a text that is kept. */
enum { mark_begin = '\x01', mark_end = '\x02' };

/* ---- Texts --------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t size;
    size_t capacity;
    bool failed;
};

static void put(struct text *text, const char *bytes, size_t size)
{
    if (!text->failed && size >= text->capacity - text->size) {
        const size_t capacity = 2 * (text->size + size) + 1;
        char *more = realloc(text->bytes, capacity);
        text->failed = more == NULL;
        if (more != NULL) text->bytes = more;
        if (more != NULL) text->capacity = capacity;
    }
    if (text->failed) return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

/* The text with a NUL behind it, the caller's; NULL: it failed. */
static char *finish(struct text *text, size_t *size)
{
    put(text, "", 1);
    if (text->failed) free(text->bytes);
    if (!text->failed && size != NULL) *size = text->size - 1;
    return text->failed ? NULL : text->bytes;
}

static void put_number(struct text *text, const char *before, size_t number,
        const char *behind)
{
    char words[32];
    const int size = snprintf(words, sizeof words, "%zu", number);
    put(text, before, strlen(before));
    put(text, words, (size_t)size);
    put(text, behind, strlen(behind));
}

/* ---- Folders ------------------------------------------------------------- */

/* Where the folder that the option at p names begins, and how long it is
 * without slashes at its end; NULL: it names none, or not an absolute one. *p
 * moves behind the option. word has room for any. */
static const char *find_folder(const char **p, char *word, size_t *size)
{
    const size_t option_size = option_folder_size(word);
    if (option_size == 0) return NULL;
    const char *folder =
            option_folder_read(option_way_blanks, p, word, option_size);
    if (folder == NULL || folder[0] != '/') return NULL;
    const size_t whole = strlen(folder);
    *size = whole;
    while (*size > 0 && folder[*size - 1] == '/')
        --*size;
    return *size > 0 ? *p - whole : NULL;
}

/* The folder's number, from 1; 0: it is none of them. */
static size_t number_of(
        const struct option_folders *folders, const char *folder, size_t size)
{
    for (size_t i = 0; i < folders->count; i++)
        if (strlen(folders->list[i]) == size
                && memcmp(folders->list[i], folder, size) == 0)
            return i + 1;
    return 0;
}

static bool add(struct option_folders *folders, const char *folder, size_t size)
{
    char **list = realloc(folders->list, (folders->count + 1) * sizeof *list);
    if (list == NULL) return false;
    folders->list = list;
    list[folders->count] = strndup(folder, size);
    if (list[folders->count] == NULL) return false;
    folders->count++;
    return true;
}

bool option_folders_init(struct option_folders *folders, const char *options)
{
    size_t size;
    *folders = (struct option_folders){0};
    char *word = malloc(strlen(options) + 1);
    bool done = word != NULL;
    for (const char *p = options;
            done && option_word_next(option_way_blanks, &p, word);) {
        const char *folder = find_folder(&p, word, &size);
        if (folder != NULL && number_of(folders, folder, size) == 0)
            done = add(folders, folder, size);
    }
    free(word);
    return done;
}

void option_folders_fini(struct option_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->list[i]);
    free(folders->list);
    *folders = (struct option_folders){0};
}

/* The options with numbers between these words in place of the folders. */
static char *number_folders(
        const char *options, const char *before, const char *behind)
{
    struct option_folders folders;
    struct text out = {.bytes = NULL};
    size_t size;
    char *word = malloc(strlen(options) + 1);
    out.failed = !option_folders_init(&folders, options) || word == NULL;
    const char *copied = options;
    for (const char *p = options;
            !out.failed && option_word_next(option_way_blanks, &p, word);) {
        const char *folder = find_folder(&p, word, &size);
        if (folder == NULL) continue;
        put(&out, copied, (size_t)(folder - copied));
        put_number(&out, before, number_of(&folders, folder, size), behind);
        copied = folder + size;
    }
    put(&out, copied, strlen(copied));
    free(word);
    option_folders_fini(&folders);
    return finish(&out, NULL);
}

char *option_folders_name(const char *options)
{
    return number_folders(options, "<folder ", ">");
}

char *option_folders_put(const char *options, const char *parent)
{
    const size_t size = strlen(parent) + sizeof "/";
    char *before = malloc(size);
    if (before == NULL) return NULL;
    (void)snprintf(before, size, "%s/", parent);
    char *out = number_folders(options, before, OPTION_FOLDERS_BEHIND);
    free(before);
    return out;
}

bool option_folders_are_numbers(const char *options, size_t size)
{
    static const char first[] = "<folder 1>";
    return size > 0 && memmem(options, size, first, sizeof first - 1) != NULL;
}

/* ---- Names in texts ------------------------------------------------------ */

/* The folder whose name begins at p, from 1; 0: none does. */
static size_t named_at(
        const struct option_folders *folders, const char *p, const char *end)
{
    for (size_t i = 0; i < folders->count; i++) {
        const size_t size = strlen(folders->list[i]);
        if ((size_t)(end - p) >= size && memcmp(p, folders->list[i], size) == 0)
            return i + 1;
    }
    return 0;
}

bool option_folders_are_in(
        const struct option_folders *folders, const char *text, size_t size)
{
    for (size_t i = 0; i < folders->count && size > 0; i++)
        if (memmem(text, size, folders->list[i], strlen(folders->list[i]))
                != NULL)
            return true;
    return false;
}

bool option_folders_can_hide(const char *text, size_t size)
{
    return size == 0
           || (memchr(text, mark_begin, size) == NULL
                   && memchr(text, mark_end, size) == NULL);
}

char *option_folders_hide(
        const struct option_folders *folders, const char *text, size_t *size)
{
    struct text out = {.bytes = NULL};
    const char *end = text + *size;
    out.failed = !option_folders_can_hide(text, *size);
    for (const char *p = text; p < end && !out.failed;) {
        const size_t number = *p == '/' ? named_at(folders, p, end) : 0;
        if (number == 0) {
            put(&out, p++, 1);
            continue;
        }
        put_number(&out, "\x01", number, "\x02");
        p += strlen(folders->list[number - 1]);
    }
    return finish(&out, size);
}

/* Reads the mark at p; returns past it. NULL: it is none of these folders. */
static const char *read_mark(const struct option_folders *folders,
        const char *p, const char *end, size_t *number)
{
    *number = 0;
    for (p++; p < end && *p >= '0' && *p <= '9'; p++) {
        *number = 10 * *number + (size_t)(*p - '0');
        if (*number > folders->count) return NULL;
    }
    const bool is_whole = p<end && * p == mark_end && * number> 0;
    return is_whole ? p + 1 : NULL;
}

char *option_folders_show(
        const struct option_folders *folders, const char *text, size_t *size)
{
    struct text out = {.bytes = NULL};
    const char *end = text + *size;
    for (const char *p = text; p < end && !out.failed;) {
        size_t number;
        if (*p != mark_begin) {
            put(&out, p++, 1);
            continue;
        }
        p = read_mark(folders, p, end, &number);
        out.failed = p == NULL;
        if (out.failed) break;
        put(&out, folders->list[number - 1], strlen(folders->list[number - 1]));
    }
    return finish(&out, size);
}

bool option_folders_suit(
        const struct option_folders *folders, const char *text, size_t size)
{
    const char *end = text + size;
    size_t number;
    const char *p = text;
    while (p != NULL && p < end)
        p = *p == mark_begin ? read_mark(folders, p, end, &number) : p + 1;
    return p != NULL;
}
