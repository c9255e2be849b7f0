/* SPDX-License-Identifier: Apache-2.0 */
/* copy, lists of IDs and seeds; stores on disk only. */
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/tiers.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct copy_places {
    char from[path_size];
    char to[path_size];
    char file[path_size];
};

static struct copy_places places(void)
{
    struct copy_places p;
    snprintf(p.from, sizeof p.from, "%s", in_test("store"));
    snprintf(p.to, sizeof p.to, "%s", in_test("other"));
    snprintf(p.file, sizeof p.file, "%s", in_test("file"));
    return p;
}

/* ---- copy ---------------------------------------------------------------- */

TEST_SAMPLE_STORE(ToolCopy, CopiesWhatTheOtherStoreLacks)
{
    const struct copy_places p = places();
    const struct run *run = run_bare("copy", p.from, p.to, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(
            "3 copied with 1.1 KiB, 0 already there, 0 skipped\n", run->out);
    dnnl_cache_store_handle_t *store = open_test_store("other");
    const dnnl_cache_store_t *c = dnnl_cache_store_get_callbacks(store);
    for (int i = 0; i < sample_entries; i++)
        EXPECT_OK(get_made(store, &s->made[i]));
    EXPECT_OK(c->remove(c->user, s->made[1].id_size, s->made[1].id));
    dnnl_cache_store_close(store);
    /* As after an interruption. */
    run = run_bare("copy", p.from, p.to, "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"copied\": 1"));
    EXPECT_NOT_NULL(strstr(run->out, "\"unchanged\": 2"));
    EXPECT_EQ(3, count_entries("other"));
}

TEST_SAMPLE_STORE(ToolCopy, SkipsWhatIsDamaged)
{
    const struct copy_places p = places();
    flip_byte(blob_file("store", &s->made[2]), 70);
    const struct run *run = run_bare("copy", p.from, p.to, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "2 copied"));
    EXPECT_NOT_NULL(strstr(run->out, "1 skipped"));
    EXPECT_EQ(2, count_entries("other"));
}

TEST_SAMPLE_STORE(ToolCopy, RefusesWhatIsNoStore)
{
    const struct copy_places p = places();
    EXPECT_EQ(
            exit_store, run_bare("copy", in_test("nothing"), p.to, NULL)->code);
    EXPECT_FALSE(exists(p.to));
    write_whole(p.file, "x", 1);
    EXPECT_EQ(exit_store, run_bare("copy", p.from, p.file, NULL)->code);
    EXPECT_EQ(exit_usage, run_tool("copy", p.from, p.to, NULL)->code);
    EXPECT_EQ(exit_usage, run_bare("copy", p.from, NULL)->code);
    EXPECT_EQ(exit_usage, run_bare("copy", p.from, p.from, NULL)->code);
    EXPECT_EQ(exit_usage,
            run_bare("copy", p.from, in_test("./store"), NULL)->code);
}

/* ---- Lists of IDs -------------------------------------------------------- */

TEST_SAMPLE_STORE(ToolIdList, NamesTheEntries)
{
    const struct copy_places p = places();
    const struct run *run = run_tool("list", "--ids", NULL);
    EXPECT_EQ(exit_ok, run->code);
    /* The first line alone, and an empty one, and one of no entry. */
    const size_t line = strcspn(run->out, "\n") + 1;
    EXPECT_EQ(2 * s->made[0].id_size + 1, line);
    char *list = malloc(line + 16);
    memcpy(list, run->out, line);
    memcpy(list + line, "\n00Ff\r\n", 8);
    write_whole(p.file, list, strlen(list));
    free(list);
    run = run_bare("copy", p.from, p.to, "--id-list", p.file, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_NOT_NULL(strstr(run->out, "1 copied"));
    EXPECT_EQ(1, count_entries("other"));
    run = run_tool("stats", "--json", "--id-list", p.file, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"entries\": 1"));
    run = run_tool("export", "--id-list", p.file, in_test("archive"), NULL);
    EXPECT_NOT_NULL(strstr(run->out, "1 exported"));
}

TEST_SAMPLE_STORE(ToolIdList, ThatIsNoneIsRefused)
{
    static const char *const bad[] = {"0", "0g\n", "00\n 11\n", "00 11"};
    const struct copy_places p = places();
    for (size_t i = 0; i < COUNT(bad); i++) {
        write_whole(p.file, bad[i], strlen(bad[i]));
        const struct run *run = run_tool("list", "--id-list", p.file, NULL);
        EXPECT_EQ(exit_io, run->code);
        EXPECT_NOT_NULL(strstr(run->err, "is not an ID"));
    }
    EXPECT_EQ(exit_io,
            run_tool("list", "--id-list", in_test("nothing"), NULL)->code);
    EXPECT_EQ(exit_usage, run_tool("list", "--ids", "--json", NULL)->code);
}

/* ---- Seeds --------------------------------------------------------------- */

TEST_SAMPLE_STORE(ToolSeed, IsAStoreInOneFileThatIsOnlyRead)
{
    struct stat st;
    const struct copy_places p = places();
    char folder[path_size];
    snprintf(folder, sizeof folder, "%s", in_test("image"));
    EXPECT_EQ(0, mkdir(folder, 0755));
    char seed[path_size + 16];
    snprintf(seed, sizeof seed, "%s/seed.pack", folder);
    const struct run *run = run_tool("export", "--seed", seed, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_NOT_NULL(strstr(run->out, "3 exported"));
    EXPECT_EQ(0, stat(seed, &st));
    EXPECT_EQ(0444, st.st_mode & 0777);
    /* Nothing was left beside it, and nothing is written there. */
    EXPECT_EQ(0, chmod(folder, 0555));
    struct dnnl_cache_store_options local = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_tiers layers = DNNL_CACHE_STORE_TIERS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    layers.seed = seed;
    local.path = p.to;
    layers.local = &local;
    ASSERT_OK(dnnl_cache_store_open_tiers(&store, &layers));
    for (int i = 0; i < sample_entries; i++)
        EXPECT_OK(get_made(store, &s->made[i]));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, count_entries("other"));
    EXPECT_EQ(0, chmod(folder, 0755));
    EXPECT_EQ(0, unlink(seed));
    EXPECT_EQ(0, rmdir(folder));
}

TEST_SAMPLE_STORE(ToolSeed, TakesThePlaceOfAnOldOne)
{
    const struct copy_places p = places();
    write_whole(p.file, "old", 3);
    EXPECT_EQ(exit_ok, run_tool("export", "--seed", p.file, NULL)->code);
    const struct run *run = run_bare("--store", p.file, "verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "intact             3"));
    EXPECT_EQ(exit_usage, run_tool("export", "--seed", "-", NULL)->code);
    EXPECT_EQ(exit_io,
            run_tool("export", "--seed", in_test("no/where"), NULL)->code);
}

TEST_SAMPLE_STORE(ToolSeed, IsSignedWithTheSecretKeyOfAPair)
{
    char secret[path_size];
    char public[path_size];
    char others[path_size];
    const struct copy_places p = places();
    snprintf(secret, sizeof secret, "%s", in_test("secret"));
    snprintf(public, sizeof public, "%s", in_test("public"));
    snprintf(others, sizeof others, "%s", in_test("public2"));
    EXPECT_EQ(
            exit_ok, run_bare("key", "make-pair", secret, public, NULL)->code);
    EXPECT_EQ(exit_ok,
            run_bare("key", "make-pair", in_test("secret2"), others, NULL)
                    ->code);
    EXPECT_EQ(exit_ok,
            run_tool("export", "--seed", "--sign-key", secret, p.file, NULL)
                    ->code);
    const struct run *run =
            run_bare("--store", p.file, "--key", public, "verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "intact             3"));
    run = run_bare("--store", p.file, "--key", others, "verify", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "intact             0"));
    /* Nothing is signed with a public key, nor in an archive. */
    EXPECT_EQ(exit_io,
            run_tool("export", "--seed", "--sign-key", public, p.file, NULL)
                    ->code);
    EXPECT_EQ(exit_usage,
            run_tool("export", "--sign-key", secret, p.file, NULL)->code);
}
