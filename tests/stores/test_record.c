/* SPDX-License-Identifier: Apache-2.0 */
/* Records: programs by what they are made of, in a file that several processes
 * add to and that nobody trusts. */
#include "dnnl_cache/recording.h"
#include "journal_helpers.h"
#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *record_path(void)
{
    static char path[path_size];
    return path_in_test(path, "record");
}

static dnnl_status_t open_as(
        dnnl_cache_store_handle_t **record, const char *tag, bool read_only)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options,
            .path = record_path(),
            .tag = tag,
            .read_only = read_only};
    *record = NULL;
    return dnnl_cache_recording_open(record, &options);
}

static dnnl_cache_store_handle_t *open_record(void)
{
    dnnl_cache_store_handle_t *record;
    EXPECT_OK(open_as(&record, NULL, false));
    return record;
}

static dnnl_status_t add_build(
        dnnl_cache_store_handle_t *record, const char *id, const char *source)
{
    const dnnl_cache_note_t note = note_of_build(id, source);
    return dnnl_cache_recording_add(record, &note);
}

static dnnl_status_t add_launch(
        dnnl_cache_store_handle_t *record, const char *id, size_t size)
{
    const dnnl_cache_note_t note = note_of_launch(id, "k", size);
    return dnnl_cache_recording_add(record, &note);
}

static size_t file_size(void)
{
    struct stat st;
    return stat(record_path(), &st) == 0 ? (size_t)st.st_size : 0;
}

static struct dnnl_cache_store_journal_list *load(void)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    dnnl_cache_store_handle_t *record;
    EXPECT_OK(open_as(&record, NULL, true));
    if (record == NULL) return NULL;
    EXPECT_OK(dnnl_cache_store_journal_load(&list, record));
    dnnl_cache_store_close(record);
    return list;
}

/* Under two IDs, as on two machines, it is one program. */
TEST_C(Record, NamesAProgramByWhatItIsMadeOf)
{
    dnnl_cache_store_handle_t *one = open_record();
    dnnl_cache_store_handle_t *other = open_record();
    EXPECT_OK(add_build(one, "device one", "source"));
    const size_t size = file_size();
    EXPECT_OK(add_build(other, "device two", "source"));
    EXPECT_EQ((long long)size, (long long)file_size());
    /* Whether a driver has files of its own is not the program's. */
    dnnl_cache_note_t note = note_of_build("device three", "source");
    note.reads_files = 1;
    EXPECT_OK(dnnl_cache_recording_add(other, &note));
    EXPECT_EQ((long long)size, (long long)file_size());
    EXPECT_OK(add_launch(other, "device two", 64));
    EXPECT_OK(add_build(other, "device two, other", "other source"));
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL);
    ASSERT_EQ(3, (long long)list->count);
    const dnnl_cache_note_t *build = list->items[0]->note;
    const dnnl_cache_note_t *launch = list->items[1]->note;
    EXPECT_EQ((long long)build->id_size, (long long)launch->id_size);
    EXPECT_EQ(0, memcmp(build->id, launch->id, build->id_size));
    EXPECT_TRUE(memmem(build->id, build->id_size, "device", 6) == NULL);
    EXPECT_STR_EQ("source", build->sources[0]);
    /* The name is part of the file's format: records of other versions and of
     * other machines have the same. */
    char name[2 * 64 + 1];
    ASSERT_EQ(24, (long long)build->id_size);
    sodium_bin2hex(name, sizeof name, build->id, build->id_size);
    EXPECT_STR_EQ("646e6e6c70726f6760a2df62cd493e3b8deae6a990f1006b", name);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(one);
    dnnl_cache_store_close(other);
}

/* Of which a list has others, or none, and the order counts. */
TEST_C(Record, TellsProgramsApartByHeadersThatArePrograms)
{
    static const dnnl_cache_note_header_t headers[] = {
            {"a.h", 1, "x"}, {"b.h", 1, "y"}, {"a.h", 1, "x"}, {"a.h", 1, "z"}};
    static const size_t begins[] = {0, 0, 0, 1, 2, 3};
    static const size_t counts[] = {0, 1, 2, 2, 1, 1};
    dnnl_cache_store_handle_t *record = open_record();
    for (size_t i = 0; i < 6; i++) {
        const char id[] = {(char)('0' + i), '\0'};
        dnnl_cache_note_t note = note_of_build(id, "source");
        note.origin = dnnl_cache_note_layer;
        note.type = dnnl_cache_note_object;
        note.header_program_count = counts[i];
        note.header_programs = headers + begins[i];
        EXPECT_OK(dnnl_cache_recording_add(record, &note));
    }
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL);
    /* The second and the fifth are one. */
    EXPECT_EQ(5, (long long)list->count);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

/* All of what makes a program another one. */
TEST_C(Record, TellsProgramsApart)
{
    static const uint8_t il[] = {3, 2, 35, 7, 1};
    const dnnl_cache_note_header_t header = {"a.h", 1, "x"};
    const dnnl_cache_note_constant_t constant = {7, 4, {1, 2, 3, 4}};
    /* The same bytes, cut elsewhere. */
    static const char *const parts[] = {"sour", "ce", "sou", "rce"};
    static const size_t part_sizes[] = {4, 2, 3, 3};
    dnnl_cache_store_handle_t *record = open_record();
    dnnl_cache_note_t notes[9];
    for (size_t i = 0; i < 9; i++)
        notes[i] = note_of_build("0", "source");
    notes[1].options = "-DA=2";
    notes[2].header_count = 1;
    notes[2].headers = &header;
    notes[3].type = dnnl_cache_note_object;
    notes[4].origin = dnnl_cache_note_layer;
    notes[5].source_count = 0;
    notes[5].il = il;
    notes[5].il_size = sizeof il;
    notes[6] = notes[5];
    notes[6].constant_count = 1;
    notes[6].constants = &constant;
    for (size_t i = 0; i < 2; i++) {
        notes[7 + i].source_count = 2;
        notes[7 + i].sources = parts + 2 * i;
        notes[7 + i].source_sizes = part_sizes + 2 * i;
    }
    for (size_t i = 0; i < 9; i++) {
        const char id[] = {(char)('0' + i), '\0'};
        notes[i].id = (const uint8_t *)id;
        EXPECT_OK(dnnl_cache_recording_add(record, &notes[i]));
    }
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL);
    EXPECT_EQ(9, (long long)list->count);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

TEST_C(Record, NamesWhatIsLinkedByItsOwnNames)
{
    dnnl_cache_store_handle_t *record = open_record();
    const uint8_t *ids[] = {(const uint8_t *)"input"};
    const size_t sizes[] = {5};
    dnnl_cache_note_t link = note_of_build("linked", "");
    link.type = dnnl_cache_note_linked;
    link.source_count = 0;
    link.input_count = 1;
    link.input_ids = ids;
    link.input_id_sizes = sizes;
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_recording_add(record, &link));
    EXPECT_OK(add_build(record, "input", "source"));
    EXPECT_OK(dnnl_cache_recording_add(record, &link));
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL);
    ASSERT_EQ(2, (long long)list->count);
    const dnnl_cache_note_t *input = list->items[0]->note;
    const dnnl_cache_note_t *linked = list->items[1]->note;
    ASSERT_EQ(1, (long long)linked->input_count);
    ASSERT_EQ((long long)input->id_size, (long long)linked->input_id_sizes[0]);
    EXPECT_EQ(0, memcmp(input->id, linked->input_ids[0], input->id_size));
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

TEST_C(Record, HasLaunchesAndKernelsOfItsProgramsAlone)
{
    dnnl_cache_store_handle_t *record = open_record();
    dnnl_cache_note_t kernel = note_of_launch("a", "k", 0);
    kernel.kind = dnnl_cache_note_kernel;
    kernel.arguments = "gglv";
    EXPECT_STATUS(dnnl_invalid_arguments, add_launch(record, "a", 64));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_recording_add(record, &kernel));
    EXPECT_OK(add_build(record, "a", "source"));
    EXPECT_OK(dnnl_cache_recording_add(record, &kernel));
    /* An application that chooses another size each time. */
    for (size_t i = 1; i <= 256; i++)
        EXPECT_OK(add_launch(record, "a", i));
    EXPECT_STATUS(dnnl_runtime_error, add_launch(record, "a", 257));
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_journal_get_statistics(record, &s));
    EXPECT_EQ(1, (long long)s.builds);
    EXPECT_EQ(1, (long long)s.kernels);
    EXPECT_EQ(256, (long long)s.launches);
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL);
    EXPECT_STR_EQ("gglv", list->items[1]->note->arguments);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

/* The path of a file names a person's folders: a relative one does not. */
TEST_C(Record, HasTextsOfRelativeFilesAlone)
{
    static const char text[] = "#define A 1\n";
    char here[path_size];
    char path[path_size];
    dnnl_cache_store_handle_t *record = open_record();
    dnnl_cache_note_file_t files[4] = {{"include/a.h", {0}}, {path, {0}},
            {"../a.h", {0}}, {"include/changed.h", {0}}};
    dnnl_cache_note_t note = note_of_build("a", "source");
    ASSERT_TRUE(getcwd(here, sizeof here) != NULL);
    snprintf(path, sizeof path, "%s", path_in_test(here, "include/a.h"));
    ASSERT_TRUE(getcwd(here, sizeof here) != NULL);
    char folder[path_size];
    ASSERT_EQ(0, mkdir(path_in_test(folder, "include"), 0700));
    write_whole(path, text, sizeof text - 1);
    char changed[path_size];
    write_whole(path_in_test(changed, "include/changed.h"), "x", 1);
    for (int i = 0; i < 3; i++)
        crypto_generichash(files[i].digest, 32, (const unsigned char *)text,
                sizeof text - 1, NULL, 0);
    note.reads_files = 1;
    note.file_count = 4;
    note.files = files;
    note.directory = "/home/somebody";
    ASSERT_EQ(0, chdir(path_in_test(folder, "")));
    EXPECT_OK(dnnl_cache_recording_add(record, &note));
    ASSERT_EQ(0, chdir(here));
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL && list->count == 1);
    const dnnl_cache_note_t *read = list->items[0]->note;
    EXPECT_EQ(0, (long long)read->file_count);
    EXPECT_TRUE(read->directory == NULL);
    ASSERT_EQ(1, (long long)read->header_count);
    EXPECT_STR_EQ("include/a.h", read->headers[0].name);
    EXPECT_STR_EQ(text, read->headers[0].text);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

/* The folder that a program was compiled in, if its options name it: the
 * replay has to compile there. */
static bool has_directory(const char *options, const char *directory)
{
    static size_t count;
    char source[32];
    snprintf(source, sizeof source, "source %zu", count++);
    dnnl_cache_store_handle_t *record = open_record();
    dnnl_cache_note_t note = note_of_build("a", source);
    note.options = options;
    note.directory = directory;
    note.reads_files = 1;
    EXPECT_OK(dnnl_cache_recording_add(record, &note));
    struct dnnl_cache_store_journal_list *list = load();
    bool has = false;
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const dnnl_cache_note_t *read = list->items[i]->note;
        if (strcmp(read->sources[0], source) != 0) continue;
        has = read->directory != NULL;
        if (!has) continue;
        EXPECT_STR_EQ(directory, read->directory);
        EXPECT_EQ(1, read->reads_files);
    }
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
    return has;
}

TEST_C(Record, HasAFolderThatTheOptionsNameAlone)
{
    EXPECT_TRUE(has_directory("-w -I\"/a/b\"", "/a/b"));
    EXPECT_TRUE(has_directory("-I/a/b/ -w", "/a/b"));
    EXPECT_TRUE(has_directory("-I /a/b/c -I /a/b", "/a/b"));
    EXPECT_FALSE(has_directory("-I/a/b/c", "/a/b"));
    EXPECT_FALSE(has_directory("-I/c/a/b", "/a/b"));
    EXPECT_FALSE(has_directory("-I/a/bc", "/a/b"));
    EXPECT_FALSE(has_directory("-I/", "/"));
    EXPECT_FALSE(has_directory("-Ia", "a"));
    EXPECT_FALSE(has_directory("-w", "/home/somebody"));
}

TEST_C(Record, LeavesFilesThatAreNone)
{
    static const char text[] = "somebody's only copy of something\n";
    dnnl_cache_store_handle_t *record;
    size_t size = 0;
    write_whole(record_path(), text, sizeof text);
    EXPECT_STATUS(dnnl_runtime_error, open_as(&record, NULL, false));
    EXPECT_STATUS(dnnl_runtime_error, open_as(&record, NULL, true));
    ASSERT_EQ(0, unlink(record_path()));
    EXPECT_STATUS(dnnl_runtime_error, open_as(&record, NULL, true));
    EXPECT_OK(open_as(&record, NULL, false));
    ASSERT_TRUE(record != NULL);
    /* It appears later. */
    write_whole(record_path(), text, sizeof text);
    EXPECT_STATUS(dnnl_runtime_error, add_build(record, "a", "source"));
    dnnl_cache_store_close(record);
    uint8_t *bytes = read_whole(record_path(), &size);
    ASSERT_EQ((long long)sizeof text, (long long)size);
    EXPECT_EQ(0, memcmp(bytes, text, size));
    free(bytes);
}

TEST_C(Record, IgnoresATornTail)
{
    dnnl_cache_store_handle_t *record = open_record();
    EXPECT_OK(add_build(record, "a", "source"));
    const size_t one = file_size();
    EXPECT_OK(add_build(record, "b", "another source"));
    dnnl_cache_store_close(record);
    /* The last 56 bytes say when it was used. */
    for (size_t cut = file_size() - 57; cut > one; cut -= 7) {
        ASSERT_EQ(0, truncate(record_path(), (off_t)cut));
        struct dnnl_cache_store_journal_list *list = load();
        ASSERT_TRUE(list != NULL);
        EXPECT_EQ(1, (long long)list->count);
        dnnl_cache_store_journal_free(list);
    }
    record = open_record();
    EXPECT_OK(add_build(record, "b", "another source"));
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL);
    EXPECT_EQ(2, (long long)list->count);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

TEST_C(Record, TellsWhoUsedAProgram)
{
    dnnl_cache_store_handle_t *record;
    EXPECT_OK(open_as(&record, "release 7", false));
    EXPECT_OK(add_build(record, "a", "source"));
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL && list->count == 1);
    EXPECT_STR_EQ("release 7", list->items[0]->tag);
    EXPECT_STR_EQ(program_invocation_short_name, list->items[0]->application);
    EXPECT_TRUE(list->items[0]->used_ns >= list->items[0]->written_ns);
    const uint64_t key = list->items[0]->key;
    EXPECT_OK(dnnl_cache_store_journal_drop(record, 1, &key));
    /* Neither the text nor the use of a program that is gone. */
    EXPECT_EQ(16, (long long)file_size());
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

/* Merged, another's notes keep who wrote them. */
TEST_C(Record, IsCopiedWithWhoWroteIt)
{
    dnnl_cache_store_handle_t *record = open_record();
    const dnnl_cache_note_t note = note_of_build("any ID", "source");
    const struct dnnl_cache_store_journal_item item = {
            .struct_size = sizeof item,
            .note = &note,
            .application = "elsewhere",
            .tag = "its tag",
            .used_ns = 1};
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL && list->count == 1);
    EXPECT_STR_EQ("elsewhere", list->items[0]->application);
    EXPECT_STR_EQ("its tag", list->items[0]->tag);
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

static void add_many(int first)
{
    dnnl_cache_store_handle_t *record = open_record();
    for (int i = first; i < first + 60; i++) {
        char text[32];
        snprintf(text, sizeof text, "source %d", i);
        /* Others may write for a while. */
        while (add_build(record, text, text) != dnnl_success)
            usleep(1000);
    }
    dnnl_cache_store_close(record);
}

TEST_C(Record, IsAddedToByManyProcesses)
{
    pid_t children[4];
    dnnl_cache_store_close(open_record()); /* the directory is made here */
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            add_many(i * 40); /* a third of them is the next one's, too */
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
        EXPECT_EQ(0, status);
    }
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_TRUE(list != NULL);
    EXPECT_EQ(180, (long long)list->count);
    dnnl_cache_store_journal_free(list);
}

static void *ask(void *end)
{
    while (!atomic_load((atomic_bool *)end))
        (void)dnnl_cache_recording_of_process(NULL, NULL);
    return NULL;
}

/* Whatever other threads of the parent did. */
TEST_C(Record, OfTheProcessIsThereInAChild)
{
    atomic_bool end = false;
    pthread_t threads[2];
    setenv(DNNL_CACHE_RECORD_VARIABLE, record_path(), 1);
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(0, pthread_create(&threads[i], NULL, ask, &end));
    for (int i = 0; i < 300; i++) {
        int status = -1;
        const pid_t pid = fork();
        if (pid == 0) {
            (void)alarm(60); /* of a lock that nobody releases */
            _exit(dnnl_cache_recording_of_process(NULL, NULL) == NULL);
        }
        ASSERT_EQ(pid, waitpid(pid, &status, 0));
        ASSERT_EQ(0, status);
    }
    atomic_store(&end, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    unsetenv(DNNL_CACHE_RECORD_VARIABLE);
}

TEST_C(Record, NamesOfHeadersStayInAFolder)
{
    static const char *const good[] = {
            "a.h", "./a.h", "include/a.h", "a..h", "...", "a/..b"};
    static const char *const bad[] = {"", "/a.h", "../a.h", "a/../b.h", "a/..",
            "..", "a/", "a\nb", "a\x7f"};
    char longest[300];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        EXPECT_TRUE(dnnl_cache_recording_is_header_name(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_FALSE(dnnl_cache_recording_is_header_name(bad[i]));
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    EXPECT_FALSE(dnnl_cache_recording_is_header_name(longest));
}

/* ---- A second name ------------------------------------------------------- */

/* A record in a store's folder has one where the store was copied by hard
 * links; a file that is not a record is left as it is. */
TEST_C(Record, WithASecondNameIsDetached)
{
    char copy[path_size];
    size_t before, after;
    dnnl_cache_store_handle_t *record = open_record();
    EXPECT_OK(add_build(record, "a", "x"));
    ASSERT_EQ(0, link(record_path(), path_in_test(copy, "copy")));
    uint8_t *was = read_whole(copy, &before);
    EXPECT_OK(add_build(record, "b", "y"));
    dnnl_cache_store_close(record);
    uint8_t *is = read_whole(copy, &after);
    EXPECT_EQ(before, after);
    EXPECT_BYTES_EQ(was, before, is, after);
    free(was);
    free(is);
    struct dnnl_cache_store_journal_list *list = load();
    ASSERT_NOT_NULL(list);
    EXPECT_EQ(2, list->count);
    dnnl_cache_store_journal_free(list);

    struct stat foreign;
    ASSERT_EQ(0, unlink(record_path()));
    ASSERT_EQ(0, unlink(copy));
    write_whole(copy, "a letter", 8);
    ASSERT_EQ(0, link(copy, record_path()));
    EXPECT_STATUS(dnnl_runtime_error, open_as(&record, NULL, false));
    ASSERT_EQ(0, stat(copy, &foreign));
    EXPECT_EQ(2, foreign.st_nlink);
}
