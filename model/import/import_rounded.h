/* SPDX-License-Identifier: Apache-2.0 */
/* import_rounded.h: floats that stand for integers of 8 bits. A product of such
 * numbers is that of the integers times their scales, but for roundings. All
 * return a tensor, or graph_none after a failure. */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_ROUNDED_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_ROUNDED_H

#include "model/import/import.h"

/* The numbers that DynamicQuantizeLinear has for those of x: with 0 for all if
 * all are 0. */
int import_emit_rounded(struct import *im, int x);

/* Weights [K, N] of 8 bits as floats: less a zero point, times a scale, each
 * one number or N of them. */
int import_emit_unrounded(struct import *im, int weights, int scale, int zero);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_ROUNDED_H */
