/* SPDX-License-Identifier: Apache-2.0 */
/* The types of stores by name. */
#include "dnnl_cache/store_types.h"

#include "store_helpers.h"
#include "test.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {DNNL_CACHE_STORE_TYPE_NAMES};
enum { name_count = sizeof names / sizeof *names };

TEST_C(StoreTypes, HaveTheNamesOfTheHeader)
{
    char text[128] = "";
    for (size_t i = 0; i < name_count; i++) {
        const struct dnnl_cache_store_type *type = dnnl_cache_store_get_type(i);
        ASSERT_NOT_NULL(type);
        EXPECT_STR_EQ(names[i], type->name);
        EXPECT_TRUE(type == dnnl_cache_store_find_type(names[i]));
        EXPECT_TRUE(type->description[0] != '\0');
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s",
                i == 0                        ? ""
                : i + 1 == (size_t)name_count ? " or "
                                              : ", ",
                names[i]);
    }
    EXPECT_STR_EQ(DNNL_CACHE_STORE_TYPE_TEXT, text);
    EXPECT_NULL(dnnl_cache_store_get_type(name_count));
    EXPECT_NULL(dnnl_cache_store_find_type("chain"));
    EXPECT_NULL(dnnl_cache_store_find_type("Bucket"));
    EXPECT_NULL(dnnl_cache_store_find_type(""));
    EXPECT_NULL(dnnl_cache_store_find_type(NULL));
}

static void copy_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    EXPECT_EQ(dnnl_cache_log_error, level);
    snprintf(user, 256, "%s", text);
}

TEST_C(StoreTypes, AnUnknownOneIsReportedWithThoseThatThereAre)
{
    static const char *const unknown[] = {"chain", "Bucket", "", "flat "};
    char path[path_size];
    char told[256];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path_in_test(path, "store");
    options.log = copy_message;
    options.log_user = told;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        told[0] = '\0';
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_store_open(&store, unknown[i], &options));
        EXPECT_NOT_NULL(strstr(told, unknown[i]));
        for (size_t k = 0; k < (size_t)name_count; k++)
            EXPECT_NOT_NULL(strstr(told, names[k]));
    }
    /* An older program's options end before log. */
    told[0] = '\0';
    options.struct_size = offsetof(struct dnnl_cache_store_options, log);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_open(&store, "chain", &options));
    options.struct_size = 0;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_open(&store, "chain", &options));
    options.struct_size = sizeof options;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_open(&store, NULL, &options));
    EXPECT_STR_EQ("", told);
    EXPECT_NULL(store);
    EXPECT_NE(0, access(path, F_OK));
}

/* What type's recognise() says of the test's place. */
static enum dnnl_cache_store_trace trace_of(
        const struct dnnl_cache_store_type *type, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    EXPECT_TRUE(fd >= 0);
    const enum dnnl_cache_store_trace trace = type->recognise(fd);
    close(fd);
    return trace;
}

/* As a writer makes it, or leaves it if it dies while it counts. */
TEST_C(StoreTypes, AnEmptyIndexIsABucketStores)
{
    char path[path_size];
    ASSERT_EQ(0, mkdir(path_in_test(path, "store"), 0700));
    write_whole(path_in_test(path, "store/index.bin"), "", 0);
    path_in_test(path, "store");
    EXPECT_EQ(dnnl_cache_store_trace_size,
            trace_of(dnnl_cache_store_find_type("bucket"), path));
    EXPECT_TRUE(dnnl_cache_store_find_type("bucket")
                == dnnl_cache_store_find_type_at(path, NULL));
    const struct dnnl_cache_store_options options = test_options();
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 300));
    dnnl_cache_store_close(store);

    /* No file, no index. */
    ASSERT_EQ(0, mkdir(path_in_test(path, "other"), 0700));
    ASSERT_EQ(0, mkdir(path_in_test(path, "other/index.bin"), 0700));
    EXPECT_EQ(dnnl_cache_store_trace_none,
            trace_of(dnnl_cache_store_find_type("bucket"),
                    path_in_test(path, "other")));
}

TEST_C(StoreTypes, OpenWhatTheyRecognise)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        char path[path_size];
        dnnl_cache_store_handle_t *store = NULL;
        struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
        options.path = path_in_test(path, type->name);
        ASSERT_OK(dnnl_cache_store_open(&store, type->name, &options));
        EXPECT_OK(put_number(store, 1, 300));
        EXPECT_OK(get_number(store, 1, 300));
        dnnl_cache_store_close(store);
        for (size_t j = 0; j < name_count; j++)
            EXPECT_EQ(i == j ? dnnl_cache_store_trace_entries
                             : dnnl_cache_store_trace_none,
                    trace_of(dnnl_cache_store_get_type(j), path));
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        EXPECT_FALSE(dnnl_cache_store_is_empty_place(fd));
        close(fd);
    }
}

/* What the OpenCL layer has on PoCL after a first run: a journal and a folder
 * of its own, and no entry yet. */
static void make_new_store(const struct dnnl_cache_store_type *type,
        const char *path, const char *foreign)
{
    static const uint8_t magic[] = "dnnlcjnl";
    char inside[path_size + 32];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path;
    ASSERT_OK(dnnl_cache_store_open(&store, type->name, &options));
    dnnl_cache_store_close(store);
    if (type->is_file) return;
    snprintf(inside, sizeof inside, "%s/layer", path);
    ASSERT_EQ(0, mkdir(inside, 0700));
    snprintf(inside, sizeof inside, "%s/journal", path);
    write_whole(inside, magic, sizeof magic - 1);
    snprintf(inside, sizeof inside, "%s/%s", path, foreign);
    write_whole(inside, "x", 1);
}

TEST_C(StoreTypes, RecogniseANewStoreWithALayersFolder)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        char path[path_size];
        path_in_test(path, type->name);
        make_new_store(type, path, "notes.txt");
        EXPECT_TRUE(type == dnnl_cache_store_find_type_at(path, NULL));
        for (size_t j = 0; j < name_count; j++)
            EXPECT_TRUE(type
                        == dnnl_cache_store_find_type_at(
                                path, dnnl_cache_store_get_type(j)));
    }
}

/* As of an earlier version, or with the totals removed by hand. */
TEST_C(StoreTypes, RecogniseATreeWithoutTotals)
{
    char path[path_size];
    const struct dnnl_cache_store_type *tree =
            dnnl_cache_store_find_type("tree");
    path_in_test(path, "tree");
    make_new_store(tree, path, "journal.lock");
    ASSERT_EQ(0, unlink(path_in_test(path, "tree/dnnl_cache_totals")));
    EXPECT_TRUE(
            tree
            == dnnl_cache_store_find_type_at(path_in_test(path, "tree"), NULL));
    /* A size file of SYCL's own cache looks the same. */
    write_whole(path_in_test(path, "tree/notes.txt"), "x", 1);
    EXPECT_NULL(
            dnnl_cache_store_find_type_at(path_in_test(path, "tree"), NULL));
}

TEST_C(StoreTypes, AFolderOfTheLayersIsAnEmptyPlace)
{
    char path[path_size];
    ASSERT_EQ(0, mkdir(path_in_test(path, "new"), 0700));
    ASSERT_EQ(0, mkdir(path_in_test(path, "new/layer"), 0700));
    int fd = open(path_in_test(path, "new"), O_RDONLY | O_CLOEXEC);
    EXPECT_TRUE(dnnl_cache_store_is_empty_place(fd));
    close(fd);
    ASSERT_EQ(0, rmdir(path_in_test(path, "new/layer")));
    write_whole(path_in_test(path, "new/layer"), "x", 1);
    fd = open(path_in_test(path, "new"), O_RDONLY | O_CLOEXEC);
    EXPECT_FALSE(dnnl_cache_store_is_empty_place(fd));
    close(fd);
}

TEST_C(StoreTypes, AFolderDoesNotBecomeAPack)
{
    char path[path_size];
    const struct dnnl_cache_store_type *pack =
            dnnl_cache_store_find_type("pack");
    EXPECT_TRUE(pack
                == dnnl_cache_store_find_type_at(
                        path_in_test(path, "missing"), pack));
    ASSERT_EQ(0, mkdir(path_in_test(path, "folder"), 0700));
    EXPECT_TRUE(dnnl_cache_store_get_default_type()
                == dnnl_cache_store_find_type_at(path, pack));
}

/* What an application keeps under the name of one of a store's files. */
TEST_C(StoreTypes, LeaveFilesOfOthersAlone)
{
    static const struct {
        const char *type;
        const char *file;
    } files[] = {{"flat", "config.file"}, {"bucket", "index.bin"},
            {"bucket", "size.txt"}, {"tree", "cache_size.txt"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[path_size], folder[64], file[128];
        size_t size;
        dnnl_cache_store_handle_t *store = NULL;
        const struct dnnl_cache_store_type *type =
                dnnl_cache_store_find_type(files[i].type);
        struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
        snprintf(folder, sizeof folder, "folder%zu", i);
        snprintf(file, sizeof file, "%s/%s", folder, files[i].file);
        ASSERT_EQ(0, mkdir(path_in_test(path, folder), 0700));
        write_whole(path_in_test(path, file), "mine", 4);
        options.path = path_in_test(path, folder);
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_store_open(&store, type->name, &options));
        uint8_t *bytes = read_whole(path_in_test(path, file), &size);
        EXPECT_BYTES_EQ("mine", 4, bytes, size);
        free(bytes);
    }
}
