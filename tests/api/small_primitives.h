/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives as small as they can be, for tests of what surrounds them. */
#ifndef DNNL_CACHE_TESTS_API_SMALL_PRIMITIVES_H
#define DNNL_CACHE_TESTS_API_SMALL_PRIMITIVES_H

#include "dnnl_cache.h"

#ifdef DNNL_CACHE_TEST_PRIMITIVES

/* A dense f32 vector or matrix; aborts if it cannot be made. The caller
 * destroys it. */
dnnl_memory_desc_t vector_desc(dnnl_dim_t n);
dnnl_memory_desc_t matrix_desc(dnnl_dim_t rows, dnnl_dim_t columns);

/* A relu of n elements with that slope; NULL if it cannot be made. Two of them
 * share their program, whatever n and alpha. The caller destroys it. */
dnnl_primitive_desc_t relu_desc(
        dnnl_engine_t engine, dnnl_dim_t n, float alpha);
/* The same, with the status. */
dnnl_status_t try_relu_desc(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        dnnl_dim_t n, float alpha);

/* A matrix product of square matrices; NULL if it cannot be made. */
dnnl_primitive_desc_t matmul_desc(dnnl_engine_t engine, dnnl_dim_t n);

/* A copy of n elements of f32 to another type, with the status. */
dnnl_status_t try_reorder_desc(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        dnnl_dim_t n, dnnl_data_type_t type);

/* Executes it on memory and a stream of its own and waits. */
dnnl_status_t run_relu(
        dnnl_engine_t engine, dnnl_primitive_t primitive, dnnl_dim_t n);

/* Where a primitive came from, as its creation info says; aborts if there
 * is none. */
dnnl_cache_origin_t origin_of(const_dnnl_primitive_t primitive);

#endif /* DNNL_CACHE_TEST_PRIMITIVES */

#endif /* DNNL_CACHE_TESTS_API_SMALL_PRIMITIVES_H */
