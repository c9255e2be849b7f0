/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_store.h"

#include "layer/storage/storage.h"
#include "layer_process.h"
#include "test.h"

#include <stdio.h>

void layer_store_init(struct layer_store *store, size_t kind, const char *extra)
{
    static const char *const kinds[layer_store_kinds] = {
            "flat", "bucket", "tree", "pack"};
    static unsigned number;
    (void)snprintf(store->path, sizeof store->path, "%s/%s%u", test_directory(),
            kinds[kind], number++);
    (void)snprintf(store->directory, sizeof store->directory,
            "DNNL_CACHE_DIR=%s", store->path);
    (void)snprintf(store->kind, sizeof store->kind, "DNNL_CACHE_STORE=%s",
            kinds[kind]);
    store->variables[0] = store->directory;
    store->variables[1] = store->kind;
    store->variables[2] = extra;
    store->variables[3] = NULL;
}

static int put_one(void *user)
{
    static const uint8_t bytes[] = "an ID, and a blob";
    (void)user;
    EXPECT_EQ(storage_put(sizeof bytes, bytes, sizeof bytes, bytes, 5),
            storage_kept);
    storage_close();
    return test_has_failed();
}

int layer_store_fill(const struct layer_store *store)
{
    return layer_process_run(store->variables, put_one, NULL);
}
