/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_mac.h: the proof of who made an entry: a keyed checksum (BLAKE2b-256
 * with a key) or a signature (Ed25519, store_sign.h).
 *
 * The trailer's checksum finds damage; anybody can make one. These can only be
 * made with the key, or the secret one of a pair, so that what somebody else
 * put into a store is not handed to a driver.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_MAC_H
#define DNNL_CACHE_STORES_FILES_STORE_MAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    store_mac_size = 32,      /* of a keyed checksum */
    store_mac_sign_size = 64, /* of a signature */
    store_mac_most = store_mac_sign_size
};

struct store_mac_key;

/* Reads a key file: a secret, a regular file of 16 to 4096 bytes that belongs
 * to this user and that nobody else may read or write; among them the secret
 * key of a pair; or the public key of a pair, which this user or root alone may
 * write to. 0, or an errno value and *why in words (static). */
int store_mac_key_read(
        struct store_mac_key **key, const char *path, const char **why);

/* Bytes of a proof; NULL: none. */
size_t store_mac_key_size(const struct store_mac_key *key);

/* False for a public key. */
bool store_mac_key_can_make(const struct store_mac_key *key);

/* Is it of a pair? */
bool store_mac_key_signs(const struct store_mac_key *key);

/* Forgets the secret. NULL is fine. */
void store_mac_key_destroy(struct store_mac_key *key);

/* The proof of an entry, of store_mac_key_size() bytes: of all three, each with
 * its size. Not without store_mac_key_can_make(). */
void store_mac_make(uint8_t mac[store_mac_most],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head);

/* True if it is that proof, of so many bytes; for a keyed checksum it takes as
 * long for any other. */
bool store_mac_matches(const uint8_t *mac, const struct store_mac_key *key,
        size_t id_size, const void *id, size_t blob_size, const void *blob,
        size_t head_size, const void *head);

#endif /* DNNL_CACHE_STORES_FILES_STORE_MAC_H */
