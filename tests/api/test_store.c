/* SPDX-License-Identifier: Apache-2.0 */
/* Attached stores: what they are asked and what they are given. */
#include "blob_edit.h"
#include "programs.h"
#include "small_primitives.h"
#include "stored.h"

#include "test.h"

TEST_C(AttachedStore, IsGivenEnginesAndPrograms)
{
    struct stored x;
    stored_open(&x);
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(1, memory_store_count(&x.store, dnnl_cache_blob_kind_engine));
    EXPECT_EQ(1, memory_store_count(&x.store, dnnl_cache_blob_kind_program));
    EXPECT_EQ(2, memory_store_count(&x.store, dnnl_cache_blob_kind_undef));
    stored_close(&x);
}

TEST_C(AttachedStore, SavesEveryCompilation)
{
    struct stored x;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    stored_open(&x);
    (void)relu_origin(x.rig.engine);
    stored_restart(&x);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x.rig.engine));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_engine_get_creation_info(x.rig.engine, &info));
    EXPECT_EQ(dnnl_cache_origin_store_hit, info.origin);
    stored_close(&x);
}

TEST_C(AttachedStore, OfTheProcessServesEveryEngine)
{
    struct stored x;
    stored_open(&x);
    EXPECT_OK(dnnl_cache_engine_set_store(x.rig.engine, NULL));
    EXPECT_OK(dnnl_cache_set_store(&x.store.callbacks));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(2, x.store.puts);
    EXPECT_OK(dnnl_cache_set_store(NULL));
    stored_close(&x);
}

TEST_C(AttachedStore, IsGivenAProgramOnceItIsReleased)
{
    struct stored x;
    stored_open(&x);
    dnnl_cache_program_t program = build(x.rig.engine, scale_source, NULL);
    EXPECT_EQ(0, memory_store_count(&x.store, dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_restart(&x);
    EXPECT_EQ(1, memory_store_count(&x.store, dnnl_cache_blob_kind_program));
    program = build(x.rig.engine, scale_source, NULL);
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&x);
}

TEST_C(AttachedStore, IsNotGivenWhatWasRecompiledSince)
{
    struct stored x;
    stored_open(&x);
    dnnl_cache_program_t old = build(x.rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x.rig.engine, dnnl_cache_compile_mode_recompile));
    dnnl_cache_program_t fresh = build(x.rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(fresh));
    unsigned puts = x.store.puts;
    EXPECT_OK(dnnl_cache_program_destroy(old));
    EXPECT_EQ(puts, x.store.puts);
    EXPECT_OK(dnnl_cache_program_destroy(fresh));
    stored_close(&x);
}

TEST_C(AttachedStore, ServesCachedOnlyEngines)
{
    struct stored x;
    dnnl_primitive_desc_t pd = NULL;
    stored_open(&x);
    (void)relu_origin(x.rig.engine);
    stored_restart(&x);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x.rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x.rig.engine));
    x.store.fail = dnnl_runtime_error;
    stored_restart(&x);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x.rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_STATUS(dnnl_cache_miss, try_relu_desc(&pd, x.rig.engine, 100, 0.5f));
    EXPECT_NULL(pd);
    stored_close(&x);
}

TEST_C(AttachedStore, MustHaveGetAndRelease)
{
    struct stored x;
    stored_open(&x);
    dnnl_cache_store_t bad = x.store.callbacks;
    bad.get = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_set_store(&bad));
    bad = x.store.callbacks;
    bad.release = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_set_store(x.rig.engine, &bad));
    bad = x.store.callbacks;
    bad.struct_size = 3;
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_set_store(&bad));
    stored_close(&x);
}

TEST_C(AttachedStore, MayLackPutAndRemove)
{
    struct stored x;
    stored_open(&x);
    x.store.callbacks.put = NULL;
    x.store.callbacks.remove = NULL;
    EXPECT_OK(dnnl_cache_engine_set_store(x.rig.engine, &x.store.callbacks));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(0, x.store.puts);
    stored_close(&x);
}
