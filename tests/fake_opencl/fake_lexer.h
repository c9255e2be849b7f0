/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of OpenCL C, and the memory and errors of the fake compiler's front
 * end. A compilation allocates from its own pool and gives up at the first
 * error by jumping back to where it began, which frees the pool.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_LEXER_H
#define DNNL_CACHE_TESTS_FAKE_LEXER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_LITERAL, /* string or character, with its quotes */
    TOKEN_MARK
};

struct token {
    struct token *next; /* in a list */
    enum token_kind kind;
    const char *text; /* in the pool, with an end */
    size_t length;
    bool first;    /* in its line */
    bool spaced;   /* something blank before it */
    bool expanded; /* it comes from a macro */
    bool painted;  /* a macro's name that is not to be expanded again */
};

struct pool;

struct front_end {
    jmp_buf failed;
    char message[256]; /* empty: memory ran out */
    struct pool *pool;
};

/* Zeroed memory that lives as long as the front end. */
void *pool_get(struct front_end *front, size_t size);
char *pool_text(struct front_end *front, const char *text, size_t length);
void pool_free(struct front_end *front);
/* Gives up with a message. */
_Noreturn void front_end_fail(struct front_end *front, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* Removes line splices: a copy in the pool. */
const char *text_spliced(struct front_end *front, const char *text);
/* The token at *at, which moves behind it. Within a line (in_line) its end is
 * an end too. */
struct token *token_read(
        struct front_end *front, const char **at, bool in_line);
/* A token of the text, whatever it is; for pasting. */
struct token *token_make(struct front_end *front, const char *text);
struct token *token_copy(struct front_end *front, const struct token *token);
bool token_is(const struct token *token, const char *text);

#endif /* DNNL_CACHE_TESTS_FAKE_LEXER_H */
