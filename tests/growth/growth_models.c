/* SPDX-License-Identifier: Apache-2.0 */
/* What the model loader reads. */
#include "growth.h"

#include "model/command/image.h"
#include "model/command/npy.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Messages ------------------------------------------------------------ */

static void put_varint(struct out *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(out, &(uint8_t){(uint8_t)(value | 0x80)}, 1);
    put(out, &(uint8_t){(uint8_t)value}, 1);
}

static void put_number(struct out *out, unsigned field, uint64_t value)
{
    put_varint(out, field << 3);
    put_varint(out, value);
}

static void put_string(struct out *out, unsigned field, const char *text)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, strlen(text));
    put_text(out, text);
}

/* Puts a message, which is done with. */
static void put_message(struct out *out, unsigned field, struct out *message)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, message->size);
    put(out, message->data, message->size);
    free(message->data);
    *message = (struct out){NULL, 0, 0};
}

/* Ends a model. */
static void put_model(struct out *out, struct out *graph)
{
    struct out opset = {NULL, 0, 0};
    put_number(&opset, 2, 13);
    put_number(out, 1, 8);
    put_message(out, 8, &opset);
    put_message(out, 7, graph);
}

static void put_dimension(struct out *shape, const char *symbol)
{
    struct out dimension = {NULL, 0, 0};
    if (symbol != NULL)
        put_string(&dimension, 2, symbol);
    else
        put_number(&dimension, 1, 2);
    put_message(shape, 1, &dimension);
}

/* A value of one dimension: field 11 an input, 12 an output, 13 another. */
static void put_value(
        struct out *graph, unsigned field, const char *name, const char *symbol)
{
    struct out shape = {NULL, 0, 0};
    struct out tensor = {NULL, 0, 0};
    struct out type = {NULL, 0, 0};
    struct out value = {NULL, 0, 0};
    put_dimension(&shape, symbol);
    put_number(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_string(&value, 1, name);
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

static void put_initializer(struct out *graph, const char *name)
{
    struct out tensor = {NULL, 0, 0};
    put_number(&tensor, 1, 2);
    put_number(&tensor, 2, 1);
    put_string(&tensor, 8, name);
    put_varint(&tensor, 9 << 3 | 2);
    put_varint(&tensor, 8);
    put_none(&tensor, 8);
    put_message(graph, 5, &tensor);
}

static void put_node(struct out *graph, const char *input, const char *output)
{
    struct out node = {NULL, 0, 0};
    put_string(&node, 1, input);
    put_string(&node, 2, output);
    put_string(&node, 4, "Relu");
    put_message(graph, 1, &node);
}

/* ---- Models -------------------------------------------------------------- */

enum order { forwards, backwards };

/* One node after the other. */
static void make_chain_in(struct out *out, size_t wanted, enum order order)
{
    const unsigned count = (unsigned)(wanted / 24);
    struct out graph = {NULL, 0, 0};
    char from[16];
    char to[16];
    put_value(&graph, 11, "t0", NULL);
    for (unsigned i = 0; i < count; i++) {
        const unsigned at = order == forwards ? i : count - 1 - i;
        snprintf(from, sizeof from, "t%u", at);
        snprintf(to, sizeof to, "t%u", at + 1);
        put_node(&graph, from, to);
    }
    snprintf(to, sizeof to, "t%u", count);
    put_value(&graph, 12, to, NULL);
    put_model(out, &graph);
}

static void make_chain(struct out *out, size_t wanted)
{
    make_chain_in(out, wanted, forwards);
}

static void make_chain_backwards(struct out *out, size_t wanted)
{
    make_chain_in(out, wanted, backwards);
}

/* All of one tensor, each an output. */
static void make_fan(struct out *out, size_t wanted)
{
    struct out graph = {NULL, 0, 0};
    char to[16];
    put_value(&graph, 11, "x", NULL);
    for (unsigned i = 0; graph.size < wanted; i++) {
        snprintf(to, sizeof to, "t%u", i);
        put_node(&graph, "x", to);
        put_value(&graph, 12, to, NULL);
    }
    put_model(out, &graph);
}

/* Nodes that nothing needs. */
static void make_unused(struct out *out, size_t wanted)
{
    struct out graph = {NULL, 0, 0};
    char to[16];
    put_value(&graph, 11, "x", NULL);
    for (unsigned i = 0; graph.size < wanted; i++) {
        snprintf(to, sizeof to, "t%u", i);
        put_node(&graph, "x", to);
    }
    put_value(&graph, 12, "t0", NULL);
    put_model(out, &graph);
}

static void make_inputs_of(struct out *out, size_t wanted, bool has_symbols)
{
    struct out graph = {NULL, 0, 0};
    char name[16];
    char symbol[16];
    for (unsigned i = 0; graph.size < wanted; i++) {
        snprintf(name, sizeof name, "x%u", i);
        snprintf(symbol, sizeof symbol, "s%u", i);
        put_value(&graph, 11, name, has_symbols ? symbol : NULL);
    }
    put_node(&graph, "x0", "y");
    put_value(&graph, 12, "y", NULL);
    put_model(out, &graph);
}

static void make_inputs(struct out *out, size_t wanted)
{
    make_inputs_of(out, wanted, false);
}

static void make_symbols(struct out *out, size_t wanted)
{
    make_inputs_of(out, wanted, true);
}

/* As the first files have them: each is an input, too. */
static void make_initializers(struct out *out, size_t wanted)
{
    struct out graph = {NULL, 0, 0};
    char name[16];
    put_value(&graph, 11, "x", NULL);
    for (unsigned i = 0; graph.size < wanted; i++) {
        snprintf(name, sizeof name, "w%u", i);
        put_initializer(&graph, name);
        put_value(&graph, 11, name, NULL);
    }
    put_node(&graph, "x", "y");
    put_value(&graph, 12, "y", NULL);
    put_model(out, &graph);
}

static void make_values(struct out *out, size_t wanted)
{
    struct out graph = {NULL, 0, 0};
    put_value(&graph, 11, "x", NULL);
    put_node(&graph, "x", "y");
    while (graph.size < wanted)
        put_value(&graph, 13, "y", NULL);
    put_value(&graph, 12, "y", NULL);
    put_model(out, &graph);
}

/* A node with many attributes that it does not know. */
static void make_attributes(struct out *out, size_t wanted)
{
    struct out graph = {NULL, 0, 0};
    struct out node = {NULL, 0, 0};
    char name[16];
    put_string(&node, 1, "x");
    put_string(&node, 2, "y");
    put_string(&node, 4, "Relu");
    for (unsigned i = 0; node.size < wanted; i++) {
        struct out attribute = {NULL, 0, 0};
        snprintf(name, sizeof name, "a%u", i);
        put_string(&attribute, 1, name);
        put_number(&attribute, 3, 1);
        put_number(&attribute, 20, 2);
        put_message(&node, 5, &attribute);
    }
    put_value(&graph, 11, "x", NULL);
    put_message(&graph, 1, &node);
    put_value(&graph, 12, "y", NULL);
    put_model(out, &graph);
}

/* A sum of one tensor with itself. */
static void make_sum(struct out *out, size_t wanted)
{
    struct out graph = {NULL, 0, 0};
    struct out node = {NULL, 0, 0};
    while (node.size < wanted)
        put_string(&node, 1, "x");
    put_string(&node, 2, "y");
    put_string(&node, 4, "Sum");
    put_value(&graph, 11, "x", NULL);
    put_message(&graph, 1, &node);
    put_value(&graph, 12, "y", NULL);
    put_model(out, &graph);
}

/* Fields that nobody knows. */
static void make_unknown(struct out *out, size_t wanted)
{
    struct out graph = {NULL, 0, 0};
    put_value(&graph, 11, "x", NULL);
    put_node(&graph, "x", "y");
    put_value(&graph, 12, "y", NULL);
    while (graph.size < wanted)
        put_number(&graph, 1000, 1);
    put_model(out, &graph);
}

static void read_model(char *text, size_t size)
{
    struct failure failure = {""};
    struct graph graph = {0};
    struct onnx_info info;
    const struct onnx_source source = {.bytes = (const uint8_t *)text,
            .size = size,
            .constant_limit = 1 << 20,
            .open_dimension = 1};
    if (onnx_read_graph(&graph, &source, &failure)) graph_fini(&graph);
    struct onnx_model *model =
            onnx_model_open((const uint8_t *)text, size, &failure);
    if (model == NULL) {
        fprintf(stderr, "%s\n", failure.text);
        abort();
    }
    (void)onnx_model_describe(&info, model, &failure);
    onnx_info_fini(&info);
    onnx_model_close(model);
}

/* The same, and all of it must be read. */
static void read_good_model(char *text, size_t size)
{
    struct failure failure = {""};
    struct graph graph = {0};
    const struct onnx_source source = {.bytes = (const uint8_t *)text,
            .size = size,
            .constant_limit = 1 << 20,
            .open_dimension = 1};
    if (!onnx_read_graph(&graph, &source, &failure)) {
        fprintf(stderr, "%s\n", failure.text);
        abort();
    }
    graph_fini(&graph);
    read_model(text, size);
}

/* Numbers of a tensor, one field each. */
static void make_tensor(struct out *out, size_t wanted)
{
    const size_t count = wanted / 5;
    put_number(out, 1, count);
    put_number(out, 2, 1);
    put_string(out, 8, "x");
    for (size_t i = 0; i < count; i++) {
        put_varint(out, 4 << 3 | 5);
        put_u32(out, 0);
    }
}

static void read_tensor(char *text, size_t size)
{
    struct failure failure = {""};
    struct graph_tensor tensor = {0};
    if (!tensor_file_parse(&tensor, (const uint8_t *)text, size, &failure)) {
        fprintf(stderr, "%s\n", failure.text);
        abort();
    }
    tensor_file_fini(&tensor);
}

/* ---- Arrays and pictures ------------------------------------------------- */

/* A head of version 1 has at most 64 KiB. */
static void make_npy_blanks(struct out *out, size_t wanted)
{
    struct out head = {NULL, 0, 0};
    put_text(&head, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), ");
    while (head.size < wanted)
        put_text(&head, " ");
    put_text(&head, "}\n");
    put(out, "\x93NUMPY\x01\x00", 8);
    put(out, &(uint8_t){(uint8_t)head.size}, 1);
    put(out, &(uint8_t){(uint8_t)(head.size >> 8)}, 1);
    put(out, head.data, head.size);
    put_u32(out, 0);
    free(head.data);
}

/* In Fortran's order. */
static void make_npy(struct out *out, size_t wanted)
{
    char head[128];
    const size_t size = (size_t)snprintf(head, sizeof head,
            "{'descr': '<f4', 'fortran_order': True, 'shape': (4, %zu)}\n",
            wanted / 16);
    put(out, "\x93NUMPY\x01\x00", 8);
    put(out, &(uint8_t){(uint8_t)size}, 1);
    put(out, "", 1);
    put(out, head, size);
    put_none(out, wanted / 16 * 16);
}

static void read_npy(char *text, size_t size)
{
    struct failure failure = {""};
    struct value value = {0};
    if (!npy_parse(&value, (const uint8_t *)text, size, &failure)) {
        fprintf(stderr, "%s\n", failure.text);
        abort();
    }
    value_fini(&value);
}

/* One that ends before its pixels: many pieces that are passed over. */
static void make_png(struct out *out, size_t wanted)
{
    put(out, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16);
    put(out, "\0\0\0\1\0\0\0\1\x08\2\0\0\0\x90\x77\x53\xde", 17);
    while (out->size < wanted)
        put(out, "\0\0\0\0teSt\xdb\x16\x4d\x03", 12);
}

static void make_jpeg(struct out *out, size_t wanted)
{
    put(out, "\xff\xd8", 2);
    while (out->size < wanted)
        put(out, "\xff\xfe\0\4ab", 6);
}

static void read_image(char *text, size_t size)
{
    struct failure failure = {""};
    struct image image = {0};
    (void)image_parse(&image, (const uint8_t *)text, size, &failure);
    image_fini(&image);
}

/* ---- All of them --------------------------------------------------------- */

#define BYTES(name, read, make)            \
    {                                      \
        name, read, NULL, NULL, NULL, make \
    }

const struct shape model_shapes[] = {
        BYTES("model-chain", read_good_model, make_chain),
        BYTES("model-chain-backwards", read_good_model, make_chain_backwards),
        BYTES("model-fan", read_good_model, make_fan),
        BYTES("model-unused", read_good_model, make_unused),
        BYTES("model-inputs", read_good_model, make_inputs),
        BYTES("model-symbols", read_good_model, make_symbols),
        BYTES("model-initializers", read_good_model, make_initializers),
        BYTES("model-values", read_good_model, make_values),
        BYTES("model-attributes", read_model, make_attributes),
        BYTES("model-sum", read_good_model, make_sum),
        BYTES("model-unknown", read_good_model, make_unknown),
        BYTES("tensor", read_tensor, make_tensor),
        BYTES("npy", read_npy, make_npy),
        BYTES("npy-blanks", read_npy, make_npy_blanks),
        BYTES("image-png", read_image, make_png),
        BYTES("image-jpeg", read_image, make_jpeg),
};

const size_t model_shape_count = sizeof model_shapes / sizeof *model_shapes;
