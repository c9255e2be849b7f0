/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_trailer.h: what follows the blob in an entry's file.
 *
 *      0  8  magic "dnnlcent"
 *      8  4  version, 1
 *     12  4  blob kind
 *     16  8  key size, bytes
 *     24  8  blob size, bytes
 *     32  8  creation time, ns since the epoch
 *     40  8  compile time, ns; 0: not known
 *     48 16  XXH3-128 of key, blob and the 48 bytes above
 *
 * Numbers are little-endian, the checksum is in XXH3's canonical byte order.
 * It covers the key too: a blob under another key's name is damage.
 */
#ifndef DNNL_CACHE_EXAMPLES_STORE_TRAILER_H
#define DNNL_CACHE_EXAMPLES_STORE_TRAILER_H

#include "store.h"

enum { store_trailer_size = 64 };

struct store_trailer {
    uint64_t key_size;
    uint64_t blob_size;
    uint64_t created_ns;
    uint64_t compile_ns;
    dnnl_cache_blob_kind_t kind;
};

void store_trailer_encode(uint8_t bytes[store_trailer_size],
        const struct store_trailer *trailer, const void *key, const void *blob);

/* Reads a trailer, the last bytes of a file of file_size bytes. Looks at
 * neither key nor blob. 0 or EBADMSG. */
int store_trailer_decode(struct store_trailer *trailer,
        const uint8_t bytes[store_trailer_size], uint64_t file_size);

/* True if key and blob are those the trailer was made for. */
bool store_trailer_matches(const uint8_t bytes[store_trailer_size],
        size_t key_size, const void *key, size_t blob_size, const void *blob);

#endif /* DNNL_CACHE_EXAMPLES_STORE_TRAILER_H */
