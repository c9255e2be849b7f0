/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/engines.h"

#include "layer/driver/next_layer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A context in which the application has programs. */
struct context {
    struct context *next;
    cl_context handle;
    unsigned programs;
    struct layer_engine *engines; /* a reference to each */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct context *contexts;
/* Locks of an engine may have been held by a thread that is not in the child:
 * so a child makes its own. */
static unsigned forks;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
    forks++;
    (void)pthread_mutex_unlock(&lock);
}

void engines_init(void)
{
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

/* The place of the context, or the end of the list. */
static struct context **find_context(cl_context handle)
{
    struct context **place = &contexts;
    while (*place != NULL && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

bool engines_add_program(cl_context context)
{
    (void)pthread_mutex_lock(&lock);
    struct context **place = find_context(context);
    if (*place == NULL && (*place = calloc(1, sizeof **place)) != NULL)
        (*place)->handle = context;
    const bool is_counted = *place != NULL;
    if (is_counted) (*place)->programs++;
    (void)pthread_mutex_unlock(&lock);
    return is_counted;
}

void engines_remove_program(cl_context context)
{
    struct context *left = NULL;
    (void)pthread_mutex_lock(&lock);
    struct context **place = find_context(context);
    if (--(*place)->programs == 0) {
        left = *place;
        *place = left->next;
    }
    (void)pthread_mutex_unlock(&lock);
    while (left != NULL && left->engines != NULL) {
        struct layer_engine *engine = left->engines;
        left->engines = engine->next;
        engines_release(engine);
    }
    free(left);
}

/* ---- One engine ---------------------------------------------------------- */

static void read_device(struct layer_engine *engine)
{
    cl_device_type type = 0;
    cl_platform_id platform = NULL;
    engine->is_cpu = next_layer->clGetDeviceInfo(engine->device, CL_DEVICE_TYPE,
                             sizeof type, &type, NULL)
                             == CL_SUCCESS
                     && (type & CL_DEVICE_TYPE_CPU) != 0;
    if (next_layer->clGetDeviceInfo(engine->device, CL_DEVICE_PLATFORM,
                sizeof platform, &platform, NULL)
                    != CL_SUCCESS
            || next_layer->clGetPlatformInfo(platform, CL_PLATFORM_NAME,
                       sizeof engine->platform, engine->platform, NULL)
                       != CL_SUCCESS)
        engine->platform[0] = '\0';
}

static dnnl_status_t make(
        struct layer_engine **out, cl_context context, cl_device_id device)
{
    struct layer_engine *made = calloc(1, sizeof *made);
    if (made == NULL) return dnnl_out_of_memory;
    const dnnl_status_t st =
            dnnl_ocl_interop_engine_create(&made->engine, device, context);
    if (st != dnnl_success) {
        free(made);
        return st;
    }
    made->device = device;
    made->references = 1;
    read_device(made);
    *out = made;
    return dnnl_success;
}

static void destroy(struct layer_engine *engine)
{
    dnnl_engine_destroy(engine->engine);
    free(engine->id);
    free(engine);
}

/* The one that is shared, with a reference; NULL: none. The lock is held. */
static struct layer_engine *find_locked(
        const struct context *context, cl_device_id device)
{
    struct layer_engine *engine = context != NULL ? context->engines : NULL;
    while (engine != NULL
            && (engine->device != device || engine->forks != forks))
        engine = engine->next;
    if (engine != NULL) engine->references++;
    return engine;
}

dnnl_status_t engines_get(
        struct layer_engine **out, cl_context context, cl_device_id device)
{
    struct layer_engine *made;
    (void)pthread_mutex_lock(&lock);
    struct layer_engine *found = find_locked(*find_context(context), device);
    (void)pthread_mutex_unlock(&lock);
    if (found != NULL) {
        *out = found;
        return dnnl_success;
    }
    const dnnl_status_t st = make(&made, context, device);
    if (st != dnnl_success) return st;
    (void)pthread_mutex_lock(&lock);
    struct context *in = *find_context(context);
    /* Another thread may have made one meanwhile. */
    found = find_locked(in, device);
    made->forks = forks;
    if (found == NULL && in != NULL) {
        made->references++;
        made->next = in->engines;
        in->engines = made;
    }
    (void)pthread_mutex_unlock(&lock);
    if (found != NULL) destroy(made);
    *out = found != NULL ? found : made;
    return dnnl_success;
}

void engines_release(struct layer_engine *engine)
{
    if (engine == NULL) return;
    (void)pthread_mutex_lock(&lock);
    const bool is_last = --engine->references == 0;
    (void)pthread_mutex_unlock(&lock);
    if (is_last) destroy(engine);
}

/* ---- Its name ------------------------------------------------------------ */

static dnnl_status_t read_id(uint8_t **id, size_t *size, cl_device_id device)
{
    size_t n = 0;
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob_id(device, &n, NULL);
    if (st != dnnl_success || n == 0) return st;
    uint8_t *bytes = malloc(n);
    if (bytes == NULL) return dnnl_out_of_memory;
    st = dnnl_ocl_interop_engine_get_cache_blob_id(device, &n, bytes);
    if (st != dnnl_success) {
        free(bytes);
        return st;
    }
    *id = bytes;
    *size = n;
    return dnnl_success;
}

dnnl_status_t engines_name(struct layer_engine *engine)
{
    uint8_t *id = NULL;
    size_t size = 0;
    (void)pthread_mutex_lock(&lock);
    const bool is_set = engine->id != NULL;
    (void)pthread_mutex_unlock(&lock);
    if (is_set) return dnnl_success;
    const dnnl_status_t st = read_id(&id, &size, engine->device);
    if (st != dnnl_success || id == NULL) return st;
    (void)pthread_mutex_lock(&lock);
    if (engine->id == NULL) {
        engine->id_size = size;
        engine->id = id;
        id = NULL;
    }
    (void)pthread_mutex_unlock(&lock);
    free(id);
    return dnnl_success;
}
