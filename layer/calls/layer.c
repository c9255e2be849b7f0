/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions by which a loader of OpenCL takes a layer in and lets it go:
 *
 *     OPENCL_LAYERS=libdnnl_cache_layer.so program
 *
 * Calls that the layer has nothing to do with go to the next one without
 * passing here: the table that it returns has the target's own entries.
 */
#include "layer/calls/calls.h"
#include "layer/calls/layer_api.h"
#include "layer/calls/loaders.h"
#include "layer/capture/capture.h"
#include "layer/compile/verify.h"
#include "layer/driver/crash_markers.h"
#include "layer/driver/idle.h"
#include "layer/driver/loaded.h"
#include "layer/driver/measure.h"
#include "layer/programs/identity.h"
#include "layer/programs/notes.h"
#include "layer/programs/objects.h"
#include "layer/settings/entry.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics_report.h"
#include "layer/storage/storage.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/library.h"

#include "dnnl_cache.h"

#include <dnnl_cache/file_digests.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static enum layer_entry last_entry; /* guarded by `loading` */

EXPORT cl_int CL_API_CALL clGetLayerInfo(
        cl_layer_info param, size_t capacity, void *value, size_t *size_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "dnnl_cache";
    switch (param) {
    case CL_LAYER_API_VERSION:
        return answer(&version, sizeof version, capacity, value, size_ret);
    case CL_LAYER_NAME:
        return answer(name, sizeof name, capacity, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Only where somebody looks at what the layer did: the application itself works
 * as well as ever. */
static void warn_of_loaders(void)
{
    const struct layer_settings *settings = layer_settings();
    if ((settings->print_debug || settings->statistics.on)
            && loaders_count() > 1)
        print_warning("the process has %u OpenCL loaders: calls that do not go "
                      "through the one with this layer are not cached; see "
                      "LD_PRELOAD in docs/reference/layer.md",
                loaders_count());
}

/* At the process's end, after the capture, which registered its own later;
 * calls nothing of OpenCL. The specification wants no atexit() of a layer that
 * loaders let go, since it may be unloaded first: this one never is (-z
 * nodelete). */
static void close_layer(void)
{
    warn_of_loaders();
    notes_end();
    storage_count_remote();
    statistics_report();
    verify_report();
    storage_close();
    measure_close();
    loaded_close();
    crash_markers_close();
}

/* An application may unload the loader before it ends (hashcat does), and with
 * it the drivers, which are queried for binaries at the end. A loader that lets
 * the layer go first does so within dlclose(), while the C library holds the
 * lock that the drivers' threads, and ours, take to load something: to wait for
 * them there, or to have a driver compile, may take for ever. So the loader,
 * which called this layer, is kept loaded, whichever it is. */
static void keep_loaded(const void *code)
{
    if (!library_keep(code))
        print_failure("start", "cannot keep the loader loaded");
}

/* ---- Loaders that come and go -------------------------------------------- */

/* Held while a loader takes the layer in or lets it go, which may take as long
 * as the capture at the end of a process: another loader that does so meanwhile
 * waits. No call of OpenCL takes it. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* What is the process's, whichever loaders it has: they share the layer. */
static void init_process(void)
{
    if (layer_settings_is_on(layer_settings())) {
        kept_descriptor_make_room(); /* drivers start threads */
        objects_init();
        (void)identity_changed_variable(); /* as the environment is now */
        dnnl_cache_set_log_callback(print_log, "library");
        /* What an application's own copy of the library is told to do. */
        dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_normal);
        if (layer_settings()->persistent)
            (void)dnnl_cache_store_file_digests_attach();
        capture_init();
    }
    atexit(close_layer);
}

/* The first of a process, or the first after all others let the layer go. */
static void begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_process);
    if (capture_is_over()) return;
    storage_open_again();
    capture_go_on();
}

/* The loader is about to close the drivers, unless the process ends: then they
 * have been taken down already, and the capture is done. */
static void end(void)
{
    if (!layer_settings_is_on(layer_settings()) || capture_is_over()) return;
    capture_end();
    objects_forget();
    idle_forget();
    notes_end();
    storage_count_remote();
    storage_close();
    measure_close();
    loaded_close();
}

/* Another loader keeps the drivers, but this one's code may be unloaded, and a
 * thread of ours may be in it. */
static void move_to_another(void)
{
    if (!layer_settings_is_on(layer_settings())) return;
    capture_pause();
    capture_go_on();
}

static void put_calls(cl_icd_dispatch *table)
{
    if (!layer_settings_is_on(layer_settings())) return;
    put_context_calls(table);
    put_program_calls(table);
    put_build_calls(table);
    put_link_calls(table);
    put_kernel_calls(table);
    put_extension_calls(table);
    put_lazy_calls(table);
}

/* A loader may be older than the headers, but knows all that is intercepted. */
enum {
    known = sizeof(cl_icd_dispatch) / sizeof(void (*)(void)),
    needed = offsetof(cl_icd_dispatch, clSetContextDestructorCallback)
                     / sizeof(void (*)(void))
             + 1
};

static cl_int take_in(const void *loader, cl_uint entries,
        const cl_icd_dispatch *below, cl_uint *entries_ret,
        const cl_icd_dispatch **table, enum layer_entry entry)
{
    if (below == NULL || entries_ret == NULL || table == NULL
            || entries < needed)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&loading);
    const bool is_first = !loaders_have_one();
    cl_icd_dispatch *own = loaders_add(loader, below, entries);
    if (own != NULL) {
        keep_loaded(loader);
        if (is_first) begin();
        put_calls(own);
        last_entry = entry;
    }
    pthread_mutex_unlock(&loading);
    if (own == NULL) return CL_OUT_OF_HOST_MEMORY;
    *table = own;
    *entries_ret = entries < known ? entries : known;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries,
        const cl_icd_dispatch *target_dispatch, cl_uint *entries_ret,
        const cl_icd_dispatch **layer_dispatch)
{
    return take_in(__builtin_return_address(0), entries, target_dispatch,
            entries_ret, layer_dispatch, layer_entry_plain);
}

EXPORT cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries,
        const cl_icd_dispatch *target_dispatch, cl_uint *entries_ret,
        const cl_icd_dispatch **layer_dispatch,
        const cl_layer_properties *properties)
{
    /* No layer has any so far. */
    if (properties != NULL && properties[0] != CL_LAYER_PROPERTIES_LIST_END)
        return CL_INVALID_PROPERTY;
    return take_in(__builtin_return_address(0), entries, target_dispatch,
            entries_ret, layer_dispatch, layer_entry_with_properties);
}

EXPORT cl_int CL_API_CALL clDeinitLayer(void)
{
    pthread_mutex_lock(&loading);
    const bool had_layer = loaders_remove(__builtin_return_address(0));
    if (had_layer && loaders_have_one())
        move_to_another();
    else if (had_layer)
        end();
    pthread_mutex_unlock(&loading);
    return had_layer ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* For dnnl-cache-run, which tries loaders out. */
EXPORT int dnnl_cache_layer_entry(void)
{
    return (int)last_entry;
}
