/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_message.h: the messages of ONNX, from bytes that nobody vouches for.
 * protobuf-c makes structs of them, but goes as deep and takes as much memory
 * as the bytes say; so they are looked through first.
 *
 * The numbers of large tensors do not become a part of a model's message: they
 * stay where they are, and the message says where that is.
 */
#ifndef DNNL_CACHE_MODEL_ONNX_ONNX_MESSAGE_H
#define DNNL_CACHE_MODEL_ONNX_ONNX_MESSAGE_H

#include "model/base/byte_source.h"
#include "model/base/failure.h"
#include <onnx.pb-c.h>

#include <stddef.h>
#include <stdint.h>

/* Each for the caller to end with onnx_*_proto__free_unpacked(). NULL, and why,
 * if bytes are no such message or a too large one. */
Onnx__ModelProto *onnx_message_model(
        const uint8_t *bytes, size_t size, struct failure *failure);
Onnx__TensorProto *onnx_message_tensor(
        const uint8_t *bytes, size_t size, struct failure *failure);

/* ---- Without the numbers of large tensors -------------------------------- */

/* The bytes of a message in which raw_data and float_data of large tensors are
 * replaced by their places; NULL after a failure. The caller frees them. */
uint8_t *onnx_message_outline(
        struct byte_source *source, size_t *size, struct failure *failure);

/* The message of an outline, ended as those above. */
Onnx__ModelProto *onnx_message_of_outline(
        const uint8_t *bytes, size_t size, struct failure *failure);

/* Where a field of a tensor is in the source of its outline. */
struct onnx_message_place {
    uint64_t offset, size;
};

/* False if the field was not replaced. The message must be of an outline: other
 * bytes may say anything. */
bool onnx_message_find_raw(
        const Onnx__TensorProto *tensor, struct onnx_message_place *place);
bool onnx_message_find_floats(
        const Onnx__TensorProto *tensor, struct onnx_message_place *place);

#endif /* DNNL_CACHE_MODEL_ONNX_ONNX_MESSAGE_H */
