/* SPDX-License-Identifier: Apache-2.0 */
/* primitive.h: operations, to be executed. */
#ifndef DNNL_CACHE_ONEDNN_PRIMITIVE_H
#define DNNL_CACHE_ONEDNN_PRIMITIVE_H

#include "dnnl_cache/creation_info.h"
#include "dnnl_cache/objects.h"
#include "dnnl_cache/onednn/types.h"
#include "dnnl_cache/opencl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a primitive. An earlier primitive of an equal descriptor is shared if
 * it is in the primitive cache; else the primitive is compiled. The caller
 * destroys it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL);
 * dnnl_cache_miss (cached-only mode); dnnl_out_of_memory; dnnl_runtime_error
 * (for example, the source does not compile: the build log went to the log
 * callback). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_create(dnnl_primitive_t *primitive,
        const_dnnl_primitive_desc_t primitive_desc);

/* Creates a primitive from its blob; nothing is compiled. The bytes are needed
 * during the call only. They are checked even when an equal primitive is in
 * memory. Only a blob of exactly this descriptor is accepted; nothing made from
 * another enters the primitive cache. What a store returns for a miss, NULL and
 * 0, is dnnl_invalid_arguments: on any status but dnnl_success, continue with
 * dnnl_primitive_create(). Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, size 0); dnnl_cache_blob_corrupt, dnnl_cache_blob_stale (also if the
 * driver rejects the binary), dnnl_cache_blob_unsupported; dnnl_out_of_memory;
 * dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_create_from_cache_blob(
        dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc,
        size_t size, const uint8_t *cache_blob);

/* The primitive's blob: a size query. The first call asks the driver for
 * the binary; the bytes never change afterwards. Size 0 if the device cannot be
 * identified. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, buffer too
 * small); dnnl_out_of_memory; dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_get_cache_blob(
        const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob);

/* Submits the computation. args holds nargs pairs of DNNL_ARG_* and memory:
 * every input and output of the descriptor once; unknown ones are ignored.
 * Memory must belong to the stream's context and stay alive until the work is
 * done. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, negative nargs,
 * stream of another engine, argument missing or given twice, memory too small
 * or of another context); dnnl_out_of_memory; dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args);

/* As dnnl_primitive_execute(), but the computation begins after ndeps events.
 * *return_event (return_event may be NULL) receives an event of its end, owned
 * by the caller; on an in-order stream it is set to NULL. Statuses: as above.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_primitive_execute(
        const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, const cl_event *deps, int ndeps,
        cl_event *return_event);

/* What happened when this primitive was created. The primitive owns the
 * strings. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad
 * struct_size); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_primitive_get_creation_info(
        const_dnnl_primitive_t primitive, dnnl_cache_creation_info_t *info);

/* The descriptor that a primitive was created from, valid as long as the
 * primitive. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_get_primitive_desc(
        const_dnnl_primitive_t primitive,
        const_dnnl_primitive_desc_t *primitive_desc);

/* Releases the caller's handle; submitted work continues. Always dnnl_success.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_destroy(dnnl_primitive_t primitive);

/* The number of primitives kept in memory; the least recently used one is
 * evicted first. The default is 1024, or ONEDNN_PRIMITIVE_CACHE_CAPACITY (read
 * at first use). 0 keeps none, but their programs and kernels stay in memory:
 * see dnnl_cache_set_program_cache_limit(). Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL; negative); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_get_primitive_cache_capacity(int *capacity);
dnnl_status_t DNNL_API dnnl_set_primitive_cache_capacity(int capacity);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_ONEDNN_PRIMITIVE_H */
