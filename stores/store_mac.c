/* SPDX-License-Identifier: Apache-2.0 */
#include "store_mac.h"

#include "store.h"
#include "store_bytes.h"
#include "store_secret.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>

struct store_mac_key {
    unsigned char bytes[crypto_generichash_KEYBYTES];
};

/* ---- Keys ---------------------------------------------------------------- */

int store_mac_key_read(
        struct store_mac_key **key, const char *path, const char **why)
{
    unsigned char secret[store_secret_most];
    size_t size = 0;
    *why = "the key cannot be read";
    if (sodium_init() < 0) return EIO;
    const int error = store_secret_read(secret, &size, path, why);
    if (error != 0) return error;
    struct store_mac_key *made = malloc(sizeof *made);
    if (made != NULL) {
        crypto_generichash(
                made->bytes, sizeof made->bytes, secret, size, NULL, 0);
        *key = made;
    }
    sodium_memzero(secret, sizeof secret);
    return made != NULL ? 0 : ENOMEM;
}

void store_mac_key_destroy(struct store_mac_key *key)
{
    if (key == NULL) return;
    sodium_memzero(key, sizeof *key);
    free(key);
}

dnnl_status_t dnnl_cache_store_key_file_make(const char *path)
{
    enum { new_secret = 32 };
    unsigned char secret[new_secret];
    if (path == NULL) return dnnl_invalid_arguments;
    if (sodium_init() < 0) return dnnl_runtime_error;
    randombytes_buf(secret, sizeof secret);
    const int error = store_secret_write(path, secret, sizeof secret, false);
    sodium_memzero(secret, sizeof secret);
    if (error == 0) return dnnl_success;
    errno = error;
    return dnnl_runtime_error;
}

/* ---- Checksums ----------------------------------------------------------- */

static void update(
        crypto_generichash_state *state, size_t size, const void *data)
{
    uint8_t length[8];
    store_put_u64(length, size);
    crypto_generichash_update(state, length, sizeof length);
    crypto_generichash_update(state, data, size);
}

void store_mac_make(uint8_t mac[store_mac_size],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head)
{
    crypto_generichash_state state;
    crypto_generichash_init(
            &state, key->bytes, sizeof key->bytes, store_mac_size);
    update(&state, id_size, id);
    update(&state, blob_size, blob);
    update(&state, head_size, head);
    crypto_generichash_final(&state, mac, store_mac_size);
}

bool store_mac_matches(const uint8_t mac[store_mac_size],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head)
{
    uint8_t right[store_mac_size];
    store_mac_make(right, key, id_size, id, blob_size, blob, head_size, head);
    return sodium_memcmp(right, mac, sizeof right) == 0;
}
