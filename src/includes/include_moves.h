/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a program stays the same when the folders that its options search are
 * moved, with all that is in them: then its ID can say "the first folder" in
 * place of a name, and what was compiled in one place serves in all.
 *
 * Only absolute folders move. A program moves if nothing in its texts may see a
 * path (include_sight.h), none of its options is one that may write a path into
 * what is compiled, or make an error of a warning, and no folder's name stands
 * anywhere else: so wherever the name is in the compiler's log, it is the
 * folder.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_MOVES_H
#define DNNL_CACHE_INCLUDES_INCLUDE_MOVES_H

#include "src/drivers/option_folders.h"
#include "src/includes/include_files.h"
#include "src/includes/include_paths.h"
#include "src/includes/include_places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One program; a zeroed one does not move. */
struct include_moves {
    bool may;         /* by what was seen so far */
    bool has_headers; /* that come as texts: set before it begins */
    unsigned seen;
    struct option_folders folders;
};

/* Looks at the options that were given (NULL: none) and those that the driver
 * reads. Out of memory nothing moves. include_moves_fini() follows. */
void include_moves_begin(struct include_moves *moves,
        const struct include_places *places, const char *given);
void include_moves_fini(struct include_moves *moves);

/* Looks at one of the texts. */
void include_moves_see(struct include_moves *moves, const char *text,
        size_t size, bool is_included);

/* True if the program moves; *digest, until then of what the files hold, is
 * then also of what the folders are to one another, to the working directory
 * and to the driver's own: which are the same, or not there. looks_for_files:
 * its compiler does. A program does not move if a file was found in a folder
 * that has two names, as by "..": the log names one of them. *are_apart: each
 * folder that is searched has a number, and none that is there is another one
 * of all these. */
bool include_moves_end(const struct include_moves *moves,
        const struct include_places *places, const struct include_paths *paths,
        const struct include_files *files, bool looks_for_files,
        uint8_t digest[32], bool *are_apart);

/* The same of a program that does not move, and looks for files: its digest is
 * then also of what the folders are to one another. The same names may be links
 * to one folder, which a compiler searches once, or not. False: no memory. */
bool include_moves_note_folders(const struct include_moves *moves,
        const struct include_places *places, const struct include_paths *paths,
        uint8_t digest[32]);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_MOVES_H */
