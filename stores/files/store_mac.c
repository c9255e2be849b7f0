/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_mac.h"

#include "dnnl_cache/store.h"
#include "src/common/byte_order.h"
#include "stores/files/store_encryption.h"
#include "stores/files/store_secret.h"
#include "stores/files/store_sign.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>

enum kind { kind_mac, kind_public, kind_pair };

struct store_mac_key {
    enum kind kind;
    unsigned char bytes[crypto_generichash_KEYBYTES]; /* of a keyed checksum */
    struct store_sign_pair pair; /* its public key alone, or both */
};

_Static_assert((int)store_mac_sign_size == (int)store_sign_size, "one size");

/* ---- Keys ---------------------------------------------------------------- */

static int read_secret(
        struct store_mac_key *key, const char *path, const char **why)
{
    unsigned char secret[store_secret_most];
    size_t size = 0;
    int error = store_secret_read(secret, &size, path, why);
    if (error == 0 && store_sign_parse_secret(&key->pair, secret, size)) {
        key->kind = kind_pair;
    } else if (error == 0 && store_encryption_is_key_text(secret, size)) {
        *why = "is an encryption key, which makes no checksums or signatures";
        error = EINVAL;
    } else if (error == 0 && store_sign_is_key_text(secret, size)) {
        *why = "a damaged key of dnnl-cache key make-pair";
        error = EINVAL;
    } else if (error == 0) {
        key->kind = kind_mac;
        crypto_generichash(
                key->bytes, sizeof key->bytes, secret, size, NULL, 0);
    }
    sodium_memzero(secret, sizeof secret);
    return error;
}

int store_mac_key_read(
        struct store_mac_key **key, const char *path, const char **why)
{
    const char *unused;
    *why = "the key cannot be read";
    if (sodium_init() < 0) return EIO;
    struct store_mac_key *made = calloc(1, sizeof *made);
    if (made == NULL) return ENOMEM;
    int error = 0;
    if (store_sign_read_public(made->pair.public, path, &unused) == 0)
        made->kind = kind_public;
    else
        error = read_secret(made, path, why);
    if (error == 0)
        *key = made;
    else
        store_mac_key_destroy(made);
    return error;
}

size_t store_mac_key_size(const struct store_mac_key *key)
{
    if (key == NULL) return 0;
    return key->kind == kind_mac ? store_mac_size : store_mac_sign_size;
}

bool store_mac_key_can_make(const struct store_mac_key *key)
{
    return key->kind != kind_public;
}

bool store_mac_key_signs(const struct store_mac_key *key)
{
    return key->kind != kind_mac;
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
    store_le64(length, size);
    crypto_generichash_update(state, length, sizeof length);
    crypto_generichash_update(state, data, size);
}

static void make_mac(uint8_t mac[store_mac_size],
        const struct store_mac_key *key, const struct store_sign_part parts[3])
{
    crypto_generichash_state state;
    crypto_generichash_init(
            &state, key->bytes, sizeof key->bytes, store_mac_size);
    for (int i = 0; i < 3; i++)
        update(&state, parts[i].size, parts[i].data);
    crypto_generichash_final(&state, mac, store_mac_size);
}

/* Another one than that of a remote store's entries. */
static const char statement_name[] = "dnnl_cache store entry 1";

void store_mac_make(uint8_t mac[store_mac_most],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head)
{
    const struct store_sign_part parts[3] = {
            {id_size, id}, {blob_size, blob}, {head_size, head}};
    if (key->kind == kind_mac)
        make_mac(mac, key, parts);
    else
        store_sign_make(mac, &key->pair, statement_name, parts);
}

bool store_mac_matches(const uint8_t *mac, const struct store_mac_key *key,
        size_t id_size, const void *id, size_t blob_size, const void *blob,
        size_t head_size, const void *head)
{
    uint8_t right[store_mac_size];
    const struct store_sign_part parts[3] = {
            {id_size, id}, {blob_size, blob}, {head_size, head}};
    if (key->kind != kind_mac)
        return store_sign_matches(mac, key->pair.public, statement_name, parts);
    make_mac(right, key, parts);
    return sodium_memcmp(right, mac, sizeof right) == 0;
}
