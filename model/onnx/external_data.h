/* SPDX-License-Identifier: Apache-2.0 */
/*
 * external_data.h: the numbers of a tensor in a file beside the model's.
 */
#ifndef DNNL_CACHE_MODEL_ONNX_EXTERNAL_DATA_H
#define DNNL_CACHE_MODEL_ONNX_EXTERNAL_DATA_H

#include "model/onnx/onnx_message.h"
#include "src/platform/library.h"

/* Finds exactly `size` bytes, not 0, where a TensorProto says they are: in a
 * regular file in the folder (NULL: there must be none) or in folders below it;
 * never elsewhere, also if links lead there. Nothing is read. `what` is for
 * messages. */
struct external_place {
    char path[path_size]; /* by which the message names the file */
    uint64_t offset;
};
bool external_data_find(struct external_place *place, size_t size,
        const Onnx__TensorProto *message, const char *folder, const char *what,
        struct failure *failure);

/* Opens the file of a place, of which the folder is the same, and looks whether
 * it has so many bytes there; NULL after a failure. */
struct byte_source *external_data_open(const struct external_place *place,
        const char *folder, const char *what, struct failure *failure);
bool external_data_check(const struct external_place *place, size_t size,
        const struct byte_source *source, const char *what,
        struct failure *failure);

#endif /* DNNL_CACHE_MODEL_ONNX_EXTERNAL_DATA_H */
