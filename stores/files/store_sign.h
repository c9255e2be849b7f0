/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sign.h: signatures (Ed25519) and the files of their keys, one line of
 * text each:
 *
 *     dnnl_cache-public-key 1 <64 hexadecimal digits>
 *     dnnl_cache-secret-key 1 <64 hexadecimal digits, the seed>
 *
 * Whoever has the secret key makes signatures; with the public one they can
 * only be checked. dnnl_cache_store_key_pair_make() makes both files.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_SIGN_H
#define DNNL_CACHE_STORES_FILES_STORE_SIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    store_sign_public_size = 32,
    store_sign_secret_size = 64,
    store_sign_size = 64 /* of a signature */
};

struct store_sign_pair {
    unsigned char public[store_sign_public_size];
    unsigned char secret[store_sign_secret_size];
};

/* Reads a public key's file, which nobody but this user and root may write to
 * (store_secret.h). 0, or an errno value and *why (static): EINVAL if the file
 * has no public key. */
int store_sign_read_public(unsigned char key[store_sign_public_size],
        const char *path, const char **why);

/* The pair of a secret key's text, of so many bytes. False: it is none. */
bool store_sign_parse_secret(
        struct store_sign_pair *pair, const unsigned char *text, size_t size);

/* Whether a text says that it is a key of a pair, also one that was damaged on
 * its way (cut, with other ends of lines): then it may be public, and is no
 * secret for anything else. */
bool store_sign_is_key_text(const unsigned char *text, size_t size);

/* What is signed: a name of its own, so that a signature for something else is
 * none here, and a digest of three parts, each with its size. */
struct store_sign_part {
    size_t size;
    const void *data;
};

void store_sign_make(uint8_t signature[store_sign_size],
        const struct store_sign_pair *pair, const char *name,
        const struct store_sign_part parts[3]);
bool store_sign_matches(const uint8_t signature[store_sign_size],
        const unsigned char key[store_sign_public_size], const char *name,
        const struct store_sign_part parts[3]);

#endif /* DNNL_CACHE_STORES_FILES_STORE_SIGN_H */
