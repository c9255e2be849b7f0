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

/* Not supported: dnnl_eltwise_backward_primitive_desc_create(). */
struct eltwise_backward_desc
    : public detail::desc_of<dnnl_eltwise, detail::direction::backward_data> {
    using desc_of::desc_of;
    eltwise_backward_desc() = default;

    /* Arguments as of dnnl_eltwise_backward_primitive_desc_create(), which
     * is not supported. */
    eltwise_backward_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref diff_dst, md_ref data, float alpha,
            float beta, const eltwise_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a backward element-wise "
               "primitive",
                allow_empty, dnnl_eltwise_backward_primitive_desc_create,
                aengine, aalgorithm, diff_src, diff_dst, data, alpha, beta,
                hint, attr);
    }
    eltwise_backward_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref diff_dst, md_ref data, float alpha,
            const eltwise_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : eltwise_backward_desc(aengine, aalgorithm, diff_src, diff_dst, data,
                alpha, 0.0f, hint, attr, allow_empty)
    {
    }
    eltwise_backward_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref diff_dst, md_ref data,
            const eltwise_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : eltwise_backward_desc(aengine, aalgorithm, diff_src, diff_dst, data,
                0.0f, 0.0f, hint, attr, allow_empty)
    {
    }
};

DNNL_CACHE_PRIMITIVE_OF(eltwise_backward)

/* Not supported: dnnl_softmax_backward_primitive_desc_create(). */
struct softmax_backward_desc
    : public detail::desc_of<dnnl_softmax, detail::direction::backward_data> {
    using desc_of::desc_of;
    softmax_backward_desc() = default;

    /* Arguments as of dnnl_softmax_backward_primitive_desc_create(), which
     * is not supported. */
    softmax_backward_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref diff_dst, md_ref dst, int axis,
            const softmax_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a backward softmax primitive",
                allow_empty, dnnl_softmax_backward_primitive_desc_create,
                aengine, aalgorithm, diff_src, diff_dst, dst, axis, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(softmax_backward)

/* Not supported: dnnl_lrn_backward_primitive_desc_create(). */
struct lrn_backward_desc
    : public detail::desc_of<dnnl_lrn, detail::direction::backward_data> {
    using desc_of::desc_of;
    lrn_backward_desc() = default;

    /* Arguments as of dnnl_lrn_backward_primitive_desc_create(), which is
     * not supported. */
    lrn_backward_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref diff_dst, md_ref src,
            memory::dim local_size, float alpha, float beta, float k,
            const lrn_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a backward local response "
               "normalization",
                allow_empty, dnnl_lrn_backward_primitive_desc_create, aengine,
                aalgorithm, diff_src, diff_dst, src, local_size, alpha, beta, k,
                hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(lrn_backward)

/* Not supported: dnnl_shuffle_backward_primitive_desc_create(). */
struct shuffle_backward_desc
    : public detail::desc_of<dnnl_shuffle, detail::direction::backward_data> {
    using desc_of::desc_of;
    shuffle_backward_desc() = default;

    /* Arguments as of dnnl_shuffle_backward_primitive_desc_create(), which
     * is not supported. */
    shuffle_backward_desc(const engine &aengine, md_ref diff_src,
            md_ref diff_dst, int axis, int group_size,
            const shuffle_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a backward shuffle primitive",
                allow_empty, dnnl_shuffle_backward_primitive_desc_create,
                aengine, diff_src, diff_dst, axis, group_size, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(shuffle_backward)

/* Not supported: dnnl_prelu_backward_primitive_desc_create(). */
struct prelu_backward_desc
    : public detail::desc_of<dnnl_prelu, detail::direction::backward> {
    using desc_of::desc_of;
    prelu_backward_desc() = default;

    /* Arguments as of dnnl_prelu_backward_primitive_desc_create(), which is
     * not supported. */
    prelu_backward_desc(const engine &aengine, md_ref src, md_ref weights,
            md_ref diff_src, md_ref diff_weights, md_ref diff_dst,
            const prelu_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a backward PReLU primitive",
                allow_empty, dnnl_prelu_backward_primitive_desc_create, aengine,
                src, weights, diff_src, diff_weights, diff_dst, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(prelu_backward)

/* Not supported: dnnl_resampling_backward_primitive_desc_create(). */
struct resampling_backward_desc : public detail::desc_of<dnnl_resampling,
                                          detail::direction::backward_data> {
    using desc_of::desc_of;
    resampling_backward_desc() = default;

    /* Arguments as of dnnl_resampling_backward_primitive_desc_create(),
     * which is not supported. */
    resampling_backward_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref diff_dst,
            const resampling_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a backward resampling "
               "primitive",
                allow_empty, dnnl_resampling_backward_primitive_desc_create,
                aengine, aalgorithm, nullptr, diff_src, diff_dst, hint, attr);
    }
    resampling_backward_desc(const engine &aengine, algorithm aalgorithm,
            const std::vector<float> &factors, md_ref diff_src, md_ref diff_dst,
            const resampling_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a backward resampling "
               "primitive",
                allow_empty, dnnl_resampling_backward_primitive_desc_create,
                aengine, aalgorithm, detail::factors_of(factors, diff_src),
                diff_src, diff_dst, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(resampling_backward)

/* Not supported: dnnl_pooling_backward_primitive_desc_create(). */
struct pooling_backward_desc
    : public detail::desc_of<dnnl_pooling, detail::direction::backward_data> {
    using desc_of::desc_of;
    pooling_backward_desc() = default;

    /* Arguments as of dnnl_pooling_backward_primitive_desc_create(), which
     * is not supported. */
    pooling_backward_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref diff_dst, dims_ref strides, dims_ref kernel,
            dims_ref dilation, dims_ref padding_l, dims_ref padding_r,
            const pooling_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a backward pooling primitive",
                allow_empty, dnnl_pooling_backward_primitive_desc_create,
                aengine, aalgorithm, diff_src, diff_dst,
                detail::spatial_of(strides, diff_src),
                detail::spatial_of(kernel, diff_src),
                detail::spatial_of(dilation, diff_src),
                detail::spatial_of(padding_l, diff_src),
                detail::spatial_of(padding_r, diff_src), hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(pooling_backward)

/* Not supported: dnnl_batch_normalization_backward_primitive_desc_create(). */
struct batch_normalization_backward_desc
    : public detail::desc_of<dnnl_batch_normalization,
              detail::direction::backward_any, normalization_desc> {
    using desc_of::desc_of;
    batch_normalization_backward_desc() = default;

    /* Arguments as of
     * dnnl_batch_normalization_backward_primitive_desc_create(), which is
     * not supported. */
    batch_normalization_backward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref diff_src, md_ref diff_dst, md_ref src,
            float epsilon, normalization_flags flags,
            const batch_normalization_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a backward batch "
               "normalization",
                allow_empty,
                dnnl_batch_normalization_backward_primitive_desc_create,
                aengine, aprop_kind, diff_src, diff_dst, src, epsilon, flags,
                hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(batch_normalization_backward)

/* Not supported: dnnl_group_normalization_backward_primitive_desc_create(). */
struct group_normalization_backward_desc
    : public detail::desc_of<dnnl_group_normalization,
              detail::direction::backward_any, normalization_desc> {
    using desc_of::desc_of;
    group_normalization_backward_desc() = default;

    /* Arguments as of
     * dnnl_group_normalization_backward_primitive_desc_create(), which is
     * not supported. */
    group_normalization_backward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref diff_src, md_ref diff_dst, md_ref src,
            memory::dim groups, float epsilon, normalization_flags flags,
            const group_normalization_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a backward group "
               "normalization",
                allow_empty,
                dnnl_group_normalization_backward_primitive_desc_create,
                aengine, aprop_kind, diff_src, diff_dst, src, groups, epsilon,
                flags, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(group_normalization_backward)

/* Not supported:
 * dnnl_layer_normalization_backward_primitive_desc_create_v2(). */
struct layer_normalization_backward_desc
    : public detail::desc_of<dnnl_layer_normalization,
              detail::direction::backward_any, normalization_desc> {
    using desc_of::desc_of;
    layer_normalization_backward_desc() = default;

    /* Arguments as of
     * dnnl_layer_normalization_backward_primitive_desc_create_v2(), which
     * is not supported. */
    layer_normalization_backward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref diff_src, md_ref diff_dst, md_ref src,
            md_ref stat, float epsilon, normalization_flags flags,
            const layer_normalization_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : layer_normalization_backward_desc(aengine, aprop_kind, diff_src,
                diff_dst, src, stat, memory::data_type::f32,
                memory::data_type::f32, epsilon, flags, hint, attr, allow_empty)
    {
    }
    layer_normalization_backward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref diff_src, md_ref diff_dst, md_ref src,
            float epsilon, normalization_flags flags,
            const layer_normalization_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : layer_normalization_backward_desc(aengine, aprop_kind, diff_src,
                diff_dst, src, memory::data_type::f32, memory::data_type::f32,
                epsilon, flags, hint, attr, allow_empty)
    {
    }
    layer_normalization_backward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref diff_src, md_ref diff_dst, md_ref src,
            md_ref stat, memory::data_type diff_scale_shift,
            memory::data_type scale_shift, float epsilon,
            normalization_flags flags,
            const layer_normalization_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a backward layer "
               "normalization",
                allow_empty,
                dnnl_layer_normalization_backward_primitive_desc_create_v2,
                aengine, aprop_kind, diff_src, diff_dst, src, stat,
                diff_scale_shift, scale_shift, epsilon, flags, hint, attr);
    }
    layer_normalization_backward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref diff_src, md_ref diff_dst, md_ref src,
            memory::data_type diff_scale_shift, memory::data_type scale_shift,
            float epsilon, normalization_flags flags,
            const layer_normalization_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a backward layer "
               "normalization",
                allow_empty,
                dnnl_layer_normalization_backward_primitive_desc_create_v2,
                aengine, aprop_kind, diff_src, diff_dst, src, nullptr,
                diff_scale_shift, scale_shift, epsilon, flags, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(layer_normalization_backward)

/* Not supported: dnnl_inner_product_backward_data_primitive_desc_create(). */
struct inner_product_backward_data_desc
    : public detail::desc_of<dnnl_inner_product,
              detail::direction::backward_data> {
    using desc_of::desc_of;
    inner_product_backward_data_desc() = default;

    /* Arguments as of
     * dnnl_inner_product_backward_data_primitive_desc_create(), which is
     * not supported. */
    inner_product_backward_data_desc(const engine &aengine, md_ref diff_src,
            md_ref weights, md_ref diff_dst,
            const inner_product_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of an inner product's backward "
               "by data",
                allow_empty,
                dnnl_inner_product_backward_data_primitive_desc_create, aengine,
                diff_src, weights, diff_dst, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(inner_product_backward_data)

/* Not supported:
 * dnnl_inner_product_backward_weights_primitive_desc_create(). */
struct inner_product_backward_weights_desc
    : public detail::desc_of<dnnl_inner_product,
              detail::direction::backward_weights> {
    using desc_of::desc_of;
    inner_product_backward_weights_desc() = default;

    /* Arguments as of
     * dnnl_inner_product_backward_weights_primitive_desc_create(), which is
     * not supported. */
    inner_product_backward_weights_desc(const engine &aengine, md_ref src,
            md_ref diff_weights, md_ref diff_bias, md_ref diff_dst,
            const inner_product_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of an inner product's backward "
               "by weights",
                allow_empty,
                dnnl_inner_product_backward_weights_primitive_desc_create,
                aengine, src, diff_weights, diff_bias, diff_dst, hint, attr);
    }
    inner_product_backward_weights_desc(const engine &aengine, md_ref src,
            md_ref diff_weights, md_ref diff_dst,
            const inner_product_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of an inner product's backward "
               "by weights",
                allow_empty,
                dnnl_inner_product_backward_weights_primitive_desc_create,
                aengine, src, diff_weights, nullptr, diff_dst, hint, attr);
    }

    /* Without dimensions if there is none. */
    memory::desc diff_bias_desc() const { return diff_weights_desc(1); }
};

DNNL_CACHE_PRIMITIVE_OF(inner_product_backward_weights)

namespace detail
{

/* Of convolution_backward_data and deconvolution_backward_data, whose C calls
 * have the same arguments. */
template <dnnl_primitive_kind_t kind, typename forward,
        decltype(&dnnl_convolution_backward_data_primitive_desc_create) call>
/* Not supported: dnnl_convolution_backward_weights_primitive_desc_create(). */
struct convolution_backward_data_desc
    : public desc_of<kind, direction::backward_data> {
    using desc_of<kind, direction::backward_data>::desc_of;
    convolution_backward_data_desc() = default;

    /* Arguments as of
     * dnnl_convolution_backward_weights_primitive_desc_create(), which is
     * not supported. */
    convolution_backward_data_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref weights, md_ref diff_dst, dims_ref strides,
            dims_ref padding_l, dims_ref padding_r, const forward &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : convolution_backward_data_desc(aengine, aalgorithm, diff_src, weights,
                diff_dst, strides, memory::dims(strides.size()), padding_l,
                padding_r, hint, attr, allow_empty)
    {
    }
    convolution_backward_data_desc(const engine &aengine, algorithm aalgorithm,
            md_ref diff_src, md_ref weights, md_ref diff_dst, dims_ref strides,
            dims_ref dilates, dims_ref padding_l, dims_ref padding_r,
            const forward &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        this->create(message(), allow_empty, call, aengine, aalgorithm,
                diff_src, weights, diff_dst, spatial_of(strides, diff_src),
                spatial_of(dilates, diff_src), spatial_of(padding_l, diff_src),
                spatial_of(padding_r, diff_src), hint, attr);
    }

  private:
    static const char *message()
    {
        return kind == dnnl_convolution ? "could not create a descriptor of a "
                                          "convolution's backward by data"
                                        : "could not create a descriptor of a "
                                          "deconvolution's backward by data";
    }
};

/* Of convolution_backward_weights and deconvolution_backward_weights, whose C
 * calls have the same arguments. */
template <dnnl_primitive_kind_t kind, typename forward,
        decltype(&dnnl_convolution_backward_weights_primitive_desc_create) call>
/* Not supported: dnnl_convolution_backward_data_primitive_desc_create(). */
struct convolution_backward_weights_desc
    : public desc_of<kind, direction::backward_weights> {
    using desc_of<kind, direction::backward_weights>::desc_of;
    convolution_backward_weights_desc() = default;

    /* Arguments as of
     * dnnl_convolution_backward_data_primitive_desc_create(), which is not
     * supported. */
    convolution_backward_weights_desc(const engine &aengine,
            algorithm aalgorithm, md_ref src, md_ref diff_weights,
            md_ref diff_bias, md_ref diff_dst, dims_ref strides,
            dims_ref padding_l, dims_ref padding_r, const forward &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : convolution_backward_weights_desc(aengine, aalgorithm, src,
                diff_weights, diff_bias, diff_dst, strides,
                memory::dims(strides.size()), padding_l, padding_r, hint, attr,
                allow_empty)
    {
    }
    convolution_backward_weights_desc(const engine &aengine,
            algorithm aalgorithm, md_ref src, md_ref diff_weights,
            md_ref diff_dst, dims_ref strides, dims_ref padding_l,
            dims_ref padding_r, const forward &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : convolution_backward_weights_desc(aengine, aalgorithm, src,
                diff_weights, diff_dst, strides, memory::dims(strides.size()),
                padding_l, padding_r, hint, attr, allow_empty)
    {
    }
    convolution_backward_weights_desc(const engine &aengine,
            algorithm aalgorithm, md_ref src, md_ref diff_weights,
            md_ref diff_bias, md_ref diff_dst, dims_ref strides,
            dims_ref dilates, dims_ref padding_l, dims_ref padding_r,
            const forward &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        this->create(message(), allow_empty, call, aengine, aalgorithm, src,
                diff_weights, diff_bias, diff_dst, spatial_of(strides, src),
                spatial_of(dilates, src), spatial_of(padding_l, src),
                spatial_of(padding_r, src), hint, attr);
    }
    convolution_backward_weights_desc(const engine &aengine,
            algorithm aalgorithm, md_ref src, md_ref diff_weights,
            md_ref diff_dst, dims_ref strides, dims_ref dilates,
            dims_ref padding_l, dims_ref padding_r, const forward &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->create(message(), allow_empty, call, aengine, aalgorithm, src,
                diff_weights, nullptr, diff_dst, spatial_of(strides, src),
                spatial_of(dilates, src), spatial_of(padding_l, src),
                spatial_of(padding_r, src), hint, attr);
    }

    /* Without dimensions if there is none. */
    memory::desc diff_bias_desc() const { return this->diff_weights_desc(1); }

  private:
    static const char *message()
    {
        return kind == dnnl_convolution ? "could not create a descriptor of a "
                                          "convolution's backward by weights"
                                        : "could not create a descriptor of a "
                                          "deconvolution's backward by weights";
    }
};

} // namespace detail

/* Not supported: dnnl_convolution_backward_data_primitive_desc_create(). */
typedef detail::convolution_backward_data_desc<dnnl_convolution,
        convolution_forward_desc,
        dnnl_convolution_backward_data_primitive_desc_create>
        convolution_backward_data_desc;

DNNL_CACHE_PRIMITIVE_OF(convolution_backward_data)

/* Not supported: dnnl_convolution_backward_weights_primitive_desc_create(). */
typedef detail::convolution_backward_weights_desc<dnnl_convolution,
        convolution_forward_desc,
        dnnl_convolution_backward_weights_primitive_desc_create>
        convolution_backward_weights_desc;

DNNL_CACHE_PRIMITIVE_OF(convolution_backward_weights)

/* Not supported: dnnl_deconvolution_backward_data_primitive_desc_create(). */
typedef detail::convolution_backward_data_desc<dnnl_deconvolution,
        deconvolution_forward_desc,
        dnnl_deconvolution_backward_data_primitive_desc_create>
        deconvolution_backward_data_desc;

DNNL_CACHE_PRIMITIVE_OF(deconvolution_backward_data)

/* Not supported: dnnl_deconvolution_backward_weights_primitive_desc_create().
 */
typedef detail::convolution_backward_weights_desc<dnnl_deconvolution,
        deconvolution_forward_desc,
        dnnl_deconvolution_backward_weights_primitive_desc_create>
        deconvolution_backward_weights_desc;

DNNL_CACHE_PRIMITIVE_OF(deconvolution_backward_weights)

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_BACKWARD_HPP */
