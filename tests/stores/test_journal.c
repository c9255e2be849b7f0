/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: what is appended is read back once, whatever happens to the
 * file. */
#include "journal_helpers.h"
#include "store_helpers.h"
#include "store_types.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A store of a type, in the test's directory. */
static struct dnnl_cache_store_handle *open_type(
        const struct dnnl_cache_store_type *type, bool read_only)
{
    static char path[path_size];
    struct dnnl_cache_store_handle *store = NULL;
    struct dnnl_cache_store_options options = type->options_default();
    options.path = path_in_test(path, type->name);
    options.read_only = read_only;
    EXPECT_STATUS(dnnl_success, type->open(&store, &options));
    return store;
}

static const char *journal_path(const struct dnnl_cache_store_type *type)
{
    static char path[path_size];
    char name[64];
    snprintf(name, sizeof name, "%s%sjournal", type->name,
            type->is_file ? "." : "/");
    return path_in_test(path, name);
}

static dnnl_status_t append_build(
        struct dnnl_cache_store_handle *store, const char *id, const char *text)
{
    const dnnl_cache_note_t note = note_of_build(id, text);
    return dnnl_cache_store_journal_append(store, &note);
}

static dnnl_status_t append_launch(struct dnnl_cache_store_handle *store,
        const char *id, const char *kernel, size_t local_size)
{
    const dnnl_cache_note_t note = note_of_launch(id, kernel, local_size);
    return dnnl_cache_store_journal_append(store, &note);
}

TEST_C(Journal, EveryTypeOfStoreTakesNotes)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        struct dnnl_cache_store_handle *store = open_type(type, false);
        struct stat st;
        ASSERT_TRUE(store != NULL);
        EXPECT_STR_EQ("", journal_text(store));
        const dnnl_cache_store_t *s = dnnl_cache_store_callbacks(store);
        ASSERT_TRUE(s->note != NULL);
        const dnnl_cache_note_t note = note_of_build("a", "source");
        EXPECT_STATUS(dnnl_success, s->note(s->user, &note));
        EXPECT_STATUS(dnnl_success, append_launch(store, "a", "k", 64));
        EXPECT_STR_EQ(
                "build a source -DA=1\nlaunch a k 64\n", journal_text(store));
        ASSERT_EQ(0, stat(journal_path(type), &st));
        EXPECT_EQ(0600, (long long)(st.st_mode & 07777));
        dnnl_cache_store_close(store);
        store = open_type(type, true);
        ASSERT_TRUE(store != NULL);
        EXPECT_TRUE(dnnl_cache_store_callbacks(store)->note == NULL);
        EXPECT_STATUS(dnnl_runtime_error, append_build(store, "b", "text"));
        EXPECT_STR_EQ(
                "build a source -DA=1\nlaunch a k 64\n", journal_text(store));
        dnnl_cache_store_close(store);
    }
}

TEST_C(Journal, DuplicatesAndTextsAreWrittenOnce)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    struct dnnl_cache_store_handle *one = open_type(type, false);
    struct dnnl_cache_store_handle *other = open_type(type, false);
    struct dnnl_cache_store_journal_statistics s;
    struct stat before, after;
    static char source[10000];
    memset(source, 'x', sizeof source - 1);
    EXPECT_STATUS(dnnl_success, append_build(one, "a", source));
    EXPECT_STATUS(dnnl_success, append_launch(one, "a", "k", 0));
    ASSERT_EQ(0, stat(journal_path(type), &before));
    EXPECT_STATUS(dnnl_success, append_build(other, "a", source));
    EXPECT_STATUS(dnnl_success, append_build(one, "a", source));
    EXPECT_STATUS(dnnl_success, append_launch(other, "a", "k", 0));
    ASSERT_EQ(0, stat(journal_path(type), &after));
    EXPECT_EQ((long long)before.st_size, (long long)after.st_size);
    EXPECT_STATUS(dnnl_success, append_build(other, "b", source));
    ASSERT_EQ(0, stat(journal_path(type), &after));
    EXPECT_TRUE(after.st_size - before.st_size < 500);
    ASSERT_STATUS(
            dnnl_success, dnnl_cache_store_journal_get_statistics(other, &s));
    EXPECT_EQ(2, (long long)s.builds);
    EXPECT_EQ(1, (long long)s.launches);
    EXPECT_EQ(1, (long long)s.appended);
    EXPECT_EQ(2, (long long)s.known);
    EXPECT_EQ((long long)after.st_size, (long long)s.bytes);
    dnnl_cache_store_close(one);
    dnnl_cache_store_close(other);
}

TEST_C(Journal, DroppedNotesAreGoneAndOthersStay)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    struct dnnl_cache_store_handle *store = open_type(type, false);
    struct dnnl_cache_store_handle *other = open_type(type, false);
    const dnnl_cache_note_t launch = note_of_launch("a", "k", 64);
    uint64_t keys[2] = {0, dnnl_cache_store_journal_key(&launch)};
    const dnnl_cache_note_t build = note_of_build("a", "shared");
    keys[0] = dnnl_cache_store_journal_key(&build);
    EXPECT_STATUS(dnnl_success, append_build(store, "a", "shared"));
    EXPECT_STATUS(dnnl_success, append_launch(store, "a", "k", 64));
    EXPECT_STATUS(dnnl_success, append_launch(store, "a", "k", 128));
    EXPECT_STATUS(dnnl_success, append_build(store, "b", "shared"));
    EXPECT_STATUS(dnnl_success, dnnl_cache_store_journal_drop(other, 2, keys));
    EXPECT_STR_EQ(
            "launch a k 128\nbuild b shared -DA=1\n", journal_text(store));
    /* A writer that knew the old file writes into the new one. */
    EXPECT_STATUS(dnnl_success, append_build(store, "a", "shared"));
    EXPECT_STR_EQ("launch a k 128\nbuild b shared -DA=1\n"
                  "build a shared -DA=1\n",
            journal_text(other));
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
}
