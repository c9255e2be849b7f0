/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was compiled again, on purpose, is what a store ends up with, whatever
 * older handles are given up later; and nobody removes what is good there.
 */
#include "blob_edit.h"
#include "programs.h"
#include "small_primitives.h"
#include "stored.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Compilers' logs, which blobs have, tell old and new blobs apart. */
static const char *const old_log = "COMPILED-FIRST";
static const char *const new_log = "COMPILED-AGAIN";

static void set_mode(const struct stored *x, dnnl_cache_compile_mode_t mode)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(x->rig.engine, mode));
}

static bool has_text(const struct bytes *bytes, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= bytes->size; i++)
        if (memcmp(bytes->data + i, text, length) == 0) return true;
    return false;
}

/* The only program in the store is the new one. */
static void expect_fresh(struct stored *x)
{
    struct memory_store_entry only =
            memory_store_only(&x->store, dnnl_cache_blob_kind_program);
    EXPECT_TRUE(has_text(&only.blob, new_log));
    EXPECT_FALSE(has_text(&only.blob, old_log));
    bytes_free(&only.id);
    bytes_free(&only.blob);
}

static dnnl_cache_program_t compile_again(struct stored *x)
{
    fake_opencl_set("BUILD_LOG", new_log);
    set_mode(x, dnnl_cache_compile_mode_recompile);
    dnnl_cache_program_t fresh = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(fresh));
    set_mode(x, dnnl_cache_compile_mode_normal);
    return fresh;
}

static void no_limit(void)
{
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
}

TEST_STORED(StoreFresh, OldProgramThatWasEvictedIsNotOffered)
{
    fake_opencl_set("BUILD_LOG", old_log);
    dnnl_cache_program_t old = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0)); /* evicts it */
    no_limit();
    dnnl_cache_program_t fresh = compile_again(x);
    expect_fresh(x);
    EXPECT_OK(dnnl_cache_program_destroy(old));
    expect_fresh(x);
    EXPECT_OK(dnnl_cache_program_destroy(fresh));
    expect_fresh(x);
}

TEST_STORED(StoreFresh, OldProgramThatWasNeverInMemoryIsNotOffered)
{
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    fake_opencl_set("BUILD_LOG", old_log);
    dnnl_cache_program_t old = build(x->rig.engine, scale_source, NULL);
    dnnl_cache_program_t fresh = compile_again(x);
    EXPECT_OK(dnnl_cache_program_destroy(old));
    expect_fresh(x);
    EXPECT_OK(dnnl_cache_program_destroy(fresh));
    expect_fresh(x);
    no_limit();
}

TEST_STORED(StoreFresh, OldProgramOfTheApplicationsIsNotOffered)
{
    const char *source = scale_source;
    dnnl_cache_program_t adopted = NULL;
    cl_int error;
    fake_opencl_set("BUILD_LOG", old_log);
    cl_program object =
            clCreateProgramWithSource(x->rig.context, 1, &source, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_EQ(CL_SUCCESS,
            clBuildProgram(object, 1, &x->rig.device, "", NULL, NULL));
    dnnl_cache_program_desc_t desc =
            describe(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    clReleaseProgram(object);
    dnnl_cache_program_t fresh = compile_again(x);
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    expect_fresh(x);
    EXPECT_OK(dnnl_cache_program_destroy(fresh));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* ---- Compiled again while it is being compiled --------------------------- */

struct creation {
    pthread_t thread;
    dnnl_cache_program_desc_t desc;
    dnnl_cache_program_t program;
    dnnl_status_t status;
};

static void *create_it(void *arg)
{
    struct creation *c = arg;
    c->status = dnnl_cache_program_create(&c->program, c->desc);
    return NULL;
}

/* The one that began first is the older one, though it ends last. */
TEST_STORED(StoreFresh, OldProgramThatIsStillCompiledIsNotOffered)
{
    dnnl_cache_program_desc_t again =
            describe(x->rig.engine, scale_source, NULL);
    struct creation old = {.desc = describe(x->rig.engine, scale_source, NULL)};
    /* Both IDs are made before anything is blocked. */
    struct bytes id = program_id(old.desc);
    bytes_free(&id);
    id = program_id(again);
    bytes_free(&id);
    struct creation fresh = {.desc = again};
    fake_opencl_set("BUILD_LOG", old_log);
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&old.thread, NULL, create_it, &old));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    set_mode(x, dnnl_cache_compile_mode_recompile);
    ASSERT_EQ(0, pthread_create(&fresh.thread, NULL, create_it, &fresh));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(2));
    fake_opencl_block_builds(false);
    pthread_join(old.thread, NULL);
    pthread_join(fresh.thread, NULL);
    EXPECT_OK(old.status);
    EXPECT_OK(fresh.status);
    EXPECT_OK(dnnl_cache_program_capture(fresh.program));
    unsigned puts = x->store.puts;
    EXPECT_OK(dnnl_cache_program_capture(old.program));
    EXPECT_OK(dnnl_cache_program_destroy(old.program));
    EXPECT_EQ(puts, x->store.puts);
    EXPECT_EQ(1, memory_store_count(&x->store, dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_cache_program_destroy(fresh.program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(old.desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(again));
}

/* ---- What is good stays -------------------------------------------------- */

/* Who may not compile cannot heal a store, and does not know who has. */
TEST_STORED(StoreFresh, CachedOnlyModeRemovesNothing)
{
    dnnl_cache_program_t program = NULL;
    size_t found = 7;
    program = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    struct memory_store_entry good =
            memory_store_only(&x->store, dnnl_cache_blob_kind_program);
    struct bytes bad = bytes_copy(good.blob.data, good.blob.size);
    bad.data[bad.size - 1] ^= 1;
    memory_store_set(&x->store, &good.id, &bad);
    stored_restart(x);
    unsigned removes = x->store.removes;
    set_mode(x, dnnl_cache_compile_mode_cached_only);
    dnnl_cache_program_desc_t desc =
            describe(x->rig.engine, scale_source, NULL);
    EXPECT_STATUS(dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
    const uint8_t *id = good.id.data;
    EXPECT_OK(dnnl_cache_engine_prefetch(
            x->rig.engine, 1, &good.id.size, &id, &found));
    EXPECT_EQ(0, found);
    EXPECT_EQ(removes, x->store.removes);
    set_mode(x, dnnl_cache_compile_mode_normal); /* which heals it */
    EXPECT_OK(dnnl_cache_program_create(&program, desc));
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(removes + 1, x->store.removes);
    EXPECT_EQ(1, memory_store_count(&x->store, dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    bytes_free(&bad);
    bytes_free(&good.id);
    bytes_free(&good.blob);
}

/* An intact blob of the caller's whose binary is another program's. */
static struct bytes blob_without_the_kernel(struct stored *x)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_engine_t other = NULL;
    struct blob_edit edit;
    dnnl_primitive_desc_t pd = relu_desc(x->rig.engine, 100, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    struct bytes mine = primitive_blob(primitive);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_cache_program_t program = build(other, scale_source, NULL);
    struct bytes theirs = program_blob(program);
    blob_edit_open(&edit, &theirs);
    struct bytes bad = blob_with_binary(
            &mine, edit.programs[0].binary, edit.programs[0].binary_size);
    blob_edit_close(&edit);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(other));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    bytes_free(&theirs);
    bytes_free(&mine);
    return bad;
}

TEST_STORED(StoreFresh, CallersBadBlobCostsTheStoreNothing)
{
    struct good_blobs good;
    dnnl_primitive_t primitive = NULL;
    good_blobs_make(&good, x);
    struct bytes bad = blob_without_the_kernel(x);
    stored_restart(x);
    unsigned removes = x->store.removes;
    dnnl_primitive_desc_t pd = relu_desc(x->rig.engine, 100, 0.5f);
    EXPECT_STATUS(
            dnnl_cache_blob_stale, dnnl_primitive_create_from_cache_blob(
                                           &primitive, pd, bad.size, bad.data));
    EXPECT_EQ(removes, x->store.removes);
    EXPECT_EQ(1, memory_store_count(&x->store, dnnl_cache_blob_kind_program));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    bytes_free(&bad);
    good_blobs_free(&good);
}
