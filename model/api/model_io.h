/* SPDX-License-Identifier: Apache-2.0 */
/* model_io.h: elements between the caller and the device. */
#ifndef DNNL_CACHE_MODEL_API_MODEL_IO_H
#define DNNL_CACHE_MODEL_API_MODEL_IO_H

#include "model/api/model.h"

/* The elements of an input as the device has them, which the caller frees. */
void *model_io_to_device(
        struct dnnl_cache_model *model, int i, const void *data);

/* A view's elements as the model has them. */
bool model_io_from_device(struct dnnl_cache_model *model, int number,
        const struct view *view, bool is_half, void *data);

bool model_io_read_output(struct dnnl_cache_model *model, int i, void *data);

/* Enqueue what a port is bound to. Elements that need a conversion are kept
 * until the run is over. */
bool model_io_submit_input(struct dnnl_cache_model *model, int i);
bool model_io_submit_output(struct dnnl_cache_model *model, int i);

#endif /* DNNL_CACHE_MODEL_API_MODEL_IO_H */
