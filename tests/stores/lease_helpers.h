/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease_helpers.h: hosts on one real redis-server, of which one compiles what
 * others wait for. Each host is a store with connections of its own, and
 * compiling is counting and sleeping.
 */
#ifndef DNNL_CACHE_TESTS_LEASE_HELPERS_H
#define DNNL_CACHE_TESTS_LEASE_HELPERS_H

#include "dnnl_cache/store.h"
#include "redis_server.h"

#include <pthread.h>
#include <stdatomic.h>

enum { blob_size = 20000, most_programs = 20 };

/* The test's; TEST_REDIS() starts and ends it. */
extern struct redis_process server;

dnnl_cache_store_handle_t *open_impatient_host(
        unsigned lease_ms, unsigned timeout_ms);
dnnl_cache_store_handle_t *open_host(unsigned lease_ms);

/* What a host does that wants a program. */
struct wish {
    dnnl_cache_store_handle_t *store;
    unsigned number;
};

/* Program 1, for a new host. */
struct wish wish_of(unsigned lease_ms);

dnnl_status_t acquire_lease(const struct wish *wish);
void release_lease(const struct wish *wish);
/* The entry, and lets go of the lease. */
void put(const struct wish *wish);

struct fleet {
    unsigned compile_ms;
    unsigned lease_ms;
    atomic_uint compiled[most_programs];
    atomic_uint found;
};

struct host {
    struct fleet *fleet;
    unsigned number;
    pthread_t thread;
};

/* Finds a program, or compiles it. */
void want(struct fleet *fleet, const struct wish *wish);

/* Who acquires a lease in a thread. */
struct waiter {
    struct wish wish;
    dnnl_status_t status;
    uint64_t waited_ms;
    pthread_t thread;
};

/* With a wish of its own; begin_waiting() gives it wish_of(). */
void wait_in_thread(struct waiter *waiter);
void begin_waiting(struct waiter *waiter, unsigned lease_ms);
void end_waiting(struct waiter *waiter);

/* Until so many have begun to look for a lease, and hear messages. */
void await_hosts(long long count);
/* Until the store gives it; a failure if it does not in 20 s. */
void await_entry(
        dnnl_cache_store_handle_t *store, unsigned number, size_t size);

void kill_it(pid_t pid);

#endif /* DNNL_CACHE_TESTS_LEASE_HELPERS_H */
