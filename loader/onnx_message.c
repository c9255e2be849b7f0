/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_message.h"

/* A graph in a node in a graph is 3 deep, and no operator known here has one.
 * protobuf-c needs more than a kilobyte of stack for each. */
enum { most_depth = 32 };
/* In memory a message takes some hundred bytes and a field some dozens, however
 * few it has in the file. Large networks have some ten thousand of them. */
enum { most_messages = 1 << 22, most_fields = 1 << 25 };

enum wire { wire_varint = 0, wire_64 = 1, wire_bytes = 2, wire_32 = 5 };

struct walk {
    const uint8_t *at;
    uint32_t messages;
    uint32_t fields;
    struct failure *failure;
};

static bool walk_varint(struct walk *w, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; shift < 64 && w->at < end; shift += 7) {
        uint8_t byte = *w->at++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return true;
    }
    return fail(w->failure, "not a model: a number that does not end");
}

/* What the message is that a field holds; NULL if it holds none. */
static const ProtobufCMessageDescriptor *message_of(
        const ProtobufCMessageDescriptor *type, uint64_t id)
{
    for (unsigned i = 0; i < type->n_fields; i++)
        if (type->fields[i].id == id)
            return type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE
                           ? type->fields[i].descriptor
                           : NULL;
    return NULL;
}

/* Goes past a field's value. If it is a message, *inner is its type and
 * *inner_end its end, and the walk is at its beginning. */
static bool walk_value(struct walk *w, const uint8_t *end, uint64_t tag,
        const ProtobufCMessageDescriptor *type,
        const ProtobufCMessageDescriptor **inner, const uint8_t **inner_end)
{
    uint64_t size = 0;
    *inner = NULL;
    switch (tag & 7) {
    case wire_varint:
        return walk_varint(w, end, &size);
    case wire_64:
        size = 8;
        break;
    case wire_32:
        size = 4;
        break;
    case wire_bytes:
        if (!walk_varint(w, end, &size)) return false;
        *inner = message_of(type, tag >> 3);
        break;
    default:
        return fail(w->failure, "not a model: no field is of kind %d",
                (int)(tag & 7));
    }
    if (size > (uint64_t)(end - w->at))
        return fail(w->failure,
                "not a model, or cut: %llu bytes of a field, %lld are left",
                (unsigned long long)size, (long long)(end - w->at));
    *inner_end = w->at + size;
    if (*inner == NULL) w->at += size;
    return true;
}

static bool walk_message(struct walk *w, const uint8_t *end,
        const ProtobufCMessageDescriptor *type, int depth)
{
    if (depth == most_depth || ++w->messages > most_messages)
        return fail(w->failure, "more than %d messages, or %d in each other",
                (int)most_messages, (int)most_depth);
    while (w->at < end) {
        const ProtobufCMessageDescriptor *inner = NULL;
        const uint8_t *inner_end = end;
        uint64_t tag;
        if (++w->fields > most_fields)
            return fail(w->failure, "more than %d fields", (int)most_fields);
        if (!walk_varint(w, end, &tag)
                || !walk_value(w, end, tag, type, &inner, &inner_end))
            return false;
        if (inner != NULL && !walk_message(w, inner_end, inner, depth + 1))
            return false;
    }
    return true;
}

static ProtobufCMessage *unpack(const ProtobufCMessageDescriptor *type,
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    struct walk walk = {.at = bytes, .failure = failure};
    if (size == 0) {
        (void)fail(failure, "the file is empty");
        return NULL;
    }
    if (!walk_message(&walk, bytes + size, type, 0)) return NULL;
    ProtobufCMessage *message =
            protobuf_c_message_unpack(type, NULL, size, bytes);
    if (message == NULL)
        (void)fail(failure, "no message of %s, or out of memory", type->name);
    return message;
}

Onnx__ModelProto *onnx_message_model(
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    return (Onnx__ModelProto *)unpack(
            &onnx__model_proto__descriptor, bytes, size, failure);
}

Onnx__TensorProto *onnx_message_tensor(
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    return (Onnx__TensorProto *)unpack(
            &onnx__tensor_proto__descriptor, bytes, size, failure);
}
