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

#include <stdio.h>

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
                "DNNL_CACHE_HARVEST_SECONDS=100", NULL};
        pids[i] = start_application(variables, use_programs, NULL);
    }
    for (int i = 0; i < hosts; i++)
        EXPECT_EQ(0, layer_process_wait(pids[i]));
    return counted_by_all("misses");
}

TEST_C(LayerFleet, CompilesEachProgramOnce)
{
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    EXPECT_EQ(programs, start_hosts("FAKE_OPENCL_PLATFORM_NAME=rusticl"));
    EXPECT_EQ((hosts - 1) * programs, counted_by_all("hits"));
    redis_kill(&server);
}

/* What is compiled later, at a launch, is not in a binary that is asked for at
 * once: nobody waits for such a driver's. */
TEST_C(LayerFleet, LeadsNothingWhereBinariesAreIncomplete)
{
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    (void)start_hosts("FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language");
    EXPECT_EQ(0, redis_calls(&server, "pttl"));
    redis_kill(&server);
}
