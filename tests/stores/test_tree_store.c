/* SPDX-License-Identifier: Apache-2.0 */
/* The tree store: its directories, and what all stores of its kind do. */
#include "dnnl_cache/tree_store.h"

#include "put_trace.h"
#include "unindexed_suite.h"
#include "week_of_use.h"

#include "src/blob/id.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

enum { trailer_size = 64, time_size = 19, size_file_bytes = 20 };

static const char *const endings[] = {".src", ".bin", "_access_time.txt"};

/* IDs of put_number() are no IDs of the library: they are "image" as a whole,
 * the other groups are empty. */
static void item_path(
        char path[path_size], const void *id, size_t id_size, const char *file)
{
    const uint64_t nothing = XXH3_64bits("", 0);
    snprintf(path, path_size,
            "%s/store/%016" PRIx64 "/%016" PRIx64 "/%016" PRIx64 "/%016" PRIx64
            "%s%s",
            test_directory(), nothing, (uint64_t)XXH3_64bits(id, id_size),
            nothing, nothing, file[0] != '\0' ? "/" : "", file);
}

static bool tree_file(char path[path_size], unsigned number, unsigned i)
{
    char id[32];
    char file[32];
    if (i >= 3) return false;
    const int n = snprintf(id, sizeof id, "id %u", number);
    snprintf(file, sizeof file, "0%s", endings[i]);
    item_path(path, id, (size_t)n, file);
    return true;
}

static void tree_set_used(unsigned number, uint64_t ns)
{
    char path[path_size];
    char text[32];
    const struct timespec used = {
            (time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    const struct timespec times[2] = {used, used};
    tree_file(path, number, 2);
    const int n = snprintf(text, sizeof text, "%" PRIu64, ns);
    EXPECT_EQ(time_size, n);
    write_whole(path, text, (size_t)n);
    tree_file(path, number, 1);
    EXPECT_EQ(0, utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW));
}

static const struct unindexed_kind tree = {
        .type = "tree",
        .low_water_percent = 50,
        .size_file = "cache_size.txt",
        .size_file_bytes = size_file_bytes + totals_bytes,
        .extra = time_size,
        .set_used = tree_set_used,
};

UNINDEXED_SUITE(Tree, tree)

/* ---- Where items are ----------------------------------------------------- */

/* What an ID of the library is made of, as far as the tests vary it. */
struct ingredients {
    const char *platform;
    const char *device;
    const char *device_version;
    const char *driver_version;
    const char *source;
    const char *options;
    uint32_t constant;
};

static const struct ingredients usual = {"Platform", "Device", "OpenCL 3.0",
        "1.2.3", "kernel void k() {}", "-cl-fast-relaxed-math", 7};

static struct id_builder make_id(const struct ingredients *in)
{
    struct id_builder id;
    id_builder_init(&id, blob_kind_program);
    id_put_string(&id, id_platform_name, in->platform);
    id_put_string(&id, id_device_name, in->device);
    id_put_string(&id, id_device_version, in->device_version);
    id_put_string(&id, id_driver_version, in->driver_version);
    id_put_digest(&id, id_source, in->source, strlen(in->source));
    id_put_string(&id, id_build_options, in->options);
    id_put_u32(&id, id_spec_constant, in->constant);
    EXPECT_OK(id_builder_status(&id));
    return id;
}

static dnnl_status_t put_ingredients(dnnl_cache_store_handle_t *store,
        const struct ingredients *in, const char *blob)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    struct id_builder id = make_id(in);
    const dnnl_status_t st = s->put(s->user, id.bytes.size, id.bytes.data,
            strlen(blob), (const uint8_t *)blob, NULL);
    id_builder_fini(&id);
    return st;
}

static void expect_blob(dnnl_cache_store_handle_t *store,
        const struct ingredients *in, const char *blob)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    struct id_builder id = make_id(in);
    const uint8_t *found;
    size_t size;
    const dnnl_status_t st =
            s->get(s->user, id.bytes.size, id.bytes.data, &size, &found);
    EXPECT_OK(st);
    if (st == dnnl_success) {
        EXPECT_BYTES_EQ(blob, strlen(blob), found, size);
        s->release(s->user, size, found);
    }
    id_builder_fini(&id);
}

static bool note_name(
        void *user, const struct dnnl_cache_store_verdict *verdict)
{
    EXPECT_TRUE(verdict->intact);
    snprintf(user, 128, "%s", verdict->name);
    return true;
}

/* "<device>/<image>/<constants>/<options>/<n>" of the only item. */
static void only_item(dnnl_cache_store_handle_t *store, char name[128])
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    name[0] = '\0';
    EXPECT_OK(dnnl_cache_store_verify(store, false, note_name, name, &check));
    EXPECT_EQ(1, check.intact);
    EXPECT_EQ(69, strlen(name));
}

/* Puts an item made of these, and says which of the four directories are other
 * ones than those of the usual ingredients: bit 0 for the device. */
static unsigned differing_levels(dnnl_cache_store_handle_t *store,
        const struct ingredients *in, const char *usual_name)
{
    char name[128];
    unsigned levels = 0;
    EXPECT_OK(put_ingredients(store, in, "blob"));
    only_item(store, name);
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    for (size_t level = 0; level < 4; level++)
        if (memcmp(name + 17 * level, usual_name + 17 * level, 17) != 0)
            levels |= 1u << level;
    EXPECT_STR_EQ("/0", name + 67);
    return levels;
}

TEST_C(TreeStore, IngredientsDecideTheDirectory)
{
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    char name[128];
    char path[path_size];
    struct ingredients in = usual;
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_ingredients(store, &usual, "blob"));
    only_item(store, name);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s%s", options.path, name, endings[i]);
        EXPECT_EQ(0, access(path, F_OK));
    }
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, differing_levels(store, &in, name));
    in.platform = "Other";
    EXPECT_EQ(1, differing_levels(store, &in, name));
    in = usual;
    in.device = "Other";
    EXPECT_EQ(1, differing_levels(store, &in, name));
    in = usual;
    in.device_version = "OpenCL 2.0";
    EXPECT_EQ(1, differing_levels(store, &in, name));
    in = usual;
    in.driver_version = "1.2.4";
    EXPECT_EQ(1, differing_levels(store, &in, name));
    in = usual;
    in.source = "kernel void k() { }";
    EXPECT_EQ(2, differing_levels(store, &in, name));
    in = usual;
    in.constant = 8;
    EXPECT_EQ(4, differing_levels(store, &in, name));
    in = usual;
    in.options = "-cl-opt-disable";
    EXPECT_EQ(8, differing_levels(store, &in, name));
    dnnl_cache_store_close(store);
}

/* The name of an item whose ID is that of the usual device and options, and of
 * one ingredient more. */
static void name_with(dnnl_cache_store_handle_t *store, enum id_tag tag,
        const void *value, size_t size, char name[128])
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    struct id_builder id;
    id_builder_init(&id, blob_kind_program);
    id_put_string(&id, id_device_name, usual.device);
    id_put(&id, tag, value, size);
    id_put_string(&id, id_build_options, usual.options);
    EXPECT_OK(id_builder_status(&id));
    EXPECT_OK(s->put(s->user, id.bytes.size, id.bytes.data, 4,
            (const uint8_t *)"blob", NULL));
    only_item(store, name);
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    id_builder_fini(&id);
}

/* What goes into the compiler decides the second directory and no other, be it
 * source, IL, headers, or what a primitive is to do. */
TEST_C(TreeStore, InputOfTheCompilerDecidesTheImage)
{
    static const enum id_tag inputs[] = {id_source, id_il, id_il_version,
            id_header_name, id_header, id_primitive_kind, id_implementation,
            id_implementation_name, id_op_desc, id_memory_desc, id_attributes,
            id_post_ops};
    static const uint8_t one[32] = {1};
    static const uint8_t other[32] = {2};
    enum { count = sizeof inputs / sizeof *inputs };
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    char names[2 * count][128];
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    for (size_t i = 0; i < count; i++) {
        name_with(store, inputs[i], one, sizeof one, names[2 * i]);
        name_with(store, inputs[i], other, sizeof other, names[2 * i + 1]);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        EXPECT_BYTES_EQ(names[0], 17, names[i], 17);
        EXPECT_BYTES_EQ(names[0] + 34, 35, names[i] + 34, 35);
        for (size_t j = 0; j < i; j++)
            EXPECT_TRUE(memcmp(names[i] + 17, names[j] + 17, 16) != 0);
    }
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, EveryIngredientSelectsItsOwnItem)
{
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    struct ingredients in[5] = {usual, usual, usual, usual, usual};
    static const char *const blobs[5] = {"0", "1", "2", "3", "4"};
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    in[1].source = "kernel void k() { /* another application's */ }";
    in[2].driver_version = "1.2.4";
    in[3].constant = 8;
    in[4].options = "";
    for (int i = 0; i < 5; i++)
        EXPECT_OK(put_ingredients(store, &in[i], blobs[i]));
    for (int i = 0; i < 5; i++)
        expect_blob(store, &in[i], blobs[i]);
    EXPECT_EQ(5, count_entries(store));
    unindexed_expect_order(&tree, store, &options);
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, ItemsAreTheIdTheBlobAndATime)
{
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    char path[path_size];
    size_t size;
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    const uint64_t before = time_ago(0);
    EXPECT_OK(put_bytes(store, "id 10", "the blob", 8));
    tree_file(path, 10, 0);
    uint8_t *bytes = read_whole(path, &size);
    EXPECT_BYTES_EQ("id 10", 5, bytes, size);
    free(bytes);
    tree_file(path, 10, 1);
    bytes = read_whole(path, &size);
    EXPECT_EQ(8 + trailer_size, size);
    EXPECT_BYTES_EQ("the blob", 8, bytes, (size_t)8);
    free(bytes);
    tree_file(path, 10, 2);
    bytes = read_whole(path, &size);
    EXPECT_EQ(time_size, size);
    bytes[size] = '\0';
    EXPECT_GE(strtoull((char *)bytes, NULL, 10), before);
    EXPECT_LE(strtoull((char *)bytes, NULL, 10), time_ago(0));
    free(bytes);
    run_shell("test $(find '%s' -type f | wc -l) = 5", options.path);
    dnnl_cache_store_close(store);
}

/* ---- Collisions ---------------------------------------------------------- */

static uint64_t hash_seven(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

/* Of an ID of the library: every value, of the image its digest. */
TEST_C(TreeStore, SourceFilesHaveTheWholeId)
{
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    char name[128];
    char path[path_size];
    size_t size;
    struct id_builder id = make_id(&usual);
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_ingredients(store, &usual, "blob"));
    only_item(store, name);
    snprintf(path, sizeof path, "%s/%s.src", options.path, name);
    uint8_t *bytes = read_whole(path, &size);
    EXPECT_BYTES_EQ(id.bytes.data, id.bytes.size, bytes, size);
    const char *const texts[] = {usual.platform, usual.device,
            usual.device_version, usual.driver_version, usual.options};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        EXPECT_NOT_NULL(memmem(bytes, size, texts[i], strlen(texts[i])));
    free(bytes);
    id_builder_fini(&id);
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, NumbersItemsOfOneHash)
{
    static const char directory[] =
            "0000000000000007/0000000000000007/0000000000000007/"
            "0000000000000007";
    struct dnnl_cache_store_options options = unindexed_options(&tree);
    options.hash = hash_seven;
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(put_number(store, i, 50));
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(get_number(store, i, 50));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 5, 50));
    run_shell("cd '%s/%s' && test \"$(echo *.src)\" = "
              "'0.src 1.src 2.src 3.src 4.src'",
            options.path, directory);
    /* A gap is no end; a new item has one more than the highest. */
    EXPECT_OK(remove_id(store, "id 0"));
    EXPECT_OK(remove_id(store, "id 2"));
    EXPECT_OK(get_number(store, 4, 50));
    EXPECT_OK(put_number(store, 9, 50));
    run_shell("cd '%s/%s' && test \"$(echo *.src)\" = "
              "'1.src 3.src 4.src 5.src'",
            options.path, directory);
    EXPECT_OK(put_number(store, 4, 51));
    EXPECT_OK(get_number(store, 4, 51));
    EXPECT_OK(get_number(store, 9, 50));
    EXPECT_EQ(4, count_entries(store));
    unindexed_expect_order(&tree, store, &options);
    run_shell("cd '%s/%s' && test $(cat 5.src | wc -c) = 4", options.path,
            directory);

    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    uint8_t id[5000] = {0};
    const uint8_t *blob;
    size_t size;
    EXPECT_OK(s->put(s->user, 5000, id, 1, (const uint8_t *)"a", NULL));
    EXPECT_OK(s->put(s->user, 4999, id, 1, (const uint8_t *)"b", NULL));
    id[4999] = 1;
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 5000, id, &size, &blob));
    id[4999] = 0;
    ASSERT_OK(s->get(s->user, 5000, id, &size, &blob));
    EXPECT_BYTES_EQ("a", 1, blob, size);
    s->release(s->user, size, blob);
    ASSERT_OK(s->get(s->user, 4999, id, &size, &blob));
    EXPECT_BYTES_EQ("b", 1, blob, size);
    s->release(s->user, size, blob);
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, NumbersMayBeUsedUp)
{
    struct dnnl_cache_store_options options = unindexed_options(&tree);
    options.hash = hash_seven;
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 50));
    run_shell("cd '%s'/*/*/*/* && for e in .src .bin _access_time.txt; do "
              "mv 0$e 4294967295$e; done",
            options.path);
    EXPECT_OK(get_number(store, 1, 50));
    EXPECT_OK(put_number(store, 2, 50));
    EXPECT_EQ(1, statistics_of(store).puts_too_large);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 50));
    EXPECT_OK(put_number(store, 1, 51));
    EXPECT_OK(get_number(store, 1, 51));
    dnnl_cache_store_close(store);
}

/* ---- Limits -------------------------------------------------------------- */

/* Options of which only struct_size is set mean what the header says. */
TEST_C(TreeStore, DefaultsAreSycls)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    struct dnnl_cache_store_options options = {.struct_size = sizeof options};
    char path[path_size];
    options.path = path_in_test(path, "store");
    dnnl_cache_store_handle_t *store = NULL;
    ASSERT_OK(dnnl_cache_store_open(&store, "tree", &options));
    /* No blob is too small or too large. */
    static const size_t sizes[] = {100, 1, (1 << 20) + 1};
    for (unsigned i = 0; i < COUNT(sizes); i++) {
        EXPECT_OK(put_number(store, i + 1, sizes[i]));
        EXPECT_OK(get_number(store, i + 1, sizes[i]));
    }
    EXPECT_OK(dnnl_cache_store_get_totals(store, &totals));
    dnnl_cache_store_close(store);
    ASSERT_OK(dnnl_cache_store_open(&store, "tree", &options));
    EXPECT_OK(dnnl_cache_store_get_totals(store, &totals));
    EXPECT_TRUE(totals.capacity_bytes == dnnl_cache_store_megabytes(8192));
    EXPECT_EQ(dnnl_cache_store_policy_lru, totals.policy);
    dnnl_cache_store_close(store);
    EXPECT_EQ(86400, dnnl_cache_store_days(1));
    EXPECT_TRUE(dnnl_cache_store_days(UINT64_MAX / 100)
                == DNNL_CACHE_STORE_AGE_UNLIMITED);
}

TEST_C(TreeStore, ThresholdIsInDays)
{
    const unsigned day = 24 * 3600;
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 14; i++)
        EXPECT_OK(put_number(store, i, 100));
    tree_set_used(10, time_ago(7 * day - 60));
    tree_set_used(11, time_ago(7 * day + 60));
    tree_set_used(12, time_ago(30 * day));
    dnnl_cache_store_close(store);
    week_of_use(options.path);
    store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(2, statistics_of(store).expired);
    EXPECT_OK(get_number(store, 10, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 11, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 12, 100));
    EXPECT_OK(get_number(store, 13, 100));
    unindexed_expect_order(&tree, store, &options);
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, EvictsToHalf)
{
    enum { entry = 3000 + 5 + trailer_size + time_size };
    struct dnnl_cache_store_options options = unindexed_options(&tree);
    options.capacity = 30 * entry + size_file_bytes + totals_bytes;
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 40; i++) {
        EXPECT_OK(put_number(store, i, 3000));
        tree_set_used(i, time_ago(1000 - i));
    }
    EXPECT_EQ(30 * entry, statistics_of(store).bytes);
    EXPECT_EQ(0, statistics_of(store).evictions);
    EXPECT_OK(put_number(store, 40, 3000));
    EXPECT_EQ(17, statistics_of(store).evictions); /* 14 stay, one is new */
    EXPECT_LE(tree_bytes(options.path), options.capacity / 2);
    for (unsigned i = 10; i < 27; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, i, 3000));
    for (unsigned i = 27; i < 41; i++)
        EXPECT_OK(get_number(store, i, 3000));
    /* And not again for a while. */
    for (unsigned i = 50; i < 65; i++)
        EXPECT_OK(put_number(store, i, 3000));
    EXPECT_EQ(17, statistics_of(store).evictions);
    unindexed_expect_order(&tree, store, &options);
    dnnl_cache_store_close(store);
}

/* ---- Times --------------------------------------------------------------- */

static uint64_t noted_time(unsigned number)
{
    char path[path_size];
    size_t size;
    tree_file(path, number, 2);
    uint8_t *bytes = read_whole(path, &size);
    bytes[size] = '\0';
    const uint64_t ns = strtoull((char *)bytes, NULL, 10);
    free(bytes);
    return ns;
}

TEST_C(TreeStore, EveryUseIsNoted)
{
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    uint64_t before = time_ago(0);
    EXPECT_OK(put_number(store, 10, 100));
    EXPECT_GE(noted_time(10), before);
    EXPECT_LE(noted_time(10), time_ago(0));
    for (int i = 0; i < 3; i++) {
        before = time_ago(0);
        EXPECT_OK(get_number(store, 10, 100));
        EXPECT_GE(noted_time(10), before);
        EXPECT_LE(noted_time(10), time_ago(0));
    }
    before = time_ago(0);
    EXPECT_OK(put_number(store, 10, 101));
    EXPECT_GE(noted_time(10), before);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 11, 100));
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, NotedTimesDecideWhoGoes)
{
    struct dnnl_cache_store_options options = unindexed_options(&tree);
    char path[path_size];
    options.capacity = unindexed_room(&tree, 6, 3000);
    options.capacity += 200; /* half of it has room for three */
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 16; i++) {
        char text[32];
        EXPECT_OK(put_number(store, i, 3000));
        tree_set_used(i, time_ago(5000));
        snprintf(text, sizeof text, "%" PRIu64, time_ago(100 + i));
        tree_file(path, i, 2);
        write_whole(path, text, time_size);
    }
    /* Not a number: its blob's time counts, which is the longest ago. */
    tree_file(path, 10, 2);
    write_whole(path, "a very long time ago", time_size);
    EXPECT_OK(put_number(store, 20, 3000));
    EXPECT_EQ(4, statistics_of(store).evictions);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 3000));
    EXPECT_OK(get_number(store, 11, 3000));
    EXPECT_OK(get_number(store, 12, 3000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 13, 3000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 15, 3000));
    dnnl_cache_store_close(store);
}

/* ---- The size_file, directories, locks
 * ---------------------------------------- */

TEST_C(TreeStore, TheSizeFileHasTheTotalInBytes)
{
    enum { entry = 1000 + 5 + trailer_size + time_size };
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 12; i++) {
        run_shell("test \"$(cat '%s/cache_size.txt')\" = %u", options.path,
                i * entry);
        EXPECT_OK(put_number(store, 10 + i, 1000));
    }
    for (unsigned i = 12; i-- > 0;) {
        char id[32];
        snprintf(id, sizeof id, "id %u", 10 + i);
        EXPECT_OK(remove_id(store, id));
        run_shell("test \"$(cat '%s/cache_size.txt')\" = %u", options.path,
                i * entry);
    }
    /* None of these is a number. */
    static const char *const texts[] = {"", "?", "12x", "-1", "007",
            "18446744073709551616", "99999999999999999999999", "0\n"};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        run_shell(
                "printf %%s '%s' >'%s/cache_size.txt'", texts[i], options.path);
        EXPECT_EQ(0, statistics_of(store).bytes);
        EXPECT_OK(put_number(store, 30 + i, 1000));
        EXPECT_EQ(i, statistics_of(store).recounts);
        unindexed_expect_order(&tree, store, &options);
    }
    /* This is one; a walk is needed to see that it is wrong. */
    run_shell("printf 18446744073709551615 >'%s/cache_size.txt'", options.path);
    EXPECT_OK(put_number(store, 50, 1000));
    EXPECT_OK(get_number(store, 50, 1000));
    EXPECT_OK(get_number(store, 30, 1000));
    EXPECT_EQ(0, statistics_of(store).evictions);
    unindexed_expect_order(&tree, store, &options);
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, EmptyDirectoriesGo)
{
    struct dnnl_cache_store_options options = unindexed_options(&tree);
    options.capacity = unindexed_room(&tree, 5, 1000);
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_ingredients(store, &usual, "blob"));
    for (unsigned i = 10; i < 40; i++)
        EXPECT_OK(put_number(store, i, 1000));
    run_shell("test -z \"$(find '%s' -mindepth 1 -type d -empty)\"",
            options.path);
    /* What a writer leaves that dies before it publishes. */
    run_shell("cd '%s' && mkdir -p 00000000000000aa/00000000000000bb/"
              "00000000000000cc 00000000000000dd other/directory && "
              "printf '?' >cache_size.txt",
            options.path);
    EXPECT_OK(put_number(store, 50, 1000));
    run_shell("cd '%s' && test \"$(find . -mindepth 1 -type d -empty)\" = "
              "./other/directory && rm -r other",
            options.path);
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    run_shell("cd '%s' && test \"$(echo $(ls -A))\" = "
              "'cache_size.txt dnnl_cache_totals'",
            options.path);
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, StepsOfAPut)
{
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    char steps[put_trace_size];
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 20; i++)
        EXPECT_OK(put_number(store, i, 1000));
    if (!trace_put(steps, &tree, store, 30, 1000))
        SKIP_TEST("tracing is not allowed here");
    /* The directory is locked until its files are there. */
    EXPECT_STR_EQ("LSlCWRCWRCWRuSU", steps);
    trace_put(steps, &tree, store, 30, 1001);
    EXPECT_STR_EQ("LGSlCWRCWRuSU", steps); /* G: its own directory */
    trace_put(steps, &tree, store, 30, 1001);
    EXPECT_STR_EQ("", steps);
    EXPECT_OK(get_number(store, 30, 1001));
    unindexed_expect_order(&tree, store, &options);
    dnnl_cache_store_close(store);
}

TEST_C(TreeStore, StepsOfAnEviction)
{
    struct dnnl_cache_store_options options = unindexed_options(&tree);
    char steps[put_trace_size];
    options.capacity = unindexed_room(&tree, 1, 1000);
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 1000));
    if (!trace_put(steps, &tree, store, 30, 1000))
        SKIP_TEST("tracing is not allowed here");
    EXPECT_STR_EQ("LSGlEulCWRCWRCWRuSU", steps);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 1000));
    EXPECT_OK(get_number(store, 30, 1000));
    unindexed_expect_order(&tree, store, &options);
    dnnl_cache_store_close(store);
}

/* Keeps a lock of an item's directory until it is killed. */
static pid_t hold_directory(unsigned number)
{
    char path[path_size];
    int ready[2];
    char byte;
    tree_file(path, number, 0);
    *strrchr(path, '/') = '\0';
    EXPECT_EQ(0, pipe(ready));
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const int fd = open(path, O_RDONLY | O_DIRECTORY);
        if (fd < 0 || flock(fd, LOCK_EX) != 0) _exit(1);
        if (write(ready[1], "!", 1) != 1) _exit(1);
        for (;;)
            pause();
    }
    EXPECT_EQ(1, read(ready[0], &byte, 1));
    close(ready[0]);
    close(ready[1]);
    return pid;
}

TEST_C(TreeConcurrent, LockedDirectoriesAreLeftAlone)
{
    struct dnnl_cache_store_options options = unindexed_options(&tree);
    options.lock_timeout_ms = 50;
    options.capacity = unindexed_room(&tree, 6, 1000);
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 1000));
    tree_set_used(10, time_ago(1000));
    const pid_t pid = hold_directory(10);
    EXPECT_OK(put_number(store, 10, 1001));
    EXPECT_EQ(1, statistics_of(store).puts_lock_timeout);
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 10"));
    EXPECT_OK(get_number(store, 10, 1000)); /* readers do not mind */
    tree_set_used(10, time_ago(1000));
    for (unsigned i = 20; i < 30; i++) {
        EXPECT_OK(put_number(store, i, 1000)); /* others neither */
        EXPECT_OK(get_number(store, i, 1000));
        unindexed_expect_order(&tree, store, &options);
    }
    EXPECT_OK(get_number(store, 10, 1000)); /* though it was to go first */
    tree_set_used(10, time_ago(1000));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (unsigned i = 30; i < 36; i++)
        EXPECT_OK(put_number(store, i, 1000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 1000));
    dnnl_cache_store_close(store);
}

/* ---- Hostile directories ------------------------------------------------- */

static void plant_directory(const char *path, int what, const char *outside)
{
    run_shell("rm -rf '%s'", path);
    switch (what) {
    case 0:
        EXPECT_EQ(0, symlink(outside, path));
        break;
    case 1:
        EXPECT_EQ(0, mkfifo(path, 0600));
        break;
    case 2:
        EXPECT_EQ(0, symlink("/nowhere/at/all", path));
        break;
    case 3:
        write_whole(path, "a plain file", 12);
        break;
    default:
        EXPECT_EQ(0, mkdir(path, 0700));
        break;
    }
}

/* Something else at each level of the way to item 10. What links lead to is a
 * complete copy, which must be neither read nor changed. */
TEST_C(TreeHostile, DirectoriesOnTheWay)
{
    const struct dnnl_cache_store_options options = unindexed_options(&tree);
    char path[path_size];
    char outside[path_size];
    dnnl_cache_store_handle_t *store = unindexed_open(&tree, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 20));
    EXPECT_OK(put_ingredients(store, &usual, "blob"));
    path_in_test(outside, "outside");
    for (int up = 1; up <= 4; up++) {
        for (int what = 0; what < 5 && !test_has_failed(); what++) {
            tree_file(path, 10, 0);
            for (int i = 0; i < up; i++)
                *strrchr(path, '/') = '\0';
            run_shell("rm -rf '%s'; cp -rp '%s' '%s'", outside, path, outside);
            const uint64_t outside_bytes = tree_bytes(outside);
            plant_directory(path, what, outside);
            EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 20));
            EXPECT_OK(remove_id(store, "id 10"));
            EXPECT_EQ(1, count_entries(store));
            EXPECT_OK(put_number(store, 10, 20));
            EXPECT_OK(get_number(store, 10, 20));
            expect_blob(store, &usual, "blob");
            EXPECT_EQ(2, count_entries(store));
            EXPECT_EQ(outside_bytes, tree_bytes(outside));
        }
    }
    EXPECT_OK(dnnl_cache_store_trim(
            store, UINT64_MAX, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    unindexed_expect_order(&tree, store, &options);
    dnnl_cache_store_close(store);
}
