/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/withhold.h"

#include "layer/driver/next_layer.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"

#include <stdatomic.h>
#include <stdio.h>

bool withhold_is_on(void)
{
    return layer_settings()->mode == settings_mode_cached_only;
}

bool withhold_takes(const struct build_call *call)
{
    return withhold_is_on() && call->program != NULL
           && (call->program->input.source != NULL
                   || call->program->input.il != NULL);
}

/* What an application does with a log is its own: once a process it is said. */
static void tell(const char *text)
{
    static atomic_bool is_told;
    if (!atomic_exchange(&is_told, true)) print_warning("%s", text);
}

/* Reasons for which nothing is kept come after those that may be kept. */
static bool may_be_kept(enum layer_reason reason)
{
    return reason < layer_reason_includes;
}

cl_program withhold_make(cl_context context, enum layer_reason reason)
{
    char text[400];
    char line[440];
    const char *source = line;
    cl_int err;
    (void)snprintf(text, sizeof text,
            "DNNL_CACHE_COMPILE_MODE=cached_only: not compiled, %s the cache "
            "(%s): %s",
            may_be_kept(reason) ? "and not in" : "and cannot be in",
            layer_reason_name(reason),
            may_be_kept(reason)
                    ? "run once with DNNL_CACHE_COMPILE_MODE=normal, or set "
                      "DNNL_CACHE_DIR, DNNL_CACHE_SEED or DNNL_CACHE_REMOTE to "
                      "a store that has it (docs/reference/layer.md)"
                    : "use DNNL_CACHE_COMPILE_MODE=normal for this application "
                      "(docs/reference/reasons.md)");
    tell(text);
    (void)snprintf(line, sizeof line, "#error dnnl_cache: %s\n", text);
    return next_layer->clCreateProgramWithSource(
            context, 1, &source, NULL, &err);
}

cl_program withhold_link(const struct build_call *call, cl_int *err)
{
    cl_program program = withhold_make(call->context, call->reason);
    if (program == NULL) {
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    *err = next_layer->clBuildProgram(
            program, call->device_count, call->devices, "", NULL, NULL);
    if (*err != CL_BUILD_PROGRAM_FAILURE) { /* wrong devices */
        next_layer->clReleaseProgram(program);
        return NULL;
    }
    *err = call->notify != NULL ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
    if (call->notify != NULL) call->notify(program, call->user);
    return program;
}
