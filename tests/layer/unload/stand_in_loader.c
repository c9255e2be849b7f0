/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for the loaders of 2026 (Khronos' v2026.05.29): a libOpenCL.so.1
 * with the calls of unload_client.c, on one driver: OCL_ICD_FILENAMES, or a
 * file *.icd of the folder OCL_ICD_VENDORS. It takes layers in (OPENCL_LAYERS)
 * by clInitLayerWithProperties alone. When it is unloaded, or the process ends,
 * it lets them go by clDeinitLayer, the last one first; then it closes the
 * driver, and what tables it gave can be neither read nor called.
 *
 *     OCL_ICD_FORCE_LEGACY_TERMINATION=1   clInitLayer, and no end
 *     OCL_ICD_DISABLE_DYNAMIC_LIBRARY_UNLOADING=1
 *                                          layers and driver stay loaded
 *     STAND_IN_FATE=FATE                   ignore: it takes no layers in; die,
 * hang: instead of loading anything STAND_IN_LOG=FILE                    a line
 * for each step; with the same file in FAKE_OPENCL_LOG, the driver's calls are
 * between them
 */
#include "layer/calls/layer_api.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { most_layers = 8, entries = sizeof(cl_icd_dispatch) / sizeof(void *) };

typedef cl_int(CL_API_CALL *init_function)(cl_uint nentries,
        const cl_icd_dispatch *below, cl_uint *nentries_ret,
        const cl_icd_dispatch **table);
typedef cl_int(CL_API_CALL *init_with_properties_function)(cl_uint nentries,
        const cl_icd_dispatch *below, cl_uint *nentries_ret,
        const cl_icd_dispatch **table, const cl_layer_properties *properties);
typedef cl_int(CL_API_CALL *deinit_function)(void);
typedef cl_int(CL_API_CALL *platforms_function)(
        cl_uint room, cl_platform_id *platforms, cl_uint *count);

/* A table in pages of its own. */
struct table {
    cl_icd_dispatch calls;
};

struct layer {
    void *library;
    deinit_function deinit;
    struct table *table; /* the layer's, completed */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct layer layers[most_layers];
static unsigned layer_count;
static struct table *main_table; /* the driver's calls */
static struct table *first;      /* of the last layer, or the former */
static void *driver;

/* A function of a library, into a pointer to one. */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void note(const char *step)
{
    const char *path = getenv("STAND_IN_LOG");
    FILE *log = path != NULL ? fopen(path, "ae") : NULL;
    if (log == NULL) return;
    (void)fprintf(log, "%s\n", step);
    (void)fclose(log);
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && strcmp(value, "1") == 0;
}

static struct table *new_table(const cl_icd_dispatch *calls)
{
    struct table *table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) abort();
    table->calls = *calls;
    return table;
}

/* ---- The driver ---------------------------------------------------------- */

static bool driver_path(char path[1024])
{
    const char *one = getenv("OCL_ICD_FILENAMES");
    const char *named = getenv("OCL_ICD_VENDORS");
    const char *folder = named != NULL ? named : "/etc/OpenCL/vendors";
    DIR *entries_of = opendir(folder);
    const struct dirent *entry;
    path[0] = '\0';
    if (one != NULL) (void)snprintf(path, 1024, "%s", one);
    while (path[0] == '\0' && entries_of != NULL
            && (entry = readdir(entries_of)) != NULL) {
        char name[1024];
        if (strstr(entry->d_name, ".icd") == NULL) continue;
        (void)snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(name, "re");
        if (file == NULL || fgets(path, 1024, file) == NULL) path[0] = '\0';
        if (file != NULL) (void)fclose(file);
        path[strcspn(path, "\n")] = '\0';
    }
    if (entries_of != NULL) (void)closedir(entries_of);
    return path[0] != '\0';
}

static void load_driver(void)
{
    void *(CL_API_CALL * address_of)(const char *name);
    platforms_function get_platforms;
    cl_platform_id platform;
    char path[1024];
    const cl_icd_dispatch *dispatch;
    driver = driver_path(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (driver == NULL
            || !find(driver, "clGetExtensionFunctionAddress", &address_of))
        return;
    void *found = address_of("clIcdGetPlatformIDsKHR");
    memcpy(&get_platforms, &found, sizeof found);
    if (found == NULL || get_platforms(1, &platform, NULL) != CL_SUCCESS)
        return;
    memcpy(&dispatch, platform, sizeof dispatch);
    main_table = new_table(dispatch);
    memcpy(&main_table->calls.clGetPlatformIDs, &found, sizeof found);
}

/* ---- Layers -------------------------------------------------------------- */

static bool init_layer(void *library, const cl_icd_dispatch *below,
        cl_uint *count, const cl_icd_dispatch **table)
{
    init_function init;
    init_with_properties_function init_with_properties;
    if (is_set("OCL_ICD_FORCE_LEGACY_TERMINATION"))
        return find(library, "clInitLayer", &init)
               && init(entries, below, count, table) == CL_SUCCESS;
    return find(library, "clInitLayerWithProperties", &init_with_properties)
           && init_with_properties(entries, below, count, table, NULL)
                      == CL_SUCCESS;
}

static void add_layer(const char *path)
{
    struct layer *layer = &layers[layer_count];
    const cl_icd_dispatch *table;
    cl_uint count = 0;
    void *library = layer_count < most_layers
                            ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                            : NULL;
    if (library == NULL) return;
    if (!init_layer(library, &first->calls, &count, &table)) {
        note("ignored a layer");
        (void)dlclose(library);
        return;
    }
    layer->library = library;
    layer->table = new_table(&first->calls);
    for (cl_uint i = 0; i < count && i < entries; i++) {
        void *call;
        memcpy(&call, (const char *)table + i * sizeof call, sizeof call);
        if (call != NULL)
            memcpy((char *)layer->table + i * sizeof call, &call, sizeof call);
    }
    if (!find(library, "clDeinitLayer", &layer->deinit)) layer->deinit = NULL;
    first = layer->table;
    layer_count++;
    note("layer");
}

static bool has_fate(const char *fate)
{
    const char *value = getenv("STAND_IN_FATE");
    return value != NULL && strcmp(value, fate) == 0;
}

static void load_all(void)
{
    const char *list = has_fate("ignore") ? NULL : getenv("OPENCL_LAYERS");
    char *paths = list != NULL ? strdup(list) : NULL;
    char *rest = paths;
    const char *path;
    if (has_fate("die")) abort();
    while (has_fate("hang"))
        (void)pause();
    load_driver();
    first = main_table;
    while (first != NULL && (path = strsep(&rest, ":")) != NULL)
        add_layer(path);
    free(paths);
}

static const cl_icd_dispatch *calls(void)
{
    (void)pthread_once(&once, load_all);
    return first != NULL ? &first->calls : NULL;
}

/* ---- The end ------------------------------------------------------------- */

__attribute__((destructor)) static void unload_all(void)
{
    const bool keeps = is_set("OCL_ICD_DISABLE_DYNAMIC_LIBRARY_UNLOADING");
    if (is_set("OCL_ICD_FORCE_LEGACY_TERMINATION")) return;
    while (layer_count > 0) {
        const struct layer *layer = &layers[--layer_count];
        first = NULL;
        if (layer->deinit != NULL)
            note(layer->deinit() == CL_SUCCESS ? "end of a layer"
                                               : "a layer does not end");
        (void)mprotect(layer->table, sizeof *layer->table, PROT_NONE);
        if (!keeps) (void)dlclose(layer->library);
    }
    if (main_table != NULL)
        (void)mprotect(main_table, sizeof *main_table, PROT_NONE);
    if (driver != NULL && !keeps) (void)dlclose(driver);
    note("end");
}

/* ---- Calls --------------------------------------------------------------- */

EXPORT cl_int CL_API_CALL clGetPlatformIDs(
        cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    enum { no_platform = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR */
    return calls() != NULL ? calls()->clGetPlatformIDs(room, platforms, count)
                           : no_platform;
}

EXPORT cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform,
        cl_device_type type, cl_uint room, cl_device_id *devices,
        cl_uint *count)
{
    return calls()->clGetDeviceIDs(platform, type, room, devices, count);
}

EXPORT cl_context CL_API_CALL clCreateContext(
        const cl_context_properties *properties, cl_uint count,
        const cl_device_id *devices,
        void(CL_CALLBACK *notify)(
                const char *words, const void *data, size_t size, void *user),
        void *user, cl_int *err)
{
    return calls()->clCreateContext(
            properties, count, devices, notify, user, err);
}

EXPORT cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    return calls()->clReleaseContext(context);
}

EXPORT cl_program CL_API_CALL clCreateProgramWithSource(cl_context context,
        cl_uint count, const char **strings, const size_t *sizes, cl_int *err)
{
    return calls()->clCreateProgramWithSource(
            context, count, strings, sizes, err);
}

EXPORT cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    return calls()->clReleaseProgram(program);
}

EXPORT cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count,
        const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program program, void *user), void *user)
{
    return calls()->clBuildProgram(
            program, count, devices, options, notify, user);
}
