/* SPDX-License-Identifier: Apache-2.0 */
/* half.h: float16 as files have it, and devices that compute in it. The host
 * computes nothing in it: halves become floats when they are read, and floats
 * halves when they are written. */
#ifndef DNNL_CACHE_MODEL_BASE_HALF_H
#define DNNL_CACHE_MODEL_BASE_HALF_H

#include <stdint.h>

float half_to_float(uint16_t half);

/* Rounded to nearest, halfway to even; infinite from 65520 on. */
uint16_t half_from_float(float value);

#endif /* DNNL_CACHE_MODEL_BASE_HALF_H */
