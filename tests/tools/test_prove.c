/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache prove: finds every entry that is not what the driver makes of its
 * program, and none that is. */
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include "src/blob/reader.h"
#include "src/blob/writer.h"

#include <dnnl_cache/store.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { no_platform = 77, nothing_proved = 6 };

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* ---- Stores -------------------------------------------------------------- */

/* The client under the layer, which keeps what it compiles; what it builds is
 * recorded. */
static struct outcome fill(const char *name, int count)
{
    static char record[path_size];
    snprintf(record, sizeof record, "%s", in_test(text_of("%s.record", name)));
    use_variable("DNNL_CACHE_RECORD", record);
    const struct outcome run = run_and_keep(name, count);
    use_variable("DNNL_CACHE_RECORD", NULL);
    return run;
}

/* What it has not kept. */
static void complete(const char *name)
{
    char record[path_size];
    char store[path_size];
    snprintf(record, sizeof record, "%s", in_test(text_of("%s.record", name)));
    snprintf(store, sizeof store, "%s", in_test(name));
    const struct outcome run = run_program("replay", record, "--store", store,
            "--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_EQ(0, run.code);
}

static struct outcome prove(const char *name, const char *option)
{
    char record[path_size];
    char store[path_size];
    snprintf(record, sizeof record, "%s", in_test(text_of("%s.record", name)));
    snprintf(store, sizeof store, "%s", in_test(name));
    return run_program("prove", "--layer", DNNL_CACHE_TEST_LAYER, "--record",
            record, store, option, NULL);
}

/* The entry of a program that was built at once, with another ID than one. */
struct copy {
    const struct copy *other; /* NULL: any */
    uint8_t *id, *blob;
    size_t id_size, size;
    dnnl_cache_store_handle_t *store;
};

static bool has_text(
        const struct dnnl_cache_store_entry *item, const char *text)
{
    return memmem(item->id, item->id_size, text, strlen(text)) != NULL;
}

static bool is_of(const struct copy *copy, size_t id_size, const uint8_t *id)
{
    return copy != NULL && copy->id_size == id_size
           && memcmp(copy->id, id, id_size) == 0;
}

static bool take_entry(void *user, const struct dnnl_cache_store_entry *item)
{
    struct copy *copy = user;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(copy->store);
    const uint8_t *blob;
    size_t size;
    if (item->kind != dnnl_cache_blob_kind_program || has_text(item, "compiled")
            || has_text(item, "linked")
            || is_of(copy->other, item->id_size, item->id)
            || s->get(s->user, item->id_size, item->id, &size, &blob)
                       != dnnl_success)
        return true;
    copy->id = memcpy(malloc(item->id_size), item->id, item->id_size);
    copy->id_size = item->id_size;
    copy->blob = memcpy(malloc(size), blob, size);
    copy->size = size;
    s->release(s->user, size, blob);
    return false;
}

static struct copy copy_of(const char *store, const struct copy *other)
{
    struct copy copy = {.other = other, .store = open_test_store(store)};
    EXPECT_OK(dnnl_cache_store_iterate(copy.store, take_entry, &copy));
    dnnl_cache_store_close(copy.store);
    EXPECT_TRUE(copy.blob != NULL);
    return copy;
}

static void copy_fini(struct copy *copy)
{
    free(copy->id);
    free(copy->blob);
}

/* The blob of one ID as if it had been made for the other: what a cache that
 * lacks an ingredient has. The caller frees it. */
static uint8_t *under_id(
        const struct copy *what, const struct copy *id, size_t *size)
{
    struct blob_view view;
    struct blob_program program;
    struct blob_kernel kernels[8];
    EXPECT_OK(blob_read(&view, what->blob, what->size, NULL));
    EXPECT_EQ(1, (long long)view.program_count);
    EXPECT_OK(blob_view_program(&view, 0, &program));
    program.id = id->id;
    program.id_size = id->id_size;
    EXPECT_LE((long long)view.kernel_count, (long long)COUNT(kernels));
    for (uint32_t i = 0; i < view.kernel_count && i < COUNT(kernels); i++)
        EXPECT_OK(blob_view_kernel(&view, i, &kernels[i]));
    const struct blob_contents contents = {.kind = view.kind,
            .id = id->id,
            .id_size = id->id_size,
            .programs = &program,
            .program_count = 1,
            .kernels = kernels,
            .kernel_count = view.kernel_count,
            .user_data = view.user_data,
            .user_data_size = view.user_data_size};
    *size = 0;
    EXPECT_OK(blob_write(&contents, NULL, 0, size));
    uint8_t *blob = malloc(*size);
    EXPECT_OK(blob_write(&contents, blob, *size, size));
    return blob;
}

static void put_blob(const char *store_name, const struct copy *id, size_t size,
        const uint8_t *blob)
{
    dnnl_cache_store_handle_t *store = open_test_store(store_name);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.kind = dnnl_cache_blob_kind_program;
    EXPECT_OK(s->remove(s->user, id->id_size, id->id));
    EXPECT_OK(s->put(s->user, id->id_size, id->id, size, blob, &metadata));
    dnnl_cache_store_close(store);
}

/* Puts what the store "other" has in place of what "store" has. */
static void blind(void)
{
    size_t size;
    struct copy id = copy_of("store", NULL);
    struct copy what = copy_of("other", &id);
    ASSERT_TRUE(what.blob != NULL && id.blob != NULL);
    uint8_t *blob = under_id(&what, &id, &size);
    put_blob("store", &id, size, blob);
    free(blob);
    copy_fini(&what);
    copy_fini(&id);
}

/* The blind entry is told, with what its ID may lack, and removed. */
static void expect_found(const char *may_lack)
{
    const long long before = (long long)count_entries("store");
    const struct outcome run = prove("store", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "differed 1");
    /* What drivers print comes before. */
    const char *said = strstr(run.err, " is NOT ");
    expect_has(said != NULL ? said : run.err, may_lack);
    expect_has(run.err, "was removed");
    EXPECT_EQ(before - 1, (long long)count_entries("store"));
    expect_no_temporary();
}

/* ---- On PoCL: wrong hits ------------------------------------------------- */

static bool fill_both(const char *variable, const char *other, const char *own)
{
    use_variable(variable, other);
    struct outcome run = fill("other", 1);
    if (run.code == no_platform) return false;
    EXPECT_EQ(0, run.code);
    use_variable(variable, own);
    run = fill("store", 1);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(1, (long long)count_entries("store"));
    return true;
}

TEST_C(Prove, FindsAnotherMacro)
{
    use_fake(false);
    if (!fill_both("REFRESH_CLIENT_FOLDERS", "-DBASE=3", NULL))
        SKIP_TEST("PoCL is not here");
    blind();
    expect_found("a header");
}

TEST_C(Prove, FindsAnotherHeader)
{
    char options[path_size + 8];
    static const char *const texts[] = {"#undef BASE\n#define BASE 7\n", "\n"};
    static const char *const stores[] = {"other", "store"};
    use_fake(false);
    (void)mkdir(in_test("headers"), 0700);
    snprintf(options, sizeof options, "-I %s", in_test("headers"));
    use_variable("REFRESH_CLIENT_FOLDERS", options);
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    for (size_t i = 0; i < COUNT(texts); i++) {
        write_whole(in_test("headers/header.h"), texts[i], strlen(texts[i]));
        const struct outcome run = fill(stores[i], 1);
        if (run.code == no_platform) SKIP_TEST("PoCL is not here");
        ASSERT_EQ(0, run.code);
    }
    blind();
    expect_found("a header");
}

TEST_C(Prove, FindsAnotherVariable)
{
    use_fake(false);
    if (!fill_both("POCL_WILOOPS_MAX_UNROLL_COUNT", "16", NULL))
        SKIP_TEST("PoCL is not here");
    blind();
    expect_found("an environment variable, a file of the driver");
}

TEST_C(Prove, FindsAnotherDriversBinary)
{
    use_fake(true);
    ASSERT_EQ(0, fill("other", 1).code);
    use_fake(false);
    const struct outcome run = fill("store", 1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    blind();
    expect_found("the build of the driver");
}

TEST_C(Prove, FindsAnotherSource)
{
    use_fake(false);
    struct outcome run = fill("other", 3);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    complete("other");
    ASSERT_EQ(0, fill("store", 1).code);
    blind();
    expect_found("a header");
}

/* ---- On PoCL: right stores ----------------------------------------------- */

/* The counts of the last line. */
static void expect_all_proved(const struct outcome *run, int count)
{
    if (run->code != 0) fprintf(stderr, "%s%s", run->out, run->err);
    EXPECT_EQ(0, run->code);
    expect_has(run->out,
            text_of("%d programs: proved %d, differed 0;", count, count));
}

TEST_C(Prove, FindsNothingInWhatAnApplicationKept)
{
    use_fake(false);
    struct outcome run = fill("store", 1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = prove("store", NULL);
    expect_all_proved(&run, 1);
    /* Not again soon. */
    run = prove("store", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "proved 0, differed 0, 1 proved before");
    run = prove("store", "--again");
    expect_all_proved(&run, 1);
}

TEST_C(Prove, FindsNothingInBuiltCompiledAndLinkedPrograms)
{
    use_fake(false);
    struct outcome run = fill("store", 4);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    complete("store");
    EXPECT_EQ(6, (long long)count_entries("store"));
    run = prove("store", NULL);
    EXPECT_EQ(0, run.code);
    /* Of objects there is intermediate code alone, which may not compare. */
    expect_has(run.out, "6 programs: proved ");
    expect_has(run.out, ", differed 0");
    EXPECT_NULL(strstr(run.out, "never launched"));
    EXPECT_NULL(strstr(run.out, "not compiled"));
    EXPECT_NULL(strstr(run.out, "refused"));
}

/* What the library keeps for an application, and what refresh has made. */
TEST_C(Prove, FindsNothingInWhatTheLibraryAndRefreshKept)
{
    char record[path_size];
    snprintf(record, sizeof record, "%s", in_test("store.record"));
    use_fake(false);
    use_variable("DNNL_CACHE_RECORD", record);
    struct outcome run = run_client("run", 2);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    use_variable("DNNL_CACHE_RECORD", NULL);
    run = run_refresh("--quiet", NULL);
    EXPECT_EQ(0, run.code);
    run = prove("store", NULL);
    expect_all_proved(&run, 2);
    use_variable("DNNL_CACHE_RECORD", record);
    EXPECT_EQ(0, run_under_layer(2).code);
    use_variable("DNNL_CACHE_RECORD", NULL);
    run = run_refresh("--quiet", NULL);
    EXPECT_EQ(0, run.code);
    run = prove("store", "--again");
    EXPECT_EQ(0, run.code);
    /* Of an object there is intermediate code alone, which may not compare. */
    expect_has(run.out,
            text_of("%d programs: proved ", (int)count_entries("store")));
    expect_has(run.out, ", differed 0");
}

/* ---- On a driver that compiles at once ----------------------------------- */

/* Kept, and recorded. */
static void fill_on_fake(int count)
{
    use_fake(true);
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    ASSERT_EQ(0, fill("store", count).code);
    use_variable("DNNL_CACHE_CAPTURE_NOW", NULL);
}

TEST_C(Prove, ComparesBytesOfOtherDrivers)
{
    struct outcome run;
    fill_on_fake(2);
    const int count = (int)count_entries("store");
    EXPECT_EQ(3, count);
    run = prove("store", NULL);
    expect_all_proved(&run, count);
    use_variable("REFRESH_CLIENT_FOLDERS", "-DBASE=3");
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    ASSERT_EQ(0, fill("other", 1).code);
    blind();
    run = prove("store", "--again");
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "differed 1");
    expect_has(run.err, "was removed");
    EXPECT_EQ(count - 1, (long long)count_entries("store"));
}

TEST_C(Prove, CountsNothingWithoutARecordAsProved)
{
    fill_on_fake(2);
    struct outcome run = run_program("prove", "--layer", DNNL_CACHE_TEST_LAYER,
            "--store", store_path(), NULL);
    EXPECT_EQ(nothing_proved, run.code);
    expect_has(run.out, "3 programs: proved 0, differed 0, 3 no record");
    run = prove("store", "--json");
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(json_is_valid(run.out, strlen(run.out)));
    expect_has(run.out, "\"proved\": 3");
    expect_has(run.out, "\"no_record\": 0");
    /* Of another driver. */
    use_variable("FAKE_OPENCL_DRIVER_VERSION", "another");
    run = prove("store", NULL);
    EXPECT_EQ(nothing_proved, run.code);
    expect_has(run.out, "3 of a driver that is not here");
}

TEST_C(Prove, TakesAsManyAsItIsTold)
{
    fill_on_fake(6);
    struct outcome run = prove("store", "--limit=2");
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "proved 2, differed 0, 7 not tried");
    run = prove("store", "--limit=100");
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "proved 7, differed 0, 2 proved before");
    run = run_program("stats", "--store", store_path(), NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "proved");
    expect_has(run.out, "9");
}

/* Whoever may not remove what differs is told. */
TEST_C(Prove, RemovesNothingOfASharedStoreOrIfItIsToldSo)
{
    fill_on_fake(1);
    use_variable("REFRESH_CLIENT_FOLDERS", "-DBASE=3");
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    ASSERT_EQ(0, fill("other", 1).code);
    /* Before the proofs: an entry that is put later is another one. */
    set_clock(TEST_EPOCH_NS / 4);
    blind();
    static const char *const options[] = {"--shared", "--keep"};
    for (size_t i = 0; i < COUNT(options); i++) {
        const struct outcome run = prove("store", options[i]);
        EXPECT_EQ(1, run.code);
        expect_has(run.err, "still there");
        EXPECT_EQ(1, (long long)count_entries("store"));
    }
    /* Told twice, it is one all the same. */
    const struct outcome stats =
            run_program("stats", "--store", store_path(), "--json", NULL);
    expect_has(stats.out, "\"differed\": 1");
}

TEST_C(Prove, LeavesTheStoreWhenItIsKilled)
{
    char record[path_size];
    fill_on_fake(6);
    snprintf(record, sizeof record, "%s", in_test("store.record"));
    use_variable("FAKE_OPENCL_BUILD_MS", "40");
    const pid_t pid = start_program("prove", "--layer", DNNL_CACHE_TEST_LAYER,
            "--record", record, store_path(), NULL);
    ASSERT_TRUE(pid > 0);
    while (access(in_test("store/layer/proofs"), F_OK) != 0
            && kill(pid, 0) == 0)
        usleep(1000);
    kill(pid, SIGKILL);
    EXPECT_EQ(128 + SIGKILL, end_refresh(pid).code);
    EXPECT_EQ(9, (long long)count_entries("store"));
    EXPECT_EQ(0, run_program("verify", "--store", store_path(), NULL).code);
    const struct outcome run = prove("store", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "proved before");
    expect_no_temporary();
}

/* It says nothing of the entry, which is not passed over then. */
TEST_C(Prove, RemembersNothingOfAWorkerThatDied)
{
    char record[path_size];
    fill_on_fake(1);
    snprintf(record, sizeof record, "%s", in_test("store.record"));
    use_variable("FAKE_OPENCL_BUILD_MS", "1000");
    const pid_t pid = start_program("prove", "--layer", DNNL_CACHE_TEST_LAYER,
            "--record", record, store_path(), NULL);
    ASSERT_TRUE(pid > 0);
    const pid_t worker = find_worker(pid);
    ASSERT_TRUE(worker > 0);
    EXPECT_EQ(0, kill(worker, SIGKILL));
    const struct outcome run = end_refresh(pid);
    EXPECT_EQ(nothing_proved, run.code);
    expect_has(run.out, "the worker process died");
    EXPECT_NE(0, access(in_test("store/layer/proofs"), F_OK));
}

/* ---- In refresh ---------------------------------------------------------- */

/* As if the entry had been put long ago. */
static void make_old(void)
{
    struct copy copy = copy_of("store", NULL);
    set_clock(TEST_EPOCH_NS / 4);
    put_blob("store", &copy, copy.size, copy.blob);
    copy_fini(&copy);
}

/* Where refresh finds it. */
static void put_record_beside(void)
{
    ASSERT_EQ(0, mkdir(in_test("store/layer"), 0700) == 0
                         ? 0
                         : access(in_test("store/layer"), F_OK));
    ASSERT_EQ(
            0, rename(in_test("store.record"), in_test("store/layer/record")));
}

TEST_C(Prove, OfRefreshPassesOverWhatDifferedAndStays)
{
    static char state[path_size];
    snprintf(state, sizeof state, "%s", in_test("state"));
    fill_on_fake(1);
    use_variable("XDG_STATE_HOME", state);
    use_variable("REFRESH_CLIENT_FOLDERS", "-DBASE=3");
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    ASSERT_EQ(0, fill("other", 1).code);
    use_variable("DNNL_CACHE_CAPTURE_NOW", NULL);
    set_clock(TEST_EPOCH_NS / 4);
    blind();
    EXPECT_EQ(1, prove("store", "--keep").code);
    put_record_beside();
    const struct outcome run =
            run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_NULL(strstr(run.err, "differed"));
    EXPECT_EQ(1, (long long)count_entries("store"));
}

TEST_C(Prove, OfRefreshHasABudget)
{
    static char state[path_size];
    snprintf(state, sizeof state, "%s", in_test("state"));
    fill_on_fake(1);
    use_variable("XDG_STATE_HOME", state);
    put_record_beside();
    /* It is as good as new. */
    struct outcome run = run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_NULL(strstr(run.err, "proved"));
    make_old();
    use_variable("DNNL_CACHE_PROVE_PERCENT", "0");
    run = run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_NULL(strstr(run.err, "proved"));
    use_variable("DNNL_CACHE_PROVE_PERCENT", NULL);
    run = run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "proved 1, differed 0");
    EXPECT_EQ(0, access(in_test("state/dnnl_cache/prove_time"), F_OK));
    /* Once. */
    run = run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_NULL(strstr(run.err, "proved"));
}
