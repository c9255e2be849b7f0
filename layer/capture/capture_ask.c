/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/capture_ask.h"

#include "dnnl_cache/sys/inside.h"
#include "dnnl_cache/sys/layer.h"
#include "layer/capture/capture_put.h"
#include "layer/capture/collect.h"
#include "layer/driver/answer_time.h"
#include "layer/driver/watch.h"
#include "layer/programs/form.h"
#include "layer/programs/included.h"
#include "layer/programs/launches.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "src/platform/clock.h"
#include "tools/common/id/missing_form.h"

#include <stdlib.h>

static bool query_takes_too_long(size_t kernel_count)
{
    const uint64_t limit = layer_settings()->capture_limit_ms;
    return limit != 0
           && answer_time_predict_ns(kernel_count) / 1000000u > limit;
}

/* 0 if it has none, as an object that is not linked, or the driver does not
 * tell. */
static size_t count_kernels(cl_program handle)
{
    size_t count = 0;
    const cl_int err = clGetProgramInfo(
            handle, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    return err == CL_SUCCESS ? count : 0;
}

size_t capture_kernel_count(
        const struct layer_program *program, const struct build *build)
{
    return count_kernels(objects_working_handle(program, build));
}

void captured_fini(struct captured *captured)
{
    dnnl_cache_program_destroy(captured->adopted);
    free(captured->record.data);
    *captured = (struct captured){.adopted = NULL};
}

void captured_free(const struct build *build, struct captured *all)
{
    for (size_t i = 0; all != NULL && i < build->count; i++)
        captured_fini(&all[i]);
    free(all);
}

unsigned captured_count(const struct build *build, const struct captured *all)
{
    unsigned count = 0;
    for (size_t i = 0; all != NULL && i < build->count; i++)
        if (all[i].adopted != NULL) count++;
    return count;
}

/* dnnl_cache_program_set_finalised(): none if one ended processes. A form that
 * replaces the binary is for programs whose binary the application does not
 * want itself, and which it cannot link. */
static int finalised_wanted(
        const struct build *build, const struct built_device *d)
{
    enum { no_form, form_beside, form_alone };
    if (!form_is_safe(d)) return no_form;
    return build->kind == build_executable
                           && !atomic_load(&build->is_binary_wanted)
                   ? form_alone
                   : form_beside;
}

bool capture_ask_program(cl_program handle, struct build *build, size_t device,
        int finalised, struct captured *captured)
{
    const struct built_device *d = &build->devices[device];
    struct bytes *record = &captured->record;
    if (!collect_facts(handle, build, device, record)) return false;
    dnnl_status_t st =
            dnnl_cache_program_adopt(&captured->adopted, d->desc, handle);
    if (st == dnnl_success)
        st = dnnl_cache_program_set_user_data(
                captured->adopted, record->size, record->data);
    if (st == dnnl_success) included_give(build, captured->adopted);
    if (st == dnnl_success)
        st = dnnl_cache_program_set_finalised(captured->adopted, finalised);
    if (st == dnnl_success)
        st = dnnl_cache_program_read_binary(captured->adopted);
    return st == dnnl_success;
}

/* Of a link the journal has no note that could be worked on alone, and workers
 * put one entry. */
static bool form_can_wait(
        const struct build *build, const struct built_device *d)
{
    return build->kind != build_linked && !layer_settings()->capture_now
           && form_may_be_missing(d->id_size, d->id) && form_is_safe(d);
}

/* False: there is nothing to be made of the answer, or no answer. */
static bool ask_device(cl_program handle, struct build *build, size_t device,
        bool can_leave, struct captured *captured)
{
    const struct built_device *d = &build->devices[device];
    if (!capture_should_ask(build, device)) return false;
    captured->kernels = count_kernels(handle);
    if (query_takes_too_long(captured->kernels)) {
        capture_not_kept(d, layer_reason_slow_query, 0);
        return false;
    }
    const uint64_t start = clock_ns();
    watch_work_begin();
    const bool is_asked = capture_ask_program(
            handle, build, device, finalised_wanted(build, d), captured);
    watch_work_end();
    captured->query_ns = clock_ns() - start;
    captured->form_waits = can_leave && form_can_wait(build, d);
    if (is_asked) return true;
    print_failure("capture", "the driver returned no binary");
    capture_not_kept(d, layer_reason_failed, captured->query_ns);
    return false;
}

/* The chosen one that has the same entry; build->count: there is none. */
static size_t find_equal(const struct build *build, size_t device,
        const bool chosen[most_devices])
{
    for (size_t i = 0; i < device; i++)
        if (chosen[i]
                && build_devices_are_equal(
                        &build->devices[i], &build->devices[device]))
            return i;
    return build->count;
}

size_t capture_choose(const struct build *build, bool chosen[most_devices])
{
    size_t count = 0;
    size_t launches[most_devices];
    for (size_t i = 0; i < build->count; i++) {
        const size_t equal = find_equal(build, i, chosen);
        launches[i] = launches_count(build, i);
        chosen[i] = !build->devices[i].is_kept
                    && (equal == build->count || launches[equal] < launches[i]);
        if (chosen[i] && equal < build->count)
            chosen[equal] = false;
        else if (chosen[i])
            count++;
    }
    return count;
}

struct captured *capture_ask(
        cl_program handle, struct build *build, bool can_leave)
{
    bool is_any = false;
    bool chosen[most_devices];
    struct captured *all = calloc(build->count, sizeof *all);
    (void)capture_choose(build, chosen);
    for (size_t i = 0; all != NULL && i < build->count; i++) {
        if (!chosen[i]) continue;
        if (ask_device(handle, build, i, can_leave, &all[i]))
            is_any = true;
        else
            captured_fini(&all[i]);
    }
    if (is_any) return all;
    free(all);
    return NULL;
}
