/* SPDX-License-Identifier: Apache-2.0 */
#include "persistent_cache_helpers.h"

#include "small_primitives.h"

#include <dnnl_cache/persistent_cache.h>
#include <dnnl_cache/store_types.h>

#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dir_in_test(char dir[DIR_SIZE], const char *name)
{
    snprintf(dir, DIR_SIZE, "%s/%s", test_directory(), name);
    return dir;
}

/* ---- The rig ------------------------------------------------------------- */

void cached_open(struct cached *x, const char *dir)
{
    char path[DIR_SIZE];
    rig_open(&x->rig, 0);
    if (dir == NULL) return;
    EXPECT_OK(dnnl_cache_persistent_set_dir(dir_in_test(path, dir)));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(16));
}

void cached_restart(struct cached *x)
{
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(x->rig.engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &x->rig.engine, x->rig.device, x->rig.context));
}

void cached_close(struct cached *x)
{
    rig_close(&x->rig);
    EXPECT_OK(dnnl_cache_persistent_set_capacity(0));
    EXPECT_OK(dnnl_cache_persistent_set_enabled(1, dnnl_gpu));
}

dnnl_cache_origin_t cached_relu(struct cached *x)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(x->rig.engine, 100, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_cache_origin_t origin = dnnl_cache_origin_none;
    if (primitive != NULL) origin = origin_of(primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return origin;
}

/* ---- What is kept -------------------------------------------------------- */

static dnnl_cache_store_handle_t *open_kept(const char *dir, bool read_only)
{
    char path[DIR_SIZE];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = dir_in_test(path, dir);
    options.read_only = read_only;
    const struct dnnl_cache_store_type *type = dnnl_cache_store_find_type_at(
            options.path, dnnl_cache_store_find_type("bucket"));
    EXPECT_OK(dnnl_cache_store_open(&store, type->name, &options));
    return store;
}

struct count {
    dnnl_cache_blob_kind_t kind;
    unsigned found;
};

static bool count_item(void *user, const struct dnnl_cache_store_entry *item)
{
    struct count *count = user;
    count->found += count->kind == dnnl_cache_blob_kind_undef
                    || count->kind == item->kind;
    return true;
}

unsigned kept_in(const char *dir, dnnl_cache_blob_kind_t kind)
{
    struct count count = {kind, 0};
    dnnl_cache_store_handle_t *store = open_kept(dir, true);
    if (store == NULL) return 0;
    EXPECT_OK(dnnl_cache_store_iterate(store, count_item, &count));
    dnnl_cache_store_close(store);
    return count.found;
}

uint64_t bytes_in(const char *dir)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_store_handle_t *store = open_kept(dir, true);
    if (store == NULL) return 0;
    EXPECT_OK(dnnl_cache_store_get_statistics(store, &statistics));
    dnnl_cache_store_close(store);
    return statistics.bytes;
}

struct dnnl_cache_store_totals totals_in(const char *dir)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    dnnl_cache_store_handle_t *store = open_kept(dir, true);
    if (store == NULL) return totals;
    EXPECT_OK(dnnl_cache_store_get_totals(store, &totals));
    dnnl_cache_store_close(store);
    return totals;
}

void fill(const char *dir, unsigned count, size_t size)
{
    dnnl_cache_store_handle_t *store = open_kept(dir, false);
    if (store == NULL) return;
    uint8_t *blob = calloc(size, 1);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    for (unsigned i = 0; i < count; i++)
        EXPECT_OK(s->put(
                s->user, sizeof i, (const uint8_t *)&i, size, blob, NULL));
    free(blob);
    dnnl_cache_store_close(store);
}

void remove_kept(const char *dir)
{
    dnnl_cache_store_handle_t *store = open_kept(dir, false);
    if (store == NULL) return;
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    dnnl_cache_store_close(store);
}

static int damage_file(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    if (type != FTW_F || strcmp(path + at->base, "kernel.bin") != 0) return 0;
    FILE *file = fopen(path, "r+");
    if (file == NULL) return -1;
    const int first = fgetc(file);
    rewind(file);
    fputc(first ^ 1, file);
    return fclose(file);
}

void damage_kept(const char *dir)
{
    char path[DIR_SIZE];
    EXPECT_EQ(0, nftw(dir_in_test(path, dir), damage_file, 16, FTW_PHYS));
}
