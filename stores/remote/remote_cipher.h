/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_cipher.h: entries on a server that may not read them.
 *
 * A key file has one secret (store_encryption.h). Three keys are derived from
 * it (crypto_kdf, context "dnnlcenc"): 1 for names, 2 for values, and 3, the
 * number of the key, which is no secret and says which key a value needs.
 *
 * The name of an ID's object is its BLAKE2b-256 with the key for names, in 64
 * hexadecimal digits: it tells nothing of the ID to those who have not the key,
 * even if they know what IDs there may be. A value is
 *
 *      0  8  magic "dnnlcenc"
 *      8  4  version, 1
 *     12  4  0
 *     16 16  number of the key
 *     32  8  bytes that are encrypted
 *     40 24  nonce, random
 *     64     the entry (remote_entry.h), encrypted: XChaCha20-Poly1305
 *            16 bytes that prove it
 *
 * with the first 40 bytes and the digits of the name as associated data: a
 * value under another name, or with another length, is not accepted. The ID,
 * its kind and its times are inside of what is encrypted, and proven with it.
 *
 * Whoever has the key can make values: it proves what a keyed checksum does.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_REMOTE_CIPHER_H
#define DNNL_CACHE_STORES_REMOTE_REMOTE_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    remote_name_size = 64 + 1, /* with the NUL */
    remote_cipher_number_size = 16,
    remote_cipher_head_size = 64,
    remote_cipher_tag_size = 16,
    remote_cipher_overhead = remote_cipher_head_size + remote_cipher_tag_size,
    /* The head up to the number of the key: what says whose a value is. */
    remote_cipher_mark_size = 32
};

/* Fixed after reading; any thread may use it. Its owner clears it. */
struct remote_cipher {
    unsigned char names[32];
    unsigned char values[32];
    unsigned char number[remote_cipher_number_size];
};

/* What an encrypted value is. */
enum remote_decrypted {
    remote_decrypted_well = 0,
    remote_decrypted_damaged,
    remote_decrypted_newer,      /* of a version that is not known */
    remote_decrypted_another_key /* of none that was asked for */
};

/* Reads a key file. 0, or an errno value and *why in words (static). */
int remote_cipher_read(
        struct remote_cipher *cipher, const char *path, const char **why);

/* The name of an ID's object. */
void remote_cipher_name(char name[remote_name_size],
        const struct remote_cipher *cipher, size_t id_size, const uint8_t *id);

/* Encrypts so many bytes behind the place of the head, in place; the proof is
 * written behind them. */
void remote_cipher_encrypt(const struct remote_cipher *cipher, const char *name,
        uint8_t *value, size_t size);

/* Does it begin like an encrypted value, as far as it goes? */
bool remote_cipher_is_encrypted(size_t size, const uint8_t *value);

/* Whether it may become an encrypted value of at most so many bytes: of what
 * has come so far, size bytes. */
bool remote_cipher_is_begun(
        size_t size, const uint8_t *value, uint64_t max_bytes);
/* Whether it is the beginning of one of more. */
bool remote_cipher_is_longer(
        size_t size, const uint8_t *value, uint64_t max_bytes);

/* Checks every byte, and decrypts in place, with that one of the ciphers whose
 * number the value has. One that is proven with the number of another is
 * damaged, not of another key. Only if all is well *decrypted_size is written,
 * and the bytes behind the head are the decrypted ones; of a damaged value they
 * may be cleared. */
enum remote_decrypted remote_cipher_decrypt(size_t *decrypted_size,
        const struct remote_cipher *ciphers, size_t count, const char *name,
        size_t size, uint8_t *value);

/* The beginning of a value of this key. */
void remote_cipher_write_mark(uint8_t mark[remote_cipher_mark_size],
        const unsigned char number[remote_cipher_number_size]);

#endif /* DNNL_CACHE_STORES_REMOTE_REMOTE_CIPHER_H */
