/* SPDX-License-Identifier: Apache-2.0 */
#include "queries.h"

dnnl_status_t query_engine_id(void *object, size_t *size, uint8_t *out)
{
    return dnnl_ocl_interop_engine_get_cache_blob_id(object, size, out);
}

dnnl_status_t query_engine_blob(void *object, size_t *size, uint8_t *out)
{
    return dnnl_ocl_interop_engine_get_cache_blob(object, size, out);
}

dnnl_status_t query_program_id(void *object, size_t *size, uint8_t *out)
{
    return dnnl_cache_program_desc_get_cache_blob_id(object, size, out);
}

dnnl_status_t query_program_blob(void *object, size_t *size, uint8_t *out)
{
    return dnnl_cache_program_get_cache_blob(object, size, out);
}

dnnl_status_t query_program_log(void *object, size_t *size, uint8_t *out)
{
    return dnnl_cache_program_get_build_log(object, size, (char *)out);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
dnnl_status_t query_primitive_id(void *object, size_t *size, uint8_t *out)
{
    return dnnl_cache_primitive_desc_get_cache_blob_id(object, size, out);
}

dnnl_status_t query_primitive_blob(void *object, size_t *size, uint8_t *out)
{
    return dnnl_primitive_get_cache_blob(object, size, out);
}
#endif
