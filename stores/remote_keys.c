/* SPDX-License-Identifier: Apache-2.0 */
#include "remote_keys.h"

#include "store.h"
#include "store_bytes.h"
#include "store_mac.h"
#include "store_secret.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    public_size = crypto_sign_PUBLICKEYBYTES,
    secret_size = crypto_sign_SECRETKEYBYTES,
    seed_size = crypto_sign_SEEDBYTES,
    signature_size = crypto_sign_BYTES,
    digest_size = crypto_generichash_BYTES_MAX,
    max_macs = 2,
    max_publics = 3 /* two that may sign, and this host's own */
};

_Static_assert((int)public_size == 32 && (int)seed_size == 32,
        "the format of key files");
_Static_assert((int)signature_size <= (int)remote_proof_max
                       && (int)store_mac_size <= (int)remote_proof_max,
        "proofs fit");

struct remote_keys {
    enum remote_proof proof;
    struct store_mac_key *macs[max_macs]; /* the new one first; owned */
    size_t mac_count;
    unsigned char publics[max_publics][public_size];
    size_t public_count;
    bool can_sign;
    unsigned char secret[secret_size];
};

/* ---- Files of signature keys --------------------------------------------- */

static const char public_title[] = "dnnl_cache-public-key 1 ";
static const char secret_title[] = "dnnl_cache-secret-key 1 ";

/* One line: the title, 64 digits, and an end of line that may be missing. */
static bool parse_key(unsigned char key[32], const char *title,
        const unsigned char *text, size_t size)
{
    const size_t title_size = strlen(title);
    const char *digits = (const char *)text + title_size;
    size_t read = 0;
    const char *end = NULL;
    if (size > 0 && text[size - 1] == '\n') size--;
    return size == title_size + 64 && memcmp(text, title, title_size) == 0
           && sodium_hex2bin(key, 32, digits, 64, NULL, &read, &end) == 0
           && read == 32 && end == digits + 64;
}

/* 0, or an errno value and *why. */
static int read_public(
        unsigned char key[public_size], const char *path, const char **why)
{
    unsigned char text[store_secret_most];
    size_t size = 0;
    const int error = store_secret_read_public(text, &size, path, why);
    if (error != 0) return error;
    if (parse_key(key, public_title, text, size)) return 0;
    *why = "not a public key of dnnl-cache key make-pair";
    return EINVAL;
}

/* Anybody may know it: it is no secret, whatever the mode of the file. */
static bool is_public(const char *path, const char **why)
{
    unsigned char key[public_size];
    const char *unused;
    if (read_public(key, path, &unused) != 0) return false;
    *why = "is a public key: use public_key_file=";
    return true;
}

static int read_secret(
        struct remote_keys *keys, const char *path, const char **why)
{
    unsigned char text[store_secret_most];
    unsigned char seed[seed_size];
    unsigned char public[public_size];
    size_t size = 0;
    if (is_public(path, why)) return EINVAL;
    int error = store_secret_read(text, &size, path, why);
    if (error == 0 && !parse_key(seed, secret_title, text, size)) {
        *why = "not a secret key of dnnl-cache key make-pair";
        error = EINVAL;
    }
    if (error == 0) {
        (void)crypto_sign_seed_keypair(public, keys->secret, seed);
        memcpy(keys->publics[keys->public_count++], public, public_size);
        keys->can_sign = true;
    }
    sodium_memzero(text, sizeof text);
    sodium_memzero(seed, sizeof seed);
    return error;
}

static int write_key(const char *path, const char *title,
        const unsigned char key[32], bool is_public)
{
    char line[128];
    char digits[65];
    sodium_bin2hex(digits, sizeof digits, key, 32);
    const int size = snprintf(line, sizeof line, "%s%s\n", title, digits);
    const int error = store_secret_write(path, line, (size_t)size, is_public);
    sodium_memzero(line, sizeof line);
    sodium_memzero(digits, sizeof digits);
    return error;
}

dnnl_status_t dnnl_cache_store_key_pair_make(
        const char *secret_path, const char *public_path)
{
    unsigned char seed[seed_size];
    unsigned char secret[secret_size];
    unsigned char public[public_size];
    if (secret_path == NULL || public_path == NULL)
        return dnnl_invalid_arguments;
    if (sodium_init() < 0) return dnnl_runtime_error;
    randombytes_buf(seed, sizeof seed);
    (void)crypto_sign_seed_keypair(public, secret, seed);
    int error = write_key(secret_path, secret_title, seed, false);
    if (error == 0) {
        error = write_key(public_path, public_title, public, true);
        if (error != 0) (void)remove(secret_path); /* ours, and of no use */
    }
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(secret, sizeof secret);
    if (error == 0) return dnnl_success;
    errno = error;
    return dnnl_runtime_error;
}

/* ---- Opening ------------------------------------------------------------- */

/* NULL if the files make sense together. */
static const char *find_mistake(const struct remote_key_files *f)
{
    const bool has_mac = f->key != NULL;
    const bool has_signature = f->public_key != NULL || f->sign_key != NULL;
    if (f->old_key != NULL && !has_mac) return "old_key_file needs key_file";
    if (f->old_public_key != NULL && f->public_key == NULL)
        return "old_public_key_file needs public_key_file";
    if (has_mac && has_signature)
        return "key_file excludes public_key_file and sign_key_file";
    if (f->insecure && (has_mac || has_signature))
        return "insecure=1 excludes keys";
    if (!f->insecure && !has_mac && !has_signature)
        return "a remote store needs a key: whoever can write to the server "
               "could run code here (key_file=FILE or public_key_file=FILE; "
               "insecure=1 to trust the server and its network)";
    return NULL;
}

static int read_mac(
        struct remote_keys *keys, const char *path, const char **why)
{
    if (is_public(path, why)) return EINVAL;
    const int error =
            store_mac_key_read(&keys->macs[keys->mac_count], path, why);
    if (error == 0) keys->mac_count++;
    return error;
}

static int add_public(
        struct remote_keys *keys, const char *path, const char **why)
{
    const int error = read_public(keys->publics[keys->public_count], path, why);
    if (error == 0) keys->public_count++;
    return error;
}

/* Reads all, and tells the path of the one that cannot be read. */
static int read_all(struct remote_keys *keys,
        const struct remote_key_files *files, const char **path,
        const char **why)
{
    const struct {
        const char *path;
        int (*read)(
                struct remote_keys *keys, const char *path, const char **why);
    } all[] = {
            {files->key, read_mac},
            {files->old_key, read_mac},
            {files->public_key, add_public},
            {files->old_public_key, add_public},
            {files->sign_key, read_secret},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *path = all[i].path;
        const int error = *path != NULL ? all[i].read(keys, *path, why) : 0;
        if (error != 0) return error;
    }
    return 0;
}

int remote_keys_open(struct remote_keys **keys,
        const struct remote_key_files *files, char why[remote_why_size])
{
    const char *mistake = find_mistake(files);
    const char *path = "";
    const char *reason = "the key cannot be read";
    if (mistake != NULL) {
        (void)snprintf(why, remote_why_size, "%s", mistake);
        return EINVAL;
    }
    struct remote_keys *made = calloc(1, sizeof *made);
    int error = made != NULL ? 0 : ENOMEM;
    if (error == 0 && sodium_init() < 0) error = EIO;
    if (error == 0) error = read_all(made, files, &path, &reason);
    if (error != 0) {
        if (error == ENOMEM) reason = strerror(error);
        (void)snprintf(why, remote_why_size, "%s%s%s", path,
                path[0] != '\0' ? ": " : "", reason);
        remote_keys_close(made);
        return error;
    }
    if (made->mac_count > 0) made->proof = remote_proof_mac;
    if (made->public_count > 0) made->proof = remote_proof_signature;
    *keys = made;
    return 0;
}

void remote_keys_close(struct remote_keys *keys)
{
    if (keys == NULL) return;
    for (size_t i = 0; i < keys->mac_count; i++)
        store_mac_key_destroy(keys->macs[i]);
    sodium_memzero(keys, sizeof *keys);
    free(keys);
}

bool remote_keys_can_make(const struct remote_keys *keys)
{
    return keys->proof != remote_proof_signature || keys->can_sign;
}

/* This host's own public key was read last. */
bool remote_keys_sign_for_nobody(const struct remote_keys *keys)
{
    if (!keys->can_sign || keys->public_count < 2) return false;
    const unsigned char *own = keys->publics[keys->public_count - 1];
    for (size_t i = 0; i + 1 < keys->public_count; i++)
        if (memcmp(own, keys->publics[i], public_size) == 0) return false;
    return true;
}

enum remote_proof remote_keys_proof(const struct remote_keys *keys)
{
    return keys->proof;
}

/* ---- Proofs -------------------------------------------------------------- */

size_t remote_proof_size(enum remote_proof proof)
{
    switch (proof) {
    case remote_proof_mac:
        return store_mac_size;
    case remote_proof_signature:
        return signature_size;
    case remote_proof_none:
        break;
    }
    return 0;
}

/* What is signed: a name of its own, so that a signature for something else is
 * none here, and a digest of all three with their sizes. */
struct statement {
    char name[32];
    unsigned char digest[digest_size];
};

static void digest_part(
        crypto_generichash_state *state, size_t size, const uint8_t *data)
{
    uint8_t length[8];
    store_put_u64(length, size);
    (void)crypto_generichash_update(state, length, sizeof length);
    (void)crypto_generichash_update(state, data, size);
}

static void state_of(
        struct statement *statement, const struct remote_proven *proven)
{
    crypto_generichash_state state;
    *statement = (struct statement){.name = "dnnl_cache remote entry 1"};
    (void)crypto_generichash_init(&state, NULL, 0, digest_size);
    digest_part(&state, proven->id_size, proven->id);
    digest_part(&state, proven->blob_size, proven->blob);
    digest_part(&state, proven->head_size, proven->head);
    (void)crypto_generichash_final(&state, statement->digest, digest_size);
}

void remote_keys_make(const struct remote_keys *keys,
        uint8_t proof[remote_proof_max], const struct remote_proven *proven)
{
    struct statement statement;
    if (keys->proof == remote_proof_mac)
        store_mac_make(proof, keys->macs[0], proven->id_size, proven->id,
                proven->blob_size, proven->blob, proven->head_size,
                proven->head);
    if (keys->proof != remote_proof_signature || !keys->can_sign) return;
    state_of(&statement, proven);
    (void)crypto_sign_detached(proof, NULL, (const unsigned char *)&statement,
            sizeof statement, keys->secret);
}

static bool is_maced(const struct remote_keys *keys, const uint8_t *proof,
        const struct remote_proven *p)
{
    for (size_t i = 0; i < keys->mac_count; i++)
        if (store_mac_matches(proof, keys->macs[i], p->id_size, p->id,
                    p->blob_size, p->blob, p->head_size, p->head))
            return true;
    return false;
}

static bool is_signed(const struct remote_keys *keys, const uint8_t *proof,
        const struct remote_proven *proven)
{
    struct statement statement;
    state_of(&statement, proven);
    for (size_t i = 0; i < keys->public_count; i++)
        if (crypto_sign_verify_detached(proof,
                    (const unsigned char *)&statement, sizeof statement,
                    keys->publics[i])
                == 0)
            return true;
    return false;
}

bool remote_keys_accept(const struct remote_keys *keys, enum remote_proof kind,
        const uint8_t *proof, const struct remote_proven *proven)
{
    if (keys->proof == remote_proof_none) return true;
    if (kind != keys->proof) return false;
    return kind == remote_proof_mac ? is_maced(keys, proof, proven)
                                    : is_signed(keys, proof, proven);
}
