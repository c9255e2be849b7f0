/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_trailer.h: what follows the blob in an entry's file: 32 bytes of a
 * keyed checksum or 64 of a signature (store_mac.h) if the store has a key,
 * then this trailer.
 *
 *      0  8  magic "dnnlcent"
 *      8  4  version, 1: with neither, 2: a keyed checksum, 3: a signature,
 *            4: with neither, of a cache blob
 *     12  4  blob kind
 *     16  8  key size, bytes
 *     24  8  blob size, bytes
 *     32  8  creation time, ns since the epoch
 *     40  8  compile time, ns; 0: not known
 *     48 16  XXH3-128 of key, blob and the 48 bytes above; version 4: of the
 *            blob only the 48 bytes of its header
 *
 * Numbers are little-endian, the checksum is in XXH3's canonical byte order.
 * It covers the key too: a blob under another key's name is damage.
 *
 * The header of a cache blob (docs/reference/format.md) has the blob's size and
 * a checksum of all its bytes, which whoever loads the blob verifies before
 * anything else. So a get of version 4 reads no more of the blob than its
 * header: all bytes are gone through once on their way to the driver, not
 * twice. Every put verifies the blob's own checksum first, and bytes without a
 * correct one get version 1.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_TRAILER_H
#define DNNL_CACHE_STORES_CORE_STORE_TRAILER_H

#include "src/platform/file.h"
#include "stores/core/store_internal.h"

/* Longer IDs are taken for damage, and their blobs are not kept. */
#define STORE_MAX_ID_BYTES ((uint64_t)64 * 1024 * 1024)

enum {
    store_trailer_size = 64,
    store_tail_max = store_mac_most + store_trailer_size
};

struct store_trailer {
    uint64_t key_size;
    uint64_t blob_size;
    uint64_t created_ns;
    uint64_t compile_ns;
    dnnl_cache_blob_kind_t kind;
};

/* All that follows a blob. */
struct store_tail {
    uint8_t bytes[store_tail_max];
    size_t size;
};

/* Makes the tail of a blob; with mac_key not NULL signed by it. */
void store_tail_make(struct store_tail *tail,
        const struct store_trailer *trailer, const void *key, const void *blob,
        const struct store_mac_key *mac_key);

/* Reads a trailer, the last bytes of a file of file_size bytes. Looks at
 * neither key nor blob. 0 or EBADMSG. */
int store_trailer_decode(struct store_trailer *trailer,
        const uint8_t bytes[store_trailer_size], uint64_t file_size);

/* How much of a cache blob a reader checks (version 4). */
enum store_depth {
    store_depth_header, /* who gets the blob verifies its checksum */
    store_depth_whole   /* nobody may */
};

/* For a get of this store: whole if what is found hides what another store has,
 * or goes to one. */
enum store_depth store_get_depth(const dnnl_cache_store_handle_t *store);

/* Do blob, key and trailer belong together and, with mac_key not NULL, are
 * they signed by it? bytes: of the trailer read, behind what else the tail
 * has. For files that have something between blob and tail. 0 or EBADMSG. */
int store_trailer_match(const struct store_trailer *trailer,
        const uint8_t *bytes, const void *key, const void *blob,
        const struct store_mac_key *mac_key, enum store_depth depth);

/* Reads the last bytes of a file, which are a trailer if it is an entry's, and
 * leaves the file open at *fd. EBADMSG: it has nothing in front of them. */
int store_trailer_open(uint8_t bytes[store_trailer_size],
        struct file_facts *facts, int *fd, int dirfd, const char *path);

/* The trailer of a file that has a blob and the tail, no more. */
int store_trailer_read(struct store_trailer *trailer, struct file_facts *facts,
        int dirfd, const char *path);

/* store_read_file() for a file that ends in a trailer, which a large one is
 * asked for before memory is. */
int store_tail_read_file(uint8_t **data, size_t *size, int dirfd,
        const char *path, uint64_t max);

/* The blob in a whole entry file: *size bytes from its beginning, once they,
 * the ID and the trailer are found to belong together and, with mac_key not
 * NULL, to be signed by it. 0 or EBADMSG. */
int store_tail_check(size_t *size, const uint8_t *file, size_t file_size,
        size_t id_size, const void *id, const struct store_mac_key *mac_key,
        enum store_depth depth);

/* Reads a file of a blob and its tail and checks that they and the ID belong
 * together and, if the store has a key, are signed by it. The caller frees
 * *blob, which has room for the tail too. EBADMSG: they do not. */
int store_tail_read_blob(uint8_t **blob, size_t *size,
        const dnnl_cache_store_handle_t *store, int dirfd, const char *path,
        size_t id_size, const uint8_t *id, enum store_depth depth);

/* Reads an ID that has a file of its own; the caller frees *id. */
int store_tail_read_id(
        uint8_t **id, size_t *id_size, int dirfd, const char *path);

#endif /* DNNL_CACHE_STORES_CORE_STORE_TRAILER_H */
