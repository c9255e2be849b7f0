/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_entry.h: an entry of a remote store: its name and its bytes.
 *
 * The name is the BLAKE2b-256 of the ID in 64 hexadecimal digits, behind the
 * prefix of the store's URL. The bytes:
 *
 *      0  8  magic "dnnlcrem"
 *      8  4  version, 1
 *     12  4  proof: 0 none, 1 keyed checksum, 2 signature
 *     16  4  blob kind
 *     20  4  0
 *     24  8  ID size, bytes
 *     32  8  blob size, bytes
 *     40  8  creation time, ns since the epoch
 *     48  8  compile time, ns; 0: not known
 *     56 16  XXH3-128 of ID, blob and the 56 bytes above
 *     72     ID, blob, proof (none: 0 bytes, keyed checksum: 32, signature: 64)
 *
 * Numbers are little-endian, the checksum is in XXH3's canonical byte order.
 * The checksum finds damage; the proof covers the 72 bytes of the head, the ID
 * and the blob, each with its size (remote_keys.h).
 */
#ifndef DNNL_CACHE_STORES_REMOTE_REMOTE_ENTRY_H
#define DNNL_CACHE_STORES_REMOTE_REMOTE_ENTRY_H

#include "dnnl_cache/store.h"
#include "stores/remote/remote_keys.h"

enum {
    remote_name_size = 64 + 1, /* with the NUL */
    remote_entry_head_size = 72,
    remote_entry_overhead = remote_entry_head_size + remote_proof_max
};

/* An entry's parts; pointers are into its bytes, or the caller's. used_ns is
 * the creation's. */
struct remote_entry {
    struct dnnl_cache_store_entry item;
    const uint8_t *blob; /* item.blob_size bytes */
};

/* What is wrong with an entry. */
enum remote_verdict {
    remote_intact = 0,
    remote_damaged,    /* not an entry, cut short, bytes changed */
    remote_newer,      /* of a version that is not known */
    remote_another_id, /* intact, and of another ID */
    remote_unproven    /* intact, and not by the owner of a key */
};

/* In words, for messages. */
const char *remote_verdict_text(enum remote_verdict verdict);

/* The name of an ID's object, without the prefix. */
void remote_entry_name(
        char name[remote_name_size], size_t id_size, const uint8_t *id);

/* Makes the bytes of an entry; the caller frees *bytes. 0, ENOMEM, EOVERFLOW
 * (sizes that do not fit), or EPERM (keys that cannot make entries). */
int remote_entry_encode(uint8_t **bytes, size_t *size,
        const struct remote_entry *entry, const struct remote_keys *keys);

/* Reads and checks every byte; only if all is well *entry is written, with
 * pointers into bytes. The entry may have any ID. */
enum remote_verdict remote_entry_decode(struct remote_entry *entry, size_t size,
        const uint8_t *bytes, const struct remote_keys *keys);

/* The same for an entry that must have this ID, compared as a whole. */
enum remote_verdict remote_entry_decode_as(struct remote_entry *entry,
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *bytes,
        const struct remote_keys *keys);

/* Whether it may become an entry of at most so many bytes: of what has come so
 * far, size bytes. */
bool remote_entry_is_begun(
        size_t size, const uint8_t *bytes, uint64_t max_bytes);

/* Whether it is the beginning of one with a longer blob. */
bool remote_entry_is_longer(
        size_t size, const uint8_t *bytes, uint64_t max_bytes);

/* Kind and compile time of an entry that was decoded; of its bytes only the
 * first 56 are read. */
void remote_entry_describe(
        dnnl_cache_store_metadata_t *metadata, const uint8_t *bytes);

#endif /* DNNL_CACHE_STORES_REMOTE_REMOTE_ENTRY_H */
