/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include "failure.h"
#include "src/platform/clock.h"
#include <dnnl_cache/chain_store.h>
#include <dnnl_cache/remote_store.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { stack_bytes = 256 * 1024, id_bytes = 400 };

/* ---- The local store: in memory, of one thread ----------------------------
 */

struct memory {
    size_t count;
    struct entry {
        uint8_t id[id_bytes];
        uint8_t *blob;
        size_t size;
    } * entries;
};

static struct entry *find(struct memory *memory, const uint8_t *id)
{
    for (size_t i = 0; i < memory->count; i++)
        if (memcmp(memory->entries[i].id, id, id_bytes) == 0)
            return &memory->entries[i];
    return NULL;
}

static dnnl_status_t memory_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    const struct entry *entry = find(user, id);
    (void)id_size;
    if (entry == NULL) return dnnl_cache_miss;
    *size = entry->size;
    *blob = entry->blob;
    return dnnl_success;
}

static void memory_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

static dnnl_status_t memory_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct memory *memory = user;
    uint8_t *copy = malloc(size);
    struct entry *grown = realloc(
            memory->entries, (memory->count + 1) * sizeof *memory->entries);
    (void)id_size;
    (void)metadata;
    if (grown != NULL) memory->entries = grown;
    if (copy == NULL || grown == NULL) {
        free(copy);
        return dnnl_out_of_memory;
    }
    memcpy(copy, blob, size);
    struct entry *entry = &memory->entries[memory->count++];
    memcpy(entry->id, id, id_bytes);
    entry->blob = copy;
    entry->size = size;
    return dnnl_success;
}

static dnnl_status_t memory_remove(
        void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    (void)id_size;
    (void)id;
    return dnnl_success;
}

static void memory_fini(struct memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        free(memory->entries[i].blob);
    free(memory->entries);
}

/* ---- A host -------------------------------------------------------------- */

struct fleet {
    const struct fleet_options *options;
    const struct fleet_server *server;
    pthread_barrier_t begin;
    uint64_t began_ns; /* by the first thread */
    const uint8_t *blob;
    atomic_uint compiled, failed;
};

struct host {
    struct fleet *fleet;
    pthread_t thread;
    struct memory memory;
    dnnl_cache_store_handle_t *remote;
    dnnl_cache_store_handle_t *chain;
    uint64_t ready_ns;
    uint64_t longest_ns;
};

static bool open_host(struct host *host)
{
    struct dnnl_cache_store_remote_options remote =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    char url[512];
    snprintf(url, sizeof url,
            "unix://%s?insecure=1&timeout_ms=20000&lease_ms=%u",
            host->fleet->server->socket, host->fleet->options->lease_ms);
    remote.url = url;
    const dnnl_cache_store_t local = {
            .struct_size = sizeof local,
            .user = &host->memory,
            .get = memory_get,
            .release = memory_release,
            .put = memory_put,
            .remove = memory_remove,
    };
    if (dnnl_cache_store_open_remote(&host->remote, &remote) != dnnl_success)
        return false;
    const struct dnnl_cache_store_chain_member members[] = {
            {sizeof(struct dnnl_cache_store_chain_member), "local", NULL,
                    &local, dnnl_cache_store_chain_role_write},
            {sizeof(struct dnnl_cache_store_chain_member), "fleet",
                    host->remote, NULL, dnnl_cache_store_chain_role_write}};
    return dnnl_cache_store_open_chain(&host->chain, members, 2, &options)
           == dnnl_success;
}

static void close_host(struct host *host)
{
    dnnl_cache_store_close(host->chain);
    dnnl_cache_store_close(host->remote);
    memory_fini(&host->memory);
}

static void compile(const struct fleet *fleet)
{
    const struct timespec pause = {.tv_sec = fleet->options->compile_ms / 1000,
            .tv_nsec = (long)(fleet->options->compile_ms % 1000) * 1000000};
    (void)nanosleep(&pause, NULL);
}

static void note_call(struct host *host, uint64_t start)
{
    const uint64_t took = clock_ns() - start;
    if (took > host->longest_ns) host->longest_ns = took;
}

/* As the library does it. */
static void want(struct host *host, const uint8_t id[id_bytes])
{
    struct fleet *fleet = host->fleet;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(host->chain);
    size_t size = 0;
    const uint8_t *blob = NULL;
    uint64_t start = clock_ns();
    dnnl_status_t st = s->get(s->user, id_bytes, id, &size, &blob);
    note_call(host, start);
    start = clock_ns();
    if (st != dnnl_success)
        st = s->acquire_lease(s->user, id_bytes, id, &size, &blob);
    note_call(host, start);
    if (st == dnnl_success) {
        if (size != fleet->options->blob_bytes
                || memcmp(blob, fleet->blob, size) != 0)
            atomic_fetch_add(&fleet->failed, 1);
        s->release(s->user, size, blob);
        return;
    }
    compile(fleet);
    atomic_fetch_add(&fleet->compiled, 1);
    if (s->put(s->user, id_bytes, id, fleet->options->blob_bytes, fleet->blob,
                NULL)
            != dnnl_success)
        atomic_fetch_add(&fleet->failed, 1);
    if (st == dnnl_cache_miss) s->release_lease(s->user, id_bytes, id);
}

static void *run_host(void *user)
{
    struct host *host = user;
    struct fleet *fleet = host->fleet;
    if (pthread_barrier_wait(&fleet->begin) == PTHREAD_BARRIER_SERIAL_THREAD)
        fleet->began_ns = clock_ns();
    for (unsigned i = 0; i < fleet->options->programs; i++) {
        uint8_t id[id_bytes] = {0};
        snprintf((char *)id, sizeof id, "program %u", i);
        want(host, id);
    }
    host->ready_ns = clock_ns();
    return NULL;
}

/* ---- A start ------------------------------------------------------------- */

static void gather(struct fleet_start *start, const struct fleet *fleet,
        const struct host *hosts, unsigned count)
{
    *start = (struct fleet_start){
            .first_ns = (double)(hosts[0].ready_ns - fleet->began_ns),
            .compiled = atomic_load(&fleet->compiled),
            .failed = atomic_load(&fleet->failed),
    };
    for (unsigned i = 0; i < count; i++) {
        const double ready = (double)(hosts[i].ready_ns - fleet->began_ns);
        if (ready < start->first_ns) start->first_ns = ready;
        if (ready > start->last_ns) start->last_ns = ready;
        if ((double)hosts[i].longest_ns > start->longest_wait_ns)
            start->longest_wait_ns = (double)hosts[i].longest_ns;
    }
}

static bool start_all(struct fleet *fleet, struct host *hosts, unsigned count)
{
    pthread_attr_t attributes;
    unsigned begun = 0;
    if (pthread_attr_init(&attributes) != 0) return false;
    (void)pthread_attr_setstacksize(&attributes, stack_bytes);
    while (begun < count
            && pthread_create(&hosts[begun].thread, &attributes, run_host,
                       &hosts[begun])
                       == 0)
        begun++;
    (void)pthread_attr_destroy(&attributes);
    if (begun < count) {
        /* Those that were begun wait for the others: for ever. */
        failure_set("only %u of %u threads", begun, count);
        for (unsigned i = 0; i < begun; i++) {
            (void)pthread_cancel(hosts[i].thread);
            (void)pthread_detach(hosts[i].thread);
        }
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        (void)pthread_join(hosts[i].thread, NULL);
    (void)fleet;
    return true;
}

static bool measure(struct fleet_start *start, struct fleet *fleet,
        struct fleet_server *server, struct host *hosts, unsigned count)
{
    unsigned open = 0;
    bool is_good = true;
    for (; open < count && is_good; open++) {
        hosts[open].fleet = fleet;
        is_good = open_host(&hosts[open]);
    }
    if (!is_good) failure_set("a store cannot be opened");
    const uint64_t requests =
            fleet_server_info(server, "total_commands_processed");
    const uint64_t bytes = fleet_server_info(server, "total_net_output_bytes");
    if (is_good) is_good = start_all(fleet, hosts, count);
    if (is_good) {
        gather(start, fleet, hosts, count);
        start->requests =
                (double)(fleet_server_info(server, "total_commands_processed")
                         - requests);
        start->sent_bytes =
                (double)(fleet_server_info(server, "total_net_output_bytes")
                         - bytes);
    }
    for (unsigned i = 0; i < open; i++)
        close_host(&hosts[i]);
    return is_good;
}

bool fleet_measure(struct fleet_start *start, struct fleet_server *server,
        const struct fleet_options *options, unsigned hosts)
{
    struct fleet fleet = {.options = options, .server = server};
    struct host *all = calloc(hosts, sizeof *all);
    uint8_t *blob = malloc(options->blob_bytes);
    bool is_good = all != NULL && blob != NULL;
    if (!is_good) failure_set("out of memory");
    if (is_good) {
        for (unsigned i = 0; i < options->blob_bytes; i++)
            blob[i] = (uint8_t)(i * 2654435761u >> 24);
        fleet.blob = blob;
        (void)pthread_barrier_init(&fleet.begin, NULL, hosts);
        is_good = fleet_server_clear(server)
                  && measure(start, &fleet, server, all, hosts);
        (void)pthread_barrier_destroy(&fleet.begin);
    }
    free(blob);
    free(all);
    return is_good;
}
