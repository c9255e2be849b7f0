/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h: queues of work, and profiles. */
#ifndef DNNL_CACHE_ONEDNN_STREAM_H
#define DNNL_CACHE_ONEDNN_STREAM_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/onednn/types.h"
#include "dnnl_cache/opencl.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A stream is a command queue of its engine's device. Execution is
 * asynchronous; several threads may submit to one stream.
 */

/* Creates a stream with a queue of its own; flags are dnnl_stream_flags_t. With
 * dnnl_stream_profiling it keeps how long executions take, until
 * dnnl_reset_profiling() or its end. The caller destroys it. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, unknown or contradicting flags);
 * dnnl_unimplemented (out of order, on a device that supports only in order;
 * profiling, of a dnnl_cpu engine); dnnl_out_of_memory; dnnl_runtime_error.
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

#ifdef DNNL_EXPERIMENTAL_PROFILING
/* Forgets what was measured. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, a stream without profiling). (oneDNN) */
dnnl_status_t DNNL_API dnnl_reset_profiling(dnnl_stream_t stream);

/* With data NULL writes the number of executions since the last reset; else
 * writes a number for each, in their order: the nanoseconds from the begin of
 * the first of its kernels to the end of the last one; 0 without kernels.
 * Copies between host and device are not measured. Wait for the stream first.
 * *num_entries must be their number. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, a stream without profiling, another kind or
 * number); dnnl_runtime_error (an execution that has not ended, or of
 * which there was no memory to keep all kernels). (oneDNN) */
dnnl_status_t DNNL_API dnnl_query_profiling_data(dnnl_stream_t stream,
        dnnl_profiling_data_kind_t data_kind, int *num_entries, uint64_t *data);
#endif

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

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_ONEDNN_STREAM_H */
