/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every query that OpenCL has of programs and kernels, asked in every way: for
 * the size alone, with room enough, with too little room, with neither, and the
 * answers printed. All objects are the caller's.
 */
#ifndef DNNL_CACHE_TESTS_LAYER_QUERIES_QUESTIONS_H
#define DNNL_CACHE_TESTS_LAYER_QUERIES_QUESTIONS_H

#include <CL/cl.h>

/* clGetProgramInfo of all but what its binaries hold; sizes of binaries are
 * told as none or some, since drivers write different bytes each time. The
 * sizes make some drivers compile: with_sizes says whether to ask. */
void ask_program(const char *subject, cl_program program, int with_sizes);

/* The same of a program that is compiled but not linked, without the names of
 * its kernels: PoCL (3.1) says of them that they are of one byte, and writes
 * none. */
void ask_object(const char *subject, cl_program program);

/* clGetProgramBuildInfo for one device. */
void ask_build(const char *subject, cl_program program, cl_device_id device);

/* clGetKernelInfo, and clGetKernelArgInfo of each argument and the one behind
 * the last. */
void ask_kernel(const char *subject, cl_kernel kernel);

/* clGetKernelWorkGroupInfo and clGetKernelSubGroupInfo; the device may be
 * NULL. */
void ask_work_groups(
        const char *subject, cl_kernel kernel, cl_device_id device);

/* One number, without the ways of asking. */
cl_uint program_references(cl_program program);
cl_uint kernel_references(cl_kernel kernel);

#endif /* DNNL_CACHE_TESTS_LAYER_QUERIES_QUESTIONS_H */
