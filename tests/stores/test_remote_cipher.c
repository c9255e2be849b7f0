/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that a server may not read: names, values and keys. */
#include "src/common/byte_order.h"
#include "stores/remote/remote_entry.h"

#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Keys ---------------------------------------------------------------- */

static const char *encryption_key(char path[path_size], const char *name)
{
    path_in_test(path, name);
    if (access(path, F_OK) != 0)
        EXPECT_OK(dnnl_cache_store_encryption_key_make(path));
    return path;
}

static struct remote_keys *open_files(const struct remote_key_files *files)
{
    struct remote_keys *keys = NULL;
    char why[remote_why_size] = "";
    EXPECT_EQ(0, remote_keys_open(&keys, files, why));
    EXPECT_STR_EQ("", why);
    return keys;
}

/* With a key of that name, and an old one unless that is NULL. */
static struct remote_keys *open_keys(const char *name, const char *old_name)
{
    char path[path_size];
    char old_path[path_size];
    return open_files(&(struct remote_key_files){
            .encryption_key = encryption_key(path, name),
            .old_encryption_key = old_name != NULL
                                          ? encryption_key(old_path, old_name)
                                          : NULL});
}

static struct remote_keys *open_plain(void)
{
    return open_files(&(struct remote_key_files){.insecure = true});
}

/* The key of bytes 0, 1, 2 ... 31. */
static struct remote_keys *open_known_key(void)
{
    static const char text[] =
            "dnnl_cache-encryption-key 1 000102030405060708090a0b0c0d0e0f"
            "101112131415161718191a1b1c1d1e1f\n";
    char path[path_size];
    path_in_test(path, "known");
    write_whole(path, text, strlen(text));
    EXPECT_EQ(0, chmod(path, 0600));
    return open_files(&(struct remote_key_files){.encryption_key = path});
}

/* ---- Entries ------------------------------------------------------------- */

static const uint8_t an_id[] = "ID with __kernel void source_of_it() in it";
static const uint8_t a_blob[] = "a blob with the machine code of source_of_it";

struct value {
    uint8_t *data;
    size_t size;
};

static struct value encode(const struct remote_keys *keys)
{
    const struct remote_entry entry = {
            .item = {.id_size = sizeof an_id,
                    .id = an_id,
                    .blob_size = sizeof a_blob,
                    .created_ns = 1234567890123456789u,
                    .used_ns = 1234567890123456789u,
                    .compile_ns = 300000000,
                    .kind = dnnl_cache_blob_kind_program},
            .blob = a_blob,
    };
    struct value made = {NULL, 0};
    EXPECT_EQ(0, remote_entry_encode(&made.data, &made.size, &entry, keys));
    return made;
}

static const char *name_of(char name[remote_name_size],
        const struct remote_keys *keys, size_t which)
{
    remote_entry_name_with(name, keys, which, sizeof an_id, an_id);
    return name;
}

/* What becomes of a value under a name. */
static enum remote_verdict read_as(const uint8_t *data, size_t size,
        const struct remote_keys *keys, const char *name)
{
    struct remote_entry entry = {.blob = a_blob};
    size_t at = 0;
    size_t entry_size = 0;
    /* Of its exact size, for what watches memory. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (size > 0) memcpy(copy, data, size);
    enum remote_verdict verdict =
            remote_entry_uncover(&at, &entry_size, name, size, copy, keys);
    if (verdict == remote_intact)
        verdict = remote_entry_decode_as(
                &entry, sizeof an_id, an_id, entry_size, copy + at, keys);
    if (verdict == remote_intact) {
        dnnl_cache_store_metadata_t metadata = {0};
        EXPECT_BYTES_EQ(a_blob, sizeof a_blob, entry.blob,
                (size_t)entry.item.blob_size);
        EXPECT_TRUE(entry.item.created_ns == 1234567890123456789u);
        remote_entry_describe(&metadata, copy);
        EXPECT_TRUE(metadata.compile_ns == 300000000);
        EXPECT_EQ(dnnl_cache_blob_kind_program, metadata.kind);
    } else {
        EXPECT_PTR_EQ(a_blob, entry.blob);
    }
    free(copy);
    return verdict;
}

static enum remote_verdict read_value(
        const uint8_t *data, size_t size, const struct remote_keys *keys)
{
    char name[remote_name_size];
    return read_as(data, size, keys, name_of(name, keys, 0));
}

static bool has_bytes(
        const uint8_t *data, size_t size, const void *part, size_t part_size)
{
    for (size_t i = 0; i + part_size <= size; i++)
        if (memcmp(data + i, part, part_size) == 0) return true;
    return false;
}

static void expect_round_trip(struct remote_keys *keys, size_t proof_size)
{
    const size_t entry_size =
            remote_entry_head_size + sizeof an_id + sizeof a_blob + proof_size;
    struct value made = encode(keys);
    EXPECT_EQ(remote_cipher_overhead + entry_size, made.size);
    EXPECT_EQ(remote_intact, read_value(made.data, made.size, keys));
    EXPECT_FALSE(has_bytes(made.data, made.size, "source_of_it", 12));
    EXPECT_FALSE(has_bytes(made.data, made.size, "dnnlcrem", 8));
    EXPECT_FALSE(has_bytes(made.data, made.size, an_id, 8));
    EXPECT_FALSE(has_bytes(made.data, made.size, a_blob, 8));
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteCipher, ValuesAreReadAsTheyWereWritten)
{
    char key[path_size];
    char mac[path_size];
    char secret[path_size];
    char public[path_size];
    encryption_key(key, "key");
    path_in_test(mac, "mac");
    path_in_test(secret, "secret");
    path_in_test(public, "public");
    EXPECT_OK(dnnl_cache_store_key_file_make(mac));
    EXPECT_OK(dnnl_cache_store_key_pair_make(secret, public));
    expect_round_trip(open_keys("key", NULL), 0);
    expect_round_trip(open_files(&(struct remote_key_files){
                              .encryption_key = key, .key = mac}),
            32);
    expect_round_trip(open_files(&(struct remote_key_files){
                              .encryption_key = key, .sign_key = secret}),
            64);
}

/* Whoever has the encryption key alone does not make what builders sign. */
TEST_C(RemoteCipher, ASignatureIsNeededBesides)
{
    char key[path_size];
    char secret[path_size];
    char public[path_size];
    encryption_key(key, "key");
    path_in_test(secret, "secret");
    path_in_test(public, "public");
    EXPECT_OK(dnnl_cache_store_key_pair_make(secret, public));
    struct remote_keys *all = open_keys("key", NULL);
    struct remote_keys *reader = open_files(&(struct remote_key_files){
            .encryption_key = key, .public_key = public});
    struct value made = encode(all);
    EXPECT_FALSE(remote_keys_can_make(reader));
    EXPECT_EQ(remote_unproven, read_value(made.data, made.size, reader));
    free(made.data);
    remote_keys_close(all);
    remote_keys_close(reader);
}

/* By another implementation of BLAKE2b: Python's hashlib. */
TEST_C(RemoteCipher, NamesAndNumbersAreThoseOfTheFormat)
{
    static const uint8_t number[remote_cipher_number_size] = {0x78, 0x39, 0xbc,
            0xe7, 0xdd, 0x91, 0x80, 0xad, 0xcc, 0x0f, 0x6d, 0x01, 0xc8, 0x14,
            0x17, 0x8a};
    char name[remote_name_size];
    struct remote_keys *keys = open_known_key();
    remote_entry_name_with(name, keys, 0, 3, (const uint8_t *)"abc");
    EXPECT_STR_EQ("c3b389cf0f27802cd28dc0d719e6ee5c"
                  "74981eef0c50615326e3732b3f5d86c2",
            name);
    struct value made = encode(keys);
    EXPECT_EQ(0, memcmp("dnnlcenc\1\0\0\0\0\0\0\0", made.data, 16));
    EXPECT_BYTES_EQ(number, sizeof number, made.data + 16, sizeof number);
    EXPECT_EQ(made.size - remote_cipher_overhead, load_le64(made.data + 32));
    free(made.data);
    remote_keys_close(keys);
}

/* tests/fuzz/encrypted_value.py wrote it, with Python alone. */
TEST_C(RemoteCipher, ValuesOfAnotherImplementationAreRead)
{
    char name[remote_name_size];
    size_t size = 0;
    size_t at = 0;
    size_t entry_size = 0;
    size_t plain_size = 0;
    static const char corpus[] = DNNL_CACHE_TEST_DATA_DIR "/../fuzz/corpus";
    char path[path_size];
    struct remote_keys *keys = open_known_key();
    snprintf(path, sizeof path, "%s/fuzz_remote_cipher/entry", corpus);
    uint8_t *value = read_whole(path, &size);
    snprintf(path, sizeof path, "%s/fuzz_remote_entry/plain", corpus);
    uint8_t *plain = read_whole(path, &plain_size);
    memset(name, '0', 64);
    name[64] = '\0';
    ASSERT_EQ(remote_intact,
            remote_entry_uncover(&at, &entry_size, name, size, value, keys));
    EXPECT_BYTES_EQ(plain, plain_size, value + at, entry_size);
    free(value);
    free(plain);
    remote_keys_close(keys);
}

TEST_C(RemoteCipher, NamesTellNothingWithoutTheKey)
{
    char names[3][remote_name_size];
    struct remote_keys *one = open_keys("one", NULL);
    struct remote_keys *other = open_keys("other", NULL);
    name_of(names[0], one, 0);
    name_of(names[1], other, 0);
    remote_entry_name(names[2], sizeof an_id, an_id);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(64, strlen(names[i]));
        EXPECT_NE(0, strcmp(names[i], names[(i + 1) % 3]));
    }
    remote_keys_close(one);
    remote_keys_close(other);
}

TEST_C(RemoteCipher, NoValueIsMadeTwice)
{
    struct remote_keys *keys = open_keys("key", NULL);
    struct value one = encode(keys);
    struct value other = encode(keys);
    ASSERT_EQ(one.size, other.size);
    /* Of 24 bytes of chance, and of all that is behind them, few are equal. */
    size_t same = 0;
    for (size_t i = 40; i < one.size; i++)
        same += one.data[i] == other.data[i];
    EXPECT_LE(same, 20);
    free(one.data);
    free(other.data);
    remote_keys_close(keys);
}

/* ---- What is refused ----------------------------------------------------- */

static void expect_no_flip(
        const struct remote_keys *maker, const struct remote_keys *reader)
{
    char name[remote_name_size];
    struct value made = encode(maker);
    name_of(name, maker, 0);
    for (size_t i = 0; i < made.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            made.data[i] ^= (uint8_t)(1 << bit);
            const enum remote_verdict verdict =
                    read_as(made.data, made.size, reader, name);
            if (i >= 8 && i < 12)
                EXPECT_TRUE(
                        verdict == remote_newer || verdict == remote_damaged);
            else
                EXPECT_EQ(remote_damaged, verdict);
            made.data[i] ^= (uint8_t)(1 << bit);
        }
    EXPECT_EQ(remote_intact, read_as(made.data, made.size, reader, name));
    free(made.data);
}

/* Also of the key before, which is not the first that is tried. */
TEST_C(RemoteCipher, AFlippedBitIsRefused)
{
    struct remote_keys *keys = open_keys("key", NULL);
    struct remote_keys *renewed = open_keys("newer", "key");
    expect_no_flip(keys, keys);
    expect_no_flip(keys, renewed);
    remote_keys_close(keys);
    remote_keys_close(renewed);
}

TEST_C(RemoteCipher, CutAnywhereOrLongerIsRefused)
{
    struct remote_keys *keys = open_keys("key", NULL);
    struct value made = encode(keys);
    uint8_t *longer = calloc(1, made.size + 1);
    memcpy(longer, made.data, made.size);
    for (size_t size = 0; size < made.size; size++) {
        EXPECT_EQ(remote_damaged, read_value(made.data, size, keys));
        /* With a head that tells the new length, too. */
        if (size < remote_cipher_overhead) continue;
        store_le64(longer + 32, size - remote_cipher_overhead);
        EXPECT_EQ(remote_damaged, read_value(longer, size, keys));
    }
    store_le64(longer + 32, made.size + 1 - remote_cipher_overhead);
    EXPECT_EQ(remote_damaged, read_value(longer, made.size + 1, keys));
    store_le64(longer + 32, UINT64_MAX);
    EXPECT_EQ(remote_damaged, read_value(longer, made.size, keys));
    free(longer);
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteCipher, UnderAnotherNameIsRefused)
{
    char name[remote_name_size];
    struct remote_keys *keys = open_keys("key", NULL);
    struct value made = encode(keys);
    remote_entry_name_with(name, keys, 0, sizeof an_id - 1, an_id);
    EXPECT_EQ(remote_damaged, read_as(made.data, made.size, keys, name));
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteCipher, OfAnotherKeyIsCalledThat)
{
    struct remote_keys *one = open_keys("one", NULL);
    struct remote_keys *other = open_keys("other", NULL);
    struct value made = encode(one);
    const enum remote_verdict verdict = read_value(made.data, made.size, other);
    EXPECT_EQ(remote_of_another_key, verdict);
    EXPECT_TRUE(remote_verdict_is_of_setting(verdict));
    EXPECT_NOT_NULL(strstr(remote_verdict_text(verdict), "of another key"));
    EXPECT_NULL(strstr(remote_verdict_text(verdict), "damaged"));
    free(made.data);
    remote_keys_close(one);
    remote_keys_close(other);
}

TEST_C(RemoteCipher, TwoKeysAreValidAtOnce)
{
    char name[remote_name_size];
    struct remote_keys *old = open_keys("old", NULL);
    struct remote_keys *both = open_keys("new", "old");
    struct remote_keys *new = open_keys("new", NULL);
    struct value of_old = encode(old);
    struct value of_both = encode(both);
    EXPECT_EQ(1, remote_keys_names(old));
    EXPECT_EQ(2, remote_keys_names(both));
    EXPECT_EQ(remote_intact,
            read_as(of_old.data, of_old.size, both, name_of(name, both, 1)));
    EXPECT_EQ(remote_intact, read_value(of_both.data, of_both.size, both));
    EXPECT_EQ(remote_intact, read_value(of_both.data, of_both.size, new));
    EXPECT_EQ(
            remote_of_another_key, read_value(of_both.data, of_both.size, old));
    EXPECT_EQ(remote_of_another_key, read_value(of_old.data, of_old.size, new));
    /* The same key twice is one. */
    struct remote_keys *same = open_keys("new", "new");
    EXPECT_EQ(1, remote_keys_names(same));
    free(of_old.data);
    free(of_both.data);
    remote_keys_close(old);
    remote_keys_close(both);
    remote_keys_close(new);
    remote_keys_close(same);
}

TEST_C(RemoteCipher, EntriesOfTheOtherSortAreRefused)
{
    struct remote_keys *keys = open_keys("key", NULL);
    struct remote_keys *plain = open_plain();
    struct value encrypted = encode(keys);
    struct value open = encode(plain);
    EXPECT_EQ(remote_not_encrypted, read_value(open.data, open.size, keys));
    EXPECT_EQ(remote_encrypted,
            read_value(encrypted.data, encrypted.size, plain));
    EXPECT_EQ(remote_intact, read_value(open.data, open.size, plain));
    free(encrypted.data);
    free(open.data);
    remote_keys_close(keys);
    remote_keys_close(plain);
}

/* ---- What arrives -------------------------------------------------------- */

TEST_C(RemoteCipher, WhatMayBecomeAValueIsSeenAsItComes)
{
    struct remote_keys *keys = open_keys("key", NULL);
    struct value made = encode(keys);
    for (size_t size = 0; size <= made.size; size++)
        EXPECT_TRUE(remote_entry_is_begun(size, made.data, made.size));
    EXPECT_FALSE(remote_entry_is_begun(made.size + 1, made.data, made.size));
    made.data[8]++; /* a newer version */
    EXPECT_FALSE(remote_entry_is_begun(made.size, made.data, made.size));
    EXPECT_FALSE(remote_entry_is_longer(made.size, made.data, 0));
    free(made.data);
    remote_keys_close(keys);
}

/* One byte more than there may be is too much, and not damage. */
TEST_C(RemoteCipher, WhatIsALittleTooLongIsCalledThat)
{
    struct remote_keys *all[] = {open_keys("key", NULL), open_plain()};
    for (size_t i = 0; i < COUNT(all); i++) {
        struct value made = encode(all[i]);
        const size_t known = made.size - 1; /* when it is cut off */
        for (size_t most = 0; most < made.size; most++) {
            EXPECT_TRUE(remote_entry_is_longer(known, made.data, most));
            EXPECT_FALSE(remote_entry_is_begun(known, made.data, most));
        }
        EXPECT_FALSE(remote_entry_is_longer(known, made.data, made.size));
        EXPECT_TRUE(remote_entry_is_begun(known, made.data, made.size));
        free(made.data);
        remote_keys_close(all[i]);
    }
}

/* ---- Files --------------------------------------------------------------- */

/* The reason, for a look; "" if the keys were opened. */
static const char *refusal(const struct remote_key_files *files)
{
    static char why[remote_why_size];
    struct remote_keys *keys = NULL;
    why[0] = '\0';
    if (remote_keys_open(&keys, files, why) == 0) {
        remote_keys_close(keys);
        return "";
    }
    EXPECT_NULL(keys);
    EXPECT_TRUE(why[0] != '\0');
    return why;
}

static void expect_refusal(
        const struct remote_key_files *files, const char *part)
{
    const char *why = refusal(files);
    if (strstr(why, part) == NULL) EXPECT_STR_EQ(part, why);
}

TEST_C(RemoteCipher, AKeyIsForOneThing)
{
    static const char two_uses[] = "one file is named for encryption and for";
    static const char not_one[] = "not a key of dnnl-cache key make-encryption";
    char key[path_size];
    char mac[path_size];
    char secret[path_size];
    char public[path_size];
    char link_path[path_size];
    encryption_key(key, "key");
    path_in_test(mac, "mac");
    path_in_test(secret, "secret");
    path_in_test(public, "public");
    EXPECT_OK(dnnl_cache_store_key_file_make(mac));
    EXPECT_OK(dnnl_cache_store_key_pair_make(secret, public));
    const struct remote_key_files same[] = {
            {.encryption_key = key, .key = key},
            {.encryption_key = mac, .key = mac},
            {.encryption_key = secret, .sign_key = secret},
            {.encryption_key = public, .public_key = public},
            {.encryption_key = key, .old_encryption_key = mac, .key = mac},
            {.encryption_key = key, .key = mac, .old_key = key},
    };
    for (size_t i = 0; i < COUNT(same); i++)
        expect_refusal(&same[i], two_uses);
    /* Under another name, too. */
    const struct remote_key_files others[] = {
            {.encryption_key = mac}, {.encryption_key = secret}};
    for (size_t i = 0; i < COUNT(others); i++)
        expect_refusal(&others[i], not_one);
    expect_refusal(&(struct remote_key_files){.key = key},
            "is an encryption key, which makes no checksums or signatures");
    expect_refusal(&(struct remote_key_files){.sign_key = key},
            "not a secret key of dnnl-cache key make-pair");
    EXPECT_TRUE(
            refusal(&(struct remote_key_files){.public_key = key})[0] != '\0');
    path_in_test(link_path, "copy");
    run_shell("cp -p '%s' '%s'", key, link_path);
    expect_refusal(
            &(struct remote_key_files){.encryption_key = key, .key = link_path},
            "is an encryption key, which makes no checksums or signatures");
}

TEST_C(RemoteCipher, KeysThatMakeNoSenseAreRefused)
{
    char key[path_size];
    encryption_key(key, "key");
    expect_refusal(&(struct remote_key_files){.old_encryption_key = key},
            "old_encryption_key_file needs encryption_key_file");
    expect_refusal(
            &(struct remote_key_files){.encryption_key = key, .insecure = true},
            "insecure=1 excludes keys");
    expect_refusal(&(struct remote_key_files){.key = NULL},
            "encryption_key_file=FILE");
    expect_refusal(&(struct remote_key_files){.encryption_key = "/nowhere/key"},
            "/nowhere/key: ");
    EXPECT_EQ(0, chmod(key, 0640));
    expect_refusal(&(struct remote_key_files){.encryption_key = key},
            "others may use it");
}

TEST_C(RemoteCipher, KeyFilesThatAreDamagedAreRefused)
{
    static const char *const bad[] = {"dnnl_cache-encryption-key 1 ",
            "dnnl_cache-encryption-key 2 000102030405060708090a0b0c0d0e0f"
            "101112131415161718191a1b1c1d1e1f\n",
            "dnnl_cache-encryption-key 1 000102030405060708090a0b0c0d0e0f"
            "101112131415161718191a1b1c1d1e1\n",
            "dnnl_cache-encryption-key 1 000102030405060708090a0b0c0d0e0f"
            "101112131415161718191a1b1c1d1e1f\n\n",
            "0001020304050607080910111213141516"};
    char path[path_size];
    path_in_test(path, "bad");
    for (size_t i = 0; i < COUNT(bad); i++) {
        write_whole(path, bad[i], strlen(bad[i]));
        EXPECT_EQ(0, chmod(path, 0600));
        expect_refusal(&(struct remote_key_files){.encryption_key = path},
                "not a key of dnnl-cache key make-encryption");
        /* Nor is it a secret, but for the one that does not say what it is. */
        if (i + 1 < COUNT(bad))
            expect_refusal(&(struct remote_key_files){.key = path},
                    "is an encryption key");
    }
}

TEST_C(RemoteCipher, KeyFilesAreMadeOnce)
{
    char path[path_size];
    struct stat st;
    encryption_key(path, "key");
    EXPECT_EQ(0, stat(path, &st));
    EXPECT_EQ(0600, st.st_mode & 0777);
    EXPECT_EQ(28 + 64 + 1, st.st_size);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_store_encryption_key_make(path));
    EXPECT_EQ(EEXIST, errno);
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_store_encryption_key_make(NULL));
}
