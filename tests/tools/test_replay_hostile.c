/* SPDX-License-Identifier: Apache-2.0 */
/* Records that somebody else wrote: a record is data. It reads and writes no
 * path, runs no option, and costs no more memory than it has bytes. */
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

static const char *record_path(void)
{
    static char path[path_size];
    snprintf(path, sizeof path, "%s", in_test("record"));
    return path;
}

static dnnl_cache_store_handle_t *open_record(void)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = record_path()};
    dnnl_cache_store_handle_t *record = NULL;
    EXPECT_OK(dnnl_cache_recording_open(&record, &options));
    return record;
}

/* A build of one source; static, for one at a time. */
static dnnl_cache_note_t build_of(const char *id, const char *source,
        const char *options, dnnl_cache_note_origin_t origin)
{
    static const char *sources[1];
    static size_t size;
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    sources[0] = source;
    size = strlen(source);
    note.kind = dnnl_cache_note_build;
    note.origin = origin;
    note.type = dnnl_cache_note_executable;
    note.id = (const uint8_t *)id;
    note.id_size = strlen(id);
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = &size;
    note.options = options;
    return note;
}

static void forge(
        dnnl_cache_store_handle_t *record, const dnnl_cache_note_t *note)
{
    const struct dnnl_cache_store_journal_item item = {
            .struct_size = sizeof item,
            .note = note,
            .application = "forger",
            .tag = ""};
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
}

static struct outcome replay(void)
{
    return run_program("replay", record_path(), "--store", store_path(),
            "--jobs", "2", "--quiet", "--json", NULL);
}

enum { mebibyte = 1 << 20 };

/* Nothing of the record is given to a driver, and nothing is left. */
static void expect_refused(const dnnl_cache_note_t *note)
{
    char log[path_size];
    size_t size = 0;
    dnnl_cache_store_handle_t *record = open_record();
    forge(record, note);
    dnnl_cache_store_close(record);
    use_fake(true);
    snprintf(log, sizeof log, "%s", in_test("calls"));
    use_variable("FAKE_OPENCL_LOG", log);
    const struct outcome run = replay();
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "\"programs\": 1,");
    expect_has(run.out, "\"refused\": 1,");
    EXPECT_LT(run.most_bytes, 200 * mebibyte);
    uint8_t *calls = read_whole(log, &size);
    EXPECT_TRUE(memmem(calls, size, "clBuildProgram", 14) == NULL);
    EXPECT_TRUE(memmem(calls, size, "clCompileProgram", 16) == NULL);
    free(calls);
    expect_no_temporary();
    EXPECT_EQ(0, unlink(log));
    EXPECT_EQ(0, unlink(record_path()));
}

static const dnnl_cache_note_origin_t origins[] = {dnnl_cache_note_library,
        dnnl_cache_note_layer, dnnl_cache_note_primitive};

/* As pyopencl builds everything. */
TEST_C(ReplayHostile, FoldersWhereNothingIsLookedForAreFine)
{
    char options[2 * path_size];
    snprintf(options, sizeof options, "-I %s -I /no/such/folder",
            test_directory());
    for (size_t i = 0; i < COUNT(origins); i++) {
        dnnl_cache_store_handle_t *record = open_record();
        const dnnl_cache_note_t note = build_of(
                "id", "__kernel void k(void) {}\n", options, origins[i]);
        forge(record, &note);
        dnnl_cache_store_close(record);
        use_fake(true);
        const struct outcome run = replay();
        EXPECT_EQ(0, run.code);
        expect_has(run.out, "\"programs\": 1,");
        expect_has(run.out, "\"refused\": 0,");
        EXPECT_EQ(0, unlink(record_path()));
    }
}

/* Read as drivers read them, whatever is in quotes; what only looks like -I is
 * none. */
TEST_C(ReplayHostile, FoldersMayBeInQuotes)
{
    static const char *const options[] = {"-I\"\"", "-I \"\"", "-I \".\"",
            "-I\".\"", "-I''", "-I './'", "-I\"a b\"", "-I\"\" -cl-mad-enable",
            "-I", "-DRANGE=A-I", "-D RANGE=A-I/b", "-DRANGE=\"A-I\"",
            "-isystem \"sub/folder\""};
    for (size_t i = 0; i < COUNT(options); i++) {
        dnnl_cache_store_handle_t *record = open_record();
        const dnnl_cache_note_t note =
                build_of("id", "__kernel void k(void) {}\n", options[i],
                        dnnl_cache_note_layer);
        forge(record, &note);
        dnnl_cache_store_close(record);
        use_fake(true);
        const struct outcome run = replay();
        if (strstr(run.out, "\"refused\": 0,") == NULL)
            test_fail(__FILE__, __LINE__, "refused with %s", options[i]);
        EXPECT_EQ(0, unlink(record_path()));
    }
}

/* What is named is a FIFO: who opened it would hang. */
TEST_C(ReplayHostile, NoOptionAndNoIncludeIsFollowed)
{
    char path[path_size];
    char text[2 * path_size];
    snprintf(path, sizeof path, "%s", in_test("fifo"));
    ASSERT_EQ(0, mkfifo(path, 0600));
    static const char *const options[] = {"-fplugin=%s", "-include %s",
            "-Xclang -load -Xclang %s", "@%s", "-I %s", "-I. -I ../x%s",
            "\"-I\" \"%s\"", "-I\\../x -DA=%s", "-\\I'%s'", "-DA=\"-I%s\"",
            "-isystem %s", "-iquote\"%s\"", "-idirafter %s"};
    static const char *const sources[] = {"#include \"%s\"\n",
            "#include <%s>\n", "#define A \"%s\"\n#include A\n",
            "#include \"../../%s\"\n", "#include_next \"%s\"\n",
            "#embed \"%s\"\n"};
    for (size_t i = 0; i < COUNT(options) + COUNT(sources); i++) {
        const bool is_option = i < COUNT(options);
        const char *format =
                is_option ? options[i] : sources[i - COUNT(options)];
        snprintf(text, sizeof text, format, path);
        const dnnl_cache_note_t note =
                build_of("id", is_option ? "kernel void k() {}" : text,
                        is_option ? text : "", origins[i % COUNT(origins)]);
        expect_refused(&note);
    }
}

/* What is refused is named by its kernels, and the file that is missing. */
TEST_C(ReplayHostile, TheFileThatIsMissingIsNamed)
{
    static const struct {
        const char *source, *options, *told;
    } cases[] = {
            {"#include \"lib/a.h\"\nkernel void blur() {}", "",
                    "a program (kernels blur) of forger: reads files that the "
                    "record lacks (pass --read-files): 'lib/a.h'\n"},
            {"#define A <a.h>\n#include A\nkernel void k() {}", "",
                    "(pass --read-files): 'A'\n"},
            {"#include \"given.h\"\n#include \"lib/b.h\"\nkernel void k() {}",
                    "", "(pass --read-files): 'lib/b.h'\n"},
            {"kernel void k() {}", "-I ../x", "(pass --read-files): '../x'\n"},
    };
    const dnnl_cache_note_header_t given = {"given.h", 1, "\n"};
    use_fake(true);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dnnl_cache_note_t note = build_of(
                "id", cases[i].source, cases[i].options, dnnl_cache_note_layer);
        note.header_count = i == 2;
        note.headers = &given;
        dnnl_cache_store_handle_t *record = open_record();
        forge(record, &note);
        dnnl_cache_store_close(record);
        const struct outcome run = run_program("replay", record_path(),
                "--store", store_path(), "--jobs", "2", NULL);
        EXPECT_EQ(1, run.code);
        expect_has(run.err, cases[i].told);
        EXPECT_EQ(0, unlink(record_path()));
    }
}

/* A header makes the string that the source's assembly is. */
TEST_C(ReplayHostile, NoAssemblyOfSeveralTextsReadsAFile)
{
    static const char strings[] = "#define S(x) #x\n#define J(a, b) S(.a##b)\n";
    static const char joins[] = "#define J(a, b) a##b\n";
    char source[2 * path_size];
    char path[path_size];
    snprintf(path, sizeof path, "%s", in_test("fifo"));
    ASSERT_EQ(0, mkfifo(path, 0600));
    snprintf(source, sizeof source,
            "#include \"a.h\"\n#include \"b.h\"\nkernel void k() { "
            "asm(J(inc, bin) \" \\\"%s\\\"\"); }\n",
            path);
    const dnnl_cache_note_header_t headers[] = {
            {"a.h", strlen(strings), strings}, {"b.h", 1, "\n"}};
    dnnl_cache_note_t note = build_of("id", source, "", dnnl_cache_note_layer);
    note.header_count = COUNT(headers);
    note.headers = headers;
    expect_refused(&note);
    /* The word itself is made of parts of two. */
    snprintf(source, sizeof source,
            "#include \"a.h\"\n#include \"b.h\"\n#define S(x) #x\n"
            "J(as, m)(S(.J(inc, bin) \"%s\"));\n",
            path);
    const dnnl_cache_note_header_t others[] = {
            {"a.h", strlen(joins), joins}, {"b.h", 1, "\n"}};
    note = build_of("id", source, "", dnnl_cache_note_layer);
    note.header_count = COUNT(others);
    note.headers = others;
    expect_refused(&note);
}

/* Applications write "-I include/". */
TEST_C(ReplayHostile, FoldersOfHeadersMayEndWithASlash)
{
    static const char *const options[] = {"-I inc/", "-Iinc//", "-I ./"};
    for (size_t i = 0; i < COUNT(options); i++) {
        dnnl_cache_store_handle_t *record = open_record();
        const dnnl_cache_note_header_t header = {i == 2   ? "./a.h"
                                                 : i == 1 ? "inc//a.h"
                                                          : "inc/a.h",
                1, "\n"};
        dnnl_cache_note_t note =
                build_of("id", "#include \"a.h\"\nkernel void k() {}\n",
                        options[i], dnnl_cache_note_layer);
        note.header_count = 1;
        note.headers = &header;
        forge(record, &note);
        dnnl_cache_store_close(record);
        use_fake(false);
        const struct outcome run = run_program("replay", record_path(),
                "--store", store_path(), "--device", "pocl", "--json", NULL);
        if (strstr(run.err, "no such device") != NULL)
            SKIP_TEST("PoCL is not here");
        EXPECT_EQ(0, run.code);
        expect_has(run.out, "\"kept\": 1,");
        EXPECT_EQ(0, unlink(record_path()));
    }
}

/* Or the program would be compiled again by each replay. */
TEST_C(ReplayHostile, LaunchesOfNoKernelAreNotMissed)
{
    static const char *const kernels[] = {"nothing", "..", "../../k"};
    dnnl_cache_note_t note =
            build_of("id", "kernel void k() {}", "", dnnl_cache_note_layer);
    dnnl_cache_store_handle_t *record = open_record();
    forge(record, &note);
    note.kind = dnnl_cache_note_launch;
    note.work_dim = 1;
    note.local_size[0] = 8;
    for (size_t i = 0; i < COUNT(kernels); i++) {
        note.kernel = kernels[i];
        forge(record, &note);
    }
    dnnl_cache_store_close(record);
    use_fake(false);
    for (int i = 0; i < 2; i++) {
        const struct outcome run = run_program("replay", record_path(),
                "--store", store_path(), "--device", "pocl", "--json", NULL);
        if (strstr(run.err, "no such device") != NULL)
            SKIP_TEST("PoCL is not here");
        EXPECT_EQ(0, run.code);
        expect_has(run.out, i == 0 ? "\"kept\": 1," : "\"there\": 1,");
    }
}

/* Headers with names that leave the folder, or name what is not there. */
TEST_C(ReplayHostile, NoHeaderLeavesItsFolder)
{
    char outside[path_size];
    snprintf(outside, sizeof outside, "%s", in_test("outside.h"));
    const char *const names[] = {"../outside.h", "../../../outside.h", outside,
            "a/../../outside.h", "", "a\nb.h"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const dnnl_cache_note_header_t header = {names[i], 1, "\n"};
        for (size_t k = 0; k < COUNT(origins); k++) {
            dnnl_cache_note_t note =
                    build_of("id", "kernel void k() {}", "", origins[k]);
            note.header_count = 1;
            note.headers = &header;
            expect_refused(&note);
        }
    }
    EXPECT_FALSE(exists(outside));
    EXPECT_FALSE(exists(in_test("tmp/outside.h")));
}

/* Of an object with that header, a program. */
static dnnl_cache_note_t object_with(
        const dnnl_cache_note_header_t *header, const char *source)
{
    dnnl_cache_note_t note = build_of("id", source, "", dnnl_cache_note_layer);
    note.type = dnnl_cache_note_object;
    note.header_program_count = 1;
    note.header_programs = header;
    return note;
}

/* Drivers write headers that are programs to files of their names: whatever may
 * be read, these stay in a driver's own folder. */
TEST_C(ReplayHostile, NoHeaderThatIsAProgramLeavesTheDriversFolder)
{
    char outside[path_size];
    snprintf(outside, sizeof outside, "%s", in_test("outside.h"));
    const char *const names[] = {"../outside.h", "../../../outside.h", outside,
            "a/../../outside.h", "", "a\nb.h", "..\\outside.h", "a/"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const dnnl_cache_note_header_t header = {names[i], 1, "\n"};
        const dnnl_cache_note_t note =
                object_with(&header, "kernel void k() {}");
        expect_refused(&note);
        dnnl_cache_store_handle_t *record = open_record();
        forge(record, &note);
        dnnl_cache_store_close(record);
        use_fake(false);
        const struct outcome run = run_program("replay", record_path(),
                "--store", store_path(), "--json", "--read-files", NULL);
        EXPECT_EQ(1, run.code);
        expect_has(run.out, "\"refused\": 1,");
        EXPECT_EQ(0, unlink(record_path()));
    }
    EXPECT_FALSE(exists(outside));
    EXPECT_FALSE(exists(in_test("tmp/outside.h")));
}

/* A header, or the source, names a file that is none of the headers. */
TEST_C(ReplayHostile, HeadersThatAreProgramsReadNoFile)
{
    char path[path_size];
    char text[2 * path_size];
    snprintf(path, sizeof path, "%s", in_test("fifo"));
    ASSERT_EQ(0, mkfifo(path, 0600));
    static const char *const sources[] = {"#include \"%s\"\n",
            "#include <%s>\n", "#define A \"%s\"\n#include A\n",
            "#include \"../../%s\"\n", "#embed \"%s\"\n",
            "#include \"b.h\" // %s\n"};
    for (size_t i = 0; i < COUNT(sources); i++) {
        snprintf(text, sizeof text, sources[i], path);
        const dnnl_cache_note_header_t header = {"a.h", strlen(text), text};
        const dnnl_cache_note_header_t empty = {"a.h", 1, "\n"};
        dnnl_cache_note_t note =
                object_with(&header, "#include \"a.h\"\nkernel void k() {}");
        expect_refused(&note);
        note = object_with(&empty, text);
        expect_refused(&note);
    }
}

/* Of a program that is a part of itself, or of what is not there. */
TEST_C(ReplayHostile, WhatIsLinkedIsInTheRecord)
{
    static const char *const inputs[] = {"id", "nobody"};
    for (size_t i = 0; i < COUNT(inputs); i++) {
        const uint8_t *ids[] = {(const uint8_t *)inputs[i]};
        const size_t sizes[] = {strlen(inputs[i])};
        dnnl_cache_note_t note = build_of("id", "", "", dnnl_cache_note_layer);
        note.type = dnnl_cache_note_linked;
        note.source_count = 0;
        note.input_count = 1;
        note.input_ids = ids;
        note.input_id_sizes = sizes;
        expect_refused(&note);
    }
}

/* One text of a megabyte, 400 times a source of one program. */
TEST_C(ReplayHostile, ATextThatIsNamedOftenCostsNoMemory)
{
    enum { times = 400 };
    static const char *sources[times];
    static size_t sizes[times];
    char *text = malloc(mebibyte + 1);
    memset(text, ' ', mebibyte);
    text[mebibyte] = '\0';
    for (int i = 0; i < times; i++) {
        sources[i] = text;
        sizes[i] = mebibyte;
    }
    for (size_t k = 0; k < COUNT(origins); k++) {
        dnnl_cache_note_t note = build_of("id", "", "", origins[k]);
        note.source_count = times;
        note.sources = sources;
        note.source_sizes = sizes;
        expect_refused(&note);
    }
    free(text);
}

/* With ThreadSanitizer memory has a shadow, of several times its size. */
#ifdef __SANITIZE_THREAD__
#define MOST_BYTES (1000 * mebibyte)
#else
#define MOST_BYTES (300 * mebibyte)
#endif

/* As many as there is room for: not one process or message for each. */
TEST_C(ReplayHostile, OfVeryManyNotesIsReadInBoundedMemory)
{
    enum { builds = 2000, launches = 40 };
    dnnl_cache_store_handle_t *record = open_record();
    for (int i = 0; i < builds; i++) {
        char id[32];
        snprintf(id, sizeof id, "program %d", i);
        const dnnl_cache_note_t note = build_of(
                id, "kernel void k() {}", "-fplugin=x", dnnl_cache_note_layer);
        forge(record, &note);
        for (int k = 0; k < launches; k++) {
            dnnl_cache_note_t launch = DNNL_CACHE_NOTE_INIT;
            launch.kind = dnnl_cache_note_launch;
            launch.origin = dnnl_cache_note_layer;
            launch.id = note.id;
            launch.id_size = note.id_size;
            launch.kernel = "k";
            launch.work_dim = 1;
            launch.local_size[0] = (size_t)k + 1;
            forge(record, &launch);
        }
    }
    dnnl_cache_store_close(record);
    use_fake(true);
    const struct outcome run =
            run_program("replay", record_path(), "--store", store_path(), NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 compiled, 0 failed, 0 left, 0 failed before, 2000 "
                        "refused");
    EXPECT_LT(count_of(run.err, "\n"), 20);
    EXPECT_LT(run.most_bytes, MOST_BYTES);
    EXPECT_EQ(0, run_program("record", "inspect", record_path(), "--json", NULL)
                         .code);
}

TEST_C(ReplayHostile, WhatIsNoFileIsNotOpened)
{
    use_fake(true);
    ASSERT_EQ(0, mkfifo(record_path(), 0600));
    EXPECT_EQ(3, replay().code);
    EXPECT_EQ(3, run_program("record", "list", record_path(), NULL).code);
    EXPECT_EQ(3, run_program("record", "prune", record_path(), "--older-than",
                         "1d", NULL)
                         .code);
}

/* Escapes for a terminal, in each text of a record. */
TEST_C(ReplayHostile, TextsReachNoTerminal)
{
    dnnl_cache_note_t note =
            build_of("id", "kernel void k() {}", "-D\033[2J", origins[1]);
    dnnl_cache_store_handle_t *record = open_record();
    const struct dnnl_cache_store_journal_item item = {
            .struct_size = sizeof item,
            .note = &note,
            .application = "\033]0;x\007",
            .tag = "\033c"};
    EXPECT_OK(dnnl_cache_recording_copy(record, &item));
    dnnl_cache_note_t kernel = DNNL_CACHE_NOTE_INIT;
    kernel.kind = dnnl_cache_note_kernel;
    kernel.origin = note.origin;
    kernel.id = note.id;
    kernel.id_size = note.id_size;
    kernel.kernel = "\033[31m";
    kernel.arguments = "\033[32m";
    forge(record, &kernel);
    dnnl_cache_store_close(record);
    use_fake(true);
    static const char *const verbs[] = {"list", "inspect"};
    for (size_t i = 0; i < COUNT(verbs); i++) {
        const struct outcome run =
                run_program("record", verbs[i], record_path(), NULL);
        EXPECT_EQ(0, run.code);
        EXPECT_TRUE(strchr(run.out, '\033') == NULL);
    }
    const struct outcome run =
            run_program("replay", record_path(), "--store", store_path(), NULL);
    EXPECT_TRUE(strchr(run.err, '\033') == NULL);
}
