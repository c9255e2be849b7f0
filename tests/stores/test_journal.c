/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: what is appended is read back once, whatever happens to the
 * file. */
#include "journal_helpers.h"
#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

TEST_C(Journal, EveryTypeOfStoreTakesNotes)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        dnnl_cache_store_handle_t *store = open_type(type, false);
        struct stat st;
        ASSERT_TRUE(store != NULL);
        EXPECT_STR_EQ("", journal_lines(store));
        const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
        ASSERT_TRUE(s->note != NULL);
        const dnnl_cache_note_t note = note_of_build("a", "source");
        EXPECT_STATUS(dnnl_success, s->note(s->user, &note));
        EXPECT_STATUS(dnnl_success, append_launch(store, "a", "k", 64));
        EXPECT_STR_EQ(
                "build a source -DA=1\nlaunch a k 64\n", journal_lines(store));
        ASSERT_EQ(0, stat(journal_path(type), &st));
        EXPECT_EQ(0600, (long long)(st.st_mode & 07777));
        dnnl_cache_store_close(store);
        store = open_type(type, true);
        ASSERT_TRUE(store != NULL);
        EXPECT_TRUE(dnnl_cache_store_get_callbacks(store)->note == NULL);
        EXPECT_STATUS(dnnl_runtime_error, append_build(store, "b", "text"));
        EXPECT_STR_EQ(
                "build a source -DA=1\nlaunch a k 64\n", journal_lines(store));
        dnnl_cache_store_close(store);
    }
}

TEST_C(Journal, DuplicatesAndTextsAreWrittenOnce)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *one = open_type(type, false);
    dnnl_cache_store_handle_t *other = open_type(type, false);
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
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
    dnnl_cache_store_handle_t *store = open_type(type, false);
    dnnl_cache_store_handle_t *other = open_type(type, false);
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
            "launch a k 128\nbuild b shared -DA=1\n", journal_lines(store));
    /* A writer that knew the old file writes into the new one. */
    EXPECT_STATUS(dnnl_success, append_build(store, "a", "shared"));
    EXPECT_STR_EQ("launch a k 128\nbuild b shared -DA=1\n"
                  "build a shared -DA=1\n",
            journal_lines(other));
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
}

TEST_C(Journal, IsNoPartOfAStore)
{
    const struct dnnl_cache_store_type *type;
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
        dnnl_cache_store_handle_t *store = open_type(type, false);
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
        EXPECT_STR_EQ("build a x -DA=1\n", journal_lines(store));
        dnnl_cache_store_close(store);
        EXPECT_PTR_EQ(type, dnnl_cache_store_find_type_at(path, NULL));
    }
}

/* ---- Notes that make no sense -------------------------------------------- */

TEST_C(Journal, RefusesNotesThatLackSomething)
{
    dnnl_cache_store_handle_t *store =
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
    EXPECT_STR_EQ("", journal_lines(store));
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
    dnnl_cache_store_handle_t *store =
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
    const dnnl_cache_note_t *n = list->items[0]->note;
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
    EXPECT_STR_EQ(program_invocation_short_name, list->items[0]->application);
    EXPECT_GT((long long)list->items[0]->written_ns, 0);
    n = list->items[1]->note;
    EXPECT_BYTES_EQ("spirv", 5, n->il, n->il_size);
    ASSERT_EQ(2, (long long)n->constant_count);
    EXPECT_EQ(9, (long long)n->constants[1].id);
    EXPECT_EQ(1, (long long)n->constants[1].size);
    EXPECT_EQ(3, n->constants[0].value[2]);
    n = list->items[2]->note;
    ASSERT_EQ(2, (long long)n->input_count);
    EXPECT_BYTES_EQ(first, 2, n->input_ids[0], n->input_id_sizes[0]);
    EXPECT_BYTES_EQ(second, 1, n->input_ids[1], n->input_id_sizes[1]);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(store);
}

/* Two of one name, and one text in two places; texts have no end of their own.
 */
TEST_C(Journal, GivesBackHeadersThatArePrograms)
{
    static const dnnl_cache_note_header_t headers[] = {{"a.h", 4, "text"},
            {"s/b.h", 3, "one"}, {"a.h", 4, "text"}, {"./c.h", 0, ""}};
    const dnnl_cache_note_header_t embedded = {"e.h", 1, "e"};
    dnnl_cache_store_handle_t *store =
            open_type(dnnl_cache_store_get_default_type(), false);
    struct dnnl_cache_store_journal_list *list = NULL;
    dnnl_cache_note_t note = note_of_build("a", "text");
    note.origin = dnnl_cache_note_layer;
    note.type = dnnl_cache_note_object;
    note.header_program_count = 4;
    note.header_programs = headers;
    note.header_count = 1;
    note.headers = &embedded;
    EXPECT_OK(dnnl_cache_store_journal_append(store, &note));
    ASSERT_OK(dnnl_cache_store_journal_load(&list, store));
    ASSERT_EQ(1, (long long)list->count);
    const dnnl_cache_note_t *n = list->items[0]->note;
    ASSERT_EQ(4, (long long)n->header_program_count);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_STR_EQ(headers[i].name, n->header_programs[i].name);
        EXPECT_BYTES_EQ(headers[i].text, headers[i].size,
                n->header_programs[i].text, n->header_programs[i].size);
    }
    ASSERT_EQ(1, (long long)n->header_count);
    EXPECT_STR_EQ("e.h", n->headers[0].name);
    EXPECT_STR_EQ("text", n->sources[0]);
    dnnl_cache_store_journal_free(list);
    /* What stays of the journal when something is dropped. */
    EXPECT_OK(append_build(store, "b", "other"));
    const dnnl_cache_note_t b = note_of_build("b", "other");
    const uint64_t key = dnnl_cache_store_journal_key(&b);
    EXPECT_OK(dnnl_cache_store_journal_drop(store, 1, &key));
    ASSERT_OK(dnnl_cache_store_journal_load(&list, store));
    ASSERT_EQ(1, (long long)list->count);
    EXPECT_EQ(4, (long long)list->items[0]->note->header_program_count);
    dnnl_cache_store_journal_free(list);
    /* Objects of the layer alone have them. */
    note.type = dnnl_cache_note_executable;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_journal_append(store, &note));
    note.type = dnnl_cache_note_object;
    note.origin = dnnl_cache_note_library;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_journal_append(store, &note));
    note.origin = dnnl_cache_note_layer;
    note.header_programs = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_journal_append(store, &note));
    dnnl_cache_store_close(store);
}

/* ---- Limits -------------------------------------------------------------- */

TEST_C(Journal, StopsAtItsLimitAndGoesOnAfterADrop)
{
    enum { piece = 1 << 20 };
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *store = open_type(type, false);
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
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
    dnnl_cache_store_handle_t *store = user;
    const size_t size =
            size_of_journal(dnnl_cache_store_get_default_type()) + 100;
    const struct rlimit limit = {size, size};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    if (append_build(store, "b", "does not fit") != dnnl_runtime_error)
        return 2;
    /* That is not the journal's own limit. */
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    if (dnnl_cache_store_journal_get_statistics(store, &s) != dnnl_success)
        return 3;
    return s.full == 0 && s.failed == 1 ? 0 : 4;
}

TEST_C(Journal, IsAsBeforeIfTheDiskIsFull)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *store = open_type(type, false);
    EXPECT_OK(append_build(store, "a", "x"));
    const size_t size = size_of_journal(type);
    EXPECT_EQ(0, in_child(write_beyond_the_limit, store));
    EXPECT_EQ((long long)size, (long long)size_of_journal(type));
    EXPECT_OK(append_build(store, "b", "fits"));
    EXPECT_STR_EQ(
            "build a x -DA=1\nbuild b fits -DA=1\n", journal_lines(store));
    dnnl_cache_store_close(store);
}

/* ---- Who drains ---------------------------------------------------------- */

TEST_C(Journal, HasOneDrainerAtATime)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_get_default_type();
    dnnl_cache_store_handle_t *one = open_type(type, false);
    dnnl_cache_store_handle_t *other = open_type(type, false);
    EXPECT_OK(dnnl_cache_store_journal_begin_drain(one, 0));
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_store_journal_begin_drain(other, 1));
    EXPECT_OK(append_build(other, "a", "x")); /* notes never wait for it */
    dnnl_cache_store_journal_end_drain(one);
    EXPECT_OK(dnnl_cache_store_journal_begin_drain(other, 0));
    dnnl_cache_store_close(other); /* frees it */
    EXPECT_OK(dnnl_cache_store_journal_begin_drain(one, 0));
    dnnl_cache_store_close(one);
}

TEST_C(Journal, CountsFailuresUntilTheBuildIsDropped)
{
    dnnl_cache_store_handle_t *store =
            open_type(dnnl_cache_store_get_default_type(), false);
    struct dnnl_cache_store_journal_list *list = NULL;
    const dnnl_cache_note_t note = note_of_build("a", "x");
    const uint64_t key = dnnl_cache_store_journal_key(&note);
    EXPECT_OK(dnnl_cache_store_journal_append(store, &note));
    EXPECT_OK(dnnl_cache_store_journal_add_failure(store, key));
    EXPECT_OK(dnnl_cache_store_journal_add_failure(store, key));
    ASSERT_OK(dnnl_cache_store_journal_load(&list, store));
    ASSERT_EQ(1, (long long)list->count);
    EXPECT_EQ(2, list->items[0]->failures);
    dnnl_cache_store_journal_free(list);
    EXPECT_OK(dnnl_cache_store_journal_drop(store, 1, &key));
    EXPECT_OK(dnnl_cache_store_journal_append(store, &note));
    ASSERT_OK(dnnl_cache_store_journal_load(&list, store));
    EXPECT_EQ(0, list->items[0]->failures);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(store);
}
