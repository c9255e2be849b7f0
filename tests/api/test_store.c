/* SPDX-License-Identifier: Apache-2.0 */
/* Attached stores: what they are asked, what they are given, and that nothing
 * they do breaks the application. */
#include "blob_edit.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

/* A rig whose engine has a store. */
struct stored {
    struct rig rig;
    struct memory_store store;
};

static void stored_open(struct stored *x)
{
    rig_open(&x->rig, 0);
    memory_store_open(&x->store);
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
}

static void stored_close(struct stored *x)
{
    rig_close(&x->rig);
    memory_store_close(&x->store);
}

/* Another process, as far as the library is concerned, with the same store. */
static void restart(struct stored *x)
{
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(x->rig.engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &x->rig.engine, x->rig.device, x->rig.context));
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
}

/* Creates a relu and destroys it again; where it came from. */
static dnnl_cache_origin_t relu_origin(dnnl_engine_t engine)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(engine, 100, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_cache_origin_t origin = dnnl_cache_origin_none;
    if (primitive != NULL) origin = origin_of(primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return origin;
}

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
    restart(&x);
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
    restart(&x);
    EXPECT_EQ(1, memory_store_count(&x.store, dnnl_cache_blob_kind_program));
    program = build(x.rig.engine, scale_source, NULL);
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&x);
}

TEST_C(AttachedStore, ThatFailsIsAMiss)
{
    struct stored x;
    stored_open(&x);
    x.store.fail = dnnl_runtime_error;
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(0, memory_store_count(&x.store, dnnl_cache_blob_kind_undef));
    stored_close(&x);
}

/* Puts a changed program blob where the good one was and creates again. */
static void expect_healed(struct stored *x, const struct bytes *id,
        const struct bytes *bad, const struct bytes *good)
{
    memory_store_set(&x->store, id, bad);
    restart(x);
    unsigned removes = x->store.removes;
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    EXPECT_EQ(removes + 1, x->store.removes);
    struct memory_store_entry now =
            memory_store_only(&x->store, dnnl_cache_blob_kind_program);
    EXPECT_BYTES_EQ(good->data, good->size, now.blob.data, now.blob.size);
    bytes_free(&now.id);
    bytes_free(&now.blob);
}

TEST_C(AttachedStore, IsHealedOfDamageAndOfOtherDrivers)
{
    struct stored x;
    stored_open(&x);
    (void)relu_origin(x.rig.engine);
    struct memory_store_entry good =
            memory_store_only(&x.store, dnnl_cache_blob_kind_program);
    struct bytes bad = bytes_copy(good.blob.data, good.blob.size);
    bad.data[bad.size / 2] ^= 1;
    expect_healed(&x, &good.id, &bad, &good.blob);
    struct bytes other = blob_with_other_field(&good.blob, id_driver_version);
    expect_healed(&x, &good.id, &other, &good.blob);
    bytes_free(&bad);
    bytes_free(&other);
    bytes_free(&good.id);
    bytes_free(&good.blob);
    stored_close(&x);
}

/* Intact, of the right ID, and of a program without the kernel. */
TEST_C(AttachedStore, IsHealedOfAProgramWithoutTheKernel)
{
    struct stored x;
    stored_open(&x);
    (void)relu_origin(x.rig.engine);
    restart(&x);
    fake_opencl_fail("clCreateKernel", 1, CL_INVALID_KERNEL_NAME);
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(1, x.store.removes);
    restart(&x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x.rig.engine));
    stored_close(&x);
}

/* Byte 8 of a blob is its format version: docs/FORMAT.md. */
TEST_C(AttachedStore, KeepsWhatANewerLibraryPut)
{
    struct stored x;
    stored_open(&x);
    (void)relu_origin(x.rig.engine);
    struct memory_store_entry good =
            memory_store_only(&x.store, dnnl_cache_blob_kind_program);
    struct bytes newer = bytes_copy(good.blob.data, good.blob.size);
    newer.data[8]++;
    memory_store_set(&x.store, &good.id, &newer);
    restart(&x);
    unsigned puts = x.store.puts;
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x.rig.engine));
    EXPECT_EQ(0, x.store.removes);
    EXPECT_EQ(puts, x.store.puts);
    bytes_free(&newer);
    bytes_free(&good.id);
    bytes_free(&good.blob);
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
    restart(&x);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x.rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_EQ(dnnl_cache_origin_store_hit, relu_origin(x.rig.engine));
    x.store.fail = dnnl_runtime_error;
    restart(&x);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            x.rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_STATUS(dnnl_cache_miss, try_relu_desc(&pd, x.rig.engine, 100, 0.5f));
    EXPECT_NULL(pd);
    stored_close(&x);
}

/* ---- Stores that use the library ----------------------------------------- */

struct crossing {
    struct stored *own;
    dnnl_engine_t other;
    pthread_barrier_t *both_inside;
    bool entered;
};

/* Waits until both stores are asked, then needs the other engine's facts. */
static void cross(void *arg)
{
    struct crossing *c = arg;
    if (c->entered) return;
    c->entered = true;
    pthread_barrier_wait(c->both_inside);
    EXPECT_OK(dnnl_primitive_desc_destroy(relu_desc(c->other, 7, 0.0f)));
}

static void *describe_relu(void *arg)
{
    struct crossing *c = arg;
    EXPECT_OK(dnnl_primitive_desc_destroy(
            relu_desc(c->own->rig.engine, 100, 0.5f)));
    return NULL;
}

/* Two engines, each store needing the other engine: a lock held around the
 * callbacks would never be given back. */
TEST_C(AttachedStore, MayUseAnotherEngineInACircle)
{
    struct stored x[2];
    struct crossing c[2];
    pthread_barrier_t both_inside;
    pthread_t threads[2];
    ASSERT_EQ(0, pthread_barrier_init(&both_inside, NULL, 2));
    for (int i = 0; i < 2; i++)
        stored_open(&x[i]);
    for (int i = 0; i < 2; i++) {
        c[i] = (struct crossing){
                &x[i], x[1 - i].rig.engine, &both_inside, false};
        x[i].store.in_get = cross;
        x[i].store.in_get_arg = &c[i];
        ASSERT_EQ(0, pthread_create(&threads[i], NULL, describe_relu, &c[i]));
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i >= 0; i--)
        stored_close(&x[i]);
    pthread_barrier_destroy(&both_inside);
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
