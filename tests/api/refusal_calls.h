/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN does and this release refuses, asked for: each call makes it, and
 * returns the first answer that is not the expected one. */
#ifndef DNNL_CACHE_TESTS_API_REFUSAL_CALLS_H
#define DNNL_CACHE_TESTS_API_REFUSAL_CALLS_H

#include "refusals.h"

typedef dnnl_status_t refusal_call(const struct refusal_engines *engines);

refusal_call ask_blocks_beside_unknown, ask_blocked_means, ask_runtime,
        ask_types, ask_sum_type, ask_operand_type, ask_half_bytes,
        ask_decompression, ask_inner_decompression, ask_groups,
        ask_broken_groups, ask_gaps, ask_deep_blocks, ask_number_types,
        ask_mask_of_sum, ask_runtime_scales, ask_zero_points_of_products,
        ask_scales_of_binary, ask_scales_of_concat, ask_mixed_scales,
        ask_dynamic_scales, ask_long_scaled_concat, ask_numbers_of_the_rest,
        ask_zero_points_of_others, ask_winograd, ask_depthwise,
        ask_zero_points_of_places, ask_scaled_floats, ask_group_scales,
        ask_far_window, ask_far_padding, ask_two_cpus, ask_sum_with_blocks,
        ask_long_concat, ask_long_sum, ask_layouts_of_sum, ask_wide_shuffle,
        ask_repeated_operand, ask_long_chain, ask_forbidden_post_ops, ask_huge,
        ask_shared_places, ask_shared_reorder, ask_shared_statistics,
        ask_backward, ask_recurrent, ask_recurrent_strides,
        ask_recurrent_numbers, ask_sparse, ask_dropout, ask_mask_of_dropout,
        ask_type_of_mask, ask_stochastic, ask_rounded_type, ask_random_blocks,
        ask_measuring, ask_products_of_the_cpu, ask_jit, ask_cpu, ask_usm,
        ask_part_of_block, ask_part_of_unknown;

#endif /* DNNL_CACHE_TESTS_API_REFUSAL_CALLS_H */
