/* SPDX-License-Identifier: Apache-2.0 */
/* export and import, and what happens to damaged archives. */
#include "test.h"
#include "tool_helpers.h"
#include "tools/dnnl_cache/archive/archive.h"

#include <dnnl_cache/store.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The paths of two archives and of the other store. */
struct paths {
    char a[path_size];
    char b[path_size];
    char other[path_size];
};

static struct paths make_paths(void)
{
    struct paths p;
    snprintf(p.a, sizeof p.a, "%s", in_test("a.archive"));
    snprintf(p.b, sizeof p.b, "%s", in_test("b.archive"));
    snprintf(p.other, sizeof p.other, "%s", in_test("other"));
    return p;
}

static void expect_same_files(const char *a, const char *b)
{
    size_t a_size;
    size_t b_size;
    uint8_t *a_bytes = read_whole(a, &a_size);
    uint8_t *b_bytes = read_whole(b, &b_size);
    EXPECT_BYTES_EQ(a_bytes, a_size, b_bytes, b_size);
    free(a_bytes);
    free(b_bytes);
}

/* ---- Whole archives ------------------------------------------------------ */

TEST_SAMPLE_STORE(ToolArchive, MakesTheRoundTrip)
{
    const struct paths p = make_paths();
    const struct run *run = run_tool("export", p.a, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ("3 exported with 1.6 KiB, 0 skipped\n", run->out);
    run = run_bare("--store", p.other, "import", p.a, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ("3 imported, 0 already there, 0 skipped\n", run->out);
    run = run_bare("--store", p.other, "import", p.a, "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    char expected[2 * path_size];
    snprintf(expected, sizeof expected,
            "{\n"
            "  \"command\": \"import\",\n"
            "  \"file\": \"%s\",\n"
            "  \"entries\": 3,\n"
            "  \"imported\": 0,\n"
            "  \"unchanged\": 3,\n"
            "  \"left_out\": 0,\n"
            "  \"damage\": null\n"
            "}\n",
            p.a);
    EXPECT_STR_EQ(expected, run->out);
    EXPECT_EQ(exit_ok, run_bare("--store", p.other, "export", p.b, NULL)->code);
    expect_same_files(p.a, p.b);
    dnnl_cache_store_handle_t *store = open_test_store("other");
    for (int i = 0; i < sample_entries; i++)
        EXPECT_OK(get_made(store, &s->made[i]));
    dnnl_cache_store_close(store);
    /* Kinds and compile times came along. */
    run = run_bare("--store", p.other, "stats", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "  200 B        1.0 ms  engine\n"));
    EXPECT_NOT_NULL(strstr(run->out, "  890 B        5.0 ms  program\n"));
}

/* The store "other" as an application uses it, with so many entries. */
static uint64_t use_other(const struct paths *p, uint64_t capacity, int entries)
{
    struct dnnl_cache_store_options o = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    o.path = p->other;
    o.capacity = capacity;
    o.policy = dnnl_cache_store_policy_lru;
    EXPECT_OK(dnnl_cache_store_open(&store, "bucket", &o));
    for (int i = 0; i < entries; i++) {
        struct made made = make_large_program(text_of("%d", i), "a", 600);
        put_made(store, &made, 0);
        made_fini(&made);
    }
    EXPECT_OK(dnnl_cache_store_get_statistics(store, &statistics));
    dnnl_cache_store_close(store);
    EXPECT_LE((long long)statistics.bytes, (long long)capacity);
    return statistics.bytes;
}

TEST_SAMPLE_STORE(ToolArchive, IsImportedIntoAFullStore)
{
    enum { capacity = 10000 };
    const struct paths p = make_paths();
    ASSERT_EQ(exit_ok, run_tool("export", p.a, NULL)->code);
    EXPECT_LT(capacity - 2000, (long long)use_other(&p, capacity, 12));
    const struct run *run = run_bare("--store", p.other, "import", p.a, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("3 imported, 0 already there, 0 skipped\n", run->out);
    run = run_bare("--store", p.other, "import", p.a, NULL);
    EXPECT_STR_EQ("0 imported, 3 already there, 0 skipped\n", run->out);
    (void)use_other(&p, capacity, 0);
}

/* The first entries do not make room for the last ones. */
TEST_SAMPLE_STORE(ToolArchive, ThatIsLargerThanTheCapacityIsNotImportedWhole)
{
    enum { capacity = 1872 };
    const struct paths p = make_paths();
    ASSERT_EQ(exit_ok, run_tool("export", p.a, NULL)->code);
    (void)use_other(&p, capacity, 1);
    const struct run *run = run_bare("--store", p.other, "import", p.a, NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(
            strstr(run->err, "an entry was not stored: the store is full"));
    EXPECT_LE(1, (long long)count_entries("other"));
    (void)use_other(&p, capacity, 0);
}

TEST_SAMPLE_STORE(ToolArchive, DoesNotDependOnTheOrderOfPuts)
{
    const struct paths p = make_paths();
    dnnl_cache_store_handle_t *store = open_test_store("other");
    for (int i = sample_entries - 1; i >= 0; i--)
        put_made(store, &s->made[i], (uint64_t)(i + 1) * 1000000);
    dnnl_cache_store_close(store);
    EXPECT_EQ(exit_ok, run_tool("export", p.a, NULL)->code);
    EXPECT_EQ(exit_ok, run_bare("--store", p.other, "export", p.b, NULL)->code);
    expect_same_files(p.a, p.b);
}

TEST_C(ToolArchive, IsWhatTheSecondImplementationWrites)
{
    static const char *const names[] = {
            "good-engine", "good-primitive", "good-program"};
    const struct paths p = make_paths();
    char golden[path_size];
    dnnl_cache_store_handle_t *store = open_test_store("store");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct made m = read_blob(names[i]);
        put_made(store, &m, 1000 * i);
        made_fini(&m);
    }
    dnnl_cache_store_close(store);
    snprintf(golden, sizeof golden, "%s/archives/good.archive",
            DNNL_CACHE_TEST_DATA_DIR);
    EXPECT_EQ(exit_ok, run_tool("export", p.a, NULL)->code);
    expect_same_files(golden, p.a);
    EXPECT_EQ(exit_ok,
            run_bare("--store", p.other, "import", golden, NULL)->code);
    EXPECT_EQ(3, count_entries("other"));
}

TEST_C(ToolArchive, OfAnEmptyStoreIsEmpty)
{
    const struct paths p = make_paths();
    dnnl_cache_store_close(open_test_store("store"));
    EXPECT_STR_EQ("0 exported with 64 B, 0 skipped\n",
            run_tool("export", p.a, NULL)->out);
    EXPECT_STR_EQ("0 imported, 0 already there, 0 skipped\n",
            run_bare("--store", p.other, "import", p.a, NULL)->out);
}

TEST_SAMPLE_STORE(ToolArchive, HoldsTheEntriesThatWereNamed)
{
    const struct paths p = make_paths();
    const struct run *run = run_tool("export", p.a, s->made[2].brief,
            s->made[0].name, s->made[2].name, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("2 exported with 978 B, 0 skipped\n", run->out);
    EXPECT_EQ(exit_ok, run_bare("--store", p.other, "import", p.a, NULL)->code);
    dnnl_cache_store_handle_t *store = open_test_store("other");
    EXPECT_OK(get_made(store, &s->made[0]));
    EXPECT_STATUS(dnnl_cache_miss, get_made(store, &s->made[1]));
    EXPECT_OK(get_made(store, &s->made[2]));
    dnnl_cache_store_close(store);
    run = run_tool("export", p.b, s->made[0].brief, "00000000", NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_STR_EQ("dnnl-cache: 00000000: no entry has this name (see "
                  "dnnl-cache list)\n",
            run->err);
    EXPECT_FALSE(exists(p.b));
    EXPECT_EQ(exit_no_entry, run_tool("export", p.b, "nonsense", NULL)->code);
}

TEST_SAMPLE_STORE(ToolArchive, LeavesOutWhatIsDamagedForeignOrNewer)
{
    const struct paths p = make_paths();
    struct made other = make_engine("Other", "1");
    struct made stray = make_program("Stray", "1", "x", "", NULL);
    struct made newer = read_blob("unsupported-section");
    newer.kind = dnnl_cache_blob_kind_engine;
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_under(store, &other, &s->made[1], 0);
    put_under(store, &stray, &newer, 0);
    dnnl_cache_store_close(store);
    flip_byte(blob_file("store", &s->made[2]), 20);
    const struct run *run = run_tool("export", p.a, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("2 exported with 1.0 KiB, 3 skipped\n", run->out);
    EXPECT_NOT_NULL(strstr(run->err, other.name));
    EXPECT_NOT_NULL(strstr(run->err, stray.name));
    EXPECT_NOT_NULL(strstr(run->err, s->made[2].name));
    EXPECT_NOT_NULL(strstr(run->err, " skipped: a blob with another ID\n"));
    run = run_tool("export", p.b, "--json", "--quiet", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_NOT_NULL(
            strstr(run->out, "  \"entries\": 2,\n  \"left_out\": 3,\n"));
    run = run_bare("--store", p.other, "import", p.a, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_EQ(2, count_entries("other"));
    made_fini(&other);
    made_fini(&stray);
    made_fini(&newer);
}

TEST_C(ToolArchive, WarnsOfTheFirstTenOnly)
{
    struct made value = make_engine("Other", "1");
    dnnl_cache_store_handle_t *store = open_test_store("store");
    for (int i = 0; i < 12; i++) {
        char source[16];
        snprintf(source, sizeof source, "%d", i);
        struct made key = make_program("GPU", "1", source, "", NULL);
        put_under(store, &key, &value, 0);
        made_fini(&key);
    }
    dnnl_cache_store_close(store);
    const struct run *run = run_tool("export", in_test("a"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("0 exported with 64 B, 12 skipped\n", run->out);
    size_t lines = 0;
    for (const char *c = run->err; *c != '\0'; c++)
        lines += *c == '\n';
    EXPECT_EQ(11, lines);
    EXPECT_NOT_NULL(strstr(
            run->err, "dnnl-cache: 2 more skipped (see dnnl-cache verify)\n"));
    made_fini(&value);
}

TEST_SAMPLE_STORE(ToolArchive, ReplacesAFileOnlyOnceItIsComplete)
{
    const struct paths p = make_paths();
    write_whole(p.a, "precious", 8);
    EXPECT_EQ(exit_no_entry, run_tool("export", p.a, "00000000", NULL)->code);
    size_t size;
    uint8_t *bytes = read_whole(p.a, &size);
    EXPECT_BYTES_EQ("precious", 8, bytes, size);
    free(bytes);
    EXPECT_EQ(exit_ok, run_tool("export", p.a, NULL)->code);
    EXPECT_EQ(exit_ok, run_bare("--store", p.other, "import", p.a, NULL)->code);
    /* A temporary file that a killed process of our number left. */
    write_whole(text_of("%s.%ld-0.tmp", p.b, (long)getpid()), "x", 1);
    EXPECT_EQ(exit_ok, run_tool("export", p.b, NULL)->code);
    expect_same_files(p.a, p.b);
    EXPECT_FALSE(exists(text_of("%s.%ld-1.tmp", p.b, (long)getpid())));
    /* A full disk. */
    const struct run *run = run_tool("export", "/dev/full", NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ("", run->out);
    EXPECT_STR_EQ("dnnl-cache: /dev/full: No space left on device\n", run->err);
    run = run_tool("export", in_test("no/such/place"), NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "No such file or directory"));
    EXPECT_EQ(0, mkdir(in_test("folder"), 0700));
    run = run_tool("export", in_test("folder"), NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "Is a directory"));
}

static void expect_kept_apart(const char *file)
{
    const struct run *run = run_tool("export", file, NULL);
    EXPECT_EQ(exit_usage, run->code);
    EXPECT_NOT_NULL(
            strstr(run->err, " is part of the store: name another file"));
}

TEST_SAMPLE_STORE(ToolArchive, IsNotWrittenIntoTheStore)
{
    expect_kept_apart(in_test("store"));
    expect_kept_apart(in_test("store/index.bin"));
    expect_kept_apart(in_test("store/new"));
    expect_kept_apart(in_test("store/../store/new"));
    EXPECT_EQ(0, symlink("store", in_test("link")));
    expect_kept_apart(in_test("link/new"));
    EXPECT_EQ(exit_ok, run_tool("export", in_test("store-2"), NULL)->code);
    /* A pack is a file, and has others beside it. */
    const char *pack = strdup(in_test("pack"));
    EXPECT_EQ(exit_ok, run_bare("--type", "pack", "--store", pack, "import",
                               in_test("store-2"), NULL)
                               ->code);
    const char *const files[] = {"pack", "pack-journal", "./pack"};
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(exit_usage,
                run_bare("--store", pack, "export", in_test(files[i]), NULL)
                        ->code);
    EXPECT_EQ(exit_ok,
            run_bare("--store", pack, "export", in_test("packed"), NULL)->code);
    free((char *)(uintptr_t)pack);
}

/* ---- Damaged archives ---------------------------------------------------- */

/* Nothing may come of it: no crash, no store, status 1 and a reason. */
static void expect_refused(const struct paths *p, size_t at)
{
    const struct run *run =
            run_bare("--store", p->other, "import", p->b, "--json", NULL);
    if (run->code == exit_found && strstr(run->out, "\"imported\": 0,") != NULL
            && strstr(run->out, "\"damage\": \"") != NULL
            && strstr(run->err, ": nothing was imported\n") != NULL
            && !exists(p->other))
        return;
    test_fail(__FILE__, __LINE__, "byte %zu: code %d, %s%s", at, run->code,
            run->out, run->err);
}

TEST_SAMPLE_STORE(ToolArchive, IsRefusedWithAnyByteChanged)
{
    const struct paths p = make_paths();
    size_t size;
    ASSERT_EQ(exit_ok, run_tool("export", p.a, NULL)->code);
    uint8_t *bytes = read_whole(p.a, &size);
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    for (size_t at = 0; at < size && !test_has_failed(); at++)
        for (size_t m = 0; m < sizeof masks; m++) {
            bytes[at] ^= masks[m];
            write_whole(p.b, bytes, size);
            expect_refused(&p, at);
            bytes[at] ^= masks[m];
        }
    free(bytes);
}

TEST_SAMPLE_STORE(ToolArchive, IsRefusedCutAnywhere)
{
    const struct paths p = make_paths();
    size_t size;
    ASSERT_EQ(exit_ok, run_tool("export", p.a, NULL)->code);
    uint8_t *bytes = read_whole(p.a, &size);
    for (size_t at = 0; at < size && !test_has_failed(); at++) {
        write_whole(p.b, bytes, at);
        expect_refused(&p, at);
    }
    bytes = realloc(bytes, size + 1);
    bytes[size] = 0;
    write_whole(p.b, bytes, size + 1);
    expect_refused(&p, size);
    free(bytes);
}

/* An archive of these, with all checksums right. */
static void write_archive(
        const char *path, const struct archive_entry *entries, size_t count)
{
    struct archive_writer *writer = NULL;
    ASSERT_EQ(0, archive_writer_open(&writer, path));
    for (size_t i = 0; i < count; i++)
        EXPECT_EQ(0, archive_writer_add(writer, &entries[i]));
    EXPECT_EQ(0, archive_writer_finish(writer));
    archive_writer_close(writer);
}

static struct archive_entry entry_of(
        const struct made *key, const struct made *value)
{
    return (struct archive_entry){.kind = value->kind,
            .compile_ns = 1,
            .id_size = key->id_size,
            .id = key->id,
            .blob_size = value->size,
            .blob = value->blob};
}

TEST_C(ToolArchive, IsRefusedIfItsContentsAreNotWhatTheySay)
{
    const struct paths p = make_paths();
    struct made a = make_engine("A", "1");
    struct made b = make_engine("B", "1");
    struct made corrupt = make_engine("C", "1");
    corrupt.blob[corrupt.size - 1] ^= 1;
    const struct archive_entry good[] = {entry_of(&a, &a), entry_of(&b, &b)};
    write_archive(p.b, good, 2);
    EXPECT_EQ(exit_ok,
            run_bare("--store", in_test("good"), "import", p.b, NULL)->code);

    const struct archive_entry unsorted[] = {good[1], good[0]};
    write_archive(p.b, unsorted, 2);
    expect_refused(&p, 0);
    const struct archive_entry twice[] = {good[0], good[0]};
    write_archive(p.b, twice, 2);
    expect_refused(&p, 1);
    const struct archive_entry swapped[] = {entry_of(&a, &b), good[1]};
    write_archive(p.b, swapped, 2);
    expect_refused(&p, 2);
    const struct archive_entry damaged[] = {good[0], entry_of(&b, &corrupt)};
    write_archive(p.b, damaged, 2);
    expect_refused(&p, 3);
    struct archive_entry other_kind = good[0];
    other_kind.kind = dnnl_cache_blob_kind_program;
    write_archive(p.b, &other_kind, 1);
    expect_refused(&p, 4);
    made_fini(&a);
    made_fini(&b);
    made_fini(&corrupt);
}

TEST_C(ToolArchive, OfNewerBlobsGivesTheOthers)
{
    const struct paths p = make_paths();
    struct made a = make_engine("A", "1");
    struct made b = make_engine("B", "1");
    struct made newer = read_blob("unsupported-section");
    newer.kind = dnnl_cache_blob_kind_engine;
    const struct archive_entry entries[] = {
            entry_of(&a, &a), entry_of(&b, &newer)};
    write_archive(p.a, entries, 2);
    const struct run *run = run_bare("--store", p.other, "import", p.a, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("1 imported, 0 already there, 1 skipped\n", run->out);
    EXPECT_NOT_NULL(strstr(run->err, "newer"));
    EXPECT_EQ(1, count_entries("other"));
    made_fini(&a);
    made_fini(&b);
    made_fini(&newer);
}

TEST_C(ToolArchive, ThatIsNoPlainFileIsRefused)
{
    const struct paths p = make_paths();
    ASSERT_EQ(0, mkfifo(p.a, 0600));
    EXPECT_EQ(exit_io, run_bare("--store", p.other, "import", p.a, NULL)->code);
    EXPECT_EQ(exit_io,
            run_bare("--store", p.other, "import", "/dev/zero", NULL)->code);
    EXPECT_EQ(exit_io,
            run_bare("--store", p.other, "import", test_directory(), NULL)
                    ->code);
    EXPECT_EQ(exit_io,
            run_bare("--store", p.other, "import", in_test("no"), NULL)->code);
    EXPECT_FALSE(exists(p.other));
}
