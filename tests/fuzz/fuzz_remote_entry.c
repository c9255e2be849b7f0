/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an entry of a remote store, once as they are and once with sizes
 * and checksum made right, as anybody can who writes to the server. What is
 * accepted lies within the bytes, and gives them again when it is written. With
 * a key nothing is accepted.
 */
#include "fuzz.h"
#include "src/common/byte_order.h"
#include "stores/remote/remote_entry.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { checksum_at = 56, head_size = remote_entry_head_size };

/* A key that no input was made with. */
static struct remote_keys *open_key(void)
{
    char folder[] = "/tmp/fuzz_remote_XXXXXX";
    char path[64];
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    REQUIRE(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/key", folder);
    REQUIRE(dnnl_cache_store_key_file_make(path) == dnnl_success);
    const struct remote_key_files files = {.key = path};
    REQUIRE(remote_keys_open(&keys, &files, why) == 0);
    (void)unlink(path);
    (void)rmdir(folder);
    return keys;
}

static struct remote_keys *open_insecure(void)
{
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    const struct remote_key_files files = {.insecure = true};
    REQUIRE(remote_keys_open(&keys, &files, why) == 0);
    return keys;
}

static struct remote_keys *insecure;
static struct remote_keys *with_key;

static void open_all(void)
{
    if (insecure != NULL) return;
    insecure = open_insecure();
    with_key = open_key();
}

static void read_entry(size_t size, const uint8_t *data)
{
    struct remote_entry entry;
    struct remote_entry again;
    uint8_t *bytes = NULL;
    size_t written = 0;
    REQUIRE(remote_entry_decode(&again, size, data, with_key) != remote_intact);
    if (remote_entry_decode(&entry, size, data, insecure) != remote_intact)
        return;
    const size_t blob_size = (size_t)entry.item.blob_size;
    REQUIRE(entry.item.id == data + head_size);
    REQUIRE(entry.blob == entry.item.id + entry.item.id_size);
    REQUIRE(blob_size <= size - head_size - entry.item.id_size);
    REQUIRE(remote_entry_decode_as(&again, entry.item.id_size, entry.item.id,
                    size, data, insecure)
            == remote_intact);
    REQUIRE(remote_entry_decode_as(&again, entry.item.id_size - 1,
                    entry.item.id, size, data, insecure)
            == remote_another_id);
    REQUIRE(remote_entry_encode(&bytes, &written, &entry, insecure) == 0);
    if (load_le32(data + 12) == remote_proof_none)
        REQUIRE(written == size && memcmp(bytes, data, size) == 0);
    free(bytes);
}

/* Makes sizes and checksum right, if there are bytes for an ID and a blob. */
static void repair(size_t size, uint8_t *data)
{
    static const uint8_t begin[] = {
            'd', 'n', 'n', 'l', 'c', 'r', 'e', 'm', 1, 0, 0, 0};
    XXH128_canonical_t sum;
    if (size < head_size + 2) return;
    memcpy(data, begin, sizeof begin);
    const uint32_t proof = load_le32(data + 12) % 3;
    size_t left = size - head_size;
    store_le32(data + 12, proof);
    store_le32(data + 20, 0);
    if (left < remote_proof_size((enum remote_proof)proof) + 2) return;
    left -= remote_proof_size((enum remote_proof)proof);
    const size_t id_size = 1 + (size_t)(load_le64(data + 24) % (left - 1));
    store_le64(data + 24, id_size);
    store_le64(data + 32, left - id_size);
    XXH3_state_t *state = XXH3_createState();
    REQUIRE(state != NULL);
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, data + head_size, left);
    XXH3_128bits_update(state, data, checksum_at);
    XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    memcpy(data + checksum_at, sum.digest, sizeof sum.digest);
    struct remote_entry entry;
    REQUIRE(remote_entry_decode(&entry, size, data, insecure) == remote_intact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    REQUIRE(copy != NULL);
    open_all();
    if (size > 0) memcpy(copy, data, size);
    read_entry(size, copy);
    repair(size, copy);
    read_entry(size, copy);
    free(copy);
    return 0;
}
