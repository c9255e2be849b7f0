/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/remote_entry.h"

#include "src/common/byte_order.h"
#include "stores/core/store_trailer.h" /* for the limit of IDs */

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include <xxhash.h>
#if DNNL_CACHE_XXHASH_DISPATCH
/* With the widest instructions of the processor: twice as fast. */
#include <xxh_x86dispatch.h>
#endif

static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 'r', 'e', 'm'};

enum { version = 1, checksum_at = 56, head_size = remote_entry_head_size };

_Static_assert(checksum_at + sizeof(XXH128_canonical_t) == head_size,
        "the checksum ends the head");

const char *remote_verdict_text(enum remote_verdict verdict)
{
    switch (verdict) {
    case remote_intact:
        return "intact";
    case remote_damaged:
        return "damaged";
    case remote_newer:
        return "of a newer format";
    case remote_another_id:
        return "has another ID";
    case remote_unproven:
        return "not signed with a key of this store";
    case remote_of_another_key:
        return "encrypted and of another key than encryption_key_file";
    case remote_encrypted:
        return "encrypted: encryption_key_file is not given";
    case remote_not_encrypted:
        return "not encrypted, although encryption_key_file is given";
    }
    return "damaged";
}

size_t remote_entry_most_overhead(const struct remote_keys *keys)
{
    size_t count = 0;
    (void)remote_keys_ciphers(keys, &count);
    return (size_t)remote_entry_overhead
           + (count > 0 ? (size_t)remote_cipher_overhead : 0);
}

bool remote_verdict_is_of_setting(enum remote_verdict verdict)
{
    return verdict == remote_of_another_key || verdict == remote_encrypted
           || verdict == remote_not_encrypted;
}

void remote_entry_name(
        char name[remote_name_size], size_t id_size, const uint8_t *id)
{
    unsigned char digest[32];
    (void)crypto_generichash(digest, sizeof digest, id, id_size, NULL, 0);
    sodium_bin2hex(name, remote_name_size, digest, sizeof digest);
}

void remote_entry_name_with(char name[remote_name_size],
        const struct remote_keys *keys, size_t which, size_t id_size,
        const uint8_t *id)
{
    size_t count = 0;
    const struct remote_cipher *ciphers = remote_keys_ciphers(keys, &count);
    if (which < count)
        remote_cipher_name(name, &ciphers[which], id_size, id);
    else
        remote_entry_name(name, id_size, id);
}

static XXH128_canonical_t checksum(
        const uint8_t head[checksum_at], const struct remote_entry *entry)
{
    XXH3_state_t state;
    XXH128_canonical_t canonical;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, entry->item.id, entry->item.id_size);
    XXH3_128bits_update(&state, entry->blob, (size_t)entry->item.blob_size);
    XXH3_128bits_update(&state, head, checksum_at);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    return canonical;
}

static struct remote_proven proven_of(
        const struct remote_entry *entry, const uint8_t *head)
{
    return (struct remote_proven){
            .id_size = entry->item.id_size,
            .id = entry->item.id,
            .blob_size = (size_t)entry->item.blob_size,
            .blob = entry->blob,
            .head_size = head_size,
            .head = head,
    };
}

/* ---- Writing ------------------------------------------------------------- */

static void write_head(uint8_t head[head_size],
        const struct remote_entry *entry, enum remote_proof proof)
{
    memcpy(head, magic, sizeof magic);
    store_le32(head + 8, version);
    store_le32(head + 12, (uint32_t)proof);
    store_le32(head + 16, (uint32_t)entry->item.kind);
    store_le32(head + 20, 0);
    store_le64(head + 24, entry->item.id_size);
    store_le64(head + 32, entry->item.blob_size);
    store_le64(head + 40, entry->item.created_ns);
    store_le64(head + 48, entry->item.compile_ns);
    const XXH128_canonical_t sum = checksum(head, entry);
    memcpy(head + checksum_at, sum.digest, sizeof sum.digest);
}

/* Into total bytes. */
static void write_entry(uint8_t *made, size_t total,
        const struct remote_entry *entry, const struct remote_keys *keys)
{
    const enum remote_proof proof = remote_keys_proof(keys);
    const size_t proof_size = remote_proof_size(proof);
    uint8_t *at = made + head_size;
    write_head(made, entry, proof);
    memcpy(at, entry->item.id, entry->item.id_size);
    at += entry->item.id_size;
    memcpy(at, entry->blob, total - proof_size - (size_t)(at - made));
    if (proof_size == 0) return;
    uint8_t all[remote_proof_max];
    const struct remote_proven proven = proven_of(entry, made);
    remote_keys_make(keys, all, &proven);
    memcpy(made + total - proof_size, all, proof_size);
}

int remote_entry_encode(uint8_t **bytes, size_t *size,
        const struct remote_entry *entry, const struct remote_keys *keys)
{
    const size_t id_size = entry->item.id_size;
    if (!remote_keys_can_make(keys)) return EPERM;
    if (id_size == 0 || id_size > STORE_MAX_ID_BYTES
            || entry->item.blob_size == 0
            || entry->item.blob_size > SIZE_MAX / 2 - STORE_MAX_ID_BYTES
                                               - remote_entry_overhead
                                               - remote_cipher_overhead)
        return EOVERFLOW;
    size_t cipher_count = 0;
    const struct remote_cipher *cipher =
            remote_keys_ciphers(keys, &cipher_count);
    const size_t before = cipher_count > 0 ? remote_cipher_head_size : 0;
    const size_t after = cipher_count > 0 ? remote_cipher_tag_size : 0;
    const size_t total = head_size + id_size + (size_t)entry->item.blob_size
                         + remote_proof_size(remote_keys_proof(keys));
    uint8_t *made = malloc(before + total + after);
    if (made == NULL) return ENOMEM;
    write_entry(made + before, total, entry, keys);
    if (cipher_count > 0) {
        char name[remote_name_size];
        remote_entry_name_with(name, keys, 0, id_size, entry->item.id);
        remote_cipher_encrypt(cipher, name, made, total);
    }
    *bytes = made;
    *size = before + total + after;
    return 0;
}

/* ---- Reading ------------------------------------------------------------- */

/* Of a head: how many bytes the entry has. False: it is none. */
static bool read_size(uint64_t *size, const uint8_t *head)
{
    const uint32_t proof = load_le32(head + 12);
    const uint64_t id_size = load_le64(head + 24);
    const uint64_t blob_size = load_le64(head + 32);
    if (load_le32(head + 8) != version || proof > remote_proof_signature
            || id_size > STORE_MAX_ID_BYTES)
        return false;
    const uint64_t rest = (uint64_t)head_size + id_size
                          + remote_proof_size((enum remote_proof)proof);
    *size = blob_size <= UINT64_MAX - rest ? rest + blob_size : UINT64_MAX;
    return true;
}

bool remote_entry_is_begun(
        size_t size, const uint8_t *bytes, uint64_t max_bytes)
{
    /* Both begin alike. */
    if (remote_cipher_is_begun(size, bytes, max_bytes)) return true;
    const size_t known = size < sizeof magic ? size : sizeof magic;
    if (known > 0 && memcmp(bytes, magic, known) != 0) return false;
    if (size < head_size) return true;
    /* Whatever else it is, it will be of no use here. */
    uint64_t whole;
    return read_size(&whole, bytes) && whole <= max_bytes && size <= whole;
}

bool remote_entry_is_longer(
        size_t size, const uint8_t *bytes, uint64_t max_bytes)
{
    if (remote_cipher_is_longer(size, bytes, max_bytes)) return true;
    uint64_t whole;
    return size >= head_size && memcmp(bytes, magic, sizeof magic) == 0
           && read_size(&whole, bytes) && whole > max_bytes;
}

static enum remote_verdict verdict_of(enum remote_decrypted decrypted)
{
    switch (decrypted) {
    case remote_decrypted_well:
        return remote_intact;
    case remote_decrypted_newer:
        return remote_newer;
    case remote_decrypted_another_key:
        return remote_of_another_key;
    case remote_decrypted_damaged:
        break;
    }
    return remote_damaged;
}

static bool has_magic(size_t size, const uint8_t *bytes)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

enum remote_verdict remote_entry_uncover(size_t *at, size_t *entry_size,
        const char *name, size_t size, uint8_t *bytes,
        const struct remote_keys *keys)
{
    size_t count = 0;
    const struct remote_cipher *ciphers = remote_keys_ciphers(keys, &count);
    *at = count > 0 ? remote_cipher_head_size : 0;
    *entry_size = size;
    if (count > 0)
        return has_magic(size, bytes)
                       ? remote_not_encrypted
                       : verdict_of(remote_cipher_decrypt(
                               entry_size, ciphers, count, name, size, bytes));
    return size >= sizeof magic && remote_cipher_is_encrypted(size, bytes)
                   ? remote_encrypted
                   : remote_intact;
}

/* The parts as the head tells them, if they are exactly what is there. */
static enum remote_verdict read_parts(struct remote_entry *entry,
        enum remote_proof *proof, size_t size, const uint8_t *bytes)
{
    if (size < head_size || memcmp(bytes, magic, sizeof magic) != 0)
        return remote_damaged;
    if (load_le32(bytes + 8) > version) return remote_newer;
    const uint32_t kind_of_proof = load_le32(bytes + 12);
    const uint64_t id_size = load_le64(bytes + 24);
    const uint64_t blob_size = load_le64(bytes + 32);
    uint64_t left = size - head_size;
    if (load_le32(bytes + 8) != version
            || kind_of_proof > remote_proof_signature
            || load_le32(bytes + 20) != 0)
        return remote_damaged;
    *proof = (enum remote_proof)kind_of_proof;
    if (id_size == 0 || id_size > STORE_MAX_ID_BYTES || id_size > left)
        return remote_damaged;
    left -= id_size;
    if (blob_size == 0 || blob_size > left
            || left - blob_size != remote_proof_size(*proof))
        return remote_damaged;
    *entry = (struct remote_entry){
            .item = {.struct_size = sizeof(struct dnnl_cache_store_entry),
                    .id_size = (size_t)id_size,
                    .id = bytes + head_size,
                    .blob_size = blob_size,
                    .created_ns = load_le64(bytes + 40),
                    .used_ns = load_le64(bytes + 40),
                    .compile_ns = load_le64(bytes + 48),
                    .kind = (dnnl_cache_blob_kind_t)load_le32(bytes + 16)},
            .blob = bytes + head_size + (size_t)id_size,
    };
    return remote_intact;
}

/* id NULL: any. */
static enum remote_verdict decode(struct remote_entry *entry, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *bytes,
        const struct remote_keys *keys)
{
    struct remote_entry read;
    enum remote_proof proof = remote_proof_none;
    const enum remote_verdict verdict = read_parts(&read, &proof, size, bytes);
    if (verdict != remote_intact) return verdict;
    const XXH128_canonical_t sum = checksum(bytes, &read);
    if (memcmp(bytes + checksum_at, sum.digest, sizeof sum.digest) != 0)
        return remote_damaged;
    if (id != NULL
            && (read.item.id_size != id_size
                    || memcmp(read.item.id, id, id_size) != 0))
        return remote_another_id;
    const struct remote_proven proven = proven_of(&read, bytes);
    if (!remote_keys_accept(
                keys, proof, read.blob + read.item.blob_size, &proven))
        return remote_unproven;
    *entry = read;
    return remote_intact;
}

enum remote_verdict remote_entry_decode(struct remote_entry *entry, size_t size,
        const uint8_t *bytes, const struct remote_keys *keys)
{
    return decode(entry, 0, NULL, size, bytes, keys);
}

enum remote_verdict remote_entry_decode_as(struct remote_entry *entry,
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *bytes,
        const struct remote_keys *keys)
{
    return decode(entry, id_size, id, size, bytes, keys);
}

void remote_entry_describe(
        dnnl_cache_store_metadata_t *metadata, const uint8_t *bytes)
{
    if (!has_magic(sizeof magic, bytes)) bytes += remote_cipher_head_size;
    metadata->kind = (dnnl_cache_blob_kind_t)load_le32(bytes + 16);
    metadata->compile_ns = load_le64(bytes + 48);
}
