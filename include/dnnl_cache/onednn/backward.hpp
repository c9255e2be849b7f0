/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backward.hpp: oneDNN's classes of backward primitives, which this
 * library does not support, so that programs that use their names compile.
 *
 * Creating a descriptor throws dnnl_unimplemented, or gives an empty one with
 * allow_empty; so there is no descriptor to copy, and no primitive. Before
 * that, the checks of oneDNN's classes apply: empty handles, and lists without
 * a number for each spatial dimension, throw dnnl_invalid_arguments.
 */
#ifndef DNNL_CACHE_ONEDNN_BACKWARD_HPP
#define DNNL_CACHE_ONEDNN_BACKWARD_HPP

#include "kinds.hpp"

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{
namespace detail
{

/* A getter of some kinds. */
struct with_diff_bias : public primitive_desc {
    /* Without dimensions if there is none. */
    memory::desc diff_bias_desc() const { return diff_weights_desc(1); }
};

namespace arg
{

/* src or dst, as the algorithm says. */
struct data : tensor {
};

struct eltwise_backward
    : creation<desc_of<dnnl_eltwise, direction::backward_data>,
              DNNL_CACHE_CALL(dnnl_eltwise_backward_primitive_desc_create),
              algorithm, diff<src>, diff<dst>, data, alpha, beta,
              hint<eltwise_forward_desc>> {
    typedef described<eltwise_backward, all, without<beta>,
            without<alpha, beta>>
            constructors;
};

struct softmax_backward
    : creation<desc_of<dnnl_softmax, direction::backward_data>,
              DNNL_CACHE_CALL(dnnl_softmax_backward_primitive_desc_create),
              algorithm, diff<src>, diff<dst>, dst, axis,
              hint<softmax_forward_desc>> {
    typedef described<softmax_backward, all> constructors;
};

struct lrn_backward
    : creation<desc_of<dnnl_lrn, direction::backward_data>,
              DNNL_CACHE_CALL(dnnl_lrn_backward_primitive_desc_create),
              algorithm, diff<src>, diff<dst>, src, local_size, alpha, beta, k,
              hint<lrn_forward_desc>> {
    typedef described<lrn_backward, all> constructors;
};

struct shuffle_backward
    : creation<desc_of<dnnl_shuffle, direction::backward_data>,
              DNNL_CACHE_CALL(dnnl_shuffle_backward_primitive_desc_create),
              diff<src>, diff<dst>, axis, group_size,
              hint<shuffle_forward_desc>> {
    typedef described<shuffle_backward, all> constructors;
};

struct prelu_backward
    : creation<desc_of<dnnl_prelu, direction::backward>,
              DNNL_CACHE_CALL(dnnl_prelu_backward_primitive_desc_create), src,
              weights, diff<src>, diff<weights>, diff<dst>,
              hint<prelu_forward_desc>> {
    typedef described<prelu_backward, all> constructors;
};

struct resampling_backward
    : creation<desc_of<dnnl_resampling, direction::backward_data>,
              DNNL_CACHE_CALL(dnnl_resampling_backward_primitive_desc_create),
              algorithm, factors, diff<src>, diff<dst>,
              hint<resampling_forward_desc>> {
    typedef described<resampling_backward, all, without<factors>> constructors;
};

struct pooling_backward
    : creation<desc_of<dnnl_pooling, direction::backward_data>,
              DNNL_CACHE_CALL(dnnl_pooling_backward_primitive_desc_create),
              algorithm, diff<src>, diff<dst>, strides, kernel, dilates,
              padding_l, padding_r, hint<pooling_forward_desc>> {
    typedef described<pooling_backward, all> constructors;
};

struct batch_normalization_backward
    : creation<desc_of<dnnl_batch_normalization, direction::backward_any,
                       normalization_desc>,
              DNNL_CACHE_CALL(
                      dnnl_batch_normalization_backward_primitive_desc_create),
              prop_kind, diff<src>, diff<dst>, src, epsilon, flags,
              hint<batch_normalization_forward_desc>> {
    typedef described<batch_normalization_backward, all> constructors;
};

struct group_normalization_backward
    : creation<desc_of<dnnl_group_normalization, direction::backward_any,
                       normalization_desc>,
              DNNL_CACHE_CALL(
                      dnnl_group_normalization_backward_primitive_desc_create),
              prop_kind, diff<src>, diff<dst>, src, groups, epsilon, flags,
              hint<group_normalization_forward_desc>> {
    typedef described<group_normalization_backward, all> constructors;
};

struct layer_normalization_backward
    : creation<desc_of<dnnl_layer_normalization, direction::backward_any,
                       normalization_desc>,
              DNNL_CACHE_CALL(
                      dnnl_layer_normalization_backward_primitive_desc_create_v2),
              prop_kind, diff<src>, diff<dst>, src, stat, diff_scale_shift_type,
              scale_shift_type, epsilon, flags,
              hint<layer_normalization_forward_desc>> {
    typedef described<layer_normalization_backward, all, without<stat>,
            without<diff_scale_shift_type, scale_shift_type>,
            without<stat, diff_scale_shift_type, scale_shift_type>>
            constructors;
};

struct inner_product_backward_data
    : creation<desc_of<dnnl_inner_product, direction::backward_data>,
              DNNL_CACHE_CALL(
                      dnnl_inner_product_backward_data_primitive_desc_create),
              diff<src>, weights, diff<dst>, hint<inner_product_forward_desc>> {
    typedef described<inner_product_backward_data, all> constructors;
};

struct inner_product_backward_weights
    : creation<desc_of<dnnl_inner_product, direction::backward_weights,
                       with_diff_bias>,
              DNNL_CACHE_CALL(
                      dnnl_inner_product_backward_weights_primitive_desc_create),
              src, diff<weights>, diff<bias>, diff<dst>,
              hint<inner_product_forward_desc>> {
    typedef described<inner_product_backward_weights, all, without<diff<bias>>>
            constructors;
};

/* Convolution and deconvolution, whose C calls have the same arguments. */
template <dnnl_primitive_kind_t kind, typename forward,
        decltype(&dnnl_convolution_backward_data_primitive_desc_create) call>
using convolution_backward_data_by =
        creation<desc_of<kind, direction::backward_data>, decltype(call), call,
                algorithm, diff<src>, weights, diff<dst>, strides, dilates,
                padding_l, padding_r, hint<forward>>;

template <dnnl_primitive_kind_t kind, typename forward,
        decltype(&dnnl_convolution_backward_weights_primitive_desc_create) call>
using convolution_backward_weights_by =
        creation<desc_of<kind, direction::backward_weights, with_diff_bias>,
                decltype(call), call, algorithm, src, diff<weights>, diff<bias>,
                diff<dst>, strides, dilates, padding_l, padding_r,
                hint<forward>>;

struct convolution_backward_data
    : convolution_backward_data_by<dnnl_convolution, convolution_forward_desc,
              dnnl_convolution_backward_data_primitive_desc_create> {
    typedef described<convolution_backward_data, all, without<dilates>>
            constructors;
};

struct convolution_backward_weights
    : convolution_backward_weights_by<dnnl_convolution,
              convolution_forward_desc,
              dnnl_convolution_backward_weights_primitive_desc_create> {
    typedef described<convolution_backward_weights, all, without<diff<bias>>,
            without<dilates>, without<diff<bias>, dilates>>
            constructors;
};

struct deconvolution_backward_data
    : convolution_backward_data_by<dnnl_deconvolution,
              deconvolution_forward_desc,
              dnnl_deconvolution_backward_data_primitive_desc_create> {
    typedef described<deconvolution_backward_data, all, without<dilates>>
            constructors;
};

struct deconvolution_backward_weights
    : convolution_backward_weights_by<dnnl_deconvolution,
              deconvolution_forward_desc,
              dnnl_deconvolution_backward_weights_primitive_desc_create> {
    typedef described<deconvolution_backward_weights, all, without<diff<bias>>,
            without<dilates>, without<diff<bias>, dilates>>
            constructors;
};

} // namespace arg
} // namespace detail

/* Not supported: dnnl_NAME_primitive_desc_create(), of layer normalizations
 * dnnl_NAME_primitive_desc_create_v2(). What a forward descriptor may be
 * created without may be left out here, too. */
DNNL_CACHE_KIND(eltwise_backward)
DNNL_CACHE_KIND(softmax_backward)
DNNL_CACHE_KIND(lrn_backward)
DNNL_CACHE_KIND(shuffle_backward)
DNNL_CACHE_KIND(prelu_backward)
DNNL_CACHE_KIND(resampling_backward)
DNNL_CACHE_KIND(pooling_backward)
DNNL_CACHE_KIND(batch_normalization_backward)
DNNL_CACHE_KIND(group_normalization_backward)
DNNL_CACHE_KIND(layer_normalization_backward)
DNNL_CACHE_KIND(inner_product_backward_data)
DNNL_CACHE_KIND(inner_product_backward_weights)
DNNL_CACHE_KIND(convolution_backward_data)
DNNL_CACHE_KIND(convolution_backward_weights)
DNNL_CACHE_KIND(deconvolution_backward_data)
DNNL_CACHE_KIND(deconvolution_backward_weights)

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_BACKWARD_HPP */
