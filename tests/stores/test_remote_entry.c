/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of remote stores and the keys that prove who wrote them. */
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
#include <xxhash.h>

enum { id_at = remote_entry_head_size, checksum_at = 56 };

/* ---- Keys ---------------------------------------------------------------- */

static struct remote_keys *open_keys(const struct remote_key_files *files)
{
    struct remote_keys *keys = NULL;
    char why[remote_why_size] = "";
    EXPECT_EQ(0, remote_keys_open(&keys, files, why));
    EXPECT_STR_EQ("", why);
    return keys;
}

/* Key files of this test, made when they are first asked for. */
static const char *key_file(char path[path_size], const char *name)
{
    path_in_test(path, name);
    if (access(path, F_OK) != 0)
        EXPECT_OK(dnnl_cache_store_key_file_make(path));
    return path;
}

struct pair {
    char secret[path_size];
    char public[path_size];
};

static void make_pair(struct pair *pair, const char *name)
{
    char file[64];
    (void)snprintf(file, sizeof file, "%s.secret", name);
    path_in_test(pair->secret, file);
    (void)snprintf(file, sizeof file, "%s.public", name);
    path_in_test(pair->public, file);
    EXPECT_OK(dnnl_cache_store_key_pair_make(pair->secret, pair->public));
}

static struct remote_keys *open_insecure(void)
{
    return open_keys(&(struct remote_key_files){.insecure = true});
}

static struct remote_keys *open_mac(const char *name)
{
    char path[path_size];
    return open_keys(&(struct remote_key_files){.key = key_file(path, name)});
}

static struct remote_keys *open_signer(const struct pair *pair)
{
    return open_keys(&(struct remote_key_files){.sign_key = pair->secret});
}

static struct remote_keys *open_reader(const struct pair *pair)
{
    return open_keys(&(struct remote_key_files){.public_key = pair->public});
}

/* ---- Entries ------------------------------------------------------------- */

static const uint8_t an_id[] = "the ID of a program, as long as it may be";
static const uint8_t a_blob[] = "what its blob has in it, byte for byte";

static struct remote_entry sample(void)
{
    return (struct remote_entry){
            .item = {.id_size = sizeof an_id,
                    .id = an_id,
                    .blob_size = sizeof a_blob,
                    .created_ns = 1234567890123456789u,
                    .used_ns = 1234567890123456789u,
                    .compile_ns = 300000000,
                    .kind = dnnl_cache_blob_kind_program},
            .blob = a_blob,
    };
}

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes encode(const struct remote_keys *keys)
{
    const struct remote_entry entry = sample();
    struct bytes made = {NULL, 0};
    EXPECT_EQ(0, remote_entry_encode(&made.data, &made.size, &entry, keys));
    return made;
}

/* The verdict, after a look whether the output is as it says. */
static enum remote_verdict decode(
        const uint8_t *data, size_t size, const struct remote_keys *keys)
{
    struct remote_entry entry = {.blob = a_blob};
    /* Of its exact size, for what watches memory. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (size > 0) memcpy(copy, data, size);
    const enum remote_verdict verdict = remote_entry_decode_as(
            &entry, sizeof an_id, an_id, size, copy, keys);
    if (verdict == remote_intact)
        EXPECT_BYTES_EQ(a_blob, sizeof a_blob, entry.blob,
                (size_t)entry.item.blob_size);
    else
        EXPECT_PTR_EQ(a_blob, entry.blob);
    free(copy);
    return verdict;
}

static void expect_same(
        const struct remote_entry *a, const struct remote_entry *b)
{
    EXPECT_BYTES_EQ(a->item.id, a->item.id_size, b->item.id, b->item.id_size);
    EXPECT_BYTES_EQ(a->blob, (size_t)a->item.blob_size, b->blob,
            (size_t)b->item.blob_size);
    EXPECT_TRUE(a->item.created_ns == b->item.created_ns);
    EXPECT_TRUE(a->item.used_ns == b->item.used_ns);
    EXPECT_TRUE(a->item.compile_ns == b->item.compile_ns);
    EXPECT_EQ(a->item.kind, b->item.kind);
}

static void expect_round_trip(struct remote_keys *keys, size_t proof_size)
{
    const struct remote_entry entry = sample();
    struct remote_entry read;
    struct bytes made = encode(keys);
    EXPECT_EQ(
            remote_entry_head_size + sizeof an_id + sizeof a_blob + proof_size,
            made.size);
    EXPECT_EQ(remote_intact,
            remote_entry_decode(&read, made.size, made.data, keys));
    expect_same(&entry, &read);
    EXPECT_EQ(remote_intact, decode(made.data, made.size, keys));
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteEntry, IsReadAsItWasWritten)
{
    struct pair pair;
    make_pair(&pair, "pair");
    expect_round_trip(open_insecure(), 0);
    expect_round_trip(open_mac("key"), 32);
    expect_round_trip(open_signer(&pair), 64);
}

TEST_C(RemoteEntry, IsNamedByTheDigestOfItsId)
{
    char name[remote_name_size];
    remote_entry_name(name, 3, (const uint8_t *)"abc");
    EXPECT_STR_EQ("bddd813c634239723171ef3fee98579b"
                  "94964e3bb1cb3e427262c8c068d52319",
            name);
}

TEST_C(RemoteEntry, IsRefusedWithoutBytesOrId)
{
    struct remote_keys *keys = open_insecure();
    struct remote_entry entry = sample();
    uint8_t *data = NULL;
    size_t size = 7;
    entry.item.blob_size = 0;
    EXPECT_EQ(EOVERFLOW, remote_entry_encode(&data, &size, &entry, keys));
    entry = sample();
    entry.item.id_size = 0;
    EXPECT_EQ(EOVERFLOW, remote_entry_encode(&data, &size, &entry, keys));
    entry = sample();
    entry.item.blob_size = UINT64_MAX - 3;
    EXPECT_EQ(EOVERFLOW, remote_entry_encode(&data, &size, &entry, keys));
    EXPECT_NULL(data);
    EXPECT_EQ(7, size);
    remote_keys_close(keys);
}

static void expect_no_flip(struct remote_keys *keys)
{
    struct bytes made = encode(keys);
    for (size_t i = 0; i < made.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            made.data[i] ^= (uint8_t)(1 << bit);
            EXPECT_NE(remote_intact, decode(made.data, made.size, keys));
            made.data[i] ^= (uint8_t)(1 << bit);
        }
    EXPECT_EQ(remote_intact, decode(made.data, made.size, keys));
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteEntry, WithAFlippedBitIsRefused)
{
    struct pair pair;
    make_pair(&pair, "pair");
    expect_no_flip(open_insecure());
    expect_no_flip(open_mac("key"));
    expect_no_flip(open_signer(&pair));
}

static void expect_no_cut(struct remote_keys *keys)
{
    struct bytes made = encode(keys);
    uint8_t *longer = calloc(1, made.size + 80);
    for (size_t size = 0; size < made.size; size++)
        EXPECT_EQ(remote_damaged, decode(made.data, size, keys));
    memcpy(longer, made.data, made.size);
    for (size_t more = 1; more <= 80; more++)
        EXPECT_EQ(remote_damaged, decode(longer, made.size + more, keys));
    free(longer);
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteEntry, CutAnywhereOrLongerIsRefused)
{
    struct pair pair;
    make_pair(&pair, "pair");
    expect_no_cut(open_insecure());
    expect_no_cut(open_mac("key"));
    expect_no_cut(open_signer(&pair));
}

/* Makes the checksum right, as anybody can. */
static void seal(struct bytes *made, size_t id_size, size_t blob_size)
{
    XXH128_canonical_t sum;
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, made->data + id_at, id_size + blob_size);
    XXH3_128bits_update(state, made->data, checksum_at);
    XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(state));
    memcpy(made->data + checksum_at, sum.digest, sizeof sum.digest);
    XXH3_freeState(state);
}

/* Every byte that a forger changes and seals again is missed without a key, and
 * found with one. */
static void expect_no_forgery(
        struct remote_keys *keys, enum remote_verdict expected)
{
    struct bytes made = encode(keys);
    const size_t blob_at = id_at + sizeof an_id;
    for (size_t i = blob_at; i < blob_at + sizeof a_blob; i++) {
        struct remote_entry entry = {.blob = NULL};
        made.data[i] ^= 1;
        seal(&made, sizeof an_id, sizeof a_blob);
        EXPECT_EQ(expected, remote_entry_decode_as(&entry, sizeof an_id, an_id,
                                    made.size, made.data, keys));
        made.data[i] ^= 1;
    }
    static const size_t in_head[] = {16, 40, 48}; /* kind, created, compile */
    for (size_t i = 0; i < COUNT(in_head); i++) {
        made.data[in_head[i]] ^= 2;
        seal(&made, sizeof an_id, sizeof a_blob);
        EXPECT_EQ(expected, decode(made.data, made.size, keys));
        made.data[in_head[i]] ^= 2;
    }
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteEntry, ThatWasForgedIsRefusedIfThereIsAKey)
{
    struct pair pair;
    make_pair(&pair, "pair");
    expect_no_forgery(open_insecure(), remote_intact);
    expect_no_forgery(open_mac("key"), remote_unproven);
    expect_no_forgery(open_signer(&pair), remote_unproven);
}

/* ID and blob together are the same bytes. */
static void expect_no_shift(struct remote_keys *keys)
{
    struct bytes made = encode(keys);
    struct remote_entry entry;
    store_le64(made.data + 24, sizeof an_id + 1);
    store_le64(made.data + 32, sizeof a_blob - 1);
    seal(&made, sizeof an_id + 1, sizeof a_blob - 1);
    EXPECT_EQ(remote_unproven,
            remote_entry_decode(&entry, made.size, made.data, keys));
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteEntry, WithAnotherBorderOfIdAndBlobIsRefused)
{
    struct pair pair;
    make_pair(&pair, "pair");
    expect_no_shift(open_mac("key"));
    expect_no_shift(open_signer(&pair));
}

static void expect_no_swap(struct remote_keys *keys)
{
    static const uint8_t another_id[sizeof an_id] = "another ID";
    struct remote_entry entry = sample();
    struct remote_entry read;
    struct bytes first = encode(keys);
    struct bytes second = {NULL, 0};
    entry.item.id = another_id;
    EXPECT_EQ(0, remote_entry_encode(&second.data, &second.size, &entry, keys));
    EXPECT_EQ(remote_another_id, decode(second.data, second.size, keys));
    EXPECT_EQ(
            remote_intact, remote_entry_decode_as(&read, sizeof another_id,
                                   another_id, second.size, second.data, keys));
    /* The other's ID, with all else of this one. */
    memcpy(first.data + id_at, another_id, sizeof another_id);
    seal(&first, sizeof an_id, sizeof a_blob);
    EXPECT_NE(remote_intact, remote_entry_decode_as(&read, sizeof another_id,
                                     another_id, first.size, first.data, keys));
    free(first.data);
    free(second.data);
    remote_keys_close(keys);
}

TEST_C(RemoteEntry, OfAnotherIdIsRefused)
{
    struct pair pair;
    make_pair(&pair, "pair");
    expect_no_swap(open_mac("key"));
    expect_no_swap(open_signer(&pair));
}

TEST_C(RemoteEntry, OfALongerOrShorterIdIsRefused)
{
    struct remote_keys *keys = open_mac("key");
    struct bytes made = encode(keys);
    struct remote_entry read;
    uint8_t longer[sizeof an_id + 1];
    memcpy(longer, an_id, sizeof an_id);
    longer[sizeof an_id] = 0;
    EXPECT_EQ(remote_another_id, remote_entry_decode_as(&read, sizeof longer,
                                         longer, made.size, made.data, keys));
    EXPECT_EQ(remote_another_id, remote_entry_decode_as(&read, sizeof an_id - 1,
                                         an_id, made.size, made.data, keys));
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteEntry, OfANewerFormatIsToldApart)
{
    struct remote_keys *keys = open_insecure();
    struct bytes made = encode(keys);
    store_le32(made.data + 8, 2);
    EXPECT_EQ(remote_newer, decode(made.data, made.size, keys));
    store_le32(made.data + 8, 0);
    EXPECT_EQ(remote_damaged, decode(made.data, made.size, keys));
    free(made.data);
    remote_keys_close(keys);
}

/* ---- Who accepts whose --------------------------------------------------- */

TEST_C(RemoteKeys, AcceptOnlyTheirOwn)
{
    enum { insecure, mac, other_mac, signer, other_signer, count };
    struct pair pair;
    struct pair other;
    make_pair(&pair, "pair");
    make_pair(&other, "other");
    struct remote_keys *all[count] = {open_insecure(), open_mac("key"),
            open_mac("other_key"), open_signer(&pair), open_signer(&other)};
    for (int writer = 0; writer < count; writer++) {
        struct bytes made = encode(all[writer]);
        for (int reader = 0; reader < count; reader++)
            EXPECT_EQ(reader == insecure || reader == writer ? remote_intact
                                                             : remote_unproven,
                    decode(made.data, made.size, all[reader]));
        free(made.data);
    }
    for (int i = 0; i < count; i++)
        remote_keys_close(all[i]);
}

/* The proof's kind is part of what is proven, and cannot be taken off. */
TEST_C(RemoteKeys, AcceptNoEntryWhoseProofWasTakenOff)
{
    struct remote_keys *keys = open_mac("key");
    struct bytes made = encode(keys);
    store_le32(made.data + 12, remote_proof_none);
    seal(&made, sizeof an_id, sizeof a_blob);
    EXPECT_EQ(remote_unproven, decode(made.data, made.size - 32, keys));
    free(made.data);
    remote_keys_close(keys);
}

TEST_C(RemoteKeys, OfAHostThatOnlyVerifiesMakeNothing)
{
    struct pair pair;
    make_pair(&pair, "pair");
    const struct remote_entry entry = sample();
    struct remote_keys *signer = open_signer(&pair);
    struct remote_keys *reader = open_reader(&pair);
    struct bytes none = {NULL, 0};
    struct bytes made = encode(signer);
    EXPECT_TRUE(remote_keys_can_make(signer));
    EXPECT_FALSE(remote_keys_can_make(reader));
    EXPECT_EQ(
            EPERM, remote_entry_encode(&none.data, &none.size, &entry, reader));
    EXPECT_NULL(none.data);
    EXPECT_EQ(remote_intact, decode(made.data, made.size, reader));
    free(made.data);
    remote_keys_close(signer);
    remote_keys_close(reader);
}

static void expect_rotation(struct remote_keys *old_keys,
        struct remote_keys *new_keys, struct remote_keys *both)
{
    struct bytes by_old = encode(old_keys);
    struct bytes by_new = encode(new_keys);
    EXPECT_EQ(remote_intact, decode(by_old.data, by_old.size, both));
    EXPECT_EQ(remote_intact, decode(by_new.data, by_new.size, both));
    EXPECT_EQ(remote_unproven, decode(by_old.data, by_old.size, new_keys));
    if (remote_keys_can_make(both)) {
        struct bytes by_both = encode(both);
        EXPECT_EQ(remote_intact, decode(by_both.data, by_both.size, new_keys));
        EXPECT_EQ(
                remote_unproven, decode(by_both.data, by_both.size, old_keys));
        free(by_both.data);
    }
    free(by_old.data);
    free(by_new.data);
    remote_keys_close(old_keys);
    remote_keys_close(new_keys);
    remote_keys_close(both);
}

TEST_C(RemoteKeys, AcceptTwoWhileKeysChange)
{
    char old_key[path_size];
    char new_key[path_size];
    struct pair old_pair;
    struct pair new_pair;
    make_pair(&old_pair, "old");
    make_pair(&new_pair, "new");
    key_file(old_key, "old_key");
    key_file(new_key, "new_key");
    expect_rotation(open_mac("old_key"), open_mac("new_key"),
            open_keys(&(struct remote_key_files){
                    .key = new_key, .old_key = old_key}));
    expect_rotation(open_signer(&old_pair), open_signer(&new_pair),
            open_keys(&(struct remote_key_files){.public_key = new_pair.public,
                    .old_public_key = old_pair.public}));
    expect_rotation(open_signer(&old_pair), open_signer(&new_pair),
            open_keys(&(struct remote_key_files){.sign_key = new_pair.secret,
                    .public_key = old_pair.public}));
}

/* ---- What is odd --------------------------------------------------------- */

static bool signs_for_nobody(const struct remote_key_files *files)
{
    struct remote_keys *keys = open_keys(files);
    const bool is_odd = remote_keys_sign_for_nobody(keys);
    remote_keys_close(keys);
    return is_odd;
}

TEST_C(RemoteKeys, OfAnotherPairAreSeen)
{
    struct pair a;
    struct pair b;
    struct pair c;
    make_pair(&a, "a");
    make_pair(&b, "b");
    make_pair(&c, "c");
    EXPECT_TRUE(signs_for_nobody(&(struct remote_key_files){
            .public_key = a.public, .sign_key = b.secret}));
    EXPECT_TRUE(
            signs_for_nobody(&(struct remote_key_files){.public_key = a.public,
                    .old_public_key = c.public,
                    .sign_key = b.secret}));
    EXPECT_FALSE(
            signs_for_nobody(&(struct remote_key_files){.public_key = a.public,
                    .old_public_key = b.public,
                    .sign_key = b.secret}));
    EXPECT_FALSE(signs_for_nobody(&(struct remote_key_files){
            .public_key = a.public, .sign_key = a.secret}));
    EXPECT_FALSE(
            signs_for_nobody(&(struct remote_key_files){.sign_key = a.secret}));
    EXPECT_FALSE(signs_for_nobody(
            &(struct remote_key_files){.public_key = a.public}));
}

/* ---- What is refused ----------------------------------------------------- */

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

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

TEST_C(RemoteKeys, AreNeededUnlessTheUrlSaysInsecure)
{
    EXPECT_TRUE(has(
            refusal(&(struct remote_key_files){.key = NULL}), "insecure=1"));
    EXPECT_STR_EQ("", refusal(&(struct remote_key_files){.insecure = true}));
}

TEST_C(RemoteKeys, OfTwoKindsAreRefused)
{
    struct pair pair;
    char key[path_size];
    make_pair(&pair, "pair");
    key_file(key, "key");
    const struct remote_key_files bad[] = {
            {.key = key, .public_key = pair.public},
            {.key = key, .sign_key = pair.secret},
            {.key = key, .insecure = true},
            {.public_key = pair.public, .insecure = true},
            {.old_key = key},
            {.old_key = key, .insecure = true},
            {.old_public_key = pair.public},
            {.sign_key = pair.secret, .old_public_key = pair.public},
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_TRUE(refusal(&bad[i])[0] != '\0');
}

TEST_C(RemoteKeys, OfFilesThatOthersMayUseAreRefused)
{
    struct pair pair;
    char key[path_size];
    char link_path[path_size];
    make_pair(&pair, "pair");
    key_file(key, "key");
    const struct remote_key_files with_key = {.key = key};
    const struct remote_key_files with_secret = {.sign_key = pair.secret};
    const struct remote_key_files with_public = {.public_key = pair.public};
    EXPECT_EQ(0, chmod(key, 0640));
    EXPECT_TRUE(has(refusal(&with_key), "others may use it"));
    EXPECT_EQ(0, chmod(pair.secret, 0604));
    EXPECT_TRUE(has(refusal(&with_secret), "others may use it"));
    /* A public key is no secret, with any mode. */
    const struct remote_key_files publics[] = {
            {.key = pair.public}, {.sign_key = pair.public}};
    for (size_t i = 0; i < 2; i++) {
        EXPECT_EQ(0, chmod(pair.public, i == 0 ? 0600 : 0644));
        EXPECT_TRUE(has(refusal(&publics[0]), "use public_key_file="));
        EXPECT_TRUE(has(refusal(&publics[1]), "use public_key_file="));
    }
    EXPECT_EQ(0, chmod(pair.public, 0664));
    EXPECT_TRUE(has(refusal(&with_public), "others may write to it"));
    EXPECT_EQ(0, chmod(pair.secret, 0600));
    EXPECT_EQ(0, chmod(pair.public, 0644));
    path_in_test(link_path, "link");
    EXPECT_EQ(0, symlink(pair.secret, link_path));
    EXPECT_TRUE(has(refusal(&(struct remote_key_files){.sign_key = link_path}),
            "is a symbolic link: "));
    EXPECT_EQ(0, unlink(link_path));
    EXPECT_EQ(0, symlink(pair.public, link_path));
    EXPECT_STR_EQ(
            "", refusal(&(struct remote_key_files){.public_key = link_path}));
}

TEST_C(RemoteKeys, OfAnotherKindOfFileAreRefused)
{
    static const char *const bad[] = {"", "\n", "dnnl_cache-public-key 1 ",
            "dnnl_cache-public-key 1 00\n",
            "dnnl_cache-public-key 2 00112233445566778899aabbccddeeff"
            "00112233445566778899aabbccddeeff\n",
            "dnnl_cache-public-key 1 00112233445566778899aabbccddeeff"
            "00112233445566778899aabbccddeefg\n",
            "dnnl_cache-public-key 1 00112233445566778899aabbccddeeff"
            "00112233445566778899aabbccddeeff00\n",
            "dnnl_cache-public-key 1 00112233445566778899aabbccddeeff"
            "00112233445566778899aabbccddeeff\n\n"};
    struct pair pair;
    char path[path_size];
    make_pair(&pair, "pair");
    path_in_test(path, "bad");
    for (size_t i = 0; i < COUNT(bad); i++) {
        write_whole(path, bad[i], strlen(bad[i]));
        EXPECT_EQ(0, chmod(path, 0600));
        EXPECT_TRUE(has(refusal(&(struct remote_key_files){.public_key = path}),
                "not a public key"));
    }
    EXPECT_TRUE(
            has(refusal(&(struct remote_key_files){.public_key = pair.secret}),
                    "not a public key"));
    EXPECT_EQ(0, chmod(pair.public, 0600));
    EXPECT_TRUE(
            has(refusal(&(struct remote_key_files){.sign_key = pair.public}),
                    "is a public key"));
    EXPECT_TRUE(has(refusal(&(struct remote_key_files){.key = pair.secret}),
            "is a secret key of signatures: use sign_key_file="));
    EXPECT_TRUE(has(refusal(&(struct remote_key_files){.key = "/nowhere/key"}),
            "/nowhere/key: "));
}

TEST_C(RemoteKeys, AreMadeOnce)
{
    struct pair pair;
    char other[path_size];
    struct stat st;
    make_pair(&pair, "pair");
    path_in_test(other, "other");
    EXPECT_EQ(0, stat(pair.secret, &st));
    EXPECT_EQ(0600, st.st_mode & 0777);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_key_pair_make(pair.secret, other));
    EXPECT_NE(0, access(other, F_OK));
    /* Without its public key a secret one is of no use. */
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_key_pair_make(other, pair.public));
    EXPECT_NE(0, access(other, F_OK));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_key_pair_make(NULL, other));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_key_pair_make(other, NULL));
    remote_keys_close(NULL);
}
