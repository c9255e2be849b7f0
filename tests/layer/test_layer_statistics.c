/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/statistics_report.h"
#include "layer_process.h"
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST_C(LayerStatistics, ReasonsHaveNamesOfTheirOwn)
{
    for (int i = 0; i < layer_reason_count; i++) {
        const char *name = layer_reason_name((enum layer_reason)i);
        ASSERT_NOT_NULL(name);
        EXPECT_EQ(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        for (int j = 0; j < i; j++)
            EXPECT_NE(strcmp(name, layer_reason_name((enum layer_reason)j)), 0);
    }
}

static void count_a_little(void)
{
    statistics_count_hit(true, 100, 2000000, 50000000);
    statistics_count_hit(false, 10, 3000000, 1000000); /* nothing saved */
    statistics_count_hit(false, 1, 1, 5000001);
    statistics_count_incomplete(5000000); /* that one */
    statistics_count_deferred();
    statistics_count_partial_hit(4, 0);
    statistics_count_miss(layer_reason_missing, 500, 20);
    statistics_count_miss(layer_reason_missing, 500, 20);
    statistics_count_miss(layer_reason_includes, 100, 1);
    statistics_count_nothing_to_keep();
    statistics_count_kept(77, 9);
    statistics_count_not_kept(layer_reason_slow_query, 1);
    statistics_count_store_failure();
}

static int check_sums(void *user)
{
    struct statistics_totals t;
    (void)user;
    statistics_get(&t);
    EXPECT_EQ(t.hits + t.misses + t.kept, 0);
    count_a_little();
    statistics_get(&t);
    EXPECT_EQ(t.hits, 3);
    EXPECT_EQ(t.memory_hits, 1);
    EXPECT_EQ(t.disk_hits, 2);
    EXPECT_EQ(t.incomplete_hits, 1);
    EXPECT_EQ(t.partial_hits, 1);
    EXPECT_EQ(t.misses, 3);
    EXPECT_EQ(t.misses_by[layer_reason_missing], 2);
    EXPECT_EQ(t.misses_by[layer_reason_includes], 1);
    EXPECT_EQ(t.kept, 1);
    EXPECT_EQ(t.not_kept, 1);
    EXPECT_EQ(t.deferred, 1);
    EXPECT_EQ(t.nothing_to_keep, 1);
    EXPECT_EQ(t.kept_by_others, 0);
    EXPECT_EQ(t.not_kept_by[layer_reason_slow_query], 1);
    EXPECT_EQ(t.store_failures, 1);
    EXPECT_EQ(t.bytes_read, 111);
    EXPECT_EQ(t.bytes_written, 77);
    EXPECT_EQ(t.saved_ns, 48000000);
    EXPECT_EQ(t.load_ns, 5000005);
    EXPECT_EQ(t.compile_ns, 1100);
    EXPECT_EQ(t.overhead_ns, 41);
    EXPECT_EQ(t.capture_ns, 10);
    return test_has_failed();
}

TEST_C(LayerStatistics, SumsUpWhatIsCounted)
{
    EXPECT_EQ(layer_process_run(NULL, check_sums, NULL), 0);
}

static void *count_hits(void *user)
{
    (void)user;
    for (int i = 0; i < 10000; i++)
        statistics_count_hit(false, 1, 1, 3);
    return NULL;
}

static int count_in_threads(void *user)
{
    enum { count = 4 };
    pthread_t threads[count];
    struct statistics_totals t;
    (void)user;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, count_hits, NULL) != 0) abort();
    for (int i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    statistics_get(&t);
    EXPECT_EQ(t.disk_hits, count * 10000);
    EXPECT_EQ(t.saved_ns, count * 20000);
    return test_has_failed();
}

TEST_C(LayerStatistics, ThreadsCountTogether)
{
    EXPECT_EQ(layer_process_run(NULL, count_in_threads, NULL), 0);
}

static int child_has_nothing(void *user)
{
    struct statistics_totals t;
    (void)user;
    statistics_get(&t);
    return t.hits != 0 || t.misses != 0;
}

static int fork_after_counting(void *user)
{
    count_a_little();
    return layer_process_run(NULL, child_has_nothing, user);
}

TEST_C(LayerStatistics, ChildrenStartFromZero)
{
    EXPECT_EQ(layer_process_run(NULL, fork_after_counting, NULL), 0);
}

/* ---- Reports ------------------------------------------------------------- */

static int report(void *user)
{
    (void)user;
    count_a_little();
    statistics_report();
    statistics_report(); /* once a process */
    return 0;
}

TEST_C(LayerStatistics, NothingIsSaidUnasked)
{
    char *said = NULL;
    EXPECT_EQ(layer_process_listen(&said, NULL, report, NULL), 0);
    EXPECT_STR_EQ(said, "");
    free(said);
}

TEST_C(LayerStatistics, TableIsForPeople)
{
    static const char *const variables[] = {"DNNL_CACHE_STATS=1", NULL};
    char *said = NULL;
    EXPECT_EQ(layer_process_listen(&said, variables, report, NULL), 0);
    ASSERT_NOT_NULL(said);
    EXPECT_NOT_NULL(
            strstr(said, "\n  hits                                  3\n"
                         "    from memory                         1\n"
                         "    from disk                           2\n"
                         "    incomplete                          1\n"
                         "  partial hits                          1\n"
                         "  misses                                3\n"
                         "    missing                             2\n"
                         "    includes                            1\n"));
    EXPECT_NOT_NULL(
            strstr(said, "  ms saved                         48.000\n"));
    EXPECT_NOT_NULL(
            strstr(said, "\n  misses with nothing to keep           1\n"
                         "  kept by others                        0\n"));
    EXPECT_NOT_NULL(strstr(said, "\n  failures of the store                 1\n"
                                 "    DNNL_CACHE_PRINT_DEBUG=1 tells which\n"));
    EXPECT_NOT_NULL(strstr(said,
            "\n  programs left to refresh              1\n"
            "    stored beside the next command of dnnl-cache-run, after this "
            "one with\n    --wait, or by dnnl-cache refresh\n"));
    const char *title = strstr(said, "dnnl_cache layer: ");
    ASSERT_NOT_NULL(title);
    EXPECT_NULL(strstr(title + 1, "dnnl_cache layer: "));
    free(said);
}

TEST_C(LayerStatistics, TableTellsOfNothingThatWasTold)
{
    static const char *const variables[] = {
            "DNNL_CACHE_STATS=1", "DNNL_CACHE_PRINT_DEBUG=1", NULL};
    char *said = NULL;
    EXPECT_EQ(layer_process_listen(&said, variables, report, NULL), 0);
    ASSERT_NOT_NULL(said);
    EXPECT_NULL(strstr(said, "DNNL_CACHE_PRINT_DEBUG"));
    free(said);
}

TEST_C(LayerStatistics, LinesOfJsonAreForPrograms)
{
    char path[512];
    char variable[600];
    const char *const variables[] = {variable, NULL};
    (void)snprintf(path, sizeof path, "%s/stats", test_directory());
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_STATS=%s", path);
    EXPECT_EQ(layer_process_run(variables, report, NULL), 0);
    EXPECT_EQ(layer_process_run(variables, report, NULL), 0);
    char *text = layer_process_read_file(path);
    ASSERT_NOT_NULL(text);
    const char *second = strchr(text, '\n');
    ASSERT_NOT_NULL(second);
    EXPECT_EQ(strncmp(second + 1, "{\"program\":\"", 12), 0);
    EXPECT_STR_EQ(strchr(second + 1, '\n'), "\n"); /* two lines */
    EXPECT_NOT_NULL(strstr(text, ",\"hits\":3,\"memory_hits\":1,"));
    EXPECT_NOT_NULL(strstr(text,
            ",\"deferred\":1,\"nothing_to_keep\":1,\"kept_by_others\":0,"));
    EXPECT_NOT_NULL(strstr(text, ",\"saved_ns\":48000000,"));
    EXPECT_NOT_NULL(
            strstr(text, ",\"misses_by\":{\"missing\":2,\"includes\":1},"
                         "\"not_kept_by\":{\"slow_query\":1}}\n"));
    free(text);
}

TEST_C(LayerStatistics, FileThatCannotBeWrittenIsToldOf)
{
    static const char *const variables[] = {"DNNL_CACHE_STATS=/nowhere/at/all",
            "DNNL_CACHE_PRINT_DEBUG=1", NULL};
    char *said = NULL;
    EXPECT_EQ(layer_process_listen(&said, variables, report, NULL), 0);
    EXPECT_STR_EQ(said, "dnnl_cache layer: statistics: /nowhere/at/all: No "
                        "such file or directory\n");
    free(said);
}
