/* SPDX-License-Identifier: Apache-2.0 */
/* loader_options.h: which model is loaded, for which device, and how. */
#ifndef DNNL_CACHE_MODEL_COMPILE_LOADER_OPTIONS_H
#define DNNL_CACHE_MODEL_COMPILE_LOADER_OPTIONS_H

#include "model/compile/session.h"
#include "model/onnx/onnx.h"

#include <stdatomic.h>

/* Pointers are borrowed, until loader_close(). */
struct loader_options {
    struct session_options session;
    cl_command_queue queue; /* to run on; NULL: one of its own */
    const char *path;       /* of the model's file; NULL: bytes alone */
    const char *folder;     /* of its external data; NULL: none */
    int shape_count;
    const struct onnx_shape *shapes; /* of inputs */
    int constant_count;
    const struct onnx_constant *constants; /* inputs that are none */
    const char *weights; /* a file; NULL: the model's own, or random ones */
    bool is_random;
    uint64_t seed;
    bool prepare;       /* fills the store, and takes no memory */
    const char *helper; /* the program that workers run; NULL: no workers */
    /* Called when a program has been compiled, one call at a time and not from
     * this thread only; NULL: nobody is told. */
    void (*progress)(void *user, int done, int total, const char *what);
    void *progress_user;
    const atomic_bool *cancelled; /* NULL: nobody cancels */
};

bool loader_is_cancelled(const struct loader_options *options);

#endif /* DNNL_CACHE_MODEL_COMPILE_LOADER_OPTIONS_H */
