/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache record: what is in records, merged, pruned and compared. */
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* A program with a kernel and a launch of that local size. */
static void add_launched(const char *name, const char *source, uint64_t used_ns,
        uint64_t local_size)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = in_test(name)};
    dnnl_cache_store_handle_t *record = NULL;
    const size_t size = strlen(source);
    ASSERT_OK(dnnl_cache_recording_open(&record, &options));
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    const struct dnnl_cache_store_journal_item item = {
            .struct_size = sizeof item,
            .note = &note,
            .application = "application",
            .tag = "tag",
            .used_ns = used_ns};
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_layer;
    note.type = dnnl_cache_note_executable;
    note.id = (const uint8_t *)source;
    note.id_size = size;
    note.source_count = 1;
    note.sources = &source;
    note.source_sizes = &size;
    note.options = "-DA=1";
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    note.kind = dnnl_cache_note_kernel;
    note.kernel = "first";
    note.arguments = "gglv";
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    note.kind = dnnl_cache_note_launch;
    note.work_dim = 1;
    note.local_size[0] = local_size;
    note.is_small_grid = 1;
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    dnnl_cache_store_close(record);
}

static void add(const char *name, const char *source, uint64_t used_ns)
{
    add_launched(name, source, used_ns, 64);
}

static const char *path(const char *name)
{
    return in_test(name);
}

TEST_C(RecordCommand, ShowsProgramsWithKernelsAndLaunches)
{
    use_fake(true);
    add("a", "one source", 0);
    struct outcome run = run_program("record", "list", path("a"), NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "application  tag  layer  source");
    run = run_program("record", "inspect", path("a"), NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "source of application, by the layer\n");
    expect_has(run.out, "  options  -DA=1\n");
    expect_has(run.out, "  kernel   first(gglv)\n");
    expect_has(run.out, "  launch   first 64-1-1-goffs0-smallgrid, 1 dim");
    run = run_program("record", "inspect", path("a"), "--json", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(json_is_valid(run.out, strlen(run.out)));
    expect_has(run.out, "\"arguments\": \"gglv\"");
    EXPECT_EQ(3, run_program("record", "list", path("none"), NULL).code);
    EXPECT_EQ(2, run_program("record", "show", path("a"), NULL).code);
    EXPECT_EQ(2, run_program("record", "list", NULL).code);
}

TEST_C(RecordCommand, NamesHeadersThatArePrograms)
{
    const dnnl_cache_note_header_t header = {"s/a.h", 3, "\n\n\n"};
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = in_test("a")};
    dnnl_cache_store_handle_t *record = NULL;
    const char *source = "";
    const size_t size = 0;
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    const struct dnnl_cache_store_journal_item item = {
            .struct_size = sizeof item,
            .application = "application",
            .tag = "",
            .note = &note};
    use_fake(true);
    ASSERT_OK(dnnl_cache_recording_open(&record, &options));
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_layer;
    note.type = dnnl_cache_note_object;
    note.id = (const uint8_t *)"id";
    note.id_size = 2;
    note.source_count = 1;
    note.sources = &source;
    note.source_sizes = &size;
    note.header_program_count = 1;
    note.header_programs = &header;
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    dnnl_cache_store_close(record);
    struct outcome run = run_program("record", "inspect", path("a"), NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "  header program  s/a.h\n");
    run = run_program("record", "inspect", path("a"), "--json", NULL);
    EXPECT_TRUE(json_is_valid(run.out, strlen(run.out)));
    expect_has(run.out, "\"header_programs\": [\n");
    expect_has(run.out, "\"s/a.h\"");
    expect_has(run.out, "\"bytes\": 3,");
}

TEST_C(RecordCommand, MergesAndCompares)
{
    use_fake(true);
    add("a", "one source", 0);
    add("a", "shared source", 0);
    add("b", "shared source", 0);
    add("b", "another source", 0);
    struct outcome run =
            run_program("record", "diff", path("a"), path("b"), NULL);
    EXPECT_EQ(1, run.code);
    EXPECT_EQ(2, (long long)count_of(run.out, "only in "));
    EXPECT_EQ(2, run_program("record", "merge", path("a"), NULL).code);
    EXPECT_EQ(0, run_program("record", "merge", path("a"), path("b"),
                         "--output", path("both"), NULL)
                         .code);
    run = run_program("record", "inspect", path("both"), NULL);
    EXPECT_EQ(3, (long long)count_of(run.out, "source of application"));
    EXPECT_EQ(3, (long long)count_of(run.out, "  launch "));
    /* Again: nothing is added. */
    struct stat before, after;
    ASSERT_EQ(0, stat(path("both"), &before));
    EXPECT_EQ(0, run_program("record", "merge", path("b"), "--output",
                         path("both"), NULL)
                         .code);
    ASSERT_EQ(0, stat(path("both"), &after));
    EXPECT_EQ((long long)before.st_size, (long long)after.st_size);
    run = run_program(
            "record", "diff", path("both"), path("both"), "--json", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(json_is_valid(run.out, strlen(run.out)));
    EXPECT_EQ(2, run_program("record", "diff", path("a"), NULL).code);
}

/* An application may choose local sizes by what a device allows. */
TEST_C(RecordCommand, ComparesLaunches)
{
    use_fake(true);
    add("a", "shared source", 0);
    add("b", "shared source", 0);
    add_launched("b", "shared source", 0, 16);
    struct outcome run =
            run_program("record", "diff", path("a"), path("b"), NULL);
    EXPECT_EQ(1, run.code);
    EXPECT_EQ(1, (long long)count_of(run.out, "only in "));
    expect_has(run.out, "  launch of first 16-1-1-goffs0-smallgrid only in ");
    run = run_program("record", "diff", path("b"), path("a"), "--json", NULL);
    EXPECT_EQ(1, run.code);
    EXPECT_TRUE(json_is_valid(run.out, strlen(run.out)));
    expect_has(run.out, "\"class\": \"16-1-1-goffs0-smallgrid\"");
}

/* The clock of this process is in 2100, that of the tool is not: what was
 * written then was used after any age. */
TEST_C(RecordCommand, PrunesWhatWasNotUsed)
{
    use_fake(true);
    set_clock(UINT64_C(1000000000) * 1000000000u); /* 2001 */
    add("a", "old source", UINT64_C(1000000000) * 1000000000u);
    set_clock(TEST_EPOCH_NS);
    add("a", "new source", TEST_EPOCH_NS);
    EXPECT_EQ(2, run_program("record", "prune", path("a"), NULL).code);
    const struct outcome run = run_program(
            "record", "prune", path("a"), "--older-than", "30d", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 programs removed, 1 left");
    EXPECT_EQ(1, (long long)count_of(
                         run_program("record", "inspect", path("a"), NULL).out,
                         "source of application"));
    EXPECT_EQ(1, (long long)count_of(
                         run_program("record", "inspect", path("a"), NULL).out,
                         "  launch "));
}

/* As a process leaves them whose program was pruned meanwhile; and what only
 * programs link that go. */
TEST_C(RecordCommand, PrunesWhatBelongsToNothing)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = path("a")};
    const char *source = "an object";
    const size_t size = strlen(source);
    const uint8_t *input = (const uint8_t *)source;
    dnnl_cache_store_handle_t *record = NULL;
    struct stat st;
    use_fake(true);
    set_clock(UINT64_C(1000000000) * 1000000000u);
    ASSERT_OK(dnnl_cache_recording_open(&record, &options));
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    const struct dnnl_cache_store_journal_item item = {
            .struct_size = sizeof item,
            .note = &note,
            .application = "a",
            .tag = "",
            .used_ns = UINT64_C(1000000000) * 1000000000u};
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_layer;
    note.type = dnnl_cache_note_object;
    note.id = input;
    note.id_size = size;
    note.source_count = 1;
    note.sources = &source;
    note.source_sizes = &size;
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    note.type = dnnl_cache_note_linked;
    note.id = (const uint8_t *)"linked";
    note.id_size = 6;
    note.source_count = 0;
    note.input_count = 1;
    note.input_ids = &input;
    note.input_id_sizes = &size;
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    note.kind = dnnl_cache_note_launch;
    note.id = (const uint8_t *)"nobody";
    note.kernel = "k";
    note.work_dim = 1;
    note.local_size[0] = 64;
    note.input_count = 0;
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    dnnl_cache_store_close(record);
    const struct outcome run = run_program(
            "record", "prune", path("a"), "--older-than", "30d", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "2 programs removed, 0 left");
    ASSERT_EQ(0, stat(path("a"), &st));
    EXPECT_EQ(16, (long long)st.st_size);
}

/* What is behind a flaw is not in the list, and that is said. */
TEST_C(RecordCommand, TellsWhatCannotBeRead)
{
    size_t size = 0;
    use_fake(true);
    add("a", "one source", 0);
    add("a", "another source", 0);
    uint8_t *bytes = read_whole(path("a"), &size);
    bytes[size / 2] ^= 1;
    write_whole(path("a"), bytes, size);
    free(bytes);
    struct outcome run = run_program("record", "list", path("a"), NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "bytes are damaged or not whole, and are ignored");
    add("b", "one source", 0);
    run = run_program("record", "list", path("b"), NULL);
    EXPECT_STR_EQ("", run.err);
}
