/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One host: a store on the server with connections of its own, behind a local
 * store that is empty. Its caller's thread alone uses it.
 */
#ifndef BENCH_FLEET_HOST_H
#define BENCH_FLEET_HOST_H

#include "fleet.h"

#include <dnnl_cache/store.h>

struct fleet_host {
    const struct fleet_options *options;
    const uint8_t *blob; /* of every program */
    dnnl_cache_store_handle_t *remote;
    dnnl_cache_store_handle_t *chain;
    unsigned compiled;
    unsigned failed;     /* wanted, and the store said what it must not say */
    uint64_t longest_ns; /* of one call of a store */
};

/* False: a store cannot be opened. Fini in either case. */
bool fleet_host_init(struct fleet_host *host, const char *socket,
        const struct fleet_options *options, const uint8_t *blob);
void fleet_host_fini(struct fleet_host *host);

/* Connects, by asking for what is not there. */
void fleet_host_connect(struct fleet_host *host);
/* Wants all programs, one after the other. */
void fleet_host_start(struct fleet_host *host);

/* Gets the lease of the first program, false: it did not; and compiles it, up
 * to that moment. */
bool fleet_host_lead(struct fleet_host *host);
void fleet_host_go_on(
        struct fleet_host *host, const char *socket, enum fleet_death death);

#endif /* BENCH_FLEET_HOST_H */
