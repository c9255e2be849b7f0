/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_message.h: the messages of ONNX, from bytes that nobody vouches for.
 * protobuf-c makes structs of them, but goes as deep and takes as much memory
 * as the bytes say; so they are looked through first.
 */
#ifndef DNNL_CACHE_LOADER_ONNX_MESSAGE_H
#define DNNL_CACHE_LOADER_ONNX_MESSAGE_H

#include "failure.h"
#include <onnx.pb-c.h>

#include <stddef.h>
#include <stdint.h>

/* Each for the caller to end with onnx_*_proto__free_unpacked(). NULL, and why,
 * if bytes are no such message or a too large one. */
Onnx__ModelProto *onnx_message_model(
        const uint8_t *bytes, size_t size, struct failure *failure);
Onnx__TensorProto *onnx_message_tensor(
        const uint8_t *bytes, size_t size, struct failure *failure);

#endif /* DNNL_CACHE_LOADER_ONNX_MESSAGE_H */
