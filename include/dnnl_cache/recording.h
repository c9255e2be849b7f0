/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h: what applications compile and launch, to be compiled elsewhere
 * before they start (docs/how_to/record_and_replay.md).
 *
 *     dnnl_cache_store_handle_t *record;
 *     dnnl_cache_recording_open(&record, &options);
 *     dnnl_cache_recording_add(record, &note);       what was used
 *     dnnl_cache_store_journal_load(&list, record);     what is in it
 *     dnnl_cache_store_journal_drop(record, ...);
 *     dnnl_cache_store_close(record);
 *
 * A record is a file of the format of a journal (journal.h), in a place of its
 * own, and a store without entries. Where a journal has the IDs of one machine,
 * a record names programs by what they are made of: it says nothing of a
 * device, a driver, an environment or a folder. It has at most 64 MiB, and 256
 * launches of each program in one process.
 *
 * Any number of threads and processes may add to one record, and be killed at
 * it. The same note is kept once. A file that is not a record is never written
 * to. Who reads a record must not trust it.
 */
#ifndef DNNL_CACHE_RECORDING_H
#define DNNL_CACHE_RECORDING_H

#include "dnnl_cache/journal.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Their values are the file and, if it is not empty, the tag of what this
 * process records. */
#define DNNL_CACHE_RECORD_VARIABLE "DNNL_CACHE_RECORD"
#define DNNL_CACHE_RECORD_TAG_VARIABLE "DNNL_CACHE_RECORD_TAG"

/* How a record is opened. Set struct_size with
 * DNNL_CACHE_RECORDING_OPTIONS_INIT. Strings are copied. */
struct dnnl_cache_recording_options {
    size_t struct_size; /* sizeof the struct */
    const char *path;   /* of the file */
    const char *tag;    /* of what is added; NULL: none */
    bool read_only;     /* and anybody's: else it must be this user's */
    dnnl_cache_log_callback_t log; /* NULL: silent */
    void *log_user;                /* passed to log */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_RECORDING_OPTIONS_INIT                                     \
    {                                                                         \
        sizeof(struct dnnl_cache_recording_options), NULL, NULL, false, NULL, \
                NULL                                                          \
    }

/* Opens a record, which is made when something is added. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, an empty path, bad struct_size);
 * dnnl_out_of_memory; dnnl_runtime_error (another file has the name; to be
 * read: there is none). */
dnnl_status_t dnnl_cache_recording_open(dnnl_cache_store_handle_t **record,
        const struct dnnl_cache_recording_options *options);

/* Adds a note as the library and the layer make them, with an ID of this
 * machine; of files that the compiler reads, the texts of those with a relative
 * path. What is linked, and the build of a launch or a kernel, has to be added
 * before, with this handle. Statuses: as dnnl_cache_store_journal_append(). */
dnnl_status_t dnnl_cache_recording_add(
        dnnl_cache_store_handle_t *record, const dnnl_cache_note_t *note);

/* Adds what was read from another record; key, written_ns and failures of the
 * item are ignored. Statuses: as above; dnnl_invalid_arguments also for a bad
 * struct_size and for NULL in note or application. */
dnnl_status_t dnnl_cache_recording_copy(dnnl_cache_store_handle_t *record,
        const struct dnnl_cache_store_journal_item *item);

/* The record of this process, if DNNL_CACHE_RECORD names one by an absolute
 * path; NULL: none, or it cannot be opened, which log is told once. Everybody
 * in the process shares it; it is never closed. */
dnnl_cache_store_handle_t *dnnl_cache_recording_of_process(
        dnnl_cache_log_callback_t log, void *log_user);

/* An application's own bytes in the ID of a program
 * (dnnl_cache_program_desc_add_key()), one after the other: *at is 0 at first.
 * NULL: no more. */
const uint8_t *dnnl_cache_recording_next_key(
        size_t *size, size_t *at, size_t id_size, const uint8_t *id);

/* True if a header of that name may be written to a folder: it is a relative
 * path that stays in it. */
bool dnnl_cache_recording_is_header_name(const char *name);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_RECORDING_H */
