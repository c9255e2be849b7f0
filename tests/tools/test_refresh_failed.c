/* SPDX-License-Identifier: Apache-2.0 */
/* Builds that fail each time, which the layer keeps: what dnnl-cache does with
 * them. */
#include "failed_records.h"
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { minute = 61, day = 86400 };

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* The fake driver fails for a text of its own, which is in no ID. */
static void be_wrong(bool is_wrong)
{
    use_variable("FAKE_OPENCL_OWN_HEADER",
            is_wrong ? "#error no such thing\n" : NULL);
}

/* A store without entries, and a failure beside it that is kept. */
static void keep_failure(void)
{
    use_fake(true);
    be_wrong(true);
    use_variable("FAKE_OPENCL_ERROR_PLACE", "input.cl:1:2: ");
    use_variable("DNNL_CACHE_FAILED_BUILDS", "1");
    EXPECT_EQ(1, run_under_layer(1).code);
    EXPECT_EQ(1, (long long)failed_records_age(store_path(), minute));
    EXPECT_EQ(1, run_under_layer(1).code);
    use_variable("DNNL_CACHE_FAILED_BUILDS", NULL);
    ASSERT_EQ(1,
            (long long)failed_records_count(store_path(), failed_record_kept));
    EXPECT_EQ(1, (long long)failed_records_count_notes(store_path()));
    EXPECT_EQ(0, (long long)count_entries("store"));
}

TEST_C(RefreshFailed, AreTriedAgain)
{
    keep_failure();
    struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "of failed builds: 1 fail as before, 0 compile now\n");
    EXPECT_TRUE(strstr(run.err, "failed") == NULL);
    EXPECT_EQ(1,
            (long long)failed_records_count(store_path(), failed_record_kept));
    be_wrong(false);
    run = run_refresh("--jobs", "1", "--json", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "\"failed_builds_failing\": 0,");
    expect_has(run.out, "\"failed_builds_forgotten\": 1,");
    EXPECT_EQ(0, (long long)failed_records_count(store_path(), 0));
    EXPECT_EQ(0, (long long)failed_records_count_notes(store_path()));
    EXPECT_EQ(1, (long long)count_entries("store"));
    /* Once. */
    run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(strstr(run.out, "failed builds") == NULL);
}

/* Nobody waits for it beside a command. */
TEST_C(RefreshFailed, AreLeftByARefreshOfTheJournal)
{
    keep_failure();
    be_wrong(false);
    const struct outcome run = run_refresh("--journal-only", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(1,
            (long long)failed_records_count(store_path(), failed_record_kept));
    EXPECT_EQ(0, (long long)count_entries("store"));
}

TEST_C(RefreshFailed, AreRemovedWhenTheyAreOld)
{
    keep_failure();
    EXPECT_EQ(1, (long long)failed_records_age(store_path(), 8 * day));
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_EQ(0, (long long)failed_records_count(store_path(), 0));
    EXPECT_EQ(0, (long long)failed_records_count_notes(store_path()));
    EXPECT_EQ(0, (long long)count_entries("store"));
}

TEST_C(RefreshFailed, AreCountedAndNotListed)
{
    keep_failure();
    struct outcome run =
            run_program("stats", "--json", "--store", store_path(), NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "\"failed_builds\": 1,");
    expect_has(run.out, "\"failed_once\": 0,");
    expect_has(run.out, "\"entries\": 0,");
    run = run_program("stats", "--store", store_path(), NULL);
    expect_has(run.out, "failed builds");
    run = run_program("list", "--json", "--store", store_path(), NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(strstr(run.out, "failed") == NULL);
    /* An archive has entries alone. */
    char archive[path_size];
    (void)snprintf(archive, sizeof archive, "%s", in_test("archive"));
    EXPECT_EQ(0,
            run_program("export", "--store", store_path(), archive, NULL).code);
    EXPECT_EQ(
            0, run_program("import", "--store", in_test("other"), archive, NULL)
                       .code);
    EXPECT_EQ(0, (long long)failed_records_count(in_test("other"), 0));
}

TEST_C(RefreshFailed, LeaveWithTheStoreAndWithTime)
{
    keep_failure();
    EXPECT_EQ(0, run_program("gc", "--older-than", "1d", "--store",
                         store_path(), NULL)
                         .code);
    EXPECT_EQ(1, (long long)failed_records_count(store_path(), 0));
    EXPECT_EQ(1, (long long)failed_records_age(store_path(), 2 * day));
    EXPECT_EQ(0, run_program("gc", "--older-than", "1d", "--store",
                         store_path(), NULL)
                         .code);
    EXPECT_EQ(0, (long long)failed_records_count(store_path(), 0));
    EXPECT_EQ(0, (long long)failed_records_count_notes(store_path()));
}

TEST_C(RefreshFailed, AreCleared)
{
    keep_failure();
    EXPECT_EQ(0,
            run_program("clear", "--yes", "--store", store_path(), NULL).code);
    EXPECT_EQ(0, (long long)failed_records_count(store_path(), 0));
    EXPECT_EQ(0, (long long)failed_records_count_notes(store_path()));
}

static void spoil(uint8_t *record, size_t *size)
{
    (void)size;
    record[0] ^= 1;
}

TEST_C(RefreshFailed, AreVerified)
{
    keep_failure();
    EXPECT_EQ(0, run_program("verify", "--store", store_path(), NULL).code);
    EXPECT_EQ(1, (long long)failed_records_change(store_path(), spoil));
    struct outcome run =
            run_program("verify", "--json", "--store", store_path(), NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "\"failed_builds_damaged\": 1,");
    run = run_program("verify", "--repair", "--store", store_path(), NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "failed builds damaged");
    EXPECT_EQ(0, run_program("verify", "--store", store_path(), NULL).code);
}
