/* SPDX-License-Identifier: Apache-2.0 */
/* Attached stores: what they are asked and what they are given. */
#include "blob_edit.h"
#include "programs.h"
#include "small_primitives.h"
#include "stored.h"

#include "test.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

TEST_STORED(AttachedStore, IsGivenEnginesAndPrograms)
{
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(1, memory_store_count(&x->store, dnnl_cache_blob_kind_engine));
    EXPECT_EQ(1, memory_store_count(&x->store, dnnl_cache_blob_kind_program));
    EXPECT_EQ(2, memory_store_count(&x->store, dnnl_cache_blob_kind_undef));
}

TEST_STORED(AttachedStore, SavesEveryCompilation)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    (void)relu_origin(x->rig.engine);
    stored_restart(x);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x->rig.engine));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_engine_get_creation_info(x->rig.engine, &info));
    EXPECT_EQ(dnnl_cache_origin_store_hit, info.origin);
}

TEST_STORED(AttachedStore, OfTheProcessServesEveryEngine)
{
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, NULL));
    EXPECT_OK(dnnl_cache_set_default_store(&x->store.callbacks));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(2, x->store.puts);
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
}

TEST_STORED(AttachedStore, IsGivenAProgramOnceItIsReleased)
{
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, NULL);
    EXPECT_EQ(0, memory_store_count(&x->store, dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_restart(x);
    EXPECT_EQ(1, memory_store_count(&x->store, dnnl_cache_blob_kind_program));
    program = build(x->rig.engine, scale_source, NULL);
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_STORED(AttachedStore, IsNotGivenWhatWasRecompiledSince)
{
    dnnl_cache_program_t old = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x->rig.engine, dnnl_cache_compile_mode_recompile));
    dnnl_cache_program_t fresh = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(fresh));
    unsigned puts = x->store.puts;
    EXPECT_OK(dnnl_cache_program_destroy(old));
    EXPECT_EQ(puts, x->store.puts);
    EXPECT_OK(dnnl_cache_program_destroy(fresh));
}

TEST_STORED(AttachedStore, MustHaveGetAndRelease)
{
    dnnl_cache_store_t bad = x->store.callbacks;
    bad.get = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_set_default_store(&bad));
    bad = x->store.callbacks;
    bad.release = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_set_store(x->rig.engine, &bad));
    bad = x->store.callbacks;
    bad.struct_size = 3;
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_set_default_store(&bad));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(2, x->store.gets);
}

/* A caller compiled with an older header has no get_many; one with a newer
 * header may have more, as long as it is not used. */
TEST_STORED(AttachedStore, MayBeOfAnotherReleasesHeader)
{
    struct {
        dnnl_cache_store_t known;
        void *later;
    } newer;
    dnnl_cache_store_t older = x->store.callbacks;
    older.struct_size = offsetof(dnnl_cache_store_t, get_many);
    memset(&older.get_many, 0xa5, sizeof older.get_many);
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &older));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(2, x->store.gets);
    memset(&newer, 0, sizeof newer);
    newer.known = x->store.callbacks;
    newer.known.struct_size = sizeof newer;
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &newer.known));
    newer.later = x;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_set_store(x->rig.engine, &newer.known));
}

TEST_STORED(AttachedStore, MayLackPutAndRemove)
{
    x->store.callbacks.put = NULL;
    x->store.callbacks.remove = NULL;
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(0, x->store.puts);
}

/* ---- Who is given what --------------------------------------------------- */

enum { SHAPES = 50 };

TEST_STORED(AttachedStore, IsGivenASharedProgramOnce)
{
    dnnl_primitive_t primitives[SHAPES];
    for (int round = 0; round < 2; round++) {
        dnnl_cache_statistics_t before = rig_statistics();
        for (int i = 0; i < SHAPES; i++) {
            dnnl_primitive_desc_t pd = relu_desc(x->rig.engine, i + 1, 0.0f);
            EXPECT_OK(dnnl_primitive_create(&primitives[i], pd));
            EXPECT_OK(dnnl_primitive_desc_destroy(pd));
        }
        if (round == 0)
            expect_moved(&before, 0, 2, 2, 0);
        else
            expect_moved(&before, 2, 0, 0, 0);
        for (int i = 0; i < SHAPES; i++)
            EXPECT_OK(dnnl_primitive_destroy(primitives[i]));
        EXPECT_EQ(
                1, memory_store_count(&x->store, dnnl_cache_blob_kind_program));
        stored_restart(x);
    }
    EXPECT_EQ(4, x->store.gets);
    EXPECT_EQ(2, x->store.puts);
}

/* Engines of one context share programs, not stores: the one that compiles
 * offers. */
TEST_C(AttachedStore, OfAnotherEngineIsNotGivenWhatIsInMemory)
{
    struct stored x;
    struct memory_store others;
    dnnl_engine_t other = NULL;
    stored_open(&x);
    memory_store_open(&others);
    ASSERT_OK(dnnl_ocl_interop_engine_create(
            &other, x.rig.device, x.rig.context));
    EXPECT_OK(dnnl_cache_engine_set_store(other, &others.callbacks));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, relu_origin(other));
    /* Facts are each engine's own. */
    EXPECT_EQ(1, memory_store_count(&others, dnnl_cache_blob_kind_undef));
    EXPECT_EQ(1, memory_store_count(&others, dnnl_cache_blob_kind_engine));
    EXPECT_EQ(2, memory_store_count(&x.store, dnnl_cache_blob_kind_undef));
    EXPECT_OK(dnnl_engine_destroy(other));
    stored_close(&x);
    memory_store_close(&others);
}

TEST_STORED(AttachedStore, IsNotGivenWhatWasThereBeforeIt)
{
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, NULL));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, relu_origin(x->rig.engine));
    EXPECT_EQ(0, x->store.gets);
    EXPECT_EQ(0, x->store.puts);
}

TEST_C(AttachedStore, OfAnEngineTakesTheProcesssPlace)
{
    struct stored x;
    struct memory_store process;
    stored_open(&x);
    memory_store_open(&process);
    EXPECT_OK(dnnl_cache_set_default_store(&process.callbacks));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(2, x.store.puts);
    EXPECT_EQ(0, process.gets);
    EXPECT_EQ(0, process.puts);
    /* Without its own it has the process's again. */
    EXPECT_OK(dnnl_cache_engine_set_store(x.rig.engine, NULL));
    dnnl_cache_program_t program = build(x.rig.engine, scale_source, NULL);
    EXPECT_EQ(1, process.gets);
    EXPECT_EQ(2, x.store.gets);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(x.rig.engine));
    x.rig.engine = NULL;
    EXPECT_EQ(1, process.puts);
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
    stored_close(&x);
    memory_store_close(&process);
}

static dnnl_status_t get_nothing(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    (void)user;
    (void)id_size;
    (void)id;
    (void)size;
    (void)blob;
    return dnnl_cache_miss;
}

static void release_nothing(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
    abort();
}

/* How one engine does without the process's store. */
TEST_STORED(AttachedStore, ThatHasNothingKeepsAnEngineFromTheProcesss)
{
    const dnnl_cache_store_t none = {.struct_size = sizeof none,
            .get = get_nothing,
            .release = release_nothing};
    EXPECT_OK(dnnl_cache_set_default_store(&x->store.callbacks));
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &none));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(0, x->store.gets);
    EXPECT_EQ(0, x->store.puts);
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
}

/* ---- Programs of the application's own ----------------------------------- */

TEST_STORED(AttachedStore, IsGivenAProgramWhenItIsCaptured)
{
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, NULL);
    EXPECT_EQ(0, x->store.puts);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(1, x->store.puts);
    struct memory_store_entry kept =
            memory_store_only(&x->store, dnnl_cache_blob_kind_program);
    struct bytes blob = program_blob(program);
    EXPECT_TRUE(bytes_equal(&blob, &kept.blob));
    bytes_free(&blob);
    bytes_free(&kept.id);
    bytes_free(&kept.blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_EQ(1, x->store.puts);
}

/* Built by the application, kept by the store, loaded by the library. */
TEST_STORED(AttachedStore, IsGivenAdoptedPrograms)
{
    cl_int error;
    dnnl_cache_program_t adopted = NULL;
    cl_program object = clCreateProgramWithSource(
            x->rig.context, 1, (const char **)&scale_source, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_EQ(CL_SUCCESS,
            clBuildProgram(object, 1, &x->rig.device, "", NULL, NULL));
    dnnl_cache_program_desc_t desc =
            describe(x->rig.engine, scale_source, NULL);
    ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    EXPECT_EQ(0, x->store.gets);
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_EQ(1, x->store.puts);
    stored_restart(x);
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, NULL);
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    expect_kernel(program, "fill");
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_STORED(AttachedStore, IsGivenCompressedBlobs)
{
    struct blob_edit edit;
    EXPECT_OK(dnnl_cache_engine_set_blob_compression(
            x->rig.engine, dnnl_cache_compression_zstd));
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    struct memory_store_entry kept =
            memory_store_only(&x->store, dnnl_cache_blob_kind_program);
    blob_edit_open(&edit, &kept.blob);
    EXPECT_EQ(blob_codec_zstd, edit.programs[0].codec);
    blob_edit_close(&edit);
    stored_restart(x); /* what is kept is read whatever the engine keeps */
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x->rig.engine));
    bytes_free(&kept.id);
    bytes_free(&kept.blob);
}

/* ---- Ends ---------------------------------------------------------------- */

TEST_STORED(AttachedStore, OutlivesItsEngine)
{
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_engine_destroy(x->rig.engine));
    x->rig.engine = NULL;
    EXPECT_EQ(0, x->store.puts);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_EQ(1, x->store.puts);
}

/* Who detaches a store may close it: nothing is put any more. */
TEST_STORED(AttachedStore, IsLeftAloneOnceItIsDetached)
{
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, NULL));
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(x->rig.engine));
    x->rig.engine = NULL;
    EXPECT_EQ(1, x->store.gets);
    EXPECT_EQ(0, x->store.puts);
}

TEST_C(AttachedStore, OfTheProcessIsLeftAloneOnceItIsReplaced)
{
    struct stored x;
    struct memory_store fresh;
    stored_open(&x);
    memory_store_open(&fresh);
    EXPECT_OK(dnnl_cache_engine_set_store(x.rig.engine, NULL));
    EXPECT_OK(dnnl_cache_set_default_store(&x.store.callbacks));
    dnnl_cache_program_t program = build(x.rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_set_default_store(&fresh.callbacks));
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(0, x.store.puts);
    EXPECT_EQ(0, fresh.puts);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_set_default_store(NULL));
    stored_close(&x);
    memory_store_close(&fresh);
}

TEST_STORED(AttachedStore, MayBeAttachedAgain)
{
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(1, x->store.puts);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}
