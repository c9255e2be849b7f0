/* SPDX-License-Identifier: Apache-2.0 */
/* Damage found, told and repaired. */
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/working_set.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- verify -------------------------------------------------------------- */

TEST_SAMPLE_STORE(ToolVerify, FindsAStoreIntact)
{
    const struct run *run = run_tool("verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ("intact             3\n"
                  "intact blobs       1.1 KiB\n"
                  "damaged            0\n"
                  "foreign            0\n"
                  "of a newer format  0\n"
                  "removed            0\n",
            run->out);
    run = run_tool("verify", "--quiet", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->out);
    /* Which would do nothing. */
    run = run_tool("verify", "--unsigned", NULL);
    EXPECT_EQ(exit_usage, run->code);
    EXPECT_STR_EQ(
            "dnnl-cache: verify: --unsigned goes with --repair\n", run->err);
}

TEST_SAMPLE_STORE(ToolVerify, FindsAndRepairsDamage)
{
    struct made other = make_engine("Other", "1");
    struct made stray = make_program("Stray", "1", "x", "", NULL);
    struct made newer = read_blob("unsupported-section");
    newer.kind = dnnl_cache_blob_kind_engine;
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_under(store, &other, &s->made[1], 0); /* another ID's blob */
    put_under(store, &stray, &newer, 0);
    dnnl_cache_store_close(store);
    flip_byte(blob_file("store", &s->made[2]), 20);
    char place[path_size];
    const char *file = blob_file("store", &s->made[2]);
    snprintf(place, sizeof place, "%s", strstr(file, "/store/") + 7);
    *strstr(place, "/kernel.bin") = '\0';
    char complaint[2 * path_size];
    snprintf(complaint, sizeof complaint,
            "dnnl-cache: %.*s: damaged\ndnnl-cache: damage found: dnnl-cache "
            "verify --repair removes it\n",
            (int)(strstr(file, "/kernel.bin") - file), file);

    const char *findings = text_of(
            "damaged  %s  %s  changed after it was written\nforeign  %s  %-*s  "
            "a blob with another ID\n",
            s->made[2].brief, place, other.brief, (int)strlen(place), "-");
    char expected[1024];
    snprintf(expected, sizeof expected,
            "%sintact             2\n"
            "intact blobs       677 B\n"
            "damaged            1\n"
            "foreign            1\n"
            "of a newer format  1\n"
            "removed            0\n",
            findings);
    const struct run *run = run_tool("verify", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);
    EXPECT_STR_EQ(complaint, run->err);
    run = run_tool("verify", "--json", "--quiet", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(
            text_of("{\n  \"command\": \"verify\",\n  \"intact\": 2,\n  "
                    "\"intact_blob_bytes\": 677,\n  \"damaged\": 1,\n  "
                    "\"unsigned\": 0,\n  \"foreign\": 1,\n  \"newer\": 1,\n  "
                    "\"removed\": 0,\n  "
                    "\"failed_builds_damaged\": 0,\n  "
                    "\"findings\": [\n    {\n      "
                    "\"problem\": \"damaged\",\n      \"name\": \"%s\",\n      "
                    "\"place\": \"%s\",\n      \"reason\": \"changed after it "
                    "was written\"\n    },\n    {\n      \"problem\": "
                    "\"foreign\",\n      \"name\": \"%s\",\n      \"place\": "
                    "null,\n      \"reason\": \"a blob with another ID\"\n    "
                    "}\n  ]\n}\n",
                    s->made[2].name, place, other.name),
            run->out);

    run = run_tool("verify", "--repair", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "removed            2\n"));
    run = run_tool("verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "intact             2\n"));
    EXPECT_NOT_NULL(strstr(run->out, "of a newer format  1\n"));
    store = open_test_store("store");
    EXPECT_OK(get_made(store, &s->made[0]));
    EXPECT_OK(get_made(store, &s->made[1]));
    EXPECT_STATUS(dnnl_cache_miss, get_made(store, &s->made[2]));
    EXPECT_STATUS(dnnl_cache_miss, get_made(store, &other));
    dnnl_cache_store_close(store);
    made_fini(&other);
    made_fini(&stray);
    made_fini(&newer);
}

/* Behind its header the store leaves the blob's bytes to who reads it. */
TEST_SAMPLE_STORE(ToolVerify, CountsDamageOfABlobOnce)
{
    flip_byte(blob_file("store", &s->made[2]), s->made[2].size - 1);
    const struct run *run = run_tool("verify", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "intact             2\n"
                                     "intact blobs       "));
    EXPECT_NOT_NULL(strstr(run->out, "damaged            1\n"
                                     "foreign            0\n"));
    run = run_tool("verify", "--repair", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "removed            1\n"));
}

/* Opens a bucket store with a key. */
static dnnl_cache_store_handle_t *open_signed(const char *key)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = in_test("store");
    options.key_file = key;
    EXPECT_OK(dnnl_cache_store_open(&store, "bucket", &options));
    return store;
}

TEST_C(ToolVerify, TellsUnsignedFromDamaged)
{
    struct made m[] = {make_engine("GPU", "1"), make_engine("GPU", "2"),
            make_engine("GPU", "3")};
    char key[path_size];
    char wrong[path_size];
    snprintf(key, sizeof key, "%s", in_test("key"));
    snprintf(wrong, sizeof wrong, "%s", in_test("wrong"));
    ASSERT_OK(dnnl_cache_store_key_file_make(key));
    ASSERT_OK(dnnl_cache_store_key_file_make(wrong));
    dnnl_cache_store_handle_t *store = open_signed(key);
    put_made(store, &m[0], 0);
    put_made(store, &m[2], 0);
    dnnl_cache_store_close(store);
    EXPECT_EQ(exit_ok, run_tool("verify", "--key", key, NULL)->code);
    store = open_test_store("store");
    put_made(store, &m[1], 0);
    dnnl_cache_store_close(store);
    flip_byte(blob_file("store", &m[2]), 20);
    const struct run *run = run_tool("verify", "--key", key, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, text_of("unsigned  %s", m[1].brief)));
    EXPECT_NOT_NULL(strstr(run->out, "not signed with this key\n"));
    EXPECT_NOT_NULL(strstr(run->out, text_of("damaged   %s", m[2].brief)));
    EXPECT_NOT_NULL(strstr(run->out, "damaged            1\n"
                                     "not of this key    1\n"));
    EXPECT_NOT_NULL(strstr(run->err, "is this the right key file?"));
    /* A wrong key removes what is damaged, and nothing else. */
    run = run_tool("verify", "--key", wrong, "--repair", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "not of this key    2\n"));
    EXPECT_NOT_NULL(strstr(run->out, "removed            1\n"));
    EXPECT_EQ(2, count_entries("store"));
    run = run_tool("verify", "--key", wrong, "--repair", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "removed            0\n"));
    run = run_tool(
            "verify", "--key", key, "--repair", "--unsigned", "--json", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"unsigned\": 1,"));
    EXPECT_NOT_NULL(strstr(run->out, "\"removed\": 1,"));
    EXPECT_EQ(exit_ok, run_tool("verify", "--key", key, NULL)->code);
    EXPECT_EQ(1, count_entries("store"));
    run = run_tool("verify", "--key", in_test("none"), NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "/none: "));
    for (int i = 0; i < 3; i++)
        made_fini(&m[i]);
}

TEST_SAMPLE_STORE(ToolVerify, NamesEntriesWhoseIdIsLostByTheirPlace)
{
    char key_file[path_size];
    snprintf(key_file, sizeof key_file, "%s", blob_file("store", &s->made[1]));
    memcpy(strstr(key_file, "/kernel.bin"), "/key.bin", 9);
    write_whole(key_file, "", 0);
    static const char *const commands[] = {"list", "stats"};
    for (int i = 0; i < 2; i++)
        for (int quiet = 0; quiet < 2; quiet++) {
            const struct run *run =
                    run_tool(commands[i], quiet ? "--quiet" : NULL, NULL);
            EXPECT_EQ(exit_found, run->code);
            EXPECT_STR_EQ(
                    "dnnl-cache: 1 damaged: see dnnl-cache verify\n", run->err);
        }
    const struct run *run = run_tool("export", in_test("archive"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("dnnl-cache: 1 damaged: see dnnl-cache verify\n", run->err);
    run = run_tool("inspect", s->made[1].brief, NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "1 damaged: see dnnl-cache verify\n"));
    run = run_tool("verify", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "damaged  -  "));
    EXPECT_NOT_NULL(strstr(run->out, "/0  changed after"));
}

/* ---- A pack -------------------------------------------------------------- */

/* Damage to a page of the database, at a byte. */
static void damage_pack(const char *path, size_t at)
{
    size_t size;
    uint8_t *bytes = read_whole(path, &size);
    ASSERT_GT(size, at + 50);
    memset(bytes + at, 0, 50);
    write_whole(path, bytes, size);
    ASSERT_EQ(0, chmod(path, 0600));
    free(bytes);
}

TEST_SAMPLE_STORE(ToolPack, DamagedAsAWholeIsOnlyRepaired)
{
    static const char *const commands[][4] = {{"list"}, {"stats"},
            {"--quiet", "list"}, {"--quiet", "--json", "stats"},
            {"export", "/dev/null"}, {"inspect", "aa"}, {"why", "aa"},
            {"evict", "--to", "1G"}, {"gc", "--older-than", "9w"},
            {"clear", "--yes"}};
    static const size_t places[] = {100, 2 * 8192}; /* schema, entries */
    char archive[path_size];
    char pack[path_size];
    snprintf(archive, sizeof archive, "%s", in_test("archive"));
    snprintf(pack, sizeof pack, "%s", in_test("a.pack"));
    ASSERT_EQ(exit_ok, run_tool("export", archive, NULL)->code);
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        size_t size_now;
        (void)remove(pack);
        ASSERT_EQ(exit_ok, run_bare("--store", pack, "--type=pack", "import",
                                   archive, NULL)
                                   ->code);
        damage_pack(pack, places[i]);
        uint8_t *bytes = read_whole(pack, &size);
        for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
            const char *const *a = commands[c];
            const struct run *run =
                    run_bare("--store", pack, a[0], a[1], a[2], a[3], NULL);
            EXPECT_EQ(exit_store, run->code);
            EXPECT_STR_EQ("", run->out);
            EXPECT_STR_EQ(text_of("dnnl-cache: %s: the whole store is damaged "
                                  "(dnnl-cache verify --repair empties it)\n",
                                  pack),
                    run->err);
        }
        const struct run *run =
                run_bare("--store", pack, "import", archive, NULL);
        EXPECT_EQ(exit_store, run->code);
        run = run_bare("--store", pack, "verify", NULL);
        EXPECT_EQ(exit_found, run->code);
        EXPECT_NOT_NULL(strstr(run->out, "damaged  -  database/"));
        EXPECT_STR_EQ("dnnl-cache: the whole store is damaged: dnnl-cache "
                      "verify --repair empties it\n",
                run_bare("--store", pack, "verify", "--quiet", NULL)->err);
        run = run_bare("--store", pack, "verify", NULL);
        EXPECT_NOT_NULL(strstr(run->out, "damaged            1\n"));
        uint8_t *now = read_whole(pack, &size_now);
        EXPECT_BYTES_EQ(bytes, size, now, size_now);
        free(now);
        free(bytes);
        run = run_bare("--store", pack, "verify", "--repair", NULL);
        EXPECT_EQ(exit_found, run->code);
        EXPECT_NOT_NULL(strstr(run->out, "damaged            1\n"));
        EXPECT_NOT_NULL(strstr(run->out, "removed            1\n"));
        EXPECT_EQ(exit_ok, run_bare("--store", pack, "verify", NULL)->code);
        EXPECT_EQ(exit_ok, run_bare("--store", pack, "list", NULL)->code);
    }
}

TEST_SAMPLE_STORE(ToolInspect, TellsOfADamagedEntry)
{
    flip_byte(blob_file("store", &s->made[2]), 20);
    const struct run *run = run_tool("inspect", s->made[2].brief, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(
            strstr(run->out, "blob            cache_blob_corrupt\nbecause      "
                             "   changed after it was written\n"));
    EXPECT_NOT_NULL(strstr(run->out, "driver_version      2.0\n"));
}

/* The one list of the store is called what it is. */
static void expect_named_working_set(void)
{
    char name[catalog_short_digits + 1] = "";
    const struct run *run = run_tool("list", NULL);
    const char *kind = strstr(run->out, "  working set  ");
    EXPECT_NOT_NULL(kind);
    EXPECT_NULL(strstr(run->out, "unknown"));
    if (kind == NULL) return;
    memcpy(name, kind - catalog_short_digits, catalog_short_digits);
    run = run_tool("inspect", name, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_NOT_NULL(strstr(run->out, "working set\n"));
    run = run_tool("--json", "inspect", name, NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"kind\": \"working set\""));
    run = run_tool("stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "  working set\n"));
    EXPECT_NULL(strstr(run->out, "unknown"));
    run = run_tool("stats", "--prometheus", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "kind=\"working set\"} 1\n"));
    EXPECT_NOT_NULL(strstr(run->out, "kind=\"unknown\"} 0\n"));
    EXPECT_NULL(strstr(run->out, "device=\"\""));
    run = run_tool("--json", "stats", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"kind\": \"working set\""));
    EXPECT_NULL(strstr(run->out, "\"device\": \"\""));
}

/* The list of a working set is an entry, too, and no blob of the library's. */
TEST_SAMPLE_STORE(ToolVerify, ListsOfWorkingSetsAreIntact)
{
    dnnl_cache_store_handle_t *store = open_test_store("store");
    struct dnnl_cache_store_working_set_options options =
            DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
    struct dnnl_cache_store_working_set *set = NULL;
    options.store = dnnl_cache_store_get_callbacks(store);
    options.application = "app";
    EXPECT_OK(dnnl_cache_store_working_set_open(&set, &options));
    const dnnl_cache_store_t *c = dnnl_cache_store_working_set_callbacks(set);
    const uint8_t *blob;
    size_t size;
    EXPECT_OK(c->get(c->user, s->made[1].id_size, s->made[1].id, &size, &blob));
    c->release(c->user, size, blob);
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    dnnl_cache_store_working_set_close(set);
    dnnl_cache_store_close(store);
    const struct run *run = run_tool("verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "intact             4\n"));
    EXPECT_EQ(exit_ok, run_tool("list", "--long", NULL)->code);
    expect_named_working_set();
    run = run_tool("export", in_test("archive"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(
            run->out, " 0 skipped; lists of working sets that stay here: 1\n"));
    run = run_bare(
            "import", in_test("archive"), "--store", in_test("other"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    /* The list stays, because the next start there makes its own. */
    EXPECT_EQ(sample_entries, count_entries("other"));
    /* Between stores of one fleet it goes along. */
    run = run_bare("copy", in_test("store"), in_test("copy"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_EQ(sample_entries + 1, count_entries("copy"));
    store = open_test_store("other");
    /* One whose bytes are not a list is foreign. */
    const dnnl_cache_store_t *in = dnnl_cache_store_get_callbacks(store);
    static const char id[] = "dnnl-cache working set\0other";
    EXPECT_OK(in->put(in->user, sizeof id, (const uint8_t *)id, 5,
            (const uint8_t *)"bytes", NULL));
    dnnl_cache_store_close(store);
    run = run_bare("verify", "--store", in_test("other"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "a damaged working set"));
}
