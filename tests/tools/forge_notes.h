/* SPDX-License-Identifier: Apache-2.0 */
/* forge_notes.h: notes that no application would write. */
#ifndef DNNL_CACHE_TESTS_FORGE_NOTES_H
#define DNNL_CACHE_TESTS_FORGE_NOTES_H

/* Notes a build of a source with options, under an ID that has other options,
 * and "NAME=value" as an environment variable (NULL: none). */
void forge_note(const char *store, const char *source, const char *options,
        const char *options_in_id, const char *variable);

/* Notes the same as one of the layer's, an object with that header, which is a
 * program. */
void forge_object(const char *store, const char *source, const char *name,
        const char *header);

/* Removes the journal. */
void forge_clear(const char *store);

#endif /* DNNL_CACHE_TESTS_FORGE_NOTES_H */
