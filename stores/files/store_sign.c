/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_sign.h"

#include "dnnl_cache/store.h"
#include "src/common/byte_order.h"
#include "stores/files/store_key_line.h"
#include "stores/files/store_secret.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { seed_size = crypto_sign_SEEDBYTES };

_Static_assert((int)store_sign_public_size == (int)crypto_sign_PUBLICKEYBYTES
                       && (int)store_sign_secret_size
                                  == (int)crypto_sign_SECRETKEYBYTES
                       && (int)store_sign_size == (int)crypto_sign_BYTES
                       && (int)seed_size == (int)store_key_line_size,
        "the formats of key files and of entries");

/* ---- Files --------------------------------------------------------------- */

static const char public_title[] = "dnnl_cache-public-key 1 ";
static const char secret_title[] = "dnnl_cache-secret-key 1 ";

int store_sign_read_public(unsigned char key[store_sign_public_size],
        const char *path, const char **why)
{
    unsigned char text[store_secret_most];
    size_t size = 0;
    const int error = store_secret_read_public(text, &size, path, why);
    if (error != 0) return error;
    const bool is = store_key_line_read(key, public_title, text, size);
    sodium_memzero(text, sizeof text); /* it may have been a secret */
    if (is) return 0;
    *why = "not a public key of dnnl-cache key make-pair";
    return EINVAL;
}

bool store_sign_parse_secret(
        struct store_sign_pair *pair, const unsigned char *text, size_t size)
{
    unsigned char seed[seed_size];
    const bool is = store_key_line_read(seed, secret_title, text, size);
    if (is) (void)crypto_sign_seed_keypair(pair->public, pair->secret, seed);
    sodium_memzero(seed, sizeof seed);
    return is;
}

bool store_sign_is_key_text(const unsigned char *text, size_t size)
{
    return store_key_line_has(text, size, "dnnl_cache-public-key")
           || store_key_line_has(text, size, "dnnl_cache-secret-key");
}

dnnl_status_t dnnl_cache_store_key_pair_make(
        const char *secret_path, const char *public_path)
{
    unsigned char seed[seed_size];
    struct store_sign_pair pair;
    if (secret_path == NULL || public_path == NULL)
        return dnnl_invalid_arguments;
    if (sodium_init() < 0) return dnnl_runtime_error;
    randombytes_buf(seed, sizeof seed);
    (void)crypto_sign_seed_keypair(pair.public, pair.secret, seed);
    int error = store_key_line_write(secret_path, secret_title, seed, false);
    if (error == 0) {
        error = store_key_line_write(
                public_path, public_title, pair.public, true);
        if (error != 0) (void)remove(secret_path); /* ours, and of no use */
    }
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(&pair, sizeof pair);
    if (error == 0) return dnnl_success;
    errno = error;
    return dnnl_runtime_error;
}

/* ---- Signatures ---------------------------------------------------------- */

struct statement {
    char name[32];
    unsigned char digest[crypto_generichash_BYTES_MAX];
};

static void state_of(struct statement *statement, const char *name,
        const struct store_sign_part parts[3])
{
    crypto_generichash_state state;
    memset(statement, 0, sizeof *statement);
    (void)snprintf(statement->name, sizeof statement->name, "%s", name);
    (void)crypto_generichash_init(&state, NULL, 0, sizeof statement->digest);
    for (int i = 0; i < 3; i++) {
        uint8_t length[8];
        store_le64(length, parts[i].size);
        (void)crypto_generichash_update(&state, length, sizeof length);
        (void)crypto_generichash_update(&state, parts[i].data, parts[i].size);
    }
    (void)crypto_generichash_final(
            &state, statement->digest, sizeof statement->digest);
}

void store_sign_make(uint8_t signature[store_sign_size],
        const struct store_sign_pair *pair, const char *name,
        const struct store_sign_part parts[3])
{
    struct statement statement;
    state_of(&statement, name, parts);
    (void)crypto_sign_detached(signature, NULL,
            (const unsigned char *)&statement, sizeof statement, pair->secret);
}

bool store_sign_matches(const uint8_t signature[store_sign_size],
        const unsigned char key[store_sign_public_size], const char *name,
        const struct store_sign_part parts[3])
{
    struct statement statement;
    state_of(&statement, name, parts);
    return crypto_sign_verify_detached(signature,
                   (const unsigned char *)&statement, sizeof statement, key)
           == 0;
}
