/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program's includes hold, as one digest for its key, found without the
 * compiler. Files are looked up as the compilers of PoCL, rusticl and their
 * like do it; where these differ, every place that one of them would look at is
 * read, so that whichever it is, a changed file changes the digest. A place
 * with no file in it counts as well: a file that appears there takes effect.
 *
 * Every call reads all files again. Nothing is kept between calls, and any
 * thread may call.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDES_H
#define DNNL_CACHE_INCLUDES_INCLUDES_H

#include "src/includes/include_embedded.h"
#include "src/includes/include_files.h"
#include "src/includes/include_places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct includes {
    /* BLAKE2b-256 over every include in the order of discovery (its form, its
     * name as written, where it was looked for, whether something was there),
     * every file's bytes, and which files are one, by links; no path of a file
     * enters, so a folder may move. */
    uint8_t digest[32];
    /* The same over the files' inodes and times, which tells of a file that was
     * another one for a while; not part of any ID. */
    uint8_t stamp[16];
    /* Files that were read, and includes that were ignored; 0: nothing is
     * included. */
    size_t count;
    size_t places; /* that were looked at, with a file or without */
    /* The program is the same if the folders of its options are moved
     * (include_moves.h), and this digest, in place of the other, tells what
     * their names have told in the options. Else false. */
    bool moves;
    uint8_t moved_digest[32];
    bool are_apart; /* such a program's folders are: include_moves_end() */
    /* After false: what could not be established, and whether it is about the
     * options. */
    char reason[160];
    bool is_options;
    bool lacks_memory;            /* it may be established another time */
    struct include_driver driver; /* for which they were followed */
    bool looks_for_moves;         /* and not includes_follow() */
};

/* Follows every include of a program's sources and every -include of its
 * options (NULL: none), and those of the files found, whatever #if they stand
 * in, names that are macros of the options (include_macros.h) included. The
 * sources are as for clCreateProgramWithSource(): laid end to end, lengths NULL
 * or a length 0 for strings that end with NUL.
 *
 * True: *out has the digest; false: only why not is set, and the program must
 * not be cached. A caller who compiles calls again afterwards and keeps
 * the binary only if the digest is the same: the compiler may have read files
 * that were written in between.
 *
 * driver: what the environment adds to the options, and all places where its
 * compiler looks; NULL: not known. An include without a file at any of these is
 * accepted; the digest changes if the file appears.
 *
 * After true *places, if it is not NULL, has what was looked at
 * (include_watch.h watches that); include_files_fini() follows. */
bool includes_follow(struct includes *out, struct include_files *places,
        const struct include_driver *driver, size_t count,
        const char *const *sources, const size_t *lengths, const char *options);

/* The same of a program with embedded headers, whose names and texts are in the
 * digest, in their order, used or not. Drivers differ in whether a file hides a
 * header of its name (docs/how_it_works/included_files.md, "Headers that are
 * programs"): every place with such a file counts as well, and so do places
 * without one.
 * False also for names that some driver makes a path of that leads elsewhere
 * ("/a.h",
 * "../a.h"), in directives or of headers, and for a NUL in a text. Finds out
 * whether the program moves. */
bool includes_follow_embedded(struct includes *out,
        struct include_files *places, const struct include_driver *driver,
        size_t header_count, const struct include_embedded *headers,
        size_t source_size, const char *source, const char *options);

/* The same as includes_follow(), and finds out whether the program moves. */
bool includes_follow_to_move(struct includes *out, struct include_files *places,
        const struct include_driver *driver, size_t count,
        const char *const *sources, const size_t *lengths, const char *options);

#endif /* DNNL_CACHE_INCLUDES_INCLUDES_H */
