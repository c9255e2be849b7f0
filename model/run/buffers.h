/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffers.h: a plan's memory on a device: one buffer for each constant and
 * each input, and one, the arena, for all activations.
 */
#ifndef DNNL_CACHE_MODEL_RUN_BUFFERS_H
#define DNNL_CACHE_MODEL_RUN_BUFFERS_H

#include "model/plan/plan.h"

/* Calls return OpenCL's error codes. */
struct buffers {
    const struct plan *plan;
    cl_context context;     /* borrowed */
    cl_command_queue queue; /* of its own: uploads may run beside others' */
    bool is_host_memory;    /* the device's memory is the host's */
    cl_mem arena;           /* NULL: no activations */
    cl_mem *mems;           /* by buffer; NULL: none of its own */
};

/* Does any step, or the model's user, need it? upload.h brings the constants
 * among them. */
bool buffer_is_needed(const struct buffer *b);

/* buffers_fini() is due in any case. */
cl_int buffers_init(struct buffers *buffers, const struct plan *plan,
        cl_context context, cl_device_id device);

/* Allocates what needs no data, activations and inputs, once. */
cl_int buffers_allocate(struct buffers *buffers);

/* The memory that a view is in. */
cl_mem buffers_of(const struct buffers *buffers, const struct view *view);

/* Where a view's first element begins there, in bytes. */
size_t buffers_begin(const struct buffers *buffers, const struct view *view);

/* Copies a view's elements, in order; what was submitted to other queues must
 * be over, and what is submitted to them afterwards finds what was written.
 * data has layout_count() of them, floats (also for halves), doubles or
 * int64_t. Writing is for
 * dense views. */
cl_int buffers_read(
        const struct buffers *buffers, const struct view *view, void *data);
cl_int buffers_write(
        struct buffers *buffers, const struct view *view, const void *data);

/* A zeroed one is fine. */
void buffers_fini(struct buffers *buffers);

#endif /* DNNL_CACHE_MODEL_RUN_BUFFERS_H */
