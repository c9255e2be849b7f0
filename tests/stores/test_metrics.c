/* SPDX-License-Identifier: Apache-2.0 */
/* What Prometheus reads: of one store, of layers with a server, of the library
 * alone, and labels that could break the text. */
#include "dnnl_cache/chain_store.h"
#include "dnnl_cache/metrics.h"
#include "dnnl_cache/remote_store.h"
#include "dnnl_cache/tiers.h"
#include "prometheus_text.h"
#include "redis_server.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { small = 100 };

/* The text, whole and without a mistake; the caller frees it. */
static char *metrics_of(const dnnl_cache_store_handle_t *store, size_t count,
        const struct dnnl_cache_metrics_label *labels)
{
    size_t size = 0;
    EXPECT_OK(dnnl_cache_store_get_metrics(store, count, labels, &size, NULL));
    const size_t most = size;
    char *text = malloc(size);
    EXPECT_OK(dnnl_cache_store_get_metrics(store, count, labels, &size, text));
    EXPECT_LE(size, most);
    EXPECT_EQ(size, strlen(text) + 1);
    const char *mistake = prometheus_find_mistake(text);
    if (mistake != NULL) printf("%s\n%s\n", mistake, text);
    EXPECT_NULL(mistake);
    return text;
}

static void expect_value(const char *text, const char *sample, double value)
{
    const double found = prometheus_value(text, sample);
    if (found != value) printf("%s: %f\n", sample, found);
    EXPECT_TRUE(found == value);
}

TEST_C(Metrics, OfAStore)
{
    const struct dnnl_cache_store_options options = test_options();
    dnnl_cache_store_handle_t *store = open_store(&options);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 3, small));
    char *text = metrics_of(store, 0, NULL);
    expect_value(text, "dnnl_cache_store_hits_total{store=\"local\"}", 1);
    expect_value(text, "dnnl_cache_store_misses_total{store=\"local\"}", 2);
    expect_value(text, "dnnl_cache_store_puts_total{store=\"local\"}", 1);
    expect_value(
            text, "dnnl_cache_store_puts_unchanged_total{store=\"local\"}", 1);
    expect_value(text,
            "dnnl_cache_store_refused_total{store=\"local\",reason=\"full\"}",
            0);
    EXPECT_TRUE(
            prometheus_value(text, "dnnl_cache_store_bytes{store=\"local\"}")
            > (double)small);
    expect_value(text, "dnnl_cache_hits_total{kind=\"program\"}", 0);
    EXPECT_NULL(strstr(text, "remote"));
    EXPECT_NULL(strstr(text, "chain"));
    free(text);
    dnnl_cache_store_close(store);
}

TEST_C(Metrics, OfTheLibraryAlone)
{
    char *text = metrics_of(NULL, 0, NULL);
    expect_value(text, "dnnl_cache_programs_compiled_total", 0);
    expect_value(text, "dnnl_cache_compile_seconds_total", 0);
    EXPECT_NULL(strstr(text, "_store_"));
    free(text);
}

TEST_C(Metrics, OfLayersWithAServer)
{
    static const struct dnnl_cache_metrics_label labels[] = {
            {sizeof(struct dnnl_cache_metrics_label), "pod", "a"}};
    char url[path_size];
    char path[path_size];
    struct redis_process server;
    struct dnnl_cache_store_options local = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_tiers layers = DNNL_CACHE_STORE_TIERS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    (void)snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=20000",
            server.socket);
    (void)snprintf(path, sizeof path, "%s/local", test_directory());
    layers.remote = url;
    local.path = path;
    layers.local = &local;
    ASSERT_OK(dnnl_cache_store_open_tiers(&store, &layers));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    dnnl_cache_store_handle_t *remote =
            dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_remote);
    EXPECT_OK(dnnl_cache_store_remote_flush(remote, 60000));
    char *text = metrics_of(store, 1, labels);
    expect_value(
            text, "dnnl_cache_store_puts_total{store=\"local\",pod=\"a\"}", 1);
    expect_value(text,
            "dnnl_cache_store_misses_total{store=\"remote\",pod=\"a\"}", 1);
    expect_value(text,
            "dnnl_cache_chain_failures_total{store=\"remote\",pod=\"a\"}", 0);
    expect_value(text,
            "dnnl_cache_remote_errors_total{store=\"remote\",pod=\"a\"}", 0);
    expect_value(text,
            "dnnl_cache_remote_is_left_alone{store=\"remote\",pod=\"a\"}", 0);
    EXPECT_TRUE(prometheus_value(text,
                        "dnnl_cache_remote_sent_bytes_total{store=\"remote\","
                        "pod=\"a\"}")
                > (double)small);
    EXPECT_TRUE(
            prometheus_value(text,
                    "dnnl_cache_remote_waited_seconds_total{store=\"remote\","
                    "pod=\"a\"}")
            > 0);
    EXPECT_NULL(strstr(text, "seed"));
    EXPECT_NULL(strstr(text, "errors_total{store=\"local\""));
    free(text);
    /* Once it is gone, it is seen. */
    redis_kill(&server);
    for (unsigned i = 3; i < 10; i++)
        (void)get_number(store, i, small);
    text = metrics_of(store, 0, NULL);
    EXPECT_TRUE(prometheus_value(text,
                        "dnnl_cache_remote_errors_total{store=\"remote\"}")
                >= 1);
    expect_value(text, "dnnl_cache_remote_is_left_alone{store=\"remote\"}", 1);
    free(text);
    dnnl_cache_store_close(store);
}

/* Members may have any names, and the same ones. */
TEST_C(Metrics, OfAChainWithNamesThatNeedCare)
{
    char path[4][path_size];
    char name[400];
    const char *const names[] = {
            "a \"quoted\" \\ name\nof two lines", "same", "same", name};
    struct dnnl_cache_store_chain_member members[4];
    dnnl_cache_store_handle_t *stores[4];
    dnnl_cache_store_handle_t *chain = NULL;
    const struct dnnl_cache_store_chain_options chain_options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < 4; i++) {
        struct dnnl_cache_store_options options = test_options();
        (void)snprintf(path[i], path_size, "%s/%d", test_directory(), i);
        options.path = path[i];
        stores[i] = open_store(&options);
        members[i] = (struct dnnl_cache_store_chain_member){
                sizeof(struct dnnl_cache_store_chain_member), names[i],
                stores[i], NULL, dnnl_cache_store_chain_role_write};
    }
    ASSERT_OK(dnnl_cache_store_open_chain(&chain, members, 4, &chain_options));
    EXPECT_OK(put_number(chain, 1, small));
    char *text = metrics_of(chain, 0, NULL);
    expect_value(text,
            "dnnl_cache_store_puts_total{store=\"a \\\"quoted\\\" \\\\ name"
            "\\nof two lines\"}",
            1);
    expect_value(text, "dnnl_cache_store_puts_total{store=\"same\"}", 1);
    expect_value(text, "dnnl_cache_store_puts_total{store=\"number 2\"}", 1);
    expect_value(text, "dnnl_cache_store_puts_total{store=\"number 3\"}", 1);
    free(text);
    dnnl_cache_store_close(chain);
    for (int i = 0; i < 4; i++)
        dnnl_cache_store_close(stores[i]);
}

TEST_C(Metrics, RefuseWhatMakesNoSense)
{
    char value[257];
    char brief[8] = "before";
    size_t size = sizeof brief;
    struct dnnl_cache_metrics_label many[17];
    char names[17][16];
    memset(value, 'v', sizeof value);
    value[256] = '\0';
    const struct dnnl_cache_metrics_label wrong[] = {
            {sizeof(struct dnnl_cache_metrics_label), "", "x"},
            {sizeof(struct dnnl_cache_metrics_label), "1a", "x"},
            {sizeof(struct dnnl_cache_metrics_label), "a-b", "x"},
            {sizeof(struct dnnl_cache_metrics_label), "__a", "x"},
            {sizeof(struct dnnl_cache_metrics_label), "store", "x"},
            {sizeof(struct dnnl_cache_metrics_label), "kind", "x"},
            {sizeof(struct dnnl_cache_metrics_label), "reason", "x"},
            {sizeof(struct dnnl_cache_metrics_label), NULL, "x"},
            {sizeof(struct dnnl_cache_metrics_label), "a", NULL},
            {sizeof(struct dnnl_cache_metrics_label), "a", value},
            {sizeof(struct dnnl_cache_metrics_label), "\xc3\xa4", "x"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_store_get_metrics(NULL, 1, &wrong[i], &size, NULL));
    const struct dnnl_cache_metrics_label twice[] = {
            {sizeof(struct dnnl_cache_metrics_label), "a", "1"},
            {sizeof(struct dnnl_cache_metrics_label), "a", "2"}};
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_get_metrics(NULL, 2, twice, &size, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_get_metrics(NULL, 1, NULL, &size, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_get_metrics(NULL, 0, NULL, NULL, NULL));
    for (int i = 0; i < 17; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%d", i);
        many[i] = (struct dnnl_cache_metrics_label){
                sizeof(struct dnnl_cache_metrics_label), names[i], "x"};
    }
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_get_metrics(NULL, 17, many, &size, NULL));
    value[255] = '\0';
    many[0].value = value;
    free(metrics_of(NULL, 16, many));
    EXPECT_EQ(sizeof brief, size);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_get_metrics(NULL, 0, NULL, &size, brief));
    EXPECT_GT(size, sizeof brief);
    EXPECT_STR_EQ("before", brief);
}

/* The reader of these tests lets nothing of this pass. */
TEST_C(MetricsReader, FindsMistakes)
{
    static const char *const wrong[] = {"", "a 1\n", "# HELP a x\na 1\n",
            "# HELP a x\n# TYPE a counter\na 1\n",
            "# HELP a_total x\n# TYPE a_total gauge\na_total 1\n",
            "# HELP a x\n# TYPE a gauge\na 1", "# HELP a x\n",
            "# HELP a x\n# TYPE a gauge\nb 1\n",
            "# HELP a x\n# TYPE a gauge\na 1\na 2\n",
            "# HELP a x\n# TYPE a gauge\na{b=\"x} 1\n",
            "# HELP a x\n# TYPE a gauge\na{b=\"\\x\"} 1\n",
            "# HELP a x\n# TYPE a gauge\na{1=\"x\"} 1\n",
            "# HELP a x\n# TYPE a gauge\na{b=\"x\"}  1\n",
            "# HELP a x\n# TYPE a gauge\na one\n",
            "# HELP a x\n# TYPE a gauge\na 1\n# HELP a x\n# TYPE a gauge\n",
            "# TYPE a gauge\na 1\n", "# HELP a x\n# TYPE b gauge\nb 1\n",
            "# HELP a \n# TYPE a gauge\na 1\n", "\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_NOT_NULL(prometheus_find_mistake(wrong[i]));
    static const char good[] =
            "# HELP a x y\n# TYPE a gauge\na{b=\"\\\"\\\\\\n\",c=\"\"} 1.5\n"
            "a 2\n# HELP b_total z\n# TYPE b_total counter\nb_total 3\n";
    EXPECT_NULL(prometheus_find_mistake(good));
    EXPECT_TRUE(prometheus_value(good, "a") == 2.0);
    EXPECT_TRUE(prometheus_value(good, "b") == -1.0);
}
