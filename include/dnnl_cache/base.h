/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h: statuses, versions as numbers, visibility.
 *
 * What every other header needs; knows nothing of OpenCL.
 */
#ifndef DNNL_CACHE_BASE_H
#define DNNL_CACHE_BASE_H

#include "dnnl_cache/symbols.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Visibility ---------------------------------------------------------- */

#ifndef DNNL_API
#if defined(__GNUC__)
#define DNNL_API __attribute__((visibility("default")))
#else
#define DNNL_API
#endif
#endif

/* ---- What the library was built with ------------------------------------- */

/* 0 for a library built without primitives (-DDNNL_CACHE_PRIMITIVES=OFF): calls
 * for primitives are then not declared. The library's CMake package and
 * pkg-config file define the macro; without them, define it yourself. */
#ifndef DNNL_CACHE_PRIMITIVES
#define DNNL_CACHE_PRIMITIVES 1
#endif

/* ---- Version of this library --------------------------------------------- */

/* The version of this library; dnnl_cache_version() is that of the shared
 * object. */
#define DNNL_CACHE_VERSION_MAJOR 0
#define DNNL_CACHE_VERSION_MINOR 1
#define DNNL_CACHE_VERSION_PATCH 0

/* The oneDNN version whose interface the names below follow; code for 3.8 and
 * later compiles. */
#define DNNL_VERSION_MAJOR 3
#define DNNL_VERSION_MINOR 13
#define DNNL_VERSION_PATCH 0

/* Values of dnnl_version_t::cpu_runtime and ::gpu_runtime. */
#define DNNL_RUNTIME_NONE 0u
#define DNNL_RUNTIME_SEQ 1u
#define DNNL_RUNTIME_OMP 2u
#define DNNL_RUNTIME_TBB 4u
#define DNNL_RUNTIME_THREADPOOL 8u
#define DNNL_RUNTIME_OCL 256u
#define DNNL_RUNTIME_SYCL 512u
/* An older name. */
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL

/* ---- Statuses ------------------------------------------------------------ */

/*
 * What every call returns. What the caller should do next:
 *
 * dnnl_success            continue.
 * dnnl_out_of_memory      host or device memory ran out; free some, try again.
 * dnnl_invalid_arguments  correct the call; no output was written.
 * dnnl_unimplemented      not supported for these arguments.
 * dnnl_runtime_error      the driver failed; the log callback got the details.
 * dnnl_cache_miss         the object would have to be compiled, and the compile
 *                         mode is dnnl_cache_compile_mode_cached_only.
 * dnnl_cache_blob_corrupt the bytes are not an intact cache blob: remove them
 *                         from the store and compile.
 * dnnl_cache_blob_stale   an intact blob of another driver, device, library
 *                         version or object: compile, and replace the blob.
 * dnnl_cache_blob_unsupported
 *                         an intact blob of a newer format: compile, and leave
 *                         the blob for the newer library that wrote it.
 */
typedef enum {
    dnnl_success = 0,
    dnnl_out_of_memory = 1,
    dnnl_invalid_arguments = 2,
    dnnl_unimplemented = 3,
    dnnl_last_impl_reached = 4,
    dnnl_runtime_error = 5,
    dnnl_not_required = 6,
    dnnl_invalid_graph = 7,
    dnnl_invalid_graph_op = 8,
    dnnl_invalid_shape = 9,
    dnnl_invalid_data_type = 10,

    dnnl_cache_miss = 100,
    dnnl_cache_blob_corrupt = 101,
    dnnl_cache_blob_stale = 102,
    dnnl_cache_blob_unsupported = 103
} dnnl_status_t;

/* ---- Numbers ------------------------------------------------------------- */

/* No limit, where a number of bytes is expected. */
#define DNNL_CACHE_NO_LIMIT UINT64_MAX

#endif /* DNNL_CACHE_BASE_H */
