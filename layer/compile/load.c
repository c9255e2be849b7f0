/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/load.h"

#include "dnnl_cache/sys/layer.h"
#include "layer/compile/lazy.h"
#include "layer/compile/withhold.h"
#include "layer/driver/crash_markers.h"
#include "layer/driver/loaded.h"
#include "layer/driver/measure.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/watch.h"
#include "layer/programs/form.h"
#include "layer/programs/launches.h"
#include "layer/programs/moved.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/storage/ahead.h"
#include "layer/storage/storage.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- What the storage has ------------------------------------------------ */

/* The driver's binary: of an entry that is not compressed as it stands there,
 * without going through its bytes once more. */
static dnnl_status_t read_binary(const struct storage_entry *entry,
        const dnnl_cache_blob_info_t *info, struct built_device *d)
{
    free(d->binary);
    d->binary_size = (size_t)info->binary_bytes;
    d->binary = malloc(d->binary_size);
    if (d->binary == NULL) return dnnl_out_of_memory;
    if (info->binary_compression != dnnl_cache_compression_none
            || info->binary_size != d->binary_size)
        return dnnl_cache_blob_get_program_binary(
                entry->size, entry->blob, 0, &d->binary_size, d->binary);
    memcpy(d->binary, info->binary, d->binary_size);
    return dnnl_success;
}

/* The checksum first, then whether it is the blob of this very ID: not one byte
 * has gone to the driver yet. */
static dnnl_status_t read_blob(const struct storage_entry *entry,
        const struct build *build, struct built_device *d)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    dnnl_status_t st = dnnl_cache_blob_inspect(entry->size, entry->blob, &info);
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
    if (!facts_decode(&d->facts, d->record, info.user_data_size)
            || !moved_suits(build, &d->facts))
        return dnnl_cache_blob_corrupt;
    if (!moved_read(build, &d->facts, &d->record)
            || !facts_read_classes(&d->facts, entry->size, entry->blob))
        return dnnl_out_of_memory;
    st = read_binary(entry, &info, d);
    if (st != dnnl_success) return st;
    d->loaded = loaded_key(d->id_size, d->id, entry->size, entry->blob);
    form_free(d);
    if (info.finalised_count > 0) form_read(entry, d);
    d->is_form_alone = form_is_entry(&info);
    return d->is_form_alone && d->form == NULL ? dnnl_cache_blob_stale
                                               : dnnl_success;
}

/* Where nothing may be compiled none would take its place. */
static void remove_useless(struct built_device *d, const char *why)
{
    if (withhold_is_on()) {
        print_failure("load", "an entry is of no use: %s", why);
        return;
    }
    print_failure("load", "removed an entry: %s", why);
    storage_remove(d->id_size, d->id);
    d->is_kept = false;
}

/* What is wrong with an entry that was found; layer_reason_count: nothing. */
static enum layer_reason reason_of(dnnl_status_t st)
{
    switch (st) {
    case dnnl_success:
        return layer_reason_count;
    case dnnl_out_of_memory:
        return layer_reason_failed;
    case dnnl_cache_blob_stale:
    case dnnl_cache_blob_unsupported:
        return layer_reason_stale;
    default:
        return layer_reason_damaged;
    }
}

/* Reads a device's entry; layer_reason_count: it is there and intact. */
static enum layer_reason find(struct build_call *call, struct built_device *d)
{
    struct storage_entry entry;
    ahead_ask(d->id_size, d->id);
    switch (crash_markers_ask(d->id_size, d->id)) {
    case crash_state_quarantined:
        return layer_reason_quarantined;
    case crash_state_replace:
        remove_useless(d, "two processes ended while loading it");
        return layer_reason_died;
    default:
        break;
    }
    if (!storage_get(&entry, d->id_size, d->id))
        return entry.damaged ? layer_reason_damaged : layer_reason_missing;
    const enum layer_reason reason =
            reason_of(read_blob(&entry, call->build, d));
    d->is_kept = reason == layer_reason_count;
    call->bytes += entry.size;
    if (!entry.from_memory) call->from_memory = false;
    storage_release(&entry);
    if (!d->is_kept && reason != layer_reason_failed)
        remove_useless(d, layer_reason_name(reason));
    return reason;
}

/* True if all are there and intact. One that is damaged or the like is told of
 * rather than one that is missing. */
static bool find_all(struct build_call *call)
{
    struct build *build = call->build;
    size_t there = 0;
    call->reason = layer_reason_missing;
    call->from_memory = true;
    call->bytes = 0;
    for (size_t i = 0; i < build->count; i++) {
        struct built_device *d = &build->devices[i];
        const enum layer_reason reason = find(call, d);
        if (reason == layer_reason_count) {
            there++;
            continue;
        }
        call->missed = d;
        if (reason != layer_reason_missing) call->reason = reason;
        if (reason == layer_reason_quarantined) return false;
    }
    if (there > 0 && call->reason == layer_reason_missing)
        call->reason = layer_reason_partial;
    return there == build->count;
}

/* ---- The driver's part --------------------------------------------------- */

/* Not a code of OpenCL's: the binary cannot be loaded beside others. */
enum { no_safe_way = 1 };

/* The driver's answer, CL_OUT_OF_HOST_MEMORY where there is none, or
 * no_safe_way. *made: the program, if there is one. */
static cl_int create(
        cl_program *made, const struct build_call *call, bool with_forms)
{
    const struct build *build = call->build;
    cl_device_id devices[most_devices];
    size_t sizes[most_devices];
    const unsigned char *binaries[most_devices];
    cl_int err = CL_SUCCESS;
    *made = NULL;
    if (build->count > most_devices) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        const bool is_form = with_forms && d->form != NULL;
        devices[i] = d->device;
        sizes[i] = is_form ? d->form_size : d->binary_size;
        binaries[i] = is_form ? d->form : d->binary;
    }
    const dnnl_status_t st = dnnl_cache_create_program_with_binary(made,
            call->context, (cl_uint)build->count, devices, sizes, binaries,
            NULL, &err);
    if (st != dnnl_success && err == CL_SUCCESS)
        return st == dnnl_unimplemented ? no_safe_way : CL_OUT_OF_HOST_MEMORY;
    /* What is to be linked is not built. */
    if (err == CL_SUCCESS && build->kind != build_object)
        err = next_layer->clBuildProgram(*made, (cl_uint)build->count, devices,
                call->options, NULL, NULL);
    if (err == CL_SUCCESS) return err;
    if (*made != NULL) next_layer->clReleaseProgram(*made);
    *made = NULL;
    return err;
}

/* One that ends the process counts once, for however many devices it is. */
static bool is_marked(const struct build *build, size_t device, bool with_forms)
{
    const struct built_device *first =
            &build->devices[build_first_equal(build, device)];
    const struct built_device *d = &build->devices[device];
    return first != d
           && (!with_forms || (first->form == NULL) == (d->form == NULL));
}

/* The same with a crash marker on each ID meanwhile, since a driver may crash
 * on a binary, and measured. A load that waited for files says nothing about
 * the driver. */
static cl_int create_measured(
        cl_program *made, const struct build_call *call, bool with_forms)
{
    const struct build *build = call->build;
    int slots[most_devices];
    struct watch watch;
    for (size_t i = 0; i < build->count; i++)
        slots[i] = is_marked(build, i, with_forms)
                           ? -1
                           : form_mark(&build->devices[i], with_forms);
    watch_begin(&watch);
    const uint64_t start = clock_ns();
    const cl_int err = create(made, call, with_forms);
    const uint64_t load_ns = (clock_ns() - start) / build->count;
    const bool is_typical = watch_end(&watch) && err == CL_SUCCESS;
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        crash_markers_end(slots[i]);
        if (is_typical)
            measure_note_load(d->engine_id_size, d->engine_id, load_ns,
                    d->facts.compile_ns / build->count);
    }
    return err;
}

/* Kernels are made from the loaded program by name: it must have all of them.
 */
static bool has_all_kernels(cl_program made, const struct build *build)
{
    size_t size = 0;
    const struct facts *facts = &build->devices[0].facts;
    cl_uint count = 0;
    if (build->kind == build_object) return true; /* it has none yet */
    if (next_layer->clCreateKernelsInProgram(made, 0, NULL, &count)
                    != CL_SUCCESS
            && next_layer->clGetProgramInfo(
                       made, CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL)
                       == CL_SUCCESS)
        count = (cl_uint)size;
    return count == facts->kernel_count;
}

/* ---- A load -------------------------------------------------------------- */

/* Says why nothing came of the binaries, and, if that is their fault, removes
 * them. */
static void note_refused(struct build_call *call, cl_int err, bool removes)
{
    struct build *build = call->build;
    call->missed = &build->devices[0];
    if (err == no_safe_way) {
        print_failure("load",
                "unknown version of PoCL with its kernel cache off: "
                "nothing is loaded");
        call->reason = layer_reason_unsupported;
        return;
    }
    call->reason =
            err == CL_SUCCESS ? layer_reason_differs : layer_reason_refused;
    print_failure("load",
            err == CL_SUCCESS ? "the loaded program lacks kernels (error %d)"
                              : "the driver rejected a binary: error %d",
            (int)err);
    if (err == CL_OUT_OF_HOST_MEMORY || err == CL_OUT_OF_RESOURCES) {
        call->reason = layer_reason_failed;
        return;
    }
    if (!removes) return;
    loaded_forget();
    for (size_t i = 0; i < build->count; i++)
        remove_useless(&build->devices[i], layer_reason_name(call->reason));
}

/* A program of the binaries that has all kernels; NULL: *err says why not, and
 * is CL_SUCCESS for lack of kernels. */
static cl_program make_whole(
        const struct build_call *call, bool with_forms, cl_int *err)
{
    cl_program made;
    *err = create_measured(&made, call, with_forms);
    if (made == NULL || has_all_kernels(made, call->build)) return made;
    next_layer->clReleaseProgram(made);
    return NULL;
}

/* Other threads may know a build that is loaded late: they see the substitute
 * last. */
static void take(struct build_call *call, uint64_t start, cl_program made,
        bool with_forms)
{
    struct build *build = call->build;
    const uint64_t compile_ns = build->devices[0].facts.compile_ns;
    call->load_ns = clock_ns() - start;
    const uint64_t all_ns = build->late.found_ns + call->load_ns;
    build->saved_ns = compile_ns > all_ns ? compile_ns - all_ns : 0;
    if (with_forms) statistics_count_finalised();
    for (size_t i = 0; i < build->count; i++) {
        struct built_device *d = &build->devices[i];
        d->is_of_form = with_forms && d->form != NULL;
        loaded_note(d->loaded);
    }
    launches_watch(build);
    atomic_store(&build->substitute, made);
}

static bool load_found(struct build_call *call, uint64_t start, bool removes)
{
    struct build *build = call->build;
    bool with_forms = form_is_in(build);
    cl_int err;
    cl_program made = make_whole(call, with_forms, &err);
    if (made == NULL && with_forms && !form_is_alone(build)) {
        form_refuse(build, err);
        with_forms = false;
        made = make_whole(call, false, &err);
    }
    if (made == NULL) {
        note_refused(call, err, removes);
        return false;
    }
    take(call, start, made, with_forms);
    return true;
}

/* A child of fork() may begin between any two steps: what it frees is not freed
 * yet. */
static void free_bytes(struct build *build)
{
    for (size_t i = 0; i < build->count; i++) {
        struct built_device *d = &build->devices[i];
        uint8_t *binary = d->binary;
        uint8_t *form = d->form;
        d->binary = NULL;
        d->form = NULL;
        free(binary);
        free(form);
    }
}

bool load(struct build_call *call)
{
    struct build *build = call->build;
    const uint64_t start = clock_ns();
    bool is_found = find_all(call);
    const bool is_lazy = is_found && lazy_is_allowed(call);
    if (is_found && !is_lazy) is_found = load_found(call, start, true);
    if (is_found) {
        build->is_loaded = true;
        build->is_done = true;
    }
    if (!is_lazy) free_bytes(build);
    if (is_lazy || !is_found) call->load_ns = clock_ns() - start;
    return is_found;
}

bool load_late(struct build_call *call, bool removes)
{
    struct build *build = call->build;
    if (!load_found(call, clock_ns(), removes)) return false;
    statistics_count_late_load(build->late.found_ns, call->load_ns,
            build->devices[0].facts.compile_ns);
    free_bytes(build);
    return true;
}

bool load_is_given_up(const struct build_call *call)
{
    return call->reason == layer_reason_quarantined
           || call->reason == layer_reason_unsupported;
}

bool load_driver_is_faster(const struct build *build)
{
    bool is_faster = false;
    /* Who was asked for entries makes them; and who is to load loads. */
    if (layer_settings()->capture_now
            || layer_settings()->mode != settings_mode_normal)
        return false;
    for (size_t i = 0; i < build->count; i++)
        if (measure_driver_is_faster(build->devices[i].engine_id_size,
                    build->devices[i].engine_id))
            is_faster = true;
    return is_faster;
}

void load_count_hit(const struct build_call *call)
{
    struct build *build = call->build;
    const uint64_t compile_ns = build->devices[0].facts.compile_ns;
    const bool is_lazy = build_is_lazy(build);
    if (is_lazy) lazy_begin(call);
    for (size_t i = 0; i < build->count; i++) {
        const struct facts *facts = &build->devices[i].facts;
        const struct trace_facts told = {.kernels = facts->kernel_names,
                .took_ns = call->load_ns,
                .compile_ns = compile_ns};
        trace_hit(build->devices[i].id_size, build->devices[i].id,
                call->from_memory, build_moved_options(build), &told);
    }
    statistics_count_hit(call->from_memory, call->bytes, call->load_ns,
            is_lazy ? 0 : compile_ns);
}
