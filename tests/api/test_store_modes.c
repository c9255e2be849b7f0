/* SPDX-License-Identifier: Apache-2.0 */
/* Compile modes of engines and of the process, with a store; what the
 * statistics say of each. */
#include "programs.h"
#include "small_primitives.h"
#include "stored.h"

#include "test.h"

static void set_mode(struct stored *x, dnnl_cache_compile_mode_t mode)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(x->rig.engine, mode));
}

/* What a relu needs in a mode, from a store with two blobs or none: hits,
 * misses, puts and compilations. */
static void expect_relu(struct stored *x, dnnl_status_t status,
        dnnl_cache_origin_t origin, unsigned hits, unsigned misses,
        unsigned puts, unsigned builds)
{
    dnnl_cache_origin_t got;
    dnnl_cache_statistics_t before = rig_statistics();
    unsigned long builds_before = fake_opencl_source_builds();
    EXPECT_STATUS(status, try_relu(x->rig.engine, &got));
    EXPECT_EQ(origin, got);
    expect_moved(&before, hits, misses, puts, 0);
    EXPECT_EQ(builds, fake_opencl_source_builds() - builds_before);
    EXPECT_EQ(builds,
            rig_statistics().programs_compiled - before.programs_compiled);
}

TEST_STORED(StoreModes, NormalCompilesAMissAndLoadsAHit)
{
    expect_relu(x, dnnl_success, dnnl_cache_origin_compiled, 0, 2, 2, 2);
    expect_relu(x, dnnl_success, dnnl_cache_origin_memory_hit, 0, 0, 0, 0);
    stored_restart(x);
    expect_relu(x, dnnl_success, dnnl_cache_origin_store_hit, 2, 0, 0, 0);
    EXPECT_EQ(dnnl_cache_origin_store_hit, facts_info(x->rig.engine).origin);
    EXPECT_EQ(0, x->store.removes);
}

TEST_STORED(StoreModes, CachedOnlyLoadsAHit)
{
    (void)relu_origin(x->rig.engine);
    stored_restart(x);
    set_mode(x, dnnl_cache_compile_mode_cached_only);
    expect_relu(x, dnnl_success, dnnl_cache_origin_store_hit, 2, 0, 0, 0);
    expect_relu(x, dnnl_success, dnnl_cache_origin_memory_hit, 0, 0, 0, 0);
}

/* The engine's facts are missed already, and nothing else is asked for. */
TEST_STORED(StoreModes, CachedOnlyCompilesNothing)
{
    set_mode(x, dnnl_cache_compile_mode_cached_only);
    expect_relu(x, dnnl_cache_miss, dnnl_cache_origin_none, 0, 1, 0, 0);
    expect_relu(x, dnnl_cache_miss, dnnl_cache_origin_none, 0, 1, 0, 0);
    EXPECT_EQ(dnnl_cache_origin_none, facts_info(x->rig.engine).origin);
    /* A miss is no verdict. */
    set_mode(x, dnnl_cache_compile_mode_normal);
    expect_relu(x, dnnl_success, dnnl_cache_origin_compiled, 0, 2, 2, 2);
}

TEST_STORED(StoreModes, CachedOnlyCompilesNoProgramOfAKnownEngine)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    memory_store_clear(&x->store);
    memory_store_set(&x->store, &good.engine.id, &good.engine.blob);
    stored_restart(x);
    set_mode(x, dnnl_cache_compile_mode_cached_only);
    expect_relu(x, dnnl_cache_miss, dnnl_cache_origin_none, 1, 1, 0, 0);
    /* A program of the application's own: the same. */
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc =
            describe(x->rig.engine, scale_source, NULL);
    EXPECT_STATUS(dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
    EXPECT_NULL(program);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    good_blobs_free(&good);
}

TEST_STORED(StoreModes, CachedOnlyMissesWhatAStoreFailsToGive)
{
    dnnl_cache_origin_t origin;
    (void)relu_origin(x->rig.engine);
    x->store.fail = dnnl_runtime_error;
    stored_restart(x);
    set_mode(x, dnnl_cache_compile_mode_cached_only);
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_STATUS(dnnl_cache_miss, try_relu(x->rig.engine, &origin));
    expect_moved(&before, 0, 1, 0, 1);
}

/* The store is not asked, and given both anew. */
TEST_STORED(StoreModes, RecompileReplacesWhatIsThere)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    memory_store_set(&x->store, &good.engine.id, &good.program.blob);
    memory_store_set(&x->store, &good.program.id, &good.engine.blob);
    stored_restart(x);
    set_mode(x, dnnl_cache_compile_mode_recompile);
    unsigned gets = x->store.gets;
    expect_relu(x, dnnl_success, dnnl_cache_origin_compiled, 0, 0, 2, 2);
    EXPECT_EQ(gets, x->store.gets);
    EXPECT_EQ(0, x->store.removes);
    expect_good_blobs(&good, x);
    /* Each time anew, but the facts are the engine's. */
    expect_relu(x, dnnl_success, dnnl_cache_origin_compiled, 0, 0, 1, 1);
    EXPECT_EQ(gets, x->store.gets);
    set_mode(x, dnnl_cache_compile_mode_normal);
    expect_relu(x, dnnl_success, dnnl_cache_origin_memory_hit, 0, 0, 0, 0);
    good_blobs_free(&good);
}

TEST_STORED(StoreModes, OfTheProcessHoldUnlessTheEngineHasItsOwn)
{
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_cached_only));
    expect_relu(x, dnnl_cache_miss, dnnl_cache_origin_none, 0, 1, 0, 0);
    set_mode(x, dnnl_cache_compile_mode_normal);
    expect_relu(x, dnnl_success, dnnl_cache_origin_compiled, 0, 2, 2, 2);
    stored_restart(x);
    expect_relu(x, dnnl_success, dnnl_cache_origin_store_hit, 2, 0, 0, 0);
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_recompile));
    expect_relu(x, dnnl_success, dnnl_cache_origin_compiled, 0, 0, 1, 1);
    set_mode(x, dnnl_cache_compile_mode_cached_only);
    expect_relu(x, dnnl_success, dnnl_cache_origin_memory_hit, 0, 0, 0, 0);
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_normal));
}

/* ---- Statistics ---------------------------------------------------------- */

/* The counters of programs beside those of the store. */
TEST_STORED(StoreStatistics, CountProgramsLoadedFromStores)
{
    EXPECT_OK(dnnl_cache_program_destroy(
            build(x->rig.engine, scale_source, NULL)));
    stored_restart(x);
    dnnl_cache_statistics_t before = rig_statistics();
    dnnl_cache_program_t first = build(x->rig.engine, scale_source, NULL);
    dnnl_cache_program_t second = build(x->rig.engine, scale_source, NULL);
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_EQ(1, now.program_misses - before.program_misses);
    EXPECT_EQ(1, now.program_hits - before.program_hits);
    EXPECT_EQ(0, now.programs_compiled - before.programs_compiled);
    EXPECT_EQ(1, now.programs_loaded - before.programs_loaded);
    EXPECT_EQ(0, now.blobs_rejected - before.blobs_rejected);
    EXPECT_EQ(0, now.compile_ns - before.compile_ns);
    expect_moved(&before, 1, 0, 0, 0);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

/* Nobody asks a store for what has no ID. */
TEST_STORED(StoreStatistics, DoNotCountWhatIsNotCacheable)
{
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_OK(dnnl_cache_program_destroy(build(x->rig.engine,
            "#if 0\n#include \"x\"\n#endif\n__kernel void k(void) {}", NULL)));
    expect_moved(&before, 0, 0, 0, 0);
    EXPECT_EQ(0, x->store.gets);
}

/* A store without put and remove fails at neither. */
TEST_STORED(StoreStatistics, DoNotCountWhatAStoreCannotDo)
{
    struct good_blobs good;
    good_blobs_make(&good, x);
    memory_store_set(&x->store, &good.program.id, &good.engine.blob);
    stored_restart(x);
    x->store.callbacks.put = NULL;
    x->store.callbacks.remove = NULL;
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    expect_moved(&before, 1, 1, 0, 0);
    EXPECT_EQ(0, x->store.removes);
    good_blobs_free(&good);
}
