/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applications on many hosts that start at once, under the layer, over one real
 * redis-server: each has an empty local store, and each program is compiled
 * once. The driver is one whose binaries are complete when a program is built.
 */
#include "application.h"

#include "layer_process.h"
#include "redis_server.h"
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { hosts = 8, programs = 4 };

static struct redis_process server;

static void use_programs(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    a.is_alone = false; /* PoCL's programs wait for the end of the process */
    for (int i = 0; i < programs; i++) {
        char kernel[32];
        (void)snprintf(kernel, sizeof kernel, "k%d", i);
        use_program(&a, kernel, "-DX=1");
    }
    application_close(&a);
}

/* Builds that reached the driver, by all hosts. */
static unsigned long start_hosts(const char *platform)
{
    char remote[256];
    char directories[hosts][256];
    pid_t pids[hosts];
    snprintf(remote, sizeof remote,
            "DNNL_CACHE_REMOTE=unix://%s?insecure=1&timeout_ms=20000",
            server.socket);
    forget_counts();
    for (int i = 0; i < hosts; i++) {
        (void)snprintf(directories[i], sizeof directories[i],
                "DNNL_CACHE_DIR=%s/%s %d", test_directory(), platform, i);
        const char *const variables[] = {directories[i], remote, platform,
                "FAKE_OPENCL_BUILD_MS=200",
                /* So late that only what leads is stored in time. */
                "DNNL_CACHE_CAPTURE_SECONDS=100", NULL};
        pids[i] = start_application(variables, use_programs, NULL);
    }
    for (int i = 0; i < hosts; i++)
        EXPECT_EQ(0, layer_process_wait(pids[i]));
    return counted_by_all("misses");
}

TEST_REDIS(LayerFleet, CompilesEachProgramOnce)
{
    EXPECT_EQ(programs, start_hosts("FAKE_OPENCL_PLATFORM_NAME=rusticl"));
    EXPECT_EQ((hosts - 1) * programs, counted_by_all("hits"));
}

/* ---- Applications that never give their programs back -------------------- */

static const char source[] = "kernel void one(global float *x) { *x = 1.0f; }";

static const char *end_path(void)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/end", test_directory());
    return path;
}

static void *build_and_stay(void *user)
{
    struct application a;
    application_open(&a, 1);
    build(program_of_source(&a, source), "");
    while (access(end_path(), F_OK) != 0)
        (void)usleep(1000);
    return user;
}

/* The main thread never calls OpenCL, so that there is no worker. */
static void build_elsewhere(void *user)
{
    pthread_t thread;
    ASSERT_EQ(0, pthread_create(&thread, NULL, build_and_stay, user));
    ASSERT_EQ(0, pthread_join(thread, NULL));
}

static void build_again(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    EXPECT_EQ(0, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_REDIS(LayerFleet, WhatLeadsIsStoredBeforeItIsReleased)
{
    char remote[256];
    char directories[2][256];
    snprintf(remote, sizeof remote,
            "DNNL_CACHE_REMOTE=unix://%s?insecure=1&timeout_ms=20000"
            "&lease_ms=600000",
            server.socket);
    for (int i = 0; i < 2; i++)
        (void)snprintf(directories[i], sizeof directories[i],
                "DNNL_CACHE_DIR=%s/host %d", test_directory(), i);
    const char *const first[] = {directories[0], remote,
            "FAKE_OPENCL_PLATFORM_NAME=rusticl",
            "DNNL_CACHE_CAPTURE_SECONDS=100", NULL};
    const char *const second[] = {directories[1], first[1], first[2], NULL};
    forget_counts();
    const pid_t pid = start_application(first, build_elsewhere, NULL);
    while (redis_calls(&server, "publish") == 0)
        (void)usleep(1000);
    EXPECT_EQ(0, run_application(second, build_again, NULL));
    FILE *end = fopen(end_path(), "w");
    ASSERT_TRUE(end != NULL);
    (void)fclose(end);
    EXPECT_EQ(0, layer_process_wait(pid));
}

/* ---- Drivers ------------------------------------------------------------- */

/* What is compiled later, at a launch, is not in a binary that is asked for at
 * once: nobody waits for such a driver's. */
TEST_REDIS(LayerFleet, LeadsNothingWhereBinariesAreIncomplete)
{
    (void)start_hosts("FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language");
    EXPECT_EQ(0, redis_calls(&server, "subscribe"));
    EXPECT_EQ(0, redis_calls(&server, "publish"));
}
