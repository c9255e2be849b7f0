/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_worker: compiles for a build queue of another process
 * (build_message.h). It reads no store and keeps nothing.
 */
#include "src/drivers/build_marks.h"
#include "src/platform/clock.h"
#include "src/worker/build_message.h"
#include "src/worker/worker.h"

#include <dnnl_cache.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { most_devices = 64, name_size = 256 };

/* ---- The device ---------------------------------------------------------- */

struct builder {
    cl_context context; /* owned; of engine */
    dnnl_engine_t engine;
    char platform[name_size];
    char device[name_size];
};

static void close_device(struct builder *w)
{
    (void)dnnl_engine_destroy(w->engine);
    if (w->context != NULL) clReleaseContext(w->context);
    *w = (struct builder){.engine = NULL};
}

static bool open_engine(struct builder *w, cl_device_id device)
{
    cl_int error;
    close_device(w);
    w->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS) w->context = NULL;
    return w->context != NULL
           && dnnl_ocl_interop_engine_create(&w->engine, device, w->context)
                      == dnnl_success;
}

/* Those of the platform and of the name. */
static cl_uint find_devices(cl_device_id found[most_devices],
        const char *platform, const char *name)
{
    cl_platform_id platforms[most_devices];
    cl_device_id devices[most_devices];
    cl_uint platform_count = 0;
    cl_uint count = 0;
    char text[name_size];
    if (clGetPlatformIDs(most_devices, platforms, &platform_count)
            != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < platform_count && p < most_devices; p++) {
        cl_uint device_count = 0;
        if (clGetPlatformInfo(
                    platforms[p], CL_PLATFORM_NAME, sizeof text, text, NULL)
                        != CL_SUCCESS
                || strcmp(text, platform) != 0
                || clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL,
                           most_devices, devices, &device_count)
                           != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < device_count && d < most_devices; d++)
            if (count < most_devices
                    && clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof text,
                               text, NULL)
                               == CL_SUCCESS
                    && strcmp(text, name) == 0)
                found[count++] = devices[d];
    }
    return count;
}

/* ---- The program --------------------------------------------------------- */

static dnnl_status_t create_desc(dnnl_cache_program_desc_t *desc,
        dnnl_engine_t engine, const struct build_order *order)
{
    return order->il.size > 0 ? dnnl_cache_program_desc_create_with_il(
                   desc, engine, order->il.size, order->il.data, order->options)
                              : dnnl_cache_program_desc_create(desc, engine,
                                      order->source_count, order->sources,
                                      order->sizes, order->options);
}

static dnnl_status_t add_keys(
        dnnl_cache_program_desc_t desc, const struct message_item *id)
{
    dnnl_status_t st = dnnl_success;
    size_t position = 0;
    while (st == dnnl_success) {
        dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
        if (dnnl_cache_id_next_field(id->size, id->data, &position, &field)
                != dnnl_success)
            break;
        if (strcmp(field.name, "application_key") == 0)
            st = dnnl_cache_program_desc_add_key(desc, field.size, field.value);
    }
    return st;
}

/* at: behind the item. */
static dnnl_status_t add_item(dnnl_cache_program_desc_t desc,
        const struct message_item *item, const struct message *m, size_t at)
{
    struct message_item next;
    switch (item->kind) {
    case build_item_header_name:
        return message_item_text(item) != NULL && message_next(&next, m, &at)
                               && next.kind == build_item_header_text
                       ? dnnl_cache_program_desc_add_header(desc,
                               message_item_text(item), next.size,
                               (const char *)next.data)
                       : dnnl_invalid_arguments;
    case build_item_constant:
        return dnnl_cache_program_desc_set_spec_constant(
                desc, item->number, item->size, item->data);
    case build_item_includes:
        return item->number == build_includes_known
                       ? dnnl_cache_program_desc_set_includes_known(desc)
               : item->number == build_includes_followed
                       ? dnnl_cache_program_desc_set_include_following(desc, 1)
                       : dnnl_success;
    default:
        return dnnl_success;
    }
}

static bool has_id(
        const_dnnl_cache_program_desc_t desc, const struct message_item *id)
{
    size_t size = 0;
    uint8_t *own = malloc(id->size + 1);
    const bool is_same =
            own != NULL
            && dnnl_cache_program_desc_get_cache_blob_id(desc, &size, NULL)
                       == dnnl_success
            && size == id->size
            && dnnl_cache_program_desc_get_cache_blob_id(desc, &size, own)
                       == dnnl_success
            && memcmp(own, id->data, size) == 0;
    free(own);
    return is_same;
}

/* The descriptor of the program, if the engine's device is the one: the ID says
 * so. NULL: it is not. */
static dnnl_cache_program_desc_t describe(
        const struct builder *w, const struct build_order *order)
{
    dnnl_cache_program_desc_t desc = NULL;
    struct message_item item;
    size_t at = 0;
    if (w->engine == NULL
            || create_desc(&desc, w->engine, order) != dnnl_success)
        return NULL;
    dnnl_status_t st = add_keys(desc, &order->id);
    while (st == dnnl_success && message_next(&item, order->message, &at))
        st = add_item(desc, &item, order->message, at);
    if (st == dnnl_success && has_id(desc, &order->id)) return desc;
    (void)dnnl_cache_program_desc_destroy(desc);
    return NULL;
}

static dnnl_cache_program_desc_t find_desc(
        struct builder *w, const struct build_order *order)
{
    cl_device_id devices[most_devices];
    dnnl_cache_program_desc_t desc = NULL;
    if (strlen(order->platform) >= name_size
            || strlen(order->device) >= name_size)
        return NULL;
    if (w->engine != NULL && strcmp(w->platform, order->platform) == 0
            && strcmp(w->device, order->device) == 0)
        desc = describe(w, order);
    if (desc != NULL) return desc;
    const cl_uint count = find_devices(devices, order->platform, order->device);
    for (cl_uint i = 0; i < count && desc == NULL; i++)
        if (open_engine(w, devices[i])) desc = describe(w, order);
    if (desc == NULL) return NULL;
    strcpy(w->platform, order->platform);
    strcpy(w->device, order->device);
    return desc;
}

/* The caller frees it; NULL: it failed. */
static uint8_t *get_blob(dnnl_cache_program_t program, size_t *size)
{
    *size = 0;
    if (dnnl_cache_program_get_cache_blob(program, size, NULL) != dnnl_success
            || *size == 0)
        return NULL;
    uint8_t *blob = malloc(*size);
    if (blob != NULL
            && dnnl_cache_program_get_cache_blob(program, size, blob)
                       == dnnl_success)
        return blob;
    free(blob);
    return NULL;
}

static void put_outcome(struct message *answer, enum build_outcome outcome)
{
    message_begin(answer, message_of_build);
    message_put(answer, build_item_status, outcome, 0, NULL);
}

static void answer_refused(
        struct message *answer, const_dnnl_cache_program_desc_t desc)
{
    size_t size = 0;
    char *log = NULL;
    if (dnnl_cache_program_desc_get_build_log(desc, &size, NULL) == dnnl_success
            && size > 0)
        log = calloc(1, size + 1);
    if (log != NULL
            && dnnl_cache_program_desc_get_build_log(desc, &size, log)
                       != dnnl_success)
        log[0] = '\0';
    put_outcome(answer, build_outcome_refused);
    message_put_text(answer, build_item_log, log != NULL ? log : "");
    free(log);
}

static void answer_made(struct message *answer, enum build_outcome outcome,
        uint64_t compile_ns, size_t size, const uint8_t *bytes)
{
    put_outcome(answer, outcome);
    message_put_u64(answer, build_item_compile_ns, compile_ns);
    message_put(answer, build_item_blob, 0, size, bytes);
}

/* "" if the driver needs none, and where it is not known. */
static void get_mark(
        char mark[build_mark_size], const_dnnl_cache_program_desc_t desc)
{
    size_t size = build_mark_size;
    if (dnnl_cache_program_desc_get_build_mark(desc, &size, mark)
            != dnnl_success)
        mark[0] = '\0';
}

/* With the mark before them; malloc'ed. */
static char *marked_options(const char *mark, const char *options)
{
    return mark[0] != '\0' ? build_marks_put(mark, options) : strdup(options);
}

/* As the application's clCompileProgram(). The caller releases it; NULL: it
 * failed. */
static cl_program compile_object(const struct builder *w,
        const_dnnl_cache_program_desc_t desc, const struct build_order *order,
        cl_device_id device)
{
    char mark[build_mark_size];
    char variable[build_mark_variable_size];
    cl_uint count = (cl_uint)order->source_count;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    cl_program object = NULL;
    get_mark(mark, desc);
    char *options = marked_options(mark, order->options);
    /* It is linked in another process, where no mark can be given. */
    if (count > 0 && mark[0] != '\0') {
        build_mark_write_variable(variable, mark);
        order->sources[count] = variable;
        order->sizes[count++] = strlen(variable);
    }
    if (count > 0 && options != NULL)
        object = clCreateProgramWithSource(
                w->context, count, order->sources, order->sizes, &error);
    if (error == CL_SUCCESS)
        error = clCompileProgram(
                object, 1, &device, options, 0, NULL, NULL, NULL, NULL);
    free(options);
    if (error == CL_SUCCESS) return object;
    if (object != NULL) clReleaseProgram(object);
    return NULL;
}

static uint8_t *get_binary(cl_program object, size_t *size)
{
    uint8_t *binary = NULL;
    if (clGetProgramInfo(
                object, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL)
                    == CL_SUCCESS
            && *size > 0)
        binary = malloc(*size);
    if (binary != NULL
            && clGetProgramInfo(object, CL_PROGRAM_BINARIES, sizeof binary,
                       &binary, NULL)
                       == CL_SUCCESS)
        return binary;
    free(binary);
    return NULL;
}

/* If it does not compile the other process compiles it once more, and has the
 * compiler's log. */
static void answer_object(struct message *answer, const struct builder *w,
        const_dnnl_cache_program_desc_t desc, const struct build_order *order)
{
    const uint64_t began = clock_ns();
    cl_device_id device = NULL;
    size_t size = 0;
    uint8_t *binary = NULL;
    cl_program object = NULL;
    if (clGetContextInfo(
                w->context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL)
            == CL_SUCCESS)
        object = compile_object(w, desc, order, device);
    if (object != NULL) binary = get_binary(object, &size);
    if (binary != NULL)
        answer_made(
                answer, build_outcome_object, clock_ns() - began, size, binary);
    free(binary);
    if (object != NULL) clReleaseProgram(object);
}

static void answer_program(
        struct message *answer, const_dnnl_cache_program_desc_t desc)
{
    dnnl_cache_program_t program = NULL;
    size_t size = 0;
    uint8_t *blob = NULL;
    const uint64_t began = clock_ns();
    const dnnl_status_t st = dnnl_cache_program_create(&program, desc);
    const uint64_t compile_ns = clock_ns() - began;
    if (st == dnnl_success) blob = get_blob(program, &size);
    if (blob != NULL)
        answer_made(answer, build_outcome_made, compile_ns, size, blob);
    else if (st == dnnl_runtime_error)
        answer_refused(answer, desc);
    free(blob);
    (void)dnnl_cache_program_destroy(program);
}

static bool build(void *user, struct message *message, struct message *answer)
{
    struct builder *w = user;
    struct build_order order;
    dnnl_cache_program_desc_t desc =
            build_order_read(&order, message) ? find_desc(w, &order) : NULL;
    put_outcome(answer, build_outcome_unable);
    if (desc != NULL && order.wants_object)
        answer_object(answer, w, desc, &order);
    else if (desc != NULL)
        answer_program(answer, desc);
    (void)dnnl_cache_program_desc_destroy(desc);
    build_order_fini(&order);
    return true;
}

int main(void)
{
    static const struct worker_job jobs[] = {{message_of_build, build}};
    struct builder builder = {.engine = NULL};
    struct worker_service service = {
            .jobs = jobs, .count = 1, .user = &builder};
    /* Nothing is asked for twice. */
    (void)dnnl_cache_set_program_cache_limit(1);
    const int code = worker_serve(&service, NULL);
    close_device(&builder);
    return code;
}
