/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/engine.h"

#include "src/common/settings.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/devices.h"
#include "src/gpu/device/environment.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

static atomic_int default_compile_mode = -1; /* that of the environment */

const dnnl_cache_creation_info_t engine_no_info = {
        .struct_size = sizeof(dnnl_cache_creation_info_t),
        .blob_reason = "",
        .not_cacheable_reason = ""};

/* ---- Life ---------------------------------------------------------------- */

static struct dnnl_engine *engine_new(dnnl_engine_kind_t kind)
{
    struct dnnl_engine *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    atomic_init(&e->references, 1);
    atomic_init(&e->compile_mode, -1);
    atomic_init(&e->compression, dnnl_cache_compression_none);
    once_init(&e->probed);
    pthread_mutex_init(&e->queue_lock, NULL);
    pthread_mutex_init(&e->store_lock, NULL);
    atomic_init(&e->identity, NULL);
    atomic_init(&e->offered, false);
    e->kind = kind;
    e->info = engine_no_info;
    return e;
}

void engine_retain(struct dnnl_engine *engine)
{
    atomic_fetch_add_explicit(&engine->references, 1, memory_order_relaxed);
}

void engine_release(struct dnnl_engine *engine)
{
    if (engine == NULL) return;
    if (atomic_fetch_sub_explicit(&engine->references, 1, memory_order_acq_rel)
            != 1)
        return;
    if (engine->queue != NULL) clReleaseCommandQueue(engine->queue);
    context_state_release(engine->shared);
    if (engine->context != NULL) clReleaseContext(engine->context);
    if (engine->device != NULL) clReleaseDevice(engine->device);
    once_fini(&engine->probed);
    pthread_mutex_destroy(&engine->queue_lock);
    pthread_mutex_destroy(&engine->store_lock);
    store_release(engine->store);
    free(engine);
}

/* PoCL lists the root device for a context of a sub-device: the context is the
 * sub-device's if it can have a queue in it. */
static bool context_serves_sub_device(cl_context context, cl_device_id device,
        const cl_device_id *devices, size_t count)
{
    cl_device_id root;
    cl_int error = CL_INVALID_DEVICE;
    if (device_root(device, &root) != dnnl_success || root == device)
        return false;
    for (size_t i = 0; i < count && error != CL_SUCCESS; i++) {
        if (devices[i] != root) continue;
        cl_command_queue queue =
                clCreateCommandQueue(context, device, 0, &error);
        if (error == CL_SUCCESS) clReleaseCommandQueue(queue);
    }
    return error == CL_SUCCESS;
}

static dnnl_status_t context_has_device(
        cl_context context, cl_device_id device, bool *has)
{
    size_t size = 0;
    *has = false;
    cl_int error =
            clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
    /* An invalid context is the caller's mistake: it has no device. */
    if (error == CL_INVALID_CONTEXT) return dnnl_success;
    dnnl_status_t st = cl_status(error, "clGetContextInfo");
    if (st != dnnl_success) return st;
    cl_device_id *devices = malloc(size > 0 ? size : 1);
    if (devices == NULL) return dnnl_out_of_memory;
    st = cl_status(
            clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL),
            "clGetContextInfo");
    for (size_t i = 0; st == dnnl_success && i < size / sizeof *devices; i++)
        *has = *has || devices[i] == device;
    if (st == dnnl_success && !*has)
        *has = context_serves_sub_device(
                context, device, devices, size / sizeof *devices);
    free(devices);
    return st;
}

/* Reads what launching needs to know of the device. */
static dnnl_status_t read_device(struct dnnl_engine *e)
{
    cl_device_type type = 0;
    dnnl_status_t st = cl_status(clGetDeviceInfo(e->device, CL_DEVICE_TYPE,
                                         sizeof type, &type, NULL),
            "clGetDeviceInfo(CL_DEVICE_TYPE)");
    if (st == dnnl_success)
        st = cl_status(
                clGetDeviceInfo(e->device, CL_DEVICE_MAX_COMPUTE_UNITS,
                        sizeof e->compute_units, &e->compute_units, NULL),
                "clGetDeviceInfo(CL_DEVICE_MAX_COMPUTE_UNITS)");
    if (st == dnnl_success)
        st = cl_status(clGetDeviceInfo(e->device, CL_DEVICE_PLATFORM,
                               sizeof e->platform, &e->platform, NULL),
                "clGetDeviceInfo(CL_DEVICE_PLATFORM)");
    e->is_cpu_device = (type & CL_DEVICE_TYPE_CPU) != 0;
    return st;
}

/* Makes an engine of a device and a context known to belong together. */
static dnnl_status_t engine_make(
        struct dnnl_engine **out, cl_device_id device, cl_context context)
{
    struct dnnl_engine *e = engine_new(dnnl_gpu);
    if (e == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = cl_status(clRetainDevice(device), "clRetainDevice");
    if (st != dnnl_success) goto out;
    e->device = device;
    st = cl_status(clRetainContext(context), "clRetainContext");
    if (st != dnnl_success) goto out;
    e->context = context;
    st = context_state_acquire(context, &e->shared);
    if (st != dnnl_success) goto out;
    st = read_device(e);
    if (st != dnnl_success) goto out;
    *out = e;
    e = NULL;
out:
    engine_release(e);
    return st;
}

dnnl_status_t dnnl_ocl_interop_engine_create(
        dnnl_engine_t *engine, cl_device_id device, cl_context context)
{
    if (engine == NULL || device == NULL || context == NULL)
        return dnnl_invalid_arguments;
    environment_start();
    bool has;
    dnnl_status_t st = context_has_device(context, device, &has);
    if (st != dnnl_success) return st;
    if (!has) return dnnl_invalid_arguments;
    return engine_make(engine, device, context);
}

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind)
{
    if (kind == dnnl_cpu) return 1;
    if (kind != dnnl_gpu) return 0;
    struct device_list list;
    if (device_list_read(&list) != dnnl_success) return 0;
    size_t count = list.count;
    device_list_fini(&list);
    return count;
}

static dnnl_status_t create_gpu(dnnl_engine_t *engine, size_t index)
{
    struct device_list list;
    dnnl_status_t st = device_list_read(&list);
    if (st != dnnl_success) return st;
    if (index >= list.count) {
        device_list_fini(&list);
        return dnnl_invalid_arguments;
    }
    cl_device_id device = list.devices[index];
    cl_int error;
    device_list_fini(&list);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    st = cl_status(error, "clCreateContext");
    if (st != dnnl_success) return st;
    st = engine_make(engine, device, context);
    clReleaseContext(context);
    return st;
}

dnnl_status_t dnnl_engine_create(
        dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index)
{
    if (engine == NULL) return dnnl_invalid_arguments;
    if (kind == dnnl_gpu) return create_gpu(engine, index);
    if (kind != dnnl_cpu || index != 0) return dnnl_invalid_arguments;
    struct dnnl_engine *e = engine_new(dnnl_cpu);
    if (e == NULL) return dnnl_out_of_memory;
    *engine = e;
    return dnnl_success;
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine)
{
    engine_release(engine);
    return dnnl_success;
}

/* ---- Queries ------------------------------------------------------------- */

dnnl_status_t dnnl_engine_get_kind(
        dnnl_engine_t engine, dnnl_engine_kind_t *kind)
{
    if (engine == NULL || kind == NULL) return dnnl_invalid_arguments;
    *kind = engine->kind;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_engine_get_context(
        dnnl_engine_t engine, cl_context *context)
{
    if (engine == NULL || context == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    *context = engine->context;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_get_device(
        dnnl_engine_t engine, cl_device_id *device)
{
    if (engine == NULL || device == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    *device = engine->device;
    return dnnl_success;
}

/* ---- Modes --------------------------------------------------------------- */

static bool is_compile_mode(int mode)
{
    return mode >= dnnl_cache_compile_mode_normal
           && mode <= dnnl_cache_compile_mode_recompile;
}

dnnl_status_t dnnl_cache_engine_set_compile_mode(
        dnnl_engine_t engine, dnnl_cache_compile_mode_t mode)
{
    if (engine == NULL || !is_compile_mode((int)mode))
        return dnnl_invalid_arguments;
    atomic_store(&engine->compile_mode, (int)mode);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_t mode)
{
    if (!is_compile_mode((int)mode)) return dnnl_invalid_arguments;
    atomic_store(&default_compile_mode, (int)mode);
    return dnnl_success;
}

dnnl_cache_compile_mode_t engine_compile_mode(struct dnnl_engine *engine)
{
    int mode = atomic_load(&engine->compile_mode);
    if (mode < 0) mode = atomic_load(&default_compile_mode);
    if (mode < 0) mode = (int)settings()->compile_mode;
    return (dnnl_cache_compile_mode_t)mode;
}

dnnl_status_t dnnl_cache_engine_set_blob_compression(
        dnnl_engine_t engine, dnnl_cache_compression_t compression)
{
    if (engine == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    if (compression != dnnl_cache_compression_none
            && compression != dnnl_cache_compression_zstd)
        return dnnl_invalid_arguments;
    atomic_store(&engine->compression, (int)compression);
    return dnnl_success;
}

/* ---- Store --------------------------------------------------------------- */

dnnl_status_t dnnl_cache_engine_set_store(
        dnnl_engine_t engine, const dnnl_cache_store_t *store)
{
    if (engine == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    return store_attach(store, &engine->store_lock, &engine->store);
}

struct store *engine_store(struct dnnl_engine *engine)
{
    if (!settings()->persistent) return NULL;
    pthread_mutex_lock(&engine->store_lock);
    struct store *store = engine->store;
    if (store != NULL) store_retain(store);
    pthread_mutex_unlock(&engine->store_lock);
    return store != NULL ? store : store_of_process();
}

/* ---- Identity ------------------------------------------------------------ */

dnnl_status_t engine_identity(
        struct dnnl_engine *engine, const struct device_identity **out)
{
    if (device_is_doubtful(out)) return dnnl_success;
    const struct device_identity *identity =
            atomic_load_explicit(&engine->identity, memory_order_acquire);
    if (identity == NULL) {
        dnnl_status_t st = device_identify(engine->device, &identity);
        if (st != dnnl_success) return st;
        /* One that failed may be established later. */
        if (identity->reason[0] == '\0')
            atomic_store_explicit(
                    &engine->identity, identity, memory_order_release);
    }
    *out = identity;
    return dnnl_success;
}

/* ---- Service ------------------------------------------------------------- */

dnnl_status_t engine_queue(struct dnnl_engine *engine, cl_command_queue *queue)
{
    pthread_mutex_lock(&engine->queue_lock);
    cl_command_queue q = engine->queue;
    pthread_mutex_unlock(&engine->queue_lock);
    if (q == NULL) {
        cl_int error;
        cl_command_queue fresh = clCreateCommandQueue(
                engine->context, engine->device, 0, &error);
        dnnl_status_t st = cl_status(error, "clCreateCommandQueue");
        if (st != dnnl_success) return st;
        pthread_mutex_lock(&engine->queue_lock);
        if (engine->queue == NULL) {
            engine->queue = fresh;
            fresh = NULL;
        }
        q = engine->queue;
        pthread_mutex_unlock(&engine->queue_lock);
        if (fresh != NULL) clReleaseCommandQueue(fresh);
    }
    *queue = q;
    return dnnl_success;
}

size_t engine_max_groups(const struct dnnl_engine *engine, size_t group_size)
{
    /* Enough groups a compute unit to hide latencies and even out the ends. */
    size_t groups = (size_t)engine->compute_units * 32;
    if (!engine->is_cpu_device) return groups;
    /* PoCL compiles another function for grids of 65535 work-items or more. */
    size_t limit = 65534 / group_size;
    if (groups > limit) groups = limit;
    return groups > 0 ? groups : 1;
}
