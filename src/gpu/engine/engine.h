/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines: a device with a context, its facts, and what its programs share.
 */
#ifndef DNNL_CACHE_GPU_ENGINE_H
#define DNNL_CACHE_GPU_ENGINE_H

#include "dnnl_cache.h"
#include "src/blob/reader.h"
#include "src/common/once.h"
#include "src/gpu/device/device.h"
#include "src/gpu/engine/context_state.h"
#include "src/gpu/engine/engine_facts.h"
#include "src/gpu/engine/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct dnnl_engine {
    /* Written with every descriptor; what is read with every primitive is not
     * to share its cache line. */
    atomic_int references;
    unsigned char apart[128];
    dnnl_engine_kind_t kind; /* the rest is fixed too, unless it says so */
    cl_device_id device;     /* retained */
    cl_context context;      /* retained */
    cl_platform_id platform;
    bool is_cpu_device; /* an OpenCL CPU: its grids are kept small */
    cl_uint compute_units;
    struct context_state *shared;
    /* The device's, NULL until it is known. */
    _Atomic(const struct device_identity *) identity;

    atomic_int compile_mode; /* dnnl_cache_compile_mode_t, -1: process's */
    atomic_int compression;  /* dnnl_cache_compression_t */

    struct once probed; /* facts and info are fixed once it is done */
    struct engine_facts facts;
    bool facts_certain; /* worth a blob */
    dnnl_cache_creation_info_t info;
    struct blob_reason info_reason; /* what info.blob_reason points to */
    atomic_bool offered;            /* facts that were compiled, to a store */

    pthread_mutex_t store_lock; /* guards store; leaf */
    struct store *store;        /* its own; NULL: the process's */

    pthread_mutex_t queue_lock; /* guards queue; leaf */
    cl_command_queue queue;     /* service queue, NULL until needed */
};

void engine_retain(struct dnnl_engine *engine);
void engine_release(struct dnnl_engine *engine);

/* The identity of the engine's device, as device_identify(). */
dnnl_status_t engine_identity(
        struct dnnl_engine *engine, const struct device_identity **out);

/* Creation info of which nothing is known. */
extern const dnnl_cache_creation_info_t engine_no_info;

/* The engine's facts, probed at first use. Statuses: dnnl_success;
 * dnnl_unimplemented on dnnl_cpu; dnnl_cache_miss; dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t engine_get_facts(
        struct dnnl_engine *engine, const struct engine_facts **facts);

/* The engine's facts from a store's engine blob, unless it has some. Statuses:
 * dnnl_success; dnnl_cache_blob_corrupt, _stale, _unsupported;
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t engine_take_facts(
        struct dnnl_engine *engine, const struct store_blob *blob);

/* The mode in force for the engine. */
dnnl_cache_compile_mode_t engine_compile_mode(struct dnnl_engine *engine);

/* The store to ask for the engine's programs, retained for the caller; NULL if
 * there is none. */
struct store *engine_store(struct dnnl_engine *engine);

/* The engine's in-order service queue: borrowed, made at first use. */
dnnl_status_t engine_queue(struct dnnl_engine *engine, cl_command_queue *queue);

/* Most work-groups of a launch whose groups have that many work-items: enough
 * to fill the device, and on OpenCL CPUs few enough for the drivers' class of
 * small grids. */
size_t engine_max_groups(const struct dnnl_engine *engine, size_t group_size);

/* Compiles the probe and reads the facts. They are not certain if a query that
 * the driver may lack failed: good to work with, not to be kept. */
dnnl_status_t probe_run(
        struct dnnl_engine *engine, struct engine_facts *facts, bool *certain);

/* Facts as bytes: in engine blobs and in the IDs of primitives. */
enum { ENGINE_FACTS_SIZE = 16 };
void engine_facts_encode(
        const struct engine_facts *facts, uint8_t out[ENGINE_FACTS_SIZE]);

/* Checks that struct_size is one this library knows and copies as much of
 * info as the caller has room for. */
dnnl_status_t creation_info_copy(const dnnl_cache_creation_info_t *info,
        dnnl_cache_creation_info_t *out);

#endif /* DNNL_CACHE_GPU_ENGINE_H */
