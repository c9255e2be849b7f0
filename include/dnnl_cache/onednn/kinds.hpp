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

#include "primitive_desc.hpp"

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{

/* dst = f(src), element by element: dnnl_eltwise_forward_primitive_desc_create.
 */
struct eltwise_forward_desc
    : public detail::desc_of<dnnl_eltwise, detail::direction::forward> {
    using desc_of::desc_of;
    eltwise_forward_desc() = default;

    /* Arguments as of dnnl_eltwise_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, float alpha,
            float beta, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of an element-wise primitive",
                allow_empty, dnnl_eltwise_forward_primitive_desc_create,
                aengine, aprop_kind, aalgorithm, src, dst, alpha, beta, attr);
    }
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, float alpha,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : eltwise_forward_desc(aengine, aprop_kind, aalgorithm, src, dst, alpha,
                0.0f, attr, allow_empty)
    {
    }
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : eltwise_forward_desc(aengine, aprop_kind, aalgorithm, src, dst, 0.0f,
                0.0f, attr, allow_empty)
    {
    }
};

DNNL_CACHE_PRIMITIVE_OF(eltwise_forward)

/* The elements along an axis, shuffled in groups:
 * dnnl_shuffle_forward_primitive_desc_create. */
struct shuffle_forward_desc
    : public detail::desc_of<dnnl_shuffle, detail::direction::forward> {
    using desc_of::desc_of;
    shuffle_forward_desc() = default;

    /* Arguments as of dnnl_shuffle_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    shuffle_forward_desc(const engine &aengine, prop_kind aprop_kind,
            md_ref src, md_ref dst, int axis, int group_size,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a shuffle primitive",
                allow_empty, dnnl_shuffle_forward_primitive_desc_create,
                aengine, aprop_kind, src, dst, axis, group_size, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(shuffle_forward)

/* src reduced over some dimensions: dnnl_reduction_primitive_desc_create. */
struct reduction_desc
    : public detail::desc_of<dnnl_reduction, detail::direction::none> {
    using desc_of::desc_of;
    reduction_desc() = default;

    /* Arguments as of dnnl_reduction_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    reduction_desc(const engine &aengine, algorithm aalgorithm, md_ref src,
            md_ref dst, float p, float epsilon,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a reduction", allow_empty,
                dnnl_reduction_primitive_desc_create, aengine, aalgorithm, src,
                dst, p, epsilon, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(reduction)

/* dst = src at another resolution:
 * dnnl_resampling_forward_primitive_desc_create. dnnl_invalid_arguments also if
 * there are not as many factors as spatial dimensions, with allow_empty too. */
struct resampling_forward_desc
    : public detail::desc_of<dnnl_resampling, detail::direction::forward> {
    using desc_of::desc_of;
    resampling_forward_desc() = default;

    /* Arguments as of dnnl_resampling_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, call(), aengine, aprop_kind, aalgorithm,
                nullptr, src, dst, attr);
    }
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const std::vector<float> &factors, md_ref src,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, call(), aengine, aprop_kind, aalgorithm,
                detail::factors_of(factors, src), src, nullptr, attr);
    }
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const std::vector<float> &factors, md_ref src,
            md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create(message(), allow_empty, call(), aengine, aprop_kind, aalgorithm,
                detail::factors_of(factors, src), src, dst, attr);
    }

  private:
    static const char *message()
    {
        return "could not create a descriptor of a resampling primitive";
    }
    static decltype(&dnnl_resampling_forward_primitive_desc_create) call()
    {
        return dnnl_resampling_forward_primitive_desc_create;
    }
};

DNNL_CACHE_PRIMITIVE_OF(resampling_forward)

/* Softmax or its logarithm along an axis:
 * dnnl_softmax_forward_primitive_desc_create. */
struct softmax_forward_desc
    : public detail::desc_of<dnnl_softmax, detail::direction::forward> {
    using desc_of::desc_of;
    softmax_forward_desc() = default;

    /* Arguments as of dnnl_softmax_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    softmax_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, int axis,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a softmax primitive",
                allow_empty, dnnl_softmax_forward_primitive_desc_create,
                aengine, aprop_kind, aalgorithm, src, dst, axis, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(softmax_forward)

/* dst = f(src0, src1), element by element: dnnl_binary_primitive_desc_create,
 * with src2 dnnl_binary_primitive_desc_create_v2. */
struct binary_desc
    : public detail::desc_of<dnnl_binary, detail::direction::none> {
    using desc_of::desc_of;
    binary_desc() = default;

    /* Arguments as of dnnl_binary_primitive_desc_create(). With allow_empty
     * a failure gives an empty handle instead of an error. */
    binary_desc(const engine &aengine, algorithm aalgorithm, md_ref src0,
            md_ref src1, md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a binary primitive",
                allow_empty, dnnl_binary_primitive_desc_create, aengine,
                aalgorithm, src0, src1, dst, attr);
    }
    binary_desc(const engine &aengine, algorithm aalgorithm, md_ref src0,
            md_ref src1, md_ref src2, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a binary primitive",
                allow_empty, dnnl_binary_primitive_desc_create_v2, aengine,
                aalgorithm, src0, src1, src2, dst, attr);
    }

    /* The descriptors of the operands. */
    memory::desc src0_desc() const { return src_desc(0); }
    memory::desc src1_desc() const { return src_desc(1); }
    memory::desc src2_desc() const { return src_desc(2); }
};

DNNL_CACHE_PRIMITIVE_OF(binary)

/* dst = src where positive, else src x weights:
 * dnnl_prelu_forward_primitive_desc_create. */
struct prelu_forward_desc
    : public detail::desc_of<dnnl_prelu, detail::direction::forward> {
    using desc_of::desc_of;
    prelu_forward_desc() = default;

    /* Arguments as of dnnl_prelu_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    prelu_forward_desc(const engine &aengine, prop_kind aprop_kind, md_ref src,
            md_ref weights, md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a PReLU primitive",
                allow_empty, dnnl_prelu_forward_primitive_desc_create, aengine,
                aprop_kind, src, weights, dst, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(prelu_forward)

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

/* Local response normalization: dnnl_lrn_forward_primitive_desc_create. */
struct lrn_forward_desc
    : public detail::desc_of<dnnl_lrn, detail::direction::forward> {
    using desc_of::desc_of;
    lrn_forward_desc() = default;

    /* Arguments as of dnnl_lrn_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    lrn_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst,
            memory::dim local_size, float alpha, float beta, float k,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a local response "
               "normalization",
                allow_empty, dnnl_lrn_forward_primitive_desc_create, aengine,
                aprop_kind, aalgorithm, src, dst, local_size, alpha, beta, k,
                attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(lrn_forward)

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

/* Each channel normalized:
 * dnnl_batch_normalization_forward_primitive_desc_create. */
struct batch_normalization_forward_desc
    : public detail::desc_of<dnnl_batch_normalization,
              detail::direction::forward, normalization_desc> {
    using desc_of::desc_of;
    batch_normalization_forward_desc() = default;

    /* Arguments as of
     * dnnl_batch_normalization_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    batch_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a batch normalization",
                allow_empty,
                dnnl_batch_normalization_forward_primitive_desc_create, aengine,
                aprop_kind, src, dst, epsilon, flags, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(batch_normalization_forward)

/* Each line along the last dimension normalized:
 * dnnl_layer_normalization_forward_primitive_desc_create. */
struct layer_normalization_forward_desc
    : public detail::desc_of<dnnl_layer_normalization,
              detail::direction::forward, normalization_desc> {
    using desc_of::desc_of;
    layer_normalization_forward_desc() = default;

    /* Arguments as of
     * dnnl_layer_normalization_forward_primitive_desc_create_v2(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, md_ref stat,
            float epsilon, normalization_flags flags,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                stat.get(), memory::data_type::f32, epsilon, flags, attr,
                allow_empty)
    {
    }
    /* Mean and variance laid out like src. */
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                nullptr, memory::data_type::f32, epsilon, flags, attr,
                allow_empty)
    {
    }
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, md_ref stat,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                stat.get(), scale_shift_data_type, epsilon, flags, attr,
                allow_empty)
    {
    }
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                nullptr, scale_shift_data_type, epsilon, flags, attr,
                allow_empty)
    {
    }

  private:
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst,
            const_dnnl_memory_desc_t stat,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, attr_ref attr, bool allow_empty)
    {
        create("could not create a descriptor of a layer normalization",
                allow_empty,
                dnnl_layer_normalization_forward_primitive_desc_create_v2,
                aengine, aprop_kind, src, dst, stat, scale_shift_data_type,
                epsilon, flags, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(layer_normalization_forward)

/* Each group of channels of each batch element normalized:
 * dnnl_group_normalization_forward_primitive_desc_create. */
struct group_normalization_forward_desc
    : public detail::desc_of<dnnl_group_normalization,
              detail::direction::forward, normalization_desc> {
    using desc_of::desc_of;
    group_normalization_forward_desc() = default;

    /* Arguments as of
     * dnnl_group_normalization_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    group_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, memory::dim groups,
            float epsilon, normalization_flags flags,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a group normalization",
                allow_empty,
                dnnl_group_normalization_forward_primitive_desc_create, aengine,
                aprop_kind, src, dst, groups, epsilon, flags, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(group_normalization_forward)

/* dst = src x weights + bias: dnnl_matmul_primitive_desc_create. */
struct matmul_desc
    : public detail::desc_of<dnnl_matmul, detail::direction::none> {
    using desc_of::desc_of;
    matmul_desc() = default;

    /* Arguments as of dnnl_matmul_primitive_desc_create(). With allow_empty
     * a failure gives an empty handle instead of an error. */
    matmul_desc(const engine &aengine, md_ref src, md_ref weights, md_ref bias,
            md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a matrix product", allow_empty,
                dnnl_matmul_primitive_desc_create, aengine, src, weights, bias,
                dst, attr);
    }
    matmul_desc(const engine &aengine, md_ref src, md_ref weights, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a matrix product", allow_empty,
                dnnl_matmul_primitive_desc_create, aengine, src, weights,
                nullptr, dst, attr);
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }
};

DNNL_CACHE_PRIMITIVE_OF(matmul)

/* dst = src x weights + bias, with each image of src as a row:
 * dnnl_inner_product_forward_primitive_desc_create. */
struct inner_product_forward_desc
    : public detail::desc_of<dnnl_inner_product, detail::direction::forward> {
    using desc_of::desc_of;
    inner_product_forward_desc() = default;

    /* Arguments as of dnnl_inner_product_forward_primitive_desc_create().
     * With allow_empty a failure gives an empty handle instead of an error. */
    inner_product_forward_desc(const engine &aengine, prop_kind aprop_kind,
            md_ref src, md_ref weights, md_ref bias, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of an inner product", allow_empty,
                dnnl_inner_product_forward_primitive_desc_create, aengine,
                aprop_kind, src, weights, bias, dst, attr);
    }
    inner_product_forward_desc(const engine &aengine, prop_kind aprop_kind,
            md_ref src, md_ref weights, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of an inner product", allow_empty,
                dnnl_inner_product_forward_primitive_desc_create, aengine,
                aprop_kind, src, weights, nullptr, dst, attr);
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }
};

DNNL_CACHE_PRIMITIVE_OF(inner_product_forward)

namespace detail
{

/* Descriptors of convolution_forward and deconvolution_forward, whose C calls
 * have the same arguments. Strides, dilates and paddings must have one number
 * for each spatial dimension, or the constructors throw dnnl_invalid_arguments,
 * also with allow_empty. */
template <dnnl_primitive_kind_t kind,
        decltype(&dnnl_convolution_forward_primitive_desc_create) call>
struct convolution_forward_desc : public desc_of<kind, direction::forward> {
    using desc_of<kind, direction::forward>::desc_of;
    convolution_forward_desc() = default;

    /* Arguments as of dnnl_convolution_forward_primitive_desc_create().
     * With allow_empty a failure gives an empty handle instead of an error. */
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref bias,
            md_ref dst, dims_ref strides, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, bias, dst, strides, memory::dims(strides.size()),
                padding_l, padding_r, attr, allow_empty)
    {
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref dst,
            dims_ref strides, dims_ref padding_l, dims_ref padding_r,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, dst, strides, memory::dims(strides.size()), padding_l,
                padding_r, attr, allow_empty)
    {
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref bias,
            md_ref dst, dims_ref strides, dims_ref dilates, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        this->create(message(), allow_empty, call, aengine, aprop_kind,
                aalgorithm, src, weights, bias, dst, spatial_of(strides, src),
                spatial_of(dilates, src), spatial_of(padding_l, src),
                spatial_of(padding_r, src), attr);
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref dst,
            dims_ref strides, dims_ref dilates, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        this->create(message(), allow_empty, call, aengine, aprop_kind,
                aalgorithm, src, weights, nullptr, dst,
                spatial_of(strides, src), spatial_of(dilates, src),
                spatial_of(padding_l, src), spatial_of(padding_r, src), attr);
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return this->weights_desc(1); }

  private:
    static const char *message()
    {
        return kind == dnnl_convolution
                       ? "could not create a descriptor of a convolution"
                       : "could not create a descriptor of a deconvolution";
    }
};

} // namespace detail

/* dst = src convolved with weights, + bias:
 * dnnl_convolution_forward_primitive_desc_create. */
typedef detail::convolution_forward_desc<dnnl_convolution,
        dnnl_convolution_forward_primitive_desc_create>
        convolution_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(convolution_forward)

/* dst = src spread by weights, + bias:
 * dnnl_deconvolution_forward_primitive_desc_create. */
typedef detail::convolution_forward_desc<dnnl_deconvolution,
        dnnl_deconvolution_forward_primitive_desc_create>
        deconvolution_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(deconvolution_forward)

/* The maximum or mean of each window of src:
 * dnnl_pooling_forward_primitive_desc_create. dnnl_invalid_arguments also if a
 * list has no number for a spatial dimension. */
struct pooling_forward_desc
    : public detail::desc_of<dnnl_pooling, detail::direction::forward> {
    using desc_of::desc_of;
    pooling_forward_desc() = default;

    /* Arguments as of dnnl_pooling_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    pooling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, dims_ref strides,
            dims_ref kernel, dims_ref dilation, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        using detail::spatial_of;
        create("could not create a descriptor of a pooling primitive",
                allow_empty, dnnl_pooling_forward_primitive_desc_create,
                aengine, aprop_kind, aalgorithm, src, dst,
                spatial_of(strides, src), spatial_of(kernel, src),
                spatial_of(dilation, src), spatial_of(padding_l, src),
                spatial_of(padding_r, src), attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(pooling_forward)

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
