/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host without a store, for comparison: it GETs entries that are there by
 * hiredis, at the moments at which one host that compiles alone has them.
 */
#ifndef BENCH_FLEET_PLAIN_H
#define BENCH_FLEET_PLAIN_H

#include "fleet.h"

struct fleet_plain {
    const struct fleet_options *options;
    struct redisContext *connection; /* owned */
    unsigned failed;
    uint64_t longest_ns; /* of one GET */
};

/* Puts what such hosts GET. False: failure.h. */
bool fleet_plain_fill(
        struct fleet_server *server, const struct fleet_options *options);

/* Connects. Fini in any case. */
void fleet_plain_init(struct fleet_plain *plain, const char *socket,
        const struct fleet_options *options);
void fleet_plain_fini(struct fleet_plain *plain);

/* Program i at so many times compile_ms after began_ns, or later. */
void fleet_plain_start(struct fleet_plain *plain, uint64_t began_ns);

#endif /* BENCH_FLEET_PLAIN_H */
