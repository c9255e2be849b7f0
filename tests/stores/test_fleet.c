/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library on many hosts, over one real redis-server: each host is a process
 * with the fake driver, an empty local store and connections of its own.
 */
#include "dnnl_cache/tiers.h"
#include "programs.h"
#include "redis_server.h"
#include "rig.h"
#include "slow_proxy.h"

#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

/* NULL: without encryption, at the server itself. */
static const char *encrypted_url;
static const char an_application[] = "an application that nobody knows";

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
    layers.remote = encrypted_url != NULL ? encrypted_url : url;
    if (encrypted_url != NULL) layers.application = an_application;
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

/* ---- A server that may not read ------------------------------------------ */

/* Eight bytes of an ID that are seen by chance where they are not known: zeros
 * and one byte stand before any key, once in 256. */
static bool tells_something(const uint8_t *bytes)
{
    int others = 0;
    for (int i = 0; i < 8; i++)
        others += bytes[i] != 0;
    return others >= 5;
}

/* Notes a failure for each thing that a server is not to learn. */
static void expect_nothing_known(
        const char *bytes, size_t size, const struct rig *rig)
{
    static const char *const secrets[] = {"__kernel", "get_global_id", "scale",
            "-DN=0", "-DN=1", "dnnl-cache wset", an_application};
    char name[256] = "";
    uint8_t id[8192];
    size_t id_size = sizeof id;
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (memmem(bytes, size, secrets[i], strlen(secrets[i])) != NULL)
            test_fail(__FILE__, __LINE__, "%s", secrets[i]);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(rig->device, CL_DEVICE_NAME,
                                  sizeof name, name, NULL));
    EXPECT_LE(6, strlen(name));
    EXPECT_NULL(memmem(bytes, size, name, strlen(name)));
    dnnl_cache_program_desc_t desc =
            describe(rig->engine, scale_source, "-DN=0");
    ASSERT_OK(dnnl_cache_program_desc_get_cache_blob_id(desc, &id_size, id));
    for (size_t at = 0; at + 8 <= id_size; at += 4)
        if (tells_something(id + at))
            EXPECT_NULL(memmem(bytes, size, id + at, 8));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* Two hosts, one after the other, with all that they say written down: leases,
 * messages, lists of working sets, programs, engines. */
TEST_REDIS(Fleet, ShowsAServerThatMayNotReadNothing)
{
    struct slow_proxy proxy;
    char key[path_size];
    char url[2 * path_size];
    struct rig rig;
    snprintf(key, sizeof key, "%s/key", test_directory());
    ASSERT_OK(dnnl_cache_store_encryption_key_make(key));
    slow_proxy_record(&proxy, server.socket, 0);
    snprintf(url, sizeof url,
            "redis://127.0.0.1:%u?timeout_ms=20000&encryption_key_file=%s",
            proxy.port, key);
    encrypted_url = url;
    const struct outcome first = start_host(0);
    const struct outcome second = start_host(1);
    encrypted_url = NULL;
    slow_proxy_stop(&proxy);
    EXPECT_EQ(programs, first.compiled);
    EXPECT_EQ(programs, second.found);
    EXPECT_EQ(0, first.wrong + second.wrong);
    rig_open(&rig, 0);
    EXPECT_LE(1000, proxy.record_size);
    expect_nothing_known(proxy.record, proxy.record_size, &rig);
    slow_proxy_free(&proxy);
    /* Programs, engines, a list, how long compiling took, whose they are. */
    long long left = redis_number(&server, "DBSIZE");
    EXPECT_LE(programs + 2, left);
    for (; left > 0; left--) {
        char name[512];
        size_t size = 0;
        (void)redis_text(&server, name, sizeof name, "RANDOMKEY");
        char *value = redis_bytes(&server, &size, "GET %s", name);
        ASSERT_NOT_NULL(value);
        expect_nothing_known(name, strlen(name), &rig);
        expect_nothing_known(value, size, &rig);
        free(value);
        EXPECT_EQ(1, redis_number(&server, "DEL %s", name));
    }
    rig_close(&rig);
}
