/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/build.h"

#include "layer/driver/next_layer.h"
#include "layer/driver/pin.h"
#include "layer/programs/included.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/launches.h"
#include "layer/programs/lease.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* The application may release a sub-device before the capture of its programs,
 * when PoCL needs it. Devices of drivers before OpenCL 1.2 have neither parents
 * nor references. */
static bool hold_sub_device(cl_device_id device)
{
    cl_device_id parent = NULL;
    return next_layer->clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE,
                   sizeof parent, &parent, NULL)
                   == CL_SUCCESS
           && parent != NULL
           && next_layer->clRetainDevice(device) == CL_SUCCESS;
}

struct build *build_new(enum build_kind kind, size_t count,
        const cl_device_id *devices, const char *options)
{
    if (count > most_devices) return NULL;
    struct build *build =
            calloc(1, sizeof *build + count * sizeof build->devices[0]);
    if (build == NULL) return NULL;
    atomic_init(&build->references, 1);
    atomic_init(&build->is_done, false);
    atomic_init(&build->is_misnamed, false);
    atomic_init(&build->holds_lease, false);
    atomic_init(&build->is_binary_wanted, false);
    atomic_init(&build->is_binary_given, false);
    atomic_init(&build->compiled, NULL);
    atomic_init(&build->stand_in, NULL);
    atomic_init(&build->substitute, NULL);
    build->kind = kind;
    build->count = count;
    for (size_t i = 0; i < count; i++) {
        build->devices[i].device = devices[i];
        build->devices[i].is_held = hold_sub_device(devices[i]);
        pin_driver(devices[i]);
    }
    build->has_no_options = options == NULL;
    build->options = strdup(options != NULL ? options : "");
    if (build->options != NULL) return build;
    build_release(build);
    return NULL;
}

struct build *build_new_like(
        const struct build *like, size_t count, const cl_device_id *devices)
{
    struct build *build =
            build_new(like->kind, count, devices, build_options(like));
    if (build == NULL) return NULL;
    build->headers = build_headers_hold(like->headers);
    return build;
}

void build_hold(struct build *build)
{
    atomic_fetch_add(&build->references, 1);
}

const char *build_options(const struct build *build)
{
    return build->has_no_options ? NULL : build->options;
}

bool build_devices_are_equal(
        const struct built_device *a, const struct built_device *b)
{
    return a->id_size != 0 && a->id_size == b->id_size
           && memcmp(a->id, b->id, a->id_size) == 0;
}

const char *build_moved_options(const struct build *build)
{
    return build->moves ? build_options(build) : NULL;
}

bool build_is_same(const struct build *a, const struct build *b)
{
    if (a->kind != b->kind || a->count != b->count
            || a->has_no_options != b->has_no_options || a->moves != b->moves)
        return false;
    /* Of one ID, and each with folders of its own in its log and options. */
    if (a->moves && strcmp(a->options, b->options) != 0) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct built_device *x = &a->devices[i];
        const struct built_device *y = &b->devices[i];
        if (x->device != y->device || !build_devices_are_equal(x, y))
            return false;
    }
    return true;
}

size_t build_first_equal(const struct build *build, size_t device)
{
    size_t i = 0;
    while (i < device
            && !build_devices_are_equal(
                    &build->devices[i], &build->devices[device]))
        i++;
    return i;
}

void build_drop_stand_in(struct build *build)
{
    cl_kernel kernel = atomic_exchange(&build->stand_in, NULL);
    if (kernel != NULL) next_layer->clReleaseKernel(kernel);
}

void build_drop_substitute(struct build *build)
{
    if (build->substitute == NULL) return;
    if (build->lender != NULL)
        build_release(build->lender);
    else
        next_layer->clReleaseProgram(build->substitute);
    build->lender = NULL;
    build->substitute = NULL;
    build->is_loaded = false;
    build->is_done = false;
}

bool build_is_lazy(const struct build *build)
{
    return build != NULL && build->is_loaded
           && atomic_load(&build->substitute) == NULL;
}

static void free_failure(struct kept_failure *failure)
{
    if (failure == NULL) return;
    failure_fini(&failure->answers);
    free(failure->record);
    free(failure);
}

void build_release(struct build *build)
{
    if (build == NULL || atomic_fetch_sub(&build->references, 1) != 1) return;
    lease_end(build);
    build_drop_stand_in(build);
    build_drop_substitute(build);
    build_release(atomic_load(&build->compiled));
    launches_free(build);
    kernel_names_remove(build);
    free_failure(build->failure);
    free(build->given);
    for (size_t i = 0; i < build->file_count; i++)
        free((char *)(uintptr_t)build->files[i].path);
    free(build->files);
    included_free(build);
    for (size_t i = 0; i < build->count; i++) {
        struct built_device *d = &build->devices[i];
        dnnl_cache_program_desc_destroy(d->desc);
        engines_release(d->engine);
        facts_free_lists(&d->facts);
        free(d->record);
        free(d->binary);
        free(d->form);
        for (size_t k = 0; k < d->input_count; k++)
            free(d->input_ids[k]);
        free(d->input_ids);
        free(d->input_id_sizes);
        free(d->id);
        if (d->is_held) next_layer->clReleaseDevice(d->device);
    }
    build_headers_release(build->headers);
    free(build->options);
    free(build);
}

void build_files_begin(struct build *build)
{
    build->files_from_ns = clock_file_ns();
    build->began_ns = clock_epoch_ns();
    build->files_ahead_ns = build->began_ns - clock_ns();
}

void build_files_end(struct build *build)
{
    static const uint64_t most_ns = 5000000; /* less than compiling takes */
    build->is_clock_kept = !build_clock_was_set(build, most_ns);
    build->files_until_ns = clock_epoch_ns();
}

bool build_clock_was_set(const struct build *build, uint64_t most_ns)
{
    const uint64_t ahead_ns = clock_epoch_ns() - clock_ns();
    return ahead_ns - build->files_ahead_ns + most_ns > 2 * most_ns;
}

static struct built_device *find_device(
        struct build *build, cl_device_id device)
{
    for (size_t i = 0; i < build->count; i++)
        if (build->devices[i].device == device) return &build->devices[i];
    return NULL;
}

struct built_device *build_device(struct build *build, cl_device_id device)
{
    struct built_device *found = NULL;
    while (build != NULL && device != NULL && found == NULL) {
        cl_device_id parent = NULL;
        found = find_device(build, device);
        if (found == NULL)
            next_layer->clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE,
                    sizeof parent, &parent, NULL);
        device = parent;
    }
    return found;
}
