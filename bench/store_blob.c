/* SPDX-License-Identifier: Apache-2.0 */
#include "store_blob.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include <xxhash.h>
#if DNNL_CACHE_XXHASH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

/* The numbers are those of docs/reference/format.md. */
enum {
    header_size = 48,
    checksum_at = 32,
    section_size = 24,
    tag_id = 0x10,
    tag_facts = 0x40,
    kind_engine = 1,
    id_header_size = 12,
    id_field_header_size = 8,
    id_tag_text = 0x0101,
    id_at = header_size + 2 * section_size
};

static void put(uint8_t *at, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

void store_blob_id(uint8_t *id, size_t id_size, unsigned number)
{
    uint8_t *field = id + id_header_size;
    memset(id, 'x', id_size);
    memcpy(id, "DCID", 4);
    put(id + 4, 1, 4);
    put(id + 8, kind_engine, 4);
    put(field, id_tag_text, 2);
    put(field + 2, 0, 2);
    put(field + 4, id_size - id_header_size - id_field_header_size, 4);
    put(field + id_field_header_size, number, sizeof number);
}

static XXH128_canonical_t checksum(const uint8_t *blob, size_t size)
{
    XXH3_state_t state;
    XXH128_canonical_t sum;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, blob, checksum_at);
    XXH3_128bits_update(&state, blob + header_size, size - header_size);
    XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(&state));
    return sum;
}

void store_blob_make(
        uint8_t *blob, size_t size, size_t id_size, unsigned number)
{
    static const uint8_t magic[8] = {
            0x8b, 'D', 'C', 'B', '\r', '\n', 0x1a, '\n'};
    uint8_t *section = blob + header_size;
    const size_t facts_at = (id_at + id_size + 7) / 8 * 8;
    memset(blob, 0, facts_at);
    memcpy(blob, magic, sizeof magic);
    put(blob + 8, 1, 4);
    put(blob + 12, kind_engine, 4);
    put(blob + 16, size, 8);
    put(blob + 24, 2, 4);
    put(section, tag_id, 4);
    put(section + 4, 1, 4);
    put(section + 8, id_at, 8);
    put(section + 16, id_size, 8);
    section += section_size;
    put(section, tag_facts, 4);
    put(section + 4, 1, 4);
    put(section + 8, facts_at, 8);
    put(section + 16, size - facts_at, 8);
    store_blob_id(blob + id_at, id_size, number);
    const XXH128_canonical_t sum = checksum(blob, size);
    memcpy(blob + checksum_at, sum.digest, sizeof sum.digest);
}

bool store_blob_has_number(const uint8_t *blob, unsigned number)
{
    uint8_t expected[sizeof number];
    put(expected, number, sizeof expected);
    return memcmp(blob + id_at + id_header_size + id_field_header_size,
                   expected, sizeof expected)
           == 0;
}

bool store_blob_is_intact(const uint8_t *blob, size_t size)
{
    const XXH128_canonical_t sum = checksum(blob, size);
    return memcmp(blob + checksum_at, sum.digest, sizeof sum.digest) == 0;
}
