/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/remote_cipher.h"

#include "src/common/byte_order.h"
#include "stores/files/store_encryption.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

enum {
    version = 1,
    number_at = 16,
    size_at = 32,
    nonce_at = 40,
    name_digits = remote_name_size - 1,
    head_size = remote_cipher_head_size,
    tag_size = remote_cipher_tag_size,
    nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
};

static const char magic[] = {'d', 'n', 'n', 'l', 'c', 'e', 'n', 'c'};

_Static_assert(
        nonce_at + nonce_size == head_size
                && (int)tag_size
                           == (int)crypto_aead_xchacha20poly1305_ietf_ABYTES
                && number_at + remote_cipher_number_size == size_at
                && (int)remote_cipher_mark_size == (int)size_at,
        "the format of values");
_Static_assert((int)store_key_line_size == (int)crypto_kdf_KEYBYTES
                       && crypto_kdf_CONTEXTBYTES == sizeof magic,
        "a key file has a key of keys");

/* ---- Keys ---------------------------------------------------------------- */

static void derive(unsigned char *key, size_t size, uint64_t which,
        const unsigned char secret[store_key_line_size])
{
    (void)crypto_kdf_derive_from_key(key, size, which, magic, secret);
}

int remote_cipher_read(
        struct remote_cipher *cipher, const char *path, const char **why)
{
    unsigned char secret[store_key_line_size];
    const int error = store_encryption_read(secret, path, why);
    if (error == 0) {
        derive(cipher->names, sizeof cipher->names, 1, secret);
        derive(cipher->values, sizeof cipher->values, 2, secret);
        derive(cipher->number, sizeof cipher->number, 3, secret);
    }
    sodium_memzero(secret, sizeof secret);
    return error;
}

void remote_cipher_name(char name[remote_name_size],
        const struct remote_cipher *cipher, size_t id_size, const uint8_t *id)
{
    unsigned char digest[name_digits / 2];
    (void)crypto_generichash(digest, sizeof digest, id, id_size, cipher->names,
            sizeof cipher->names);
    sodium_bin2hex(name, remote_name_size, digest, sizeof digest);
}

/* ---- Values -------------------------------------------------------------- */

struct bound {
    uint8_t head[nonce_at];
    char name[name_digits];
};

_Static_assert(
        sizeof(struct bound) == nonce_at + name_digits, "nothing between");

/* What is not encrypted, and proven all the same. */
static void bind(struct bound *bound, const uint8_t *value, const char *name)
{
    memcpy(bound->head, value, sizeof bound->head);
    memcpy(bound->name, name, sizeof bound->name);
}

void remote_cipher_write_mark(uint8_t mark[remote_cipher_mark_size],
        const unsigned char number[remote_cipher_number_size])
{
    memcpy(mark, magic, sizeof magic);
    store_le32(mark + 8, version);
    store_le32(mark + 12, 0);
    memcpy(mark + number_at, number, remote_cipher_number_size);
}

void remote_cipher_encrypt(const struct remote_cipher *cipher, const char *name,
        uint8_t *value, size_t size)
{
    struct bound bound;
    remote_cipher_write_mark(value, cipher->number);
    store_le64(value + size_at, size);
    randombytes_buf(value + nonce_at, nonce_size);
    bind(&bound, value, name);
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(value + head_size, NULL,
            value + head_size, size, (const unsigned char *)&bound,
            sizeof bound, NULL, value + nonce_at, cipher->values);
}

bool remote_cipher_is_encrypted(size_t size, const uint8_t *value)
{
    return memcmp(value, magic, size < sizeof magic ? size : sizeof magic) == 0;
}

/* Of a head: does a value of at most so many bytes decrypt to so much? */
static bool fits(const uint8_t *value, uint64_t max_bytes)
{
    return max_bytes >= remote_cipher_overhead
           && load_le64(value + size_at) <= max_bytes - remote_cipher_overhead;
}

bool remote_cipher_is_begun(
        size_t size, const uint8_t *value, uint64_t max_bytes)
{
    if (size > 0 && !remote_cipher_is_encrypted(size, value)) return false;
    if (size < nonce_at) return true;
    return load_le32(value + 8) == version && fits(value, max_bytes)
           && (size <= remote_cipher_overhead
                   || size - remote_cipher_overhead
                              <= load_le64(value + size_at));
}

bool remote_cipher_is_longer(
        size_t size, const uint8_t *value, uint64_t max_bytes)
{
    return size >= nonce_at && remote_cipher_is_encrypted(size, value)
           && load_le32(value + 8) == version && !fits(value, max_bytes);
}

static const struct remote_cipher *find_cipher(
        const struct remote_cipher *ciphers, size_t count, const uint8_t *value)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(ciphers[i].number, value + number_at,
                    sizeof ciphers[i].number)
                == 0)
            return &ciphers[i];
    return NULL;
}

/* To `text`; false: it is not proven, and what was there is gone. NULL: it is
 * looked at alone. */
static bool decrypt(const struct remote_cipher *cipher,
        const struct bound *bound, size_t encrypted, const uint8_t *value,
        uint8_t *text)
{
    return crypto_aead_xchacha20poly1305_ietf_decrypt(text, NULL, NULL,
                   value + head_size, encrypted + tag_size,
                   (const unsigned char *)bound, sizeof *bound,
                   value + nonce_at, cipher->values)
           == 0;
}

/* Is it of one of the ciphers, but for the number of the key? */
static bool is_of_another_number(const struct remote_cipher *ciphers,
        size_t count, const struct bound *bound, size_t encrypted,
        const uint8_t *value)
{
    bool is = false;
    for (size_t i = 0; !is && i < count; i++) {
        struct bound own = *bound;
        memcpy(own.head + number_at, ciphers[i].number,
                sizeof ciphers[i].number);
        is = decrypt(&ciphers[i], &own, encrypted, value, NULL);
    }
    return is;
}

enum remote_decrypted remote_cipher_decrypt(size_t *decrypted_size,
        const struct remote_cipher *ciphers, size_t count, const char *name,
        size_t size, uint8_t *value)
{
    struct bound bound;
    if (size < remote_cipher_overhead
            || !remote_cipher_is_encrypted(size, value))
        return remote_decrypted_damaged;
    if (load_le32(value + 8) > version) return remote_decrypted_newer;
    const size_t encrypted = size - remote_cipher_overhead;
    if (load_le32(value + 8) != version || load_le32(value + 12) != 0
            || load_le64(value + size_at) != encrypted)
        return remote_decrypted_damaged;
    const struct remote_cipher *cipher = find_cipher(ciphers, count, value);
    bind(&bound, value, name);
    if (cipher == NULL)
        return is_of_another_number(ciphers, count, &bound, encrypted, value)
                       ? remote_decrypted_damaged
                       : remote_decrypted_another_key;
    if (!decrypt(cipher, &bound, encrypted, value, value + head_size))
        return remote_decrypted_damaged;
    *decrypted_size = encrypted;
    return remote_decrypted_well;
}
