/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a journal: damaged, cut, exchanged for another, and what is no
 * journal. */
#include "journal_helpers.h"
#include "store_helpers.h"
#include "stores/core/store_internal.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A journal of a build, a launch and a build, and where each ends. */
struct sample {
    const struct dnnl_cache_store_type *type;
    dnnl_cache_store_handle_t *store;
    uint8_t *bytes; /* owned */
    size_t size;
    size_t ends[3];
};

static void sample_open(struct sample *s)
{
    s->type = dnnl_cache_store_get_default_type();
    s->store = open_type(s->type, false);
    EXPECT_OK(append_build(s->store, "a", "first"));
    s->ends[0] = size_of_journal(s->type);
    EXPECT_OK(append_launch(s->store, "a", "k", 64));
    s->ends[1] = size_of_journal(s->type);
    EXPECT_OK(append_build(s->store, "b", "second"));
    s->ends[2] = size_of_journal(s->type);
    s->bytes = read_whole(journal_path(s->type), &s->size);
}

static void sample_close(struct sample *s)
{
    free(s->bytes);
    dnnl_cache_store_close(s->store);
}

/* What is left of the sample if all from a byte on is lost. */
static const char *expected_before(const struct sample *s, size_t at)
{
    if (at < s->ends[0]) return "";
    if (at < s->ends[1]) return "build a first -DA=1\n";
    if (at < s->ends[2]) return "build a first -DA=1\nlaunch a k 64\n";
    return "build a first -DA=1\nlaunch a k 64\nbuild b second -DA=1\n";
}

TEST_C(Journal, CutAnywhereKeepsWhatIsBefore)
{
    struct sample s;
    char expected[256];
    sample_open(&s);
    for (size_t cut = 0; cut <= s.size; cut++) {
        write_whole(journal_path(s.type), s.bytes, cut);
        EXPECT_STR_EQ(expected_before(&s, cut), journal_lines(s.store));
        /* The next writer cuts off the rest, and goes on. */
        EXPECT_OK(append_build(s.store, "c", "third"));
        snprintf(expected, sizeof expected, "%sbuild c third -DA=1\n",
                expected_before(&s, cut));
        EXPECT_STR_EQ(expected, journal_lines(s.store));
        if (test_has_failed()) break;
    }
    sample_close(&s);
}

/* What it has is known to another handle, wherever a piece that is read at once
 * ends; texts are shorter and longer than those. */
TEST_C(Journal, LargerThanAPieceIsReadWhole)
{
    enum { count = 40, most = 1 << 20 };
    struct sample s;
    char *text = malloc(most + 1);
    sample_open(&s);
    for (int is_again = 0; is_again < 2; is_again++) {
        dnnl_cache_store_handle_t *store = open_type(s.type, false);
        const size_t before = size_of_journal(s.type);
        for (int i = 0; i < count; i++) {
            char id[32];
            const size_t size = i % 8 == 7 ? most : 10007 * (size_t)(i % 8 + 1);
            snprintf(id, sizeof id, "large %d", i);
            memset(text, 'a' + i % 26, size);
            text[size] = '\0';
            EXPECT_OK(append_build(store, id, text));
        }
        EXPECT_EQ(is_again, before == size_of_journal(s.type));
        dnnl_cache_store_close(store);
    }
    free(text);
    sample_close(&s);
}

TEST_C(Journal, WithAFlippedBitIsReadUpToIt)
{
    struct sample s;
    char expected[256];
    sample_open(&s);
    for (size_t at = 0; at < s.size; at++) {
        s.bytes[at] ^= (uint8_t)(1u << at % 8);
        write_whole(journal_path(s.type), s.bytes, s.size);
        dnnl_cache_store_handle_t *store = open_type(s.type, false);
        if (at >= 12 && at < 16) /* the generation */
            EXPECT_STR_EQ(expected_before(&s, s.size), journal_lines(store));
        else
            EXPECT_STR_EQ(expected_before(&s, at), journal_lines(store));
        /* The next writer cuts off the rest, and goes on. */
        EXPECT_OK(append_build(store, "c", "third"));
        snprintf(expected, sizeof expected, "%sbuild c third -DA=1\n",
                expected_before(&s, at >= 12 && at < 16 ? s.size : at));
        EXPECT_STR_EQ(expected, journal_lines(store));
        dnnl_cache_store_close(store);
        s.bytes[at] ^= (uint8_t)(1u << at % 8);
        if (test_has_failed()) break;
    }
    sample_close(&s);
}

static void count_warning(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    int *warnings = user;
    if (level == dnnl_cache_log_warning && strstr(text, "journal") != NULL)
        ++*warnings;
}

TEST_C(Journal, OfGarbageIsWarnedOfAndBegunAnew)
{
    static const char garbage[] = "somebody's notes, and not a journal";
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    char path[path_size];
    int warnings = 0;
    dnnl_cache_store_close(open_type(type, false));
    write_whole(journal_path(type), garbage, sizeof garbage);
    options.path = path_in_test(path, type->name);
    options.log = count_warning;
    options.log_user = &warnings;
    options.read_only = true;
    ASSERT_OK(dnnl_cache_store_open(&store, type->name, &options));
    EXPECT_STR_EQ("", journal_lines(store));
    EXPECT_STR_EQ("", journal_lines(store));
    EXPECT_EQ(1, warnings);
    EXPECT_EQ(sizeof garbage, size_of_journal(type));
    dnnl_cache_store_close(store);
    options.read_only = false;
    ASSERT_OK(dnnl_cache_store_open(&store, type->name, &options));
    EXPECT_OK(append_build(store, "a", "x"));
    EXPECT_EQ(2, warnings);
    EXPECT_OK(append_build(store, "b", "y"));
    EXPECT_STR_EQ("build a x -DA=1\nbuild b y -DA=1\n", journal_lines(store));
    EXPECT_EQ(2, warnings);
    dnnl_cache_store_close(store);
}

/* ---- Files with the number of one that was read -------------------------- */

TEST_C(Journal, KnowsAnotherFileWithTheSameNumber)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    static const char *const next[] = {"a", "b"}; /* a: it has noted that */
    dnnl_cache_store_handle_t *store = open_type(type, false);
    char expected[256];
    size_t size;
    EXPECT_OK(append_build(store, "x", "a text of some length"));
    EXPECT_OK(append_build(store, "y", "another text of some length"));
    uint8_t *bytes = read_whole(journal_path(type), &size);
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, unlink(journal_path(type)));
        EXPECT_OK(append_build(store, "a", "a"));
        EXPECT_TRUE(size_of_journal(type) < size);
        write_whole(journal_path(type), bytes, size);
        EXPECT_OK(append_build(store, next[i], next[i]));
        snprintf(expected, sizeof expected,
                "build x a text of some length -DA=1\n"
                "build y another text of some length -DA=1\n"
                "build %s %s -DA=1\n",
                next[i], next[i]);
        EXPECT_STR_EQ(expected, journal_lines(store));
    }
    free(bytes);
    dnnl_cache_store_close(store);
}

TEST_C(Journal, KnowsAFileThatWasCutAndGrew)
{
    static char text[1000];
    struct sample s;
    sample_open(&s); /* has read all of it */
    memset(text, 'x', sizeof text - 1);
    s.bytes[s.ends[0] + 50] ^= 1;
    write_whole(journal_path(s.type), s.bytes, s.size);
    dnnl_cache_store_handle_t *other = open_type(s.type, false);
    EXPECT_OK(append_build(other, "c", text));
    EXPECT_TRUE(size_of_journal(s.type) > s.size);
    EXPECT_OK(append_build(s.store, "d", "fourth"));
    EXPECT_OK(append_build(s.store, "b", "second"));
    EXPECT_TRUE(strstr(journal_lines(other), "build c xxx") != NULL);
    EXPECT_TRUE(strstr(journal_lines(other), "build d fourth") != NULL);
    EXPECT_TRUE(strstr(journal_lines(other), "build b second") != NULL);
    dnnl_cache_store_close(other);
    sample_close(&s);
}

/* ---- Files that are not a journal ---------------------------------------- */

static void expect_left_alone(
        const struct dnnl_cache_store_type *type, const char *what)
{
    dnnl_cache_store_handle_t *store = open_type(type, false);
    struct stat before, after;
    ASSERT_EQ(0, lstat(journal_path(type), &before));
    if (append_build(store, "a", "x") != dnnl_runtime_error)
        test_fail(__FILE__, __LINE__, "%s was written to", what);
    ASSERT_EQ(0, lstat(journal_path(type), &after));
    EXPECT_EQ((long long)before.st_ino, (long long)after.st_ino);
    EXPECT_EQ((long long)before.st_size, (long long)after.st_size);
    dnnl_cache_store_close(store);
}

TEST_C(Journal, LargerThanAnyIsBegunAnew)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *store = open_type(type, false);
    EXPECT_OK(append_build(store, "a", "x"));
    ASSERT_EQ(0, truncate(journal_path(type), ((off_t)128 << 20) + 1));
    EXPECT_STR_EQ("status 5", journal_lines(store));
    EXPECT_OK(append_build(store, "b", "y"));
    EXPECT_STR_EQ("build b y -DA=1\n", journal_lines(store));
    dnnl_cache_store_close(store);
}

TEST_C(Journal, LeavesAloneWhatIsNotAJournal)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    char target[path_size];
    size_t size;
    dnnl_cache_store_close(open_type(type, false));
    const char *path = journal_path(type);
    path_in_test(target, "target");
    write_whole(target, "", 0);
    ASSERT_EQ(0, symlink(target, path));
    expect_left_alone(type, "a link");
    ASSERT_EQ(0, unlink(path));
    free(read_whole(target, &size));
    EXPECT_EQ(0, size);
    ASSERT_EQ(0, mkdir(path, 0700));
    expect_left_alone(type, "a directory");
    ASSERT_EQ(0, rmdir(path));
    ASSERT_EQ(0, mkfifo(path, 0600));
    expect_left_alone(type, "a FIFO");
    ASSERT_EQ(0, unlink(path));
    dnnl_cache_store_handle_t *store = open_type(type, false);
    EXPECT_OK(append_build(store, "a", "x"));
    dnnl_cache_store_close(store);
    ASSERT_EQ(0, chmod(path, 0622));
    expect_left_alone(type, "a file that others may write to");
}
