/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library on many hosts, over one real redis-server: each host is a process
 * with the fake driver, an empty local store and connections of its own.
 */
#include "dnnl_cache/tiers.h"
#include "programs.h"
#include "redis_server.h"
#include "rig.h"

#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { hosts = 20, programs = 5, path_size = 512 };

static struct redis_process server;

/* What a host writes when it has all programs. */
struct outcome {
    unsigned compiled;
    unsigned found;
    unsigned wrong;
};

static dnnl_status_t open_layers(
        dnnl_cache_store_handle_t **store, unsigned host)
{
    struct dnnl_cache_store_options local = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_tiers layers = DNNL_CACHE_STORE_TIERS_INIT;
    char path[path_size];
    char url[path_size];
    snprintf(path, sizeof path, "%s/local%u", test_directory(), host);
    snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=20000",
            server.socket);
    local.path = path;
    layers.local = &local;
    layers.remote = url;
    layers.needs_local = true;
    return dnnl_cache_store_open_tiers(store, &layers);
}

static struct outcome start_host(unsigned host)
{
    struct outcome outcome = {0};
    struct rig rig;
    dnnl_cache_store_handle_t *store = NULL;
    rig_open(&rig, 0);
    if (open_layers(&store, host) != dnnl_success
            || dnnl_cache_engine_set_store(
                       rig.engine, dnnl_cache_store_get_callbacks(store))
                       != dnnl_success)
        outcome.wrong++;
    for (unsigned i = 0; i < programs; i++) {
        char options[32];
        snprintf(options, sizeof options, "-DN=%u", (i + host) % programs);
        dnnl_cache_program_t program = build(rig.engine, scale_source, options);
        const dnnl_cache_origin_t origin = info_of(program).origin;
        outcome.compiled += origin == dnnl_cache_origin_compiled;
        outcome.found += origin == dnnl_cache_origin_store_hit;
        /* What a holder shares early can still be given user data. */
        if (origin == dnnl_cache_origin_compiled
                && dnnl_cache_program_set_user_data(program, 4, "data")
                           != dnnl_success)
            outcome.wrong++;
        (void)dnnl_cache_program_destroy(program);
    }
    (void)dnnl_cache_engine_set_store(rig.engine, NULL);
    rig_close(&rig);
    dnnl_cache_store_close(store);
    outcome.wrong += test_has_failed();
    return outcome;
}

static void run_host(unsigned host, int out)
{
    const struct outcome outcome = start_host(host);
    (void)!write(out, &outcome, sizeof outcome);
    _exit(0);
}

TEST_C(Fleet, CompilesEachProgramOnce)
{
    struct outcome sum = {0};
    pid_t pids[hosts];
    int ends[2];
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    ASSERT_EQ(0, pipe(ends));
    for (unsigned i = 0; i < hosts; i++) {
        pids[i] = fork();
        if (pids[i] == 0) run_host(i, ends[1]);
    }
    (void)close(ends[1]);
    for (unsigned i = 0; i < hosts; i++) {
        struct outcome one;
        ASSERT_EQ(sizeof one, read(ends[0], &one, sizeof one));
        sum.compiled += one.compiled;
        sum.found += one.found;
        sum.wrong += one.wrong;
    }
    for (unsigned i = 0; i < hosts; i++)
        while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
            ;
    (void)close(ends[0]);
    EXPECT_EQ(0, sum.wrong);
    EXPECT_EQ(programs, sum.compiled);
    EXPECT_EQ((hosts - 1) * programs, sum.found);
    redis_kill(&server);
}

/* The same for one host alone: what does not compile is compiled by the next
 * one, and keeps nobody waiting. */
TEST_REDIS(Fleet, WhatDoesNotCompileIsLetGoOf)
{
    struct rig rig;
    dnnl_cache_store_handle_t *store = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(open_layers(&store, 0));
    ASSERT_OK(dnnl_cache_engine_set_store(
            rig.engine, dnnl_cache_store_get_callbacks(store)));
    dnnl_cache_program_desc_t desc =
            describe(rig.engine, "kernel void f() { #error }", NULL);
    dnnl_cache_program_t program = NULL;
    fake_opencl_set("BUILD_ERROR", "-11");
    EXPECT_NE(dnnl_success, dnnl_cache_program_create(&program, desc));
    fake_opencl_set("BUILD_ERROR", NULL);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, NULL));
    rig_close(&rig);
    dnnl_cache_store_close(store);
    /* The lease is gone; it was let go of until the server said so. */
    EXPECT_LE(1, redis_calls(&server, "eval"));
    EXPECT_EQ(0, redis_number(&server, "DBSIZE"));
}
