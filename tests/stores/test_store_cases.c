/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On a file system that does not tell cases apart (casefold, vfat, CIFS) two
 * names that differ by case only would be one file. No store makes any: the
 * names of entries are digits and small letters, and no other name is one of
 * another by its case.
 */
#include "store_helpers.h"
#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { most_paths = 8192, most_length = 300 };

static struct {
    size_t count;
    size_t root; /* length of the store's path */
    char paths[most_paths][most_length];
} found;

static int add_path(
        const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    const char *name = path + found.root;
    if (found.count == most_paths || strlen(name) >= most_length) return 1;
    strcpy(found.paths[found.count++], name);
    return 0;
}

static int compare(const void *a, const void *b)
{
    return strcasecmp(a, b);
}

static void expect_no_two_by_case(const char *path)
{
    found.count = 0;
    found.root = strlen(path);
    EXPECT_EQ(0, nftw(path, add_path, 16, FTW_PHYS));
    qsort(found.paths, found.count, most_length, compare);
    for (size_t i = 0; i + 1 < found.count; i++)
        if (strcasecmp(found.paths[i], found.paths[i + 1]) == 0)
            test_fail(__FILE__, __LINE__, "%s and %s", found.paths[i],
                    found.paths[i + 1]);
    for (size_t i = 0; i < found.count; i++)
        for (const char *c = found.paths[i]; *c != '\0'; c++)
            if (*c >= 'A' && *c <= 'Z') {
                test_fail(
                        __FILE__, __LINE__, "a capital in %s", found.paths[i]);
                break;
            }
}

/* Numbers, and texts that differ by case only: of all that comes into being
 * with puts, hits, removals, a trim and what another process does. */
static void use(const char *type)
{
    static const char *const texts[] = {"an ID", "An ID", "AN ID"};
    struct dnnl_cache_store_options options = test_options();
    dnnl_cache_store_handle_t *store = NULL;
    uint64_t removed = 0;
    char text[64];
    options.policy = dnnl_cache_store_policy_lru;
    for (unsigned round = 0; round < 2; round++) {
        ASSERT_OK(dnnl_cache_store_open(&store, type, &options));
        for (unsigned i = 0; i < 30; i++)
            EXPECT_OK(put_number(store, i, 50 + i % 100));
        for (size_t i = 0; i < COUNT(texts); i++)
            EXPECT_OK(
                    put_bytes(store, texts[i], texts[i], strlen(texts[i]) + 1));
        EXPECT_OK(get_number(store, 3, 53));
        EXPECT_OK(remove_id(store, texts[1]));
        EXPECT_STATUS(
                dnnl_cache_miss, get_text(store, texts[1], text, sizeof text));
        EXPECT_OK(get_text(store, texts[2], text, sizeof text));
        EXPECT_STR_EQ(texts[2], text);
        expect_no_two_by_case(options.path);
        EXPECT_OK(dnnl_cache_store_trim(
                store, 1024, DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
        dnnl_cache_store_close(store);
        expect_no_two_by_case(options.path);
    }
    EXPECT_GT(found.count, 1);
}

TEST_C(StoreCases, OfBucketsDifferByMoreThanCase)
{
    use("bucket");
}

TEST_C(StoreCases, OfAFlatStoreDifferByMoreThanCase)
{
    use("flat");
}

TEST_C(StoreCases, OfATreeDifferByMoreThanCase)
{
    use("tree");
}
