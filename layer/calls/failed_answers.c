/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program answers whose failure was kept (compile/failed.h).
 *
 * The driver has not built it. It is asked all the same where its answer must
 * be an error: if that is the one that it gave after the failure, it is the
 * answer, with whatever else the driver does then. Where it is another one, and
 * where the record has no answer, the driver builds the program after all, and
 * is asked as always.
 */
#include "layer/calls/calls.h"
#include "layer/compile/failed.h"
#include "layer/driver/next_layer.h"

/* A reference; NULL: no record answers for the program. */
static struct build *hold_answered(struct layer_program *program)
{
    struct build *build = objects_hold_build(program);
    if (failed_is_answered(build)) return build;
    build_release(build);
    return NULL;
}

/* Gives the reference back. False, for callers to return. */
static bool leave_to_driver(struct layer_program *program, struct build *build)
{
    failed_undo(program, build);
    build_release(build);
    return false;
}

/* ---- Queries about a device ---------------------------------------------- */

/* NULL: the record has none. Of parts of devices drivers differ. */
static const struct failure_answer *find_answer(const struct build *build,
        cl_device_id device, cl_program_build_info what)
{
    const enum failure_query query = failure_query_of(what);
    const struct failure *f = &build->failure->answers;
    if (query == failure_query_count) return NULL;
    for (size_t i = 0; i < build->count; i++) {
        const struct failure_answer *found = &f->devices[i].answers[query];
        if (build->devices[i].device == device)
            return found->error == CL_SUCCESS ? found : NULL;
    }
    return NULL;
}

bool answer_failed_build(cl_int *err, struct layer_program *program,
        cl_device_id device, cl_program_build_info what, size_t capacity,
        void *value, size_t *size_ret)
{
    struct build *build = hold_answered(program);
    if (build == NULL) return false;
    const struct failure_answer *found = find_answer(build, device, what);
    if (found == NULL) return leave_to_driver(program, build);
    *err = answer(found->bytes, found->size, capacity, value, size_ret);
    if (*err == CL_INVALID_VALUE && size_ret != NULL
            && tells_size(program->handle))
        *size_ret = found->size;
    build_release(build);
    return true;
}

/* ---- What has to be an error --------------------------------------------- */

bool answer_failed_program(cl_int *err, struct layer_program *program,
        cl_program_info what, size_t capacity, void *value, size_t *size_ret)
{
    const bool is_number = what == CL_PROGRAM_NUM_KERNELS;
    struct build *build = hold_answered(program);
    if (build == NULL) return false;
    if (!is_number && what != CL_PROGRAM_KERNEL_NAMES)
        return leave_to_driver(program, build);
    const struct failure *f = &build->failure->answers;
    *err = next_layer->clGetProgramInfo(
            program->handle, what, capacity, value, size_ret);
    if (*err != (is_number ? f->number_error : f->names_error))
        return leave_to_driver(program, build);
    build_release(build);
    return true;
}

bool answer_failed_kernel(
        cl_int *err, struct layer_program *program, const char *name)
{
    struct build *build = hold_answered(program);
    if (build == NULL) return false;
    if (name == NULL) return leave_to_driver(program, build);
    cl_kernel kernel = next_layer->clCreateKernel(program->handle, name, err);
    if (kernel != NULL) next_layer->clReleaseKernel(kernel);
    if (kernel != NULL || *err != build->failure->answers.kernel_error)
        return leave_to_driver(program, build);
    build_release(build);
    return true;
}

bool answer_failed_kernels(cl_int *err, struct layer_program *program,
        cl_uint capacity, cl_kernel *kernels, cl_uint *count_ret)
{
    struct build *build = hold_answered(program);
    if (build == NULL) return false;
    /* The record is of a call without a list. */
    if (kernels != NULL || capacity != 0 || count_ret == NULL)
        return leave_to_driver(program, build);
    *err = next_layer->clCreateKernelsInProgram(
            program->handle, 0, NULL, count_ret);
    if (*err != build->failure->answers.kernels_error)
        return leave_to_driver(program, build);
    build_release(build);
    return true;
}
