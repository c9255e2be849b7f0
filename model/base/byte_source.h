/* SPDX-License-Identifier: Apache-2.0 */
/*
 * byte_source.h: a model's bytes, in a file or in memory, read in parts when
 * they are needed.
 *
 * Files are read and not mapped. Access to a mapped page ends the process with
 * SIGBUS if the file has become shorter, and a file that is written to would
 * change a model that runs; a read that fails is an error with a text. Mapping
 * would save nothing: the numbers in a model's file have no alignment, so they
 * have to be copied to where a device reads them.
 *
 * Any thread may retain, release and read.
 */
#ifndef DNNL_CACHE_MODEL_BASE_BYTE_SOURCE_H
#define DNNL_CACHE_MODEL_BASE_BYTE_SOURCE_H

#include "model/base/failure.h"

#include <stddef.h>
#include <stdint.h>

struct byte_source;

/* Each returns a source to be released, or NULL. A path must lead to a regular
 * file, which is not waited for. byte_source_take() closes the descriptor, also
 * if it fails. Borrowed bytes stay the caller's. */
struct byte_source *byte_source_open(const char *path, struct failure *failure);
struct byte_source *byte_source_take(
        int fd, const char *path, struct failure *failure);
struct byte_source *byte_source_borrow(
        const uint8_t *bytes, size_t size, struct failure *failure);

struct byte_source *byte_source_retain(struct byte_source *source);
void byte_source_release(struct byte_source *source); /* NULL is fine */

/* When it was opened. */
uint64_t byte_source_size(const struct byte_source *source);

/* All the bytes if they are in memory, else NULL. */
const uint8_t *byte_source_memory(const struct byte_source *source);

/* Reads exactly so many bytes; fails if the file has become too short. */
bool byte_source_read(const struct byte_source *source, uint64_t offset,
        size_t size, void *to, struct failure *failure);

/* Fails if the file has been written to since it was opened. */
bool byte_source_check(
        const struct byte_source *source, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_BASE_BYTE_SOURCE_H */
