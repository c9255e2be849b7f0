/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's texts as far as it matters for what its inline assembly is made
 * of: the definitions of macros, and the rest in chunks, none of which an asm
 * statement leaves. Whatever #if a definition or a chunk stands in, it counts.
 *
 * A chunk ends at a ";", "{" or "}" outside of all round brackets, since a
 * statement and the call of a macro end before it. A text in which that cannot
 * be told, as brackets are open where a branch of an #if ends, is odd; so is
 * one with characters that compilers take in different ways.
 */
#ifndef DNNL_CACHE_INCLUDES_ASSEMBLY_TEXTS_H
#define DNNL_CACHE_INCLUDES_ASSEMBLY_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { assembly_name_size = 128 /* a longer word is odd */ };

/* An identifier or a number, once for all its places. */
struct assembly_name {
    UT_hash_handle hh;
    bool is_macro;
    bool has_assembly; /* the word asm, or a macro that names it */
    bool makes;        /* a macro that names # or ##, or an open directive */
    bool pastes;       /* a macro whose arguments may become operands of ## */
    bool escapes;      /* and that may take them from behind its call, too */
    bool is_operand;   /* may be an operand of ## itself */
    size_t size;
    char text[];
};

enum assembly_token_kind {
    assembly_token_name,
    assembly_token_open, /* "(" */
    assembly_token_close,
    assembly_token_paste,     /* ## */
    assembly_token_directive, /* a literal that an operand completes */
    assembly_token_other
};

struct assembly_token {
    enum assembly_token_kind kind;
    struct assembly_name *name;
};

struct assembly_tokens {
    struct assembly_token *list;
    size_t count;
    size_t room;
};

/* Some of such a list. */
struct assembly_range {
    size_t first;
    size_t count;
};

struct assembly_macro {
    struct assembly_name *name;
    struct assembly_range body; /* of bodies; parameters are other tokens */
    bool has_parameters;
    bool makes_strings; /* # is in it */
    bool pastes;        /* ## is */
};

struct assembly_chunk {
    struct assembly_range range; /* of rest */
    bool is_open;                /* it may go on in another text */
};

/* All zero is a good one. Belongs to one thread. */
struct assembly_texts {
    struct assembly_name *names; /* a hash table */
    struct assembly_tokens bodies;
    struct assembly_tokens rest;
    struct assembly_macro *macros; /* one for each definition */
    size_t macro_count;
    size_t macro_room;
    struct assembly_chunk *chunks;
    size_t chunk_count;
    size_t chunk_room;
    bool lacks_memory;
    bool is_odd;
};

/* Adds a text, of which include_scan.h has nothing to report. */
void assembly_texts_add(
        struct assembly_texts *texts, const char *text, size_t size);

/* Adds the definitions of build options. */
void assembly_texts_add_options(
        struct assembly_texts *texts, const char *options);

void assembly_texts_fini(struct assembly_texts *texts);

#endif /* DNNL_CACHE_INCLUDES_ASSEMBLY_TEXTS_H */
