/* SPDX-License-Identifier: Apache-2.0 */
/* The proofs of stores on servers, on Redis. */
#include "redis_server.h"
#include "remote_proofs.h"
#include "test.h"

#include <stdio.h>

static struct redis_process server;

static void start(void)
{
    redis_start(&server, test_directory(), NULL);
}

static void end(void)
{
    redis_kill(&server);
}

static dnnl_cache_store_handle_t *open_with(const char *options)
{
    return remote_open("unix://%s?timeout_ms=20000&%s", server.socket, options);
}

static char *read_object(const char *name, size_t *size)
{
    return redis_bytes(&server, size, "GET dnnl_cache:%s", name);
}

static void write_object(const char *name, const void *bytes, size_t size)
{
    char answer[16];
    (void)redis_text(&server, answer, sizeof answer, "SET dnnl_cache:%s %b",
            name, bytes, size);
    EXPECT_STR_EQ("OK", answer);
}

static const struct remote_proof_server redis = {
        .is_there = redis_is_there,
        .start = start,
        .kill = end,
        .open = open_with,
        .read = read_object,
        .write = write_object,
};

REMOTE_PROOFS(RedisProof, redis)
