/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that hand out bytes by a size query, as one type. */
#ifndef DNNL_CACHE_TESTS_API_QUERIES_H
#define DNNL_CACHE_TESTS_API_QUERIES_H

#include "dnnl_cache.h"

/* A call that follows the rule of dnnl_cache.h about sizes. */
typedef dnnl_status_t size_query(void *object, size_t *size, uint8_t *out);

size_query query_engine_id;    /* of a cl_device_id */
size_query query_engine_blob;  /* of a dnnl_engine_t */
size_query query_program_id;   /* of a dnnl_cache_program_desc_t */
size_query query_program_blob; /* of a dnnl_cache_program_t */
size_query query_program_log;  /* of a dnnl_cache_program_t */
#ifdef DNNL_CACHE_TEST_PRIMITIVES
size_query query_primitive_id;   /* of a dnnl_primitive_desc_t */
size_query query_primitive_blob; /* of a dnnl_primitive_t */
#endif

#endif /* DNNL_CACHE_TESTS_API_QUERIES_H */
