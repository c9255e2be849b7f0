/* SPDX-License-Identifier: Apache-2.0 */
#include "include_paths.h"

#include "blob/build_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How drivers split options. */
enum way {
    way_blanks, /* older PoCL: a quote is a character as any other */
    way_quotes, /* rusticl: double quotes, each of which ends a word */
    way_shell,  /* quotes of both kinds inside words, and backslashes */
    way_pocl,   /* spaces between double quotes, which become spaces */
    way_count
};

static const char blanks[] = " \t\n\v\f\r"; /* ' ' first */

static bool is_blank(char c)
{
    return c != '\0' && strchr(blanks, c) != NULL;
}

/* ---- Words --------------------------------------------------------------- */

static const char *next_plain_word(const char *p, char *word)
{
    while (*p != '\0' && !is_blank(*p))
        *word++ = *p++;
    *word = '\0';
    return p;
}

static const char *next_quoted_word(const char *p, char *word)
{
    bool quoted = *p == '"';
    if (quoted) p++;
    while (*p != '\0' && *p != '"' && (quoted || !is_blank(*p)))
        *word++ = *p++;
    *word = '\0';
    return quoted && *p == '"' ? p + 1 : p;
}

static const char *next_shell_word(const char *p, char *word)
{
    char quote = '\0';
    for (; *p != '\0' && (quote != '\0' || !is_blank(*p)); p++) {
        if (*p == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*p == '"' || *p == '\'')) {
            quote = *p;
        } else {
            if (*p == '\\' && quote != '\'' && p[1] != '\0') p++;
            *word++ = *p;
        }
    }
    *word = '\0';
    return p;
}

static const char *next_pocl_word(const char *p, char *word)
{
    bool quoted = false;
    for (; *p != '\0' && (!is_blank(*p) || (quoted && *p == ' ')); p++) {
        if (*p == '"') quoted = !quoted;
        *word++ = *p;
        if (*p == '"') word[-1] = ' ';
    }
    *word = '\0';
    return p;
}

/* Copies the word at *p or behind its blanks, for which there must be room, and
 * moves *p past it; false at the end. */
static bool next_word(enum way way, const char **p, char *word)
{
    *p += strspn(*p, blanks);
    if (**p == '\0') return false;
    if (way == way_blanks)
        *p = next_plain_word(*p, word);
    else if (way == way_quotes)
        *p = next_quoted_word(*p, word);
    else if (way == way_shell)
        *p = next_shell_word(*p, word);
    else
        *p = next_pocl_word(*p, word);
    return true;
}

/* ---- Lists of paths ------------------------------------------------------ */

bool path_list_add(struct path_list *paths, const char *path)
{
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->list[i], path) == 0) return true;
    char **list = realloc(paths->list, (paths->count + 1) * sizeof *list);
    if (list == NULL) return false;
    paths->list = list;
    list[paths->count] = strdup(path);
    if (list[paths->count] == NULL) return false;
    paths->count++;
    return true;
}

static bool equal_lists(const struct path_list *a, const struct path_list *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->list[i], b->list[i]) != 0) return false;
    return true;
}

void path_list_fini(struct path_list *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->list[i]);
    free(paths->list);
    *paths = (struct path_list){0};
}

void include_paths_fini(struct include_paths *paths)
{
    path_list_fini(&paths->folders);
    path_list_fini(&paths->files);
    *paths = (struct include_paths){0};
}

/* ---- Options ------------------------------------------------------------- */

/* Options that name a folder, in the same word or in the next. */
static const char *const folder_options[] = {
        "-I", "-isystem", "-iquote", "-idirafter", NULL};

/* The folder option that the word begins with, else NULL. */
static const char *find_folder_option(const char *word)
{
    const char *const *option = folder_options;
    while (*option != NULL && strncmp(word, *option, strlen(*option)) != 0)
        option++;
    return *option;
}

/* The folder an option names is in `word` behind it or, if that is its end, the
 * next word, which is read there. NULL: there is none. */
static const char *read_folder(
        enum way way, const char **p, char *word, size_t option_size)
{
    if (word[option_size] != '\0') return word + option_size;
    return next_word(way, p, word) && word[0] != '\0' ? word : NULL;
}

/* Reads the option that `word` is; more words may be read there. False: no
 * memory. */
static bool read_option(
        struct include_paths *paths, enum way way, const char **p, char *word)
{
    const char *option = find_folder_option(word);
    if (option != NULL && (word[1] == 'I' || word[strlen(option)] != '-')) {
        /* The others come before or behind -I, whatever the order. */
        if (word[1] != 'I') paths->doubt = true;
        const char *folder = read_folder(way, p, word, strlen(option));
        return folder == NULL || path_list_add(&paths->folders, folder);
    }
    if (strcmp(word, "-include") == 0)
        return !next_word(way, p, word) || path_list_add(&paths->files, word);
    return true;
}

/* Reads all options as one driver does; word has room for any. */
static bool read_options(struct include_paths *paths, enum way way,
        const char *options, char *word)
{
    while (next_word(way, &options, word))
        if (!read_option(paths, way, &options, word)) return false;
    return true;
}

/* Reads them as all drivers do. */
static bool read_all_ways(struct include_paths *paths, const char *options,
        char *word, bool *same_files)
{
    bool done = read_options(paths, way_blanks, options, word);
    *same_files = true;
    /* Not all take these for blanks. */
    if (strpbrk(options, blanks + 1) != NULL) paths->doubt = true;
    /* Without these all ways are one. */
    if (strpbrk(options, "\"'\\") == NULL) return done;
    for (int way = way_blanks + 1; way < way_count && done; way++) {
        struct include_paths other = {0};
        done = read_options(&other, (enum way)way, options, word);
        if (other.doubt || !equal_lists(&paths->folders, &other.folders))
            paths->doubt = true;
        if (!equal_lists(&paths->files, &other.files)) *same_files = false;
        for (size_t i = 0; i < other.folders.count && done; i++)
            done = path_list_add(&paths->folders, other.folders.list[i]);
        include_paths_fini(&other);
    }
    return done;
}

/* ---- Other options ------------------------------------------------------- */

/* Takes out each -include with its file, which are in the list. */
static void blank_out_files(char *options, char *word)
{
    const char *p = options;
    while (next_word(way_blanks, &p, word)) {
        if (strcmp(word, "-include") != 0) continue;
        char *begin = options + (p - options) - strlen(word);
        if (!next_word(way_blanks, &p, word)) continue;
        memset(begin, ' ', (size_t)(p - begin));
    }
}

/* Names the word that makes the options read a file in another way; they are
 * cut off behind it. */
static void name_culprit(
        char *options, char *word, size_t reason_size, char *reason)
{
    const char *p = options;
    while (next_word(way_blanks, &p, word)) {
        char *end = options + (p - options);
        const char behind = *end;
        *end = '\0';
        if (options_include_files(options)) break;
        *end = behind;
    }
    snprintf(reason, reason_size, "an option may read a file: %.80s", word);
}

/* True if nothing but -include reads a file. The copy is written to. */
static bool check_others(
        char *others, char *word, size_t reason_size, char *reason)
{
    blank_out_files(others, word);
    bool fine = !options_include_files(others);
    if (!fine) name_culprit(others, word, reason_size, reason);
    return fine;
}

bool include_paths_init(struct include_paths *paths, const char *options,
        size_t reason_size, char *reason)
{
    *paths = (struct include_paths){0};
    if (options == NULL || options[0] == '\0') return true;
    bool same_files;
    bool done = false;
    char *word = malloc(strlen(options) + 1);
    char *others = strdup(options);
    const bool is_read = word != NULL && others != NULL
                         && read_all_ways(paths, options, word, &same_files);
    if (!is_read)
        snprintf(reason, reason_size, "out of memory");
    else if (!same_files)
        snprintf(reason, reason_size,
                "drivers differ in which file these options include");
    else
        done = check_others(others, word, reason_size, reason);
    free(others);
    free(word);
    if (!done) include_paths_fini(paths);
    paths->lacks_memory = !is_read;
    return done;
}
