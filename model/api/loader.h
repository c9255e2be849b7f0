/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.h: a model, ready to run: graph, plan, session and runner, made side
 * by side where that is possible.
 *
 *     main thread      read file, graph, plan | describe, create, bind
 *     second thread    driver, engine, store, programs
 *     third thread     when the device is known: read and upload weights
 *
 * On a device for one thread (model_device.h) one after another: the second,
 * the main thread's work, and weights last.
 *
 *     loader_init, loader_start      the second thread begins
 *     loader_read or loader_take     the model's bytes, and its message
 *     loader_open                    the rest
 */
#ifndef DNNL_CACHE_MODEL_API_LOADER_H
#define DNNL_CACHE_MODEL_API_LOADER_H

#include "model/base/report.h"
#include "model/compile/loader_options.h"
#include "model/compile/session.h"
#include "model/compile/workers.h"
#include "model/graph/graph.h"
#include "model/plan/plan.h"
#include "model/run/runner.h"

/* One call that another thread makes. */
struct loader_task {
    pthread_t thread;
    struct loader *loader;
    bool (*run)(struct loader *loader, struct failure *failure);
    struct failure failure;
    bool ok;
    bool is_begun;
    bool is_thread;
};

struct loader {
    const struct loader_options *options; /* borrowed */
    struct report report;
    const uint8_t *bytes; /* the caller's; NULL: there is a file */
    size_t size;
    struct onnx_model *model; /* until loader_open() */
    struct graph graph;
    struct plan plan;
    struct session session;
    struct loader_task opening, uploading;
    struct runner runner;
};

/* The loader must not move until loader_close(), which is due in any case. What
 * options say may change until loader_start() for the session, until
 * loader_open() for the rest. */
void loader_init(struct loader *loader, const struct loader_options *options);

/* Begins to open the session, once. */
void loader_start(struct loader *loader);

/* Reads the model's file but its large tensors, or takes bytes that are
 * borrowed until loader_open() returns. Once; which of the two fails leaves a
 * loader that can be closed. */
bool loader_read(struct loader *loader, struct failure *failure);
bool loader_take(struct loader *loader, size_t size, const uint8_t *bytes,
        struct failure *failure);

/* Makes the model ready. */
bool loader_open(struct loader *loader, struct failure *failure);

/* Makes ready for workers_compile(). */
bool loader_serve(struct loader *loader, const struct worker_place *place,
        struct failure *failure);

void loader_close(struct loader *loader);

#endif /* DNNL_CACHE_MODEL_API_LOADER_H */
