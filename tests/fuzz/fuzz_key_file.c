/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of a key, a password or a token. A secret has 16 to
 * 4096 bytes; a public key makes nothing; a text that looks like a key of
 * signatures or encryption and is none is not taken for a secret; a key of
 * encryption is one for nothing else; a password is one line. What is refused
 * says why.
 */
#include "pieces.h"
#include "scratch.h"
#include "stores/files/store_encryption.h"
#include "stores/files/store_mac.h"
#include "stores/files/store_secret.h"
#include "stores/files/store_sign.h"
#include "stores/remote/remote_keys.h"
#include "stores/remote/thread/remote_secret.h"

static void check_store_key(const char *path, size_t size, const uint8_t *bytes)
{
    struct store_mac_key *key = NULL;
    const char *why = NULL;
    uint8_t proof[store_mac_most];
    if (store_mac_key_read(&key, path, &why) != 0) {
        REQUIRE(key == NULL && why != NULL && why[0] != '\0');
        return;
    }
    REQUIRE(size > 0 && size <= store_secret_most);
    REQUIRE(store_mac_key_signs(key)
            == (store_mac_key_size(key) == store_mac_sign_size));
    if (!store_mac_key_signs(key))
        REQUIRE(size >= store_secret_least
                && !store_sign_is_key_text(bytes, size)
                && !store_encryption_is_key_text(bytes, size));
    if (store_mac_key_can_make(key)) {
        store_mac_make(proof, key, 1, "i", 1, "b", 1, "h");
        REQUIRE(store_mac_matches(proof, key, 1, "i", 1, "b", 1, "h"));
        REQUIRE(!store_mac_matches(proof, key, 1, "i", 1, "c", 1, "h"));
    }
    store_mac_key_destroy(key);
}

/* What they prove they accept, from as many bytes as an entry has. */
static void check_proof(const struct remote_keys *keys)
{
    const struct remote_proven proven = {1, (const uint8_t *)"i", 1,
            (const uint8_t *)"b", 1, (const uint8_t *)"h"};
    const enum remote_proof kind = remote_keys_proof(keys);
    const size_t size = remote_proof_size(kind);
    uint8_t made[remote_proof_max] = {0};
    if (remote_keys_can_make(keys)) remote_keys_make(keys, made, &proven);
    struct pieces pieces = {made, sizeof made};
    struct piece proof = pieces_take(&pieces, size, 0);
    REQUIRE(remote_keys_accept(keys, kind, proof.data, &proven)
            == remote_keys_can_make(keys));
    proof.data[0] ^= 1;
    REQUIRE(!remote_keys_accept(keys, kind, proof.data, &proven));
    free(proof.data);
}

/* A key of something else encrypts nothing. */
static void check_encryption_key(const char *path, bool is_of_proofs)
{
    const struct remote_key_files files[] = {
            {.encryption_key = path},
            {.encryption_key = path, .old_encryption_key = path},
            {.encryption_key = path, .key = path},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct remote_keys *keys = NULL;
        char why[remote_why_size] = "";
        if (remote_keys_open(&keys, &files[i], why) == 0) {
            REQUIRE(i < 2 && !is_of_proofs && remote_keys_names(keys) == 1);
            remote_keys_close(keys);
        } else {
            REQUIRE(keys == NULL);
            REQUIRE(memchr(why, '\0', sizeof why) != NULL && why[0] != '\0');
        }
    }
}

static void check_remote_keys(const char *path)
{
    const struct remote_key_files all[] = {
            {.key = path},
            {.key = path, .old_key = path},
            {.public_key = path},
            {.public_key = path, .old_public_key = path},
            {.sign_key = path},
            {.public_key = path, .sign_key = path},
    };
    unsigned accepted = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct remote_keys *keys = NULL;
        char why[remote_why_size] = "";
        if (remote_keys_open(&keys, &all[i], why) == 0) {
            accepted |= 1u << i;
            REQUIRE(remote_keys_can_make(keys) == (i < 2 || i >= 4));
            REQUIRE(!remote_keys_sign_for_nobody(keys));
            check_proof(keys);
            remote_keys_close(keys);
        } else {
            REQUIRE(keys == NULL);
            REQUIRE(memchr(why, '\0', sizeof why) != NULL && why[0] != '\0');
        }
    }
    /* A secret of a keyed checksum, a public key, or a secret one. */
    REQUIRE(accepted == 0 || accepted == 0x3 || accepted == 0xc
            || accepted == 0x10);
    check_encryption_key(path, accepted != 0);
}

static void check_password(const char *path)
{
    char why[remote_why_size] = "";
    char *text = NULL;
    char *line = NULL;
    const int error = remote_secret_file(&text, "password_file", path, why);
    if (error != 0) REQUIRE(why[0] != '\0');
    why[0] = '\0';
    if (remote_secret_line(&line, "password_file", path, why) == 0) {
        REQUIRE(error == 0 && line[0] != '\0');
        REQUIRE(strncmp(text, line, strlen(line)) == 0);
        for (const char *at = line; *at != '\0'; at++)
            REQUIRE((unsigned char)*at >= ' ' && *at != 0x7f);
        remote_secret_free(line);
    } else {
        REQUIRE(line == NULL && why[0] != '\0');
    }
    remote_secret_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[scratch_path_size];
    struct pieces pieces = {data, size};
    struct piece copy = pieces_rest(&pieces);
    scratch_write("key", copy.data, size);
    scratch_path(path, "key");
    check_store_key(path, size, copy.data);
    check_remote_keys(path);
    check_password(path);
    free(copy.data);
    return 0;
}
