/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application for the tests of "dnnl-cache refresh":
 *
 *     refresh_client note STORE COUNT    notes programs as if it had built them
 *                                        and launched their kernels, and ends
 *     refresh_client run STORE COUNT     builds and launches the same programs
 *                                        with the store attached
 *     refresh_client plain STORE COUNT   builds and launches the same programs
 *                                        with OpenCL alone, for the layer;
 *                                        every second one is compiled and
 *                                        linked
 *
 *     refresh_client forge STORE COUNT   notes programs under the IDs of
 * others, as one of the library and as the layer's
 *
 *     refresh_client record FILE COUNT   adds as many notes to a record
 *
 * With REFRESH_CLIENT_INCLUDE the sources include this file.
 * With REFRESH_CLIENT_FOLDERS plain has these options, too.
 * With REFRESH_CLIENT_FATES the first three sources tell the fake driver to
 * crash, to hang, and to eat memory, if it has FAKE_OPENCL_DEADLY_SOURCES.
 * With REFRESH_CLIENT_LARGE_GRID note launches a kernel on a large grid, too.
 * With REFRESH_CLIENT_AUTO note leaves the local size of one to the driver.
 * With REFRESH_CLIENT_LARGE the sources have more than 256 KiB.
 * With REFRESH_CLIENT_LINKS plain compiles and links all of them.
 * With REFRESH_CLIENT_NO_OPTIONS plain builds and links with no options (NULL).
 * With REFRESH_CLIENT_HEADER_PROGRAMS plain compiles all of them with headers
 * that are programs, and links them.
 * With REFRESH_CLIENT_SECOND_FOLDERS they are linked with a second object,
 * which includes header.h and is compiled with these options. With
 * REFRESH_CLIENT_PAUSE plain waits so many seconds after the first one. With
 * REFRESH_CLIENT_AHEAD plain waits after the first one until so many are
 * compiled ahead of it, or all that can be; a minute at most; with
 * REFRESH_CLIENT_KILLS_AHEAD it then kills who does. With
 * REFRESH_CLIENT_USER_DATA run keeps so many bytes in the first entry.
 *
 * run prints how many programs came from the store and how many were compiled,
 * and a checksum of what the kernels wrote. Each program has two kernels, which
 * are launched with a local size of 64 and of 16.
 */
#include "dnnl_cache.h"
#include "dnnl_cache/journal.h"
#include "dnnl_cache/recording.h"
#include "dnnl_cache/sys/layer.h"
#include "test_platform.h"
#include "tools/common/state/ahead_session.h"
#include "tools/common/state/layer_key.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { items = 256, source_size = 300 << 10 };

struct client {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
    dnnl_engine_t engine;
    dnnl_cache_store_handle_t *store;
};

static void check(int is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "refresh_client: %s failed\n", what);
    exit(1);
}

static void client_open(struct client *c, const char *store)
{
    cl_int error;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = store;
    check(dnnl_cache_store_open(&c->store, "flat", &options) == dnnl_success,
            "store");
    c->device = test_platform_device();
    if (c->device == NULL) exit(77);
    c->context = clCreateContext(NULL, 1, &c->device, NULL, NULL, &error);
    check(error == CL_SUCCESS, "context");
    c->queue = clCreateCommandQueueWithProperties(
            c->context, c->device, NULL, &error);
    check(error == CL_SUCCESS, "queue");
    c->buffer = clCreateBuffer(
            c->context, CL_MEM_READ_WRITE, items * sizeof(float), NULL, &error);
    check(error == CL_SUCCESS, "buffer");
    check(dnnl_ocl_interop_engine_create(&c->engine, c->device, c->context)
                    == dnnl_success,
            "engine");
}

static void client_close(struct client *c)
{
    dnnl_engine_destroy(c->engine);
    clReleaseMemObject(c->buffer);
    clReleaseCommandQueue(c->queue);
    clReleaseContext(c->context);
    dnnl_cache_store_close(c->store);
}

static bool has_no_options(void)
{
    return getenv("REFRESH_CLIENT_NO_OPTIONS") != NULL;
}

static bool has_header_programs(void)
{
    return getenv("REFRESH_CLIENT_HEADER_PROGRAMS") != NULL;
}

static void write_source(char source[source_size], int number)
{
    const char *include = getenv("REFRESH_CLIENT_INCLUDE");
    const char *fates = getenv("REFRESH_CLIENT_FATES");
    int size = include == NULL ? 0
                               : snprintf(source, source_size,
                                       "#include \"%s\"\n", include);
    if (has_no_options())
        size += snprintf(
                source + size, source_size - (size_t)size, "#define BASE 2\n");
    if (has_header_programs())
        size += snprintf(source + size, source_size - (size_t)size,
                "#include \"outer.h\"\n");
    if (fates != NULL && number < 3)
        size += snprintf(source + size, source_size - (size_t)size,
                "/* fate: %s */\n",
                number == 0   ? "crash"
                : number == 1 ? "hang"
                              : "eat");
    if (getenv("REFRESH_CLIENT_LARGE") != NULL)
        size += snprintf(source + size, source_size - (size_t)size,
                "__constant int unused[] = {%0*d};\n", (260 << 10), 0);
    snprintf(source + size, source_size - (size_t)size,
            "__kernel void first(__global float *x)\n"
            "{ x[get_global_id(0)] = get_global_id(0) + %d.0f%s; }\n"
            "__kernel void second(__global float *x)\n"
            "{ x[get_global_id(0)] *= BASE * get_local_size(0); }\n",
            number, has_header_programs() ? " + ADDED" : "");
}

static dnnl_cache_program_desc_t describe(
        const struct client *c, char source[source_size], int number)
{
    dnnl_cache_program_desc_t desc = NULL;
    const char *text = source;
    write_source(source, number);
    check(dnnl_cache_program_desc_create(
                  &desc, c->engine, 1, &text, NULL, "-DBASE=2")
                    == dnnl_success,
            "descriptor");
    return desc;
}

static void append(const struct client *c, const dnnl_cache_note_t *note)
{
    check(dnnl_cache_store_journal_append(c->store, note) == dnnl_success,
            "note");
}

/* The caller frees it. */
static uint8_t *id_of(dnnl_cache_program_desc_t desc, size_t *size)
{
    *size = 0;
    check(dnnl_cache_program_desc_get_cache_blob_id(desc, size, NULL)
                            == dnnl_success
                    && *size > 0,
            "ID");
    uint8_t *id = malloc(*size);
    check(id != NULL
                    && dnnl_cache_program_desc_get_cache_blob_id(desc, size, id)
                               == dnnl_success,
            "ID");
    return id;
}

static void note_build(const struct client *c, const char *source,
        size_t id_size, const uint8_t *id, dnnl_cache_note_origin_t origin)
{
    const char *sources[] = {source};
    const size_t sizes[] = {strlen(source)};
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = dnnl_cache_note_build;
    note.origin = origin;
    note.id_size = id_size;
    note.id = id;
    note.type = dnnl_cache_note_executable;
    note.compile_ns = 1000000000;
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = sizes;
    note.options = "-DBASE=2";
    append(c, &note);
}

static void note_program(const struct client *c, int number)
{
    char source[source_size];
    dnnl_cache_program_desc_t desc = describe(c, source, number);
    size_t id_size;
    uint8_t *id = id_of(desc, &id_size);
    note_build(c, source, id_size, id, dnnl_cache_note_library);
    const int launches = getenv("REFRESH_CLIENT_LARGE_GRID") != NULL ? 3 : 2;
    for (int i = 0; i < launches; i++) {
        dnnl_cache_note_t launch = DNNL_CACHE_NOTE_INIT;
        launch.kind = dnnl_cache_note_launch;
        launch.origin = dnnl_cache_note_library;
        launch.id_size = id_size;
        launch.id = id;
        launch.kernel = i == 1 ? "second" : "first";
        launch.work_dim = 1;
        launch.local_size[0] = i == 1 ? 16 : 64;
        launch.is_small_grid = i < 2;
        if (i == 0 && getenv("REFRESH_CLIENT_AUTO") != NULL) {
            launch.local_size[0] = 0;
            launch.global_size[0] = items;
        }
        append(c, &launch);
    }
    free(id);
    dnnl_cache_program_desc_destroy(desc);
}

/* The ID of one program, the source of the next. */
static void forge_program(const struct client *c, int number)
{
    static const char layer_key[] = LAYER_KEY;
    char source[source_size];
    char other[source_size];
    size_t id_size;
    write_source(other, number + 1);
    for (int is_layers = 0; is_layers < 2; is_layers++) {
        dnnl_cache_program_desc_t desc = describe(c, source, number);
        if (is_layers)
            check(dnnl_cache_program_desc_set_includes_known(desc)
                                    == dnnl_success
                            && dnnl_cache_program_desc_add_key(
                                       desc, sizeof layer_key - 1, layer_key)
                                       == dnnl_success,
                    "key");
        uint8_t *id = id_of(desc, &id_size);
        note_build(c, other, id_size, id,
                is_layers ? dnnl_cache_note_layer : dnnl_cache_note_library);
        free(id);
        dnnl_cache_program_desc_destroy(desc);
    }
}

static void launch(const struct client *c, cl_kernel kernel, size_t local)
{
    const size_t global = items;
    check(clSetKernelArg(kernel, 0, sizeof c->buffer, &c->buffer) == CL_SUCCESS
                    && clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL,
                               &global, &local, 0, NULL, NULL)
                               == CL_SUCCESS
                    && clFinish(c->queue) == CL_SUCCESS,
            "launch");
    clReleaseKernel(kernel);
}

static double sum_of(const struct client *c)
{
    float values[items];
    double sum = 0;
    check(clEnqueueReadBuffer(c->queue, c->buffer, CL_TRUE, 0, sizeof values,
                  values, 0, NULL, NULL)
                    == CL_SUCCESS,
            "read");
    for (int i = 0; i < items; i++)
        sum += values[i];
    return sum;
}

/* As large as the variable says, of the first program. */
static void set_user_data(dnnl_cache_program_t program, int number)
{
    const char *text = getenv("REFRESH_CLIENT_USER_DATA");
    if (text == NULL || number > 0) return;
    const size_t size = strtoul(text, NULL, 10);
    uint8_t *data = calloc(1, size);
    check(data != NULL
                    && dnnl_cache_program_set_user_data(program, size, data)
                               == dnnl_success,
            "user data");
    free(data);
}

static double run_program(const struct client *c, int number)
{
    char source[source_size];
    dnnl_cache_program_desc_t desc = describe(c, source, number);
    dnnl_cache_program_t program = NULL;
    const char *const names[] = {"first", "second"};
    check(dnnl_cache_program_create(&program, desc) == dnnl_success, "program");
    set_user_data(program, number);
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = NULL;
        check(dnnl_cache_program_get_kernel(program, names[i], &kernel)
                        == dnnl_success,
                "kernel");
        launch(c, kernel, i == 0 ? 64 : 16);
    }
    const double sum = sum_of(c);
    dnnl_cache_program_destroy(program);
    dnnl_cache_program_desc_destroy(desc);
    return sum;
}

static cl_int compile_plain(
        const struct client *c, cl_program program, const char *options)
{
    static const char *names[] = {"outer.h", "parts/inner.h", "parts/deep.h"};
    static const char *const texts[] = {"#include \"parts/inner.h\"\n",
            "#include \"deep.h\"\n#define ADDED (DEEP + 1)\n",
            "#define DEEP 6\n"};
    cl_program headers[3] = {NULL};
    cl_int error = CL_SUCCESS;
    const cl_uint count = has_header_programs() ? 3 : 0;
    for (cl_uint i = 0; i < count; i++)
        headers[i] = clCreateProgramWithSource(c->context, 1,
                (const char **)(uintptr_t)&texts[i], NULL, &error);
    error = clCompileProgram(program, 1, &c->device, options, count,
            count > 0 ? headers : NULL, count > 0 ? names : NULL, NULL, NULL);
    for (cl_uint i = 0; i < count; i++)
        clReleaseProgram(headers[i]);
    return error;
}

/* NULL: there is none. */
static cl_program compile_second(const struct client *c)
{
    static const char *text = "#include \"header.h\"\n"
                              "__kernel void third(__global float *x)\n"
                              "{ x[0] = SECOND; }\n";
    const char *options = getenv("REFRESH_CLIENT_SECOND_FOLDERS");
    cl_int error;
    if (options == NULL) return NULL;
    cl_program program =
            clCreateProgramWithSource(c->context, 1, &text, NULL, &error);
    check(error == CL_SUCCESS
                    && clCompileProgram(program, 1, &c->device, options, 0,
                               NULL, NULL, NULL, NULL)
                               == CL_SUCCESS,
            "second compilation");
    return program;
}

static cl_program link_plain(const struct client *c, cl_program program)
{
    cl_program inputs[] = {program, compile_second(c)};
    cl_int error;
    cl_program linked = clLinkProgram(c->context, 1, &c->device,
            has_no_options() ? NULL : "", inputs[1] != NULL ? 2 : 1, inputs,
            NULL, NULL, &error);
    check(error == CL_SUCCESS, "link");
    clReleaseProgram(program);
    if (inputs[1] != NULL) clReleaseProgram(inputs[1]);
    return linked;
}

static cl_program build_plain(const struct client *c, int number)
{
    char source[source_size];
    char options[4096];
    const char *text = source;
    const char *folders = getenv("REFRESH_CLIENT_FOLDERS");
    cl_int error;
    write_source(source, number);
    snprintf(options, sizeof options, "-DBASE=2 %s",
            folders != NULL ? folders : "");
    cl_program program =
            clCreateProgramWithSource(c->context, 1, &text, NULL, &error);
    check(error == CL_SUCCESS, "source");
    if (number % 2 == 0 && getenv("REFRESH_CLIENT_LINKS") == NULL
            && !has_header_programs()) {
        check(clBuildProgram(program, 1, &c->device,
                      has_no_options() ? NULL : options, NULL, NULL)
                        == CL_SUCCESS,
                "build");
        return program;
    }
    check(compile_plain(c, program, options) == CL_SUCCESS, "compilation");
    return link_plain(c, program);
}

/* So that a driver is asked before the next one is built. */
static void pause_after(int number)
{
    const char *seconds = getenv("REFRESH_CLIENT_PAUSE");
    if (number == 0 && seconds != NULL)
        (void)sleep((unsigned)strtoul(seconds, NULL, 10));
}

/* However busy the machine is. */
static void await_ahead(int number)
{
    enum { most_waits = 12000, wait_us = 5000 };
    const char *count = getenv("REFRESH_CLIENT_AHEAD");
    const char *path = getenv(AHEAD_SESSION_VARIABLE);
    struct ahead_session *session = number == 0 && count != NULL && path != NULL
                                            ? ahead_session_open(path)
                                            : NULL;
    if (session == NULL) return;
    const uint64_t wanted = strtoul(count, NULL, 10);
    for (int i = 0; i < most_waits && !atomic_load(&session->is_complete)
                    && atomic_load(&session->made_count) < wanted;
            i++)
        (void)usleep(wait_us);
    if (getenv("REFRESH_CLIENT_KILLS_AHEAD") != NULL)
        (void)kill((pid_t)atomic_load(&session->owner), SIGKILL);
    ahead_session_close(session);
}

static double run_plain(const struct client *c, int number)
{
    cl_program program = build_plain(c, number);
    const char *const names[] = {"first", "second"};
    cl_int error;
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = clCreateKernel(program, names[i], &error);
        check(error == CL_SUCCESS, "kernel");
        launch(c, kernel, i == 0 ? 64 : 16);
    }
    clReleaseProgram(program);
    pause_after(number);
    await_ahead(number);
    return sum_of(c);
}

/* A build, a kernel and three launches for each five. */
static int write_record(const char *path, int count)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = path};
    dnnl_cache_store_handle_t *record = NULL;
    char source[source_size];
    check(dnnl_cache_recording_open(&record, &options) == dnnl_success,
            "record");
    for (int i = 0; i < count; i++) {
        const char *sources[] = {source};
        dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
        write_source(source, i / 5);
        const size_t size = strlen(source);
        note.kind = i % 5 == 0   ? dnnl_cache_note_build
                    : i % 5 == 1 ? dnnl_cache_note_kernel
                                 : dnnl_cache_note_launch;
        note.origin = dnnl_cache_note_layer;
        note.id_size = size;
        note.id = (const uint8_t *)source;
        note.type = dnnl_cache_note_executable;
        note.source_count = 1;
        note.sources = sources;
        note.source_sizes = &size;
        note.kernel = "first";
        note.arguments = "g";
        note.work_dim = 1;
        note.local_size[0] = (size_t)(i % 5);
        check(dnnl_cache_recording_add(record, &note) == dnnl_success, "note");
    }
    dnnl_cache_store_close(record);
    return 0;
}

int main(int argc, char **argv)
{
    struct client c = {.store = NULL};
    double sum = 0;
    check(argc == 4,
            "usage: refresh_client note|run|plain|forge|record STORE N:");
    if (strcmp(argv[1], "record") == 0)
        return write_record(argv[2], atoi(argv[3]));
    client_open(&c, argv[2]);
    const int count = atoi(argv[3]);
    const int is_run = strcmp(argv[1], "run") == 0;
    if (is_run)
        check(dnnl_cache_engine_set_store(
                      c.engine, dnnl_cache_store_get_callbacks(c.store))
                        == dnnl_success,
                "attaching");
    for (int i = 0; i < count; i++)
        if (is_run)
            sum += run_program(&c, i);
        else if (strcmp(argv[1], "plain") == 0)
            sum += run_plain(&c, i);
        else if (strcmp(argv[1], "forge") == 0)
            forge_program(&c, i);
        else
            note_program(&c, i);
    dnnl_cache_statistics_t s = DNNL_CACHE_STATISTICS_INIT;
    check(dnnl_cache_get_statistics(&s) == dnnl_success, "statistics");
    if (is_run || strcmp(argv[1], "plain") == 0)
        printf("from the store %d, compiled %d, checksum %.0f\n",
                (int)s.store_hits, (int)s.programs_compiled, sum);
    client_close(&c);
    return 0;
}
