/* SPDX-License-Identifier: Apache-2.0 */
/* A store that knows what other hosts compile: when it is asked to wait, and
 * what the hosts that wait are given. */
#include "programs.h"
#include "stored.h"

#include "test.h"

#include <string.h>

/* What the other hosts do, and what was asked. */
struct others {
    struct stored x;
    dnnl_cache_store_t callbacks;
    dnnl_status_t answer;
    struct memory_store_entry built; /* with dnnl_success: by another host */
    unsigned asked, stopped;
    unsigned puts_at_stop;
};

static struct others others;

static dnnl_status_t acquire_lease(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    struct memory_store *store = user;
    others.asked++;
    EXPECT_EQ(store->hits, 0); /* after a miss */
    if (others.answer != dnnl_success) return others.answer;
    const struct bytes key = {(uint8_t *)(uintptr_t)id, id_size};
    memory_store_set(store, &key, &others.built.blob);
    return others.callbacks.get(user, id_size, id, size, blob);
}

static void release_lease(void *user, size_t id_size, const uint8_t *id)
{
    const struct memory_store *store = user;
    EXPECT_TRUE(id_size > 0 && id != NULL);
    others.stopped++;
    others.puts_at_stop = store->puts;
}

static void open_others(dnnl_status_t answer)
{
    memset(&others, 0, sizeof others);
    others.answer = answer;
    stored_open(&others.x);
    others.callbacks = others.x.store.callbacks;
    others.callbacks.acquire_lease = acquire_lease;
    others.callbacks.release_lease = release_lease;
    EXPECT_OK(dnnl_cache_engine_set_store(
            others.x.rig.engine, &others.callbacks));
}

static dnnl_cache_program_t build_one(void)
{
    return build(others.x.rig.engine, scale_source, NULL);
}

TEST_C(StoreLead, GivesTheOtherHostsWhatItBuilt)
{
    open_others(dnnl_cache_miss);
    dnnl_cache_program_t program = build_one();
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_EQ(1, others.asked);
    EXPECT_EQ(1, others.stopped);
    EXPECT_EQ(1, others.puts_at_stop);
    /* Once is enough. */
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_restart(&others.x);
    EXPECT_EQ(1, others.x.store.puts);
    stored_close(&others.x);
}

TEST_C(StoreLead, UserDataMayBeAddedAfterwards)
{
    char data[8] = "";
    size_t size = sizeof data;
    open_others(dnnl_cache_miss);
    dnnl_cache_program_t program = build_one();
    EXPECT_OK(dnnl_cache_program_set_user_data(program, 5, "mine"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_restart(&others.x);
    EXPECT_EQ(2, others.x.store.puts);
    program = build_one();
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_get_user_data(program, &size, data));
    EXPECT_STR_EQ("mine", data);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&others.x);
}

TEST_C(StoreLead, WhatAnotherHostBuiltIsLoaded)
{
    open_others(dnnl_not_required);
    dnnl_cache_program_t program = build_one();
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_EQ(0, others.stopped); /* nobody waits */
    EXPECT_EQ(0, others.x.store.puts);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    others.built =
            memory_store_only(&others.x.store, dnnl_cache_blob_kind_program);
    stored_restart(&others.x);
    memory_store_clear(&others.x.store);
    EXPECT_OK(dnnl_cache_engine_set_store(
            others.x.rig.engine, &others.callbacks));
    others.answer = dnnl_success;
    const unsigned long builds = fake_opencl_source_builds();
    program = build_one();
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(2, others.asked);
    EXPECT_EQ(0, others.stopped);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&others.built.id);
    bytes_free(&others.built.blob);
    stored_close(&others.x);
}

TEST_C(StoreLead, WhatDoesNotCompileIsLetGoOf)
{
    dnnl_cache_program_t program = NULL;
    open_others(dnnl_cache_miss);
    dnnl_cache_program_desc_t desc =
            describe(others.x.rig.engine, scale_source, NULL);
    fake_opencl_set("BUILD_ERROR", "-11");
    EXPECT_NE(dnnl_success, dnnl_cache_program_create(&program, desc));
    fake_opencl_set("BUILD_ERROR", NULL);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_EQ(1, others.stopped);
    EXPECT_EQ(0, others.puts_at_stop);
    stored_close(&others.x);
}

/* Who may not compile does not wait, nor who compiles anyway. */
TEST_C(StoreLead, IsAskedForOnlyToCompile)
{
    dnnl_cache_program_t program = NULL;
    open_others(dnnl_cache_miss);
    dnnl_cache_program_desc_t desc =
            describe(others.x.rig.engine, scale_source, NULL);
    rig_set_mode(&others.x.rig, dnnl_cache_compile_mode_cached_only);
    EXPECT_STATUS(dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
    EXPECT_EQ(0, others.asked);
    rig_set_mode(&others.x.rig, dnnl_cache_compile_mode_recompile);
    EXPECT_OK(dnnl_cache_program_create(&program, desc));
    EXPECT_EQ(0, others.asked);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    stored_close(&others.x);
}

/* A store of before these callbacks, and one that has one of them. */
TEST_C(StoreLead, NeedsBothCallbacks)
{
    open_others(dnnl_cache_miss);
    others.callbacks.release_lease = NULL;
    EXPECT_OK(dnnl_cache_engine_set_store(
            others.x.rig.engine, &others.callbacks));
    dnnl_cache_program_t program = build_one();
    EXPECT_EQ(0, others.asked);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&others.x);
}
