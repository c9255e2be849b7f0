/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_trailer.h"

#include "src/common/byte_order.h"
#include "stores/core/store_report.h"
#include "stores/files/store_file.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include <xxhash.h>
#if DNNL_CACHE_XXHASH_DISPATCH
/* With the widest instructions of the processor: twice as fast. */
#include <xxh_x86dispatch.h>
#endif

static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 'e', 'n', 't'};

enum {
    plain_version = 1,
    mac_version = 2,
    sign_version = 3,
    blob_version = 4,
    checksum_at = 48
};

/* XXH3-128 of three pieces laid end to end. */
static XXH128_canonical_t checksum(const void *first, size_t first_size,
        const void *second, size_t second_size, const void *third,
        size_t third_size)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, first, first_size);
    XXH3_128bits_update(&state, second, second_size);
    XXH3_128bits_update(&state, third, third_size);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    return canonical;
}

/* ---- Cache blobs --------------------------------------------------------- */

/* Of a header of format 1: docs/reference/format.md. */
enum { blob_size_at = 16, blob_checksum_at = 32, blob_header_size = 48 };

/* Has it the header of a cache blob of this very size? */
static bool has_blob_header(const uint8_t *blob, size_t size)
{
    static const uint8_t begin[12] = {
            0x8b, 'D', 'C', 'B', '\r', '\n', 0x1a, '\n', 1, 0, 0, 0};
    return size >= blob_header_size && memcmp(blob, begin, sizeof begin) == 0
           && load_le64(blob + blob_size_at) == size;
}

/* The checksum in the header: of all bytes but itself. */
static bool has_blob_checksum(const uint8_t *blob, size_t size)
{
    const XXH128_canonical_t sum = checksum(blob, blob_checksum_at,
            blob + blob_header_size, size - blob_header_size, NULL, 0);
    return memcmp(blob + blob_checksum_at, sum.digest, sizeof sum.digest) == 0;
}

/* ---- The trailer --------------------------------------------------------- */

static XXH128_canonical_t trailer_checksum(const uint8_t *trailer,
        size_t key_size, const void *key, size_t blob_size, const void *blob)
{
    const bool is_of_blob = load_le32(trailer + 8) == blob_version;
    return checksum(key, key_size, blob,
            is_of_blob ? blob_header_size : blob_size, trailer, checksum_at);
}

static uint32_t version_for(
        const void *blob, size_t size, const struct store_mac_key *mac_key)
{
    if (mac_key != NULL)
        return store_mac_key_signs(mac_key) ? sign_version : mac_version;
    return has_blob_header(blob, size) && has_blob_checksum(blob, size)
                   ? blob_version
                   : plain_version;
}

void store_tail_make(struct store_tail *tail,
        const struct store_trailer *trailer, const void *key, const void *blob,
        const struct store_mac_key *mac_key)
{
    const size_t mac_size = store_mac_key_size(mac_key);
    uint8_t *bytes = tail->bytes + mac_size;
    tail->size = mac_size + store_trailer_size;
    memcpy(bytes, magic, sizeof magic);
    store_le32(
            bytes + 8, version_for(blob, (size_t)trailer->blob_size, mac_key));
    store_le32(bytes + 12, (uint32_t)trailer->kind);
    store_le64(bytes + 16, trailer->key_size);
    store_le64(bytes + 24, trailer->blob_size);
    store_le64(bytes + 32, trailer->created_ns);
    store_le64(bytes + 40, trailer->compile_ns);
    const XXH128_canonical_t sum = trailer_checksum(bytes,
            (size_t)trailer->key_size, key, (size_t)trailer->blob_size, blob);
    memcpy(bytes + checksum_at, sum.digest, sizeof sum.digest);
    if (mac_key != NULL)
        store_mac_make(tail->bytes, mac_key, (size_t)trailer->key_size, key,
                (size_t)trailer->blob_size, blob, checksum_at, bytes);
}

/* Bytes between blob and trailer. */
static size_t mac_size_of(const uint8_t bytes[store_trailer_size])
{
    switch (load_le32(bytes + 8)) {
    case mac_version:
        return store_mac_size;
    case sign_version:
        return store_mac_sign_size;
    default:
        return 0;
    }
}

int store_trailer_decode(struct store_trailer *trailer,
        const uint8_t bytes[store_trailer_size], uint64_t file_size)
{
    const uint32_t version = load_le32(bytes + 8);
    if (memcmp(bytes, magic, sizeof magic) != 0 || version < plain_version
            || version > blob_version)
        return EBADMSG;
    const uint64_t tail_size = mac_size_of(bytes) + store_trailer_size;
    const struct store_trailer read = {
            .kind = (dnnl_cache_blob_kind_t)load_le32(bytes + 12),
            .key_size = load_le64(bytes + 16),
            .blob_size = load_le64(bytes + 24),
            .created_ns = load_le64(bytes + 32),
            .compile_ns = load_le64(bytes + 40),
    };
    if (file_size < tail_size || read.blob_size != file_size - tail_size)
        return EBADMSG;
    *trailer = read;
    return 0;
}

enum store_depth store_get_depth(const dnnl_cache_store_handle_t *store)
{
    return store->is_member || store->has_limits_of_others ? store_depth_whole
                                                           : store_depth_header;
}

int store_trailer_match(const struct store_trailer *trailer,
        const uint8_t *bytes, const void *key, const void *blob,
        const struct store_mac_key *mac_key, enum store_depth depth)
{
    const size_t key_size = (size_t)trailer->key_size;
    const size_t blob_size = (size_t)trailer->blob_size;
    const bool is_of_blob = load_le32(bytes + 8) == blob_version;
    store_note_other_key(false);
    if (is_of_blob && !has_blob_header(blob, blob_size)) return EBADMSG;
    const XXH128_canonical_t sum =
            trailer_checksum(bytes, key_size, key, blob_size, blob);
    if (memcmp(bytes + checksum_at, sum.digest, sizeof sum.digest) != 0)
        return EBADMSG;
    if (is_of_blob && depth == store_depth_whole
            && !has_blob_checksum(blob, blob_size))
        return EBADMSG;
    if (mac_key == NULL) return 0;
    const size_t mac_size = store_mac_key_size(mac_key);
    if (mac_size_of(bytes) == mac_size
            && store_mac_matches(bytes - mac_size, mac_key, key_size, key,
                    blob_size, blob, checksum_at, bytes))
        return 0;
    store_note_other_key(true); /* nothing else is wrong with it */
    return EBADMSG;
}

int store_trailer_open(uint8_t bytes[store_trailer_size],
        struct file_facts *facts, int *fd, int dirfd, const char *path)
{
    int error = file_open_plain(fd, facts, dirfd, path, file_beneath, 0);
    if (error != 0) return error;
    error = facts->size <= store_trailer_size
                    ? EBADMSG
                    : file_read_at(*fd, bytes, store_trailer_size,
                            facts->size - store_trailer_size);
    if (error != 0) (void)file_close(*fd);
    return error;
}

int store_trailer_read(struct store_trailer *trailer, struct file_facts *facts,
        int dirfd, const char *path)
{
    uint8_t bytes[store_trailer_size];
    int fd;
    const int error =
            store_classify(store_trailer_open(bytes, facts, &fd, dirfd, path));
    if (error != 0) return error;
    (void)file_close(fd);
    return store_trailer_decode(trailer, bytes, facts->size);
}

/* Does the file end as one of ours? 0, EBADMSG or a failure. */
static int check_end(int dirfd, const char *path)
{
    struct file_facts facts;
    uint8_t bytes[store_trailer_size];
    int fd;
    const int error = store_trailer_open(bytes, &facts, &fd, dirfd, path);
    if (error != 0) return error;
    (void)file_close(fd);
    return memcmp(bytes, magic, sizeof magic) == 0 ? 0 : EBADMSG;
}

int store_tail_read_file(
        uint8_t **data, size_t *size, int dirfd, const char *path, uint64_t max)
{
    const uint64_t large = 16 * 1024 * 1024;
    int error =
            store_read_file(data, size, dirfd, path, max < large ? max : large);
    if (error != EFBIG || max <= large) return error;
    error = check_end(dirfd, path);
    return error != 0 ? error : store_read_file(data, size, dirfd, path, max);
}

int store_tail_check(size_t *size, const uint8_t *file, size_t file_size,
        size_t id_size, const void *id, const struct store_mac_key *mac_key,
        enum store_depth depth)
{
    struct store_trailer trailer;
    store_note_other_key(false);
    if (file_size <= store_trailer_size) return EBADMSG;
    const uint8_t *bytes = file + file_size - store_trailer_size;
    if (store_trailer_decode(&trailer, bytes, file_size) != 0
            || trailer.blob_size == 0 || trailer.key_size != id_size)
        return EBADMSG;
    *size = (size_t)trailer.blob_size;
    return store_trailer_match(&trailer, bytes, id, file, mac_key, depth);
}

int store_tail_read_blob(uint8_t **blob, size_t *size,
        const dnnl_cache_store_handle_t *store, int dirfd, const char *path,
        size_t id_size, const uint8_t *id, enum store_depth depth)
{
    uint8_t *file = NULL;
    size_t file_size;
    int error = store_classify(store_tail_read_file(&file, &file_size, dirfd,
            path,
            store_size_add(store->options.max_blob_bytes, store_tail_max)));
    if (error == 0)
        error = store_tail_check(
                size, file, file_size, id_size, id, store->mac, depth);
    if (error != 0) {
        free(file);
        return error;
    }
    *blob = file;
    return 0;
}

int store_tail_read_id(
        uint8_t **id, size_t *id_size, int dirfd, const char *path)
{
    uint8_t *bytes;
    size_t size;
    const int error = store_classify(
            store_read_file(&bytes, &size, dirfd, path, STORE_MAX_ID_BYTES));
    if (error != 0) return error;
    if (size == 0) {
        free(bytes);
        return EBADMSG;
    }
    *id = bytes;
    *id_size = size;
    return 0;
}
