/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/remote_keys.h"

#include "stores/files/store_mac.h"
#include "stores/files/store_secret.h"
#include "stores/files/store_sign.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    public_size = store_sign_public_size,
    signature_size = store_sign_size,
    max_macs = 2,
    max_publics = 3, /* two that may sign, and this host's own */
    max_ciphers = 2
};

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
    struct store_sign_pair pair;               /* if it can sign */
    struct remote_cipher ciphers[max_ciphers]; /* the new one first */
    size_t cipher_count;
};

/* ---- Files of signature keys --------------------------------------------- */

/* Anybody may know it: it is no secret, whatever the mode of the file. */
static bool is_public(const char *path, const char **why)
{
    unsigned char key[public_size];
    const char *unused;
    if (store_sign_read_public(key, path, &unused) != 0) return false;
    *why = "is a public key: use public_key_file=";
    return true;
}

static int read_secret(
        struct remote_keys *keys, const char *path, const char **why)
{
    unsigned char text[store_secret_most];
    size_t size = 0;
    if (is_public(path, why)) return EINVAL;
    int error = store_secret_read(text, &size, path, why);
    if (error == 0 && !store_sign_parse_secret(&keys->pair, text, size)) {
        *why = "not a secret key of dnnl-cache key make-pair";
        error = EINVAL;
    }
    if (error == 0) {
        memcpy(keys->publics[keys->public_count++], keys->pair.public,
                public_size);
        keys->can_sign = true;
    }
    sodium_memzero(text, sizeof text);
    return error;
}

/* ---- Opening ------------------------------------------------------------- */

/* A key is for one thing. Under another name the file is found out by what is
 * in it. */
static bool is_of_two_uses(const struct remote_key_files *f)
{
    const char *const encryption[] = {f->encryption_key, f->old_encryption_key};
    const char *const proofs[] = {
            f->key, f->old_key, f->public_key, f->old_public_key, f->sign_key};
    for (size_t i = 0; i < sizeof encryption / sizeof *encryption; i++)
        for (size_t k = 0; k < sizeof proofs / sizeof *proofs; k++)
            if (encryption[i] != NULL && proofs[k] != NULL
                    && strcmp(encryption[i], proofs[k]) == 0)
                return true;
    return false;
}

/* NULL if the files make sense together. */
static const char *find_mistake(const struct remote_key_files *f)
{
    const bool has_mac = f->key != NULL;
    const bool has_signature = f->public_key != NULL || f->sign_key != NULL;
    const bool is_encrypted = f->encryption_key != NULL;
    if (f->old_key != NULL && !has_mac) return "old_key_file needs key_file";
    if (f->old_public_key != NULL && f->public_key == NULL)
        return "old_public_key_file needs public_key_file";
    if (has_mac && has_signature)
        return "key_file excludes public_key_file and sign_key_file";
    if (f->old_encryption_key != NULL && !is_encrypted)
        return "old_encryption_key_file needs encryption_key_file";
    if (is_of_two_uses(f))
        return "one file is named for encryption and for signatures or "
               "checksums: encryption_key_file needs a key of its own "
               "(dnnl-cache key make-encryption)";
    if (f->insecure && (has_mac || has_signature || is_encrypted))
        return "insecure=1 excludes keys";
    if (!f->insecure && !has_mac && !has_signature && !is_encrypted)
        return "a remote store needs a key: whoever can write to the server "
               "could run code here (key_file=FILE, public_key_file=FILE or "
               "encryption_key_file=FILE; insecure=1 to trust the server and "
               "its network)";
    return NULL;
}

/* A key of signatures is none of keyed checksums: its proof is longer than that
 * of an entry which says that it has a keyed checksum. */
static int read_mac(
        struct remote_keys *keys, const char *path, const char **why)
{
    struct store_mac_key *key = NULL;
    if (is_public(path, why)) return EINVAL;
    const int error = store_mac_key_read(&key, path, why);
    if (error != 0) return error;
    if (store_mac_key_signs(key)) {
        store_mac_key_destroy(key);
        *why = "is a secret key of signatures: use sign_key_file=";
        return EINVAL;
    }
    keys->macs[keys->mac_count++] = key;
    return 0;
}

static int add_public(
        struct remote_keys *keys, const char *path, const char **why)
{
    const int error = store_sign_read_public(
            keys->publics[keys->public_count], path, why);
    if (error == 0) keys->public_count++;
    return error;
}

static int add_cipher(
        struct remote_keys *keys, const char *path, const char **why)
{
    struct remote_cipher *made = &keys->ciphers[keys->cipher_count];
    const int error = remote_cipher_read(made, path, why);
    if (error != 0) return error;
    /* The same key twice would ask for each name twice. */
    if (keys->cipher_count == 0
            || memcmp(made->number, keys->ciphers[0].number,
                       sizeof made->number)
                       != 0)
        keys->cipher_count++;
    return 0;
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
            {files->encryption_key, add_cipher},
            {files->old_encryption_key, add_cipher},
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

/* ---- Encryption ---------------------------------------------------------- */

const struct remote_cipher *remote_keys_ciphers(
        const struct remote_keys *keys, size_t *count)
{
    *count = keys->cipher_count;
    return keys->ciphers;
}

size_t remote_keys_names(const struct remote_keys *keys)
{
    return keys->cipher_count > 0 ? keys->cipher_count : 1;
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

static const char statement_name[] = "dnnl_cache remote entry 1";

static void parts_of(
        struct store_sign_part parts[3], const struct remote_proven *proven)
{
    parts[0] = (struct store_sign_part){proven->id_size, proven->id};
    parts[1] = (struct store_sign_part){proven->blob_size, proven->blob};
    parts[2] = (struct store_sign_part){proven->head_size, proven->head};
}

void remote_keys_make(const struct remote_keys *keys,
        uint8_t proof[remote_proof_max], const struct remote_proven *proven)
{
    struct store_sign_part parts[3];
    if (keys->proof == remote_proof_mac)
        store_mac_make(proof, keys->macs[0], proven->id_size, proven->id,
                proven->blob_size, proven->blob, proven->head_size,
                proven->head);
    if (keys->proof != remote_proof_signature || !keys->can_sign) return;
    parts_of(parts, proven);
    store_sign_make(proof, &keys->pair, statement_name, parts);
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
    struct store_sign_part parts[3];
    parts_of(parts, proven);
    for (size_t i = 0; i < keys->public_count; i++)
        if (store_sign_matches(proof, keys->publics[i], statement_name, parts))
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
