/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import_scope.h: what names mean inside of a function, a branch of an If or
 * the body of a Loop, for what imports the nodes there.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_SCOPE_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_SCOPE_H

#include "model/import/import_inline.h"

struct meaning; /* of a name */

struct scope {
    struct scope *outer;
    struct meaning *meanings;
    int number;
    /* Of a function: it sees no names but its own, and its nodes' attributes
     * may be those of the node that calls it. */
    const Onnx__FunctionProto *function;
    const Onnx__NodeProto *caller;
    struct scope *caller_scope;
};

void import_scope_fini(struct scope *scope);

/* The name that the whole model has for one that is known here; NULL if there
 * is none. */
const char *import_scope_find(const struct scope *scope, const char *name);

/* Gives a name a meaning; fails if it has one in this scope. */
bool import_scope_add(struct import *im, struct scope *scope, const char *name,
        const char *meaning);
/* A name of the scope's own, which becomes one of the model's. */
bool import_scope_add_own(
        struct import *im, struct scope *scope, const char *name);
/* Those of all outputs that nodes have, but a function's own outputs (NULL: it
 * is not of a function). */
bool import_scope_add_outputs(struct import *im, struct scope *scope,
        Onnx__NodeProto **nodes, size_t count, const Onnx__FunctionProto *f);
/* A graph's initializers. */
bool import_scope_add_constants(
        struct import *im, struct scope *scope, const Onnx__GraphProto *graph);

/* Imports nodes, in their order. */
bool import_nodes_inside(
        struct import *im, Onnx__NodeProto **nodes, size_t count);
/* Takes one off the nodes that may be inside of others. */
bool import_count_inside(struct import *im);
/* Calls what imports the inside of a scope, and comes back to the node in hand.
 */
bool import_inside(struct import *im, struct scope *scope,
        bool (*inside)(struct import *im, const void *what), const void *what);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_SCOPE_H */
