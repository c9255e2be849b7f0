/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_objection.h: which notes may be compiled.
 *
 * Neither a journal nor a record is trusted: nothing of them is compiled unless
 * it reads no file that its note does not bring, its options are known, and its
 * environment is harmless.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_OBJECTION_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_OBJECTION_H

#include "tools/dnnl_cache/jobs/replay_headers.h"

#include <dnnl_cache/journal.h>

struct refresh_policy {
    bool reads_files; /* programs that read files may be compiled, too */
    bool is_record;   /* the notes are a record's, with IDs of this machine */
};

/* Why a build must not be made; NULL: it may. */
const char *refresh_find_objection(
        const dnnl_cache_note_t *note, const struct refresh_policy *policy);

/* The same of a build whose ID is a record's. */
const char *refresh_find_text_objection(
        const dnnl_cache_note_t *note, const struct refresh_policy *policy);

/* What a message says behind that reason: the file, if it is one that is not
 * there, as replay_headers_print_missing() does. */
void refresh_objection_print_file(char text[replay_missing_size],
        const dnnl_cache_note_t *note, const char *why);

/* A whole journal has no more text. */
enum { refresh_most_text = 64 << 20 };

/* Adds the sizes of all texts, each as often as it is named; refresh_most_text
 * if it is too much. */
void refresh_add_text_sizes(size_t *sum, const dnnl_cache_note_t *note);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_OBJECTION_H */
