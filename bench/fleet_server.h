/* SPDX-License-Identifier: Apache-2.0 */
/* A redis-server of the benchmark's own, at a Unix socket, with no files. */
#ifndef BENCH_FLEET_SERVER_H
#define BENCH_FLEET_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct redisContext;

struct fleet_server {
    pid_t pid;
    char socket[108];
    struct redisContext *connection; /* the benchmark's own */
};

/* False: failure.h. */
bool fleet_server_start(
        struct fleet_server *server, const char *program, const char *folder);
void fleet_server_end(struct fleet_server *server);

/* A number of INFO, such as "total_commands_processed"; 0: not there. */
uint64_t fleet_server_info(struct fleet_server *server, const char *name);
/* Processor time that the server has taken. */
double fleet_server_cpu_ns(struct fleet_server *server);
/* Forgets all keys, once the connections of hosts before are gone: the server
 * has descriptors for one fleet. */
bool fleet_server_clear(struct fleet_server *server);

#endif /* BENCH_FLEET_SERVER_H */
