/* SPDX-License-Identifier: Apache-2.0 */
/* One primitive of each kind, with tensors of at most OPERATION_ELEMENTS
 * elements of four bytes. */
#ifndef DNNL_CACHE_TESTS_API_OPERATIONS_H
#define DNNL_CACHE_TESTS_API_OPERATIONS_H

#include "scene.h"

enum { OPERATION_ELEMENTS = 16 };

struct operation {
    const char *kernel; /* that it launches, last if there are several */
    unsigned programs;  /* that it is made of */
    /* Makes the stage's mds and attr. */
    void (*open)(struct stage *s);
    /* The creation call, and nothing else, of an engine of the stage's. */
    dnnl_status_t (*describe)(
            struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd);
};

enum { OPERATION_COUNT = 9 };
extern const struct operation operations[OPERATION_COUNT]; /* a relu first */

void operation_open(struct stage *s);
void operation_close(struct stage *s);
/* The scene's operation on an engine. */
dnnl_status_t operation_describe(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd);
/* A descriptor of it; a failure is noted and gives NULL. */
dnnl_primitive_desc_t operation_desc(struct stage *s, dnnl_engine_t engine);

#endif /* DNNL_CACHE_TESTS_API_OPERATIONS_H */
