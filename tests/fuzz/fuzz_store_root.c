/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the files by which a folder is known to be a store, which also
 * say how large it is: a byte that says of which type, then the file, and of a
 * bucket store its second one. A store that is opened takes an entry, finds it
 * and has none after a trim to nothing; one that is refused stays as it is.
 */
#include "dnnl_cache/store_types.h"
#include "pieces.h"
#include "scratch.h"

enum { stores = 4 };

/* With what is removed between inputs. */
static const struct {
    const char *type, *path, *first, *second;
} layouts[stores] = {
        {"bucket", "bucket", "bucket/index.bin", "bucket/size.txt"},
        {"flat", "flat", "flat/config.file", NULL},
        {"tree", "tree", "tree/cache_size.txt", NULL},
        {"pack", "pack", "pack", NULL},
};

static void use(dnnl_cache_store_handle_t *store)
{
    static const uint8_t id[] = "an ID";
    static const uint8_t blob[] = "a blob";
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    const uint8_t *found = NULL;
    size_t size = 0;
    REQUIRE(s->put(s->user, sizeof id, id, sizeof blob, blob, NULL)
            == dnnl_success);
    REQUIRE(s->get(s->user, sizeof id, id, &size, &found) == dnnl_success);
    REQUIRE(size == sizeof blob && memcmp(found, blob, size) == 0);
    s->release(s->user, size, found);
    REQUIRE(dnnl_cache_store_get_statistics(store, &statistics)
            == dnnl_success);
    REQUIRE(statistics.hits == 1 && statistics.puts == 1);
    REQUIRE(dnnl_cache_store_verify(store, false, NULL, NULL, &check)
            == dnnl_success);
    REQUIRE(check.intact == 1 && check.damaged == 0);
    REQUIRE(dnnl_cache_store_trim(store, 0, UINT64_MAX, NULL) == dnnl_success);
    REQUIRE(s->get(s->user, sizeof id, id, &size, &found) == dnnl_cache_miss);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    const unsigned which = pieces_byte(&pieces) % stores;
    struct piece second = pieces_next(&pieces);
    struct piece first = pieces_rest(&pieces);
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    char path[scratch_path_size];
    scratch_path(path, layouts[which].path);
    options.path = path;
    options.capacity = 1 << 20;
    scratch_write(layouts[which].first, first.data, first.size);
    if (layouts[which].second != NULL)
        scratch_write(layouts[which].second, second.data, second.size);
    if (dnnl_cache_store_open(&store, layouts[which].type, &options)
            == dnnl_success) {
        use(store);
        dnnl_cache_store_close(store);
    } else {
        size_t left = 0;
        uint8_t *file = scratch_read(layouts[which].first, &left);
        REQUIRE(store == NULL && file != NULL && left == first.size
                && memcmp(file, first.data, left) == 0);
        free(file);
    }
    free(first.data);
    free(second.data);
    return 0;
}
