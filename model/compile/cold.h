/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cold.h: brings the code of all steps of a model, compiling as little as
 * possible.
 *
 * First every step is created with nothing allowed to be compiled: what is in
 * memory or in the store is there then, and what is not is known by the ID that
 * the store was asked for. Steps of one missing ID are one program, compiled
 * once: in worker processes where the driver compiles one program at a time,
 * else in threads. Whatever a worker has finished is in the store, so a start
 * that is killed is gone on with by the next one; where the store does not keep
 * it, it comes through the worker's pipe.
 */
#ifndef DNNL_CACHE_MODEL_COMPILE_COLD_H
#define DNNL_CACHE_MODEL_COMPILE_COLD_H

#include "model/compile/loader_options.h"
#include "model/run/runner.h"

/* Notes phase_compile in report if there was anything to compile, and what
 * workers compiled. bytes: the model's, for workers, if it has no file. */
bool cold_create(struct runner *runner, struct session *session,
        const struct loader_options *options, size_t size, const uint8_t *bytes,
        struct report *report, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_COMPILE_COLD_H */
