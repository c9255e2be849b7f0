/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL calls that the layer intercepts. Each follows the rules of the
 * call that it replaces.
 */
#ifndef DNNL_CACHE_LAYER_CALLS_H
#define DNNL_CACHE_LAYER_CALLS_H

#include "layer/programs/objects.h"

#include <CL/cl_icd.h>
#include <stdbool.h>

/* Puts the layer's functions into a dispatch table, one subject each. */
void put_context_calls(cl_icd_dispatch *table);
void put_program_calls(cl_icd_dispatch *table);
void put_build_calls(cl_icd_dispatch *table);
void put_link_calls(cl_icd_dispatch *table);
void put_kernel_calls(cl_icd_dispatch *table);
void put_extension_calls(cl_icd_dispatch *table);
void put_lazy_calls(cl_icd_dispatch *table);

/* Makes the entry of a program that was made from IL, by that call of the
 * driver's. */
void remember_il_program(cl_program program, cl_context context, const void *il,
        size_t size, create_with_il_function create);

/* Answers CL_PROGRAM_BINARY_SIZES or CL_PROGRAM_BINARIES of a program whose
 * build has a loaded program. */
cl_int answer_binaries(struct layer_program *program, struct build *build,
        cl_program_info what, size_t capacity, void *value, size_t *size_ret);

/* The same of one that was asked for with files in place of code: the driver's
 * own answer has them. given_is_there() waits until the layer has asked; false:
 * it has not after all. */
bool given_is_there(struct layer_program *program, struct build *build);
cl_int answer_given(const struct build *build, cl_program_info what,
        size_t capacity, void *value, size_t *size_ret);

/* Answer for a program whose failure was kept (compile/failed.h), where the
 * record says what the driver would. False: it is no such program any more, and
 * is to be treated as always. */
bool answer_failed_build(cl_int *err, struct layer_program *program,
        cl_device_id device, cl_program_build_info what, size_t capacity,
        void *value, size_t *size_ret);
bool answer_failed_program(cl_int *err, struct layer_program *program,
        cl_program_info what, size_t capacity, void *value, size_t *size_ret);
bool answer_failed_kernel(
        cl_int *err, struct layer_program *program, const char *name);
bool answer_failed_kernels(cl_int *err, struct layer_program *program,
        cl_uint capacity, cl_kernel *kernels, cl_uint *count_ret);

/* Answers a query as OpenCL does: capacity too small is CL_INVALID_VALUE. */
cl_int answer(const void *data, size_t size, size_t capacity, void *value,
        size_t *size_ret);

/* True if the driver tells the size also where it does not fit (NVIDIA). */
bool tells_size(cl_program handle);

#endif /* DNNL_CACHE_LAYER_CALLS_H */
