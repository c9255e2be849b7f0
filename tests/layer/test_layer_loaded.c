/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of what the driver has loaded, over processes. */
#include "layer/driver/loaded.h"

#include "layer_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const *variables(void)
{
    static char folder[4200];
    static const char *const all[] = {folder, NULL};
    (void)snprintf(
            folder, sizeof folder, "DNNL_CACHE_DIR=%s/store", test_directory());
    (void)mkdir(folder + strlen("DNNL_CACHE_DIR="), 0700);
    return all;
}

static struct loaded_key key_of(unsigned number)
{
    uint8_t blob[64] = {0};
    memcpy(blob + 32, &number, sizeof number);
    return loaded_key(4, (const uint8_t *)"name", sizeof blob, blob);
}

/* Numbers from one to below another, to be noted or to be there. */
struct range {
    unsigned first;
    unsigned end;
};

static int note(void *user)
{
    const struct range *range = user;
    for (unsigned i = range->first; i < range->end; i++) {
        EXPECT_FALSE(loaded_before(key_of(i)));
        loaded_note(key_of(i));
        loaded_note(key_of(i));
        EXPECT_TRUE(loaded_before(key_of(i)));
    }
    loaded_close();
    return test_has_failed();
}

static int expect_there(void *user)
{
    const struct range *range = user;
    for (unsigned i = range->first; i < range->end; i++)
        EXPECT_TRUE(loaded_before(key_of(i)));
    return test_has_failed();
}

static int expect_none(void *user)
{
    const struct range *range = user;
    for (unsigned i = range->first; i < range->end; i++)
        EXPECT_FALSE(loaded_before(key_of(i)));
    return test_has_failed();
}

static int forget(void *user)
{
    (void)user;
    loaded_note(key_of(7));
    loaded_forget();
    EXPECT_FALSE(loaded_before(key_of(7)));
    loaded_note(key_of(8));
    loaded_close();
    return test_has_failed();
}

TEST_C(LayerLoaded, IsKnownToOtherProcesses)
{
    struct range first = {0, 100};
    struct range second = {100, 150};
    struct range both = {0, 150};
    struct range others = {150, 250};
    EXPECT_EQ(0, layer_process_run(variables(), note, &first));
    EXPECT_EQ(0, layer_process_run(variables(), note, &second));
    EXPECT_EQ(0, layer_process_run(variables(), expect_there, &both));
    EXPECT_EQ(0, layer_process_run(variables(), expect_none, &others));
}

TEST_C(LayerLoaded, DependsOnIdAndBytes)
{
    uint8_t blob[64] = {1};
    const uint8_t *id = (const uint8_t *)"name";
    const struct loaded_key key = loaded_key(4, id, sizeof blob, blob);
    const struct loaded_key shorter = loaded_key(3, id, sizeof blob, blob);
    blob[47] ^= 1;
    const struct loaded_key other = loaded_key(4, id, sizeof blob, blob);
    EXPECT_TRUE(key.high != shorter.high || key.low != shorter.low);
    EXPECT_TRUE(key.high != other.high || key.low != other.low);
}

TEST_C(LayerLoaded, IsForgottenAfterARejection)
{
    struct range some = {0, 8};
    struct range noted = {8, 9};
    EXPECT_EQ(0, layer_process_run(variables(), note, &(struct range){0, 5}));
    EXPECT_EQ(0, layer_process_run(variables(), forget, NULL));
    EXPECT_EQ(0, layer_process_run(variables(), expect_none, &some));
    EXPECT_EQ(0, layer_process_run(variables(), expect_there, &noted));
}

/* The table has room for 4096: what is noted last is there. */
TEST_C(LayerLoaded, BeginsAnewWhenItIsFull)
{
    struct range many = {0, 5000};
    struct range first = {0, 100};
    struct range last = {4900, 5000};
    EXPECT_EQ(0, layer_process_run(variables(), note, &many));
    EXPECT_EQ(0, layer_process_run(variables(), expect_there, &last));
    EXPECT_EQ(0, layer_process_run(variables(), expect_none, &first));
}

TEST_C(LayerLoaded, LivesWithAnyBytesInItsFile)
{
    struct range some = {0, 50};
    char path[4200];
    EXPECT_EQ(0, layer_process_run(variables(), note, &some));
    (void)snprintf(
            path, sizeof path, "%s/store/layer/loaded", test_directory());
    for (int i = 0; i < 20; i++) {
        FILE *file = fopen(path, "r+");
        ASSERT_TRUE(file != NULL);
        EXPECT_EQ(0, fseek(file, i * 37, SEEK_SET));
        EXPECT_EQ((unsigned char)(i * 13), fputc(i * 13, file) & 0xff);
        EXPECT_EQ(0, fclose(file));
        struct range others = {50, 100};
        EXPECT_EQ(0, layer_process_run(variables(), expect_none, &others));
    }
}
