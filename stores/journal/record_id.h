/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_id.h: how a record names programs.
 *
 *      0  "dnnlprog"
 *      8  XXH3-128 of what the program is made of
 *     24  the application's keys, each: size (32 bits), bytes
 */
#ifndef DNNL_CACHE_STORES_JOURNAL_RECORD_ID_H
#define DNNL_CACHE_STORES_JOURNAL_RECORD_ID_H

#include "stores/journal/journal_note.h"

/* Puts the ID of a build as a record has it: without files, with the IDs of a
 * record for what is linked. keys_of: an ID of this machine, whose keys are
 * taken over, but for those of the layer. bytes->failed: out of memory. */
void record_id_put(struct journal_bytes *bytes, const dnnl_cache_note_t *note,
        size_t keys_of_size, const uint8_t *keys_of);

#endif /* DNNL_CACHE_STORES_JOURNAL_RECORD_ID_H */
