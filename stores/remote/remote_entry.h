/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_entry.h: an entry of a remote store: its name and its bytes.
 *
 * The name is the BLAKE2b-256 of the ID in 64 hexadecimal digits, behind the
 * prefix of the store's URL. With an encryption key the name is another one,
 * and the bytes are encrypted (remote_cipher.h). The bytes:
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
    remote_unproven,   /* intact, and not by the owner of a key */
    /* With a valid head; whether the rest is intact is not known. */
    remote_of_another_key, /* encrypted, and not with a key of this store */
    remote_encrypted,      /* and this store has no encryption key */
    remote_not_encrypted   /* and this store has an encryption key */
};

/* In words, for messages. */
const char *remote_verdict_text(enum remote_verdict verdict);

/* How much longer than ID and blob a server's object may be. */
size_t remote_entry_most_overhead(const struct remote_keys *keys);

/* One for which a key of this store is missing, or its encryption: there may be
 * as many as a server has, and the setting is to be corrected, not the entry.
 */
bool remote_verdict_is_of_setting(enum remote_verdict verdict);

/* The name of an ID's object, without the prefix and without encryption. */
void remote_entry_name(
        char name[remote_name_size], size_t id_size, const uint8_t *id);
/* Number `which` of the remote_keys_names(): 0 is that of what is put. */
void remote_entry_name_with(char name[remote_name_size],
        const struct remote_keys *keys, size_t which, size_t id_size,
        const uint8_t *id);

/* Makes the bytes of an entry, encrypted if there is a key for that; the caller
 * frees *bytes. 0, ENOMEM, EOVERFLOW (sizes that do not fit), or EPERM (keys
 * that cannot make entries). */
int remote_entry_encode(uint8_t **bytes, size_t *size,
        const struct remote_entry *entry, const struct remote_keys *keys);

/* What a server gave under a name: where the entry in it begins, and how long
 * it is; decrypted in place. remote_intact says nothing of the entry yet. */
enum remote_verdict remote_entry_uncover(size_t *at, size_t *entry_size,
        const char *name, size_t size, uint8_t *bytes,
        const struct remote_keys *keys);

/* Reads and checks every byte of what is not encrypted (any more); only if all
 * is well *entry is written, with pointers into bytes. The entry may have any
 * ID. */
enum remote_verdict remote_entry_decode(struct remote_entry *entry, size_t size,
        const uint8_t *bytes, const struct remote_keys *keys);

/* The same for an entry that must have this ID, compared as a whole. */
enum remote_verdict remote_entry_decode_as(struct remote_entry *entry,
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *bytes,
        const struct remote_keys *keys);

/* Whether it may become an entry of at most so many bytes, encrypted or not: of
 * what has come so far, size bytes. */
bool remote_entry_is_begun(
        size_t size, const uint8_t *bytes, uint64_t max_bytes);

/* Whether it is the beginning of one of more bytes. */
bool remote_entry_is_longer(
        size_t size, const uint8_t *bytes, uint64_t max_bytes);

/* Kind and compile time of an entry that was decoded, of the bytes that the
 * server gave: of the entry's only the first 56 are read. */
void remote_entry_describe(
        dnnl_cache_store_metadata_t *metadata, const uint8_t *bytes);

#endif /* DNNL_CACHE_STORES_REMOTE_REMOTE_ENTRY_H */
