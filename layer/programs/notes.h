/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes.h: what the application built and launched, for the journal of the
 * store (include/dnnl_cache/journal.h), from which the binary can be made
 * later.
 *
 * Without a store that can be written nothing is noted, and a failure is not
 * the application's.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_NOTES_H
#define DNNL_CACHE_LAYER_PROGRAMS_NOTES_H

#include "layer/programs/link_inputs.h"
#include "src/drivers/launch_class.h"

/* True if binaries of this build are to be made later, from notes: the driver
 * compiles to return them. */
bool notes_are_wanted(const struct build *build);

/* Notes a build that has IDs, of each device, and sets its is_noted. inputs: of
 * a link, which are noted, too; NULL: they are not known any more. */
void notes_add_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs);

/* Takes a note of that build. */
typedef bool (*notes_take)(
        const dnnl_cache_note_t *note, const struct build *build);

/* Gives the same notes to take, until the end: true if it took all. */
bool notes_give_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs, notes_take take);

/* Notes a launch of a kernel of a build that was noted. */
void notes_add_launch(const struct built_device *d, const char *kernel,
        uint32_t dimensions, const struct launch_class *class);

/* Notes the launches that are in an entry: what is made in its place has them,
 * too. */
void notes_add_facts(const struct built_device *d, const struct facts *facts);

/* ---- What is done (notes_done.c) ----------------------------------------- */

/* The store has an entry with this record (facts.h). If it has all that was
 * noted, notes_end() drops the notes. are_needed: dnnl-cache refresh is to make
 * machine code alone of it (docs/how_it_works/finalisers.md), or may have to
 * link it, and they stay, unless the journal would be full soon. */
void notes_are_done(const struct built_device *d, const uint8_t *record,
        size_t size, bool are_needed);

/* At exit, before the store is closed. */
void notes_end(void);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_NOTES_H */
