/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What oneDNN has and this library lacks. All calls that answer
 * dnnl_unimplemented for a lack name it by this list, so that
 * ONEDNN_VERBOSE=dispatch prints its words. The table of
 * docs/reference/onednn.md is made of it (scripts/lack_table.py), and
 * tests/api/refusals.c asks for each case.
 */
#ifndef DNNL_CACHE_GPU_LACKS_H
#define DNNL_CACHE_GPU_LACKS_H

#include "dnnl_cache/base.h"

/* X(NAME, words): the words have no comma, which separates a line's fields. */
#define LACKS(X)                                                               \
    X(RUNTIME, "dimensions known at execution only are not supported")         \
    X(BLOCKS_AND_RUNTIME,                                                      \
            "blocked layouts with dimensions known at execution only")         \
    X(BLOCKS, "blocked layouts are not supported")                             \
    X(TYPES, "unsupported data types")                                         \
    X(SUM_TYPE, "unsupported type of a sum post-op")                           \
    X(ATTRIBUTE_TENSOR, "unsupported type or size of an attribute's tensor")   \
    X(COMPRESSED_MODE,                                                         \
            "weights of integers without a floating-point mode that applies "  \
            "to integers")                                                     \
    X(GROUPS, "groups of scales or zero points")                               \
    X(UNEVEN_GROUPS,                                                           \
            "groups of scales or zero points that do not divide a dimension")  \
    X(NUMBER_TYPE, "unsupported type of scales or zero points")                \
    X(MASK, "unsupported mask of scales or zero points")                       \
    X(RUNTIME_NUMBERS,                                                         \
            "scales or zero points along a dimension known at execution only") \
    X(ZERO_POINTS, "more than one zero point for src or weights of a product") \
    X(SOURCE_SCALES, "more than one scale for a source")                       \
    X(DYNAMIC, "scales that a primitive computes")                             \
    X(MIXED_SCALES, "scales of concat of several types")                       \
    X(NUMBERS, "unsupported argument of scales or zero points")                \
    X(WINOGRAD, "no Winograd algorithm")                                       \
    X(DEPTHWISE, "a depthwise convolution as a post-op")                       \
    X(SCALED_FLOATS, "scales of a convolution's inputs that are not bytes")    \
    X(WINDOW, "a size or a place of the window is above 2^29")                 \
    X(HOST_REORDER, "both engines are dnnl_cpu")                               \
    X(SUM_OF_BLOCKS, "a sum post-op of a reorder with blocks")                 \
    X(GAPS, "elements of half a byte with gaps between them")                  \
    X(DEEP_BLOCKS, "blocks of blocks of more than 4 levels")                   \
    X(CONCAT_SOURCES, "more than 95 sources")                                  \
    X(ARGUMENTS, "too many arguments")                                         \
    X(SUM_SOURCES, "more than 64 sources")                                     \
    X(SUM_LAYOUTS, "more layouts than the kernel's arguments have room for")   \
    X(SHUFFLE_DIMS, "more than 11 dimensions besides the axis")                \
    X(REPEATED,                                                                \
            "a tensor of an attribute is repeated along some of more than 6 "  \
            "dimensions")                                                      \
    X(ATTRIBUTE_ROOM,                                                          \
            "the kernel's arguments have no room for all attributes")          \
    X(NO_POST_OPS, "post-ops of a primitive that has none")                    \
    X(SIZE, "a size or a distance does not fit 32 bits")                       \
    X(SHARED_PLACES, "elements of dst may share a place")                      \
    X(SHARED_MEANS, "means or variances that share a place")                   \
    X(BACKWARD, "no backward propagation")                                     \
    X(RECURRENT,                                                               \
            "no recurrent primitives of augmented GRU or with several layers " \
            "or a projection")                                                 \
    X(RECURRENT_STRIDES,                                                       \
            "steps and sequences or gates and units of a recurrent primitive " \
            "that are not one dimension")                                      \
    X(RECURRENT_NUMBERS, "quantization of recurrent primitives")               \
    X(SPARSE, "no sparse tensors")                                             \
    X(DROPOUT, "dropout")                                                      \
    X(DROPOUT_MASK,                                                            \
            "dropout with a mask of another shape or layout than dst's")       \
    X(DROPOUT_MASK_TYPE, "unsupported type of dropout's mask")                 \
    X(STOCHASTIC, "stochastic rounding")                                       \
    X(ROUNDED_TYPE, "stochastic rounding to dst's type")                       \
    X(RANDOM_BLOCKS,                                                           \
            "dropout or stochastic rounding of a dst in a blocked layout")     \
    X(HOST, "a dnnl_cpu engine computes nothing")                              \
    X(HOST_PRODUCTS, "no matrix products without an engine")                   \
    X(HOST_CODE, "no code is generated for a CPU")                             \
    X(PROFILING, "no profiling of a dnnl_cpu engine's streams")                \
    X(USM, "no unified shared memory")                                         \
    X(PART_OF_BLOCK, "a part of a tensor that begins or ends inside a block")  \
    X(PART_OF_UNKNOWN, "a part of a tensor whose layout is not known")

/* The cases of the table, with what the reader of the document is told:
 * X(case, NAME, where, what). A case is what tests/api/refusal_calls.h asks
 * for, with ask_ before it. Cases of one place stand together. */
#define LACK_CASES(X)                                                         \
    X(runtime, RUNTIME, "all except matmul",                                  \
            "dimensions known only at execution")                             \
    X(blocks_beside_unknown, BLOCKS_AND_RUNTIME, "matmul",                    \
            "blocked layouts beside dimensions known only at execution")      \
    X(blocked_means, BLOCKS, "layer normalization",                           \
            "means and variances in blocked layouts")                         \
    X(types, TYPES, "types", "f64, boolean, and floats of 8 or 4 bits")       \
    X(half_bytes, TYPES, "types",                                             \
            "s4 and u4 but as weights of matmul and in reorder")              \
    X(inner_decompression, TYPES, "types",                                    \
            "products of a float and an integer type, but of matmul")         \
    X(decompression, COMPRESSED_MODE, "types",                                \
            "matmul of a float and an integer type without a floating-point " \
            "mode that applies to integers (oneDNN asks for the mode, too)")  \
    X(operand_type, ATTRIBUTE_TENSOR, "types",                                \
            "tensors of post-ops of these types, or above the sizes below")   \
    X(sum_type, SUM_TYPE, "types", "sum post-ops of these types")             \
    X(groups, GROUPS, "scales, zero points",                                  \
            "groups of scales or zero points but of matmul's weights")        \
    X(broken_groups, UNEVEN_GROUPS, "scales, zero points",                    \
            "groups that do not divide a dimension")                          \
    X(number_types, NUMBER_TYPE, "scales, zero points",                       \
            "scales of types other than f32, f16, bf16, and zero points of "  \
            "types other than s32, s8, u8, and s4, u4 of matmul's weights")   \
    X(mask_of_sum, MASK, "scales, zero points",                               \
            "different values along the reduced dimension, but of matmul's "  \
            "weights")                                                        \
    X(runtime_scales, RUNTIME_NUMBERS, "scales, zero points",                 \
            "different values along a dimension known only at execution")     \
    X(zero_points_of_products, ZERO_POINTS, "scales, zero points",            \
            "more than one zero point for src of matmul, or for src or "      \
            "weights of inner product")                                       \
    X(scales_of_binary, SOURCE_SCALES, "scales, zero points",                 \
            "more than one scale for each source of binary")                  \
    X(scales_of_concat, SOURCE_SCALES, "scales, zero points",                 \
            "more than one scale for each source of concat")                  \
    X(mixed_scales, MIXED_SCALES, "scales, zero points",                      \
            "scales of different types for the sources of concat")            \
    X(dynamic_scales, DYNAMIC, "scales, zero points",                         \
            "scales that the primitive computes (quantization modes "         \
            "dynamic_mx and dynamic_fp)")                                     \
    X(numbers_of_the_rest, NUMBERS, "scales, zero points",                    \
            "any of batch normalization, eltwise, LRN, pooling, PReLU, "      \
            "reduction, resampling, shuffle, sum (nor has oneDNN)")           \
    X(zero_points_of_others, NUMBERS, "scales, zero points",                  \
            "zero points of binary, concat, softmax, layer and group "        \
            "normalization")                                                  \
    X(winograd, WINOGRAD, "convolution, deconvolution", "Winograd")           \
    X(depthwise, DEPTHWISE, "convolution, deconvolution",                     \
            "a depthwise convolution as a post-op (nor has oneDNN's GPU "     \
            "engine)")                                                        \
    X(zero_points_of_places, ZERO_POINTS, "convolution, deconvolution",       \
            "zero points of src or weights that differ in anything but "      \
            "channels")                                                       \
    X(scaled_floats, SCALED_FLOATS, "convolution, deconvolution",             \
            "scales of floating-point inputs")                                \
    X(group_scales, MASK, "convolution, deconvolution",                       \
            "scales of grouped weights by group only or by channel only "     \
            "(masks 1 and 2)")                                                \
    X(far_window, WINDOW, "convolution, pooling",                             \
            "windows with a size above 2^29")                                 \
    X(far_padding, WINDOW, "convolution, pooling",                            \
            "windows with a position above 2^29")                             \
    X(two_cpus, HOST_REORDER, "reorder", "between two `dnnl_cpu` engines")    \
    X(sum_with_blocks, SUM_OF_BLOCKS, "reorder",                              \
            "a sum post-op with blocked layouts between host and device or "  \
            "between contexts")                                               \
    X(gaps, GAPS, "reorder", "s4 or u4 to tensors with gaps")                 \
    X(deep_blocks, DEEP_BLOCKS, "reorder",                                    \
            "layouts with more than 4 levels of blocks")                      \
    X(long_concat, CONCAT_SOURCES, "concat, sum",                             \
            "more than 95 sources of concat")                                 \
    X(long_scaled_concat, ARGUMENTS, "concat, sum",                           \
            "more than 95 sources and scales of concat")                      \
    X(long_sum, SUM_SOURCES, "concat, sum", "more than 64 sources of sum")    \
    X(layouts_of_sum, SUM_LAYOUTS, "concat, sum",                             \
            "more than about 10 layouts of the sources of sum, of which "     \
            "every blocked source is one")                                    \
    X(wide_shuffle, SHUFFLE_DIMS, "shuffle",                                  \
            "12 dimensions of which no two can be merged")                    \
    X(repeated_operand, REPEATED, "post-ops",                                 \
            "tensors broadcast along some of more than 6 dimensions")         \
    X(long_chain, ATTRIBUTE_ROOM, "post-ops",                                 \
            "chains that take more than 1 KiB of kernel arguments")           \
    X(forbidden_post_ops, NO_POST_OPS, "post-ops",                            \
            "any of concat, PReLU, shuffle, sum (nor has oneDNN)")            \
    X(huge, SIZE, "everywhere",                                               \
            "tensors of more than 2^31 - 2^22 elements, or whose strides "    \
            "span more")                                                      \
    X(shared_places, SHARED_PLACES, "everywhere",                             \
            "a destination whose elements may overlap")                       \
    X(shared_statistics, SHARED_MEANS, "everywhere",                          \
            "means or variances that overlap, as results")                    \
    X(backward, BACKWARD, "everywhere", "backward primitives")                \
    X(sparse, SPARSE, "everywhere", "sparse tensors")                         \
    X(recurrent, RECURRENT, "recurrent",                                      \
            "augmented GRU, more than one layer, LSTM with a projection")     \
    X(recurrent_strides, RECURRENT_STRIDES, "recurrent",                      \
            "src_layer whose steps and sequences, or weights_layer whose "    \
            "gates and units, do not follow each other at one distance")      \
    X(recurrent_numbers, RECURRENT_NUMBERS, "recurrent", "quantization (u8)") \
    X(dropout, DROPOUT, "dropout",                                            \
            "of anything but matmul (nor has oneDNN's GPU engine)")           \
    X(mask_of_dropout, DROPOUT_MASK, "dropout",                               \
            "a mask of another shape or layout than dst's")                   \
    X(type_of_mask, DROPOUT_MASK_TYPE, "dropout",                             \
            "a mask of another type than s8 or u8")                           \
    X(stochastic, STOCHASTIC, "stochastic rounding",                          \
            "of anything but matmul, convolution and reorder (nor has "       \
            "oneDNN's GPU engine)")                                           \
    X(rounded_type, ROUNDED_TYPE, "stochastic rounding", "to s32, s4 and u4") \
    X(random_blocks, RANDOM_BLOCKS, "dropout, stochastic rounding",           \
            "with dst in a blocked layout, but in reorder")                   \
    X(cpu, HOST, "engines", "primitives of a `dnnl_cpu` engine")              \
    X(products_of_the_cpu, HOST_PRODUCTS, "engines",                          \
            "matrix products without an engine (`dnnl_sgemm` and similar)")   \
    X(jit, HOST_CODE, "engines", "dumps and profiles of generated CPU code")  \
    X(measuring, PROFILING, "engines",                                        \
            "profiling streams of a `dnnl_cpu` engine")                       \
    X(usm, USM, "memory", "USM")                                              \
    X(part_of_block, PART_OF_BLOCK, "memory",                                 \
            "parts of a tensor that begin or end inside a block")             \
    X(part_of_unknown, PART_OF_UNKNOWN, "memory",                             \
            "parts of a tensor whose layout is `any`, or has dimensions or "  \
            "strides known only at execution (nor has oneDNN)")

#define LACK_NAME(name, words) LACK_##name,
enum lack { LACK_NONE, LACKS(LACK_NAME) LACK_COUNT };
#undef LACK_NAME

/* The words of a lack; static. */
const char *lack_words(enum lack lack);

/* Tells of a call that is no creation of a primitive's descriptor; `what` is
 * the kind of object that was asked for. Returns dnnl_unimplemented. */
dnnl_status_t lack_report(const char *what, enum lack lack);

#endif /* DNNL_CACHE_GPU_LACKS_H */
