/* SPDX-License-Identifier: Apache-2.0 */
#include "refusals.h"

#include "refusal_calls.h"

#include <string.h>

#define BLOCKS "blocked layouts are not supported"
#define NUMBERS "scales, zero points"
#define WINDOWS "convolution, deconvolution"
#define UNUSED "unsupported argument of scales or zero points"
#define TYPES "f64, boolean, and floats of 8 or 4 bits"
#define HALF_BYTES "s4 and u4 but as weights of matmul and in reorder"
#define DECOMPRESSION                                                 \
    "products of a float and an integer type, but for matmul with a " \
    "floating-point mode that applies to integers"
#define ZERO_POINTS                                                         \
    "more than one zero point for src of matmul, or for src or weights of " \
    "inner product"
#define MASK "unsupported mask of scales or zero points"
#define SHARED "a destination whose elements may overlap"
#define RECURRENT "recurrent primitives and their quantization"
const struct refusal refusals[] = {
        {"all except matmul", "dimensions known only at execution",
                "dimensions known at execution only are not supported",
                ask_runtime},
        {"matmul", "blocked layouts beside dimensions known only at execution",
                "blocked layouts with dimensions known at execution only",
                ask_blocks_beside_unknown},
        {"layer normalization", "means and variances in blocked layouts",
                BLOCKS, ask_blocked_means},
        {"types", TYPES, "unsupported data types", ask_types},
        {"types", TYPES, "unsupported type of a sum post-op", ask_sum_type},
        {"types", TYPES, "unsupported type or size of an attribute's tensor",
                ask_operand_type},
        {"types", HALF_BYTES, "unsupported data types", ask_half_bytes},
        {"types", DECOMPRESSION, "unsupported data types",
                ask_inner_decompression},
        {"types", DECOMPRESSION,
                "weights of integers, and a floating-point mode that does not "
                "apply to integers",
                ask_decompression},
        {NUMBERS, "groups of scales or zero points but of matmul's weights",
                "groups of scales or zero points", ask_groups},
        {NUMBERS, "groups that do not divide a dimension",
                "groups of scales or zero points that do not divide a "
                "dimension",
                ask_broken_groups},
        {NUMBERS,
                "scales of types other than f32, f16, bf16, and zero points of "
                "types other than s32, s8, u8, and s4, u4 of matmul's weights",
                "unsupported type of scales or zero points", ask_number_types},
        {NUMBERS,
                "different values along the reduced dimension, but of matmul's "
                "weights",
                MASK, ask_mask_of_sum},
        {NUMBERS, "different values along a dimension known only at execution",
                "scales or zero points along a dimension known at execution "
                "only",
                ask_runtime_scales},
        {NUMBERS, ZERO_POINTS,
                "more than one zero point for src or weights of a product",
                ask_zero_points_of_products},
        {NUMBERS, "more than one scale for each source of binary or concat",
                "more than one scale for a source", ask_scales_of_binary},
        {NUMBERS, "more than one scale for each source of binary or concat",
                "more than one scale for a source", ask_scales_of_concat},
        {NUMBERS, "scales of different types for the sources of concat",
                "scales of concat of several types", ask_mixed_scales},
        {NUMBERS,
                "any of batch normalization, eltwise, LRN, pooling, PReLU, "
                "reduction, resampling, shuffle, sum",
                UNUSED, ask_numbers_of_the_rest},
        {NUMBERS,
                "zero points of binary, concat, softmax, layer and group "
                "normalization",
                UNUSED, ask_zero_points_of_others},
        {WINDOWS, "Winograd", "no Winograd algorithm", ask_winograd},
        {WINDOWS, "a depthwise convolution as a post-op",
                "a depthwise convolution as a post-op", ask_depthwise},
        {WINDOWS,
                "zero points of src or weights that differ in anything but "
                "channels",
                "more than one zero point for src or weights of a product",
                ask_zero_points_of_places},
        {WINDOWS, "scales of floating-point inputs",
                "scales of a convolution's inputs that are not bytes",
                ask_scaled_floats},
        {WINDOWS,
                "scales of grouped weights by group only or by channel only "
                "(masks 1 and 2)",
                MASK, ask_group_scales},
        {"convolution, pooling", "windows with a size or position above 2^29",
                "a size or a place of the window is above 2^29",
                ask_far_window},
        {"convolution, pooling", "windows with a size or position above 2^29",
                "a size or a place of the window is above 2^29",
                ask_far_padding},
        {"reorder", "between two `dnnl_cpu` engines",
                "both engines are dnnl_cpu", ask_two_cpus},
        {"reorder",
                "a sum post-op with blocked layouts between host and device or "
                "between contexts",
                "a sum post-op of a reorder with blocks", ask_sum_with_blocks},
        {"reorder", "s4 or u4 to tensors with gaps",
                "elements of half a byte with gaps between them", ask_gaps},
        {"concat, sum", "more than 95 sources of concat",
                "more than 95 sources", ask_long_concat},
        {"concat, sum", "more than 95 sources and scales of concat",
                "too many arguments", ask_long_scaled_concat},
        {"concat, sum", "more than 64 sources of sum", "more than 64 sources",
                ask_long_sum},
        {"concat, sum",
                "more than about 10 layouts of the sources of sum, of which "
                "every "
                "blocked source is one",
                "more layouts than the kernel's arguments have room for",
                ask_layouts_of_sum},
        {"shuffle", "12 dimensions of which no two can be merged",
                "more than 11 dimensions besides the axis", ask_wide_shuffle},
        {"post-ops", "tensors broadcast along some of more than 6 dimensions",
                "a tensor of an attribute is repeated along some of more than "
                "6 dimensions",
                ask_repeated_operand},
        {"post-ops", "chains that take more than 1 KiB of kernel arguments",
                "the kernel's arguments have no room for all attributes",
                ask_long_chain},
        {"everywhere",
                "tensors of more than 2^31 - 2^22 elements, or whose strides "
                "span more",
                "a size or a distance does not fit 32 bits", ask_huge},
        {"everywhere", SHARED,
                "the layout of dst has blocks, or elements that share a place",
                ask_shared_places},
        {"everywhere", SHARED, "elements of dst may share a place",
                ask_shared_reorder},
        {"everywhere", SHARED, "blocks, or means that share a place",
                ask_shared_statistics},
        {"everywhere", "backward primitives", "no backward propagation",
                ask_backward},
        {"everywhere", RECURRENT, "no recurrent primitives", ask_recurrent},
        {"everywhere", RECURRENT, "quantization of recurrent primitives",
                ask_recurrent_numbers},
        {"everywhere", "sparse tensors", NULL, ask_sparse},
        {"everywhere", "dropout", "dropout", ask_dropout},
        {"everywhere", "stochastic rounding", "stochastic rounding",
                ask_stochastic},
        {"engines", "primitives of a `dnnl_cpu` engine",
                "a dnnl_cpu engine computes nothing", ask_cpu},
        {"engines",
                "matrix products without an engine (`dnnl_sgemm` and similar)",
                NULL, ask_products_of_the_cpu},
        {"engines", "dumps and profiles of generated CPU code", NULL, ask_jit},
        {"engines", "profiling streams (`dnnl_invalid_arguments`)", NULL,
                ask_measuring},
        {"memory", "USM", NULL, ask_usm},
        {"memory", "parts of a tensor that begin or end inside a block", NULL,
                ask_part_of_block}};
const int refusal_count = sizeof refusals / sizeof *refusals;

bool refusal_is_listed(const char *line)
{
    /* oneDNN has no post-ops of these kinds either. */
    static const char *const others[] = {
            "post-ops of a primitive that has none"};
    size_t size = strlen(line);
    for (int i = 0; i <= refusal_count; i++) {
        const char *reason = i < refusal_count ? refusals[i].reason : others[0];
        size_t end = reason != NULL ? strlen(reason) : size + 1;
        if (end <= size && strcmp(line + size - end, reason) == 0) return true;
    }
    return false;
}
