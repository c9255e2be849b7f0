/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache.h: start OpenCL programs warm.
 *
 * Every engine, primitive and program has a cache blob ID (bytes that identify
 * it, known before anything is compiled), a cache blob (one opaque record of
 * what was compiled) and a creation call that takes the blob and compiles
 * nothing. The library stores nothing; the application does.
 *
 *   cold                                       warm
 *   dnnl_primitive_create(&p, pd)              ID of pd -> blob from your store
 *   dnnl_primitive_get_cache_blob(p, ..) dnnl_primitive_create_from_cache_blob(
 *   store it under the ID of pd                        &p, pd, size, blob)
 *
 * Functions named dnnl_* are oneDNN 3.8's: same names, signatures and
 * behaviour. Functions named dnnl_cache_* are this library's own.
 *
 * Rules for every call
 *   - NULL where an object is required, or a size of 0, is
 *     dnnl_invalid_arguments; this is checked first.
 *   - A call that fails writes no output and leaks nothing.
 *   - Size queries: with a NULL buffer *size receives the size in bytes. With a
 *     buffer, *size is its capacity on entry. If it is too small, the call
 *     returns dnnl_invalid_arguments, sets *size to the needed size and writes
 *     nothing else; otherwise *size receives the number of bytes written.
 *   - destroy(NULL) is dnnl_success.
 *   - Unless its comment says otherwise, a call may be used from any thread at
 *     any time, also on the same object, as long as no thread destroys that
 *     object meanwhile.
 *   - A driver's failure is reported as dnnl_out_of_memory if the driver says
 *     so, else as dnnl_runtime_error; the details go to the log callback.
 */
#ifndef DNNL_CACHE_H
#define DNNL_CACHE_H

#include "dnnl_cache_symbols.h"
#include "dnnl_cache_types.h"

#include <stdbool.h>

#ifndef CL_TARGET_OPENCL_VERSION
/* The OpenCL version whose declarations are used, unless the application
 * chose one. */
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Library ============================================================= */

/* The interface version that this library follows (oneDNN's numbers) and the
 * git hash of its sources. Static memory. (oneDNN) */
const dnnl_version_t DNNL_API *dnnl_version(void);

/* This library's own version, "0.1.0". Compare it with DNNL_CACHE_VERSION_* to
 * detect a header and a shared object of different releases. Static memory. */
const char DNNL_API *dnnl_cache_version(void);

/* A status as text, "success", "cache_blob_stale" ...; never NULL. Static
 * memory. (oneDNN) */
const char DNNL_API *dnnl_status2str(dnnl_status_t status);

/* Sends messages to callback, which gets user. NULL restores the default:
 * errors and warnings are printed on standard error, in the format of oneDNN's
 * verbose lines. ONEDNN_VERBOSE changes what is printed:
 *   none      nothing
 *   info      also why blobs were rejected
 *   debuginfo also the components of the driver's identity
 *   profile_create, profile_exec, profile
 *             a line for each primitive that is created, executed, or both,
 *             with one of the states cache_miss, cache_hit, kernel_cache_hit,
 *             persistent_cache_hit, persistent_cache_reject and
 *             nothing_to_compile, on standard output; a timed execution waits
 *             for its stream. The same for each of the application's programs
 *             that is created or captured
 *   check     a line for each primitive descriptor that is rejected for its
 *             arguments; the line ends with the reason
 *   dispatch  the same for what this library does not support
 * The callback is process-wide. user must live until the callback is replaced
 * and every call that was in progress then has returned. Always dnnl_success.
 */
dnnl_status_t DNNL_API dnnl_cache_set_log_callback(
        dnnl_cache_log_callback_t callback, void *user);

/* Sets what is printed from now on, as ONEDNN_VERBOSE with the number does: 0
 * nothing, 1 executions, 2 also creations. Any thread. Statuses: dnnl_success;
 * dnnl_invalid_arguments (another number). (oneDNN) */
dnnl_status_t DNNL_API dnnl_set_verbose(int level);

/* ==== Engines ============================================================= */
/*
 * An engine is an OpenCL device with a context. It lives, even after its handle
 * was released, until no object that was created on it needs it. As in oneDNN,
 * streams, primitive descriptors and primitives must not be used any more after
 * dnnl_engine_destroy(), only destroyed; memory, programs and their descriptors
 * may still be used.
 */

/* Number of engines of a kind: dnnl_gpu counts every OpenCL device of every
 * platform (GPUs first, then accelerators, then others); dnnl_cpu is one engine
 * of host memory. 0 for other kinds, if no driver is installed, and if memory
 * runs out. (oneDNN) */
size_t DNNL_API dnnl_engine_get_count(dnnl_engine_kind_t kind);

/* Creates engine number index (from 0) of a kind, with a context of its own.
 * The caller destroys it. Statuses: dnnl_success; dnnl_invalid_arguments
 * (engine NULL, unknown kind, no such index); dnnl_out_of_memory;
 * dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_engine_create(
        dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);

/* Writes the engine's kind. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_engine_get_kind(
        dnnl_engine_t engine, dnnl_engine_kind_t *kind);

/* Releases the caller's handle. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_engine_destroy(dnnl_engine_t engine);

/* Creates an engine from a device and a context that contains it. Both are
 * retained until the engine is destroyed. Any OpenCL device is accepted.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL; the context does not
 * contain the device); dnnl_out_of_memory; dnnl_runtime_error. (oneDNN,
 * dnnl_ocl.h) */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_create(
        dnnl_engine_t *engine, cl_device_id device, cl_context context);

/* Writes the engine's context: borrowed, not retained for the caller.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, or a dnnl_cpu engine).
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_get_context(
        dnnl_engine_t engine, cl_context *context);

/* Writes the engine's device: borrowed. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, or a dnnl_cpu engine). (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_get_device(
        dnnl_engine_t engine, cl_device_id *device);

/* The cache blob ID of engines of a device: size query as above. It needs no
 * engine, no context and no compilation. A sub-device has its parent's ID. Size
 * 0 if the device cannot be identified: then engine blobs are empty, too.
 * Statuses: dnnl_success; dnnl_invalid_arguments (device or size NULL, buffer
 * too small); dnnl_out_of_memory; dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_get_cache_blob_id(
        cl_device_id device, size_t *size, uint8_t *cache_blob_id);

/* What the driver of a device is made of, as text: a line for each object and
 * file whose build is in the device's ID, in the order of their names, with
 * tabs between name, how it is identified (build-id, content, absent,
 * dangling, name), digest in hexadecimal digits, size of the file in bytes
 * ("-": not known), of a part that takes no part in compiling why its build is
 * not in the ID (docs/IDENTITY.md; else ""), and the path of its file ("": not
 * known). Lines with "missing" follow, for files and folders that are looked
 * for, and are not there: one that appears may change the ID. For comparing two
 * machines; reads all of the driver's files again. Size query as above, in
 * bytes with the trailing NUL. "" if the driver cannot be identified. Statuses:
 * dnnl_success; dnnl_invalid_arguments (device or size NULL, buffer too small);
 * dnnl_out_of_memory; dnnl_runtime_error. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_device_get_driver_parts(
        cl_device_id device, size_t *size, char *text);

/* The engine's cache blob: the facts that compiling a probe kernel revealed,
 * less than a kilobyte. Compiles the probe if this engine has not done so yet.
 * Size query as above; size 0 if there is nothing to cache. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, a dnnl_cpu engine, buffer too
 * small); dnnl_cache_miss (the probe would have to be compiled in cached-only
 * mode); dnnl_out_of_memory; dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob);

/* As dnnl_ocl_interop_engine_create(), but nothing is compiled: the facts come
 * from the blob, which is needed during the call only. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, size 0, device not in the context);
 * dnnl_cache_blob_corrupt, dnnl_cache_blob_stale, dnnl_cache_blob_unsupported;
 * dnnl_out_of_memory; dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_create_from_cache_blob(
        dnnl_engine_t *engine, cl_device_id device, cl_context context,
        size_t size, const uint8_t *cache_blob);

/* Sets when the engine may compile. From now on this mode overrides the
 * process-wide one. Statuses: dnnl_success; dnnl_invalid_arguments (NULL,
 * unknown mode). */
dnnl_status_t DNNL_API dnnl_cache_engine_set_compile_mode(
        dnnl_engine_t engine, dnnl_cache_compile_mode_t mode);

/* Sets when engines without a mode of their own may compile; the default is
 * normal. Statuses: dnnl_success; dnnl_invalid_arguments (unknown mode). */
dnnl_status_t DNNL_API dnnl_cache_set_compile_mode(
        dnnl_cache_compile_mode_t mode);

/* Sets how blobs store the binaries that this engine's programs capture from
 * now on; the default is uncompressed. Both forms are always read. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, a dnnl_cpu engine, unknown
 * value). */
dnnl_status_t DNNL_API dnnl_cache_engine_set_blob_compression(
        dnnl_engine_t engine, dnnl_cache_compression_t compression);

/* What happened when the engine's facts were established; origin is none if
 * they have not been needed yet. Strings are owned by the engine. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, a dnnl_cpu engine, a struct_size
 * of 0 or of an unknown size with a nonzero tail); dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_engine_get_creation_info(
        dnnl_engine_t engine, dnnl_cache_creation_info_t *info);

/* ==== Streams ============================================================= */
/*
 * A stream is a command queue of its engine's device. Execution is
 * asynchronous; several threads may submit to one stream.
 */

/* Creates a stream with a queue of its own; flags are dnnl_stream_flags_t. The
 * caller destroys it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL,
 * unknown or contradicting flags); dnnl_unimplemented (out of order, on a
 * device that supports only in order); dnnl_out_of_memory; dnnl_runtime_error.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);

/* Writes the stream's engine: borrowed. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_stream_get_engine(
        const_dnnl_stream_t stream, dnnl_engine_t *engine);

/* Waits for all submitted work. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL); dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_stream_wait(dnnl_stream_t stream);

/* Waits for all submitted work and destroys the stream. The engine's handle may
 * have been released before. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_stream_destroy(dnnl_stream_t stream);

/* Creates a stream on the application's queue, which is retained. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, a dnnl_cpu engine, a queue of
 * another device or context); dnnl_out_of_memory; dnnl_runtime_error.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue);

/* Writes the stream's queue: borrowed. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, a stream of a dnnl_cpu engine). (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_stream_get_command_queue(
        dnnl_stream_t stream, cl_command_queue *queue);

/* ==== Memory descriptors ================================================== */
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

/* The descriptor's own blob: size query as above. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, buffer too small). (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc);
#define DNNL_CACHE_MEMORY_DESC_BLOB_SIZE 384

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

/* ==== Names of enumerators ================================================ */

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
const char DNNL_API *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v);
const char DNNL_API *dnnl_runtime2str(unsigned v);

/* ==== Memory ============================================================== */

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

#if DNNL_CACHE_PRIMITIVES

/* ==== Attributes ========================================================== */
/*
 * Only one thread at a time may use attributes and post-op chains while they
 * are changed. Primitive descriptors copy what they need.
 */

/* Creates default attributes. The caller destroys them. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);

/* Creates equal attributes. The caller destroys them. Statuses as
 * dnnl_primitive_attr_create()'s. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_clone(
        dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr);

/* Copies a chain of post-ops into the attributes; NULL empties it. Statuses:
 * dnnl_success; dnnl_invalid_arguments (attr NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);

/* The attributes' own chain, valid until the attributes are changed or
 * destroyed. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_post_ops(
        const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops);

/*
 * Scales: an element means element * scale, so that an output is written as
 * result / scale. Zero points: an element means (element - zero point) * scale.
 * The values are given at execution, as DNNL_ARG_ATTR_SCALES | arg and
 * DNNL_ARG_ATTR_ZERO_POINTS | arg. They are dense, with one value for each
 * index of the dimensions of tensor `arg` whose bits are in mask (0: one value
 * for the tensor), the last dimension innermost. The _mask calls take f32
 * scales and s32 zero points; the others take another type, and groups of
 * neighbouring elements that share a value (group_dims, one for each of the
 * last ndims dimensions). Groups of more than one element are supported for the
 * weights of matmul, and have to divide the dimensions.
 *
 * Statuses: dnnl_success; dnnl_invalid_arguments (attr NULL, an impossible
 * argument, mask, group or type); dnnl_out_of_memory. Scales and zero points
 * that a primitive does not support are rejected with dnnl_unimplemented when
 * its descriptor is created. (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type);
/* The same for zero points, whose types are s32, s8, u8, s4 or u4. */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/*
 * Get and set modes. A mode allows an implementation to compute less exactly,
 * in another order, or in memory of the caller. No implementation here does so,
 * and the modes change nothing: every primitive computes in f32 (sums of
 * integers in s32), gives the same bits each time and needs no scratch memory.
 * But matmul multiplies floats by weights that are integers only if
 * apply_to_int allows it. The first two calls get and set the default of new
 * attributes. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such
 * mode). (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);
dnnl_status_t DNNL_API dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_fpmath_mode(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_fpmath_mode(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_fpmath_mode_v2(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode,
        int *apply_to_int);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_fpmath_mode_v2(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_accumulation_mode(
        const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_accumulation_mode(
        dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_deterministic(
        const_dnnl_primitive_attr_t attr, int *value);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_deterministic(
        dnnl_primitive_attr_t attr, int value);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_scratchpad_mode(
        const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scratchpad_mode(
        dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/* Dropout of a matmul's results: between bias and post-ops each is dropped,
 * that is 0, with some probability p, or else divided by 1 - p. The descriptor
 * is that of a mask, of type u8 or s8 and with dst's dimensions and layout
 * (layout any means dst's), which an execution writes: 1 where a result was
 * kept. An execution's further arguments are DNNL_ARG_ATTR_DROPOUT_MASK,
 * DNNL_ARG_ATTR_DROPOUT_PROBABILITY (one f32) and DNNL_ARG_ATTR_DROPOUT_SEED
 * (one s32). The mask depends on seed, probability and the places in dst alone,
 * and is oneDNN's. A descriptor without dimensions, the default, means no
 * dropout. The getter returns the attributes' own descriptor; its mask_desc may
 * be NULL. Statuses: dnnl_success; dnnl_invalid_arguments (NULL);
 * dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_dropout(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_dropout(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc);

/* Rounding of an argument; the default is dnnl_rounding_mode_environment, to
 * nearest even. dnnl_rounding_mode_stochastic of DNNL_ARG_DST, which matmul,
 * convolution and reorder take, adds random bits below the last digit that a
 * number of dst's type has, and cuts off what is below that digit. Results stay
 * in the type's range; what is below its smallest normal number becomes 0. The
 * seed is an execution's argument DNNL_ARG_ATTR_ROUNDING_SEED (one s32). As in
 * oneDNN, 8 bits are added for f16 and bf16, which lose 13 and 16, so that
 * results tend towards 0; s8 and u8 get 16 bits, of 17 and 16, and are then
 * rounded to nearest; of f32 only what is not normal changes. Other arguments
 * are those of backward primitives. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, no such mode, dnnl_rounding_mode_stochastic for
 * an argument other than DNNL_ARG_DST, DNNL_ARG_DIFF_SRC and
 * DNNL_ARG_DIFF_WEIGHTS); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/* Destroys attributes. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/* Creates an empty chain. The caller destroys it. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_create(dnnl_post_ops_t *post_ops);

/* Creates an equal chain. The caller destroys it. Statuses as
 * dnnl_post_ops_create()'s. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_clone(
        dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops);

/* Appends an element-wise operation. alpha and beta mean what they mean for the
 * algorithm: see dnnl_eltwise_forward_primitive_desc_create(). Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, not an eltwise algorithm,
 * parameters outside the algorithm's domain); dnnl_out_of_memory (the chain has
 * DNNL_CACHE_MAX_POST_OPS already). (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, float alpha, float beta);
#define DNNL_CACHE_MAX_POST_OPS 32

/* Appends result + scale * (previous dst - zero_point). The bytes of dst are
 * read as data_type, which must have the size of dst's type, or as dst's type
 * if data_type is dnnl_data_type_undef. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, no such type); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops,
        float scale, int32_t zero_point, dnnl_data_type_t data_type);

/* Appends an operation on the result and an element of another tensor, which is
 * passed to execution as DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_SRC_1.
 * The tensor has dst's rank, and each dimension is dst's or 1; layout any means
 * dst's layout. The descriptor is copied. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, not a binary algorithm of two operands,
 * run-time dimensions); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc);

/* Appends result > 0 ? result : result * slope. The slopes are f32 and dense;
 * they have dst's dimensions where mask has the dimension's bit, and 1
 * elsewhere. They are passed to execution as
 * DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_WEIGHTS. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, mask); dnnl_out_of_memory.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_prelu(
        dnnl_post_ops_t post_ops, int mask);

/* Appends a depthwise convolution of the result. No primitive here supports it,
 * nor does oneDNN's GPU engine: descriptors with it are rejected with
 * dnnl_unimplemented. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL; no such type, or dnnl_data_type_undef for
 * weights or dst; kernel_size or stride_size below 1; padding_l_size not below
 * kernel_size); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops,
        dnnl_data_type_t weights_data_type, dnnl_data_type_t bias_data_type,
        dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size,
        dnnl_dim_t stride_size, dnnl_dim_t padding_l_size);

/* The number of steps (0 for NULL), and the kind of one step
 * (dnnl_undefined_primitive if there is no such step). (oneDNN) */
int DNNL_API dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);
dnnl_primitive_kind_t DNNL_API dnnl_post_ops_get_kind(
        const_dnnl_post_ops_t post_ops, int index);

/* The parameters of a step; each output may be NULL. *src1_desc belongs to the
 * chain. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such step, a
 * step of another kind). (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_get_params_eltwise(
        const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t *alg_kind,
        float *alpha, float *beta);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_sum(
        const_dnnl_post_ops_t post_ops, int index, float *scale,
        int32_t *zero_point, dnnl_data_type_t *data_type);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_binary(
        const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t *alg_kind,
        const_dnnl_memory_desc_t *src1_desc);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_prelu(
        const_dnnl_post_ops_t post_ops, int index, int *mask);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_dw(
        const_dnnl_post_ops_t post_ops, int index,
        dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
        dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size,
        dnnl_dim_t *stride_size, dnnl_dim_t *padding_l_size);

/* Destroys a chain. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

/* ==== Primitive descriptors =============================================== */
/*
 * What to compute, on which engine, in which layouts. Immutable. The first
 * descriptor of an engine establishes the engine's facts (see
 * dnnl_ocl_interop_engine_get_cache_blob()), which may compile a probe.
 *
 * Every creation call below writes *primitive_desc, which the caller destroys;
 * memory descriptors and attributes are copied; attr NULL is default. Statuses
 * of each: dnnl_success; dnnl_invalid_arguments (NULL; contradicting shapes or
 * types); dnnl_unimplemented (layouts, types, attributes or a kind of engine
 * that this library does not support); dnnl_cache_miss (the probe would have to
 * be compiled in cached-only mode); dnnl_out_of_memory; dnnl_runtime_error.
 */

/* dst[b, m, n] = post_ops(sum over k of src[b, m, k] * weights[b, k, n] +
 * bias[b, m, n]) with 2 to DNNL_MAX_NDIMS dimensions. Batch dimensions of src
 * and weights, and all dimensions of bias, may be 1 and are then broadcast.
 * bias NULL: none. Layouts: any strides; any becomes plain. (oneDNN)
 *
 * Types of src, weights and dst: f32, f32, f32; or f16, f16, and f16, f32, s8
 * or u8; or bf16, bf16, and bf16 or f32; each with a bias of f32, f16 or bf16.
 * Or s8 or u8 for src and weights, and s32, s8, u8, f32, f16 or bf16 for dst
 * and bias. Products of bytes are summed in s32 without rounding: an s32 dst is
 * exact if there is no bias of another type, no post-op and no scale. f16 is
 * supported only where the device stores it. Zero points of src and weights:
 * one for the tensor (mask 0).
 *
 * Dimensions and strides may be DNNL_RUNTIME_DIM_VAL. Then each execution takes
 * them from the descriptors of its memories, and returns dnnl_invalid_arguments
 * if they contradict what is known, or each other. ID, blob and program are the
 * same for all shapes; a program of known shapes is faster. */
dnnl_status_t DNNL_API dnnl_matmul_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/* dst[n, o] = post_ops(sum over c, d, h, w of src[n, c, d, h, w] * weights[o,
 * c, d, h, w] + bias[o]), with 0 to 3 spatial dimensions. bias NULL: none.
 * Types: those of dnnl_matmul_primitive_desc_create(). Layouts: any strides.
 * any becomes plain: for src like weights, for weights with o innermost and
 * otherwise like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/* Convolution of src [N, IC, (D,) (H,) W] with weights [(G,) OC/G, IC/G, (KD,)
 * (KH,) KW] into dst [N, OC, (OD,) (OH,) OW], with 1 to 3 spatial dimensions.
 * In elements per spatial dimension: strides at least 1, dilates (0 is dense;
 * NULL is all 0), padding_l at least 0, padding_r (NULL: as padding_l) at least
 * minus the stride. All must match dst's shape. bias [OC] or NULL. alg_kind
 * direct or auto.
 *
 * Types: src and weights both f32, f16 or bf16, and dst of that type or f32,
 * or, except for bf16, s8 or u8; bias of that type or f32. Or src s8 or u8,
 * weights s8, and bias and dst of any type: then sums are exact. f16 where the
 * device stores it. Scales of src and dst (mask 0) and of weights (mask 0, or
 * output channels: 1, or 3 with groups). Zero points of src and dst (mask 0, or
 * channels: 2) and of weights (masks as its scales); padding has the value of
 * src's zero point. Layouts: any strides; any becomes plain. (oneDNN) */
dnnl_status_t DNNL_API dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr);

/* Deconvolution: each element of src [N, IC, (D,) (H,) W], multiplied by the
 * weights [(G,) OC/G, IC/G, (KD,) (KH,) KW], is added to dst [N, OC, (OD,)
 * (OH,) OW], beginning at the element's position times the strides, minus
 * padding_l. Strides, dilates and paddings are those of the convolution from
 * dst's shape to src's; types and layouts are those of a convolution. alg_kind
 * direct. (oneDNN) */
dnnl_status_t DNNL_API dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr);

/* dst = f(src), element by element; src and dst have one shape and may be one
 * memory. f by alg_kind, with s the source element, a = alpha, b = beta:
 *   relu s>0?s:a*s; tanh; elu s>0?s:a*(e^s-1); square; abs; sqrt; linear a*s+b;
 *   soft_relu ln(1+e^(a*s))/a; hardsigmoid max(0,min(1,a*s+b)); logistic
 *   1/(1+e^-s); exp; gelu_tanh; gelu_erf; swish s/(1+e^(-a*s)); log; clip and
 *   clip_v2 to [a,b]; pow a*s^b; round to nearest even; mish s*tanh(ln(1+e^s));
 *   hardswish s*max(0,min(1,a*s+b)); relu, tanh, elu, sqrt, logistic, exp and
 *   clip_v2 also as _use_dst_for_bwd, which is the same (relu and elu: a >= 0).
 * prop_kind forward_training or forward_inference. Types of src and dst: f32,
 * f16, bf16, s32, s8, u8, any two of them; f is computed in f32, see
 * dnnl_reorder_primitive_desc_create() for the conversions. Layouts: any
 * strides; a dst of any becomes like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_eltwise_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        float alpha, float beta, const_dnnl_primitive_attr_t attr);

/* dst = src in another layout or data type. Floats become integers by rounding
 * to nearest even and saturating, NaN becomes 0; f32 is rounded to nearest even
 * for f16 and bf16. At least one engine is a dnnl_gpu engine. If the other is a
 * dnnl_cpu engine, the reorder runs on a stream of the dnnl_gpu engine, and the
 * host's pointer must stay valid until it has finished. Of two dnnl_gpu engines
 * it runs on a stream of dst_engine; what fills src must have finished before
 * the execution. Layouts: any strides, and blocks, whose padding becomes 0 in
 * dst. Types: f32, f16, bf16, s32, s8, u8 (f16, here and elsewhere, on devices
 * whose compiler accepts half storage). (oneDNN) */
dnnl_status_t DNNL_API dnnl_reorder_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
        const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr);

/* Each element of dst [N, C, (OD,) (OH,) OW] is computed from a window of src
 * [N, C, (D,) (H,) W], with 1 to 3 spatial dimensions. pooling_max: the largest
 * element (NaN if the window contains one; the type's lowest number if it
 * contains only padding). pooling_avg_include_padding: the average over the
 * window, with padding 0. pooling_avg_exclude_padding: the average over the
 * window's elements in src. In elements per spatial dimension: strides and
 * kernel at least 1, dilation (0 is dense; NULL is all 0) and padding_l at
 * least 0, padding_r (NULL: as padding_l) at least -stride. All must match
 * dst's shape; for pooling_avg_exclude_padding each window must reach into src.
 * prop_kind forward_inference or forward_training; the latter with pooling_max
 * also writes DNNL_ARG_WORKSPACE, which dnnl_query_workspace_md describes.
 * Types: f32, f16, bf16, s32, s8 or u8 for src and dst; for inference also s8
 * or u8 on one side and f32, f16, s8 or u8 on the other. Layouts: any strides;
 * a dst of any becomes like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t kernel,
        const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/* Shuffles src along axis. The C elements there are a matrix with rows of
 * group_size elements (which divides C), and dst is its transpose: element v *
 * (C / group_size) + u of dst is element u * group_size + v of src. src and dst
 * have the same shape and type, f32, f16, bf16, s32, s8 or u8; they must be
 * different memories. prop_kind forward_training or forward_inference. Layouts:
 * any strides; a dst of any becomes like src. No attributes. (oneDNN) */
dnnl_status_t DNNL_API dnnl_shuffle_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_attr_t attr);

/* src reduced over the dimensions that are 1 in dst; the others are src's, and
 * at least one differs. dst is post_ops of, by algorithm, with n elements s:
 * reduction_max, _min (NaN if there is one), _sum, _mul, _mean; and with t the
 * sum of |s|^p, p at least 1: _norm_lp_max max(t, eps)^(1/p), _norm_lp_sum
 * (t + eps)^(1/p), _norm_lp_power_p_max max(t, eps), _norm_lp_power_p_sum
 * t + eps. Of no elements: the lowest or the highest number, 0, 1 or NaN.
 * Types: f32, f16, bf16, s32, s8, u8 for src and dst; computed in f32, but
 * integers are compared as such. Layouts: any strides; a dst of any becomes
 * like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_reduction_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float p, float eps,
        const_dnnl_primitive_attr_t attr);

/* dst [N, C, (OD,) (OH,) OW] is src [N, C, (D,) (H,) W], of 1 to 3 spatial
 * dimensions, at another resolution. The centre of element o of OW is at c = (o
 * + 0.5) * W / OW - 0.5 among the centres 0 to W - 1 of src's elements.
 * resampling_nearest takes the nearest element, and of two the later.
 * resampling_linear takes the two elements around c in each dimension, weighted
 * by their distance; at the edges only one exists. If dst_desc is NULL, each
 * size is src's times its factor (one per spatial dimension, above 0), rounded
 * down, and type and layout are src's. Otherwise factors is ignored and may be
 * NULL. dnnl_query_factors gives the quotients of the sizes. prop_kind
 * forward_training or forward_inference. Types: f32, f16, bf16, s32, s8, u8 for
 * src and dst; computed in f32. Layouts: any strides; a dst of any becomes like
 * src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_resampling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/* Along every line of src in the direction of axis (0 to ndims - 1), with s the
 * line's elements and m their maximum, dst is post_ops of
 *   softmax_accurate: e^(s - m) / sum of e^(s - m);
 *   softmax_log: s - m - ln(sum of e^(s - m)).
 * A line with NaN, with infinity, or of nothing but -infinity becomes NaN. src
 * and dst have one shape and may be one memory. prop_kind forward_training or
 * forward_inference. Types: f32, f16, bf16, s8, u8 for src and dst; computed in
 * f32. Scales of src multiply what the softmax gives, before the post-ops.
 * Layouts: any strides; a dst of any becomes like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_softmax_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        int softmax_axis, const_dnnl_primitive_attr_t attr);

/* dst = post_ops(f(src0, src1)), element by element; f by algorithm, with s and
 * t the elements: binary_add s + t, _mul s * t, _max, _min (of a number and
 * NaN, the number), _div s / t, _sub s - t; and the comparisons _ge s >= t,
 * _gt, _le, _lt, _eq, _ne, 1 or 0. Each dimension of dst is that of both
 * sources, or of one where the other has 1 and is repeated. dst may be one
 * memory with a source of its shape and layout. attr may also have scales of
 * DNNL_ARG_SRC_0 and _SRC_1 of mask 0, which multiply s and t. Types: f32, f16,
 * bf16, s32, s8, u8, any three of them; computed in f32. Layouts: any strides;
 * a src1 or dst of any becomes like src0. (oneDNN) */
dnnl_status_t DNNL_API dnnl_binary_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/* The same, and binary_select: s where the element of src2 (DNNL_ARG_SRC_2) is
 * not 0, else t. src2 is s8; each of its dimensions is dst's, or 1 and
 * broadcast. For the other algorithms it is NULL or empty. (oneDNN) */
dnnl_status_t DNNL_API dnnl_binary_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/* dst is src's element if that is above 0, else its product with the element of
 * the weights (DNNL_ARG_WEIGHTS); no post-ops. Each dimension of the weights is
 * that of src, or 1 and broadcast. src and dst have the same shape and may be
 * the same memory. prop_kind forward_training or forward_inference. Types:
 * those of dnnl_binary_primitive_desc_create(). Layouts: any strides; weights
 * or a dst of any become like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_prelu_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/* dst is n sources side by side along concat_dimension (0 to ndims - 1), n from
 * 1 to 95. src_descs, an array of n, is copied; source i is executed as
 * DNNL_ARG_MULTIPLE_SRC + i. The sources have the same type and, except in that
 * dimension, the same shape; a source without elements contributes nothing. If
 * dst_desc is NULL, dst has the sources' type; a layout of any becomes like
 * source 0. Types: f32, f16, bf16, s32, s8 or u8; dst may have another of
 * these, and is converted. Scales of sources (DNNL_ARG_MULTIPLE_SRC + i, mask
 * 0). Layouts: any strides. No post-ops. (oneDNN) */
dnnl_status_t DNNL_API dnnl_concat_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
        const_dnnl_memory_desc_t const *src_descs,
        const_dnnl_primitive_attr_t attr);

/* dst = sum of scales[i] * source i, element by element, for n sources: 1 to
 * 64. scales and src_descs are arrays of n, both copied; source i is executed
 * as DNNL_ARG_MULTIPLE_SRC + i. All sources have dst's shape. If dst_desc is
 * NULL, dst has the type of source 0; a layout of any becomes like source 0.
 * dst and source 0 may be the same memory if type and layout are the same.
 * Types: f32, f16, bf16, s32, s8 or u8, any for each; computed in f32. Layouts:
 * any strides, but about ten different layouts at most. No attributes. (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_sum_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
        const_dnnl_memory_desc_t const *src_descs,
        const_dnnl_primitive_attr_t attr);

/* Local response normalization: dst = post_ops(src * (k + alpha * a)^-beta),
 * where a is the average of the squares in a window of src around the element,
 * (local_size - 1) / 2 elements to both sides. With lrn_across_channels the
 * window extends over the channels of src [N, C, (D,) (H,) (W)], with
 * lrn_within_channel over each of the spatial dimensions. Elements outside src
 * count as 0, and the average divides by local_size (at least 1) for each
 * dimension of the window. prop_kind forward_inference or forward_training; the
 * latter also writes DNNL_ARG_WORKSPACE, which dnnl_query_workspace_md
 * describes. src and dst are different memories. Types: both f32, f16 or bf16;
 * computed in f32. Layouts: any strides; a dst of any becomes like src.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_lrn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_attr_t attr);

/*
 * Normalizations: dst = post_ops((src - mean) / sqrt(variance + epsilon) *
 * scale + shift), with the mean and the variance (of the population, not of a
 * sample) of the elements that the kind of normalization combines. flags:
 * dnnl_normalization_flags_t, combined.
 *   use_global_stats: DNNL_ARG_MEAN and DNNL_ARG_VARIANCE are inputs. Without
 *     it, they are outputs for prop_kind forward_training, and not passed for
 *     forward_inference. They are f32; the kind defines their shape.
 *   use_scale, use_shift: DNNL_ARG_SCALE and DNNL_ARG_SHIFT are inputs, f32
 *     unless said otherwise. Without them, scale is 1 and shift 0.
 * Flags that a kind does not name are invalid. src and dst have the same shape,
 * of 2 to 5 dimensions, and may be the same memory; computed in f32. Layouts:
 * any strides; a dst of any becomes like src.
 */

/* Normalizes each channel of src [N, C, (D,) (H,) (W)] over all other
 * dimensions; mean, variance, scale and shift are [C]. At most one of two more
 * flags may be set: fuse_norm_relu turns negative results into 0 before
 * post_ops; fuse_norm_add_relu first adds DNNL_ARG_SRC_1, of dst's type and
 * layout. With either, forward_training also writes DNNL_ARG_WORKSPACE, which
 * dnnl_query_workspace_md describes. Types of src and dst: both f32, f16 or
 * bf16; both s8 for inference with use_global_stats. (oneDNN) */
dnnl_status_t DNNL_API dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr);

/* Normalizes each line of src along its last dimension; scale and shift have
 * the size of that dimension. stat_desc has src's other dimensions, f32 and any
 * strides; a layout of any, or NULL, becomes like src. Types of src and dst,
 * which may differ: f32, f16, bf16, s8, u8. (oneDNN) */
dnnl_status_t DNNL_API dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);

/* The same with a type for scale and shift: f32, f16 or bf16. (oneDNN) */
dnnl_status_t DNNL_API
dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr);

/* Splits the channels of src [N, C, (D,) (H,) (W)] into groups of neighbouring
 * channels (groups divides C), and normalizes each group of each batch element.
 * Mean and variance are [N, groups], scale and shift [C]. Types of src and dst,
 * which may differ: f32, f16, bf16, s8, u8. (oneDNN) */
dnnl_status_t DNNL_API dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/* Answers a query (see dnnl_query_t for the type of *result). The descriptor
 * owns what pointers in *result point to. index is 0, except for weights (1 is
 * the bias) and dnnl_query_exec_arg_md (a DNNL_ARG_*). The cache blob ID is
 * computed once; it is empty (size 0, NULL) if the device cannot be identified.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, index);
 * dnnl_unimplemented (a query that does not apply to this primitive); for an ID
 * also dnnl_out_of_memory and dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index, void *result);

/* The memory descriptor that what names: borrowed. An empty descriptor if the
 * primitive does not have it, NULL if what names no memory descriptor. (oneDNN)
 */
const_dnnl_memory_desc_t DNNL_API dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index);

/* The answer to dnnl_query_num_of_inputs_s32 or dnnl_query_num_of_outputs_s32;
 * 0 for another query or primitive_desc NULL. (oneDNN) */
int DNNL_API dnnl_primitive_desc_query_s32(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index);

/* dnnl_query_cache_blob_id as one call, with the size query above. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_primitive_desc_get_cache_blob_id(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, uint8_t *id);

/* As dnnl_cache_program_desc_is_cacheable(), for primitives. A primitive
 * without anything to compile (an empty tensor, a copy) is cacheable: its blob
 * has no program. Statuses: as there. */
dnnl_status_t DNNL_API dnnl_cache_primitive_desc_is_cacheable(
        const_dnnl_primitive_desc_t primitive_desc, int *cacheable,
        const char **reason);

/* As dnnl_cache_program_desc_get_build_log(), for primitives. Statuses: as
 * there. */
dnnl_status_t DNNL_API dnnl_cache_primitive_desc_get_build_log(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, char *log);

/* Writes another handle of the same descriptor. The caller destroys each
 * handle. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_desc_clone(
        dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_primitive_desc_t existing_primitive_desc);

/* Always dnnl_last_impl_reached, and the descriptor is unchanged, because every
 * operation has one implementation; dnnl_invalid_arguments for NULL. (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_primitive_desc_next_impl(
        dnnl_primitive_desc_t primitive_desc);

/* The attributes that the descriptor was created with, valid as long as the
 * descriptor. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_primitive_desc_get_attr(
        const_dnnl_primitive_desc_t primitive_desc,
        const_dnnl_primitive_attr_t *attr);

/* Destroys a descriptor; primitives created from it stay valid. Always
 * dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_desc_destroy(
        dnnl_primitive_desc_t primitive_desc);

/* ==== Primitives ========================================================== */

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

/* The primitive's blob: size query as above. The first call asks the driver for
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

#endif /* DNNL_CACHE_PRIMITIVES */

/* ==== Programs of the application's own =================================== */
/*
 * A program descriptor names a program: OpenCL C sources with the headers that
 * they include, or IL (SPIR-V) with specialization constants; options; extra
 * keys. Only one thread at a time may use it until the first call that needs
 * its ID (a query of the ID or whether it is cacheable, creating a program or a
 * kernel). From then on nothing can be added to it.
 */

/* Describes the program that clCreateProgramWithSource(nsources, sources,
 * lengths) and clBuildProgram(options) would build for the engine's device.
 * Everything is copied. lengths NULL, or an entry of 0: the string ends with
 * NUL. options NULL is "". A source that includes files is described, but not
 * cacheable: its ID and blob are empty. The reason is logged, at level info,
 * when the ID is computed, and is in the program's creation info. The caller
 * destroys the descriptor. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, nsources 0, a dnnl_cpu engine); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_create(
        dnnl_cache_program_desc_t *program_desc, dnnl_engine_t engine,
        size_t nsources, const char *const *sources, const size_t *lengths,
        const char *options);

/* The same for clCreateProgramWithIL(il_size bytes of il). The driver checks
 * the bytes when the program is created. Statuses: as above, and
 * dnnl_unimplemented (the device does not accept IL), dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_create_with_il(
        dnnl_cache_program_desc_t *program_desc, dnnl_engine_t engine,
        size_t il_size, const void *il, const char *options);

/* Embeds a header, as for clCompileProgram(): #include "name", or with angle
 * brackets, in a source or in another header reads this text and no file. A
 * quoted name is looked up relative to the header that has the directive, then
 * from the top. Both strings are copied; length 0: source ends with NUL. The
 * order of headers does not matter; every header is part of the ID, used or
 * not. The compiler gets the header as "dnnl_cache_<digest>/name", so that no
 * file of the same name can replace it; compiler messages and __FILE__ contain
 * this name. Statuses: dnnl_success; dnnl_invalid_arguments (NULL; a name that
 * is empty, absolute, has a blank, a part "." or "..", a character of \ " ' < >
 * : | ? * or more than 255 bytes; a second header of that name; a program of
 * IL; the ID was computed already; the reason is logged, at level info);
 * dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_add_header(
        dnnl_cache_program_desc_t program_desc, const char *name, size_t length,
        const char *source);

/* Sets a specialization constant of a program of IL, as
 * clSetProgramSpecializationConstant() does: its SpecId, its size in bytes (1
 * for a boolean, else the size of its type) and its value, which is copied. The
 * last value set for an ID counts. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL; a size other than 1, 2, 4, 8; a program of
 * sources; the ID was computed already); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_spec_constant(
        dnnl_cache_program_desc_t program_desc, uint32_t id, size_t size,
        const void *value);

/* Adds bytes of the application to the ID: anything else that the binary
 * depends on, or that selects one. The order of keys matters. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, size 0, or the ID was computed
 * already); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_add_key(
        dnnl_cache_program_desc_t program_desc, size_t size, const void *key);

/* Declares that the caller has resolved all includes of the program, in its
 * sources and its options (dnnl_cache_find_includes(),
 * dnnl_cache_options_read_files()), and has added the files' contents to its
 * keys (dnnl_cache_program_desc_add_key()). Includes then no longer prevent
 * caching. The caller guarantees that equal keys mean equal files; the compiler
 * reads the files as the options say. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, or the ID was computed already). Since 0.1.0.
 */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_includes_known(
        dnnl_cache_program_desc_t program_desc);

/* Declares that the program is one of the library's own, of a primitive, as a
 * note with the origin dnnl_cache_note_primitive has it: its ID is the one that
 * the primitive looks for in a store, if this library makes the same program.
 * For "dnnl-cache replay". Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, or the ID was computed already). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_primitive(
        dnnl_cache_program_desc_t program_desc);

/* on 1: the library reads the files that the program includes, as the OpenCL
 * layer does, when the ID is first needed, and what they hold is part of the
 * ID: of #include in the sources and in the files themselves, whatever #if it
 * stands in, of -include in the options, and of the options that environment
 * variables add. So a descriptor stands for the files as they were then; make
 * another one for the files as they are. A program that is compiled is kept
 * only if the files held the same before and after, and nothing came or went
 * where the compiler looks. What cannot be followed, and why: docs/LAYER.md,
 * "Included files". A program with embedded headers
 * (dnnl_cache_program_desc_add_header()) is not followed, and one that the
 * application built (dnnl_cache_program_adopt()) is not kept if it includes
 * files. 0: a program that may include files has no ID, as at first. Of this
 * call and dnnl_cache_program_desc_set_includes_known() the last one counts.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, or the ID was computed
 * already); dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_include_following(
        dnnl_cache_program_desc_t program_desc, int on);

/* Calls callback, with user, for each place in size bytes of OpenCL C that
 * reads a file, or may read one, in the source's order. Nothing is
 * preprocessed. So places that #if excludes are reported, too, and so are
 * places that only some compilers read as an include, and directives and
 * pragmas that this library does not know. Resolving the includes of the files
 * themselves is up to the caller. Of assembly it judges this text alone: where
 * one file has asm and another a macro that makes strings (#x), the caller
 * should take the program for one that reads unknown files.
 * source may be NULL if size is 0. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL; user may be NULL); what callback
 * returned, if not dnnl_success. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_includes(size_t size, const char *source,
        dnnl_cache_include_callback_t callback, void *user);

/* Writes 1 to *reads_files if build options (NULL is "") may make the compiler
 * read a file in any spelling: -include, -imacros, precompiled headers, inputs,
 * response files and the like, and options that this library does not know;
 * else 0. Search folders (-I) do not count. Statuses: dnnl_success;
 * dnnl_invalid_arguments (reads_files NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_options_read_files(
        const char *options, int *reads_files);

/* Sets *name to an environment variable that has changed since the library
 * started, one of those that drivers read (docs/IDENTITY.md), or to NULL if
 * none has. After such a change nothing has an ID, and no store is used,
 * because drivers read some variables once and others at each build. The
 * library starts with the first call of this function, of
 * dnnl_engine_get_count(), or of a function that creates an engine or computes
 * an engine's ID: set variables before. Reads the environment, as getenv() and
 * calls that need an ID do: no other thread may change it meanwhile. *name
 * points to a constant; once it is not NULL it does not change. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_changed_variable(const char **name);

/* Sets *path to a file of a driver in use that has changed since the driver was
 * identified, that is missing, or that is new where the driver looks for files;
 * or to NULL if there is none. After such a change objects work, but what this
 * driver compiles in this process is not given away any more, because its ID
 * names the driver as it was: no store receives it, and the blobs of programs
 * whose binary was read after the change, of primitives with such programs, and
 * of engines whose facts were compiled, are empty (size 0). Looks at each file
 * (stat()). *path stays valid until the process ends; once it is not NULL it
 * does not change. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). Since
 * 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_changed_file(const char **path);

/* The same for the driver of one device: what is compiled by another driver,
 * whose files are as they were, is given away as before. Establishes the
 * device's identity if there is none yet. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, not a device); dnnl_out_of_memory;
 * dnnl_runtime_error. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_changed_file_of_device(
        const char **path, cl_device_id device);

/* An option for those who build the program themselves, to hand the result to
 * dnnl_cache_program_adopt(): it goes before the program's options, with a
 * blank between, to clBuildProgram() or clCompileProgram(), and defines a macro
 * that no program knows. Drivers have caches of their own (PoCL, Mesa, NVIDIA,
 * Intel), whose keys cover less than the ID does; with this option they do not
 * answer with what another driver's file, variable or header made. The library
 * does the same in what it compiles. Size query as above, with the NUL; "" if
 * the driver has no such cache or the program no ID. CL_PROGRAM_BUILD_OPTIONS
 * has it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, buffer too
 * small); dnnl_out_of_memory; dnnl_runtime_error. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_get_build_mark(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, char *mark);

/* The program's cache blob ID: size query as above; compiles nothing. Size 0
 * if it is not cacheable. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, buffer too small); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_get_cache_blob_id(
        const_dnnl_cache_program_desc_t program_desc, size_t *size,
        uint8_t *id);

/* Writes 1 to *cacheable if programs created from the descriptor have an ID and
 * a blob, and are kept in memory, with their kernels, for later calls; else 0.
 * *reason (reason may be NULL) is why not, or "": which query of the device's
 * identity failed, or which header is missing. (To add the header with
 * dnnl_cache_program_desc_add_header(), create a new descriptor: this call has
 * computed the ID of this one.) The descriptor owns *reason. A program that is
 * not cacheable works, but is compiled at each creation, also by
 * dnnl_cache_kernel_create(). Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_is_cacheable(
        const_dnnl_cache_program_desc_t program_desc, int *cacheable,
        const char **reason);

/* The compiler's log of the last failed creation from this descriptor, on this
 * thread or another: all threads that waited for one failed build get the same
 * text. Size query as above, in bytes with the trailing NUL; "" if no creation
 * has failed, or if the compiler was not the reason. If other threads are
 * working, the text may have grown since the size query: then the call returns
 * dnnl_invalid_arguments and the new size. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, buffer too small). */
dnnl_status_t DNNL_API dnnl_cache_program_desc_get_build_log(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, char *log);

/* Destroys a descriptor; programs created from it stay valid. Always
 * dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_destroy(
        dnnl_cache_program_desc_t program_desc);

/* Creates the program. An equal program in memory in this context is shared;
 * else the program comes from the attached store, or is compiled. The caller
 * destroys it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL; IL that is
 * not well-formed or does not have such a specialization constant);
 * dnnl_unimplemented (the driver does not accept IL, or specialization
 * constants, after all); dnnl_cache_miss (cached-only mode);
 * dnnl_out_of_memory; dnnl_runtime_error (for example, the source does not
 * compile: the build log went to the log callback). */
dnnl_status_t DNNL_API dnnl_cache_program_create(dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc);

/* Creates the program from its blob; nothing is compiled. Statuses and rules:
 * as dnnl_primitive_create_from_cache_blob(). For a program that is not
 * cacheable every blob is dnnl_cache_blob_stale. */
dnnl_status_t DNNL_API dnnl_cache_program_create_from_cache_blob(
        dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc, size_t size,
        const uint8_t *cache_blob);

/* Makes a program of a cl_program that the application built from the same
 * sources and options for the engine's device, so that it has a blob. The
 * cl_program is retained and not shared with other programs. The application
 * guarantees that it matches the descriptor. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, of another context or device, not built);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_adopt(dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc, cl_program cl_program);

/* Tells the library of a launch, with the arguments of
 * clEnqueueNDRangeKernel(): global_offset may be NULL, and so may local_size,
 * if the driver chooses. Call it at each launch, or once for each form of
 * launch; it is cheap. To report launches of a kernel of
 * dnnl_cache_kernel_create(), create its program as well, which is found in
 * memory. Drivers that compile at a kernel's first launch of a
 * class (PoCL) have code for some classes in a binary. With these reports the
 * library knows what a blob lacks, and leaves the making of blobs to the
 * store's journal, if it has one (see below). Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, "", work_dim not 1 to 3, a size 0);
 * dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_note_launch(
        const_dnnl_cache_program_t program, const char *kernel_name,
        cl_uint work_dim, const size_t *global_offset,
        const size_t *global_size, const size_t *local_size);

/* Gets the binary from the driver now, for the attached store. Call it when
 * each kernel was launched as the application launches it: drivers that compile
 * at the first launch (PoCL) put the result into the binary, and a program
 * created from the blob then launches at once. With PoCL this takes as long as
 * compiling did; dnnl_cache_program_note_launch() instead costs nothing. With
 * NVIDIA's driver kernels of the program are created and released: nobody may
 * build it meanwhile; its machine code is made later. With PoCL 3.1 no kernel
 * with reqd_work_group_size of a program of the same text may run meanwhile, or
 * the process is aborted (docs/THREADING.md). Only the first capture has an
 * effect. The driver is asked for nothing if there is no store, if the
 * store cannot keep the binary (it is read-only, off or full), or if it has one
 * already that is as complete. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL); dnnl_unimplemented (the program has no ID); dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_capture(dnnl_cache_program_t program);

/* Gets from the driver what dnnl_cache_program_get_cache_blob() needs, whether
 * there is a store or not. That call then creates no kernel of this program,
 * and asks the driver for nothing of it, while it makes the finalised form: for
 * callers that keep others from the program meanwhile. Statuses: those of
 * dnnl_cache_program_capture(). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_read_binary(
        dnnl_cache_program_t program);

/* 0: a capture that follows makes no finalised form of the binary, for those
 * who saw a process end while one was made; 1 (default): it does, but none that
 * replaces the binary (PoCL); 2: that, too, for those who load the program with
 * dnnl_cache_engine_get_finalised_binary(), and see to it that nobody links it,
 * or asks the driver for its binary. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL; another number). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_set_finalised(
        dnnl_cache_program_t program, int finalised);

/* Stores size bytes of the application, which are copied, in the program's
 * future blob: what the application knows about the program and needs at the
 * next start. The bytes are not part of the ID, and the library does not
 * interpret them. Size 0 removes them; data may then be NULL. Only programs
 * that were compiled or adopted, and not captured yet, accept user data: a
 * capture fixes the contents of the blob, and a program created from a blob, or
 * found in a store, has that blob's. User data belongs to the program, not to
 * the handle: all handles of a program in memory share it, and the last call
 * before the capture counts. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, more than DNNL_CACHE_MAX_USER_DATA_SIZE, captured already or created
 * from a blob); dnnl_unimplemented (the program has no ID, so it will have no
 * blob); dnnl_out_of_memory; dnnl_runtime_error (called while this thread
 * captures the program). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_set_user_data(
        dnnl_cache_program_t program, size_t size, const void *data);

/* The program's user data, wherever the program came from (memory, a store, a
 * blob, the compiler): size query as above; size 0 if there is none. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_runtime_error (called while this thread captures the program). Since
 * 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_get_user_data(
        const_dnnl_cache_program_t program, size_t *size, void *data);

/* How dnnl_cache_capture_all() captures. Set struct_size with
 * DNNL_CACHE_CAPTURE_OPTIONS_INIT. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    /* No capture is begun after this time; one takes a second at most with most
     * programs. UINT64_MAX: no limit. */
    uint64_t timeout_ns;
    /* Not 0: a line on standard error, once, if the captures take longer than a
     * second: "keeping 12 of 30 programs, 8 s left; interrupt safely". */
    int tell;
} dnnl_cache_capture_options_t;

/* The initial value of a dnnl_cache_capture_options_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_CAPTURE_OPTIONS_INIT                     \
    {                                                       \
        sizeof(dnnl_cache_capture_options_t), UINT64_MAX, 0 \
    }

/* How far dnnl_cache_capture_all() is. The library sets struct_size to the size
 * that it knows. */
typedef struct {
    size_t struct_size;  /* sizeof the struct */
    size_t total;        /* programs that waited */
    size_t done;         /* captured, or in the store meanwhile */
    size_t failed;       /* the driver gave no binary */
    uint64_t elapsed_ns; /* since the call */
    uint64_t left_ns;    /* estimate for the rest */
} dnnl_cache_capture_progress_t;

/* Called on the thread of dnnl_cache_capture_all(), with no lock of the library
 * held: before the first program, and after each. progress is valid during the
 * call. Any status but dnnl_success ends the captures. */
typedef dnnl_status_t (*dnnl_cache_capture_callback_t)(
        const dnnl_cache_capture_progress_t *progress, void *user);

/* Captures, on the calling thread, all programs of the engine's context and
 * device that wait for it: those that were compiled or adopted while a store
 * was attached, and are not captured. Those that are also in the journal are
 * captured, too. Programs that took the least time to compile come first, so
 * that a short time keeps as many as possible. options and progress may be
 * NULL. Statuses: dnnl_success: none waits any more; dnnl_not_required: some
 * still wait, because of the time limit or the callback; dnnl_runtime_error:
 * all were tried, some failed; dnnl_invalid_arguments (engine NULL or dnnl_cpu,
 * bad struct_size); dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_capture_all(dnnl_engine_t engine,
        const dnnl_cache_capture_options_t *options,
        dnnl_cache_capture_callback_t progress, void *user);

/* The program's blob: size query as above. Captures the program if it was not
 * captured, so launch the kernels first (see dnnl_cache_program_capture()): the
 * size query is enough to fix the blob's contents. Size 0 if the program has no
 * ID. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_unimplemented (the query would crash the driver: PoCL, if a kernel's
 * name has more than 200 bytes); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_get_cache_blob(
        const_dnnl_cache_program_t program, size_t *size, uint8_t *cache_blob);

/* Writes the program object: borrowed. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_program_get_cl_program(
        const_dnnl_cache_program_t program, cl_program *cl_program);

/* Writes a new kernel object of that name, which the caller releases. A kernel
 * object carries its arguments, so only one thread at a time may use it. To
 * reuse kernel objects, call dnnl_cache_kernel_create_from_program() instead.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such kernel);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_get_kernel(
        const_dnnl_cache_program_t program, const char *name,
        cl_kernel *kernel);

/* The compiler's log of the build from source, also for a program that was
 * loaded: size query as above, in bytes with the trailing NUL. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_get_build_log(
        const_dnnl_cache_program_t program, size_t *size, char *log);

/* As dnnl_cache_program_desc_is_cacheable(), for a program. A program that the
 * application built itself has a blob, if its descriptor has an ID, but neither
 * the program nor its kernels are kept in memory for later calls. The program
 * owns *reason. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_program_is_cacheable(
        const_dnnl_cache_program_t program, int *cacheable,
        const char **reason);

/* What happened when this program was created. The program owns the strings.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad struct_size). */
dnnl_status_t DNNL_API dnnl_cache_program_get_creation_info(
        const_dnnl_cache_program_t program, dnnl_cache_creation_info_t *info);

/* Releases the caller's handle. Kernels stay valid, and the program stays in
 * memory, where later calls find it. So a program that was not captured is
 * offered to an attached store only when it leaves memory, at the latest with
 * the last engine of its context. Always dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_program_destroy(dnnl_cache_program_t program);

/* ==== Kernels ============================================================= */
/*
 * Kernel objects in memory, for applications that ask for a kernel at every
 * launch. A kernel of a cacheable program is created once and then found: by
 * its program and name, or directly by descriptor and name, with one look-up
 * and no program handle. While the caller has a kernel, no other caller gets
 * the same kernel object. Its arguments, and what clSetKernelExecInfo() sets,
 * are undefined when the caller gets it: set them each time. A kernel keeps its
 * program alive, even if the program is evicted from memory meanwhile.
 */

/* A kernel, by its name, of a descriptor's program; if the program is not in
 * memory, it is created as by dnnl_cache_program_create(). The caller destroys
 * the kernel. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such
 * kernel); else as dnnl_cache_program_create(). */
dnnl_status_t DNNL_API dnnl_cache_kernel_create(dnnl_cache_kernel_t *kernel,
        const_dnnl_cache_program_desc_t program_desc, const char *name);

/* The same for a program that the caller has. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, no such kernel); dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_kernel_create_from_program(
        dnnl_cache_kernel_t *kernel, const_dnnl_cache_program_t program,
        const char *name);

/* Writes the kernel object: borrowed. As OpenCL requires, only one thread at a
 * time may use it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_kernel_get_cl_kernel(
        const_dnnl_cache_kernel_t kernel, cl_kernel *cl_kernel);

/* Returns the kernel object to memory for later calls. It may have been
 * enqueued: work in progress continues. The object then keeps no buffer alive,
 * provided that the driver reports which arguments are buffers, and that these
 * are among the first 63. Always dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_kernel_destroy(dnnl_cache_kernel_t kernel);

/* Limits the total size in bytes of the binaries of the programs in memory, for
 * each cl_context separately. The default is DNNL_CACHE_NO_LIMIT, or the value
 * of the environment variable DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD (bytes;
 * there 0 means no limit), which is read at first use. 0 keeps no programs,
 * kernels and primitives at all, and so does DNNL_CACHE_IN_MEM=0. A variable
 * that is not a number is ignored, and a message is logged.
 *
 * Beyond the limit the least recently used program is evicted at once, with its
 * kernels and the primitives that use it. Objects in use live on until they are
 * released, but are not counted any more. Programs of primitives that are kept
 * after the last engine of their context was destroyed are not counted either.
 * While there is a limit, the driver is asked for the size of each program that
 * it builds (some drivers then compile what they would have compiled at the
 * first launch), and a program whose size the driver does not report is not
 * kept.
 *
 * The capacity for primitives is separate: it is what
 * dnnl_set_primitive_cache_capacity() or its variable set, else 0 if
 * DNNL_CACHE_IN_MEM was 0. Always dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_set_program_cache_limit(uint64_t bytes);

/* Writes that limit. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_get_program_cache_limit(uint64_t *bytes);

/* ==== Background builds =================================================== */
/*
 * A queue builds programs on threads of its own, by priority, while the
 * application goes on with what it has. Each program submitted is a job.
 *
 * A job's program is built as by dnnl_cache_program_create(): it comes from
 * memory, from the attached store, or from the compiler, and is kept as other
 * programs are. Nothing is launched. Jobs whose descriptors have the same ID
 * share one build, and so does a thread that creates the program meanwhile with
 * dnnl_cache_program_create(): if the build has begun, the thread waits for it;
 * if not, the thread builds at once, and the job finds the program in memory.
 * So a program that is needed now is created as ever, with no regard to the
 * queue.
 *
 * The workers are threads of the calling process. A driver that compiles one
 * program at a time in a process (PoCL) gains nothing from a second worker, and
 * a program that is created or launched while a worker compiles another one
 * waits for the driver. For such a driver each worker may have a process that
 * compiles (processes below); the library starts no process unless it is told
 * to. "dnnl-cache replay" (docs/REPLAY.md) fills a store before it is needed.
 *
 * Callbacks are called with no lock of the library held, on the thread that
 * ends the job: a worker; a thread that waits without limit; the thread that
 * cancels the job or destroys the queue. A callback may use the library and the
 * queue, but not destroy the queue. It must return.
 *
 * The workers read the environment, as drivers do: while a job waits or is
 * built, no thread may change it. Destroy a queue before the process ends: a
 * driver that compiles while the process is taken down may crash. A child of
 * fork() has no workers: there, calls with a queue or a job of the parent are
 * dnnl_runtime_error, and destroy calls do nothing, and dnnl_success.
 */

/* Where a job is. */
typedef enum {
    dnnl_cache_build_waiting = 0,  /* not begun */
    dnnl_cache_build_building = 1, /* a thread builds it */
    dnnl_cache_build_done = 2,     /* the program is there */
    dnnl_cache_build_failed = 3,
    dnnl_cache_build_cancelled = 4
} dnnl_cache_build_state_t;

/* How far a queue is, in jobs. In callbacks the library sets struct_size to the
 * size that it knows. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    size_t submitted;   /* since the queue was created: the sum of the others */
    size_t waiting;     /* not begun */
    size_t building;    /* being built */
    size_t done;        /* whose program is there */
    size_t failed;      /* whose build failed */
    size_t cancelled;   /* that were cancelled */
    uint64_t left_ns; /* estimate for waiting and building; 0: not known yet */
    size_t by_processes; /* programs that worker processes compiled */
} dnnl_cache_build_progress_t;

/* The initial value of a dnnl_cache_build_progress_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_BUILD_PROGRESS_INIT                              \
    {                                                               \
        sizeof(dnnl_cache_build_progress_t), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* Called when a job has ended, exactly once for each, with what
 * dnnl_cache_build_job_wait() would return: dnnl_not_required if the job was
 * cancelled. The job is borrowed, and valid during the call even if its handle
 * was destroyed. */
typedef void (*dnnl_cache_build_callback_t)(
        dnnl_cache_build_job_t job, dnnl_status_t status, void *user);

/* Called after the callbacks of each build and of each cancellation. Threads
 * may call it at the same time. progress is valid during the call. */
typedef void (*dnnl_cache_build_progress_callback_t)(
        const dnnl_cache_build_progress_t *progress, void *user);

/* May a queue start processes that compile? Each worker has one at most, while
 * the queue lives. */
typedef enum {
    dnnl_cache_build_processes_never = 0,
    /* Where the driver compiles one program at a time in a process (PoCL). */
    dnnl_cache_build_processes_where_useful = 1,
    dnnl_cache_build_processes_always = 2
} dnnl_cache_build_processes_t;

/* Set struct_size with DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    /* At most so many threads build, besides those that wait without limit. 0:
     * as many as the process may use processors. */
    uint32_t workers;
    dnnl_cache_build_progress_callback_t progress; /* or NULL */
    void *user;                                    /* of progress */
    dnnl_cache_build_processes_t processes;        /* 0: threads alone */
    /* Program of these processes, copied. NULL: the variable
     * DNNL_CACHE_BUILD_WORKER, else the one that is installed with the library.
     * Without one threads compile, and a message says so. */
    const char *worker;
    /* A process that takes longer for a program is killed. 0: ten minutes. */
    uint32_t process_timeout_ms;
} dnnl_cache_build_queue_options_t;

/* The initial value of a dnnl_cache_build_queue_options_t: struct_size is
 * set, all else is 0. */
#define DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT                      \
    {                                                            \
        sizeof(dnnl_cache_build_queue_options_t), 0, NULL, NULL, \
                dnnl_cache_build_processes_never, NULL, 0        \
    }

/* The largest number of workers. */
#define DNNL_CACHE_MAX_BUILD_WORKERS 256

/* Creates a queue, for programs of any engines. options may be NULL. No thread
 * is started before the first job; the threads receive no signals. The caller
 * destroys the queue. Statuses: dnnl_success; dnnl_invalid_arguments (queue
 * NULL, bad struct_size, too many workers); dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_create(
        dnnl_cache_build_queue_t *queue,
        const dnnl_cache_build_queue_options_t *options);

/* Submits a program. Jobs of a higher priority are begun first, those of equal
 * priority in the order of submission. Computes the descriptor's ID on the
 * calling thread; the descriptor may be destroyed afterwards. callback (may be
 * NULL) gets user, which must live until the callback has returned. *job (job
 * may be NULL) receives a handle, which the caller destroys; without one the
 * job is built all the same. The callback may be called before this call
 * returns. Statuses: dnnl_success; dnnl_invalid_arguments (queue or
 * program_desc NULL); dnnl_out_of_memory (also: no thread can be started);
 * dnnl_runtime_error (the queue is being destroyed, or the ID cannot be
 * computed). After a failure callback is not called. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_submit(
        dnnl_cache_build_queue_t queue,
        const_dnnl_cache_program_desc_t program_desc, int priority,
        dnnl_cache_build_callback_t callback, void *user,
        dnnl_cache_build_job_t *job);

/* Waits until no job waits or is built, for timeout_ns at most; callbacks may
 * still be running then. Without a limit (UINT64_MAX) the calling thread builds
 * what waits, too. Statuses: dnnl_success, whatever came of the jobs;
 * dnnl_not_required: the time is up; dnnl_invalid_arguments (NULL);
 * dnnl_runtime_error: called inside a build that would then wait for itself.
 * Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_wait(
        dnnl_cache_build_queue_t queue, uint64_t timeout_ns);

/* Writes how far the queue is. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, bad struct_size). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_get_progress(
        dnnl_cache_build_queue_t queue, dnnl_cache_build_progress_t *progress);

/* Cancels the jobs that wait, then waits until the workers have finished their
 * builds, and callbacks on them have returned. Handles of jobs stay valid.
 * Statuses: dnnl_success (also NULL); dnnl_runtime_error: called on a worker,
 * as in a callback; nothing is destroyed. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_destroy(
        dnnl_cache_build_queue_t queue);

/* Waits until the job has ended, for timeout_ns at most (0 does not wait), and
 * gives its program: *program (program may be NULL) receives a new handle at
 * each call, which the caller destroys. Without a limit (UINT64_MAX) a job that
 * waits is built at once on the calling thread. Statuses: dnnl_success;
 * dnnl_not_required: the time is up, or the job was cancelled;
 * dnnl_invalid_arguments (job NULL); dnnl_runtime_error: also, called inside a
 * build that would then wait for itself; else what dnnl_cache_program_create()
 * returned: dnnl_cache_program_desc_get_build_log() has the compiler's log.
 * Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_wait(dnnl_cache_build_job_t job,
        uint64_t timeout_ns, dnnl_cache_program_t *program);

/* Changes the priority of a job that waits. A build that several jobs share has
 * the highest of theirs. Statuses: dnnl_success; dnnl_not_required: it does not
 * wait any more; dnnl_invalid_arguments (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_set_priority(
        dnnl_cache_build_job_t job, int priority);

/* Cancels a job: its callback is called before this call returns. A build that
 * no job wants is dropped if it has not begun. One that has begun cannot be
 * interrupted: it is finished, and its program is kept in memory like others.
 * Statuses: dnnl_success; dnnl_not_required: it has ended already;
 * dnnl_invalid_arguments (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_cancel(dnnl_cache_build_job_t job);

/* Writes where the job is. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_get_state(
        dnnl_cache_build_job_t job, dnnl_cache_build_state_t *state);

/* Releases the caller's handle, which keeps the program alive once it is built;
 * the job goes on. Always dnnl_success. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_destroy(dnnl_cache_build_job_t job);

/* ==== Blobs and IDs ======================================================= */

/* The contents of a blob, after checking that it is intact; needs no device.
 * Pointers in info point into cache_blob. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, size 0, bad struct_size);
 * dnnl_cache_blob_corrupt; dnnl_cache_blob_unsupported. */
dnnl_status_t DNNL_API dnnl_cache_blob_inspect(
        size_t size, const uint8_t *cache_blob, dnnl_cache_blob_info_t *info);

/* Describes the contents of a blob part by part, after checking that it is
 * intact; needs no device. callback, which gets user, is called for each
 * section, then for each program, then for each kernel, in the blob's order.
 * Sections and names are for people to read: the contents of blobs may change
 * with every release. Statuses: dnnl_success; dnnl_invalid_arguments (NULL,
 * size 0; user may be NULL); dnnl_cache_blob_corrupt and
 * dnnl_cache_blob_unsupported, before the first call of callback; what callback
 * returned, if not dnnl_success. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_blob_describe(size_t size,
        const uint8_t *cache_blob, dnnl_cache_blob_part_callback_t callback,
        void *user);

/* The driver's binary of program number index (from 0) of a blob, decoded,
 * after checking that the blob is intact; needs no device: size query as above.
 * For applications that pass the binary to
 * dnnl_cache_create_program_with_binary() themselves: compare the blob's ID
 * first, which contains the device and the driver. On PoCL the binary may be a
 * finalised form itself (finalised_count without finalised_bytes): a program
 * made of it must not be asked for its binary, which ends the process.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, size 0, no such
 * program, buffer too small); dnnl_cache_blob_corrupt;
 * dnnl_cache_blob_unsupported; dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_blob_get_program_binary(size_t size,
        const uint8_t *cache_blob, uint32_t index, size_t *binary_size,
        uint8_t *binary);

/* What the driver's binary of program number index (from 0) of a blob is, for
 * people: whose, for which device if it says so, and whether it has
 * intermediate code, as in "Intel, dg2, with SPIR-V"; "": not known. Checks
 * that the blob is intact, and decodes the binary. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, size 0, no such program);
 * dnnl_cache_blob_corrupt; dnnl_cache_blob_unsupported. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_blob_get_binary_text(size_t size,
        const uint8_t *cache_blob, uint32_t index,
        char text[DNNL_CACHE_BINARY_TEXT_SIZE]);

/* The finalised form of program number index of a blob, which the engine's
 * driver loads faster than the driver's own binary, after checking that the
 * blob is intact and the form fit for the device: size query as above. Try it
 * first; if the driver refuses it, tell so by the second call, after which it
 * is not given again in this process, and use the binary, unless that is the
 * form itself (finalised_count without finalised_bytes). Statuses:
 * dnnl_success; dnnl_not_required (there is none, or none that is fit: the
 * reason is logged); dnnl_invalid_arguments (NULL, size 0, a dnnl_cpu engine,
 * no such program, buffer too small); dnnl_cache_blob_corrupt;
 * dnnl_cache_blob_unsupported; dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_engine_get_finalised_binary(
        dnnl_engine_t engine, size_t size, const uint8_t *cache_blob,
        uint32_t index, size_t *binary_size, uint8_t *binary);
dnnl_status_t DNNL_API dnnl_cache_engine_refuse_finalised_binary(
        dnnl_engine_t engine, size_t size, const uint8_t *binary);

/* clCreateProgramWithBinary() for binaries that are also loaded elsewhere at
 * the same time, in this process or another, such as binaries from a cache.
 * With most drivers it is that call, with its arguments and results; *error, if
 * error is not NULL, receives its code. With PoCL, two programs of one binary
 * use the same files, and destroying one aborts the other; so the driver gets a
 * copy with file names of its own. The program builds to the same result as the
 * binary itself. Statuses: dnnl_success; dnnl_invalid_arguments (program, sizes
 * or binaries is NULL); dnnl_unimplemented (an unknown version of PoCL, while
 * POCL_KERNEL_CACHE turns its cache off: compile instead); dnnl_out_of_memory;
 * dnnl_runtime_error, with *error CL_SUCCESS if the driver did not fail. Since
 * 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_create_program_with_binary(
        cl_program *program, cl_context context, cl_uint device_count,
        const cl_device_id *devices, const size_t *sizes,
        const unsigned char *const *binaries, cl_int *binary_status,
        cl_int *error);

/* Checks whether this engine would accept the blob, as far as device, driver
 * and library are concerned. Builds nothing and passes nothing to the driver.
 * The reason for a rejection is logged. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, size 0, a dnnl_cpu engine);
 * dnnl_cache_blob_corrupt; dnnl_cache_blob_stale; dnnl_cache_blob_unsupported;
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_blob_check(
        dnnl_engine_t engine, size_t size, const uint8_t *cache_blob);

/* Field number index (from 0) of an ID. The time of a call grows with the size
 * of the ID, because each call checks the whole ID: to read all fields, use
 * dnnl_cache_id_next_field(). Statuses: dnnl_success;
 * dnnl_not_required (no such field); dnnl_invalid_arguments (NULL, size 0, bad
 * struct_size); dnnl_cache_blob_corrupt (not an ID);
 * dnnl_cache_blob_unsupported. */
dnnl_status_t DNNL_API dnnl_cache_id_get_field(size_t size, const uint8_t *id,
        size_t index, dnnl_cache_id_field_t *field);

/* The next field of an ID, in the ID's order:
 *
 *     size_t position = 0;
 *     dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
 *     while (dnnl_cache_id_next_field(size, id, &position, &field)
 *             == dnnl_success)
 *         look_at(&field);
 *
 * *position is the caller's: 0 before the first field; each call that succeeds
 * moves it past the field that it returns. A copy of it continues from the same
 * field. It needs no release, and the library keeps nothing between the calls:
 * threads may read one ID at the same time, each with a position of its own.
 * The value points into the ID. A call with a position of 0 checks the whole
 * ID; a later one reads one field, whatever the number of fields, and needs the
 * same bytes again. Calls that fail write nothing. Statuses: dnnl_success;
 * dnnl_not_required (no more fields: the end of a loop);
 * dnnl_invalid_arguments (NULL, size 0, a position that is not of this ID, bad
 * struct_size); dnnl_cache_blob_corrupt (not an ID);
 * dnnl_cache_blob_unsupported. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_id_next_field(size_t size, const uint8_t *id,
        size_t *position, dnnl_cache_id_field_t *field);

/* The names of the ingredients in which two IDs differ, each once, separated by
 * ", ", as text with a trailing NUL: size query as above; "" if the IDs are
 * equal. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, size 0, buffer
 * too small); dnnl_cache_blob_corrupt (one of them is not an ID);
 * dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_id_diff(size_t size_a, const uint8_t *id_a,
        size_t size_b, const uint8_t *id_b, size_t *size, char *names);

/* ==== Attached stores ===================================================== */
/*
 * With an attached store, nothing else in an application changes: engines and
 * programs, those of primitives included, are looked for in memory, then in the
 * store, and are then compiled and offered to the store. The store gets engine
 * blobs under engine IDs and program blobs under program IDs, so primitives
 * that share a program store it once.
 *
 * Programs of primitives are offered when they are created, programs of the
 * application when they are captured or leave memory, which usually is when the
 * last engine of their context is destroyed. If the process ends before, they
 * are not offered. Where a capture is costly (PoCL) and the store has a journal
 * (callback note), programs whose launches the application reports
 * (dnnl_cache_program_note_launch()) are noted there and not captured:
 * "dnnl-cache refresh" and dnnl_cache_capture_all() make their entries. A
 * program is offered only to the store that its engine had when it was
 * compiled. What is found in memory or created from a blob is not offered; what
 * a store's blob lacks is noted.
 *
 * Where machine code is made of a driver's binary (NVIDIA, docs/FINALISERS.md),
 * the store gets the binary when the program is captured, and the entry with
 * its machine code follows: put() is then called by a thread of the library's,
 * when nothing has been compiled for a moment, or by the thread that detaches
 * the store, destroys the last engine of a context, or ends the process.
 *
 * All other callbacks run on the calling thread, with no lock of the library
 * held. A store that fails counts as a miss. Entries that are damaged, or of
 * another driver, are removed, compiled and replaced. Entries of a newer
 * library stay, and in cached-only mode all entries stay.
 *
 * A callback may use the library, and detach and replace stores. What it asks
 * for comes from memory or the compiler: on a thread that is in a store's
 * callback, no store is called, and what is created or captured there is not
 * offered. The program that get(), release() or remove() was called for, and
 * its primitive, cannot be created there: dnnl_runtime_error (in cached-only
 * mode dnnl_cache_miss). A callback must return. It must not wait for another
 * thread that needs that program, nor use an engine whose handle was released.
 */

/* Attaches a store to the process, for every engine without a store of its own;
 * NULL detaches it. The struct is copied. A store that was detached or replaced
 * is not called by calls that begin later, nor by a thread of the library's,
 * which this call waits for, though calls in progress may still call it. This
 * call first completes the store's entries, for ten seconds at most. Programs
 * that would have been offered to it are not offered to another. Attaching the
 * attached store again changes nothing. user must live until the store was
 * detached and every call that was in progress then has returned; if it is
 * never detached, until the last engine and every program are destroyed.
 * Statuses: dnnl_success; dnnl_invalid_arguments (no get or release, bad
 * struct_size); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_set_store(const dnnl_cache_store_t *store);

/* Attaches a store to one engine, in place of the process's; NULL detaches it,
 * and the engine uses the process's again. (For an engine without any store,
 * attach one whose get() returns dnnl_cache_miss, without put and remove.)
 * Statuses: as above, and dnnl_invalid_arguments (engine NULL or dnnl_cpu). */
dnnl_status_t DNNL_API dnnl_cache_engine_set_store(
        dnnl_engine_t engine, const dnnl_cache_store_t *store);

/* Loads programs and the engine's facts from its store into memory, with a
 * single call of get_many (else one get each), so that later creations find
 * them there. Use it for a start with a known working set: the IDs that the
 * store was asked for last time. IDs of other devices or drivers and of
 * primitives are skipped. Damaged and stale blobs are removed from the store,
 * except in cached-only mode. *found (found may be NULL) receives how many of
 * the IDs are in memory now. In recompile mode, or without a store, nothing is
 * loaded. count may be 0, and ids and id_sizes may be NULL then. Loading takes
 * place on the calling thread; several threads may share the IDs. Objects
 * created later count as memory hits, also in their creation info: their time
 * and bytes belong to this call. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, a size 0, a dnnl_cpu engine); dnnl_out_of_memory; dnnl_runtime_error.
 */
dnnl_status_t DNNL_API dnnl_cache_engine_prefetch(dnnl_engine_t engine,
        size_t count, const size_t *id_sizes, const uint8_t *const *ids,
        size_t *found);

/* ==== Digests of a driver's files ========================================= */
/*
 * A driver is identified by its files. Those without a build-id are read to the
 * end, which takes a while if they are large: 300 MB with Intel's runtime for
 * CPUs. The library writes no file, so each process reads them again, unless it
 * is given a place for their digests. A layer or a cache that has one attaches
 * it here: include/dnnl_cache/file_digests.h is a file in the user's cache
 * folder.
 *
 * The library asks only for files on file systems with reliable change times
 * and inode numbers, and gives only digests of files that had not been changed
 * for two seconds and did not change while they were read (docs/IDENTITY.md).
 * A digest decides which driver a process takes for its own: it must come from
 * a place that only this user can write to.
 */

/* Size of a digest: a tree of BLAKE2b-256, in which every byte counts. */
#define DNNL_CACHE_FILE_DIGEST_SIZE 32

/* Callbacks; any thread may call them, with no lock of the library held. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    void *user;         /* passed to each */
    /* Writes the digest that was put under exactly this key. Statuses:
     * dnnl_success; all others mean that there is none. */
    dnnl_status_t (*get)(void *user, size_t key_size, const uint8_t *key,
            uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE]);
    /* Keeps a digest. The status is ignored. */
    dnnl_status_t (*put)(void *user, size_t key_size, const uint8_t *key,
            const uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE]);
    /* Called when all files of a driver were digested; may be NULL. */
    void (*flush)(void *user);
} dnnl_cache_file_digests_t;

/* The initial value of a dnnl_cache_file_digests_t. */
#define DNNL_CACHE_FILE_DIGESTS_INIT                              \
    {                                                             \
        sizeof(dnnl_cache_file_digests_t), NULL, NULL, NULL, NULL \
    }

/* Where the process's digests are from now on; NULL: nowhere. The struct is
 * copied. What it points to must stay as long as any call may be in progress.
 * Statuses: dnnl_success; dnnl_invalid_arguments (no get or put, bad
 * struct_size). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_set_file_digests(
        const dnnl_cache_file_digests_t *digests);

/* Reads the file of a key to its end, to verify what is kept. Statuses:
 * dnnl_success, with the digest; dnnl_cache_blob_stale (the file is not there,
 * cannot be read, or has changed: nothing will ask for the key again);
 * dnnl_invalid_arguments (NULL, not a key); dnnl_out_of_memory. A key is a text
 * without a NUL: what comes before its first blank names the system's boot, and
 * what begins with its first '/' is the file's path. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_digest_file(size_t key_size,
        const uint8_t *key, uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE]);

/* ==== Statistics ========================================================== */

/* Counters since the process started, of all engines together; those of
 * primitives are 0 in a library without primitives. Each ID that a store is
 * asked for, by get() or get_many(), is one hit or one miss.
 *
 * In memory: a hit found the object, a wait found that another thread was
 * building it, and a miss found neither. Builds are attempts to create it, from
 * any source, and failures are the builds that failed; what cached-only mode
 * rejects is neither. Evictions are objects that were removed because of a
 * limit, or because memory ran out; an object that was never added does not
 * count. Kernels are looked up by program and name, fast kernels by descriptor
 * and name: if a fast kernel is not found, its program and its kernel are
 * looked up. */
typedef struct {
    size_t struct_size;           /* sizeof the struct */
    uint64_t primitive_entries;   /* in the primitive cache now */
    uint64_t primitive_hits;      /* primitives found in memory */
    uint64_t primitive_misses;    /* primitives not found in memory */
    uint64_t primitive_waits;     /* another thread was building it */
    uint64_t primitive_evictions; /* primitives removed for a limit */
    uint64_t program_hits;        /* programs found in memory */
    uint64_t program_misses;      /* programs not found in memory */
    uint64_t programs_compiled;   /* from source; engines' probes included,
                                     which are not look-ups */
    uint64_t programs_loaded;     /* from blobs */
    uint64_t blobs_rejected;      /* corrupt, stale or unsupported */
    uint64_t compile_ns;          /* spent in the driver compiling */
    uint64_t load_ns;             /* spent in the driver loading binaries */
    uint64_t store_hits;          /* blobs used from attached stores */
    uint64_t store_misses;        /* not there, refused, or get() failed */
    uint64_t store_puts;          /* that succeeded */
    uint64_t store_failures;      /* calls of a store that failed */
    uint64_t primitive_builds;    /* attempts to create one */
    uint64_t primitive_failures;  /* attempts that failed */
    uint64_t program_entries;     /* in memory now, in all contexts */
    uint64_t program_bytes;       /* of their binaries, as far as the sizes are
                                     known: always while there is a limit (which
                                     each context has), else only of programs
                                     loaded from a blob, or created while there
                                     was a limit */
    uint64_t program_waits;       /* another thread was building it */
    uint64_t program_builds;      /* attempts to create one */
    uint64_t program_failures;    /* attempts that failed */
    uint64_t program_evictions;   /* programs removed for a limit */
    uint64_t kernel_entries;      /* in memory now, in all contexts */
    uint64_t kernel_hits;         /* kernels found in memory */
    uint64_t kernel_misses;       /* kernels not found in memory */
    uint64_t kernel_waits;        /* another thread was building it */
    uint64_t kernel_builds;       /* attempts to create one */
    uint64_t kernel_failures;     /* attempts that failed */
    uint64_t kernel_evictions;    /* kernels removed for a limit */
    uint64_t fast_kernel_entries; /* in memory now, in all contexts */
    uint64_t fast_kernel_hits;    /* fast kernels found in memory */
    uint64_t fast_kernel_misses;  /* fast kernels not found in memory */
    uint64_t fast_kernel_waits;   /* another thread was building it */
    uint64_t fast_kernel_evictions; /* fast kernels removed for a limit */
    uint64_t saved_ns; /* for each hit in memory, the time of the call that
                          created the object, with all that it had to create
                          first: as if each hit had built the object again.
                          Nothing for hits in a store: blobs do not say how
                          long compiling took */
    uint64_t programs_incomplete; /* loaded, but what they were used for was not
                                     all in the blob; a launch compiled */
    uint64_t store_notes;         /* that journals of stores took */
    uint64_t finalised_made;    /* forms that finalisers made (FINALISERS.md) */
    uint64_t finalised_loaded;  /* programs loaded from one */
    uint64_t finalised_refused; /* forms that the driver refused */
} dnnl_cache_statistics_t;

/* The initial value of a dnnl_cache_statistics_t: struct_size is set, all
 * else is 0. */
#define DNNL_CACHE_STATISTICS_INIT                                             \
    {                                                                          \
        sizeof(dnnl_cache_statistics_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
                0, 0, 0, 0, 0, 0, 0, 0, 0                                      \
    }

/* Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad struct_size);
 * dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_get_statistics(
        dnnl_cache_statistics_t *statistics);

/* The same as text: a JSON object with the objects primitives, programs,
 * finalised, kernels, fast_kernels and stores, whose members have the names
 * above without their first part (blobs_rejected, compile_ns and load_ns are in
 * programs), and saved_ns. Size query as above, in bytes with the trailing NUL:
 * the answer leaves room for any later numbers, and the call that writes sets
 * the size of the text. Statuses: dnnl_success; dnnl_invalid_arguments (NULL,
 * buffer too small); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_get_statistics_json(size_t *size, char *json);

#ifdef __cplusplus
}
#endif

#include "dnnl_cache_absent.h"

#endif /* DNNL_CACHE_H */
