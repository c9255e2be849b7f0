/* SPDX-License-Identifier: Apache-2.0 */
#include "model/onnx/onnx_message.h"

#include "model/graph/deferred.h"
#include "src/common/byte_order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A graph of an If in another one's is 3 deeper. protobuf-c needs more than a
 * kilobyte of stack for each. */
enum { most_depth = 32 };
/* In memory a message takes some hundred bytes and a field some dozens, however
 * few it has in the file. Large networks have some ten thousand of them. */
enum { most_messages = 1 << 22, most_fields = 1 << 25 };

enum wire { wire_varint = 0, wire_64 = 1, wire_bytes = 2, wire_32 = 5 };

/* Fields of a TensorProto. */
enum { id_floats = 4, id_raw = 9 };

/* Fields of an outline, with the largest numbers there are: protobuf-c keeps
 * them as unknown ones. A file's own fields of these numbers are left out. */
enum {
    id_floats_offset = 0x1ffffffc,
    id_floats_size = 0x1ffffffd,
    id_raw_offset = 0x1ffffffe,
    id_raw_size = 0x1fffffff
};

enum { window_size = 16 << 10 };

struct walk {
    const struct byte_source *source;
    uint64_t at;
    const uint8_t *window; /* the bytes from window_begin to window_end */
    uint64_t window_begin, window_end;
    uint8_t *room; /* for a window of a file; NULL: all bytes are in memory */
    uint32_t messages;
    uint32_t fields;
    /* The outline; is_outline false: none is made. */
    bool is_outline;
    uint8_t *out;
    size_t out_size, out_room;
    /* Of the tensor in hand. */
    bool keeps_all;
    uint32_t raws, floats, replaced;
    struct failure *failure;
};

/* ---- Reading ------------------------------------------------------------- */

/* Makes the window begin at the place in hand. */
static bool fill_window(struct walk *w)
{
    const uint64_t left = byte_source_size(w->source) - w->at;
    const size_t size = left < window_size ? (size_t)left : window_size;
    w->window_begin = w->at;
    w->window_end = w->at;
    if (!byte_source_read(w->source, w->at, size, w->room, w->failure))
        return false;
    w->window_end = w->at + size;
    return true;
}

static bool is_in_window(const struct walk *w)
{
    return w->at >= w->window_begin && w->at < w->window_end;
}

static bool walk_varint(struct walk *w, uint64_t end, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; shift < 64 && w->at < end; shift += 7) {
        if (!is_in_window(w) && !fill_window(w)) return false;
        const uint8_t byte = w->window[w->at++ - w->window_begin];
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return true;
    }
    return fail(w->failure, "not a model: a number that does not end");
}

/* ---- The outline --------------------------------------------------------- */

/* Room for more; NULL if there is none. */
static uint8_t *grow(struct walk *w, uint64_t size)
{
    if (size > SIZE_MAX / 4 - w->out_size) {
        (void)fail_out_of_memory(w->failure);
        return NULL;
    }
    const size_t needed = w->out_size + (size_t)size;
    if (needed > w->out_room) {
        size_t room = w->out_room == 0 ? window_size : 2 * w->out_room;
        if (room < needed) room = needed;
        uint8_t *moved = realloc(w->out, room);
        if (moved == NULL) {
            (void)fail_out_of_memory(w->failure);
            return NULL;
        }
        w->out = moved;
        w->out_room = room;
    }
    uint8_t *begin = w->out + w->out_size;
    w->out_size = needed;
    return begin;
}

static bool put_varint(struct walk *w, uint64_t number)
{
    uint8_t bytes[10];
    size_t size = 0;
    if (!w->is_outline) return true;
    do {
        bytes[size++] = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number != 0);
    uint8_t *to = grow(w, size);
    if (to != NULL) memcpy(to, bytes, size);
    return to != NULL;
}

static bool put_fixed(struct walk *w, uint32_t id, uint64_t number)
{
    uint8_t *to = put_varint(w, (uint64_t)id << 3 | wire_64)
                          ? grow(w, sizeof number)
                          : NULL;
    if (to != NULL) store_le64(to, number);
    return to != NULL;
}

/* Copies so many bytes, or goes past them if there is no outline. */
static bool copy(struct walk *w, uint64_t size)
{
    if (w->is_outline) {
        uint8_t *to = grow(w, size);
        if (to == NULL
                || !byte_source_read(
                        w->source, w->at, (size_t)size, to, w->failure))
            return false;
    }
    w->at += size;
    return true;
}

/* The length of a message is known at its end: it has room for 5 bytes, which
 * protobuf-c reads whatever the number is. */
enum { length_size = 5 };

static bool end_length(struct walk *w, size_t at)
{
    const size_t length = w->out_size - at - length_size;
    if (!w->is_outline) return true;
    if (length > INT_MAX)
        return fail(w->failure, "a message of %zu bytes", length);
    for (unsigned i = 0; i < length_size; i++)
        w->out[at + i] = (uint8_t)((length >> 7 * i & 0x7f)
                                   | (i + 1 < length_size ? 0x80 : 0));
    return true;
}

/* Counts what protobuf-c makes one of, of which only a single one is replaced;
 * true if this one is. */
static bool is_replaced(struct walk *w, const ProtobufCMessageDescriptor *type,
        uint64_t tag, uint64_t size)
{
    const uint64_t id = tag >> 3;
    if (!w->is_outline || type != &onnx__tensor_proto__descriptor) return false;
    w->raws += id == id_raw;
    w->floats += id == id_floats;
    return (id == id_raw || id == id_floats) && (tag & 7) == wire_bytes
           && size >= deferred_least_bytes && !w->keeps_all;
}

static bool replace(struct walk *w, uint64_t id, uint64_t size)
{
    const bool is_raw = id == id_raw;
    const uint64_t offset = w->at;
    w->replaced++;
    w->at += size;
    return put_fixed(w, is_raw ? id_raw_offset : id_floats_offset, offset)
           && put_fixed(w, is_raw ? id_raw_size : id_floats_size, size);
}

/* ---- Messages ------------------------------------------------------------ */

static bool walk_message(struct walk *w, uint64_t end,
        const ProtobufCMessageDescriptor *type, int depth);

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

/* A tensor that has a field more than once is copied as it is. */
static bool walk_inner(struct walk *w, uint64_t size,
        const ProtobufCMessageDescriptor *type, int depth)
{
    const uint64_t begin = w->at;
    const size_t out = w->out_size;
    const bool is_tensor = type == &onnx__tensor_proto__descriptor;
    if (is_tensor) w->raws = w->floats = w->replaced = 0;
    if (w->is_outline && grow(w, length_size) == NULL) return false;
    if (!walk_message(w, begin + size, type, depth)) return false;
    if (is_tensor && w->replaced > 0 && (w->raws > 1 || w->floats > 1)) {
        w->at = begin;
        w->out_size = out + length_size;
        w->keeps_all = true;
        const bool ok = walk_message(w, begin + size, type, depth);
        w->keeps_all = false;
        if (!ok) return false;
    }
    return end_length(w, out);
}

static bool walk_bytes(struct walk *w, uint64_t end, uint64_t tag,
        const ProtobufCMessageDescriptor *type, int depth)
{
    uint64_t size;
    const ProtobufCMessageDescriptor *inner = message_of(type, tag >> 3);
    if (!walk_varint(w, end, &size)) return false;
    if (size > end - w->at)
        return fail(w->failure,
                "not a model, or cut: %llu bytes of a field, %llu are left",
                (unsigned long long)size, (unsigned long long)(end - w->at));
    if (is_replaced(w, type, tag, size)) return replace(w, tag >> 3, size);
    if (!put_varint(w, tag)) return false;
    if (inner != NULL) return walk_inner(w, size, inner, depth + 1);
    return put_varint(w, size) && copy(w, size);
}

static bool walk_number(struct walk *w, uint64_t end, uint64_t tag,
        const ProtobufCMessageDescriptor *type)
{
    const uint64_t size = (tag & 7) == wire_64 ? 8 : 4;
    uint64_t number;
    (void)is_replaced(w, type, tag, 0);
    if (!put_varint(w, tag)) return false;
    if ((tag & 7) == wire_varint)
        return walk_varint(w, end, &number) && put_varint(w, number);
    if ((tag & 7) != wire_32 && (tag & 7) != wire_64)
        return fail(w->failure, "not a model of ONNX: no field is of kind %d",
                (int)(tag & 7));
    if (size > end - w->at)
        return fail(w->failure,
                "not a model, or cut: %llu bytes of a field, %llu are left",
                (unsigned long long)size, (unsigned long long)(end - w->at));
    return copy(w, size);
}

static bool walk_field(struct walk *w, uint64_t end,
        const ProtobufCMessageDescriptor *type, int depth)
{
    uint64_t tag;
    const size_t out = w->out_size;
    if (++w->fields > most_fields)
        return fail(w->failure, "more than %d fields", (int)most_fields);
    if (!walk_varint(w, end, &tag)) return false;
    if (tag > UINT32_MAX)
        return fail(w->failure, "not a model: no field has number %llu",
                (unsigned long long)(tag >> 3));
    const bool ok = (tag & 7) == wire_bytes
                            ? walk_bytes(w, end, tag, type, depth)
                            : walk_number(w, end, tag, type);
    if (ok && w->is_outline && tag >> 3 >= id_floats_offset) w->out_size = out;
    return ok;
}

static bool walk_message(struct walk *w, uint64_t end,
        const ProtobufCMessageDescriptor *type, int depth)
{
    if (++w->messages > most_messages)
        return fail(w->failure, "more than %d messages", (int)most_messages);
    if (depth == most_depth)
        return fail(w->failure,
                "more than %d messages in each other, the last one a %s (a "
                "graph of an If or a Loop in another one's is three)",
                (int)most_depth, type->short_name);
    while (w->at < end)
        if (!walk_field(w, end, type, depth)) return false;
    return true;
}

static bool walk_source(struct walk *w, const ProtobufCMessageDescriptor *type)
{
    const uint64_t size = byte_source_size(w->source);
    if (size == 0) return fail(w->failure, "the file is empty");
    w->window = byte_source_memory(w->source);
    w->window_end = size;
    if (w->window == NULL) {
        w->window = w->room = malloc(window_size);
        w->window_end = 0;
        if (w->room == NULL) return fail_out_of_memory(w->failure);
    }
    const bool ok = walk_message(w, size, type, 0);
    free(w->room);
    return ok;
}

static ProtobufCMessage *unpack(const ProtobufCMessageDescriptor *type,
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    ProtobufCMessage *message =
            protobuf_c_message_unpack(type, NULL, size, bytes);
    if (message == NULL)
        (void)fail(failure, "no message of %s, or out of memory", type->name);
    return message;
}

static ProtobufCMessage *check_and_unpack(
        const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
        size_t size, struct failure *failure)
{
    struct byte_source *source = byte_source_borrow(bytes, size, failure);
    struct walk walk = {.source = source, .failure = failure};
    const bool ok = source != NULL && walk_source(&walk, type);
    byte_source_release(source);
    return ok ? unpack(type, bytes, size, failure) : NULL;
}

Onnx__ModelProto *onnx_message_model(
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    return (Onnx__ModelProto *)check_and_unpack(
            &onnx__model_proto__descriptor, bytes, size, failure);
}

Onnx__TensorProto *onnx_message_tensor(
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    return (Onnx__TensorProto *)check_and_unpack(
            &onnx__tensor_proto__descriptor, bytes, size, failure);
}

/* ---- Outlines ------------------------------------------------------------ */

uint8_t *onnx_message_outline(
        struct byte_source *source, size_t *size, struct failure *failure)
{
    struct walk walk = {
            .source = source, .is_outline = true, .failure = failure};
    const bool ok = walk_source(&walk, &onnx__model_proto__descriptor);
    *size = walk.out_size;
    if (ok) return walk.out;
    free(walk.out);
    return NULL;
}

Onnx__ModelProto *onnx_message_of_outline(
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    return (Onnx__ModelProto *)unpack(
            &onnx__model_proto__descriptor, bytes, size, failure);
}

static bool find_fixed(
        const Onnx__TensorProto *tensor, uint32_t id, uint64_t *number)
{
    const ProtobufCMessage *message = &tensor->base;
    bool is_there = false;
    for (unsigned i = 0; i < message->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *field = &message->unknown_fields[i];
        if (field->tag != id || field->len != sizeof *number) continue;
        *number = load_le64(field->data);
        is_there = true;
    }
    return is_there;
}

bool onnx_message_find_raw(
        const Onnx__TensorProto *tensor, struct onnx_message_place *place)
{
    return find_fixed(tensor, id_raw_offset, &place->offset)
           && find_fixed(tensor, id_raw_size, &place->size);
}

bool onnx_message_find_floats(
        const Onnx__TensorProto *tensor, struct onnx_message_place *place)
{
    return find_fixed(tensor, id_floats_offset, &place->offset)
           && find_fixed(tensor, id_floats_size, &place->size);
}
