/* SPDX-License-Identifier: Apache-2.0 */
/* The proofs of stores on servers, on nginx. */
#include "nginx_server.h"
#include "remote_proofs.h"
#include "test.h"

#include <stdio.h>
#include <unistd.h>

static struct nginx_process server;

static void start(void)
{
    nginx_start(&server, NULL);
}

static void end(void)
{
    nginx_kill(&server);
}

static dnnl_cache_store_handle_t *open_with(const char *options)
{
    return remote_open(
            "http://127.0.0.1:%u?timeout_ms=20000&%s", server.port, options);
}

static const char *path_of(char path[path_size], const char *name)
{
    snprintf(path, path_size, "%s/www/%s", server.directory, name);
    return path;
}

static char *read_object(const char *name, size_t *size)
{
    char path[path_size];
    (void)path_of(path, name);
    return access(path, R_OK) == 0 ? (char *)read_whole(path, size) : NULL;
}

static void write_object(const char *name, const void *bytes, size_t size)
{
    char path[path_size];
    write_whole(path_of(path, name), bytes, size);
}

static const struct remote_proof_server nginx = {
        .is_there = nginx_is_there,
        .start = start,
        .kill = end,
        .open = open_with,
        .read = read_object,
        .write = write_object,
};

REMOTE_PROOFS(HttpProof, nginx)
