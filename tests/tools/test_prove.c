/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache prove: finds every entry that is not what the driver makes of its
 * program, and none that is. */
#include "prove_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include "tools/common/state/state_lines.h"
#include "tools/dnnl_cache/prove/prove_budget.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A program that is built, and one that is compiled and linked, with NULL: a
 * record has "" for that, with which PoCL has no argument info. */
TEST_C(Prove, FindsNothingInWhatWasBuiltWithNoOptions)
{
    use_fake(false);
    use_variable("REFRESH_CLIENT_NO_OPTIONS", "1");
    struct outcome run = fill("store", 2);
    use_variable("REFRESH_CLIENT_NO_OPTIONS", NULL);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = prove("store", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "3 programs: proved 2, differed 0, 1 not comparable;");
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

/* Has a proof been noted? The file is made before. */
static bool has_proofs(void)
{
    struct stat st;
    return stat(in_test("store/layer/proofs"), &st) == 0 && st.st_size > 0;
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
    while (!has_proofs() && kill(pid, 0) == 0)
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
    expect_has(run.out, "the worker process was killed");
    expect_has(run.out, "  1 not compiled: the worker process was killed");
    EXPECT_NE(0, access(in_test("store/layer/proofs"), F_OK));
}

/* That is the program's, and a refresh does not try it each time. */
TEST_C(Prove, TellsACompilerThatCrashed)
{
    use_fake(true);
    use_variable("REFRESH_CLIENT_FATES", "1");
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    ASSERT_EQ(0, fill("store", 1).code);
    use_variable("FAKE_OPENCL_DEADLY_SOURCES", "1");
    const struct outcome run = prove("store", NULL);
    EXPECT_EQ(nothing_proved, run.code);
    expect_has(run.out, "the compiler crashed");
    EXPECT_NULL(strstr(run.out, "worker process"));
    EXPECT_EQ(0, access(in_test("store/layer/proofs"), F_OK));
    EXPECT_EQ(1, (long long)count_entries("store"));
}

/* ---- In the application: DNNL_CACHE_COMPILE_MODE=verify ------------------ */

static const char not_launched[] =
        "verify: machine code not compared, or not all of it: 1 programs (the "
        "driver has not compiled again for all launches of the entry)\n";

static struct outcome verify(int count)
{
    use_variable("DNNL_CACHE_COMPILE_MODE", "verify");
    const struct outcome run = run_and_keep("store", count);
    use_variable("DNNL_CACHE_COMPILE_MODE", NULL);
    EXPECT_EQ(0, run.code);
    return run;
}

static void expect_verified(const char *code)
{
    const struct outcome run = verify(1);
    expect_has(
            run.err, "verify: 1 programs compared, 0 differ, 0 not compared");
    expect_has(run.err, code);
}

static const char same_code[] =
        "verify: machine code compared and the same: 1 programs\n";

/* The entry that is blind is told, removed, and replaced by one that is not. */
static void expect_found_by_verify(
        const char *what, const char *may_lack, const char *code)
{
    expect_verified(code);
    blind();
    const struct outcome run = verify(1);
    expect_has(run.err, "verify: an entry is not what is compiled now (");
    expect_has(run.err, what);
    expect_has(run.err, may_lack);
    expect_has(
            run.err, "verify: 1 programs compared, 1 differ, 0 not compared");
    expect_verified(code);
}

TEST_C(ProveVerify, FindsOtherBytes)
{
    fill_on_fake(1);
    use_variable("REFRESH_CLIENT_FOLDERS", "-DBASE=3");
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    ASSERT_EQ(0, fill("other", 1).code);
    use_variable("REFRESH_CLIENT_FOLDERS", NULL);
    expect_found_by_verify(
            "(the driver's binary; its ID may lack", "a header", same_code);
}

/* The code for all launches differs; of that for the client's launches it is
 * told that it is not compared. */
TEST_C(ProveVerify, FindsOtherMachineCodeOfPocl)
{
    use_fake(false);
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    if (!fill_both("REFRESH_CLIENT_FOLDERS", "-DBASE=3", NULL))
        SKIP_TEST("PoCL is not here");
    expect_found_by_verify(
            "(machine code of ", "its ID may lack a", not_launched);
}

/* Code for launches is made by launching, and nothing is launched. */
TEST_C(ProveVerify, TellsWhatItCannotCompareOfPocl)
{
    use_fake(false);
    struct outcome run = fill("store", 1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    ASSERT_EQ(1, (long long)count_entries("store"));
    run = verify(1);
    expect_has(
            run.err, "verify: 1 programs compared, 0 differ, 0 not compared\n");
    expect_has(run.err, "verify: machine code compared and the same: 0 ");
    expect_has(run.err, not_launched);
    EXPECT_EQ(1, (long long)count_entries("store"));
}

/* ---- Another clock ------------------------------------------------------- */

/* The one proof of the store, as if it had been made so much later. */
static void move_proof(long long seconds)
{
    char name[64], build[64], text[state_line_size], line[state_line_size];
    long long when = 0;
    size_t size;
    uint8_t *old = read_whole(in_test("store/layer/proofs"), &size);
    snprintf(line, sizeof line, "%.*s", (int)size, (char *)old);
    free(old);
    ASSERT_EQ(3, sscanf(line, "p %63s %63s %lld", name, build, &when));
    snprintf(text, sizeof text, "p %s %s %lld", name, build, when + seconds);
    const size_t line_size = state_line_make(line, text);
    ASSERT_TRUE(line_size > 0);
    write_whole(in_test("store/layer/proofs"), line, line_size);
}

/* Else a proof by a clock that was years ahead would be the last one. */
TEST_C(Prove, CountsAProofOfALaterDayNoLongerThanOneOfToday)
{
    enum { day = 86400 };
    fill_on_fake(1);
    EXPECT_EQ(0, prove("store", NULL).code);
    move_proof(2 * day);
    struct outcome run = prove("store", NULL);
    expect_has(run.out, "proved 0, differed 0, 1 proved before");
    move_proof(400 * day);
    run = prove("store", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "proved 1, differed 0");
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

/* Both would spend what is left of the day. */
TEST_C(Prove, OfRefreshLeavesItToTheOneThatProves)
{
    static char state[path_size];
    snprintf(state, sizeof state, "%s", in_test("state"));
    fill_on_fake(1);
    use_variable("XDG_STATE_HOME", state);
    put_record_beside();
    make_old();
    const char *before = getenv("XDG_STATE_HOME");
    EXPECT_EQ(0, setenv("XDG_STATE_HOME", state, 1)); /* of this process */
    const int held = prove_budget_hold();
    EXPECT_TRUE(held >= 0);
    EXPECT_TRUE(prove_budget_hold() < 0);
    if (before == NULL)
        EXPECT_EQ(0, unsetenv("XDG_STATE_HOME"));
    else
        EXPECT_EQ(0, setenv("XDG_STATE_HOME", before, 1));
    struct outcome run = run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_NULL(strstr(run.err, "proved"));
    prove_budget_let_go(held);
    run = run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "proved 1, differed 0");
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
