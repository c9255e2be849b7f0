/* SPDX-License-Identifier: Apache-2.0 */
/* Journals that somebody else wrote: refresh reads no path, runs no option and
 * stores nothing because of them. */
#include "forge_notes.h"
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/journal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* A program with these sources and options is refused, in words, before any
 * process is started. What is named is a FIFO: who opened it would hang. */
static void expect_refused(const char *source, const char *options,
        const char *variable, const char *why)
{
    char log[path_size];
    use_fake(true);
    snprintf(log, sizeof log, "%s", in_test("calls"));
    use_variable("FAKE_OPENCL_LOG", log);
    forge_note(store_path(), source, options, options, variable);
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
    expect_has(run_refresh("--dry-run", NULL).out, why);
    EXPECT_FALSE(exists(log));
    EXPECT_EQ(0, (long long)count_entries("store"));
    expect_no_temporary();
    forge_clear(store_path());
}

TEST_C(RefreshHostile, NothingIsReadOrRunOrStored)
{
    char path[path_size];
    char text[2 * path_size];
    snprintf(path, sizeof path, "%s", in_test("fifo"));
    ASSERT_EQ(0, mkfifo(path, 0600));
    static const char *const options[] = {"-fplugin=%s", "-include %s",
            "-imacros %s", "-Xclang -load -Xclang %s", "@%s", "%s",
            "-include-pch %s", "\"-fplugin=%s\"", "-fpl\"ugin=%s\"",
            "-working-directory %s", "-B%s", "-o %s", "-MF %s",
            "-fprofile-use=%s", "-fsanitize-blacklist=%s"};
    for (size_t i = 0; i < COUNT(options); i++) {
        snprintf(text, sizeof text, options[i], path);
        expect_refused("kernel void k() {}", text, NULL,
                "the options may read a file, or are not known");
    }
    expect_refused("kernel void k() { asm(S(nop)); }", "-D S(x)=#x", NULL,
            "make strings, and assembly could take one");
    static const char *const folders[] = {
            "-I%s", "-I %s", "\"-I\"%s", "-\"I\"%s", "-DA -I%s"};
    for (size_t i = 0; i < COUNT(folders); i++) {
        snprintf(text, sizeof text, folders[i], path);
        expect_refused("kernel void k() {}", text, NULL, "file");
    }
    static const char *const sources[] = {"#include \"%s\"\n",
            "#include <%s>\n", "#if __has_include(\"%s\")\n#endif\n",
            "#include_next \"%s\"\n", "#embed \"%s\"\n",
            "#def\\\nine A \"%s\"\n#include A\n", "%%: include \"%s\"\n",
            "asm(\".incbin \\\"%s\\\"\");\n"};
    for (size_t i = 0; i < COUNT(sources); i++) {
        snprintf(text, sizeof text, sources[i], path);
        expect_refused(text, "", NULL, "reads files");
    }
    static const char *const variables[] = {"POCL_BITCODE_FINALIZER=%s",
            "POCL_EXTRA_BUILD_FLAGS=-fplugin=%s", "OCLGRIND_PCH_DIR=%s",
            "CL_CONFIG_LLVM_OPTIONS=-load %s", "LD_PRELOAD=%s", "PATH=%s",
            "POCL_WORK_GROUP_METHOD=%s", "NAME", "=%s"};
    for (size_t i = 0; i < COUNT(variables); i++) {
        snprintf(text, sizeof text, variables[i], path);
        expect_refused("kernel void k() {}", "", text, "environment");
    }
}

static void expect_object_refused(const char *source, const char *name,
        const char *header, const char *option, const char *why)
{
    char log[path_size];
    use_fake(true);
    snprintf(log, sizeof log, "%s", in_test("calls"));
    use_variable("FAKE_OPENCL_LOG", log);
    forge_object(store_path(), source, name, header);
    const struct outcome run = run_refresh("--jobs", "2", option, NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
    expect_has(run_refresh("--dry-run", option, NULL).out, why);
    EXPECT_FALSE(exists(log));
    EXPECT_EQ(0, (long long)count_entries("store"));
    forge_clear(store_path());
}

/* Headers that are programs name files, or make assembly that reads one with
 * the source; drivers write them to files of their names. */
TEST_C(RefreshHostile, HeadersThatAreProgramsReadAndWriteNoFile)
{
    static const char includes[] = "#include \"a.h\"\nkernel void k() {}";
    static const char strings[] = "#define S(x) #x\n#define J(a, b) S(.a##b)\n";
    static const char *const headers[] = {"#include \"/etc/passwd\"\n",
            "#include \"b.h\"\n", "#include NAME\n", "#embed \"b\"\n",
            "asm(\".incbin \\\"b\\\"\");\n"};
    static const char *const names[] = {
            "../a.h", "/tmp/a.h", "b/../../a.h", "..\\a.h", "a.h/"};
    for (size_t i = 0; i < COUNT(headers); i++)
        expect_object_refused(includes, "a.h", headers[i], NULL, "reads files");
    expect_object_refused("#include <c.h>\n", "a.h", "\n", NULL, "reads files");
    expect_object_refused("#include \"a.h\"\n"
                          "kernel void k() { asm(J(inc, bin) \"b\"); }",
            "a.h", strings, NULL, "reads files");
    for (size_t i = 0; i < COUNT(names); i++)
        expect_object_refused("kernel void k() {}", names[i], "\n",
                "--read-files", "a header whose name may lead out");
}

/* What is refused is named by its kernels, and the file that it reads. */
TEST_C(RefreshHostile, TheFileThatIsReadIsNamed)
{
    use_fake(true);
    forge_note(store_path(), "#include \"a.h\"\nkernel void blur() {}", "", "",
            NULL);
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
    char hint[4096];
    (void)snprintf(hint, sizeof hint, "refresh --dry-run --store '%s'\n",
            store_path());
    expect_has(run.out, hint);
    const struct outcome list = run_refresh("--dry-run", NULL);
    expect_has(list.out, "KERNELS");
    expect_has(list.out, " blur ");
    expect_has(list.out, "reads files (pass --read-files): 'a.h'\n");
    expect_has(run_refresh("--dry-run", "--json", NULL).out,
            "\"refused\": \"reads files (pass --read-files): 'a.h'\"");
    forge_clear(store_path());
}

TEST_C(RefreshHostile, WithOtherOptionsThanItsIdIsRefused)
{
    use_fake(true);
    forge_note(store_path(), "kernel void k() {}", "-DA=1", "-DA=2", NULL);
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
    expect_has(run_refresh("--dry-run", NULL).out,
            "the note does not match its ID");
    EXPECT_EQ(0, (long long)count_entries("store"));
}

TEST_C(RefreshHostile, OfAnotherProgramsIdIsDropped)
{
    use_fake(true);
    ASSERT_EQ(0, run_client("forge", 2).code);
    EXPECT_EQ(4, waiting()); /* the library's and the layer's */
    /* What the first job of the layer makes has the ID of its second, which the
     * same worker may get: one time in four. */
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 4 refused");
    EXPECT_EQ(0, (long long)count_entries("store"));
    EXPECT_EQ(0, waiting());
    /* The programs of these IDs are compiled, and not taken from the store. */
    expect_has(run_client("run", 2).out, "from the store 0, compiled 2");
}

/* One text, named often: a worker would have it in memory as often. */
TEST_C(RefreshHostile, OfOneTextNamedOftenIsRefused)
{
    enum { count = 65, text_size = 1 << 20 };
    static char text[text_size];
    const char *sources[count];
    size_t sizes[count];
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    memset(text, ' ', sizeof text);
    for (int i = 0; i < count; i++) {
        sources[i] = text;
        sizes[i] = sizeof text;
    }
    use_fake(true);
    ASSERT_EQ(0, run_client("note", 1).code);
    dnnl_cache_store_handle_t *store = open_test_store("store");
    note.kind = dnnl_cache_note_build;
    note.type = dnnl_cache_note_executable;
    note.origin = dnnl_cache_note_library;
    note.id = (const uint8_t *)"x";
    note.id_size = 1;
    note.options = "";
    note.source_count = count;
    note.sources = sources;
    note.source_sizes = sizes;
    EXPECT_OK(dnnl_cache_store_journal_append(store, &note));
    note.id = (const uint8_t *)"y";
    note.source_count = count - 2;
    EXPECT_OK(dnnl_cache_store_journal_append(store, &note));
    dnnl_cache_store_close(store);
    const struct outcome run = run_refresh("--dry-run", NULL);
    EXPECT_EQ(1, (long long)count_of(run.out, "its sources are too large"));
    EXPECT_EQ(1, (long long)count_of(run.out, "the note does not match"));
}

static void note_many(int begin, int end)
{
    const char *source = "";
    const size_t size = 0;
    dnnl_cache_note_t build = DNNL_CACHE_NOTE_INIT;
    dnnl_cache_store_handle_t *store = open_test_store("store");
    build.kind = dnnl_cache_note_build;
    build.type = dnnl_cache_note_executable;
    build.origin = dnnl_cache_note_library;
    build.options = "";
    build.source_count = 1;
    build.sources = &source;
    build.source_sizes = &size;
    for (int i = begin; i < end; i++) {
        const char *id = text_of("%d", i);
        build.id = (const uint8_t *)id;
        build.id_size = strlen(id);
        dnnl_cache_note_t launch = build;
        launch.kind = dnnl_cache_note_launch;
        launch.kernel = "k";
        launch.work_dim = 1;
        ASSERT_EQ(dnnl_success, dnnl_cache_store_journal_append(store, &build));
        ASSERT_EQ(
                dnnl_success, dnnl_cache_store_journal_append(store, &launch));
    }
    dnnl_cache_store_close(store);
}

/* Processor time of a dry run, in seconds. */
static double time_dry_run(void)
{
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    EXPECT_EQ(0, run_refresh("--dry-run", "--json", NULL).code);
    getrusage(RUSAGE_CHILDREN, &after);
    return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec)
           + 1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
}

TEST_C(RefreshHostile, OfManyNotesTakesNoLongerForEach)
{
    enum { few = 5000, many = 8 * few };
    use_fake(true);
    ASSERT_EQ(0, run_client("note", 1).code);
    note_many(0, few);
    const double one = time_dry_run();
    note_many(few, many);
    const double eight = time_dry_run();
    if (eight > 24 * one + 1)
        test_fail(__FILE__, __LINE__, "%.3f s, and %.3f s for 8 times as many",
                one, eight);
}

TEST_C(RefreshHostile, OfNoiseDoesNothing)
{
    uint64_t random = test_seed();
    use_fake(true);
    ASSERT_EQ(0, run_client("note", 1).code);
    char path[path_size];
    snprintf(path, sizeof path, "%s/journal", store_path());
    size_t size;
    uint8_t *bytes = read_whole(path, &size);
    for (int i = 0; i < 20; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint8_t *copy = malloc(size);
        memcpy(copy, bytes, size);
        copy[16 + (random >> 33) % (size - 16)] ^= 0x41;
        write_whole(path, copy, size);
        free(copy);
        const struct outcome run = run_refresh("--dry-run", NULL);
        EXPECT_EQ(0, run.code);
    }
    free(bytes);
}
