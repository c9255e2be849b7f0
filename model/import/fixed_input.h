/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixed_input.h: inputs that have one value in all runs, as the user says. The
 * reader takes such an input for a constant: what depends on it alone is
 * computed, and a branch that it chooses is the only one that is read.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_FIXED_INPUT_H
#define DNNL_CACHE_MODEL_IMPORT_FIXED_INPUT_H

#include "model/import/import.h"
#include "model/onnx/onnx_declared.h"

/* NULL: the input is one. */
const struct onnx_constant *fixed_input_find(
        const struct onnx_source *source, const char *name);

/* *data, from malloc(), are its elements. Fails if the type has no such number,
 * or if there are more of them than computed constants may have. */
bool fixed_input_make(void **data, struct import *im,
        const struct onnx_constant *fixed, enum graph_type type,
        const struct graph_shape *shape, bool is_half);

/* Fails if there is a value for what is no input of the file. */
bool fixed_inputs_check(const struct onnx_open *open, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_IMPORT_FIXED_INPUT_H */
