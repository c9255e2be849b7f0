/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.h: what was built and launched, and is not complete in the store yet.
 *
 *     dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
 *     note.kind = dnnl_cache_note_build;
 *     ...
 *     dnnl_cache_store_journal_append(store, &note);
 *
 *     dnnl_cache_store_journal_read(store, visit, user);    what waits
 *     dnnl_cache_store_journal_drop(store, count, keys);    is complete now
 *
 * A store has a journal beside its entries: the file "journal" in the directory
 * of a bucket, flat or tree store, "<file>.journal" beside a pack. A chain uses
 * the journal of its first member with the role write that is a store. The
 * journal belongs to the store's user alone (with sharing group, to the group),
 * and is not counted in the store's size. It has at most 64 MiB.
 * docs/reference/format.md describes the format.
 *
 * Appending is safe for any number of threads and processes, also if one of
 * them is killed while it writes: what it wrote last is ignored, and the next
 * writer removes it. A note that is in the journal already is not written
 * again. Applications may lose notes: a program that is not noted is compiled
 * once more.
 *
 * A journal is read with distrust: a link, a directory, a file of another user
 * or with a second name are never followed, executed or written over. A file
 * that does not begin like a journal has no notes: a reader warns, and the next
 * writer begins it anew.
 * What a note says is not checked here. Nobody may compile, run or store
 * anything because of a note without checking the note against its ID.
 */
#ifndef DNNL_CACHE_STORE_JOURNAL_H
#define DNNL_CACHE_STORE_JOURNAL_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Writes a note, unless it is in the journal already. This is the callback note
 * of a store that can be written (dnnl_cache_store_t). Texts that several notes
 * share are written once. Waits at most 100 ms for other writers. A launch
 * needs a build of the same ID: note the build first, each time, because
 * another process may have dropped it. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, a note that lacks what its kind needs);
 * dnnl_out_of_memory; dnnl_runtime_error: not noted (the store is off or
 * read-only, the journal is full, others were writing for too long, the disk is
 * full). */
dnnl_status_t dnnl_cache_store_journal_append(
        dnnl_cache_store_handle_t *store, const dnnl_cache_note_t *note);

/* What the journal has of one note. Pointers are valid during the call that it
 * is passed to; those to text end with NUL. */
struct dnnl_cache_store_journal_item {
    size_t struct_size;            /* sizeof the struct */
    const dnnl_cache_note_t *note; /* as it was written; never NULL */
    uint64_t key;                  /* for dnnl_cache_store_journal_drop() */
    const char *application; /* name of the process that wrote it; never NULL */
    const char *tag;         /* of a record; "": none; never NULL */
    uint64_t written_ns;     /* since the epoch */
    uint64_t
            used_ns; /* of a build in a record: the last use; else written_ns */
    unsigned failures; /* of a build: dnnl_cache_store_journal_add_failure() */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_JOURNAL_ITEM_INIT                                    \
    {                                                                         \
        sizeof(struct dnnl_cache_store_journal_item), NULL, 0, NULL, NULL, 0, \
                0, 0                                                          \
    }

/* False ends what calls it. */
typedef bool (*dnnl_cache_store_journal_visit_t)(
        void *user, const struct dnnl_cache_store_journal_item *item);

/* Calls visit for each note once, oldest first. Notes whose texts are missing
 * are skipped, and so is everything behind damaged bytes. No lock is held:
 * visit may use the store and the journal. Statuses: dnnl_success, also if
 * there is no journal; dnnl_invalid_arguments (NULL); dnnl_out_of_memory;
 * dnnl_runtime_error (it cannot be read, or is not a journal of this user). */
dnnl_status_t dnnl_cache_store_journal_read(dnnl_cache_store_handle_t *store,
        dnnl_cache_store_journal_visit_t visit, void *user);

/* The same as a list, for callers that need several notes at once. Pointers are
 * valid until it is freed. */
struct dnnl_cache_store_journal_list {
    size_t struct_size; /* sizeof the struct */
    size_t count;       /* notes */
    /* count pointers, oldest note first: an item may be longer than the caller
     * knows, so the items themselves are not an array. */
    const struct dnnl_cache_store_journal_item *const *items;
};
/* Reads the journal into a list, which the caller frees with
 * dnnl_cache_store_journal_free(). Statuses: as
 * dnnl_cache_store_journal_read(). */
dnnl_status_t dnnl_cache_store_journal_load(
        struct dnnl_cache_store_journal_list **list,
        dnnl_cache_store_handle_t *store);
/* NULL is fine. */
void dnnl_cache_store_journal_free(struct dnnl_cache_store_journal_list *list);

/* The key of a note: equal for equal builds (by their IDs and, where these tell
 * the folders of the options by numbers, their options), equal launches (ID,
 * kernel, dimensions, local size, offset, small grid), equal kernels (ID,
 * name), and equal lists of files. 0: the note lacks what its kind needs. */
uint64_t dnnl_cache_store_journal_key(const dnnl_cache_note_t *note);

/* Removes the notes with these keys, and texts that no other note needs. Notes
 * that are written meanwhile stay. Who has put the entry of a build drops the
 * build alone: the launches stay, because the next time that something is
 * missing in the entry, it is made anew with all of them. Waits for other
 * writers as long as the store does. Statuses: dnnl_success, also if there are
 * none; dnnl_invalid_arguments (NULL); dnnl_out_of_memory; dnnl_runtime_error
 * (read-only, lock, disk). */
dnnl_status_t dnnl_cache_store_journal_drop(
        dnnl_cache_store_handle_t *store, size_t count, const uint64_t *keys);

/* Counts one failed attempt to make the entry of a build; key is the build's.
 * Statuses: as dnnl_cache_store_journal_append(). */
dnnl_status_t dnnl_cache_store_journal_add_failure(
        dnnl_cache_store_handle_t *store, uint64_t key);

/* Makes this handle the only one that drains the journal, among all processes:
 * who makes entries from notes holds this meanwhile, so that none is made
 * twice. Waits for others at most timeout_ms. The kernel ends it when the
 * process dies. Notes can be written all the time. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_out_of_memory; dnnl_runtime_error
 * (read-only, not free in time, disk, this handle has it already). */
dnnl_status_t dnnl_cache_store_journal_begin_drain(
        dnnl_cache_store_handle_t *store, unsigned timeout_ms);
void dnnl_cache_store_journal_end_drain(dnnl_cache_store_handle_t *store);

/* What the journal has, and what this process did with it since the store was
 * opened. */
struct dnnl_cache_store_journal_statistics {
    size_t struct_size; /* sizeof the struct */
    uint64_t builds;    /* in the journal now */
    uint64_t launches;  /* in the journal now */
    uint64_t kernels;   /* in the journal now */
    uint64_t bytes;     /* of the file now */
    uint64_t appended;  /* notes written by this process */
    uint64_t known;     /* that were in the journal already */
    uint64_t full;      /* not written: the journal is full */
    uint64_t busy;      /* not written: others were writing for too long */
    uint64_t failed;    /* not written, for other reasons */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT                              \
    {                                                                         \
        sizeof(struct dnnl_cache_store_journal_statistics), 0, 0, 0, 0, 0, 0, \
                0, 0, 0                                                       \
    }

/* From now on this handle writes no note beyond so many bytes of the file, as
 * at 64 MiB, which is the most. A record (recording.h) is limited in the same
 * way. While notes are dropped there is a second file, which is not larger.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t dnnl_cache_store_journal_set_limit(
        dnnl_cache_store_handle_t *store, uint64_t bytes);

/* Reads the journal. Statuses: as dnnl_cache_store_journal_read();
 * dnnl_invalid_arguments also for a bad struct_size. */
dnnl_status_t dnnl_cache_store_journal_get_statistics(
        dnnl_cache_store_handle_t *store,
        struct dnnl_cache_store_journal_statistics *statistics);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_JOURNAL_H */
