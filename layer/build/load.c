/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include "clock.h"
#include "driver/measure.h"
#include "driver/target.h"
#include "driver/watch.h"
#include "health/crash_markers.h"
#include "health/print.h"
#include "health/trace.h"
#include "storage/storage.h"

#include <stdlib.h>
#include <string.h>

/* What is in the way of a load, device by device; index i is build->devices[i].
 */
struct found {
    struct storage_entry entry;
    uint8_t *binary; /* owned */
    size_t binary_size;
    bool is_there;
};

static void found_free(struct found *found, size_t count)
{
    for (size_t i = 0; found != NULL && i < count; i++) {
        if (found[i].is_there) storage_release(&found[i].entry);
        free(found[i].binary);
    }
    free(found);
}

/* ---- What the storage has ------------------------------------------------ */

static enum layer_reason reason_of(dnnl_status_t st)
{
    switch (st) {
    case dnnl_out_of_memory:
        return layer_reason_failed;
    case dnnl_cache_blob_stale:
    case dnnl_cache_blob_unsupported:
        return layer_reason_stale;
    default:
        return layer_reason_damaged;
    }
}

/* The checksum first, then whether it is the blob of this very ID: not one byte
 * has gone to the driver yet. */
static dnnl_status_t read_blob(struct found *found, struct built_device *d)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    const size_t size = found->entry.size;
    const uint8_t *blob = found->entry.blob;
    dnnl_status_t st = dnnl_cache_blob_inspect(size, blob, &info);
    if (st != dnnl_success) return st;
    if (info.kind != dnnl_cache_blob_kind_program || info.program_count != 1
            || info.id_size != d->id_size
            || memcmp(info.id, d->id, d->id_size) != 0)
        return dnnl_cache_blob_stale;
    facts_free_lists(&d->facts); /* of a look-up before */
    free(d->record);
    d->record = malloc(info.user_data_size > 0 ? info.user_data_size : 1);
    if (d->record == NULL) return dnnl_out_of_memory;
    if (info.user_data_size > 0)
        memcpy(d->record, info.user_data, info.user_data_size);
    if (!facts_decode(&d->facts, d->record, info.user_data_size))
        return dnnl_cache_blob_corrupt;
    found->binary_size = (size_t)info.binary_bytes;
    found->binary = malloc(found->binary_size);
    if (found->binary == NULL) return dnnl_out_of_memory;
    d->binary_size = found->binary_size;
    return dnnl_cache_blob_get_program_binary(
            size, blob, 0, &found->binary_size, found->binary);
}

static void drop_useless(struct built_device *d, const char *why)
{
    print_failure("load", "an entry is %s: removed", why);
    storage_remove(d->id_size, d->id);
    d->is_kept = false;
}

/* True if all are there and intact. */
static bool find_all(
        struct found *found, struct build *build, struct load_result *result)
{
    size_t there = 0;
    enum layer_reason reason = layer_reason_missing;
    for (size_t i = 0; i < build->count; i++) {
        struct built_device *d = &build->devices[i];
        const enum crash_state state = crash_markers_ask(d->id_size, d->id);
        if (state == crash_state_quarantined) {
            result->reason = layer_reason_quarantined;
            result->device = d;
            return false;
        }
        if (state == crash_state_replace) {
            reason = layer_reason_died;
            result->device = d;
            drop_useless(d, "what two processes were loading when they ended");
            continue;
        }
        found[i].is_there = storage_get(&found[i].entry, d->id_size, d->id);
        if (!found[i].is_there) {
            if (found[i].entry.damaged) reason = layer_reason_damaged;
            result->device = d;
            continue;
        }
        const dnnl_status_t st = read_blob(&found[i], d);
        d->is_kept = st == dnnl_success;
        if (st == dnnl_success) {
            there++;
        } else {
            reason = reason_of(st);
            result->device = d;
            if (st != dnnl_out_of_memory)
                drop_useless(d, layer_reason_name(reason));
        }
    }
    if (there == build->count) return true;
    result->reason = there > 0 && reason == layer_reason_missing
                             ? layer_reason_partial
                             : reason;
    return false;
}

/* ---- The driver's part --------------------------------------------------- */

/* Not a code of OpenCL's: the binary cannot be loaded beside others. */
enum { no_safe_way = 1 };

/* What the driver does not answer for is CL_OUT_OF_HOST_MEMORY; that there is
 * no safe way is no_safe_way. */
static cl_program create(cl_context context, const struct build *build,
        const struct found *found, cl_device_id *devices, cl_int *err)
{
    cl_program loaded = NULL;
    dnnl_status_t st = dnnl_out_of_memory;
    size_t *sizes = calloc(build->count, sizeof *sizes);
    const unsigned char **binaries = calloc(build->count, sizeof *binaries);
    *err = CL_SUCCESS;
    if (sizes != NULL && binaries != NULL) {
        for (size_t i = 0; i < build->count; i++) {
            sizes[i] = found[i].binary_size;
            binaries[i] = found[i].binary;
            devices[i] = build->devices[i].device;
        }
        st = dnnl_cache_create_program_with_binary(&loaded, context,
                (cl_uint)build->count, devices, sizes, binaries, NULL, err);
    }
    if (st != dnnl_success && *err == CL_SUCCESS)
        *err = st == dnnl_unimplemented ? no_safe_way : CL_OUT_OF_HOST_MEMORY;
    free(binaries);
    free(sizes);
    return loaded;
}

/* NULL: the driver refused, and *err says how. */
static cl_program make_program(cl_context context, const struct build *build,
        const struct found *found, const char *options, cl_int *err)
{
    cl_device_id *devices = calloc(build->count, sizeof(cl_device_id));
    cl_program loaded = NULL;
    *err = CL_OUT_OF_HOST_MEMORY;
    if (devices != NULL) loaded = create(context, build, found, devices, err);
    /* What is to be linked is not built. */
    if (loaded != NULL && build->kind != build_object) {
        *err = target->clBuildProgram(
                loaded, (cl_uint)build->count, devices, options, NULL, NULL);
        if (*err != CL_SUCCESS) {
            target->clReleaseProgram(loaded);
            loaded = NULL;
        }
    }
    free(devices);
    return loaded;
}

/* The same, and tells how long the driver took. Files that are waited for say
 * nothing about it, so they are no part of that. */
static cl_program make_measured(cl_context context, const struct build *build,
        const struct found *found, const char *options, cl_int *err)
{
    struct watch watch;
    watch_begin(&watch);
    const uint64_t start = clock_now_ns();
    cl_program loaded = make_program(context, build, found, options, err);
    const uint64_t load_ns = (clock_now_ns() - start) / build->count;
    if (!watch_end(&watch) || loaded == NULL) return loaded;
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        measure_note_load(d->engine_id_size, d->engine_id, load_ns,
                d->facts.compile_ns / build->count);
    }
    return loaded;
}

/* The same with a mark on each ID meanwhile: a driver may die of it. */
static cl_program make_marked(cl_context context, const struct build *build,
        const struct found *found, const char *options, cl_int *err)
{
    int *slots = calloc(build->count, sizeof *slots);
    cl_program loaded;
    for (size_t i = 0; slots != NULL && i < build->count; i++)
        slots[i] = crash_markers_begin(
                build->devices[i].id_size, build->devices[i].id);
    loaded = make_measured(context, build, found, options, err);
    for (size_t i = 0; slots != NULL && i < build->count; i++)
        crash_markers_end(slots[i]);
    free(slots);
    return loaded;
}

/* Kernels are made from the loaded by name: it must have all of them. */
static bool has_all_kernels(const struct build *build)
{
    size_t size = 0;
    const struct facts *facts = &build->devices[0].facts;
    cl_uint count = 0;
    if (build->kind == build_object) return true; /* it has none yet */
    if (target->clCreateKernelsInProgram(build->substitute, 0, NULL, &count)
                    != CL_SUCCESS
            && target->clGetProgramInfo(build->substitute,
                       CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL)
                       == CL_SUCCESS)
        count = (cl_uint)size;
    return count == facts->kernel_count;
}

/* ---- A load -------------------------------------------------------------- */

/* The driver compiles the rest when it is launched, as it would have: what that
 * takes is not known, and nothing is taken as saved. */
static bool is_early(const struct build *build)
{
    bool is = false;
    for (size_t i = 0; i < build->count; i++)
        is = is || build->devices[i].facts.is_early;
    return is;
}

void load_count_hit(const struct build *build, const struct load_result *result)
{
    const bool is_incomplete = is_early(build);
    for (size_t i = 0; i < build->count; i++)
        trace_hit(build->devices[i].id_size, build->devices[i].id,
                result->from_memory, is_incomplete);
    statistics_count_hit(result->from_memory, result->bytes, result->load_ns,
            is_incomplete ? 0 : build->devices[0].facts.compile_ns);
    if (is_incomplete) statistics_count_incomplete();
}

static void note_loaded(const struct build *build, const struct found *found,
        uint64_t load_ns, struct load_result *result)
{
    *result = (struct load_result){.from_memory = true, .load_ns = load_ns};
    for (size_t i = 0; i < build->count; i++) {
        result->bytes += found[i].entry.size;
        if (!found[i].entry.from_memory) result->from_memory = false;
    }
}

static bool load_found(struct build *build, cl_context context,
        const struct found *found, const char *options,
        struct load_result *result)
{
    cl_int err;
    build->substitute = make_marked(context, build, found, options, &err);
    build->is_loaded = build->substitute != NULL;
    build->is_done = build->is_loaded;
    if (build->is_loaded && has_all_kernels(build)) return true;
    if (err == no_safe_way) {
        print_failure("load",
                "this version of PoCL is not known, and its cache "
                "is off: nothing is loaded");
        result->reason = layer_reason_unsupported;
        result->device = &build->devices[0];
        return false;
    }
    print_failure("load",
            build->substitute != NULL
                    ? "what was loaded lacks kernels (error %d)"
                    : "the driver refused a binary: error %d",
            (int)err);
    result->reason = build->substitute != NULL ? layer_reason_differs
                                               : layer_reason_refused;
    result->device = &build->devices[0];
    build_drop_substitute(build);
    if (err == CL_OUT_OF_HOST_MEMORY || err == CL_OUT_OF_RESOURCES) {
        result->reason = layer_reason_failed; /* not the binary's fault */
        return false;
    }
    for (size_t i = 0; i < build->count; i++)
        drop_useless(&build->devices[i], layer_reason_name(result->reason));
    return false;
}

bool load_is_given_up(const struct load_result *result)
{
    return result->reason == layer_reason_quarantined
           || result->reason == layer_reason_unsupported;
}

bool load_driver_is_faster(const struct build *build)
{
    bool aside = false;
    for (size_t i = 0; i < build->count; i++)
        if (measure_driver_is_faster(build->devices[i].engine_id_size,
                    build->devices[i].engine_id))
            aside = true;
    return aside;
}

bool load_program(struct build *build, cl_context context, const char *options,
        struct load_result *result)
{
    struct found *found = calloc(build->count, sizeof *found);
    const uint64_t start = clock_now_ns();
    *result = (struct load_result){.reason = layer_reason_failed};
    const bool ok = found != NULL && find_all(found, build, result)
                    && load_found(build, context, found, options, result);
    if (ok) note_loaded(build, found, clock_now_ns() - start, result);
    found_free(found, build->count);
    return ok;
}
