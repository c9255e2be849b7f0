/* SPDX-License-Identifier: Apache-2.0 */
/*
 * include_walk.h: one walk through all that a program includes, for the parts
 * of it: includes.c walks through the texts, include_lookup.c looks at places
 * for files, include_embedded.c knows the headers that come as texts.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_WALK_H
#define DNNL_CACHE_INCLUDES_INCLUDE_WALK_H

#include "src/includes/include_embedded.h"
#include "src/includes/include_files.h"
#include "src/includes/include_macros.h"
#include "src/includes/include_moves.h"
#include "src/includes/include_paths.h"
#include "src/includes/include_places.h"
#include "src/includes/includes.h"

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands before each ingredient of the digest. */
enum {
    mark_quoted = 1,
    mark_bracket,
    mark_option,  /* -include */
    mark_absent,  /* a place without a file */
    mark_present, /* one with a file; its index follows */
    mark_text,    /* the first time, also the file's bytes */
    mark_end,     /* no more places */
    mark_alias,   /* the first time, which file it is by another path */
    mark_header,  /* an embedded one; its name and its text follow */
    mark_folder   /* where a driver has those */
};

struct walk {
    crypto_generichash_state hash;
    struct include_files files;
    struct include_paths paths;
    struct include_places places;
    size_t includer; /* the file that is scanned; INCLUDE_NO_FILE: the source */
    const struct include_embedded *header; /* or that header; NULL: none */
    size_t header_count;
    const struct include_embedded *headers;
    struct includes *out;
    size_t missing; /* includes that were ignored */
    unsigned seen;  /* what the texts so far have of assembly */
    /* The names of some includes may be macros: they are expanded, and all
     * texts kept, as each may define what was expanded. Else: what was met. */
    bool expands;
    bool needs_macros;
    /* All texts are kept for what their assembly is made of, or: must be. */
    bool keeps_texts;
    bool needs_texts;
    struct include_macros macros;
    struct include_moves moves;
};

/* One include: what it says, what was found so far. */
struct lookup {
    int form; /* mark_quoted, mark_bracket or mark_option */
    const char *name;
    size_t name_size;
    bool found;
    bool certain; /* every driver takes what was found, or an earlier place */
};

/* ---- Why nothing can be established ---------------------------------------
 */

/* Notes why. Names come from sources: nothing in them may reach a terminal as a
 * command. False, for callers to return. */
__attribute__((format(printf, 2, 3))) bool walk_refuse(
        struct walk *w, const char *format, ...);
bool walk_refuse_for_memory(struct walk *w);

/* How much of a text to show. */
int walk_shown(size_t size);

/* Who includes, for messages. */
const char *walk_includer(const struct walk *w);

/* ---- The digest ---------------------------------------------------------- */

void walk_note(struct walk *w, int mark, uint64_t number);
void walk_note_bytes(struct walk *w, const void *data, size_t size);

/* ---- Looking a file up: include_lookup.c --------------------------------- */

/* Looks at one place: name in a folder of folder_size bytes, or as it is. */
bool walk_look_at(struct walk *w, struct lookup *l, size_t folder_size,
        const char *folder, bool certain);

/* Looks into folders, until one that no driver ignores. */
bool walk_look_into(struct walk *w, struct lookup *l,
        const struct path_list *folders, bool certain);

/* Looks at all places that a driver may look at, until one that none passes by.
 */
bool walk_look_everywhere(struct walk *w, struct lookup *l);

/* What is at no certain place, a driver of which not all places are known may
 * take from a folder of its own, or of the system. */
bool walk_check_system_folders(struct walk *w, const struct lookup *l);

/* ---- Headers that come as texts: include_embedded.c -----------------------
 */

/* Whether the directive may mean a header, beside the one that has it or not.
 */
bool walk_has_header(const struct walk *w, const struct lookup *l);

/* Notes all of them, and where they seem to be: that folder's name is what a
 * header sees of itself, in __FILE__. False: one is not followed. */
bool walk_note_headers(struct walk *w);

/* Beside a header that is scanned, where a driver has it in a folder. */
bool walk_look_beside_header(struct walk *w, struct lookup *l);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_WALK_H */
