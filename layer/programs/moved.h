/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of programs whose folders may be elsewhere (build.h: moves). In what
 * the program from source answered, the log and the options, an entry has marks
 * in place of the folders of the build that made it; a build that loads it puts
 * its own there.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_MOVED_H
#define DNNL_CACHE_LAYER_PROGRAMS_MOVED_H

#include "layer/programs/build.h"

/* Writes the facts of a build as a record. Of one that moves, without the names
 * of its folders; false, too, if they are anywhere else in it. */
bool moved_encode(const struct build *build, const struct facts *facts,
        struct bytes *record);

/* Whether facts that were decoded from an entry are of such a build. */
bool moved_suits(const struct build *build, const struct facts *facts);

/* Puts the build's folders into facts that suit, decoded from *record, which is
 * replaced. False: no memory; *facts is empty then. Of a build that does not
 * move, nothing is to be done. */
bool moved_read(
        const struct build *build, struct facts *facts, uint8_t **record);

/* Whether a folder of a build that moves is named in the binary of its blob: it
 * is no entry then. True, too, if that cannot be told. */
bool moved_is_named_in(
        const struct build *build, const uint8_t *blob, size_t size);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_MOVED_H */
