/* SPDX-License-Identifier: Apache-2.0 */
/* What why says of ingredients that are digests: files by name, and lines. */
#include "src/blob/included.h"
#include "src/blob/writer.h"
#include "src/common/byte_order.h"
#include "src/common/hash.h"
#include "src/platform/file.h"
#include "test.h"
#include "tool_helpers.h"
#include "tools/common/state/driver_names.h"
#include "tools/common/state/state_folder.h"

#include <dnnl_cache/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Blobs --------------------------------------------------------------- */

/* A program, by what may change of it. */
struct program {
    const char *source;
    const char *driver;   /* what its digest of components is of */
    const char *names[4]; /* of included files, NULL behind the last */
    const char *texts[4]; /* what they hold */
    const char *key;      /* the application's; NULL: none */
};

static void put_source(struct id_builder *id, const char *source)
{
    uint8_t bytes[4096];
    const size_t size = strlen(source);
    store_le64(bytes, size);
    memcpy(bytes + 8, source, size);
    id_put_digest(id, id_source, bytes, 8 + size);
}

static void put_files(
        struct id_builder *id, struct buffer *included, const struct program *p)
{
    char all[4096] = "";
    for (size_t i = 0; i < 4 && p->names[i] != NULL; i++) {
        const struct digest256 digest =
                digest256_of(p->texts[i], strlen(p->texts[i]));
        EXPECT_TRUE(included_append(included, p->names[i], digest.bytes));
        strcat(strcat(all, p->names[i]), p->texts[i]);
    }
    if (p->names[0] != NULL) id_put_digest(id, id_includes, all, strlen(all));
}

/* with_names: its blob has those of the files. */
static struct made make(const struct program *p, bool with_names)
{
    struct id_builder id;
    struct buffer included = {NULL, 0, 0, false};
    struct made m = {.kind = dnnl_cache_blob_kind_program};
    id_builder_init(&id, blob_kind_program);
    id_put_string(&id, id_device_name, "Sample GPU");
    id_put_digest(&id, id_driver_components, p->driver, strlen(p->driver));
    put_source(&id, p->source);
    put_files(&id, &included, p);
    if (p->key != NULL) id_put_string(&id, id_application_key, p->key);
    const struct blob_program program = {.id = id.bytes.data,
            .id_size = id.bytes.size,
            .binary = (const uint8_t *)"binary",
            .binary_size = 6,
            .raw_size = 6,
            .backend = blob_backend_opencl};
    const struct blob_kernel kernel = {0, "copy", 4, NULL, 0};
    const struct blob_contents contents = {.kind = blob_kind_program,
            .id = id.bytes.data,
            .id_size = id.bytes.size,
            .programs = &program,
            .program_count = 1,
            .kernels = &kernel,
            .kernel_count = 1,
            .included = included.data,
            .included_size = with_names ? included.size : 0};
    EXPECT_OK(blob_write(&contents, NULL, 0, &m.size));
    m.blob = malloc(m.size);
    EXPECT_OK(blob_write(&contents, m.blob, m.size, &m.size));
    m.id_size = id.bytes.size;
    m.id = malloc(m.id_size);
    memcpy(m.id, id.bytes.data, m.id_size);
    entry_name(m.name, m.id_size, m.id);
    snprintf(m.brief, sizeof m.brief, "%.*s", catalog_short_digits, m.name);
    buffer_fini(&included);
    id_builder_fini(&id);
    return m;
}

/* Two of them in the store "store": what was there, and what is asked for. */
struct two {
    struct made former;
    struct made wanted;
};

static void put_two(struct two *two, const struct program *former,
        const struct program *wanted, bool with_names)
{
    dnnl_cache_store_handle_t *store = open_test_store("store");
    two->former = make(former, with_names);
    two->wanted = make(wanted, true);
    put_made(store, &two->former, 0);
    put_made(store, &two->wanted, 0);
    dnnl_cache_store_close(store);
}

static void two_fini(struct two *two)
{
    made_fini(&two->former);
    made_fini(&two->wanted);
}

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

static void expect_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        test_fail(__FILE__, __LINE__, "\"%s\" in: %s", part, text);
}

/* ---- Included files ------------------------------------------------------ */

static const struct program tile_16 = {.source = "#include \"tile.h\"\n",
        .driver = "driver",
        .names = {"tile.h", "same.h", "gone.h"},
        .texts = {"#define TILE 16\n", "same\n", "gone\n"}};
static const struct program tile_32 = {.source = "#include \"tile.h\"\n",
        .driver = "driver",
        .names = {"tile.h", "same.h", "new.h"},
        .texts = {"#define TILE 32\n", "same\n", "new\n"}};

TEST_C(ToolWhyChanges, NamesIncludedFilesThatDiffer)
{
    struct two two;
    put_two(&two, &tile_16, &tile_32, true);
    const struct run *run = run_tool("why", two.wanted.brief, NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_has(run->out, "differ in: includes\n");
    expect_has(run->out, text_of("\nincluded files that differ:\n"
                                 "  tile.h: other content\n"
                                 "  new.h: only in %s\n"
                                 "  gone.h: only in %s\n",
                                 two.wanted.brief, two.former.brief));
    expect_lacks(run->out, "same.h");
    expect_lacks(run->out, "lines of");
    run = run_tool("why", two.wanted.brief, "--json", NULL);
    expect_has(run->out, "\"included_files\": [\n"
                         "    {\n"
                         "      \"name\": \"tile.h\",\n"
                         "      \"change\": \"content\"\n"
                         "    },\n"
                         "    {\n"
                         "      \"name\": \"new.h\",\n"
                         "      \"change\": \"only_a\"\n"
                         "    },\n"
                         "    {\n"
                         "      \"name\": \"gone.h\",\n"
                         "      \"change\": \"only_b\"\n"
                         "    }\n"
                         "  ],\n"
                         "  \"driver_files\": null,\n"
                         "  \"lines\": []\n");
    two_fini(&two);
}

/* Of two folders, each with a file of that name: each beside its own. */
TEST_C(ToolWhyChanges, TellsFilesOfOneNameApart)
{
    const struct program former = {.source = "s",
            .driver = "d",
            .names = {"a.h", "a.h", "b.h"},
            .texts = {"first", "second", "third"}};
    struct program wanted = former;
    struct two two;
    wanted.texts[2] = "fourth";
    put_two(&two, &former, &wanted, true);
    const char *out = run_tool("why", two.wanted.brief, NULL)->out;
    expect_has(out, "\nincluded files that differ:\n  b.h: other content\n");
    expect_lacks(out, "a.h");
    two_fini(&two);
}

TEST_C(ToolWhyChanges, SaysWhichEntryHasNoNamesOfFiles)
{
    struct two two;
    put_two(&two, &tile_16, &tile_32, false); /* of an earlier release */
    const struct run *run = run_tool("why", two.wanted.brief, NULL);
    expect_has(run->out,
            text_of("\nincluded files: not known of %s\n", two.former.brief));
    expect_lacks(run->out, "tile.h");
    run = run_tool("why", two.wanted.brief, "--json", NULL);
    expect_has(run->out, "\"included_files\": null,\n");
    two_fini(&two);
}

TEST_C(ToolWhyChanges, NamesFilesOfTheOneThatAloneIncludesSome)
{
    static const struct program former = {
            .source = "#include \"tile.h\"\n", .driver = "driver"};
    struct two two;
    put_two(&two, &former, &tile_16, true);
    const char *out = run_tool("why", two.wanted.brief, NULL)->out;
    expect_has(out, text_of("\nincluded files that differ:\n"
                            "  tile.h: only in %s\n"
                            "  same.h: only in %s\n",
                            two.wanted.brief, two.wanted.brief));
    expect_lacks(out, "not known");
    out = run_tool("why", two.wanted.brief, "--json", NULL)->out;
    expect_has(out, "\"change\": \"only_a\"\n");
    two_fini(&two);
}

/* Another reason than files: they are at the same places. */
TEST_C(ToolWhyChanges, SaysThatFilesAreTheSameIfAnotherKeyDiffers)
{
    struct program former = tile_16;
    struct program wanted = tile_16;
    struct two two;
    former.key = "of the layer 1";
    wanted.key = "of the layer 2";
    put_two(&two, &former, &wanted, true);
    const char *out = run_tool("why", two.wanted.brief, NULL)->out;
    expect_has(out, "differ in: application_key\n");
    expect_has(out, "\nincluded files: the same\n");
    two_fini(&two);
    /* As long as a digest: the layer's, of the same files at other places. */
    former.key = "0123456789abcdef0123456789abcdef";
    wanted.key = "0123456789abcdef0123456789abcdeg";
    put_two(&two, &former, &wanted, true);
    out = run_tool("why", two.wanted.brief, two.former.brief, NULL)->out;
    expect_has(out, "\nincluded files: the same, from other places\n");
    two_fini(&two);
}

/* A name comes from a source that anybody may have written. */
TEST_C(ToolWhyChanges, ShowsNamesOfFilesForWhatTheyAre)
{
    struct program former = tile_16;
    struct program wanted = tile_32;
    struct two two;
    former.names[0] = wanted.names[0] = "\033[1m\n.h";
    put_two(&two, &former, &wanted, true);
    const char *out = run_tool("why", two.wanted.brief, NULL)->out;
    expect_has(out, "  \\x1b[1m\\n.h: other content\n");
    two_fini(&two);
}

/* ---- The driver ---------------------------------------------------------- */

static void add_driver(const char *driver, const char *parts, size_t size)
{
    const struct digest256 digest = digest256_of(driver, strlen(driver));
    char key[driver_names_key_size];
    const int folder = state_folder_open_path(in_test("store/layer"), true);
    ASSERT_TRUE(folder >= 0);
    EXPECT_TRUE(driver_names_key(key, sizeof digest.bytes, digest.bytes));
    EXPECT_TRUE(driver_names_add(folder, key, size, parts));
    (void)file_close(folder);
}

TEST_C(ToolWhyChanges, NamesFilesOfTheDriverThatDiffer)
{
    static const char before[] = "libLLVM-14.so.1 build-id 0123abcd\0"
                                 "libz.so.1 build-id 77\0"
                                 "libm.so.6 build-id 11 (does not count)\0"
                                 "a file.bc content 55";
    static const char after[] = "libLLVM-14.so.1 build-id 0123abce\0"
                                "libz.so.1 build-id 77\0"
                                "libm.so.6 build-id 12 (does not count)\0"
                                "a file.bc content 56\0"
                                "ld.lld absent ";
    struct program former = tile_16;
    struct program wanted = tile_16;
    struct two two;
    former.driver = "before";
    wanted.driver = "after";
    put_two(&two, &former, &wanted, true);
    add_driver("before", before, sizeof before);
    const char *out = run_tool("why", two.wanted.brief, NULL)->out;
    expect_has(out, "differ in: driver_components\n");
    expect_has(out, text_of("\nfiles of the driver: not known of %s\n",
                            two.wanted.brief));
    add_driver("after", after, sizeof after);
    out = run_tool("why", two.wanted.brief, NULL)->out;
    expect_has(out, text_of("\nfiles of the driver that differ:\n"
                            "  libLLVM-14.so.1: other content\n"
                            "  a file.bc: other content\n"
                            "  ld.lld: only in %s\n",
                            two.wanted.brief));
    expect_lacks(out, "libz");
    expect_lacks(out, "libm");
    expect_lacks(out, "included");
    out = run_tool("why", two.wanted.brief, "--json", NULL)->out;
    expect_has(out, "\"driver_files\": [\n"
                    "    {\n"
                    "      \"name\": \"libLLVM-14.so.1\",\n"
                    "      \"change\": \"content\"\n"
                    "    },\n");
    two_fini(&two);
}

/* ---- Lines --------------------------------------------------------------- */

static void record(const char *path, const struct program *p)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = path};
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    dnnl_cache_note_header_t headers[4];
    dnnl_cache_store_handle_t *record = NULL;
    const size_t size = strlen(p->source);
    const struct dnnl_cache_store_journal_item item = {
            .struct_size = sizeof item,
            .note = &note,
            .application = "app",
            .tag = ""};
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_layer;
    note.type = dnnl_cache_note_executable;
    /* What tells programs apart in it. */
    note.id = (const uint8_t *)(p->names[0] != NULL ? p->texts[0] : p->source);
    note.id_size = strlen((const char *)note.id);
    note.source_count = 1;
    note.sources = &p->source;
    note.source_sizes = &size;
    note.headers = headers;
    for (size_t i = 0; i < 4 && p->names[i] != NULL; i++)
        headers[note.header_count++] = (dnnl_cache_note_header_t){
                p->names[i], strlen(p->texts[i]), p->texts[i]};
    ASSERT_OK(dnnl_cache_recording_open(&record, &options));
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    dnnl_cache_store_close(record);
}

TEST_C(ToolWhyChanges, ShowsLinesOfIncludedFilesFromARecord)
{
    struct two two;
    put_two(&two, &tile_16, &tile_32, true);
    record(in_test("my.record"), &tile_16);
    const char *const path = strdup(in_test("my.record"));
    const struct run *run =
            run_tool("why", two.wanted.brief, "--record", path, NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_lacks(run->out, "lines of"); /* it has one of the two */
    record(path, &tile_32);
    run = run_tool("why", two.wanted.brief, "--record", path, NULL);
    expect_has(run->out, text_of("\nlines of tile.h, - of %s, + of %s:\n"
                                 "  @@ -1,1 +1,1 @@\n"
                                 "  -#define TILE 16\n"
                                 "  +#define TILE 32\n",
                                 two.former.brief, two.wanted.brief));
    run = run_tool("why", two.wanted.brief, "--record", path, "--json", NULL);
    expect_has(run->out, "\"lines\": [\n"
                         "    {\n"
                         "      \"name\": \"tile.h\",\n"
                         "      \"from\": \"b\",\n"
                         "      \"diff\": [\n"
                         "        \"@@ -1,1 +1,1 @@\",\n"
                         "        \"-#define TILE 16\",\n"
                         "        \"+#define TILE 32\"\n"
                         "      ],\n"
                         "      \"more_lines\": 0\n"
                         "    }\n"
                         "  ]\n");
    free((char *)(uintptr_t)path);
    two_fini(&two);
}

/* Of two that are named the first is what was before. */
TEST_C(ToolWhyChanges, ShowsLinesOfTheSourceFromTheRecordBesideTheStore)
{
    static const struct program former = {
            .source = "kernel void copy()\n{\n    int i = 1;\n}\n",
            .driver = "driver"};
    static const struct program wanted = {
            .source = "kernel void copy()\n{\n    int i = 2;\n}\n",
            .driver = "driver"};
    struct two two;
    put_two(&two, &former, &wanted, true);
    const int folder = state_folder_open_path(in_test("store/layer"), true);
    ASSERT_TRUE(folder >= 0);
    (void)file_close(folder);
    record(in_test("store/layer/record"), &former);
    record(in_test("store/layer/record"), &wanted);
    const char *out = run_tool("why", two.wanted.brief, NULL)->out;
    expect_has(out, "an entry with 1 kernel of the same name\n");
    expect_has(out, text_of("\nlines of the source, - of %s, + of %s:\n"
                            "  @@ -1,4 +1,4 @@\n"
                            "   kernel void copy()\n"
                            "   {\n"
                            "  -    int i = 1;\n"
                            "  +    int i = 2;\n"
                            "   }\n",
                            two.former.brief, two.wanted.brief));
    out = run_tool("why", two.wanted.brief, two.former.brief, NULL)->out;
    expect_has(out, text_of(", - of %s, + of %s:\n", two.wanted.brief,
                            two.former.brief));
    expect_has(out, "  -    int i = 2;\n");
    two_fini(&two);
}

TEST_C(ToolWhyChanges, CountsLinesBeyondTwenty)
{
    char sources[2][4096] = {"", ""};
    struct program programs[2] = {{.driver = "d"}, {.driver = "d"}};
    struct two two;
    for (size_t i = 0; i < 2; i++) {
        for (size_t line = 0; line < 15; line++)
            (void)snprintf(sources[i] + strlen(sources[i]), 64,
                    "int a%zu = %zu; /*\033*/\n", line, i);
        programs[i].source = sources[i];
    }
    put_two(&two, &programs[0], &programs[1], true);
    const char *const path = strdup(in_test("my.record"));
    record(path, &programs[0]);
    record(path, &programs[1]);
    const struct run *run =
            run_tool("why", two.wanted.brief, "--record", path, NULL);
    expect_has(run->out, "  @@ -1,15 +1,15 @@\n");
    expect_has(run->out, "  -int a14 = 0; /*\\x1b*/\n");
    expect_has(run->out, "  +int a3 = 1; /*\\x1b*/\n  11 more lines\n");
    run = run_tool("why", two.wanted.brief, "--record", path, "--json", NULL);
    expect_has(run->out, "\"more_lines\": 11\n");
    free((char *)(uintptr_t)path);
    two_fini(&two);
}

TEST_C(ToolWhyChanges, RefusesWhatIsNoRecord)
{
    struct two two;
    put_two(&two, &tile_16, &tile_32, true);
    write_whole(in_test("no.record"), "nonsense", 8);
    const char *const path = strdup(in_test("no.record"));
    const struct run *run =
            run_tool("why", two.wanted.brief, "--record", path, NULL);
    EXPECT_EQ(exit_io, run->code);
    expect_has(run->err, "no.record: no record: ");
    run = run_tool("why", two.wanted.brief, "--record", "/none/at/all", NULL);
    EXPECT_EQ(exit_io, run->code);
    /* Nothing of it is needed. */
    run = run_tool(
            "why", two.wanted.brief, two.wanted.brief, "--record", path, NULL);
    EXPECT_EQ(exit_io, run->code);
    expect_has(run->err, "no.record: no record: ");
    free((char *)(uintptr_t)path);
    two_fini(&two);
}
