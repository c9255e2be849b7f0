/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_paths.h"

#include "src/common/array.h"
#include "src/drivers/option_words.h"
#include "src/includes/build_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

static const char other_blanks[] = "\t\n\v\f\r";

/* ---- Lists of paths ------------------------------------------------------ */

struct path_entry {
    UT_hash_handle hh;
    char path[];
};

bool path_list_add(struct path_list *paths, const char *path)
{
    const size_t size = strlen(path);
    struct path_entry *entry;
    HASH_FIND(hh, paths->entries, path, size, entry);
    if (entry != NULL) return true;
    if (!array_grow(&paths->list, paths->count, sizeof *paths->list))
        return false;
    entry = calloc(1, sizeof *entry + size + 1);
    if (entry == NULL) return false;
    memcpy(entry->path, path, size + 1);
    HASH_ADD_KEYPTR(hh, paths->entries, entry->path, size, entry);
    if (entry->hh.tbl == NULL) {
        free(entry);
        return false;
    }
    paths->list[paths->count++] = entry->path;
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
    struct path_entry *entry;
    struct path_entry *following;
    HASH_ITER(hh, paths->entries, entry, following)
    {
        HASH_DEL(paths->entries, entry);
        free(entry);
    }
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

/* Reads the option that `word` is; more words may be read there. False: no
 * memory. */
static bool read_option(struct include_paths *paths, enum option_way way,
        const char **p, char *word)
{
    const size_t size = option_folder_size(word);
    if (size > 0) {
        /* The others come before or behind -I, whatever the order. */
        if (word[1] != 'I') paths->doubt = true;
        const char *folder = option_folder_read(way, p, word, size);
        return folder == NULL || path_list_add(&paths->folders, folder);
    }
    if (strcmp(word, "-include") == 0)
        return !option_word_next(way, p, word)
               || path_list_add(&paths->files, word);
    return true;
}

/* Reads all options as one driver does; word has room for any. */
static bool read_options(struct include_paths *paths, enum option_way way,
        const char *options, char *word)
{
    while (option_word_next(way, &options, word))
        if (!read_option(paths, way, &options, word)) return false;
    return true;
}

/* Reads them as all drivers do. */
static bool read_all_ways(struct include_paths *paths, const char *options,
        char *word, bool *same_files)
{
    bool done = read_options(paths, option_way_blanks, options, word);
    *same_files = true;
    /* Not all take these for blanks. */
    if (strpbrk(options, other_blanks) != NULL) paths->doubt = true;
    if (option_ways_are_one(options)) return done;
    for (int way = option_way_blanks + 1; way < option_way_count && done;
            way++) {
        struct include_paths other = {0};
        done = read_options(&other, (enum option_way)way, options, word);
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
    while (option_word_next(option_way_blanks, &p, word)) {
        if (strcmp(word, "-include") != 0) continue;
        char *begin = options + (p - options) - strlen(word);
        if (!option_word_next(option_way_blanks, &p, word)) continue;
        memset(begin, ' ', (size_t)(p - begin));
    }
}

/* Do the options up to the end of that word, which is read, read a file? They
 * are as they were then. */
static bool beginning_reads_files(char *options, size_t index, char *word)
{
    const char *p = options;
    for (size_t i = 0; i <= index; i++)
        (void)option_word_next(option_way_blanks, &p, word);
    char *end = options + (p - options);
    const char behind = *end;
    *end = '\0';
    const bool reads = options_include_files(options);
    *end = behind;
    return reads;
}

/* Names the word that makes the options read a file in another way: the last
 * one of the shortest beginning that does. Each step is as long as the options,
 * so that there are few. */
static void name_culprit(
        char *options, char *word, size_t reason_size, char *reason)
{
    size_t count = 0;
    for (const char *p = options;
            option_word_next(option_way_blanks, &p, word);)
        count++;
    size_t first = 0;
    for (size_t past = count; first + 1 < past;) {
        const size_t middle = first + (past - first - 1) / 2;
        if (beginning_reads_files(options, middle, word))
            past = middle + 1;
        else
            first = middle + 1;
    }
    (void)beginning_reads_files(options, first, word);
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
