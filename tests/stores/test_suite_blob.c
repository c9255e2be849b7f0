/* SPDX-License-Identifier: Apache-2.0 */
/* Every store with a real cache blob, of which a get checks no more than its
 * header: what is damaged in it is found by who loads it. */
#include "store_suite.h"

#include "dnnl_cache/chain_store.h"

#include <dnnl_cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char id[] = "id of a blob";

/* A blob, and where a store has it: all of it is in one file. */
struct kept {
    uint8_t *blob;
    size_t size;
    char path[path_size];
    uint8_t *file;
    size_t file_size;
    size_t at;
};

static bool find_in_file(struct kept *k)
{
    k->file = read_whole(k->path, &k->file_size);
    for (k->at = 0; k->at + k->size <= k->file_size; k->at++)
        if (memcmp(k->file + k->at, k->blob, k->size) == 0) return true;
    free(k->file);
    return false;
}

static void find_in_store(struct kept *k)
{
    static char names[most_names][path_size];
    const unsigned count = kind_list(names);
    for (unsigned i = 0; i < count; i++) {
        path_in_store(k->path, names[i]);
        if (find_in_file(k)) return;
    }
    abort();
}

static struct kept keep(const struct store_kind *kind)
{
    struct kept k = {NULL, 0, "", NULL, 0, 0};
    k.blob = read_whole(
            DNNL_CACHE_TEST_DATA_DIR "/blobs/good-primitive.blob", &k.size);
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_OK(put_bytes(store, id, k.blob, k.size));
    dnnl_cache_store_close(store);
    find_in_store(&k);
    return k;
}

static void kept_fini(struct kept *k)
{
    free(k->blob);
    free(k->file);
}

/* What is got: the blob, or a miss (false). Damaged bytes that are handed out
 * are none that can be loaded. */
static bool get_blob(dnnl_cache_store_handle_t *store, const struct kept *k,
        bool *is_refused)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    const uint8_t *blob = NULL;
    size_t size = 0;
    *is_refused = false;
    const dnnl_status_t st =
            s->get(s->user, sizeof id - 1, (const uint8_t *)id, &size, &blob);
    if (st != dnnl_success) {
        EXPECT_EQ(dnnl_cache_miss, st);
        return false;
    }
    const bool is_same = size == k->size && memcmp(blob, k->blob, size) == 0;
    *is_refused = dnnl_cache_blob_inspect(size, blob, &info) != dnnl_success;
    EXPECT_TRUE(is_same || *is_refused);
    s->release(s->user, size, blob);
    return is_same;
}

/* The store finds what a get leaves to the reader. */
static void expect_found_damaged(const struct store_kind *kind)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.intact);
    EXPECT_TRUE(check.damaged > 0);
    dnnl_cache_store_close(store);
}

STORE_TEST(Blob, WithAFlippedBitIsNotLoaded)
{
    struct kept k = keep(kind);
    const struct dnnl_cache_store_options options = kind_options(kind);
    unsigned refused = 0;
    bool is_refused;
    for (size_t i = 0; i < k.size && !test_has_failed(); i += i < 64 ? 1 : 31) {
        k.file[k.at + i] ^= 0x10;
        write_whole(k.path, k.file, k.file_size);
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        EXPECT_FALSE(get_blob(store, &k, &is_refused));
        /* The header is the store's to check. */
        if (i < 48) EXPECT_FALSE(is_refused);
        refused += is_refused;
        dnnl_cache_store_close(store);
        expect_found_damaged(kind);
        k.file[k.at + i] ^= 0x10;
    }
    /* Else all bytes were gone through twice. */
    EXPECT_TRUE(refused > 0);
    write_whole(k.path, k.file, k.file_size);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_TRUE(get_blob(store, &k, &is_refused));
    dnnl_cache_store_close(store);
    kept_fini(&k);
}

/* Who finds it damaged puts it again, and it is not taken for the same. */
STORE_TEST(Blob, ThatIsDamagedIsReplacedByAPut)
{
    struct kept k = keep(kind);
    const struct dnnl_cache_store_options options = kind_options(kind);
    bool is_refused;
    k.file[k.at + k.size - 1] ^= 1;
    write_whole(k.path, k.file, k.file_size);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_FALSE(get_blob(store, &k, &is_refused));
    EXPECT_TRUE(is_refused);
    EXPECT_OK(put_bytes(store, id, k.blob, k.size));
    EXPECT_EQ(1, statistics_of(store).puts);
    EXPECT_TRUE(get_blob(store, &k, &is_refused));
    dnnl_cache_store_close(store);
    kept_fini(&k);
}

/* Another member has it whole: so the first one's bytes are checked. */
STORE_TEST(Blob, ThatIsDamagedInAChainIsFoundElsewhere)
{
    struct kept k = keep(kind);
    const struct dnnl_cache_store_options options = kind_options(kind);
    struct dnnl_cache_store_options other = kind_options(kind);
    const struct dnnl_cache_store_chain_options chain_options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    char path[path_size];
    bool is_refused;
    k.file[k.at + k.size - 1] ^= 1;
    write_whole(k.path, k.file, k.file_size);
    snprintf(path, sizeof path, "%s-2", options.path);
    other.path = path;
    dnnl_cache_store_handle_t *chain = NULL;
    dnnl_cache_store_handle_t *first = kind_open(kind, &options);
    dnnl_cache_store_handle_t *second = kind_open(kind, &other);
    EXPECT_OK(put_bytes(second, id, k.blob, k.size));
    const struct dnnl_cache_store_chain_member members[] = {
            {sizeof(struct dnnl_cache_store_chain_member), "first", first, NULL,
                    dnnl_cache_store_chain_role_read},
            {sizeof(struct dnnl_cache_store_chain_member), "second", second,
                    NULL, dnnl_cache_store_chain_role_read}};
    ASSERT_EQ(dnnl_success,
            dnnl_cache_store_open_chain(&chain, members, 2, &chain_options));
    EXPECT_TRUE(get_blob(chain, &k, &is_refused));
    dnnl_cache_store_close(chain);
    dnnl_cache_store_close(second);
    dnnl_cache_store_close(first);
    kept_fini(&k);
}
