/* SPDX-License-Identifier: Apache-2.0 */
/*
 * external_data.h: the numbers of a tensor in a file beside the model's.
 */
#ifndef DNNL_CACHE_LOADER_EXTERNAL_DATA_H
#define DNNL_CACHE_LOADER_EXTERNAL_DATA_H

#include "onnx_message.h"

/* Reads exactly `size` bytes, not 0, from where a TensorProto says they are: a
 * regular file in the folder (NULL: there must be none) or in folders below it;
 * never elsewhere, also if links lead there. The caller frees them. `what` is
 * for messages. */
bool external_data_read(void **bytes, size_t size,
        const Onnx__TensorProto *message, const char *folder, const char *what,
        struct failure *failure);

#endif /* DNNL_CACHE_LOADER_EXTERNAL_DATA_H */
