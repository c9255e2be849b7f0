/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a store that are made of hard links (cp -al, rsync --link-dest): no
 * copy changes, and the store goes on. */
#include "dnnl_cache/store_types.h"
#include "journal_helpers.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { entry_count = 6, blob_size = 3000 };

/* All files of a store in a folder of their own, a pack's, too. */
static dnnl_cache_store_handle_t *open_in(
        const struct dnnl_cache_store_type *type, const char *folder)
{
    char path[path_size], name[64];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    snprintf(name, sizeof name, "%s%s", folder, type->is_file ? "/s.pack" : "");
    options.path = path_in_test(path, name);
    options.policy = dnnl_cache_store_policy_lru;
    options.lock_timeout_ms = 60000;
    EXPECT_OK(dnnl_cache_store_open(&store, type->name, &options));
    return store;
}

static void make_copy(const char *copy)
{
    run_shell("cp -al '%s/store' '%s/%s'", test_directory(), test_directory(),
            copy);
}

/* Names and contents of a copy. */
static void take_sums(const char *copy, const char *file)
{
    run_shell("cd '%s/%s' && find . -type f -exec sha256sum {} + | sort -k2 "
              ">'%s/%s'",
            test_directory(), copy, test_directory(), file);
}

static void expect_as_it_was(const char *copy)
{
    take_sums(copy, "now");
    run_shell("cd '%s' && diff before now >&2", test_directory());
}

static void expect_intact(dnnl_cache_store_handle_t *store, unsigned count)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    for (unsigned i = 0; i < count; i++)
        EXPECT_OK(get_number(store, i, blob_size));
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
}

static dnnl_cache_store_handle_t *make_store(
        const struct dnnl_cache_store_type *type)
{
    run_shell("rm -rf '%s/store' '%s/copy' && mkdir -m 700 '%s/store'",
            test_directory(), test_directory(), test_directory());
    dnnl_cache_store_handle_t *store = open_in(type, "store");
    for (unsigned i = 0; i < entry_count; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_OK(append_build(store, "a", "x"));
    EXPECT_OK(dnnl_cache_store_journal_begin_drain(store, 0));
    dnnl_cache_store_journal_end_drain(store);
    EXPECT_OK(dnnl_cache_store_record_totals(store));
    make_copy("copy");
    take_sums("copy", "before");
    return store;
}

static uint64_t notes_in(dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_journal_get_statistics(store, &s));
    return s.builds;
}

/* All that writes; what is in the store before is in the copy as well. */
static void work_on(dnnl_cache_store_handle_t *store)
{
    EXPECT_OK(get_number(store, 0, blob_size)); /* notes a use */
    EXPECT_OK(put_number(store, entry_count, blob_size));
    EXPECT_OK(put_number(store, 1, 2 * blob_size));
    EXPECT_OK(put_number(store, 1, blob_size));
    EXPECT_OK(append_build(store, "b", "y"));
    EXPECT_OK(append_build(store, "a", "x"));
    EXPECT_EQ(2, (long long)notes_in(store));
    EXPECT_OK(dnnl_cache_store_journal_begin_drain(store, 0));
    dnnl_cache_store_journal_end_drain(store);
    EXPECT_OK(dnnl_cache_store_record_totals(store));
    expect_intact(store, entry_count + 1);
}

/* The store is open while the copy is made; then it is opened again. */
TEST_C(HardLinks, ACopyStaysAsItIsWhileTheStoreIsWritten)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        dnnl_cache_store_handle_t *store = make_store(type);
        work_on(store);
        dnnl_cache_store_close(store);
        expect_as_it_was("copy");
        store = open_in(type, "store");
        EXPECT_EQ(2, (long long)notes_in(store));
        expect_intact(store, entry_count + 1);
        EXPECT_OK(put_number(store, entry_count + 1, blob_size));
        EXPECT_OK(dnnl_cache_store_trim(
                store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
        dnnl_cache_store_close(store);
        expect_as_it_was("copy");

        store = open_in(type, "copy");
        EXPECT_EQ(1, (long long)notes_in(store));
        expect_intact(store, entry_count);
        EXPECT_EQ(entry_count, count_entries(store));
        dnnl_cache_store_close(store);
    }
}

TEST_C(HardLinks, AStoreMayBeOpenedWhereACopyIs)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        dnnl_cache_store_close(make_store(type));
        make_copy("copy/second"); /* three names */
        take_sums("copy", "before");
        dnnl_cache_store_handle_t *store = open_in(type, "store");
        expect_intact(store, entry_count);
        dnnl_cache_store_close(store);
        store = open_in(type, "store");
        work_on(store);
        dnnl_cache_store_close(store);
        expect_as_it_was("copy");
    }
}

static void drop_all(dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    EXPECT_OK(dnnl_cache_store_journal_load(&list, store));
    for (size_t i = 0; list != NULL && i < list->count; i++)
        EXPECT_OK(
                dnnl_cache_store_journal_drop(store, 1, &list->items[i]->key));
    dnnl_cache_store_journal_free(list);
}

/* A process that has read the journal does not believe the old file, which has
 * a name still. */
TEST_C(HardLinks, NotesThatWereDroppedAreTakenAgain)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        dnnl_cache_store_handle_t *reader = make_store(type);
        EXPECT_OK(append_build(reader, "a", "x")); /* is known */
        dnnl_cache_store_handle_t *other = open_in(type, "store");
        EXPECT_OK(append_build(other, "b", "y"));
        EXPECT_OK(dnnl_cache_store_journal_begin_drain(other, 0));
        drop_all(other);
        dnnl_cache_store_journal_end_drain(other);
        dnnl_cache_store_close(other);
        EXPECT_OK(append_build(reader, "a", "x"));
        EXPECT_EQ(1, (long long)notes_in(reader));
        dnnl_cache_store_close(reader);
        expect_as_it_was("copy");
    }
}

/* ---- At once ------------------------------------------------------------- */

enum { writers = 3, puts_of_each = 12 };

static int put_many(const struct dnnl_cache_store_type *type, unsigned writer)
{
    dnnl_cache_store_handle_t *store = open_in(type, "store");
    for (unsigned i = 0; i < puts_of_each; i++)
        if (put_number(store, 100 * (writer + 1) + i, blob_size)
                != dnnl_success)
            return 1;
    dnnl_cache_store_close(store);
    return test_has_failed();
}

/* Copies are made all the time: nothing that was put is lost, whoever detaches
 * which file while others wait for its lock. */
TEST_C(HardLinks, WritersLoseNothingWhileCopiesAreMade)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        pid_t pids[writers];
        int status = 0;
        unsigned running = writers;
        dnnl_cache_store_handle_t *store = make_store(type);
        fflush(NULL);
        for (unsigned w = 0; w < writers; w++)
            if ((pids[w] = fork()) == 0) _exit(put_many(type, w));
        for (unsigned n = 0; running > 0; n++) {
            /* Names that vanish meanwhile are no failure here. */
            run_shell("cp -al '%s/store' '%s/copy/%u' 2>/dev/null || true",
                    test_directory(), test_directory(), n);
            while (waitpid(-1, &status, WNOHANG) > 0) {
                running--;
                EXPECT_EQ(0, status);
            }
        }
        for (unsigned w = 0; w < writers; w++)
            for (unsigned k = 0; k < puts_of_each; k++)
                if (get_number(store, 100 * (w + 1) + k, blob_size)
                        != dnnl_success)
                    test_fail(__FILE__, __LINE__, "%s: %u of %u is lost",
                            type->name, k, w);
        expect_intact(store, entry_count);
        EXPECT_EQ(entry_count + writers * puts_of_each, count_entries(store));
        dnnl_cache_store_close(store);
    }
}
