/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: a device with a context. */
#ifndef DNNL_CACHE_ENGINE_H
#define DNNL_CACHE_ENGINE_H

#include "dnnl_cache/blob_info.h"
#include "dnnl_cache/creation_info.h"
#include "dnnl_cache/objects.h"
#include "dnnl_cache/opencl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* The cache blob ID of engines of a device: a size query. It needs no
 * engine, no context and no compilation. A sub-device has its parent's ID. Size
 * 0 if the device cannot be identified: then engine blobs are empty, too.
 * Statuses: dnnl_success; dnnl_invalid_arguments (device or size NULL, buffer
 * too small); dnnl_out_of_memory; dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_get_cache_blob_id(
        cl_device_id device, size_t *size, uint8_t *cache_blob_id);

/* The engine's cache blob: the facts that compiling a probe kernel revealed,
 * less than a kilobyte. Compiles the probe if this engine has not done so yet.
 * A size query; size 0 if there is nothing to cache. Statuses:
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

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_ENGINE_H */
