/* SPDX-License-Identifier: Apache-2.0 */
/* Has the driver build or compile what the application asks for. */
#ifndef DNNL_CACHE_LAYER_COMPILE_H
#define DNNL_CACHE_LAYER_COMPILE_H

#include "calls/calls.h"
#include "identity.h"

/* What the application asks for. */
struct request {
    enum build_kind kind;
    struct layer_program *program;
    cl_uint device_count;
    const cl_device_id *devices;
    const char *options; /* may be NULL */
    build_callback notify;
    void *user;
};

/* What the layer makes of it; moves on to a callback with an asynchronous
 * build. */
struct attempt {
    struct build *build; /* owned */
    bool is_named;       /* it is to be kept */
    struct includes includes;
    bool is_watched; /* where the compiler looks, or there is no such place */
    struct include_watch *watch; /* owned, while it compiles; NULL: none */
    enum layer_reason reason;    /* why it is compiled */
    uint64_t overhead_ns;        /* before the driver was called */
};

/* The call as it is, to a program of the driver's. */
cl_int compile_in(cl_program handle, const struct request *r,
        build_callback notify, void *user);

/* Compiles, and has the build kept, if it has a name. The application sees what
 * it would see without the layer, whatever comes of it. */
cl_int compile(const struct request *r, struct attempt *attempt);

/* What a program was before such a call; references, either may be NULL. */
struct apart {
    struct build *before;
    struct build *waited; /* in the application's program */
};

/* Around a call that goes to the application's program, which answers for
 * itself from the beginning, and that the driver may refuse: the program is
 * what it was then, and what waits there is kept, if it is still there. */
struct apart compile_apart_begin(struct layer_program *program);
void compile_apart_end(
        struct layer_program *program, struct apart apart, cl_int err);

#endif /* DNNL_CACHE_LAYER_COMPILE_H */
