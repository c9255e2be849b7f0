/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_model.h: the message of a model that onnx.h gives a name only. */
#ifndef DNNL_CACHE_MODEL_ONNX_ONNX_MODEL_H
#define DNNL_CACHE_MODEL_ONNX_ONNX_MODEL_H

#include "model/onnx/onnx.h"
#include "model/onnx/onnx_message.h"

struct onnx_model {
    struct byte_source *source; /* owned, as all of these */
    size_t outline_size;
    uint8_t *outline;
    Onnx__ModelProto *message; /* of the outline */
};

#endif /* DNNL_CACHE_MODEL_ONNX_ONNX_MODEL_H */
