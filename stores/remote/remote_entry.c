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
    }
    return "damaged";
}

void remote_entry_name(
        char name[remote_name_size], size_t id_size, const uint8_t *id)
{
    unsigned char digest[32];
    (void)crypto_generichash(digest, sizeof digest, id, id_size, NULL, 0);
    sodium_bin2hex(name, remote_name_size, digest, sizeof digest);
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

int remote_entry_encode(uint8_t **bytes, size_t *size,
        const struct remote_entry *entry, const struct remote_keys *keys)
{
    const size_t id_size = entry->item.id_size;
    if (!remote_keys_can_make(keys)) return EPERM;
    if (id_size == 0 || id_size > STORE_MAX_ID_BYTES
            || entry->item.blob_size == 0
            || entry->item.blob_size > SIZE_MAX / 2 - STORE_MAX_ID_BYTES
                                               - remote_entry_overhead)
        return EOVERFLOW;
    const size_t blob_size = (size_t)entry->item.blob_size;
    const enum remote_proof proof = remote_keys_proof(keys);
    const size_t proof_size = remote_proof_size(proof);
    const size_t total = head_size + id_size + blob_size + proof_size;
    uint8_t *made = malloc(total);
    if (made == NULL) return ENOMEM;
    write_head(made, entry, proof);
    memcpy(made + head_size, entry->item.id, id_size);
    memcpy(made + head_size + id_size, entry->blob, blob_size);
    if (proof_size > 0) {
        uint8_t all[remote_proof_max];
        const struct remote_proven proven = proven_of(entry, made);
        remote_keys_make(keys, all, &proven);
        memcpy(made + head_size + id_size + blob_size, all, proof_size);
    }
    *bytes = made;
    *size = total;
    return 0;
}

/* ---- Reading ------------------------------------------------------------- */

bool remote_entry_is_begun(
        size_t size, const uint8_t *bytes, uint64_t max_bytes)
{
    const size_t known = size < sizeof magic ? size : sizeof magic;
    if (known > 0 && memcmp(bytes, magic, known) != 0) return false;
    if (size < head_size) return true;
    /* Whatever it is, it will be of no use here. */
    if (load_le32(bytes + 8) != version) return false;
    const uint64_t id_size = load_le64(bytes + 24);
    const uint64_t blob_size = load_le64(bytes + 32);
    return id_size <= STORE_MAX_ID_BYTES && blob_size <= max_bytes
           && size <= remote_entry_overhead + id_size + blob_size;
}

bool remote_entry_is_longer(
        size_t size, const uint8_t *bytes, uint64_t max_bytes)
{
    return size >= head_size && memcmp(bytes, magic, sizeof magic) == 0
           && load_le32(bytes + 8) == version
           && load_le64(bytes + 32) > max_bytes;
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
    metadata->kind = (dnnl_cache_blob_kind_t)load_le32(bytes + 16);
    metadata->compile_ns = load_le64(bytes + 48);
}
