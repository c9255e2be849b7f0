/* SPDX-License-Identifier: Apache-2.0 */
/* operators.h: the operators that models may have, for people. */
#ifndef DNNL_CACHE_MODEL_IMPORT_OPERATORS_H
#define DNNL_CACHE_MODEL_IMPORT_OPERATORS_H

#include <stdio.h>

/* A line for each: its name, the operator sets, the types of its first operand
 * and its limits, with tabs between them. Names of ONNX Runtime's domain have
 * it before them, and no operator sets. */
void operators_print(FILE *file);

#endif /* DNNL_CACHE_MODEL_IMPORT_OPERATORS_H */
