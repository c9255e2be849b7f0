/* SPDX-License-Identifier: Apache-2.0 */
#include "repair_trailer.h"

#include "fuzz.h"
#include "src/common/byte_order.h"
#include "stores/core/store_trailer.h"

#include <string.h>
#include <xxhash.h>

enum { blob_version = 4, blob_header_size = 48, checksum_at = 48 };

size_t repair_trailer(size_t size, uint8_t *file, size_t id_size,
        const uint8_t *id, bool is_inside)
{
    static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 'e', 'n', 't'};
    static const uint8_t blob_magic[12] = {
            0x8b, 'D', 'C', 'B', '\r', '\n', 0x1a, '\n', 1};
    static const size_t proofs[] = {
            0, 0, store_mac_size, store_mac_sign_size, 0};
    const size_t inside = is_inside ? id_size : 0;
    if (size <= store_tail_max + inside + blob_header_size) return 0;
    uint8_t *trailer = file + size - store_trailer_size;
    const uint32_t version = 1 + trailer[8] % 4;
    const size_t blob_size =
            size - store_trailer_size - proofs[version] - inside;
    XXH128_canonical_t sum;
    memcpy(trailer, magic, sizeof magic);
    store_le32(trailer + 8, version);
    store_le64(trailer + 16, id_size);
    store_le64(trailer + 24, blob_size);
    if (is_inside) memmove(file + blob_size, id, id_size);
    if (version == blob_version) {
        memcpy(file, blob_magic, sizeof blob_magic);
        store_le64(file + 16, blob_size);
    }
    XXH3_state_t *state = XXH3_createState();
    REQUIRE(state != NULL);
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, id, id_size);
    XXH3_128bits_update(state, file,
            version == blob_version ? blob_header_size : blob_size);
    XXH3_128bits_update(state, trailer, checksum_at);
    XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    memcpy(trailer + checksum_at, sum.digest, sizeof sum.digest);
    return blob_size;
}
