/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_mac.h: keyed checksums of entries (BLAKE2b-256 with a key).
 *
 * The trailer's checksum finds damage; anybody can make one. This one can only
 * be made with the key, so that what somebody else put into a store is not
 * handed to a driver.
 */
#ifndef DNNL_CACHE_STORES_STORE_MAC_H
#define DNNL_CACHE_STORES_STORE_MAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { store_mac_size = 32 };

struct store_mac_key;

/* Reads a key file: a regular file of 16 to 4096 bytes that belongs to this
 * user and that nobody else may read or write. 0, or an errno value and *why in
 * words (static). */
int store_mac_key_read(
        struct store_mac_key **key, const char *path, const char **why);

/* Forgets the secret. NULL is fine. */
void store_mac_key_destroy(struct store_mac_key *key);

/* The checksum of an entry: of all three, each with its size. */
void store_mac_make(uint8_t mac[store_mac_size],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head);

/* True if it is that checksum; takes as long for any other. */
bool store_mac_matches(const uint8_t mac[store_mac_size],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head);

#endif /* DNNL_CACHE_STORES_STORE_MAC_H */
