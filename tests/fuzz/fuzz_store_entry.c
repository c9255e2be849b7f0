/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the files of an entry of a bucket, flat or tree store, once as
 * they are and once with the trailer made right: a byte that says which store,
 * then the ID, the file with the blob and, of a tree, the time of its last use.
 * What a get finds is in the file; what iterates is what was put there; after a
 * repair nothing is damaged, and an entry of our own can take the place.
 */
#include "dnnl_cache/store_types.h"
#include "pieces.h"
#include "repair_trailer.h"
#include "scratch.h"

enum { stores = 3, most_id = 512 };

/* With one hash for all IDs each store has one place for its first entry. */
#define TREE "0000000000000007/"
static const struct layout {
    const char *type, *blob, *id, *time;
} layouts[stores] = {
        {"bucket", "bucket/7/0/kernel.bin", "bucket/7/0/key.bin", NULL},
        {"flat", "flat/0000000000000007.cl_cache", NULL, NULL},
        {"tree", "tree/" TREE TREE TREE TREE "0.bin",
                "tree/" TREE TREE TREE TREE "0.src",
                "tree/" TREE TREE TREE TREE "0_access_time.txt"},
};

struct input {
    const struct layout *layout;
    struct piece id, file, time;
};

static uint64_t hash(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

static const uint8_t own_id[] = "our own";
static const uint8_t own_blob[] = "a blob of our own";

static dnnl_status_t put_own(const dnnl_cache_store_t *s)
{
    return s->put(
            s->user, sizeof own_id, own_id, sizeof own_blob, own_blob, NULL);
}

/* What the table says of places is so. */
static dnnl_cache_store_handle_t *open_store(const struct layout *layout)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    char path[scratch_path_size];
    dnnl_cache_store_handle_t *store = NULL;
    size_t size = 0;
    scratch_path(path, layout->type);
    options.path = path;
    options.hash = hash;
    options.policy = dnnl_cache_store_policy_lru;
    REQUIRE(dnnl_cache_store_open(&store, layout->type, &options)
            == dnnl_success);
    REQUIRE(put_own(dnnl_cache_store_get_callbacks(store)) == dnnl_success);
    const char *const files[] = {layout->blob, layout->id, layout->time};
    for (size_t i = 0; i < 3; i++) {
        if (files[i] == NULL) continue;
        unsigned char *file = scratch_read(files[i], &size);
        REQUIRE(file != NULL && size > 0);
        free(file);
    }
    return store;
}

static bool visit(void *user, const struct dnnl_cache_store_entry *item)
{
    const struct input *in = user;
    touch(item->id, item->id_size);
    REQUIRE(item->id_size > 0 && item->blob_size <= in->file.size);
    if (in->layout->id != NULL)
        REQUIRE(item->id_size == in->id.size
                && memcmp(item->id, in->id.data, in->id.size) == 0);
    return true;
}

static void look_up(const dnnl_cache_store_t *s, const struct input *in)
{
    const uint8_t *blob = NULL;
    size_t size = 0;
    if (in->id.size == 0
            || s->get(s->user, in->id.size, in->id.data, &size, &blob)
                       != dnnl_success)
        return;
    REQUIRE(size > 0 && size < in->file.size);
    REQUIRE(memcmp(blob, in->file.data, size) == 0);
    s->release(s->user, size, blob);
}

static void use(dnnl_cache_store_handle_t *store, const struct input *in)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    const uint8_t *blob = NULL;
    size_t size = 0;
    if (in->layout->id != NULL)
        scratch_write(in->layout->id, in->id.data, in->id.size);
    if (in->layout->time != NULL)
        scratch_write(in->layout->time, in->time.data, in->time.size);
    scratch_write(in->layout->blob, in->file.data, in->file.size);
    look_up(s, in);
    REQUIRE(dnnl_cache_store_iterate(store, visit, (void *)(uintptr_t)in)
            == dnnl_success);
    REQUIRE(dnnl_cache_store_verify(store, true, NULL, NULL, &check)
            == dnnl_success);
    REQUIRE(check.intact + check.damaged <= 1);
    REQUIRE(check.repaired == check.damaged);
    REQUIRE(check.bytes <= in->file.size);
    check = (struct dnnl_cache_store_check)DNNL_CACHE_STORE_CHECK_INIT;
    REQUIRE(dnnl_cache_store_verify(store, false, NULL, NULL, &check)
            == dnnl_success);
    REQUIRE(check.damaged == 0);
    look_up(s, in);
    REQUIRE(put_own(s) == dnnl_success);
    REQUIRE(s->get(s->user, sizeof own_id, own_id, &size, &blob)
            == dnnl_success);
    REQUIRE(size == sizeof own_blob && memcmp(blob, own_blob, size) == 0);
    s->release(s->user, size, blob);
    REQUIRE(dnnl_cache_store_trim(store, 0, UINT64_MAX, NULL) == dnnl_success);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static dnnl_cache_store_handle_t *all[stores];
    struct pieces pieces = {data, size};
    const unsigned which = pieces_byte(&pieces) % stores;
    struct input in = {.layout = &layouts[which]};
    in.id = pieces_next(&pieces);
    in.time = pieces_next(&pieces);
    in.file = pieces_rest(&pieces);
    if (all[which] == NULL) all[which] = open_store(in.layout);
    if (in.id.size > 0 && in.id.size <= most_id) {
        use(all[which], &in);
        if (repair_trailer(in.file.size, in.file.data, in.id.size, in.id.data,
                    in.layout->id == NULL)
                > 0)
            use(all[which], &in);
    }
    free(in.id.data);
    free(in.time.data);
    free(in.file.data);
    return 0;
}
