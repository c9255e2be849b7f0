/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entries a folder of many has: most are small, so that 100 000 fit into
 * memory, and a few, at even distances, are as large as a kernel's blob.
 */
#ifndef BENCH_SCALE_BLOB_H
#define BENCH_SCALE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    scale_large_size = 90000,
    scale_small_size = 2000,
    scale_id_size = 600,
    scale_large_count = 200,
    scale_entries_least = 2 * scale_large_count,
    scale_entries_most = 1000000
};

/* Number of the large entry `which` (from 0) of so many entries. */
unsigned scale_large_number(unsigned which, unsigned entries);
bool scale_is_large(unsigned number, unsigned entries);

/* The blob of an entry: size bytes of one buffer, the number in front. */
const uint8_t *scale_blob(unsigned number);
bool scale_blob_is(const uint8_t *blob, unsigned number);

const uint8_t *scale_id(uint8_t id[scale_id_size], unsigned number);

/* 0, 1, ... so far apart that one says nothing of the next. */
unsigned scale_next_large(unsigned which);

#endif /* BENCH_SCALE_BLOB_H */
