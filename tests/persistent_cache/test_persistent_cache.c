/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of persistent_cache.h, in one process on the fake driver. */
#include "log_capture.h"
#include "memory_store.h"
#include "own_descriptors.h"
#include "persistent_cache_helpers.h"
#include "programs.h"

#include "test.h"

#include <dnnl_cache/persistent_cache.h>
#include <dnnl_cache/store_types.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int capacity(void)
{
    int megabytes = -1;
    EXPECT_OK(dnnl_cache_persistent_get_capacity(&megabytes));
    return megabytes;
}

static int is_enabled(dnnl_engine_kind_t kind)
{
    int enabled = -1;
    EXPECT_OK(dnnl_cache_persistent_get_enabled(&enabled, kind));
    return enabled;
}

/* Comes first in this file: nothing was set yet. */
TEST_C(PersistentCache, IsOffAtFirst)
{
    EXPECT_EQ(0, capacity());
    EXPECT_EQ(1, is_enabled(dnnl_gpu));
    EXPECT_EQ(0, is_enabled(dnnl_cpu));
    char here[DIR_SIZE];
    ASSERT_NOT_NULL(getcwd(here, sizeof here));
    ASSERT_EQ(0, chdir(test_directory()));
    struct cached x;
    cached_open(&x, NULL);
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    EXPECT_NE(0, access("size.txt", F_OK));
    EXPECT_NE(0, access("config.file", F_OK));
    cached_close(&x);
    ASSERT_EQ(0, chdir(here));
}

TEST_CACHED(PersistentCache, KeepsEnginesAndPrograms, "cache")
{
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_EQ(1, kept_in("cache", dnnl_cache_blob_kind_engine));
    EXPECT_EQ(1, kept_in("cache", dnnl_cache_blob_kind_program));

    cached_restart(x);
    const unsigned long builds = fake_opencl_source_builds();
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(x));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(dnnl_cache_engine_get_creation_info(x->rig.engine, &info));
    EXPECT_EQ(dnnl_cache_origin_store_hit, info.origin);
}

/* Of an application that closes every descriptor and opens its own. */
static int use_as_daemon(void)
{
    struct cached x;
    cached_open(&x, "cache");
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    EXPECT_TRUE(own_descriptors_take(test_directory(), 90));
    cached_restart(&x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(&x));
    EXPECT_TRUE(own_descriptors_take(test_directory(), 90));
    cached_close(&x);
    EXPECT_TRUE(own_descriptors_are_untouched());
    return test_has_failed();
}

TEST_C(PersistentCache, LeavesDescriptorsOfTheApplicationAlone)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) _exit(use_as_daemon());
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

/* A policy that is not for it changes nothing; the others are recorded in the
 * directory, as the capacity is. */
TEST_C(PersistentCache, TakesAPolicy)
{
    static const enum dnnl_cache_store_policy policies[] = {
            dnnl_cache_store_policy_lru, dnnl_cache_store_policy_cost,
            dnnl_cache_store_policy_fifo};
    struct cached x;
    enum dnnl_cache_store_policy policy = dnnl_cache_store_policy_none;
    EXPECT_OK(dnnl_cache_persistent_get_policy(&policy));
    EXPECT_EQ(dnnl_cache_store_policy_fifo, policy);
    cached_open(&x, "cache");
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(dnnl_cache_persistent_set_policy(policies[i]));
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_persistent_set_policy(dnnl_cache_store_policy_none));
        EXPECT_OK(dnnl_cache_persistent_get_policy(&policy));
        EXPECT_EQ(policies[i], policy);
        cached_restart(&x);
        (void)cached_relu(&x);                            /* asks the store */
        EXPECT_OK(dnnl_cache_persistent_set_capacity(0)); /* records it */
        EXPECT_EQ(policies[i], totals_in("cache").policy);
        EXPECT_EQ(16 * 1024 * 1024, totals_in("cache").capacity_bytes);
        EXPECT_OK(dnnl_cache_persistent_set_capacity(16));
    }
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_persistent_get_policy(NULL));
    cached_close(&x);
}

/* The last handle does, where the driver has binaries at hand. */
TEST_CACHED(PersistentCache, KeepsAProgramThatIsGivenUp, "cache")
{
    dnnl_cache_program_t one = build(x->rig.engine, scale_source, "-DN=1");
    dnnl_cache_program_t again = build(x->rig.engine, scale_source, "-DN=1");
    EXPECT_OK(dnnl_cache_program_destroy(one));
    EXPECT_EQ(0, kept_in("cache", dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_cache_program_destroy(again));
    EXPECT_EQ(1, kept_in("cache", dnnl_cache_blob_kind_program));
    EXPECT_EQ(0, rig_statistics().programs_never_captured);
}

/* Neither a launch nor giving up the handle keeps one by hand. */
TEST_CACHED(PersistentCache, ByHandKeepsAProgramOnceItIsCaptured, NULL)
{
    char dir[DIR_SIZE];
    EXPECT_OK(dnnl_cache_persistent_set_automatic(0));
    EXPECT_OK(dnnl_cache_persistent_set_dir(dir_in_test(dir, "cache")));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(16));
    const uint64_t before = rig_statistics().programs_never_captured;
    dnnl_cache_program_t one = build(x->rig.engine, scale_source, "-DN=1");
    dnnl_cache_program_t two = build(x->rig.engine, scale_source, "-DN=2");
    EXPECT_OK(dnnl_cache_program_destroy(two));
    EXPECT_EQ(0, kept_in("cache", dnnl_cache_blob_kind_program));
    EXPECT_EQ(before + 2, rig_statistics().programs_never_captured);
    EXPECT_OK(dnnl_cache_program_capture(one));
    EXPECT_EQ(1, kept_in("cache", dnnl_cache_blob_kind_program));
    EXPECT_EQ(before + 1, rig_statistics().programs_never_captured);
    EXPECT_OK(dnnl_cache_program_destroy(one));
    cached_restart(x);
    EXPECT_EQ(2, kept_in("cache", dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_cache_persistent_set_automatic(1));
}

static bool make_header(char folder[DIR_SIZE])
{
    char path[2 * DIR_SIZE];
    (void)snprintf(path, sizeof path, "%s/some.h", dir_in_test(folder, "h"));
    FILE *file = mkdir(folder, 0700) == 0 ? fopen(path, "w") : NULL;
    return file != NULL && fputs("#define N 1\n", file) >= 0
           && fclose(file) == 0;
}

/* Includes are followed by themselves, unless the descriptor says otherwise;
 * then a warning names the call. */
TEST_CACHED(PersistentCache, FollowsIncludes, "cache")
{
    static const char source[] =
            "#include \"some.h\"\n__kernel void k(__global int *x) {}\n";
    static const char call[] = "dnnl_cache_program_desc_set_include_following";
    char folder[DIR_SIZE], options[2 * DIR_SIZE];
    struct log_capture log;
    ASSERT_TRUE(make_header(folder));
    (void)snprintf(options, sizeof options, "-I%s", folder);
    dnnl_cache_program_desc_t followed =
            describe(x->rig.engine, source, options);
    dnnl_cache_program_desc_t by_hand =
            describe(x->rig.engine, source, options);
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(by_hand, 0));
    log_capture_start(&log);
    expect_cacheable(followed, true, "");
    EXPECT_FALSE(log_capture_has(&log, dnnl_cache_log_warning, call));
    expect_cacheable(by_hand, false, "some.h");
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_warning, call));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(by_hand));
    EXPECT_OK(dnnl_cache_program_desc_destroy(followed));
}

/* An in-memory hit does not reach the disk. */
TEST_CACHED(PersistentCache, IsAskedOnlyForWhatIsNotInMemory, "cache")
{
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    remove_kept("cache");
    EXPECT_EQ(dnnl_cache_origin_memory_hit, cached_relu(x));
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_EQ(1, kept_in("cache", dnnl_cache_blob_kind_program));
}

TEST_CACHED(PersistentCache, CapacityZeroIsOff, "cache")
{
    EXPECT_EQ(16, capacity());
    EXPECT_OK(dnnl_cache_persistent_set_capacity(0));
    EXPECT_EQ(0, capacity());
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_EQ(0, kept_in("cache", dnnl_cache_blob_kind_undef));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(1));
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_EQ(2, kept_in("cache", dnnl_cache_blob_kind_undef));
}

TEST_C(PersistentCache, CapacityCountsMegabytes)
{
    static const uint64_t mb = 1024 * 1024;
    struct cached x;
    fill("cache", 8, 1000 * 1000);
    cached_open(&x, "cache");
    EXPECT_EQ(8, kept_in("cache", dnnl_cache_blob_kind_undef));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(3));
    EXPECT_EQ(3, capacity());
    EXPECT_EQ(3, kept_in("cache", dnnl_cache_blob_kind_undef));
    EXPECT_LE(bytes_in("cache"), 3 * mb);
    /* 2 x 1000 * 1000 bytes fit into 2 MB, and only with MB of 1024 * 1024. */
    EXPECT_OK(dnnl_cache_persistent_set_capacity(16));
    remove_kept("cache");
    fill("cache", 2, 1000 * 1000);
    EXPECT_OK(dnnl_cache_persistent_set_capacity(2));
    EXPECT_EQ(2, kept_in("cache", dnnl_cache_blob_kind_undef));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(1));
    EXPECT_LE(bytes_in("cache"), mb);
    EXPECT_OK(dnnl_cache_persistent_set_capacity(16));
    remove_kept("cache");
    fill("cache", 2, 1000 * 1000);
    EXPECT_OK(dnnl_cache_persistent_set_capacity(INT32_MAX));
    EXPECT_EQ(INT32_MAX, capacity());
    EXPECT_EQ(2, kept_in("cache", dnnl_cache_blob_kind_undef));
    cached_close(&x);
}

/* First in, first out: what was used last goes, too. */
TEST_CACHED(PersistentCache, TheOldestGoHoweverUsed, "cache")
{
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    fill("cache", 8, 1000 * 1000);
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(x));
    EXPECT_EQ(10, kept_in("cache", dnnl_cache_blob_kind_undef));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(3));
    EXPECT_EQ(3, kept_in("cache", dnnl_cache_blob_kind_undef));
    EXPECT_EQ(0, kept_in("cache", dnnl_cache_blob_kind_program));
    EXPECT_EQ(0, kept_in("cache", dnnl_cache_blob_kind_engine));
}

TEST_CACHED(PersistentCache, IsEnabledPerEngineKind, "cache")
{
    EXPECT_OK(dnnl_cache_persistent_set_enabled(0, dnnl_gpu));
    EXPECT_EQ(0, is_enabled(dnnl_gpu));
    EXPECT_EQ(16, capacity());
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_EQ(0, kept_in("cache", dnnl_cache_blob_kind_undef));

    EXPECT_OK(dnnl_cache_persistent_set_enabled(1, dnnl_gpu));
    EXPECT_EQ(1, is_enabled(dnnl_gpu));
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_EQ(2, kept_in("cache", dnnl_cache_blob_kind_undef));
}

TEST_C(PersistentCache, HasNothingForCpus)
{
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_cache_persistent_set_enabled(1, dnnl_cpu));
    EXPECT_OK(dnnl_cache_persistent_set_enabled(0, dnnl_cpu));
    EXPECT_EQ(0, is_enabled(dnnl_cpu));
    EXPECT_EQ(1, is_enabled(dnnl_gpu));
}

TEST_C(PersistentCache, RefusesBadArguments)
{
    int untouched = 42;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_persistent_set_enabled(1, dnnl_any_engine));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_persistent_set_enabled(1, (dnnl_engine_kind_t)77));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_persistent_get_enabled(&untouched, dnnl_any_engine));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_persistent_get_enabled(NULL, dnnl_gpu));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_persistent_set_capacity(-1));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_persistent_get_capacity(NULL));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_persistent_set_dir(NULL));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_persistent_set_dir(""));
    EXPECT_EQ(42, untouched);
    EXPECT_EQ(0, capacity());
}

TEST_CACHED(PersistentCache, MovesToAnotherDirectory, "one")
{
    char dir[DIR_SIZE];
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_OK(dnnl_cache_persistent_set_dir(dir_in_test(dir, "two")));
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_EQ(2, kept_in("one", dnnl_cache_blob_kind_undef));
    EXPECT_EQ(2, kept_in("two", dnnl_cache_blob_kind_undef));
}

TEST_C(PersistentCache, StaysWhereItIsWhenTheApplicationGoesElsewhere)
{
    struct cached x;
    char here[DIR_SIZE];
    ASSERT_NOT_NULL(getcwd(here, sizeof here));
    ASSERT_EQ(0, chdir(test_directory()));
    EXPECT_OK(dnnl_cache_persistent_set_dir("below/it"));
    ASSERT_EQ(0, chdir("/"));
    cached_open(&x, NULL);
    EXPECT_OK(dnnl_cache_persistent_set_capacity(1));
    ASSERT_EQ(0, chdir(here));
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    EXPECT_EQ(2, kept_in("below/it", dnnl_cache_blob_kind_undef));
    cached_close(&x);
}

TEST_C(PersistentCache, AFailureChangesNothing)
{
    struct cached x;
    char dir[DIR_SIZE];
    dir_in_test(dir, "dangerous");
    ASSERT_EQ(0, mkdir(dir, 0700));
    ASSERT_EQ(0, chmod(dir, 0777));
    cached_open(&x, "cache");
    EXPECT_STATUS(dnnl_runtime_error, dnnl_cache_persistent_set_dir(dir));
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_persistent_set_dir("/dev/null"));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(8));
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    EXPECT_EQ(2, kept_in("cache", dnnl_cache_blob_kind_undef));
    EXPECT_EQ(0, rmdir(dir));

    /* While it is off a directory is only remembered. */
    EXPECT_OK(dnnl_cache_persistent_set_capacity(0));
    EXPECT_OK(dnnl_cache_persistent_set_dir("/dev/null"));
    EXPECT_STATUS(dnnl_runtime_error, dnnl_cache_persistent_set_capacity(8));
    EXPECT_EQ(0, capacity());
    cached_close(&x);
}

struct heard {
    unsigned messages;
    dnnl_cache_log_level_t level;
    char text[1024];
};

static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct heard *heard = user;
    heard->messages++;
    heard->level = level;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

static void expect_refusal(
        struct heard *heard, const char *dir, const char *reason)
{
    char text[2 * DIR_SIZE];
    *heard = (struct heard){0};
    EXPECT_STATUS(dnnl_runtime_error, dnnl_cache_persistent_set_dir(dir));
    snprintf(text, sizeof text, "persistent cache: %s: %s", dir, reason);
    EXPECT_STR_EQ(text, heard->text);
    EXPECT_EQ(1, heard->messages);
    EXPECT_EQ(dnnl_cache_log_error, heard->level);
}

TEST_CACHED(PersistentCache, SaysWhyADirectoryIsRefused, "cache")
{
    static const char others[] =
            "refused as a store: others may write to it (chmod go-w, or "
            "open it as shared)";
    struct heard heard = {0};
    char dir[DIR_SIZE];
    EXPECT_OK(dnnl_cache_persistent_set_log_callback(hear, &heard));
    ASSERT_EQ(0, mkdir(dir_in_test(dir, "dangerous"), 0700));
    ASSERT_EQ(0, chmod(dir, 0775));
    expect_refusal(&heard, dir, others);
    ASSERT_EQ(0, chmod(dir, 0777));
    expect_refusal(&heard, dir, others);
    expect_refusal(&heard, "/dev/null", "Not a directory");
    expect_refusal(&heard, "/proc/nope", "No such file or directory");
    EXPECT_EQ(0, rmdir(dir));
    EXPECT_OK(dnnl_cache_persistent_set_log_callback(NULL, NULL));
}

TEST_CACHED(PersistentCache, SaysWhatIsDamaged, "cache")
{
    struct heard heard = {0};
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    damage_kept("cache");
    cached_restart(x);
    EXPECT_OK(dnnl_cache_persistent_set_log_callback(hear, &heard));
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_TRUE(heard.messages >= 1);
    EXPECT_EQ(dnnl_cache_log_warning, heard.level);
    EXPECT_OK(dnnl_cache_persistent_set_log_callback(NULL, NULL));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, cached_relu(x));
}

static const char *type_in(const char *dir)
{
    char path[DIR_SIZE];
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type_at(dir_in_test(path, dir), NULL);
    return type != NULL ? type->name : "none";
}

/* As the proposal draws it. */
TEST_CACHED(PersistentCache, MakesABucketStore, "new/cache")
{
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    EXPECT_STR_EQ("bucket", type_in("new/cache"));
}

/* As an earlier version, or the layer, made it. */
TEST_C(PersistentCache, GoesOnWithTheStoreThatIsThere)
{
    static const char *const types[] = {"flat", "tree", "bucket"};
    for (int i = 0; i < 3; i++) {
        struct cached x;
        char dir[DIR_SIZE];
        dnnl_cache_store_handle_t *store = NULL;
        struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
        options.path = dir_in_test(dir, types[i]);
        ASSERT_OK(dnnl_cache_store_open(&store, types[i], &options));
        dnnl_cache_store_close(store);
        cached_open(&x, types[i]);
        EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
        EXPECT_EQ(2, kept_in(types[i], dnnl_cache_blob_kind_undef));
        EXPECT_STR_EQ(types[i], type_in(types[i]));
        cached_close(&x);
    }
}

TEST_C(PersistentCache, LeavesAnotherStoreAloneWhileItIsOff)
{
    struct cached x;
    struct memory_store store;
    char dir[DIR_SIZE];
    cached_open(&x, NULL);
    memory_store_open(&store);
    EXPECT_OK(dnnl_cache_set_default_store(&store.callbacks));
    EXPECT_OK(dnnl_cache_persistent_set_dir(dir_in_test(dir, "cache")));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(0));
    EXPECT_OK(dnnl_cache_persistent_set_enabled(1, dnnl_gpu));
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    EXPECT_EQ(2, store.puts);
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
    cached_close(&x);
    memory_store_close(&store);
}

TEST_C(PersistentCache, AnEngineMayHaveAStoreOfItsOwn)
{
    struct cached x;
    struct memory_store store;
    cached_open(&x, "cache");
    memory_store_open(&store);
    EXPECT_OK(dnnl_cache_engine_set_store(x.rig.engine, &store.callbacks));
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(&x));
    EXPECT_EQ(2, store.puts);
    EXPECT_EQ(0, kept_in("cache", dnnl_cache_blob_kind_undef));
    cached_close(&x);
    memory_store_close(&store);
}

/* Damage on disk is a miss, replaced by what is compiled. */
TEST_CACHED(PersistentCache, HealsDamage, "cache")
{
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    damage_kept("cache");
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_compiled, cached_relu(x));
    cached_restart(x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, cached_relu(x));
}
