/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal_note.h: what the records of a journal mean (journal_format.h has
 * their bytes).
 */
#ifndef DNNL_CACHE_STORES_JOURNAL_JOURNAL_NOTE_H
#define DNNL_CACHE_STORES_JOURNAL_JOURNAL_NOTE_H

#include "dnnl_cache/journal.h"
#include "stores/core/journal_keys.h"
#include "stores/journal/journal_format.h"

/* Is it the record of a note? */
bool journal_is_note(const struct journal_record *record);

/* Does the note have what its kind needs, and nothing else? */
bool journal_note_is_valid(const dnnl_cache_note_t *note);

/* ---- Writing ------------------------------------------------------------- */

/* Who writes a note. */
struct journal_writer {
    const char *application;
    const char *tag; /* "": none */
};

/* Puts the build or the launch, not its texts. */
void journal_put_note(struct journal_bytes *bytes,
        const dnnl_cache_note_t *note, const struct journal_writer *writer);

/* ---- Uses ---------------------------------------------------------------- */

/* Uses of one build in one period share a key. */
uint64_t journal_use_key(uint64_t build_key, uint64_t period);
void journal_put_use(struct journal_bytes *bytes, uint64_t key,
        uint64_t build_key, uint64_t time_ns);
/* The key of the build that was used; 0: it is not well-formed. */
uint64_t journal_used_build(const struct journal_record *use);

/* ---- Reading: journal_note_read.c -----------------------------------------
 */

/* A note that was read; its lists are its own, all else points into the
 * bytes. */
struct journal_note {
    dnnl_cache_note_t note;
    const char *application;
    const char *tag;
    void *lists; /* owned */
};

/* Reads a build, a launch or a kernel. texts: where in data the payload of each
 * text is. 0; EBADMSG: not well-formed, or a text is missing; ENOMEM. After 0
 * journal_note_fini() follows. */
int journal_read_note(struct journal_note *out,
        const struct journal_record *record, const struct journal_keys *texts,
        const uint8_t *data);
void journal_note_fini(struct journal_note *note);

/* Calls visit with the key of each text that a build names. */
void journal_for_each_text(const struct journal_record *build,
        void (*visit)(void *user, uint64_t key), void *user);

#endif /* DNNL_CACHE_STORES_JOURNAL_JOURNAL_NOTE_H */
