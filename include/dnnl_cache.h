/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache.h: start OpenCL programs warm.
 *
 * Every program, engine and primitive has a cache blob ID (bytes that identify
 * it, known before anything is compiled), a cache blob (one opaque record of
 * what was compiled) and a creation call that takes the blob and compiles
 * nothing. The library stores nothing; the application does, or a store that it
 * attaches. With a folder for one, most applications need eleven calls:
 *
 *   #include <dnnl_cache.h>
 *   #include <dnnl_cache/persistent_cache.h>
 *
 *   dnnl_cache_set_log_callback(callback, user);          what goes wrong
 *   dnnl_cache_persistent_set_dir(dir);                   once, at the start
 *   dnnl_ocl_interop_engine_create(&engine, device, context);
 *   dnnl_cache_program_desc_create(&desc, engine, 1, &source, NULL, options);
 *   dnnl_cache_program_create(&program, desc);            loads, or compiles
 *   dnnl_cache_program_desc_destroy(desc);
 *   dnnl_cache_program_get_creation_info(program, &info); which of the two
 *   dnnl_cache_program_get_kernel(program, "name", &kernel);
 *   clEnqueueNDRangeKernel(...);
 *   dnnl_cache_program_note_launch(program, "name", ...);
 *   dnnl_cache_engine_capture(engine, NULL, NULL, NULL);     when there is time
 *   dnnl_cache_program_destroy(program);
 *
 * Functions named dnnl_* are oneDNN's, 3.8 to 3.13: same names, signatures and
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
 *   - A struct whose first member is struct_size gets its initial value from
 *     its _INIT macro. It grows at its end only; what a caller of an older
 *     release does not have is 0.
 *   - A driver's failure is reported as dnnl_out_of_memory if the driver says
 *     so, else as dnnl_runtime_error; the details go to the log callback.
 */
#ifndef DNNL_CACHE_H
#define DNNL_CACHE_H

/* ---- The core ------------------------------------------------------------ */

#include "dnnl_cache/base.h"    /* statuses, versions as numbers */
#include "dnnl_cache/engine.h"  /* a device with a context */
#include "dnnl_cache/library.h" /* versions, statuses as text, the log */
#include "dnnl_cache/program.h" /* create, get a kernel, note, capture */

/* ---- More on programs ---------------------------------------------------- */

#include "dnnl_cache/build_queue.h"   /* builds in the background */
#include "dnnl_cache/creation_info.h" /* what happened at a creation */
#include "dnnl_cache/includes.h"      /* of who resolves them himself */
#include "dnnl_cache/kernel.h"        /* kernels by name, kept in memory */
#include "dnnl_cache/program_desc.h"  /* IL, headers, constants, own keys */
#include "dnnl_cache/statistics.h"    /* counters of the process */

/* ---- Blobs, stores, drivers ---------------------------------------------- */

#include "dnnl_cache/blob.h"            /* IDs and blobs by hand */
#include "dnnl_cache/driver_files.h"    /* what a driver is identified by */
#include "dnnl_cache/store_callbacks.h" /* a store that engines ask */

/* ---- oneDNN's calls ------------------------------------------------------ */

#include "dnnl_cache/onednn/memory.h" /* tensors; names of enumerators */
#include "dnnl_cache/onednn/stream.h" /* queues */
#if DNNL_CACHE_PRIMITIVES
#include "dnnl_cache/onednn/attributes.h"     /* scales, post-ops ... */
#include "dnnl_cache/onednn/primitive.h"      /* operations, executed */
#include "dnnl_cache/onednn/primitive_desc.h" /* operations, described */
#endif
#include "dnnl_cache/onednn/absent.h" /* declared, and always refused */

/* Not here, for who writes a layer or a tool: dnnl_cache/sys/layer.h. */

#endif /* DNNL_CACHE_H */
