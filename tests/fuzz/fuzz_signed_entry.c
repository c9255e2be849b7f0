/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of a signed entry, once as they are and once with sizes
 * and checksum made right, as anybody can who writes to a seed; and as the file
 * of a key. Without a key an accepted entry is whole; with a public key nothing
 * is accepted, whatever the bytes say of a signature.
 */
#include "fuzz.h"
#include "repair_trailer.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_sign.h"

#include <string.h>
#include <unistd.h>

static const char id[] = "an ID";
enum { id_size = sizeof id - 1 };

/* Of a pair that no input was signed with. */
static struct store_mac_key *open_key(void)
{
    char folder[] = "/tmp/fuzz_signed_XXXXXX";
    char secret[64];
    char public[64];
    const char *why = "";
    struct store_mac_key *key = NULL;
    REQUIRE(mkdtemp(folder) != NULL);
    (void)snprintf(secret, sizeof secret, "%s/secret", folder);
    (void)snprintf(public, sizeof public, "%s/public", folder);
    REQUIRE(dnnl_cache_store_key_pair_make(secret, public) == dnnl_success);
    REQUIRE(store_mac_key_read(&key, public, &why) == 0);
    REQUIRE(store_mac_key_signs(key) && !store_mac_key_can_make(key));
    (void)unlink(secret);
    (void)unlink(public);
    (void)rmdir(folder);
    return key;
}

static void read_entry(size_t size, const uint8_t *data)
{
    static struct store_mac_key *key;
    size_t blob_size = 0;
    if (key == NULL) key = open_key();
    REQUIRE(store_tail_check(&blob_size, data, size, id_size, id, key,
                    store_depth_header)
            != 0);
    if (store_tail_check(
                &blob_size, data, size, id_size, id, NULL, store_depth_header)
            != 0)
        return;
    REQUIRE(blob_size > 0 && blob_size <= size - store_trailer_size);
    REQUIRE(size - blob_size <= store_tail_max);
}

static void repair(size_t size, uint8_t *data)
{
    if (repair_trailer(size, data, id_size, (const uint8_t *)id, false) == 0)
        return;
    REQUIRE(store_tail_check(&(size_t){0}, data, size, id_size, id, NULL,
                    store_depth_header)
            == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct store_sign_pair pair;
    uint8_t *copy = calloc(1, size + 1);
    REQUIRE(copy != NULL);
    if (size > 0) memcpy(copy, data, size);
    if (store_sign_parse_secret(&pair, copy, size))
        REQUIRE(size == 88 || size == 89);
    read_entry(size, copy);
    repair(size, copy);
    read_entry(size, copy);
    free(copy);
    return 0;
}
