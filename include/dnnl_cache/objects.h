/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h: the handles of all objects, and when they may be compiled. */
#ifndef DNNL_CACHE_OBJECTS_H
#define DNNL_CACHE_OBJECTS_H

#include "dnnl_cache/base.h"

/* Kinds of engines: host memory (dnnl_cpu), and every OpenCL device, a
 * processor too (dnnl_gpu). */
typedef enum {
    dnnl_any_engine = 0,
    dnnl_cpu = 1,
    dnnl_gpu = 2
} dnnl_engine_kind_t;

/* Opaque types. Each may be used from several threads at once unless its
 * section in dnnl_cache.h says otherwise. Do not destroy one while another
 * thread uses it. */
struct dnnl_engine;
struct dnnl_stream;
struct dnnl_memory;
struct dnnl_memory_desc;
struct dnnl_primitive;
struct dnnl_primitive_desc;
struct dnnl_primitive_attr;
struct dnnl_post_ops;
struct dnnl_cache_program;
struct dnnl_cache_program_desc;
struct dnnl_cache_kernel;

/* Handles of the opaque types. The caller destroys a handle that a call
 * created; borrowed ones are named so. dnnl_cache.h describes each type. */
typedef struct dnnl_engine *dnnl_engine_t;
typedef struct dnnl_stream *dnnl_stream_t;
typedef const struct dnnl_stream *const_dnnl_stream_t;
typedef struct dnnl_memory *dnnl_memory_t;
typedef const struct dnnl_memory *const_dnnl_memory_t;
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;
typedef struct dnnl_post_ops *dnnl_post_ops_t;
typedef const struct dnnl_post_ops *const_dnnl_post_ops_t;
typedef struct dnnl_cache_program *dnnl_cache_program_t;
typedef const struct dnnl_cache_program *const_dnnl_cache_program_t;
typedef struct dnnl_cache_program_desc *dnnl_cache_program_desc_t;
typedef const struct dnnl_cache_program_desc *const_dnnl_cache_program_desc_t;
typedef struct dnnl_cache_kernel *dnnl_cache_kernel_t;
typedef const struct dnnl_cache_kernel *const_dnnl_cache_kernel_t;
typedef struct dnnl_cache_build_queue *dnnl_cache_build_queue_t;
typedef struct dnnl_cache_build_job *dnnl_cache_build_job_t;

/* What a blob is a record of. */
typedef enum {
    dnnl_cache_blob_kind_undef = 0,
    dnnl_cache_blob_kind_engine = 1,
    dnnl_cache_blob_kind_primitive = 2,
    dnnl_cache_blob_kind_program = 3
} dnnl_cache_blob_kind_t;

/* When an engine may compile. */
typedef enum {
    /* Look up, and compile what is not found. */
    dnnl_cache_compile_mode_normal = 0,
    /* Never compile: a call that would compile returns dnnl_cache_miss at once,
     * also for objects that are not cacheable (with an ID of size 0). */
    dnnl_cache_compile_mode_cached_only = 1,
    /* Ignore objects in memory and in an attached store; compile again and
     * replace them. A blob that the caller passes is still used. */
    dnnl_cache_compile_mode_recompile = 2
} dnnl_cache_compile_mode_t;

#endif /* DNNL_CACHE_OBJECTS_H */
