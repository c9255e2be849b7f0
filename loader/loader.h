/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.h: a model, ready to run: graph, plan, session and runner, made side
 * by side where that is possible.
 *
 *     main thread      read file, graph, weights, plan | describe, create, bind
 *     second thread    driver, engine, store, programs | upload weights
 */
#ifndef DNNL_CACHE_LOADER_LOADER_H
#define DNNL_CACHE_LOADER_LOADER_H

#include "graph.h"
#include "options.h"
#include "plan.h"
#include "report.h"
#include "runner.h"
#include "session.h"

struct loader {
    const struct options *options; /* borrowed */
    struct report report;
    uint8_t *bytes; /* of the model's file */
    size_t size;
    struct graph graph;
    struct plan plan;
    struct session session;
    struct runner runner;
};

/* Makes the model ready. The loader must not move until loader_close(), which
 * is due in any case. */
bool loader_open(struct loader *loader, const struct options *options,
        struct failure *failure);

/* Serves whoever started this process as a worker; see workers.h. */
bool loader_serve(struct loader *loader, const struct options *options,
        struct failure *failure);

void loader_close(struct loader *loader);

#endif /* DNNL_CACHE_LOADER_LOADER_H */
