/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/option_words.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\n\v\f\r";

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

bool option_word_next(enum option_way way, const char **p, char *word)
{
    *p += strspn(*p, blanks);
    if (**p == '\0') return false;
    if (way == option_way_blanks)
        *p = next_plain_word(*p, word);
    else if (way == option_way_quotes)
        *p = next_quoted_word(*p, word);
    else if (way == option_way_shell)
        *p = next_shell_word(*p, word);
    else
        *p = next_pocl_word(*p, word);
    return true;
}

bool option_ways_are_one(const char *options)
{
    return strpbrk(options, "\"'\\") == NULL;
}

/* ---- Folders ------------------------------------------------------------- */

size_t option_folder_size(const char *word)
{
    static const char *const options[] = {
            "-I", "-isystem", "-iquote", "-idirafter"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const size_t size = strlen(options[i]);
        /* -isystem-after and the like are other options. */
        if (strncmp(word, options[i], size) == 0
                && (i == 0 || word[size] != '-'))
            return size;
    }
    return 0;
}

const char *option_folder_read(
        enum option_way way, const char **p, char *word, size_t option_size)
{
    if (word[option_size] != '\0') return word + option_size;
    return option_word_next(way, p, word) && word[0] != '\0' ? word : NULL;
}

/* ---- All of them --------------------------------------------------------- */

struct reading {
    bool folders; /* else all words */
    option_check check;
    void *user;
};

static bool check_in_way(const struct reading *r, enum option_way way,
        const char *options, char *word)
{
    while (option_word_next(way, &options, word)) {
        const char *text = word;
        if (r->folders) {
            const size_t size = option_folder_size(word);
            text = size > 0 ? option_folder_read(way, &options, word, size)
                            : NULL;
        }
        if (text != NULL && !r->check(text, r->user)) return false;
    }
    return true;
}

static bool check_all(const struct reading *r, const char *options)
{
    const int ways = option_ways_are_one(options) ? 1 : option_way_count;
    char *word = malloc(strlen(options) + 1);
    bool are = word != NULL;
    for (int way = 0; way < ways && are; way++)
        are = check_in_way(r, (enum option_way)way, options, word);
    free(word);
    return are;
}

bool option_words_are(const char *options, option_check check, void *user)
{
    return check_all(&(struct reading){false, check, user}, options);
}

bool option_folders_are(const char *options, option_check check, void *user)
{
    return check_all(&(struct reading){true, check, user}, options);
}
