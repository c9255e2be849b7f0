/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake compiler: finds the kernels of an OpenCL C source, after
 * preprocessing, and what their declarations say. It checks nothing else.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_SOURCE_H
#define DNNL_CACHE_TESTS_FAKE_SOURCE_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

struct kernel_argument {
    char *name;
    char *type; /* as clGetKernelArgInfo tells it: "float*" */
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier qualifiers;
    bool pointer;
    size_t size; /* of a value whose type is known, else 0 */
};

struct kernel_decl {
    char *name;
    char *attributes;
    size_t required[3]; /* reqd_work_group_size, or 0, 0, 0 */
    bool computed;      /* its first number is written as an expression */
    size_t narguments;
    struct kernel_argument *arguments;
};

struct kernel_list {
    size_t count;
    struct kernel_decl *items;
};

/* What is compiled. Nothing is kept of it. */
struct source_input {
    const char *text;
    const char *options;
    const char *predefined; /* directives to be read before the options */
    size_t nheaders;
    const char **header_names;
    const char **headers;
};

/* The kernels defined in a source, in its order, into a zeroed list. A source
 * that does not compile leaves the list empty and *error a message of the
 * caller's to free; otherwise *error is NULL. CL_OUT_OF_HOST_MEMORY. */
cl_int source_scan(const struct source_input *input,
        struct kernel_list *kernels, char **error);
/* Frees what the list holds and zeroes it; a zeroed list is fine. */
void kernel_list_fini(struct kernel_list *kernels);
const struct kernel_decl *kernel_list_find(
        const struct kernel_list *kernels, const char *name);

#endif /* DNNL_CACHE_TESTS_FAKE_SOURCE_H */
