/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import_step.h: operators of the standard set as parts of others: what ONNX
 * Runtime made one node of is imported as the nodes that it stands for. A step
 * is read by the function of its own operator, as if the file had such a node
 * in the place of the node in hand, whose label its messages have.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_STEP_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_STEP_H

#include "model/import/import.h"

enum {
    import_absent = -2, /* an input that is not given; graph_none is a failure
                         * that was told before */
    import_step_inputs = 8,
    import_step_outputs = 3,
    import_step_settings = 4
};

struct import_step {
    const char *op;
    int inputs[import_step_inputs];
    int input_count;
    int output_count; /* 0: one */
    int64_t opset;    /* 0: the newest */
    /* Integers, up to the first without a name; before them, if it is asked
     * for, all that the node in hand has. */
    struct {
        const char *name;
        int64_t value;
    } settings[import_step_settings];
    bool has_attributes_of_node;
};

/* Imports one; outputs get its tensors. */
bool import_steps(
        struct import *im, const struct import_step *step, int *outputs);

/* The same of one output: its tensor, which becomes an output of the node in
 * hand, or import_between; graph_none after a failure. */
int import_emit_step(
        struct import *im, const struct import_step *step, int output);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_STEP_H */
