/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_text.h: models of ONNX as a few lines of text, for tests to read:
 *
 *     opset 13
 *     input x f32 1,3,8,?
 *     const w f32 4,3,3,3 = 0.5 -1
 *     Conv:stem x,w, -> y pads=[1,1,1,1] auto_pad='NOTSET'
 *     Relu y -> z
 *     output z f32 1,4,8,1
 *
 * `?` is a dimension that is left open, called n, `?m` one called m, `-` no
 * dimensions at all; values repeat until there are enough. Between ` -> ` are
 * the inputs and outputs of a node,
 * "" where there is nothing between commas. Attributes are an integer, a number
 * with a point, a 'word', lists of integers or of numbers with points, or a
 * tensor, {i64 2 = 1 2}. `external w f32 4 = FILE 0 16` is a constant with its
 * data, from an offset on, in another file; `info` is an output that is none,
 * and `domain` the domain of the nodes that follow, none without a word. `old`
 * writes attributes without types.
 *
 * `opset 1 com.microsoft` imports that domain; a model without any `opset` is
 * one of the first files, unless `ir 8` says which.
 *
 * `graph NAME`, its inputs, constants, nodes and outputs, and `end` is a graph
 * for the attributes of later nodes, then_branch=@NAME. `function NAME IN,IN ->
 * OUT ATTRIBUTE,ATTRIBUTE`, its nodes and `end` is a function of the domain
 * "local" and operator set 13, whose nodes have the caller's attributes as
 * axis=$NAME.
 */
#ifndef DNNL_CACHE_TESTS_MODEL_TEXT_H
#define DNNL_CACHE_TESTS_MODEL_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A model's bytes. */
struct model_text {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
};

/* Makes them; aborts on text that is none of the above. */
void model_text_init(struct model_text *model, const char *text);
void model_text_fini(struct model_text *model);

#endif /* DNNL_CACHE_TESTS_MODEL_TEXT_H */
