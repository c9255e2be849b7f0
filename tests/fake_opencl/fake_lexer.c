/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_lexer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
    struct pool *next;
    max_align_t bytes[];
};

void *pool_get(struct front_end *front, size_t size)
{
    struct pool *piece = calloc(1, sizeof(*piece) + size);

    if (piece == NULL) {
        front->message[0] = '\0';
        longjmp(front->failed, 1);
    }
    piece->next = front->pool;
    front->pool = piece;
    return piece->bytes;
}

char *pool_text(struct front_end *front, const char *text, size_t length)
{
    char *copy = pool_get(front, length + 1);

    memcpy(copy, text, length);
    return copy;
}

void pool_free(struct front_end *front)
{
    struct pool *piece;

    while ((piece = front->pool) != NULL) {
        front->pool = piece->next;
        free(piece);
    }
}

void front_end_fail(struct front_end *front, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(front->message, sizeof(front->message), format, list);
    va_end(list);
    longjmp(front->failed, 1);
}

const char *text_spliced(struct front_end *front, const char *text)
{
    char *copy = pool_get(front, strlen(text) + 1);
    char *to = copy;

    for (; *text != '\0'; text++) {
        if (text[0] == '\\' && text[1] == '\n') {
            text++;
            continue;
        }
        if (text[0] == '\\' && text[1] == '\r' && text[2] == '\n') {
            text += 2;
            continue;
        }
        *to++ = *text;
    }
    return copy;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind blanks and comments; tells whether there were any, and an end of
 * line among them. */
static const char *skip_blanks(
        const char *at, bool in_line, bool *spaced, bool *first)
{
    for (;;) {
        if (*at == '\n' && in_line) return at;
        if (isspace((unsigned char)*at)) {
            if (*at == '\n') *first = true;
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            at = end != NULL ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
        *spaced = true;
    }
}

static size_t literal_length(const char *at)
{
    size_t n = 1;

    while (at[n] != '\0' && at[n] != '\n' && at[n] != at[0])
        n += at[n] == '\\' && at[n + 1] != '\0' ? 2 : 1;
    return at[n] == at[0] ? n + 1 : n;
}

static size_t number_length(const char *at)
{
    size_t n = 0;

    while (is_word(at[n]) || at[n] == '.'
            || ((at[n] == '+' || at[n] == '-') && n > 0
                    && strchr("eEpP", at[n - 1]) != NULL && at[1] != 'x'))
        n++;
    return n;
}

static size_t mark_length(const char *at)
{
    static const char *const longer[] = {
            "...", "##", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>"};

    for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
        if (strncmp(at, longer[i], strlen(longer[i])) == 0)
            return strlen(longer[i]);
    return 1;
}

static size_t token_measure(const char *at, enum token_kind *kind)
{
    size_t n = 0;

    if (*at == '\0' || *at == '\n') {
        *kind = TOKEN_END;
        return 0;
    }
    if (*at == '"' || *at == '\'') {
        *kind = TOKEN_LITERAL;
        return literal_length(at);
    }
    if (isdigit((unsigned char)at[0])
            || (at[0] == '.' && isdigit((unsigned char)at[1]))) {
        *kind = TOKEN_NUMBER;
        return number_length(at);
    }
    if (is_word(*at)) {
        *kind = TOKEN_WORD;
        while (is_word(at[n]))
            n++;
        return n;
    }
    *kind = TOKEN_MARK;
    return mark_length(at);
}

struct token *token_read(struct front_end *front, const char **at, bool in_line)
{
    struct token *token = pool_get(front, sizeof(*token));

    *at = skip_blanks(*at, in_line, &token->spaced, &token->first);
    token->length = token_measure(*at, &token->kind);
    token->text = pool_text(front, *at, token->length);
    *at += token->length;
    return token;
}

struct token *token_make(struct front_end *front, const char *text)
{
    return token_read(front, &text, false);
}

struct token *token_copy(struct front_end *front, const struct token *token)
{
    struct token *copy = pool_get(front, sizeof(*copy));

    *copy = *token;
    copy->next = NULL;
    return copy;
}

bool token_is(const struct token *token, const char *text)
{
    return strcmp(token->text, text) == 0 && token->kind != TOKEN_END;
}
