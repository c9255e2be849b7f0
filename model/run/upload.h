/* SPDX-License-Identifier: Apache-2.0 */
/* upload.h: how the constants of a plan come to its device. */
#ifndef DNNL_CACHE_MODEL_RUN_UPLOAD_H
#define DNNL_CACHE_MODEL_RUN_UPLOAD_H

#include "model/run/buffers.h"

/* Brings the constants to the device, once, and waits for the end. What is
 * still in the model's file is read by so many threads: to where it stays if
 * the device shares the host's memory, else part by part to the device, so that
 * the host has memory for a few parts only. Of a device that shares the host's
 * memory constants that stay as they are are used where they lie, so the graph
 * must live on. Any thread may do this while others use the library. */
bool upload_constants(
        struct buffers *buffers, int threads, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_RUN_UPLOAD_H */
