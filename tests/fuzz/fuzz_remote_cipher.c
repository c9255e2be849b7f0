/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an encrypted value of a remote store, for a key that the seeds
 * were made with: as they are; with the head made right; and as what is
 * encrypted, as who has the key can make it. What is accepted gives what was
 * encrypted; with one bit changed, under another name, or with another key
 * nothing is. Without a key nothing that is encrypted is an entry.
 */
#include "fuzz.h"
#include "pieces.h"
#include "scratch.h"
#include "src/common/byte_order.h"
#include "stores/remote/remote_entry.h"

enum { head_size = remote_cipher_head_size };

static const char a_name[] = "00000000000000000000000000000000"
                             "00000000000000000000000000000000";
static const char another_name[] = "00000000000000000000000000000000"
                                   "00000000000000000000000000000001";
static struct remote_keys *keys;   /* of bytes 0, 1, 2 ... */
static struct remote_keys *others; /* another one */
static struct remote_keys *none;

static struct remote_keys *open_key(const char *text)
{
    char path[scratch_path_size];
    char why[remote_why_size];
    struct remote_keys *opened = NULL;
    scratch_write("key", text, strlen(text));
    scratch_path(path, "key");
    const struct remote_key_files files = {.encryption_key = path};
    REQUIRE(remote_keys_open(&opened, &files, why) == 0);
    (void)scratch_remove("key");
    return opened;
}

static void open_all(void)
{
    char why[remote_why_size];
    const struct remote_key_files insecure = {.insecure = true};
    if (keys != NULL) return;
    keys = open_key("dnnl_cache-encryption-key 1 000102030405060708090a0b0c0d0e"
                    "0f101112131415161718191a1b1c1d1e1f\n");
    others = open_key("dnnl_cache-encryption-key 1 0102030405060708090a0b0c0d0e"
                      "0f101112131415161718191a1b1c1d1e1f20\n");
    REQUIRE(remote_keys_open(&none, &insecure, why) == 0);
}

/* The verdict; where the entry is, if it is intact, and else the value as it
 * was: the next one reads it, too. */
static enum remote_verdict uncover(struct piece *entry,
        const struct remote_keys *with, const char *name, struct piece value)
{
    size_t at = 0;
    size_t size = 0;
    uint8_t *before = malloc(value.size + 1);
    REQUIRE(before != NULL);
    if (value.size > 0) memcpy(before, value.data, value.size);
    const enum remote_verdict verdict = remote_entry_uncover(
            &at, &size, name, value.size, value.data, with);
    if (verdict == remote_intact) {
        REQUIRE(at <= value.size && size <= value.size - at);
        *entry = (struct piece){value.data + at, size};
    } else if (value.size > 0) {
        memcpy(value.data, before, value.size);
    }
    free(before);
    return verdict;
}

/* Whatever was encrypted: it is read like any other bytes. */
static void read_entry(struct piece bytes)
{
    struct remote_entry entry;
    if (remote_entry_decode(&entry, bytes.size, bytes.data, keys)
            != remote_intact)
        return;
    const size_t before = remote_entry_head_size + entry.item.id_size;
    REQUIRE(entry.item.id == bytes.data + remote_entry_head_size);
    REQUIRE(entry.item.blob_size <= bytes.size - before);
}

/* What comes over a network is judged by its beginning, in the same way. */
static void read_beginning(struct piece value)
{
    for (size_t size = 0; size <= value.size; size = 2 * size + 1) {
        const bool is_begun =
                remote_entry_is_begun(size, value.data, value.size);
        const bool is_longer =
                remote_entry_is_longer(size, value.data, value.size);
        REQUIRE(!(is_begun && is_longer));
    }
}

/* Such bytes as a value, for each that may ask for it. */
static void read_value(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece entry = {NULL, 0};
    struct piece value = pieces_rest(&pieces);
    read_beginning(value);
    (void)uncover(&entry, others, a_name, value);
    if (uncover(&entry, none, a_name, value) == remote_intact)
        REQUIRE(size < 8 || !remote_cipher_is_encrypted(size, data));
    if (uncover(&entry, keys, a_name, value) == remote_intact) {
        REQUIRE(entry.size == size - remote_cipher_overhead);
        read_entry(entry);
    }
    free(value.data);
}

/* With a head of ours, as anybody can write it who has seen one. */
static void read_with_head(const uint8_t *data, size_t size)
{
    size_t count = 0;
    const struct remote_cipher *cipher = remote_keys_ciphers(keys, &count);
    if (size < remote_cipher_overhead) return;
    uint8_t *copy = malloc(size);
    REQUIRE(copy != NULL && count == 1);
    memcpy(copy, data, size);
    remote_cipher_write_mark(copy, cipher->number);
    store_le64(copy + 32, size - remote_cipher_overhead);
    read_value(copy, size);
    free(copy);
}

static void encrypt(const uint8_t *data, size_t size)
{
    size_t count = 0;
    struct piece entry = {NULL, 0};
    struct piece value = {malloc(size + remote_cipher_overhead),
            size + remote_cipher_overhead};
    const struct remote_cipher *cipher = remote_keys_ciphers(keys, &count);
    REQUIRE(value.data != NULL && count == 1);
    if (size > 0) memcpy(value.data + head_size, data, size);
    remote_cipher_encrypt(cipher, a_name, value.data, size);
    REQUIRE(uncover(&entry, none, a_name, value) == remote_encrypted);
    REQUIRE(uncover(&entry, others, a_name, value) == remote_of_another_key);
    REQUIRE(uncover(&entry, keys, another_name, value) == remote_damaged);
    const size_t at = size > 0 ? data[0] * 7919u % value.size : 0;
    value.data[at] ^= 1;
    REQUIRE(uncover(&entry, keys, a_name, value) != remote_intact);
    value.data[at] ^= 1;
    REQUIRE(uncover(&entry, keys, a_name, value) == remote_intact);
    REQUIRE(entry.size == size && entry.data == value.data + head_size);
    REQUIRE(size == 0 || memcmp(entry.data, data, size) == 0);
    read_entry(entry);
    free(value.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_all();
    read_value(data, size);
    read_with_head(data, size);
    encrypt(data, size);
    return 0;
}
