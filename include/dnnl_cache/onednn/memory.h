/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: tensors: what they look like, and their buffers. */
#ifndef DNNL_CACHE_ONEDNN_MEMORY_H
#define DNNL_CACHE_ONEDNN_MEMORY_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/onednn/types.h"
#include "dnnl_cache/opencl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Memory descriptors -------------------------------------------------- */

/*
 * Shape, data type and layout of a tensor. Dimensions and strides count
 * elements. Immutable once created.
 */

/* Creates a descriptor of ndims dimensions (0 to DNNL_MAX_NDIMS) in the layout
 * of tag; dnnl_format_tag_any leaves the layout to a primitive. ndims 0 or tag
 * undef makes an empty descriptor. A dimension may be DNNL_RUNTIME_DIM_VAL:
 * known only at execution. The caller destroys the descriptor. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, negative dimension, unknown type
 * or tag, tag of another rank, a size beyond 2^63); dnnl_out_of_memory.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_tag(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, dnnl_format_tag_t tag);

/* The same with strides in elements; NULL means dense, with the last dimension
 * innermost. Statuses: as above; strides must be positive for dimensions over
 * 1, or 0 to repeat an element. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_strides(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, const dnnl_dims_t strides);

/* Creates the descriptor of a part of a tensor: in each dimension dims
 * elements, beginning at offsets. In a blocked dimension a part must begin at
 * the begin of a block, and end at the end of a block or of the tensor.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, past the tensor's end);
 * dnnl_unimplemented (layout any, unknown dimensions, cut blocks);
 * dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_create_submemory(
        dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t parent_memory_desc, const dnnl_dims_t dims,
        const dnnl_dims_t offsets);

/* Creates a descriptor of the same elements, in the same order, with ndims
 * dimensions. Dimensions of 1 are added or dropped, a dimension is split, or
 * neighbouring dimensions that are contiguous in memory are joined; those of
 * size 0 stay as they are. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, another number of elements, unknown dimensions, no such layout);
 * dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_reshape(
        dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, int ndims,
        const dnnl_dims_t dims);

/* Creates a descriptor of the same tensor whose dimension permutation[d] is
 * dimension d of the old one. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, not a permutation, an empty descriptor, unknown dimensions);
 * dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_permute_axes(
        dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, const int *permutation);

/* Creates a descriptor from the bytes of dnnl_memory_desc_get_blob(). The blob
 * has a fixed size, DNNL_CACHE_MEMORY_DESC_BLOB_SIZE bytes, and all of them are
 * read: the buffer must not be shorter. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_cache_blob_corrupt;
 * dnnl_cache_blob_unsupported; dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_blob(
        dnnl_memory_desc_t *memory_desc, const uint8_t *blob);

/* The descriptor's own blob: a size query. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, buffer too small). (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc);
#define DNNL_CACHE_MEMORY_DESC_BLOB_SIZE 384

/* Creates the descriptor of one number that lives on the host, for
 * dnnl_memory_create_host_scalar(): format kind dnnl_format_kind_host_scalar,
 * one dimension of 1. No primitive takes it for a tensor of its own, but as
 * src1 of a binary post-op. The caller destroys the descriptor. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, no such type);
 * dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_create_host_scalar(
        dnnl_memory_desc_t *memory_desc, dnnl_data_type_t data_type);

/* Copies a descriptor. The caller destroys the copy. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_clone(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t existing_memory_desc);

/* 1 if both describe the same tensor (strides of dimensions of size 1 are
 * ignored), else 0; NULL equals only NULL. (oneDNN) */
int DNNL_API dnnl_memory_desc_equal(
        const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/* Answers dnnl_query_ndims_s32 to dnnl_query_inner_idxs. The descriptor owns
 * what pointers in *result point to. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, no such query). (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_query(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result);

/* The same for one of several buffers; index must be 0. Also answers
 * dnnl_query_num_handles_s32, the number of buffers: 1. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_query_v2(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index,
        void *result);

/* Size of a tensor in bytes: from the begin of its buffer to the end of its
 * last element, with padded blocks. 0 for NULL, an empty tensor, or layout any;
 * DNNL_RUNTIME_SIZE_VAL if a dimension or stride is not known. (oneDNN) */
size_t DNNL_API dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);

/* The same for one of several buffers: only buffer 0 exists, others have size
 * 0. (oneDNN) */
size_t DNNL_API dnnl_memory_desc_get_size_v2(
        const_dnnl_memory_desc_t memory_desc, int index);

/* Bytes of one element, 1 for types of half a byte; 0 for an unknown type.
 * (oneDNN) */
size_t DNNL_API dnnl_data_type_size(dnnl_data_type_t data_type);

/* The name of a tag in the letters a, b, c ... ("aBcd16b" for nChw16c), or
 * "any", "undef", "unknown fmt_tag". Static memory. (oneDNN) */
const char DNNL_API *dnnl_fmt_tag2str(dnnl_format_tag_t tag);

/* Destroys a descriptor the caller created. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);

/* ---- Names of enumerators ------------------------------------------------ */

/* The enumerator's name without the prefix of its type ("f32", "blocked",
 * "forward_training", "matmul", "eltwise_relu", "undef"), or "unknown ..." if
 * no enumerator has this value; for a runtime, its name in DNNL_RUNTIME_*.
 * Static memory. (oneDNN) */
const char DNNL_API *dnnl_dt2str(dnnl_data_type_t v);
const char DNNL_API *dnnl_fmt_kind2str(dnnl_format_kind_t v);
const char DNNL_API *dnnl_prop_kind2str(dnnl_prop_kind_t v);
const char DNNL_API *dnnl_prim_kind2str(dnnl_primitive_kind_t v);
const char DNNL_API *dnnl_alg_kind2str(dnnl_alg_kind_t v);
const char DNNL_API *dnnl_rnn_flags2str(dnnl_rnn_flags_t v);
const char DNNL_API *dnnl_rnn_direction2str(dnnl_rnn_direction_t v);
const char DNNL_API *dnnl_cpu_isa2str(dnnl_cpu_isa_t v);
const char DNNL_API *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v);
const char DNNL_API *dnnl_engine_kind2str(dnnl_engine_kind_t v);
const char DNNL_API *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v);
const char DNNL_API *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v);
const char DNNL_API *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v);
const char DNNL_API *dnnl_rounding_mode2str(dnnl_rounding_mode_t v);
const char DNNL_API *dnnl_quantization_mode2str(dnnl_quantization_mode_t v);
const char DNNL_API *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v);
const char DNNL_API *dnnl_runtime2str(unsigned v);

/* ---- Memory -------------------------------------------------------------- */

/* Creates a tensor on an engine. handle is DNNL_MEMORY_ALLOCATE,
 * DNNL_MEMORY_NONE, or a buffer of the application: a cl_mem for a dnnl_gpu
 * engine (retained), a pointer for a dnnl_cpu engine (not copied; must outlive
 * the memory). The descriptor is copied; NULL is an empty one. The caller
 * destroys the memory. Statuses: dnnl_success; dnnl_invalid_arguments (NULL,
 * layout any, a buffer of another context or too small for the tensor);
 * dnnl_out_of_memory (any failure to allocate). (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        void *handle);

/* Creates a memory of no engine with a copy of one number, for scales, zero
 * points, seeds and post-ops whose attributes say that they are on the host; an
 * execution takes the number that it has at that call. memory_desc is of
 * dnnl_memory_desc_create_host_scalar(), scalar_ptr points to a number of its
 * type. Calls for the handle or the mapping of such a memory are
 * dnnl_invalid_arguments, its engine is NULL. The caller destroys the memory.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, another descriptor);
 * dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_create_host_scalar(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, void *scalar_ptr);

/* Reads or replaces the number; value points to one of the descriptor's type.
 * Do not replace it while another thread uses this memory. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, no number on the host).
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_get_host_scalar_value(
        const_dnnl_memory_t memory, void *value);
dnnl_status_t DNNL_API dnnl_memory_set_host_scalar_value(
        dnnl_memory_t memory, const void *value);

/* Writes the descriptor: borrowed, lives as long as the memory. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_get_memory_desc(
        const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc);

/* Writes the engine: borrowed. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_get_engine(
        const_dnnl_memory_t memory, dnnl_engine_t *engine);

/* Maps the whole buffer for reading and writing on the host, and waits for the
 * mapping. It does not wait for work submitted to streams: wait for them first.
 * *mapped_ptr is NULL for a memory without a buffer. Each map must be followed
 * by one unmap before the device uses the memory again. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_out_of_memory; dnnl_runtime_error.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_map_data(
        const_dnnl_memory_t memory, void **mapped_ptr);

/* Ends a mapping, and waits until the device can see what was written.
 * mapped_ptr NULL is dnnl_success. Statuses: as dnnl_memory_map_data().
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_unmap_data(
        const_dnnl_memory_t memory, void *mapped_ptr);

/* Writes the cl_mem (dnnl_gpu) or the pointer (dnnl_cpu), borrowed; NULL if
 * there is no buffer. Statuses: dnnl_success; dnnl_invalid_arguments (NULL).
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_get_data_handle(
        const_dnnl_memory_t memory, void **handle);

/* Replaces the buffer by one of the application: a cl_mem (dnnl_gpu; retained),
 * or a pointer (dnnl_cpu; not copied; must outlive the memory). A buffer that
 * the library allocated is freed. DNNL_MEMORY_NONE leaves the memory without a
 * buffer. Do not call it while another thread uses this memory. Statuses:
 * dnnl_success; dnnl_invalid_arguments (memory NULL, DNNL_MEMORY_ALLOCATE, a
 * buffer of another context or too small). (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_set_data_handle(
        dnnl_memory_t memory, void *handle);

/* The same calls for layouts with several buffers. This library has no such
 * layouts, so nhandles must be 1 and index 0. Statuses: as the call without
 * _v2, and dnnl_invalid_arguments for another number. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        int nhandles, void **handles);
dnnl_status_t DNNL_API dnnl_memory_get_data_handle_v2(
        const_dnnl_memory_t memory, void **handle, int index);
dnnl_status_t DNNL_API dnnl_memory_set_data_handle_v2(
        dnnl_memory_t memory, void *handle, int index);
dnnl_status_t DNNL_API dnnl_memory_map_data_v2(
        const_dnnl_memory_t memory, void **mapped_ptr, int index);
dnnl_status_t DNNL_API dnnl_memory_unmap_data_v2(
        const_dnnl_memory_t memory, void *mapped_ptr, int index);

/* Destroys a memory. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_destroy(dnnl_memory_t memory);

/* Kinds of OpenCL storage. This library supports only buffers. */
typedef enum {
    dnnl_ocl_interop_usm = 0,
    dnnl_ocl_interop_buffer = 1
} dnnl_ocl_interop_memory_kind_t;

/* As dnnl_memory_create() on a dnnl_gpu engine, but failures of the driver keep
 * their status. Statuses also: dnnl_unimplemented (USM); dnnl_runtime_error.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, void *handle);

/* Writes the storage's kind. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, memory of a dnnl_cpu engine). (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_get_memory_kind(
        const_dnnl_memory_t memory,
        dnnl_ocl_interop_memory_kind_t *memory_kind);

/* Writes the buffer: borrowed; NULL if there is none. A NULL memory gives NULL
 * and dnnl_success. Statuses: dnnl_success; dnnl_invalid_arguments (mem_object
 * NULL, memory of a dnnl_cpu engine). (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_get_mem_object(
        const_dnnl_memory_t memory, cl_mem *mem_object);

/* Replaces the buffer: the new one is retained, the old one released. NULL
 * leaves the memory without a buffer. Do not call it while another thread uses
 * this memory. Statuses: dnnl_success; dnnl_invalid_arguments (memory NULL or
 * of a dnnl_cpu engine, buffer of another context or too small). (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_set_mem_object(
        dnnl_memory_t memory, cl_mem mem_object);

/* The same calls for layouts with several buffers; see dnnl_memory_create_v2().
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles,
        void **handles);
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_get_mem_object_v2(
        const_dnnl_memory_t memory, cl_mem *mem_object, int index);
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_set_mem_object_v2(
        dnnl_memory_t memory, cl_mem mem_object, int index);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_ONEDNN_MEMORY_H */
