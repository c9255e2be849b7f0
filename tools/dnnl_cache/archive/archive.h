/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h: entries of a store in one file, for carrying them elsewhere.
 *
 * The same entries give the same bytes: entries ascend by their IDs, and there
 * is nothing of time or place in them. docs/reference/archive.md has the byte
 * table. Neither side needs more memory than the largest entry.
 */
#ifndef DNNL_CACHE_TOOLS_ARCHIVE_ARCHIVE_H
#define DNNL_CACHE_TOOLS_ARCHIVE_ARCHIVE_H

#include "dnnl_cache/objects.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    archive_version = 1,
    archive_header_size = 16,
    archive_entry_size = 48,
    archive_reason_size = 160
};

struct archive_entry {
    dnnl_cache_blob_kind_t kind;
    uint64_t compile_ns;
    size_t id_size;
    const uint8_t *id;
    size_t blob_size;
    const uint8_t *blob;
};

/* ---- Writing ------------------------------------------------------------- */

struct archive_writer;

/* Starts an archive. What is written becomes visible under path once it is
 * finished; unless path is something else than a plain file, which is written
 * to at once. 0 or an errno value. */
int archive_writer_open(struct archive_writer **writer, const char *path);
/* The same to a stream, which stays the caller's. */
int archive_writer_open_stream(struct archive_writer **writer, FILE *stream);

/* Adds an entry; its ID is above that of the one before. 0 or an errno value.
 */
int archive_writer_add(
        struct archive_writer *writer, const struct archive_entry *entry);

/* Completes the archive and puts it in its place. 0 or an errno value. */
int archive_writer_finish(struct archive_writer *writer);

/* Frees the writer; an archive that was not finished vanishes. NULL is fine. */
void archive_writer_close(struct archive_writer *writer);

/* Bytes written so far. */
uint64_t archive_writer_bytes(const struct archive_writer *writer);

/* ---- Reading ------------------------------------------------------------- */

/* True if these are the first bytes of an archive. */
bool archive_begins(const uint8_t *bytes, size_t size);

struct archive_reader;

enum archive_status {
    archive_ok,
    archive_end,     /* there are no more entries, and all was intact */
    archive_damaged, /* or no archive at all */
    archive_newer,   /* of a newer format */
    archive_failed   /* errno says why */
};

/* Opens a plain file. 0 or an errno value. */
int archive_reader_open(struct archive_reader **reader, const char *path);
/* A copy of what a stream gives until its end, which stays the caller's. */
int archive_reader_open_stream(struct archive_reader **reader, FILE *stream);
void archive_reader_close(struct archive_reader *reader); /* NULL is fine */

/* The file's size, and how much of it has been read. */
uint64_t archive_reader_size(const struct archive_reader *reader);
uint64_t archive_reader_at(const struct archive_reader *reader);

/* Starts again at the first entry. 0 or an errno value. */
int archive_reader_rewind(struct archive_reader *reader);

/* Reads the next entry, whose own checksum is right; pointers are valid until
 * the next call. That the whole archive is intact is known when it says
 * archive_end. */
enum archive_status archive_reader_next(
        struct archive_reader *reader, struct archive_entry *entry);

/* What is wrong, and where, after archive_damaged or archive_newer. */
const char *archive_reader_reason(const struct archive_reader *reader);

#endif /* DNNL_CACHE_TOOLS_ARCHIVE_ARCHIVE_H */
