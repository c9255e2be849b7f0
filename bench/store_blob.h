/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache blobs of any size, as an engine's are: header, ID and a section of
 * bytes (docs/reference/format.md). No device is needed for them, and
 * dnnl_cache_blob_inspect() finds them intact.
 */
#ifndef BENCH_STORE_BLOB_H
#define BENCH_STORE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An ID of id_size bytes, of which the number is a part. */
void store_blob_id(uint8_t *id, size_t id_size, unsigned number);

/* Makes size bytes, which are more than id_size + 200, a blob of that ID: what
 * is behind the ID stays as it is. */
void store_blob_make(
        uint8_t *blob, size_t size, size_t id_size, unsigned number);

/* Is it the blob of that number? */
bool store_blob_has_number(const uint8_t *blob, unsigned number);

/* One pass over a blob as a reader's: is the checksum in its header right? */
bool store_blob_is_intact(const uint8_t *blob, size_t size);

#endif /* BENCH_STORE_BLOB_H */
