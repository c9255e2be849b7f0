/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: what is appended is read back once, whatever happens to the
 * file. */
#include "journal_helpers.h"
#include "store_helpers.h"
#include "store_internal.h"
#include "store_types.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- Damage -------------------------------------------------------------- */

/* A journal of a build, a launch and a build, and where each ends. */
struct sample {
    const struct dnnl_cache_store_type *type;
    struct dnnl_cache_store_handle *store;
    uint8_t *bytes; /* owned */
    size_t size;
    size_t ends[3];
};

static size_t size_of_journal(const struct dnnl_cache_store_type *type)
{
    struct stat st;
    return stat(journal_path(type), &st) == 0 ? (size_t)st.st_size : 0;
}

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
        EXPECT_STR_EQ(expected_before(&s, cut), journal_text(s.store));
        /* The next writer cuts off the rest, and goes on. */
        EXPECT_OK(append_build(s.store, "c", "third"));
        snprintf(expected, sizeof expected, "%sbuild c third -DA=1\n",
                expected_before(&s, cut));
        EXPECT_STR_EQ(expected, journal_text(s.store));
        if (test_has_failed()) break;
    }
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
        struct dnnl_cache_store_handle *store = open_type(s.type, false);
        if (at >= 12 && at < 16) /* the generation */
            EXPECT_STR_EQ(expected_before(&s, s.size), journal_text(store));
        else
            EXPECT_STR_EQ(expected_before(&s, at), journal_text(store));
        /* The next writer cuts off the rest, and goes on. */
        EXPECT_OK(append_build(store, "c", "third"));
        snprintf(expected, sizeof expected, "%sbuild c third -DA=1\n",
                expected_before(&s, at >= 12 && at < 16 ? s.size : at));
        EXPECT_STR_EQ(expected, journal_text(store));
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
    struct dnnl_cache_store_options options = type->options_default();
    struct dnnl_cache_store_handle *store = NULL;
    char path[path_size];
    int warnings = 0;
    dnnl_cache_store_close(open_type(type, false));
    write_whole(journal_path(type), garbage, sizeof garbage);
    options.path = path_in_test(path, type->name);
    options.log = count_warning;
    options.log_user = &warnings;
    options.read_only = true;
    ASSERT_OK(type->open(&store, &options));
    EXPECT_STR_EQ("", journal_text(store));
    EXPECT_STR_EQ("", journal_text(store));
    EXPECT_EQ(1, warnings);
    EXPECT_EQ(sizeof garbage, size_of_journal(type));
    dnnl_cache_store_close(store);
    options.read_only = false;
    ASSERT_OK(type->open(&store, &options));
    EXPECT_OK(append_build(store, "a", "x"));
    EXPECT_EQ(2, warnings);
    EXPECT_OK(append_build(store, "b", "y"));
    EXPECT_STR_EQ("build a x -DA=1\nbuild b y -DA=1\n", journal_text(store));
    EXPECT_EQ(2, warnings);
    dnnl_cache_store_close(store);
}

/* ---- Files with the number of one that was read -------------------------- */

TEST_C(Journal, KnowsAnotherFileWithTheSameNumber)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    static const char *const next[] = {"a", "b"}; /* a: it has noted that */
    struct dnnl_cache_store_handle *store = open_type(type, false);
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
        EXPECT_STR_EQ(expected, journal_text(store));
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
    struct dnnl_cache_store_handle *other = open_type(s.type, false);
    EXPECT_OK(append_build(other, "c", text));
    EXPECT_TRUE(size_of_journal(s.type) > s.size);
    EXPECT_OK(append_build(s.store, "d", "fourth"));
    EXPECT_OK(append_build(s.store, "b", "second"));
    EXPECT_TRUE(strstr(journal_text(other), "build c xxx") != NULL);
    EXPECT_TRUE(strstr(journal_text(other), "build d fourth") != NULL);
    EXPECT_TRUE(strstr(journal_text(other), "build b second") != NULL);
    dnnl_cache_store_close(other);
    sample_close(&s);
}

/* An application may close what it does not know: the number is another's then.
 */
TEST_C(Journal, LeavesADescriptorOfOthersAlone)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    struct dnnl_cache_store_handle *store = open_type(type, false);
    EXPECT_OK(append_build(store, "a", "first"));
    EXPECT_OK(append_build(store, "a", "first")); /* it looks at the file */
    const int fd = store->journal.watch_fd;
    const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_TRUE(fd >= 0);
    ASSERT_EQ(fd, dup2(other, fd));
    EXPECT_OK(append_build(store, "a", "first"));
    EXPECT_OK(append_build(store, "b", "second"));
    EXPECT_STR_EQ(
            "build a first -DA=1\nbuild b second -DA=1\n", journal_text(store));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, close(fd));
    close(other);
}

/* ---- Files that are not a journal ---------------------------------------- */

static void expect_left_alone(
        const struct dnnl_cache_store_type *type, const char *what)
{
    struct dnnl_cache_store_handle *store = open_type(type, false);
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
    struct dnnl_cache_store_handle *store = open_type(type, false);
    EXPECT_OK(append_build(store, "a", "x"));
    ASSERT_EQ(0, truncate(journal_path(type), ((off_t)128 << 20) + 1));
    EXPECT_STR_EQ("status 5", journal_text(store));
    EXPECT_OK(append_build(store, "b", "y"));
    EXPECT_STR_EQ("build b y -DA=1\n", journal_text(store));
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
    ASSERT_EQ(0, link(target, path));
    expect_left_alone(type, "a second name");
    ASSERT_EQ(0, unlink(path));
    free(read_whole(target, &size));
    EXPECT_EQ(0, size);
    ASSERT_EQ(0, mkdir(path, 0700));
    expect_left_alone(type, "a directory");
    ASSERT_EQ(0, rmdir(path));
    ASSERT_EQ(0, mkfifo(path, 0600));
    expect_left_alone(type, "a FIFO");
    ASSERT_EQ(0, unlink(path));
    struct dnnl_cache_store_handle *store = open_type(type, false);
    EXPECT_OK(append_build(store, "a", "x"));
    dnnl_cache_store_close(store);
    ASSERT_EQ(0, chmod(path, 0622));
    expect_left_alone(type, "a file that others may write to");
}

TEST_C(Journal, IsNoPartOfAStore)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        struct dnnl_cache_store_check check = {0};
        struct dnnl_cache_store_handle *store = open_type(type, false);
        char path[path_size];
        uint64_t removed;
        path_in_test(path, type->name);
        EXPECT_OK(put_bytes(store, "id", "blob", 4));
        EXPECT_OK(append_build(store, "a", "x"));
        EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
        EXPECT_EQ(1, (long long)check.intact);
        EXPECT_EQ(0, (long long)check.damaged);
        EXPECT_PTR_EQ(type, dnnl_cache_store_find_type_at(path, NULL));
        EXPECT_OK(dnnl_cache_store_trim(store, 0, UINT64_MAX, &removed));
        EXPECT_EQ(1, (long long)removed);
        EXPECT_STR_EQ("build a x -DA=1\n", journal_text(store));
        dnnl_cache_store_close(store);
        EXPECT_PTR_EQ(type, dnnl_cache_store_find_type_at(path, NULL));
    }
}

/* ---- Notes that make no sense -------------------------------------------- */

TEST_C(Journal, RefusesNotesThatLackSomething)
{
    struct dnnl_cache_store_handle *store =
            open_type(dnnl_cache_store_get_default_type(), false);
    const dnnl_cache_note_t empty = DNNL_CACHE_NOTE_INIT;
    dnnl_cache_note_t notes[8];
    for (int i = 0; i < 4; i++)
        notes[i] = note_of_build("a", "x");
    for (int i = 4; i < 7; i++)
        notes[i] = note_of_launch("a", "k", 1);
    notes[0].id_size = 0;
    notes[1].origin = dnnl_cache_note_origin_undef;
    notes[2].type = dnnl_cache_note_linked;
    notes[3].il = "il";
    notes[3].il_size = 2;
    notes[4].kernel = NULL;
    notes[5].work_dim = 4;
    notes[6].struct_size = 3;
    notes[7] = empty;
    for (int i = 0; i < 8; i++) {
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_store_journal_append(store, &notes[i]));
        if (i != 6)
            EXPECT_EQ(0, (long long)dnnl_cache_store_journal_key(&notes[i]));
    }
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_journal_append(store, NULL));
    EXPECT_STR_EQ("", journal_text(store));
    dnnl_cache_store_close(store);
}

TEST_C(Journal, GivesBackAllOfANote)
{
    static const uint8_t first[] = {1, 2}, second[] = {3};
    static const char *const sources[] = {"one", "", "three\0more"};
    static const size_t source_sizes[] = {3, 0, 10};
    static const dnnl_cache_note_header_t headers[] = {
            {"a.h", 4, "text"}, {"b/c.h", 0, ""}};
    static const dnnl_cache_note_constant_t constants[] = {
            {7, 4, {1, 2, 3, 4}}, {9, 1, {5}}};
    static const size_t input_sizes[] = {2, 1};
    static const uint8_t *const inputs[] = {first, second};
    const dnnl_cache_note_file_t files[] = {{"/x/y.h", {9, 8, 7}}};
    struct dnnl_cache_store_handle *store =
            open_type(dnnl_cache_store_get_default_type(), false);
    struct dnnl_cache_store_journal_list *list = NULL;
    dnnl_cache_note_t note = note_of_build("a", "x");
    note.origin = dnnl_cache_note_layer;
    note.source_count = 3;
    note.sources = sources;
    note.source_sizes = source_sizes;
    note.compile_ns = 123456789012;
    note.header_count = 2;
    note.headers = headers;
    note.reads_files = 1;
    note.file_count = 1;
    note.files = files;
    note.directory = "/x";
    EXPECT_OK(dnnl_cache_store_journal_append(store, &note));
    dnnl_cache_note_t of_il = note_of_build("b", "x");
    of_il.source_count = 0;
    of_il.il = "spirv";
    of_il.il_size = 5;
    of_il.constant_count = 2;
    of_il.constants = constants;
    EXPECT_OK(dnnl_cache_store_journal_append(store, &of_il));
    dnnl_cache_note_t linked = note_of_build("c", "x");
    linked.type = dnnl_cache_note_linked;
    linked.source_count = 0;
    linked.input_count = 2;
    linked.input_id_sizes = input_sizes;
    linked.input_ids = inputs;
    EXPECT_OK(dnnl_cache_store_journal_append(store, &linked));
    ASSERT_OK(dnnl_cache_store_journal_load(&list, store));
    ASSERT_EQ(3, (long long)list->count);
    const dnnl_cache_note_t *n = &list->items[0].note;
    EXPECT_EQ(dnnl_cache_note_layer, (int)n->origin);
    EXPECT_EQ(123456789012, (long long)n->compile_ns);
    ASSERT_EQ(3, (long long)n->source_count);
    for (int i = 0; i < 3; i++)
        EXPECT_BYTES_EQ(
                sources[i], source_sizes[i], n->sources[i], n->source_sizes[i]);
    ASSERT_EQ(2, (long long)n->header_count);
    EXPECT_STR_EQ("b/c.h", n->headers[1].name);
    EXPECT_BYTES_EQ("text", 4, n->headers[0].text, n->headers[0].size);
    ASSERT_EQ(1, (long long)n->file_count);
    EXPECT_STR_EQ("/x/y.h", n->files[0].path);
    EXPECT_EQ(7, n->files[0].digest[2]);
    EXPECT_STR_EQ("/x", n->directory);
    EXPECT_EQ(1, n->reads_files);
    EXPECT_STR_EQ(program_invocation_short_name, list->items[0].application);
    EXPECT_GT((long long)list->items[0].written_ns, 0);
    n = &list->items[1].note;
    EXPECT_BYTES_EQ("spirv", 5, n->il, n->il_size);
    ASSERT_EQ(2, (long long)n->constant_count);
    EXPECT_EQ(9, (long long)n->constants[1].id);
    EXPECT_EQ(1, (long long)n->constants[1].size);
    EXPECT_EQ(3, n->constants[0].value[2]);
    n = &list->items[2].note;
    ASSERT_EQ(2, (long long)n->input_count);
    EXPECT_BYTES_EQ(first, 2, n->input_ids[0], n->input_id_sizes[0]);
    EXPECT_BYTES_EQ(second, 1, n->input_ids[1], n->input_id_sizes[1]);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(store);
}

/* ---- Limits -------------------------------------------------------------- */

TEST_C(Journal, StopsAtItsLimitAndGoesOnAfterADrop)
{
    enum { piece = 1 << 20 };
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    struct dnnl_cache_store_handle *store = open_type(type, false);
    struct dnnl_cache_store_journal_statistics s;
    char *source = calloc(1, piece + 1);
    uint64_t keys[128];
    size_t count = 0;
    dnnl_status_t st = dnnl_success;
    memset(source, 'x', piece);
    for (int i = 0; i < 100 && st == dnnl_success; i++) {
        char id[16];
        snprintf(id, sizeof id, "id %d", i);
        memcpy(source, id, strlen(id));
        const dnnl_cache_note_t note = note_of_build(id, source);
        st = dnnl_cache_store_journal_append(store, &note);
        keys[count++] = dnnl_cache_store_journal_key(&note);
    }
    EXPECT_STATUS(dnnl_runtime_error, st);
    EXPECT_EQ(64, (long long)count);
    EXPECT_TRUE(size_of_journal(type) <= (size_t)64 << 20);
    ASSERT_OK(dnnl_cache_store_journal_get_statistics(store, &s));
    EXPECT_EQ(1, (long long)s.full);
    EXPECT_EQ(63, (long long)s.builds);
    EXPECT_OK(append_build(store, "small", "text"));
    EXPECT_OK(dnnl_cache_store_journal_drop(store, 60, keys));
    EXPECT_TRUE(size_of_journal(type) < (size_t)4 << 20);
    EXPECT_OK(append_build(store, "next", source));
    free(source);
    dnnl_cache_store_close(store);
}

static int write_beyond_the_limit(void *user)
{
    struct dnnl_cache_store_handle *store = user;
    const size_t size =
            size_of_journal(dnnl_cache_store_get_default_type()) + 100;
    const struct rlimit limit = {size, size};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    if (append_build(store, "b", "does not fit") != dnnl_runtime_error)
        return 2;
    /* That is not the journal's own limit. */
    struct dnnl_cache_store_journal_statistics s;
    if (dnnl_cache_store_journal_get_statistics(store, &s) != dnnl_success)
        return 3;
    return s.full == 0 && s.failed == 1 ? 0 : 4;
}

TEST_C(Journal, IsAsBeforeIfTheDiskIsFull)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    struct dnnl_cache_store_handle *store = open_type(type, false);
    EXPECT_OK(append_build(store, "a", "x"));
    const size_t size = size_of_journal(type);
    EXPECT_EQ(0, in_child(write_beyond_the_limit, store));
    EXPECT_EQ((long long)size, (long long)size_of_journal(type));
    EXPECT_OK(append_build(store, "b", "fits"));
    EXPECT_STR_EQ("build a x -DA=1\nbuild b fits -DA=1\n", journal_text(store));
    dnnl_cache_store_close(store);
}
