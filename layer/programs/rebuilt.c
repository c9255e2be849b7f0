/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/rebuilt.h"

#include "layer/driver/next_layer.h"

#include <stdlib.h>
#include <string.h>

static cl_program create(const struct layer_program *program)
{
    const struct program_input *input = &program->input;
    const char *source = input->source;
    cl_int err;
    if (source != NULL)
        return next_layer->clCreateProgramWithSource(
                program->context, 1, &source, &input->source_size, &err);
    if (input->il != NULL)
        return input->create_with_il(
                program->context, input->il, input->il_size, &err);
    return NULL;
}

/* A copy, since the driver is not called under the program's lock. False: no
 * memory, or some of them are lost. */
static bool copy_constants(struct layer_program *program,
        struct spec_constant **constants, size_t *count)
{
    pthread_mutex_lock(&program->lock);
    bool ok = !program->is_unknown;
    *count = program->constant_count;
    *constants = NULL;
    if (ok && *count > 0) {
        *constants = calloc(*count, sizeof **constants);
        ok = *constants != NULL;
    }
    if (*constants != NULL)
        memcpy(*constants, program->constants, *count * sizeof **constants);
    pthread_mutex_unlock(&program->lock);
    return ok;
}

static bool set_constants(
        cl_program rebuilt, const struct spec_constant *constants, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (next_layer->clSetProgramSpecializationConstant(rebuilt,
                    constants[i].id, constants[i].size, constants[i].value)
                != CL_SUCCESS)
            return false;
    return true;
}

bool rebuilt_set_constants(struct layer_program *program, cl_program rebuilt)
{
    struct spec_constant *constants;
    size_t count;
    const bool ok = copy_constants(program, &constants, &count)
                    && set_constants(rebuilt, constants, count);
    free(constants);
    return ok;
}

cl_program rebuilt_create(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    const bool is_known = !program->is_unknown;
    pthread_mutex_unlock(&program->lock);
    cl_program rebuilt = is_known ? create(program) : NULL;
    if (rebuilt != NULL && !rebuilt_set_constants(program, rebuilt)) {
        next_layer->clReleaseProgram(rebuilt);
        rebuilt = NULL;
    }
    return rebuilt;
}
