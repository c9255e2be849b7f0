/* SPDX-License-Identifier: Apache-2.0 */
#include "prove_runs.h"

#include "test.h"
#include "tool_helpers.h"

#include "src/blob/reader.h"
#include "src/blob/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* The client under the layer, which keeps what it compiles; what it builds is
 * recorded. */
struct outcome fill(const char *name, int count)
{
    static char record[path_size];
    snprintf(record, sizeof record, "%s", in_test(text_of("%s.record", name)));
    use_variable("DNNL_CACHE_RECORD", record);
    const struct outcome run = run_and_keep(name, count);
    use_variable("DNNL_CACHE_RECORD", NULL);
    return run;
}

/* What it has not kept. */
void complete(const char *name)
{
    char record[path_size];
    char store[path_size];
    snprintf(record, sizeof record, "%s", in_test(text_of("%s.record", name)));
    snprintf(store, sizeof store, "%s", in_test(name));
    const struct outcome run = run_program("replay", record, "--store", store,
            "--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_EQ(0, run.code);
}

struct outcome prove(const char *name, const char *option)
{
    char record[path_size];
    char store[path_size];
    snprintf(record, sizeof record, "%s", in_test(text_of("%s.record", name)));
    snprintf(store, sizeof store, "%s", in_test(name));
    return run_program("prove", "--layer", DNNL_CACHE_TEST_LAYER, "--record",
            record, store, option, NULL);
}

static bool has_text(
        const struct dnnl_cache_store_entry *item, const char *text)
{
    return memmem(item->id, item->id_size, text, strlen(text)) != NULL;
}

static bool is_of(const struct copy *copy, size_t id_size, const uint8_t *id)
{
    return copy != NULL && copy->id_size == id_size
           && memcmp(copy->id, id, id_size) == 0;
}

static bool take_entry(void *user, const struct dnnl_cache_store_entry *item)
{
    struct copy *copy = user;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(copy->store);
    const uint8_t *blob;
    size_t size;
    if (item->kind != dnnl_cache_blob_kind_program || has_text(item, "compiled")
            || has_text(item, "linked")
            || is_of(copy->other, item->id_size, item->id)
            || s->get(s->user, item->id_size, item->id, &size, &blob)
                       != dnnl_success)
        return true;
    copy->id = memcpy(malloc(item->id_size), item->id, item->id_size);
    copy->id_size = item->id_size;
    copy->blob = memcpy(malloc(size), blob, size);
    copy->size = size;
    s->release(s->user, size, blob);
    return false;
}

struct copy copy_of(const char *store, const struct copy *other)
{
    struct copy copy = {.other = other, .store = open_test_store(store)};
    EXPECT_OK(dnnl_cache_store_iterate(copy.store, take_entry, &copy));
    dnnl_cache_store_close(copy.store);
    EXPECT_TRUE(copy.blob != NULL);
    return copy;
}

void copy_fini(struct copy *copy)
{
    free(copy->id);
    free(copy->blob);
}

/* The blob of one ID as if it had been made for the other: what a cache that
 * lacks an ingredient has. The caller frees it. */
uint8_t *under_id(const struct copy *what, const struct copy *id, size_t *size)
{
    struct blob_view view;
    struct blob_program program;
    struct blob_kernel kernels[8];
    EXPECT_OK(blob_read(&view, what->blob, what->size, NULL));
    EXPECT_EQ(1, (long long)view.program_count);
    EXPECT_OK(blob_view_program(&view, 0, &program));
    program.id = id->id;
    program.id_size = id->id_size;
    EXPECT_LE((long long)view.kernel_count, (long long)COUNT(kernels));
    for (uint32_t i = 0; i < view.kernel_count && i < COUNT(kernels); i++)
        EXPECT_OK(blob_view_kernel(&view, i, &kernels[i]));
    const struct blob_contents contents = {.kind = view.kind,
            .id = id->id,
            .id_size = id->id_size,
            .programs = &program,
            .program_count = 1,
            .kernels = kernels,
            .kernel_count = view.kernel_count,
            .user_data = view.user_data,
            .user_data_size = view.user_data_size};
    *size = 0;
    EXPECT_OK(blob_write(&contents, NULL, 0, size));
    uint8_t *blob = malloc(*size);
    EXPECT_OK(blob_write(&contents, blob, *size, size));
    return blob;
}

void put_blob(const char *store_name, const struct copy *id, size_t size,
        const uint8_t *blob)
{
    dnnl_cache_store_handle_t *store = open_test_store(store_name);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.kind = dnnl_cache_blob_kind_program;
    EXPECT_OK(s->remove(s->user, id->id_size, id->id));
    EXPECT_OK(s->put(s->user, id->id_size, id->id, size, blob, &metadata));
    dnnl_cache_store_close(store);
}

/* Puts what the store "other" has in place of what "store" has. */
void blind(void)
{
    size_t size;
    struct copy id = copy_of("store", NULL);
    struct copy what = copy_of("other", &id);
    ASSERT_TRUE(what.blob != NULL && id.blob != NULL);
    uint8_t *blob = under_id(&what, &id, &size);
    put_blob("store", &id, size, blob);
    free(blob);
    copy_fini(&what);
    copy_fini(&id);
}

/* Kept, and recorded. */
void fill_on_fake(int count)
{
    use_fake(true);
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    ASSERT_EQ(0, fill("store", count).code);
    use_variable("DNNL_CACHE_CAPTURE_NOW", NULL);
}
