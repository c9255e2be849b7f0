/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive on a real driver whose finaliser replaces its binaries: PoCL. */
#include "bytes.h"
#include "small_primitives.h"

#include "test.h"
#include "test_platform.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 100 };

static struct bytes blob_of(const_dnnl_primitive_t primitive)
{
    struct bytes blob = {NULL, 0};
    EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &blob.size, NULL));
    blob.data = malloc(blob.size + 1);
    if (blob.data == NULL) abort();
    EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &blob.size, blob.data));
    return blob;
}

static dnnl_cache_creation_info_t info_of(const_dnnl_primitive_t primitive)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(dnnl_cache_primitive_get_creation_info(primitive, &info));
    return info;
}

static dnnl_cache_statistics_t count(void)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&now));
    return now;
}

/* Of a driver without such a finaliser the blob has the driver's binary. */
static bool is_replaced(const struct bytes *blob)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    EXPECT_OK(dnnl_cache_blob_inspect(blob->size, blob->data, &info));
    if (info.finalised_count == 0 || info.finalised_bytes > 0) return false;
    char text[DNNL_CACHE_BINARY_TEXT_SIZE] = "";
    EXPECT_OK(dnnl_cache_blob_get_binary_text(blob->size, blob->data, 0, text));
    EXPECT_NOT_NULL(strstr(text, "machine code alone"));
    return true;
}

TEST_C(FinalisedPrimitive, IsLoadedFromItsFormAlone)
{
    dnnl_engine_t cold = test_platform_engine();
    dnnl_engine_t warm = test_platform_engine();
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_t loaded = NULL;
    if (cold == NULL || warm == NULL) abort();
    dnnl_primitive_desc_t pd = relu_desc(cold, ITEMS, 0.5f);
    dnnl_primitive_desc_t again = relu_desc(warm, ITEMS, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(dnnl_cache_binary_form_none, info_of(primitive).binary_form);
    struct bytes blob = blob_of(primitive);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            warm, dnnl_cache_compile_mode_cached_only));
    const dnnl_cache_statistics_t before = count();
    EXPECT_OK(dnnl_primitive_create_from_cache_blob(
            &loaded, again, blob.size, blob.data));
    const dnnl_cache_statistics_t after = count();
    struct bytes same = blob_of(loaded);
    EXPECT_TRUE(bytes_equal(&blob, &same));
    if (is_replaced(&blob)) {
        EXPECT_EQ(
                dnnl_cache_binary_form_finalised, info_of(loaded).binary_form);
        EXPECT_STR_EQ("", info_of(loaded).form_reason);
        EXPECT_EQ(before.finalised_loaded + 1, after.finalised_loaded);
    }
    EXPECT_OK(run_relu(cold, primitive, ITEMS));
    EXPECT_OK(run_relu(warm, loaded, ITEMS));
    bytes_free(&blob);
    bytes_free(&same);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_destroy(loaded));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_desc_destroy(again));
    EXPECT_OK(dnnl_engine_destroy(cold));
    EXPECT_OK(dnnl_engine_destroy(warm));
}
