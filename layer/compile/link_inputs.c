/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/link_inputs.h"

#include "layer/compile/compiled_again.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/form.h"

#include <stdlib.h>

void link_inputs_fini(struct link_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        build_release(inputs->builds[i]);
        if (inputs->programs[i] != NULL)
            next_layer->clReleaseProgram(inputs->programs[i]);
        if (inputs->owners[i] != NULL) objects_put_program(inputs->owners[i]);
    }
    free(inputs->programs);
    free(inputs->builds);
    free(inputs->owners);
}

static void add_input(
        struct link_inputs *inputs, cl_context context, cl_program handle)
{
    const size_t i = inputs->count++;
    struct layer_program *owner = objects_get_program(handle);
    cl_program linked = handle;
    inputs->owners[i] = owner;
    if (owner != NULL) {
        inputs->builds[i] = objects_hold_build(owner);
        linked = objects_working_handle(owner, inputs->builds[i]);
        if (owner->context != context) inputs->is_other_context = true;
    }
    if (linked != NULL) next_layer->clRetainProgram(linked);
    inputs->programs[i] = linked;
}

bool link_inputs_init(struct link_inputs *inputs, cl_context context,
        size_t count, const cl_program *programs)
{
    *inputs =
            (struct link_inputs){.programs = calloc(count, sizeof(cl_program)),
                    .builds = calloc(count, sizeof(struct build *)),
                    .owners = calloc(count, sizeof(struct layer_program *))};
    if (inputs->programs == NULL || inputs->builds == NULL
            || inputs->owners == NULL) {
        link_inputs_fini(inputs);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        add_input(inputs, context, programs[i]);
    return true;
}

bool link_inputs_are_objects(
        const struct link_inputs *inputs, const struct build *build)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct build *input = inputs->builds[i];
        if (input == NULL || input->kind != build_object || !input->is_done
                || input->is_misnamed)
            return false;
        for (size_t k = 0; k < build->count; k++) {
            const struct built_device *d =
                    build_device(input, build->devices[k].device);
            if (d == NULL || d->id == NULL) return false;
        }
    }
    return true;
}

/* ---- Compiled once more -------------------------------------------------- */

static bool is_to_compile(const struct build *build)
{
    return build != NULL && build->is_loaded
           && (form_is_alone(build)
                   || (build->kind == build_object
                           && quirk_links_loaded_without_arguments(
                                   build->devices[0].device)));
}

/* The first input that is the same program; i if that is this one. */
static size_t first_same(const struct link_inputs *inputs, size_t i)
{
    size_t first = 0;
    while (inputs->owners[first] != inputs->owners[i]
            || inputs->builds[first] != inputs->builds[i])
        first++;
    return first;
}

void link_inputs_compile_loaded(struct link_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (!is_to_compile(inputs->builds[i])) continue;
        const size_t first = first_same(inputs, i);
        cl_program rebuilt = inputs->programs[first];
        if (first == i)
            rebuilt = compiled_again(inputs->owners[i], inputs->builds[i]);
        else
            next_layer->clRetainProgram(rebuilt);
        if (rebuilt == NULL) continue;
        next_layer->clReleaseProgram(inputs->programs[i]);
        inputs->programs[i] = rebuilt;
    }
}
