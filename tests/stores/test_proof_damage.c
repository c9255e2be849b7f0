/* SPDX-License-Identifier: Apache-2.0 */
/* Every byte of every file of a small store, changed in turn: never a wrong
 * blob, and the next put heals. */
#include "bucket_store.h"

#include "scenes.h"
#include "store_helpers.h"
#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { entries = 3, blob_size = 24, most_files = 16 };

/* Two IDs in one bucket, one in another. */
static uint64_t two_buckets(const void *data, size_t size)
{
    return 100 + (uint64_t)(((const uint8_t *)data)[size - 1] & 1);
}

static char files[most_files][path_size];
static unsigned file_count;

static int note_file(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    if (type == FTW_F && file_count < most_files)
        snprintf(files[file_count++], path_size, "%s", path);
    return 0;
}

static void flip(const char *path, size_t at, uint8_t bits)
{
    FILE *file = fopen(path, "r+");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(0, fseek(file, (long)at, SEEK_SET));
    const int byte = fgetc(file);
    EXPECT_EQ(0, fseek(file, (long)at, SEEK_SET));
    fputc(byte ^ bits, file);
    EXPECT_EQ(0, fclose(file));
}

/* With a byte changed: each blob is right or a miss, to who has the store open
 * and to who opens it now; once all are put, all is well. */
static void expect_healing(const struct store_options *options, unsigned misses)
{
    struct store_check check;
    unsigned missed = 0;
    struct store *store = open_store(options);
    if (store == NULL) return;
    for (unsigned i = 0; i < entries; i++) {
        const int got = get_number_quietly(store, i, blob_size);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
        missed += got != (int)dnnl_success;
    }
    EXPECT_EQ(misses, missed);
    for (unsigned i = 0; i < entries; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    for (unsigned i = 0; i < entries; i++)
        EXPECT_OK(get_number(store, i, blob_size));
    EXPECT_OK(store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(entries, check.intact);
    EXPECT_EQ(0, check.damaged);
    store_close(store);
}

static size_t size_of_file(const char *path)
{
    size_t size;
    free(read_whole(path, &size));
    return size;
}

/* Changes these bits of every byte of every file. */
static void change_all(const struct store_options *options, uint8_t bits)
{
    for (unsigned f = 0; f < file_count; f++) {
        const char *name = strrchr(files[f], '/') + 1;
        /* key.bin is asked only if the blob does not match. */
        const bool is_blob = strcmp(name, "kernel.bin") == 0;
        size_t size = size_of_file(files[f]);
        for (size_t at = 0; at < size; at++) {
            flip(files[f], at, bits);
            expect_healing(options, is_blob ? 1 : 0);
            if (test_has_failed()) {
                printf("byte %zu of %s, bits %02x\n", at, files[f], bits);
                return;
            }
            /* The books may be shorter or longer after a count. */
            size = size_of_file(files[f]);
        }
    }
}

static void damage_everything(struct store_options *options)
{
    options->hash = two_buckets;
    options->log = NULL;
    struct store *store = open_store(options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < entries; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    store_close(store);
    file_count = 0;
    nftw(options->path, note_file, 16, FTW_PHYS);
    ASSERT_EQ(2 + 2 * entries, file_count);
    if (!is_long_run()) {
        change_all(options, 0xff);
        return;
    }
    for (int bit = 0; bit < 8 && !test_has_failed(); bit++)
        change_all(options, (uint8_t)(1u << bit));
}

TEST_C(BucketProof, EveryByteOfEveryFile)
{
    struct store_options options = test_options();
    damage_everything(&options);
}

TEST_C(BucketProof, EveryByteOfEverySignedFile)
{
    char key[path_size];
    struct store_options options = test_options();
    options.key_file = path_in_test(key, "key");
    EXPECT_OK(store_key_file_make(options.key_file));
    damage_everything(&options);
}
