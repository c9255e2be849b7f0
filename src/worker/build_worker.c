/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_worker: compiles for a build queue of another process
 * (drivers/build_message.h). It reads no store and keeps nothing; it ends when
 * the other process closes the socket.
 */
#include "src/drivers/build_marks.h"
#include "src/drivers/build_message.h"

#include <dnnl_cache.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { talk_fd = STDIN_FILENO, most_devices = 64, name_size = 256 };

/* ---- Messages ------------------------------------------------------------ */

struct item {
    uint32_t kind, number;
    size_t size;
    const char *data;
};

struct message {
    uint8_t *data; /* owned */
    size_t size;
    struct item *items; /* owned */
    size_t count;
    bool is_foreign; /* of another version of the library */
};

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
           | (uint32_t)at[3] << 24;
}

static uint64_t get_u64(const uint8_t *at)
{
    return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static void put_u64(uint8_t *at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at + 4, (uint32_t)(value >> 32));
}

static bool receive(void *data, size_t size)
{
    uint8_t *at = data;
    while (size > 0) {
        const ssize_t n = recv(talk_fd, at, size, 0);
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n < 0) continue;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_all(const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size > 0) {
        const ssize_t n = send(talk_fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) return false;
        if (n < 0) continue;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool is_text(uint32_t kind)
{
    return kind == build_item_platform || kind == build_item_device
           || kind == build_item_options || kind == build_item_header_name;
}

/* Counts the items, and fills them in if there is room for them. */
static bool read_items(struct message *m)
{
    const uint8_t *at = m->data;
    size_t left = m->size;
    m->count = 0;
    while (left >= build_item_head_size) {
        const struct item item = {get_u32(at), get_u32(at + 4),
                (size_t)get_u64(at + 8),
                (const char *)at + build_item_head_size};
        at += build_item_head_size;
        left -= build_item_head_size;
        if (get_u64(at - 8) > left
                || (is_text(item.kind)
                        && (item.size == 0
                                || item.data[item.size - 1] != '\0')))
            return false;
        if (m->items != NULL) m->items[m->count] = item;
        m->count++;
        at += item.size;
        left -= item.size;
    }
    return left == 0;
}

static void message_fini(struct message *m)
{
    free(m->items);
    free(m->data);
}

static bool receive_message(struct message *m)
{
    uint8_t head[build_message_head_size];
    *m = (struct message){.data = NULL};
    if (!receive(head, sizeof head)) return false;
    m->is_foreign = get_u32(head) != build_message_magic
                    || get_u32(head + 4) != build_message_version;
    if (m->is_foreign || get_u64(head + 8) > build_message_most) return false;
    m->size = (size_t)get_u64(head + 8);
    m->data = malloc(m->size + 1);
    if (m->data == NULL || !receive(m->data, m->size) || !read_items(m))
        return false;
    m->items = calloc(m->count + 1, sizeof *m->items);
    return m->items != NULL && read_items(m);
}

static bool send_items(const struct item *items, size_t count)
{
    uint8_t head[build_message_head_size];
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += build_item_head_size + items[i].size;
    put_u32(head, build_message_magic);
    put_u32(head + 4, build_message_version);
    put_u64(head + 8, size);
    bool is_sent = send_all(head, sizeof head);
    for (size_t i = 0; is_sent && i < count; i++) {
        uint8_t item[build_item_head_size];
        put_u32(item, items[i].kind);
        put_u32(item + 4, items[i].number);
        put_u64(item + 8, items[i].size);
        is_sent = send_all(item, sizeof item)
                  && send_all(items[i].data, items[i].size);
    }
    return is_sent;
}

/* ---- The device ---------------------------------------------------------- */

struct worker {
    cl_context context; /* owned; of engine */
    dnnl_engine_t engine;
    char platform[name_size];
    char device[name_size];
};

static void close_device(struct worker *w)
{
    (void)dnnl_engine_destroy(w->engine);
    if (w->context != NULL) clReleaseContext(w->context);
    *w = (struct worker){.engine = NULL};
}

static const struct item *find(const struct message *m, uint32_t kind)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->items[i].kind == kind) return &m->items[i];
    return NULL;
}

static bool open_engine(struct worker *w, cl_device_id device)
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
        dnnl_engine_t engine, const struct message *m)
{
    const struct item *il = find(m, build_item_il);
    const struct item *options = find(m, build_item_options);
    const char **sources = calloc(m->count + 1, sizeof *sources);
    size_t *sizes = calloc(m->count + 1, sizeof *sizes);
    size_t count = 0;
    dnnl_status_t st = dnnl_out_of_memory;
    for (size_t i = 0; sources != NULL && sizes != NULL && i < m->count; i++) {
        if (m->items[i].kind != build_item_source) continue;
        /* A length of 0 means a text that ends with NUL. */
        sizes[count] = m->items[i].size;
        sources[count++] = m->items[i].size > 0 ? m->items[i].data : "";
    }
    if (sources != NULL && sizes != NULL && options != NULL)
        st = il != NULL ? dnnl_cache_program_desc_create_with_il(
                     desc, engine, il->size, il->data, options->data)
                        : dnnl_cache_program_desc_create(desc, engine, count,
                                sources, sizes, options->data);
    free(sources);
    free(sizes);
    return st;
}

static dnnl_status_t add_keys(
        dnnl_cache_program_desc_t desc, const struct item *id)
{
    dnnl_status_t st = dnnl_success;
    size_t position = 0;
    while (st == dnnl_success) {
        dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
        if (dnnl_cache_id_next_field(
                    id->size, (const uint8_t *)id->data, &position, &field)
                != dnnl_success)
            break;
        if (strcmp(field.name, "application_key") == 0)
            st = dnnl_cache_program_desc_add_key(desc, field.size, field.value);
    }
    return st;
}

static dnnl_status_t add_item(dnnl_cache_program_desc_t desc,
        const struct item *item, const struct item *next)
{
    switch (item->kind) {
    case build_item_header_name:
        return next != NULL && next->kind == build_item_header_text
                       ? dnnl_cache_program_desc_add_header(
                               desc, item->data, next->size, next->data)
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

static bool has_id(const_dnnl_cache_program_desc_t desc, const struct item *id)
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
        const struct worker *w, const struct message *m)
{
    const struct item *id = find(m, build_item_id);
    dnnl_cache_program_desc_t desc = NULL;
    if (w->engine == NULL || id == NULL
            || create_desc(&desc, w->engine, m) != dnnl_success)
        return NULL;
    dnnl_status_t st = add_keys(desc, id);
    for (size_t i = 0; st == dnnl_success && i < m->count; i++)
        st = add_item(
                desc, &m->items[i], i + 1 < m->count ? &m->items[i + 1] : NULL);
    if (st == dnnl_success && has_id(desc, id)) return desc;
    (void)dnnl_cache_program_desc_destroy(desc);
    return NULL;
}

static dnnl_cache_program_desc_t find_desc(
        struct worker *w, const struct message *m)
{
    const struct item *platform = find(m, build_item_platform);
    const struct item *name = find(m, build_item_device);
    cl_device_id devices[most_devices];
    dnnl_cache_program_desc_t desc = NULL;
    if (platform == NULL || name == NULL || platform->size > name_size
            || name->size > name_size)
        return NULL;
    if (w->engine != NULL && strcmp(w->platform, platform->data) == 0
            && strcmp(w->device, name->data) == 0)
        desc = describe(w, m);
    if (desc != NULL) return desc;
    const cl_uint count = find_devices(devices, platform->data, name->data);
    for (cl_uint i = 0; i < count && desc == NULL; i++)
        if (open_engine(w, devices[i])) desc = describe(w, m);
    if (desc == NULL) return NULL;
    memcpy(w->platform, platform->data, platform->size);
    memcpy(w->device, name->data, name->size);
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

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool answer_refused(const_dnnl_cache_program_desc_t desc)
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
    const struct item items[] = {
            {build_item_status, build_outcome_refused, 0, ""},
            {build_item_log, 0, log != NULL ? strlen(log) + 1 : 1,
                    log != NULL ? log : ""}};
    const bool is_sent = send_items(items, 2);
    free(log);
    return is_sent;
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
static char *marked_options(const char *mark, const struct item *options)
{
    if (options == NULL) return NULL;
    return mark[0] != '\0' ? build_marks_put(mark, options->data)
                           : strdup(options->data);
}

/* As the application's clCompileProgram(). The caller releases it; NULL: it
 * failed. */
static cl_program compile_object(const struct worker *w,
        const_dnnl_cache_program_desc_t desc, const struct message *m,
        cl_device_id device)
{
    char mark[build_mark_size];
    char variable[build_mark_variable_size];
    get_mark(mark, desc);
    char *options = marked_options(mark, find(m, build_item_options));
    const char **sources = calloc(m->count + 2, sizeof *sources);
    size_t *sizes = calloc(m->count + 2, sizeof *sizes);
    cl_uint count = 0;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    cl_program object = NULL;
    for (size_t i = 0; sources != NULL && sizes != NULL && i < m->count; i++) {
        if (m->items[i].kind != build_item_source) continue;
        sizes[count] = m->items[i].size;
        sources[count++] = m->items[i].size > 0 ? m->items[i].data : "";
    }
    /* It is linked in another process, where no mark can be given. */
    if (count > 0 && mark[0] != '\0') {
        build_mark_write_variable(variable, mark);
        sources[count] = variable;
        sizes[count++] = strlen(variable);
    }
    if (count > 0 && options != NULL)
        object = clCreateProgramWithSource(
                w->context, count, sources, sizes, &error);
    if (error == CL_SUCCESS)
        error = clCompileProgram(
                object, 1, &device, options, 0, NULL, NULL, NULL, NULL);
    free(sources);
    free(sizes);
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
static bool answer_object(const struct worker *w,
        const_dnnl_cache_program_desc_t desc, const struct message *m)
{
    const uint64_t began = now_ns();
    cl_device_id device = NULL;
    size_t size = 0;
    uint8_t *binary = NULL;
    uint8_t time[8];
    cl_program object = NULL;
    if (clGetContextInfo(
                w->context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL)
            == CL_SUCCESS)
        object = compile_object(w, desc, m, device);
    if (object != NULL) binary = get_binary(object, &size);
    put_u64(time, now_ns() - began);
    const struct item items[] = {{build_item_status,
                                         binary != NULL ? build_outcome_object
                                                        : build_outcome_unable,
                                         0, ""},
            {build_item_compile_ns, 0, sizeof time, (const char *)time},
            {build_item_blob, 0, binary != NULL ? size : 0,
                    (const char *)binary}};
    const bool is_sent = send_items(items, 3);
    free(binary);
    if (object != NULL) clReleaseProgram(object);
    return is_sent;
}

static bool answer(struct worker *w, const struct message *m)
{
    const struct item unable = {build_item_status, build_outcome_unable, 0, ""};
    dnnl_cache_program_desc_t desc = find_desc(w, m);
    dnnl_cache_program_t program = NULL;
    size_t size = 0;
    uint8_t *blob = NULL;
    uint8_t time[8];
    bool is_sent;
    if (desc == NULL) return send_items(&unable, 1);
    if (find(m, build_item_wants_object) != NULL) {
        is_sent = answer_object(w, desc, m);
        (void)dnnl_cache_program_desc_destroy(desc);
        return is_sent;
    }
    const uint64_t began = now_ns();
    const dnnl_status_t st = dnnl_cache_program_create(&program, desc);
    put_u64(time, now_ns() - began);
    if (st == dnnl_success) blob = get_blob(program, &size);
    const struct item made[] = {{build_item_status, build_outcome_made, 0, ""},
            {build_item_compile_ns, 0, sizeof time, (const char *)time},
            {build_item_blob, 0, size, (const char *)blob}};
    if (blob != NULL)
        is_sent = send_items(made, 3);
    else if (st == dnnl_runtime_error)
        is_sent = answer_refused(desc);
    else
        is_sent = send_items(&unable, 1);
    free(blob);
    (void)dnnl_cache_program_destroy(program);
    (void)dnnl_cache_program_desc_destroy(desc);
    return is_sent;
}

int main(void)
{
    struct worker worker = {.engine = NULL};
    struct message message;
    bool goes_on = true;
    bool is_foreign = false;
    /* Nothing is asked for twice. */
    (void)dnnl_cache_set_program_cache_limit(1);
    while (goes_on) {
        goes_on = receive_message(&message);
        if (goes_on) goes_on = answer(&worker, &message);
        is_foreign = message.is_foreign;
        message_fini(&message);
    }
    close_device(&worker);
    return is_foreign ? build_worker_exit_version : build_worker_exit_done;
}
