/* SPDX-License-Identifier: Apache-2.0 */
/* ports.h: what goes into a model and what comes out of it, in the types that
 * the model has. */
#ifndef DNNL_CACHE_MODEL_RUN_PORTS_H
#define DNNL_CACHE_MODEL_RUN_PORTS_H

#include "model/graph/graph.h"
#include "model/plan/plan.h"

/* A tensor's elements as those of a view, and back: integers of 32 bits and
 * bools are int64_t there. ports_widen() gives what the caller frees, NULL if
 * memory runs out. */
void *ports_widen(const struct graph_tensor *tensor, enum element to);
void ports_narrow(struct graph_tensor *tensor, const void *data);

#endif /* DNNL_CACHE_MODEL_RUN_PORTS_H */
