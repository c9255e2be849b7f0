/* SPDX-License-Identifier: Apache-2.0 */
/* One query of OpenCL's, asked in every way that a program may ask it in: for
 * the size alone, with room enough, with too little room, with neither. */
#ifndef DNNL_CACHE_TESTS_LAYER_QUERIES_ASK_H
#define DNNL_CACHE_TESTS_LAYER_QUERIES_ASK_H

#include <CL/cl.h>

#include <stddef.h>

/* How an answer is told. */
enum shape {
    SHAPE_NUMBER, /* an integer of the size that the answer has */
    SHAPE_SIZES,  /* several size_t */
    SHAPE_SOME,   /* the same, told as none or some */
    SHAPE_TEXT,
    SHAPE_HANDLES,
    SHAPE_UNTOLD /* only its size and status */
};

struct question {
    cl_uint param;
    const char *name;
    enum shape shape;
};

/* A call of clGet*Info with all fixed but the parameter and the place for the
 * answer. */
struct query {
    cl_int (*call)(const struct query *query, cl_uint param, size_t capacity,
            void *value, size_t *size);
    cl_program program;
    cl_kernel kernel;
    cl_device_id device;
    cl_uint index;
    size_t input_size;
    const void *input;
};

/* Prints a line for each question, the subject in front. */
void ask_all(const char *subject, const struct query *query,
        const struct question *questions, size_t count);

#endif /* DNNL_CACHE_TESTS_LAYER_QUERIES_ASK_H */
