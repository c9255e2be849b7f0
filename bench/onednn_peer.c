/* SPDX-License-Identifier: Apache-2.0 */
#include "onednn_peer.h"

#include <oneapi/dnnl/dnnl.h>

#include <stdio.h>
#include <stdlib.h>

/* failure.h includes our own headers. */
void failure_set(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct onednn_peer {
    dnnl_engine_t engine;
    dnnl_memory_desc_t matrix;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive; /* keeps the cache's entry in use */
};

static bool done(dnnl_status_t status, const char *call)
{
    if (status != dnnl_success)
        failure_set("oneDNN's %s answers %d", call, (int)status);
    return status == dnnl_success;
}

static bool describe(struct onednn_peer *peer, dnnl_primitive_desc_t *desc)
{
    dnnl_matmul_desc_t operation;
    const dnnl_memory_desc_t *matrix = &peer->matrix;
    return done(dnnl_matmul_desc_init(&operation, matrix, matrix, NULL, matrix),
                   "dnnl_matmul_desc_init")
           && done(dnnl_primitive_desc_create(
                           desc, &operation, NULL, peer->engine, NULL),
                   "dnnl_primitive_desc_create");
}

bool onednn_peer_open(struct onednn_peer **out, size_t size)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)size, (dnnl_dim_t)size};
    struct onednn_peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) {
        failure_set("no memory");
        return false;
    }
    if (done(dnnl_engine_create(&peer->engine, dnnl_cpu, 0),
                "dnnl_engine_create")
            && done(dnnl_memory_desc_init_by_tag(
                            &peer->matrix, 2, dims, dnnl_f32, dnnl_ab),
                    "dnnl_memory_desc_init_by_tag")
            && describe(peer, &peer->desc)
            && done(dnnl_primitive_create(&peer->primitive, peer->desc),
                    "dnnl_primitive_create")) {
        *out = peer;
        return true;
    }
    onednn_peer_close(peer);
    return false;
}

void onednn_peer_close(struct onednn_peer *peer)
{
    if (peer->primitive != NULL) dnnl_primitive_destroy(peer->primitive);
    if (peer->desc != NULL) dnnl_primitive_desc_destroy(peer->desc);
    if (peer->engine != NULL) dnnl_engine_destroy(peer->engine);
    free(peer);
}

static bool hit(const_dnnl_primitive_desc_t desc)
{
    dnnl_primitive_t primitive;
    if (!done(dnnl_primitive_create(&primitive, desc), "dnnl_primitive_create"))
        return false;
    dnnl_primitive_destroy(primitive);
    return true;
}

bool onednn_peer_hit(struct onednn_peer *peer, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = hit(peer->desc);
    return good;
}

bool onednn_peer_hit_described(struct onednn_peer *peer, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        dnnl_primitive_desc_t desc;
        good = describe(peer, &desc);
        if (!good) break;
        good = hit(desc);
        dnnl_primitive_desc_destroy(desc);
    }
    return good;
}

const char *onednn_peer_version(void)
{
    static char text[48];
    const dnnl_version_t *version = dnnl_version();
    snprintf(text, sizeof text, "%d.%d.%d", version->major, version->minor,
            version->patch);
    return text;
}
