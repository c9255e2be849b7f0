/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/settings.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* Variables for one reading, and what was said about them. */
struct variables {
    const char *list[16][2];
    unsigned reports;
    char report[512];
};

static const char *get(void *user, const char *name)
{
    const struct variables *v = user;
    for (size_t i = 0; v->list[i][0] != NULL; i++)
        if (strcmp(v->list[i][0], name) == 0) return v->list[i][1];
    return NULL;
}

static void note(void *user, const char *text)
{
    struct variables *v = user;
    v->reports++;
    (void)snprintf(v->report, sizeof v->report, "%s", text);
}

static struct layer_settings read_settings(struct variables *v)
{
    struct layer_settings settings;
    v->reports = 0;
    layer_settings_read(&settings, false, get, note, v);
    return settings;
}

/* The settings that one variable alone makes, and HOME. */
static struct layer_settings with(
        const char *name, const char *value, unsigned reports)
{
    struct variables v = {.list = {{"HOME", "/home/me"}, {name, value}}};
    const struct layer_settings settings = read_settings(&v);
    EXPECT_EQ(v.reports, reports);
    if (reports > 0) {
        EXPECT_NOT_NULL(strstr(v.report, name));
        EXPECT_NOT_NULL(strstr(v.report, value));
    }
    return settings;
}

TEST_C(LayerSettings, DefaultsAreThoseOfTheDocuments)
{
    struct variables v = {.list = {{"HOME", "/home/me"}}};
    const struct layer_settings s = read_settings(&v);
    EXPECT_EQ(v.reports, 0);
    EXPECT_TRUE(s.in_memory);
    EXPECT_EQ(s.memory_limit, 0);
    EXPECT_TRUE(s.persistent);
    EXPECT_STR_EQ(s.directory, "/home/me/.cache/dnnl_cache");
    EXPECT_STR_EQ("flat", s.store->name);
    EXPECT_TRUE(s.evicts);
    EXPECT_EQ(s.max_size, 1073741824);
    EXPECT_EQ(s.max_days, 0);
    EXPECT_EQ(s.min_image, 0);
    EXPECT_EQ(s.max_image, 1073741824);
    EXPECT_TRUE(s.lazy);
    EXPECT_EQ(s.capture_seconds, 30);
    EXPECT_EQ(s.capture_limit_ms, 30000);
    EXPECT_EQ(s.capture_exit_ns, 1000000000);
    EXPECT_FALSE(s.capture_now);
    EXPECT_FALSE(s.print_debug);
    EXPECT_FALSE(s.trace.on);
    EXPECT_FALSE(s.statistics.on);
    EXPECT_TRUE(layer_settings_is_on(&s));
}

/* With a tree, which is SYCL's store. */
static struct layer_settings of_tree(
        const char *name, const char *value, unsigned reports)
{
    struct variables v = {.list = {{"HOME", "/home/me"},
                                  {"DNNL_CACHE_STORE", "tree"}, {name, value}}};
    const struct layer_settings settings = read_settings(&v);
    EXPECT_STR_EQ("tree", settings.store->name);
    EXPECT_EQ(v.reports, reports);
    return settings;
}

TEST_C(LayerSettings, DefaultsOfATreeAreSycls)
{
    const struct layer_settings s = of_tree("X", "x", 0);
    EXPECT_EQ(UINT64_C(8192) << 20, s.max_size);
    EXPECT_EQ(7, s.max_days);
    EXPECT_EQ(7, of_tree("DNNL_CACHE_THRESHOLD", "week", 1).max_days);
    EXPECT_EQ(0, of_tree("DNNL_CACHE_THRESHOLD", "0", 0).max_days);
}

TEST_C(LayerSettings, ATreeCountsMegabytes)
{
    static const char name[] = "DNNL_CACHE_MAX_SIZE";
    EXPECT_EQ(3 << 20, of_tree(name, "3", 0).max_size);
    EXPECT_EQ(0, of_tree(name, "0", 0).max_size);
    EXPECT_EQ(UINT64_C(16777215) << 20, of_tree(name, "16777215", 0).max_size);
    EXPECT_EQ(5000, of_tree(name, "5000B", 0).max_size);
    /* Meant for bytes, and taken for them. */
    EXPECT_EQ(1073741824, of_tree(name, "1073741824", 1).max_size);
    EXPECT_EQ(UINT64_C(8192) << 20, of_tree(name, "3MB", 1).max_size);
    EXPECT_EQ(UINT64_C(8192) << 20, of_tree(name, "B", 1).max_size);
    /* Elsewhere the number is one of bytes. */
    EXPECT_EQ(3, with(name, "3", 0).max_size);
    EXPECT_EQ(3, with(name, "3B", 0).max_size);
    EXPECT_TRUE(UINT64_MAX == with(name, "18446744073709551615B", 0).max_size);
}

TEST_C(LayerSettings, BudgetAtExitMayHaveNoLimit)
{
    static const char name[] = "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT";
    EXPECT_EQ(0, with(name, "0", 0).capture_exit_ns);
    EXPECT_EQ(20000000000, with(name, "20", 0).capture_exit_ns);
    EXPECT_EQ(UINT64_MAX, with(name, "unlimited", 0).capture_exit_ns);
    EXPECT_EQ(UINT64_MAX, with(name, "99999999999", 0).capture_exit_ns);
    EXPECT_EQ(1000000000, with(name, "forever", 1).capture_exit_ns);
    EXPECT_EQ(1000000000, with(name, "-1", 1).capture_exit_ns);
    EXPECT_TRUE(with("DNNL_CACHE_CAPTURE_NOW", "1", 0).capture_now);
    EXPECT_TRUE(with("DNNL_CACHE_CAPTURE_NOW", "1", 0).capture_compiled);
    EXPECT_FALSE(with("DNNL_CACHE_CAPTURE_COMPILED", "0", 0).capture_compiled);
}

TEST_C(LayerSettings, AnUnknownModeIsNormal)
{
    static const char name[] = "DNNL_CACHE_COMPILE_MODE";
    EXPECT_EQ(settings_mode_normal, with("X", "x", 0).mode);
    EXPECT_EQ(settings_mode_normal, with(name, "normal", 0).mode);
    EXPECT_EQ(settings_mode_cached_only, with(name, "cached_only", 0).mode);
    EXPECT_EQ(settings_mode_recompile, with(name, "recompile", 0).mode);
    EXPECT_EQ(settings_mode_verify, with(name, "verify", 0).mode);
    EXPECT_EQ(settings_mode_normal, with(name, "cached-only", 1).mode);
    EXPECT_EQ(settings_mode_normal, with(name, "VERIFY", 1).mode);
}

TEST_C(LayerSettings, FailedBuildsAreKeptIfThatIsSet)
{
    static const char name[] = "DNNL_CACHE_FAILED_BUILDS";
    EXPECT_FALSE(with("X", "x", 0).failed_builds);
    EXPECT_FALSE(with(name, "0", 0).failed_builds);
    EXPECT_TRUE(with(name, "1", 0).failed_builds);
    EXPECT_FALSE(with(name, "yes", 1).failed_builds);
}

TEST_C(LayerSettings, WhatCompilesFastIsKeptUnlessATimeIsSet)
{
    static const char name[] = "DNNL_CACHE_MIN_COMPILE_MS";
    EXPECT_EQ(0, with("X", "x", 0).min_compile_ns);
    EXPECT_EQ(50000000, with(name, "50", 0).min_compile_ns);
    EXPECT_EQ(0, with(name, "50ms", 1).min_compile_ns);
    EXPECT_TRUE(
            UINT64_MAX == with(name, "18446744073709551615", 0).min_compile_ns);
}

/* Of a worker: an application's queries are its own. */
TEST_C(LayerSettings, FormsAreCapturedByWorkersAlone)
{
    struct variables v = {
            .list = {{"HOME", "/home/me"}, {"DNNL_CACHE_FINALISE", "large"},
                    {"DNNL_CACHE_CAPTURE_NOW", "1"}}};
    EXPECT_TRUE(read_settings(&v).capture_forms);
    v.list[1][1] = "1";
    EXPECT_FALSE(read_settings(&v).capture_forms);
    EXPECT_FALSE(with("DNNL_CACHE_FINALISE", "large", 0).capture_forms);
    EXPECT_FALSE(with("DNNL_CACHE_CAPTURE_NOW", "1", 0).capture_forms);
}

TEST_C(LayerSettings, LazyIsOnUnlessItIs0)
{
    EXPECT_FALSE(with("DNNL_CACHE_LAZY", "0", 0).lazy);
    EXPECT_TRUE(with("DNNL_CACHE_LAZY", "no", 1).lazy);
}

TEST_C(LayerSettings, PersistentIsOnUnlessItIs0)
{
    EXPECT_TRUE(with("DNNL_CACHE_PERSISTENT", "1", 0).persistent);
    EXPECT_TRUE(with("DNNL_CACHE_PERSISTENT", "", 0).persistent);
    const struct layer_settings off = with("DNNL_CACHE_PERSISTENT", "0", 0);
    EXPECT_FALSE(off.persistent);
    EXPECT_TRUE(off.in_memory);
    EXPECT_TRUE(layer_settings_is_on(&off));
    EXPECT_TRUE(with("DNNL_CACHE_PERSISTENT", "yes", 1).persistent);
    EXPECT_TRUE(with("DNNL_CACHE_PERSISTENT", "00", 1).persistent);
}

TEST_C(LayerSettings, InMemoryIsOnUnlessItIs0)
{
    EXPECT_TRUE(with("DNNL_CACHE_IN_MEM", "1", 0).in_memory);
    const struct layer_settings off = with("DNNL_CACHE_IN_MEM", "0", 0);
    EXPECT_FALSE(off.in_memory);
    EXPECT_TRUE(off.persistent);
    EXPECT_EQ(with("DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD", "4096", 0)
                      .memory_limit,
            4096);
    EXPECT_EQ(with("DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD", "0", 0).memory_limit,
            0);
}

TEST_C(LayerSettings, BothLevelsOffIsOff)
{
    struct variables v = {
            .list = {{"HOME", "/home/me"}, {"DNNL_CACHE_PERSISTENT", "0"},
                    {"DNNL_CACHE_IN_MEM", "0"}}};
    const struct layer_settings s = read_settings(&v);
    EXPECT_FALSE(layer_settings_is_on(&s));
}

TEST_C(LayerSettings, DirectoryIsTheFirstThatIsSaid)
{
    struct variables v = {
            .list = {{"DNNL_CACHE_DIR", "/one"}, {"XDG_CACHE_HOME", "/two"},
                    {"HOME", "/three"}}};
    EXPECT_STR_EQ(read_settings(&v).directory, "/one");
    v.list[0][1] = "";
    EXPECT_STR_EQ(read_settings(&v).directory, "/two/dnnl_cache");
    v.list[1][1] = NULL;
    EXPECT_STR_EQ(read_settings(&v).directory, "/three/.cache/dnnl_cache");
    EXPECT_EQ(v.reports, 0);
}

TEST_C(LayerSettings, WithoutADirectoryThereIsNoDisk)
{
    struct variables v = {.list = {{NULL, NULL}}};
    const struct layer_settings s = read_settings(&v);
    EXPECT_FALSE(s.persistent);
    EXPECT_STR_EQ(s.directory, "");
    EXPECT_TRUE(s.in_memory);
    EXPECT_EQ(v.reports, 0);
}

TEST_C(LayerSettings, ASeedOrAServerDoesWithoutADirectory)
{
    struct variables seed = {.list = {{"DNNL_CACHE_SEED", "/image/seed"}}};
    struct layer_settings s = read_settings(&seed);
    EXPECT_TRUE(s.persistent);
    EXPECT_STR_EQ("/image/seed", s.seed);
    EXPECT_STR_EQ("", s.directory);
    struct variables server = {.list = {{"DNNL_CACHE_REMOTE", "redis://h"}}};
    s = read_settings(&server);
    EXPECT_TRUE(s.persistent);
    EXPECT_STR_EQ("redis://h", s.remote);
    EXPECT_STR_EQ("", s.directory);
    server.list[1][0] = "DNNL_CACHE_PERSISTENT";
    server.list[1][1] = "0";
    s = read_settings(&server);
    EXPECT_FALSE(s.persistent);
    EXPECT_STR_EQ("", s.remote);
    EXPECT_EQ(0, server.reports + seed.reports);
}

/* Without the key that is asked for the seed is not used. */
TEST_C(LayerSettings, TheKeyOfASeedIsAbsolute)
{
    struct variables v = {.list = {{"DNNL_CACHE_SEED", "/image/seed"},
                                  {"DNNL_CACHE_SEED_PUBLIC_KEY", "/my/key"}}};
    struct layer_settings s = read_settings(&v);
    EXPECT_STR_EQ("/image/seed", s.seed);
    EXPECT_STR_EQ("/my/key", s.seed_key);
    EXPECT_EQ(0, v.reports);
    v.list[1][1] = "key";
    s = read_settings(&v);
    EXPECT_STR_EQ("", s.seed);
    EXPECT_EQ(1, v.reports);
    EXPECT_NOT_NULL(strstr(v.report, "the seed is not used"));
}

/* A server's URL is not judged here, nor told: it may be one with a password.
 */
TEST_C(LayerSettings, SeedIsAbsoluteAndServersAreNotTold)
{
    char url[settings_path_size + 16];
    EXPECT_STR_EQ("", with("DNNL_CACHE_SEED", "seed", 1).seed);
    memset(url, 'x', sizeof url);
    url[sizeof url - 1] = '\0';
    struct variables v = {.list = {{"DNNL_CACHE_REMOTE", url}}};
    EXPECT_STR_EQ("", read_settings(&v).remote);
    EXPECT_EQ(1, v.reports);
    EXPECT_NULL(strstr(v.report, "xxx"));
    EXPECT_STR_EQ("", with("DNNL_CACHE_REMOTE", "", 0).remote);
    EXPECT_STR_EQ("x", with("DNNL_CACHE_REMOTE", "x", 0).remote);
}

TEST_C(LayerSettings, NamesOfApplicationsHaveAtMost255Bytes)
{
    char name[257];
    memset(name, 'n', sizeof name);
    name[256] = '\0';
    struct variables v = {.list = {{"DNNL_CACHE_APPLICATION", name}}};
    EXPECT_STR_EQ("", read_settings(&v).application);
    EXPECT_EQ(1, v.reports);
    name[255] = '\0';
    EXPECT_STR_EQ(name, with("DNNL_CACHE_APPLICATION", name, 0).application);
    EXPECT_STR_EQ("", with("DNNL_CACHE_APPLICATION", "", 0).application);
}

TEST_C(LayerSettings, DirectoryIsAbsolute)
{
    EXPECT_STR_EQ(with("DNNL_CACHE_DIR", "cache", 1).directory,
            "/home/me/.cache/dnnl_cache");
    EXPECT_STR_EQ(with("XDG_CACHE_HOME", "./x", 1).directory,
            "/home/me/.cache/dnnl_cache");
    struct variables v = {.list = {{"HOME", "me"}}};
    EXPECT_FALSE(read_settings(&v).persistent);
    EXPECT_EQ(v.reports, 1);
}

TEST_C(LayerSettings, DirectoryThatIsTooLongIsNone)
{
    char name[settings_path_size + 16];
    memset(name, 'x', sizeof name);
    name[0] = '/';
    name[sizeof name - 1] = '\0';
    struct variables v = {.list = {{"DNNL_CACHE_DIR", name}}};
    EXPECT_FALSE(read_settings(&v).persistent);
    EXPECT_EQ(v.reports, 1);
}

TEST_C(LayerSettings, StoreIsOneOfFour)
{
    EXPECT_STR_EQ("flat", with("DNNL_CACHE_STORE", "flat", 0).store->name);
    EXPECT_STR_EQ("bucket", with("DNNL_CACHE_STORE", "bucket", 0).store->name);
    EXPECT_STR_EQ("tree", with("DNNL_CACHE_STORE", "tree", 0).store->name);
    EXPECT_STR_EQ("pack", with("DNNL_CACHE_STORE", "pack", 0).store->name);
    EXPECT_STR_EQ("flat", with("DNNL_CACHE_STORE", "redis", 1).store->name);
}

TEST_C(LayerSettings, EvictionIsDisabledByAnyValue)
{
    EXPECT_FALSE(with("DNNL_CACHE_EVICTION_DISABLE", "1", 0).evicts);
    EXPECT_FALSE(with("DNNL_CACHE_EVICTION_DISABLE", "0", 0).evicts);
    EXPECT_FALSE(with("DNNL_CACHE_EVICTION_DISABLE", "no", 0).evicts);
    EXPECT_TRUE(with("DNNL_CACHE_EVICTION_DISABLE", "", 0).evicts);
}

TEST_C(LayerSettings, NumbersAreDecimalAndWhole)
{
    static const char *const bad[] = {"-1", "+1", " 1", "1 ", "1e9", "0x10",
            "1MB", "B", "1BB", "1.5", "18446744073709551616",
            "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_EQ(with("DNNL_CACHE_MAX_SIZE", bad[i], 1).max_size, 1073741824);
    EXPECT_EQ(with("DNNL_CACHE_MAX_SIZE", "0", 0).max_size, 0);
    EXPECT_EQ(with("DNNL_CACHE_MAX_SIZE", "007", 0).max_size, 7);
    EXPECT_TRUE(with("DNNL_CACHE_MAX_SIZE", "18446744073709551615", 0).max_size
                == UINT64_MAX);
}

TEST_C(LayerSettings, LimitsAreNumbers)
{
    EXPECT_EQ(with("DNNL_CACHE_THRESHOLD", "30", 0).max_days, 30);
    EXPECT_EQ(with("DNNL_CACHE_THRESHOLD", "0", 0).max_days, 0);
    EXPECT_EQ(with("DNNL_CACHE_THRESHOLD", "week", 1).max_days, 0);
    EXPECT_EQ(with("DNNL_CACHE_MIN_DEVICE_IMAGE_SIZE", "10", 0).min_image, 10);
    EXPECT_EQ(with("DNNL_CACHE_MAX_DEVICE_IMAGE_SIZE", "10", 0).max_image, 10);
    EXPECT_EQ(with("DNNL_CACHE_MAX_DEVICE_IMAGE_SIZE", "0", 1).max_image,
            1073741824);
    EXPECT_EQ(with("DNNL_CACHE_CAPTURE_SECONDS", "0", 0).capture_seconds, 0);
    EXPECT_EQ(with("DNNL_CACHE_CAPTURE_LIMIT_MS", "5", 0).capture_limit_ms, 5);
}

TEST_C(LayerSettings, ReportsGoToStderrOrAFile)
{
    EXPECT_TRUE(with("DNNL_CACHE_PRINT_DEBUG", "1", 0).print_debug);
    EXPECT_FALSE(with("DNNL_CACHE_PRINT_DEBUG", "0", 0).print_debug);
    EXPECT_FALSE(with("DNNL_CACHE_PRINT_DEBUG", "2", 1).print_debug);
    struct layer_settings s = with("DNNL_CACHE_TRACE", "1", 0);
    EXPECT_TRUE(s.trace.on);
    EXPECT_STR_EQ(s.trace.path, "");
    s = with("DNNL_CACHE_TRACE", "/var/log/x", 0);
    EXPECT_TRUE(s.trace.on);
    EXPECT_STR_EQ(s.trace.path, "/var/log/x");
    EXPECT_FALSE(with("DNNL_CACHE_TRACE", "0", 0).trace.on);
    EXPECT_FALSE(s.trace_full);
    s = with("DNNL_CACHE_TRACE", "full", 0);
    EXPECT_TRUE(s.trace.on && s.trace_full);
    EXPECT_STR_EQ(s.trace.path, "");
    s = with("DNNL_CACHE_TRACE", "full:/var/log/x", 0);
    EXPECT_TRUE(s.trace.on && s.trace_full);
    EXPECT_STR_EQ(s.trace.path, "/var/log/x");
    EXPECT_FALSE(with("DNNL_CACHE_TRACE", "fuller", 1).trace.on);
    EXPECT_FALSE(with("DNNL_CACHE_TRACE", "full:x", 1).trace.on);
    EXPECT_FALSE(with("DNNL_CACHE_TRACE", "trace.txt", 1).trace.on);
    EXPECT_TRUE(with("DNNL_CACHE_STATS", "1", 0).statistics.on);
    EXPECT_STR_EQ(with("DNNL_CACHE_STATS", "/s", 0).statistics.path, "/s");
    EXPECT_FALSE(with("DNNL_CACHE_STATS", "yes", 1).statistics.on);
    EXPECT_TRUE(with("DNNL_CACHE_RECORD", "/r", 0).record);
    EXPECT_FALSE(with("DNNL_CACHE_RECORD", "", 0).record);
    EXPECT_FALSE(with("DNNL_CACHE_RECORD", "r", 1).record);
}

TEST_C(LayerSettings, ProgramsWithMoreRightsHaveNone)
{
    struct variables v = {.list = {{"DNNL_CACHE_DIR", "/one"},
                                  {"DNNL_CACHE_TRACE", "/etc/passwd"},
                                  {"DNNL_CACHE_STATS", "/etc/passwd"},
                                  {"DNNL_CACHE_PRINT_DEBUG", "wrong"}}};
    struct layer_settings s;
    layer_settings_read(&s, true, get, note, &v);
    EXPECT_FALSE(layer_settings_is_on(&s));
    EXPECT_FALSE(s.trace.on);
    EXPECT_FALSE(s.statistics.on);
    EXPECT_FALSE(s.print_debug);
    EXPECT_EQ(v.reports, 0);
}
