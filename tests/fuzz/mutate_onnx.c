/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutates models of ONNX so that they stay messages: one field is changed,
 * dropped or said twice, however deep it is, and all that it is in gets its
 * length anew. Bytes mutated as they are hardly ever get past the first length.
 */
#include "fuzz.h"
#include "onnx.pb-c.h"

#include <stdbool.h>
#include <string.h>

enum { room = 64 }; /* that a field may grow by at once */
enum { most_depth = 32 };
enum action { action_change, action_drop, action_repeat };

struct bytes {
    uint8_t *data;
    size_t size, capacity;
    bool is_full;
};

static void put(struct bytes *to, const void *bytes, size_t size)
{
    if (size > to->capacity - to->size) to->is_full = true;
    if (to->is_full || size == 0) return;
    memcpy(to->data + to->size, bytes, size);
    to->size += size;
}

static void put_varint(struct bytes *to, uint64_t number)
{
    do {
        uint8_t byte = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        put(to, &byte, 1);
        number >>= 7;
    } while (number != 0);
}

static bool get_varint(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return true;
    }
    return false;
}

/* ---- One field ----------------------------------------------------------- */

struct field {
    uint64_t tag;
    uint64_t number;      /* of a varint */
    const uint8_t *value; /* of others */
    size_t size;
    const ProtobufCMessageDescriptor *message; /* NULL: it is none */
};

static const ProtobufCMessageDescriptor *message_of(
        const ProtobufCMessageDescriptor *type, uint64_t id)
{
    for (unsigned i = 0; type != NULL && i < type->n_fields; i++)
        if (type->fields[i].id == id
                && type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            return type->fields[i].descriptor;
    return NULL;
}

/* Reads the field at a place and goes past it. */
static bool get_field(const ProtobufCMessageDescriptor *type,
        const uint8_t **at, const uint8_t *end, struct field *field)
{
    uint64_t size = 0;
    *field = (struct field){0};
    if (!get_varint(at, end, &field->tag)) return false;
    switch (field->tag & 7) {
    case 0:
        return get_varint(at, end, &field->number);
    case 1:
        size = 8;
        break;
    case 5:
        size = 4;
        break;
    case 2:
        if (!get_varint(at, end, &size)) return false;
        field->message = message_of(type, field->tag >> 3);
        break;
    default:
        return false;
    }
    if (size > (uint64_t)(end - *at)) return false;
    field->value = *at;
    field->size = (size_t)size;
    *at += size;
    return true;
}

static void put_field(struct bytes *to, const struct field *field)
{
    put_varint(to, field->tag);
    if ((field->tag & 7) == 0)
        put_varint(to, field->number);
    else if ((field->tag & 7) == 2)
        put_varint(to, field->size);
    if ((field->tag & 7) != 0) put(to, field->value, field->size);
}

/* Changes a field's value; no message is one that is changed as a whole. */
static void put_changed(struct bytes *to, struct field field, unsigned seed)
{
    static const uint64_t numbers[] = {0, 1, 2, 3, 5, 8, 64, 255, UINT32_MAX,
            INT32_MAX, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX};
    size_t kind = field.tag & 7;
    if (kind == 0) {
        if (seed % 4 == 0)
            field.number ^= UINT64_C(1) << seed / 4 % 64;
        else if (seed % 4 == 1)
            field.number += seed / 4 % 9 - 4U;
        else
            field.number = numbers[seed / 4 % (sizeof numbers / 8)];
        put_field(to, &field);
        return;
    }
    uint8_t *copy = malloc(field.size + room);
    REQUIRE(copy != NULL);
    if (field.size != 0) memcpy(copy, field.value, field.size);
    size_t most = kind == 2 ? field.size + room : field.size;
    size_t size = LLVMFuzzerMutate(copy, field.size, most);
    field.value = copy;
    if (kind == 2 || size == field.size) field.size = size;
    put_field(to, &field);
    free(copy);
}

/* ---- All of them --------------------------------------------------------- */

struct walk {
    struct bytes *to; /* NULL: only counts */
    size_t count;     /* fields so far */
    size_t target;    /* the one that is mutated */
    enum action action;
    unsigned seed;
};

static bool walk_message(struct walk *w, const ProtobufCMessageDescriptor *type,
        const uint8_t *at, const uint8_t *end, int depth);

/* A message in a message: made apart, since its length comes first. */
static bool walk_inner(struct walk *w, const struct field *field, int depth)
{
    struct bytes *outer = w->to;
    struct bytes inner = {.capacity = field->size * 2 + room + 32};
    const uint8_t *end = field->value + field->size;
    if (outer == NULL)
        return walk_message(w, field->message, field->value, end, depth + 1);
    inner.data = malloc(inner.capacity);
    REQUIRE(inner.data != NULL);
    w->to = &inner;
    bool ok = walk_message(w, field->message, field->value, end, depth + 1)
              && !inner.is_full;
    w->to = outer;
    struct field made = *field;
    made.value = inner.data;
    made.size = inner.size;
    if (ok) put_field(outer, &made);
    free(inner.data);
    return ok;
}

static bool walk_field(struct walk *w, const struct field *field, int depth)
{
    bool is_target = w->count++ == w->target;
    if (w->to != NULL && is_target) {
        if (w->action == action_repeat) put_field(w->to, field);
        if (w->action == action_drop) return true;
        if (w->action == action_change && field->message == NULL) {
            put_changed(w->to, *field, w->seed);
            return true;
        }
    }
    if (field->message != NULL) return walk_inner(w, field, depth);
    if (w->to != NULL) put_field(w->to, field);
    return true;
}

static bool walk_message(struct walk *w, const ProtobufCMessageDescriptor *type,
        const uint8_t *at, const uint8_t *end, int depth)
{
    struct field field;
    if (depth == most_depth) return false;
    while (at < end)
        if (!get_field(type, &at, end, &field) || !walk_field(w, &field, depth))
            return false;
    return true;
}

/* The size of what was made, 0 if it is no model or has no room. */
static size_t mutate_field(
        uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    const ProtobufCMessageDescriptor *type = &onnx__model_proto__descriptor;
    struct bytes made = {.capacity = max_size};
    struct walk walk = {0};
    walk.target = SIZE_MAX;
    if (!walk_message(&walk, type, data, data + size, 0) || walk.count == 0)
        return 0;
    made.data = malloc(max_size + 1);
    REQUIRE(made.data != NULL);
    unsigned choice = seed % 8;
    walk = (struct walk){
            .to = &made,
            .target = seed / 8 % walk.count,
            .action = choice == 0   ? action_drop
                      : choice == 1 ? action_repeat
                                    : action_change,
            .seed = seed / 64,
    };
    if (walk_message(&walk, type, data, data + size, 0) && !made.is_full)
        memcpy(data, made.data, made.size);
    else
        made.size = 0;
    free(made.data);
    return made.size;
}

size_t LLVMFuzzerCustomMutator(
        uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (seed % 8 != 0) {
        size_t made = mutate_field(data, size, max_size, seed / 8);
        if (made != 0) return made;
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
