/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_keys.h: who may write entries of a remote store.
 *
 * A server, and everybody who can write to it, can put any bytes under any
 * name. So an entry carries a proof, and one without a valid proof is a miss:
 *
 *   a keyed checksum   made and checked with one secret (store_mac.h), which
 *                      all hosts have: each of them can forge.
 *   a signature        made with a secret key (Ed25519), checked with its
 *                      public key: a host that has only the public key can
 *                      forge nothing, and puts nothing.
 *
 *   encryption         made with one secret (remote_cipher.h), which all hosts
 *                      have. It proves an entry, too; with one of the others
 *                      besides, both must be right.
 *
 * While keys are changed two are valid at once: entries of either are accepted,
 * and new ones are made with the new key.
 *
 * Key files: a secret is any 16 to 4096 bytes (dnnl_cache_store_key_file_make);
 * the keys of signatures are one line of text each,
 *
 *     dnnl_cache-public-key 1 <64 hexadecimal digits>
 *     dnnl_cache-secret-key 1 <64 hexadecimal digits, the seed>
 */
#ifndef DNNL_CACHE_STORES_REMOTE_REMOTE_KEYS_H
#define DNNL_CACHE_STORES_REMOTE_REMOTE_KEYS_H

#include "stores/remote/remote_cipher.h"
#include "stores/remote/thread/remote_url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The proof that an entry carries; numbers of the entry's format. */
enum remote_proof {
    remote_proof_none = 0,
    remote_proof_mac = 1,
    remote_proof_signature = 2
};

enum { remote_proof_max = 64 };

/* Paths; NULL: not given. */
struct remote_key_files {
    const char *key; /* a secret; or */
    const char *old_key;
    const char *public_key; /* who may sign, and */
    const char *old_public_key;
    const char *sign_key; /* if this host does: its public key is valid, too */
    const char *encryption_key; /* beside any of these, or alone */
    const char *old_encryption_key;
    bool insecure; /* no key, and that is accepted */
};

struct remote_keys; /* fixed after open; any thread may use it */

/* Reads the files. 0, or an errno value and in why what is wrong with which
 * file: EINVAL if the files do not make sense together, or if there is no key
 * and insecure is not set. */
int remote_keys_open(struct remote_keys **keys,
        const struct remote_key_files *files, char why[remote_why_size]);

/* Forgets the secrets. NULL is fine. */
void remote_keys_close(struct remote_keys *keys);

/* True if entries can be made: not if there are public keys alone. */
bool remote_keys_can_make(const struct remote_keys *keys);

/* True if public keys are given, and what this host signs is valid for none of
 * them: other hosts of the fleet would refuse its entries. */
bool remote_keys_sign_for_nobody(const struct remote_keys *keys);

/* The keys that entries are encrypted with: the first one, and that of
 * old_encryption_key. *count 0: they are not encrypted. */
const struct remote_cipher *remote_keys_ciphers(
        const struct remote_keys *keys, size_t *count);

/* How many names an ID may have, 1 or 2: that of what is put, and that of what
 * was put with the old encryption key. */
size_t remote_keys_names(const struct remote_keys *keys);

/* The proof that entries are made with. */
enum remote_proof remote_keys_proof(const struct remote_keys *keys);

/* Bytes of a proof; 0 for remote_proof_none and for what is no proof. */
size_t remote_proof_size(enum remote_proof proof);

/* What a proof is about. */
struct remote_proven {
    size_t id_size;
    const uint8_t *id;
    size_t blob_size;
    const uint8_t *blob;
    size_t head_size;
    const uint8_t *head;
};

/* Makes the proof of remote_keys_proof(); not without remote_keys_can_make().
 */
void remote_keys_make(const struct remote_keys *keys,
        uint8_t proof[remote_proof_max], const struct remote_proven *proven);

/* Is it a proof that these keys accept? Without such keys any is. */
bool remote_keys_accept(const struct remote_keys *keys, enum remote_proof kind,
        const uint8_t *proof, const struct remote_proven *proven);

#endif /* DNNL_CACHE_STORES_REMOTE_REMOTE_KEYS_H */
