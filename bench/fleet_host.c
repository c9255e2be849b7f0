/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_host.h"

#include "src/platform/clock.h"
#include <dnnl_cache/chain_store.h>
#include <dnnl_cache/remote_store.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { id_bytes = 400, url_bytes = 512 };

/* ---- The local store ----------------------------------------------------- */

/* It is empty, and need not keep what is put: no program is wanted twice. */
static dnnl_status_t local_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    (void)user;
    (void)id_size;
    (void)id;
    (void)size;
    (void)blob;
    return dnnl_cache_miss;
}

static void local_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

static dnnl_status_t local_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    (void)user;
    (void)id_size;
    (void)id;
    (void)size;
    (void)blob;
    (void)metadata;
    return dnnl_success;
}

static dnnl_status_t local_remove(void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    (void)id_size;
    (void)id;
    return dnnl_success;
}

/* ---- A host -------------------------------------------------------------- */

static dnnl_status_t open_remote(dnnl_cache_store_handle_t **store,
        const char *socket, const struct fleet_options *fleet)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    char url[url_bytes];
    snprintf(url, sizeof url,
            "unix://%s?insecure=1&timeout_ms=60000&lease_ms=%u", socket,
            fleet->lease_ms);
    options.url = url;
    return dnnl_cache_store_open_remote(store, &options);
}

bool fleet_host_init(struct fleet_host *host, const char *socket,
        const struct fleet_options *fleet, const uint8_t *blob)
{
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    *host = (struct fleet_host){.options = fleet, .blob = blob};
    const dnnl_cache_store_t local = {
            .struct_size = sizeof local,
            .user = host,
            .get = local_get,
            .release = local_release,
            .put = local_put,
            .remove = local_remove,
    };
    if (open_remote(&host->remote, socket, fleet) != dnnl_success) return false;
    const struct dnnl_cache_store_chain_member members[] = {
            {sizeof(struct dnnl_cache_store_chain_member), "local", NULL,
                    &local, dnnl_cache_store_chain_role_write},
            {sizeof(struct dnnl_cache_store_chain_member), "fleet",
                    host->remote, NULL, dnnl_cache_store_chain_role_write}};
    return dnnl_cache_store_open_chain(&host->chain, members, 2, &options)
           == dnnl_success;
}

void fleet_host_fini(struct fleet_host *host)
{
    dnnl_cache_store_close(host->chain);
    dnnl_cache_store_close(host->remote);
}

static void make_id(uint8_t id[id_bytes], unsigned program)
{
    memset(id, 0, id_bytes);
    snprintf((char *)id, id_bytes, "program %u", program);
}

static void sleep_ms(unsigned ms)
{
    const struct timespec pause = {
            .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&pause, NULL);
}

static bool has_answered(const struct fleet_host *host)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    return dnnl_cache_store_get_statistics(host->remote, &statistics)
                   == dnnl_success
           && statistics.misses > 0;
}

/* Of a socket in whose queue too many wait a store leaves the server alone for
 * a while. */
void fleet_host_connect(struct fleet_host *host)
{
    enum { most_tries = 600, pause_ms = 100 };
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(host->remote);
    uint8_t id[id_bytes];
    size_t size;
    const uint8_t *blob;
    make_id(id, host->options->programs);
    for (int i = 0; i < most_tries; i++) {
        const dnnl_status_t st = s->get(s->user, id_bytes, id, &size, &blob);
        if (st != dnnl_cache_miss) break;
        if (has_answered(host)) return;
        sleep_ms(pause_ms);
    }
    host->failed++;
}

static void note_call(struct fleet_host *host, uint64_t start)
{
    const uint64_t took = clock_ns() - start;
    if (took > host->longest_ns) host->longest_ns = took;
}

/* As the library does it. */
static void want(struct fleet_host *host, unsigned program)
{
    const struct fleet_options *fleet = host->options;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(host->chain);
    uint8_t id[id_bytes];
    size_t size = 0;
    const uint8_t *blob = NULL;
    make_id(id, program);
    uint64_t start = clock_ns();
    dnnl_status_t st = s->get(s->user, id_bytes, id, &size, &blob);
    note_call(host, start);
    start = clock_ns();
    if (st != dnnl_success)
        st = s->acquire_lease(s->user, id_bytes, id, &size, &blob);
    note_call(host, start);
    if (st == dnnl_success) {
        host->failed += size != fleet->blob_bytes
                        || memcmp(blob, host->blob, size) != 0;
        s->release(s->user, size, blob);
        return;
    }
    sleep_ms(fleet->compile_ms);
    host->compiled++;
    host->failed +=
            s->put(s->user, id_bytes, id, fleet->blob_bytes, host->blob, NULL)
            != dnnl_success;
    if (st == dnnl_cache_miss) s->release_lease(s->user, id_bytes, id);
}

void fleet_host_start(struct fleet_host *host)
{
    for (unsigned i = 0; i < host->options->programs; i++)
        want(host, i);
}

/* ---- One that dies ------------------------------------------------------- */

bool fleet_host_lead(struct fleet_host *host)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(host->chain);
    uint8_t id[id_bytes];
    size_t size;
    const uint8_t *blob;
    make_id(id, 0);
    return s->acquire_lease(s->user, id_bytes, id, &size, &blob)
           == dnnl_cache_miss;
}

/* Through a store that has no lease, so that nobody is told. */
static void put_untold(const struct fleet_host *host, const char *socket)
{
    dnnl_cache_store_handle_t *store = NULL;
    uint8_t id[id_bytes];
    make_id(id, 0);
    if (open_remote(&store, socket, host->options) != dnnl_success) return;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    (void)s->put(
            s->user, id_bytes, id, host->options->blob_bytes, host->blob, NULL);
    (void)dnnl_cache_store_remote_flush(store, 10000);
}

void fleet_host_go_on(
        struct fleet_host *host, const char *socket, enum fleet_death death)
{
    const unsigned ms = host->options->compile_ms;
    if (death == fleet_death_in_compile) sleep_ms(ms / 2);
    if (death == fleet_death_before_put || death == fleet_death_before_release)
        sleep_ms(ms);
    if (death == fleet_death_before_release) put_untold(host, socket);
}
