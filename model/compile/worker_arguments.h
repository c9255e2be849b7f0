/* SPDX-License-Identifier: Apache-2.0 */
/* worker_arguments.h: how a worker's command line is made; workers.h has the
 * call that reads it. */
#ifndef DNNL_CACHE_MODEL_COMPILE_WORKER_ARGUMENTS_H
#define DNNL_CACHE_MODEL_COMPILE_WORKER_ARGUMENTS_H

#include "model/compile/workers.h"

enum {
    worker_answers = 'a',
    worker_blobs = 'b',
    worker_device = 'd',
    worker_folder = 'f',
    worker_identity = 'i',
    worker_model = 'm',
    worker_device_name = 'n',
    worker_remote = 'r',
    worker_store = 's',
    worker_shape = 'x'
};

/* A zeroed one is empty. */
struct worker_arguments {
    size_t count;
    char **texts; /* owned, as they are; NULL behind the last */
    bool failed;  /* memory ran out */
};

/* With the program's name first. */
void worker_arguments_init(
        struct worker_arguments *arguments, const char *program);
/* Adds nothing for NULL. */
void worker_arguments_add(
        struct worker_arguments *arguments, char letter, const char *value);
void worker_arguments_add_number(
        struct worker_arguments *arguments, char letter, int number);
void worker_arguments_add_shape(
        struct worker_arguments *arguments, const struct onnx_shape *shape);
void worker_arguments_fini(struct worker_arguments *arguments);

#endif /* DNNL_CACHE_MODEL_COMPILE_WORKER_ARGUMENTS_H */
