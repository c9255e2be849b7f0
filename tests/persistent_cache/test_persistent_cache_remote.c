/* SPDX-License-Identifier: Apache-2.0 */
/* The persistent cache with a seed in front of its directory and a server
 * behind it, as the application sets them. */
#include "persistent_cache_helpers.h"
#include "prometheus_text.h"
#include "redis_server.h"

#include "test.h"

#include <dnnl_cache/persistent_cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST_CACHED(PersistentCacheRemote, RefusesWhatMakesNoSense, "cache")
{
    static const char *const bad[] = {"nonsense", "redis://h", "ftp://h",
            "redis://h?insecure=1&nonsense=1", "rediss://h?insecure=1"};
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_persistent_set_remote(bad[i]));
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_persistent_set_remote("redis://h?key_file=/no/where"));
    EXPECT_OK(dnnl_cache_persistent_set_remote(NULL));
    EXPECT_OK(dnnl_cache_persistent_set_remote(""));
    EXPECT_OK(dnnl_cache_persistent_set_seed(NULL));
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(x));
}

TEST_C(PersistentCacheRemote, WarmsAnEmptyDirectory)
{
    char key[DIR_SIZE];
    char url[3 * DIR_SIZE];
    struct cached x;
    struct redis_process server;
    if (!redis_is_there()) return;
    EXPECT_OK(dnnl_cache_store_key_file_make(dir_in_test(key, "key")));
    redis_start(&server, test_directory(), NULL);
    (void)snprintf(url, sizeof url, "unix://%s?timeout_ms=20000&key_file=%s",
            server.socket, key);
    cached_open(&x, "here");
    EXPECT_OK(dnnl_cache_persistent_set_remote(url));
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    cached_close(&x); /* sends what waits */
    /* And perhaps how long it took to compile, for hosts that wait. */
    EXPECT_GE(redis_number(&server, "DBSIZE"), 2);
    rig_forget_primitives();
    cached_open(&x, "there");
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(&x));
    cached_close(&x);
    redis_kill(&server);
    /* It has been copied; that the server is gone is no failure. */
    EXPECT_EQ(2, kept_in("there", dnnl_cache_blob_kind_undef));
    EXPECT_EQ(1, kept_in("there", dnnl_cache_blob_kind_engine));
    EXPECT_EQ(kept_in("here", dnnl_cache_blob_kind_program),
            kept_in("there", dnnl_cache_blob_kind_program));
    rig_forget_primitives();
    cached_open(&x, "there");
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(&x));
    EXPECT_OK(dnnl_cache_persistent_set_remote(NULL));
    cached_close(&x);
}

/* With a name the second host asks once for what the first one asked for, and
 * each setting is for the store that is opened next. */
TEST_C(PersistentCacheRemote, BringsWhatTheApplicationNeeds)
{
    char url[2 * DIR_SIZE];
    char name[257];
    struct cached x;
    struct redis_process server;
    if (!redis_is_there()) return;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_persistent_set_application(name));
    redis_start(&server, test_directory(), NULL);
    (void)snprintf(url, sizeof url, "unix://%s?timeout_ms=20000&insecure=1",
            server.socket);
    EXPECT_OK(dnnl_cache_persistent_set_application("app"));
    EXPECT_OK(dnnl_cache_persistent_set_remote(url));
    cached_open(&x, "here");
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    cached_close(&x);
    rig_forget_primitives();
    const long long gets = redis_gets(&server);
    const long long reads = redis_reads(&server);
    cached_open(&x, "there");
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(&x));
    cached_close(&x);
    EXPECT_EQ(gets + 2, redis_gets(&server)); /* the list, and what it names */
    EXPECT_LE(redis_reads(&server) - reads, 10);
    redis_kill(&server);
    EXPECT_EQ(3, kept_in("there", dnnl_cache_blob_kind_undef));
    EXPECT_OK(dnnl_cache_persistent_set_remote(NULL));
    EXPECT_OK(dnnl_cache_persistent_set_application(""));
    rig_forget_primitives();
    cached_open(&x, "there");
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(&x));
    cached_close(&x);
}

TEST_CACHED(PersistentCacheRemote, ReadsASeed, "seed")
{
    char seed[DIR_SIZE];
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    cached_close(x);
    rig_forget_primitives();
    EXPECT_OK(dnnl_cache_persistent_set_seed(dir_in_test(seed, "seed")));
    cached_open(x, "empty");
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(x));
    EXPECT_EQ(0, kept_in("empty", dnnl_cache_blob_kind_undef));
    EXPECT_OK(dnnl_cache_persistent_set_seed(NULL));
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
}

TEST_C(PersistentCacheRemote, TellsMetrics)
{
    static const struct dnnl_cache_metrics_label labels[] = {
            {sizeof(struct dnnl_cache_metrics_label), "host", "a"}};
    static const char hits[] =
            "dnnl_cache_store_hits_total{store=\"local\",host=\"a\"}";
    struct cached x;
    size_t size = 0;
    cached_open(&x, "cache");
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    cached_restart(&x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(&x));
    EXPECT_OK(dnnl_cache_persistent_get_metrics(1, labels, &size, NULL));
    char *text = malloc(size);
    EXPECT_OK(dnnl_cache_persistent_get_metrics(1, labels, &size, text));
    EXPECT_NULL(prometheus_find_mistake(text));
    EXPECT_TRUE(prometheus_value(text, hits) >= 1.0);
    EXPECT_TRUE(prometheus_value(
                        text, "dnnl_cache_programs_loaded_total{host=\"a\"}")
                >= 1.0);
    free(text);
    cached_close(&x);
    EXPECT_OK(dnnl_cache_persistent_set_capacity(0)); /* off */
    EXPECT_OK(dnnl_cache_persistent_get_metrics(0, NULL, &size, NULL));
    text = malloc(size);
    EXPECT_OK(dnnl_cache_persistent_get_metrics(0, NULL, &size, text));
    EXPECT_NULL(prometheus_find_mistake(text));
    EXPECT_NULL(strstr(text, "_store_"));
    free(text);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_persistent_get_metrics(0, NULL, NULL, NULL));
}
