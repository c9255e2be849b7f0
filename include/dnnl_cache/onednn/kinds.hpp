/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.hpp: the kinds of primitives.
 *
 * Each has a primitive_desc of its own, from which it is created as primitive
 * says. The constructors of the descriptors have the arguments of the C calls
 * in dnnl_cache.h: an engine first, at the end attributes and allow_empty,
 * which may be left out. With allow_empty a C call that fails gives an empty
 * descriptor instead of an error. Lists of strides, of a kernel, dilates and
 * paddings must have a number for each spatial dimension, or the constructors
 * throw dnnl_invalid_arguments, also with allow_empty. Each descriptor can also
 * be created from a C descriptor of its kind and direction: it refers to a
 * copy, and the caller keeps the original. A C descriptor of another kind or
 * direction throws dnnl_invalid_arguments.
 */
#ifndef DNNL_CACHE_ONEDNN_KINDS_HPP
#define DNNL_CACHE_ONEDNN_KINDS_HPP

#include "constructors.hpp"

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{

/* Getters of descriptors of normalizations. */
struct normalization_desc : public primitive_desc {
    /* A descriptor without dimensions if the statistics are neither inputs nor
     * outputs. */
    memory::desc mean_desc() const
    {
        return query_md(query::exec_arg_md, DNNL_ARG_MEAN);
    }
    memory::desc variance_desc() const
    {
        return query_md(query::exec_arg_md, DNNL_ARG_VARIANCE);
    }
    /* Descriptor of scale and shift; without dimensions if there is neither. */
    memory::desc weights_desc() const
    {
        const memory::desc scale = query_md(query::exec_arg_md, DNNL_ARG_SCALE);
        return scale.get_ndims() > 0
                       ? scale
                       : query_md(query::exec_arg_md, DNNL_ARG_SHIFT);
    }
    normalization_flags get_flags() const
    {
        return primitive_desc::get_flags<normalization_flags>();
    }
};

namespace detail
{

/* Getters of some kinds. */
struct with_operands : public primitive_desc {
    /* The descriptors of the operands. */
    memory::desc src0_desc() const { return src_desc(0); }
    memory::desc src1_desc() const { return src_desc(1); }
    memory::desc src2_desc() const { return src_desc(2); }
};

struct with_bias : public primitive_desc {
    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }
};

namespace arg
{

struct eltwise_forward
    : creation<desc_of<dnnl_eltwise, direction::forward>,
              DNNL_CACHE_CALL(dnnl_eltwise_forward_primitive_desc_create),
              prop_kind, algorithm, src, dst, alpha, beta> {
    typedef described<eltwise_forward, all, without<beta>, without<alpha, beta>>
            constructors;
};

struct shuffle_forward
    : creation<desc_of<dnnl_shuffle, direction::forward>,
              DNNL_CACHE_CALL(dnnl_shuffle_forward_primitive_desc_create),
              prop_kind, src, dst, axis, group_size> {
    typedef described<shuffle_forward, all> constructors;
};

struct reduction
    : creation<desc_of<dnnl_reduction, direction::none>,
              DNNL_CACHE_CALL(dnnl_reduction_primitive_desc_create), algorithm,
              src, dst, p, epsilon> {
    typedef described<reduction, all> constructors;
};

struct resampling_forward
    : creation<desc_of<dnnl_resampling, direction::forward>,
              DNNL_CACHE_CALL(dnnl_resampling_forward_primitive_desc_create),
              prop_kind, algorithm, factors, src, dst> {
    typedef described<resampling_forward, all, without<dst>, without<factors>>
            constructors;
};

struct softmax_forward
    : creation<desc_of<dnnl_softmax, direction::forward>,
              DNNL_CACHE_CALL(dnnl_softmax_forward_primitive_desc_create),
              prop_kind, algorithm, src, dst, axis> {
    typedef described<softmax_forward, all> constructors;
};

struct binary : creation<desc_of<dnnl_binary, direction::none, with_operands>,
                        DNNL_CACHE_CALL(dnnl_binary_primitive_desc_create_v2),
                        algorithm, src0, src1, src2, dst> {
    typedef described<binary, all, without<src2>> constructors;
};

struct prelu_forward
    : creation<desc_of<dnnl_prelu, direction::forward>,
              DNNL_CACHE_CALL(dnnl_prelu_forward_primitive_desc_create),
              prop_kind, src, weights, dst> {
    typedef described<prelu_forward, all> constructors;
};

struct lrn_forward
    : creation<desc_of<dnnl_lrn, direction::forward>,
              DNNL_CACHE_CALL(dnnl_lrn_forward_primitive_desc_create),
              prop_kind, algorithm, src, dst, local_size, alpha, beta, k> {
    typedef described<lrn_forward, all> constructors;
};

struct batch_normalization_forward
    : creation<desc_of<dnnl_batch_normalization, direction::forward,
                       normalization_desc>,
              DNNL_CACHE_CALL(
                      dnnl_batch_normalization_forward_primitive_desc_create),
              prop_kind, src, dst, epsilon, flags> {
    typedef described<batch_normalization_forward, all> constructors;
};

struct layer_normalization_forward
    : creation<desc_of<dnnl_layer_normalization, direction::forward,
                       normalization_desc>,
              DNNL_CACHE_CALL(
                      dnnl_layer_normalization_forward_primitive_desc_create_v2),
              prop_kind, src, dst, stat, scale_shift_type, epsilon, flags> {
    typedef described<layer_normalization_forward, all,
            without<scale_shift_type>, without<stat>,
            without<stat, scale_shift_type>>
            constructors;
};

struct group_normalization_forward
    : creation<desc_of<dnnl_group_normalization, direction::forward,
                       normalization_desc>,
              DNNL_CACHE_CALL(
                      dnnl_group_normalization_forward_primitive_desc_create),
              prop_kind, src, dst, groups, epsilon, flags> {
    typedef described<group_normalization_forward, all> constructors;
};

struct matmul : creation<desc_of<dnnl_matmul, direction::none, with_bias>,
                        DNNL_CACHE_CALL(dnnl_matmul_primitive_desc_create), src,
                        weights, bias, dst> {
    typedef described<matmul, all, without<bias>> constructors;
};

struct inner_product_forward
    : creation<desc_of<dnnl_inner_product, direction::forward, with_bias>,
              DNNL_CACHE_CALL(dnnl_inner_product_forward_primitive_desc_create),
              prop_kind, src, weights, bias, dst> {
    typedef described<inner_product_forward, all, without<bias>> constructors;
};

/* Convolution and deconvolution, whose C calls have the same arguments. */
template <dnnl_primitive_kind_t kind,
        decltype(&dnnl_convolution_forward_primitive_desc_create) call>
using convolution_forward_by =
        creation<desc_of<kind, direction::forward, with_bias>, decltype(call),
                call, prop_kind, algorithm, src, weights, bias, dst, strides,
                dilates, padding_l, padding_r>;

struct convolution_forward
    : convolution_forward_by<dnnl_convolution,
              dnnl_convolution_forward_primitive_desc_create> {
    typedef described<convolution_forward, all, without<bias>, without<dilates>,
            without<bias, dilates>>
            constructors;
};

struct deconvolution_forward
    : convolution_forward_by<dnnl_deconvolution,
              dnnl_deconvolution_forward_primitive_desc_create> {
    typedef described<deconvolution_forward, all, without<bias>,
            without<dilates>, without<bias, dilates>>
            constructors;
};

struct pooling_forward
    : creation<desc_of<dnnl_pooling, direction::forward>,
              DNNL_CACHE_CALL(dnnl_pooling_forward_primitive_desc_create),
              prop_kind, algorithm, src, dst, strides, kernel, dilates,
              padding_l, padding_r> {
    typedef described<pooling_forward, all> constructors;
};

} // namespace arg
} // namespace detail

/* dst = f(src), element by element:
 * dnnl_eltwise_forward_primitive_desc_create(). Also without beta, and without
 * alpha and beta, which are 0 then. */
DNNL_CACHE_KIND(eltwise_forward)

/* The elements along an axis, shuffled in groups:
 * dnnl_shuffle_forward_primitive_desc_create(). */
DNNL_CACHE_KIND(shuffle_forward)

/* src reduced over some dimensions: dnnl_reduction_primitive_desc_create(). */
DNNL_CACHE_KIND(reduction)

/* dst = src at another resolution:
 * dnnl_resampling_forward_primitive_desc_create(). Also without dst, and
 * without factors. dnnl_invalid_arguments also if there are not as many factors
 * as spatial dimensions, with allow_empty too. */
DNNL_CACHE_KIND(resampling_forward)

/* Softmax or its logarithm along an axis:
 * dnnl_softmax_forward_primitive_desc_create(). */
DNNL_CACHE_KIND(softmax_forward)

/* dst = f(src0, src1), element by element: dnnl_binary_primitive_desc_create();
 * with src2 before dst dnnl_binary_primitive_desc_create_v2(). */
DNNL_CACHE_KIND(binary)

/* dst = src where positive, else src x weights:
 * dnnl_prelu_forward_primitive_desc_create(). */
DNNL_CACHE_KIND(prelu_forward)

/* Local response normalization: dnnl_lrn_forward_primitive_desc_create(). */
DNNL_CACHE_KIND(lrn_forward)

/* Each channel normalized:
 * dnnl_batch_normalization_forward_primitive_desc_create(). */
DNNL_CACHE_KIND(batch_normalization_forward)

/* Each line along the last dimension normalized:
 * dnnl_layer_normalization_forward_primitive_desc_create_v2(). Also without
 * stat (mean and variance laid out like src), without the data type of scale
 * and shift (f32), and without both. */
DNNL_CACHE_KIND(layer_normalization_forward)

/* Each group of channels of each batch element normalized:
 * dnnl_group_normalization_forward_primitive_desc_create(). */
DNNL_CACHE_KIND(group_normalization_forward)

/* dst = src x weights + bias: dnnl_matmul_primitive_desc_create(). Also without
 * bias. */
DNNL_CACHE_KIND(matmul)

/* dst = src x weights + bias, with each image of src as a row:
 * dnnl_inner_product_forward_primitive_desc_create(). Also without bias. */
DNNL_CACHE_KIND(inner_product_forward)

/* dst = src convolved with weights, + bias:
 * dnnl_convolution_forward_primitive_desc_create(). Also without bias, without
 * dilates (none), and without both. */
DNNL_CACHE_KIND(convolution_forward)

/* dst = src spread by weights, + bias:
 * dnnl_deconvolution_forward_primitive_desc_create(). Also without what a
 * convolution may lack. */
DNNL_CACHE_KIND(deconvolution_forward)

/* The maximum or mean of each window of src:
 * dnnl_pooling_forward_primitive_desc_create(). */
DNNL_CACHE_KIND(pooling_forward)

/* The srcs side by side along a dimension; without dst, one like srcs[0]:
 * dnnl_concat_primitive_desc_create. */
struct concat_desc : public detail::desc_of<dnnl_concat,
                             detail::direction::none, primitive_desc_base> {
    using desc_of::desc_of;
    concat_desc() = default;

    /* Arguments as of dnnl_concat_primitive_desc_create(). With allow_empty
     * a failure gives an empty handle instead of an error. */
    concat_desc(const engine &aengine, md_ref dst, int concat_dimension,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : concat_desc(
                aengine, dst.get(), concat_dimension, srcs, attr, allow_empty)
    {
    }
    concat_desc(const engine &aengine, int concat_dimension,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : concat_desc(
                aengine, nullptr, concat_dimension, srcs, attr, allow_empty)
    {
    }

  private:
    concat_desc(const engine &aengine, const_dnnl_memory_desc_t dst,
            int concat_dimension, const std::vector<memory::desc> &srcs,
            attr_ref attr, bool allow_empty)
    {
        const auto c_srcs = convert_to_c(srcs);
        create("could not create a descriptor of a concat primitive",
                allow_empty, dnnl_concat_primitive_desc_create, aengine, dst,
                detail::count_of(srcs), concat_dimension, c_srcs.data(), attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(concat)

/* dst = sum of scales[i] * srcs[i]; without dst, one like srcs[0]:
 * dnnl_sum_primitive_desc_create. dnnl_invalid_arguments also if there are not
 * as many scales as srcs, with allow_empty too. */
struct sum_desc : public detail::desc_of<dnnl_sum, detail::direction::none,
                          primitive_desc_base> {
    using desc_of::desc_of;
    sum_desc() = default;

    /* Arguments as of dnnl_sum_primitive_desc_create(). With allow_empty a
     * failure gives an empty handle instead of an error. */
    sum_desc(const engine &aengine, md_ref dst,
            const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : sum_desc(aengine, dst.get(), scales, srcs, attr, allow_empty)
    {
    }
    sum_desc(const engine &aengine, const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : sum_desc(aengine, nullptr, scales, srcs, attr, allow_empty)
    {
    }

  private:
    sum_desc(const engine &aengine, const_dnnl_memory_desc_t dst,
            const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs, attr_ref attr,
            bool allow_empty)
    {
        validate_container_size(scales,
                "not as many scales as sources of a sum",
                detail::count_of(srcs), detail::count_of(srcs));
        const auto c_srcs = convert_to_c(srcs);
        create("could not create a descriptor of a sum primitive", allow_empty,
                dnnl_sum_primitive_desc_create, aengine, dst,
                detail::count_of(srcs), scales.data(), c_srcs.data(), attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(sum)

/* dst = src in another layout, data type or place:
 * dnnl_reorder_primitive_desc_create. */
struct reorder_desc : public detail::desc_of<dnnl_reorder,
                              detail::direction::none, primitive_desc_base> {
    using desc_of::desc_of;
    reorder_desc() = default;

    /* Arguments as of dnnl_reorder_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    reorder_desc(const engine &src_engine, md_ref src, const engine &dst_engine,
            md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_reorder_primitive_desc_create(&made, src.get(),
                src_engine.get(), dst.get(), dst_engine.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a reorder");
    }
    reorder_desc(const memory &src, const memory &dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : reorder_desc(src.get_engine(), src.get_desc(), dst.get_engine(),
                dst.get_desc(), attr, allow_empty)
    {
    }

    /* The engines: borrowed. */
    engine get_src_engine() const
    {
        return ask_engine(query::reorder_src_engine);
    }
    engine get_dst_engine() const
    {
        return ask_engine(query::reorder_dst_engine);
    }
};

/* Copies a tensor into another layout or type, or to another engine. */
struct reorder : public detail::primitive_of<reorder_desc> {
    using primitive_of::primitive_of;
    reorder() = default;
    /* A reorder between memories with the descriptors and engines of these two.
     */
    reorder(const memory &src, const memory &dst,
            const primitive_attr &attr = primitive_attr())
        : primitive_of(primitive_desc(src, dst, attr))
    {
    }

    using primitive::execute;
    /* The same with its two arguments. */
    void execute(
            const stream &astream, const memory &src, const memory &dst) const
    {
        execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    }
};

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_KINDS_HPP */
