/* SPDX-License-Identifier: Apache-2.0 */
/* An nginx of the benchmark's own, on a port of the loopback device, and GETs
 * from it by one libcurl handle that is used again and again. */
#ifndef BENCH_FLEET_HTTP_H
#define BENCH_FLEET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct fleet_http {
    pid_t pid;
    unsigned port;
    char folder[256];
    void *curl; /* the benchmark's own handle */
    char *buffer;
    size_t size, capacity;
};

/* False: failure.h. */
bool fleet_http_start(
        struct fleet_http *server, const char *program, const char *folder);
void fleet_http_end(struct fleet_http *server);

/* A file of so many bytes. */
bool fleet_http_write(
        const struct fleet_http *server, const char *name, size_t size);
/* GETs it; so many ns. */
bool fleet_http_get(struct fleet_http *server, const char *name, double *value);

#endif /* BENCH_FLEET_HTTP_H */
