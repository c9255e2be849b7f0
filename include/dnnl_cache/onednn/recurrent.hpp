/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recurrent.hpp: oneDNN's classes of recurrent primitives, which
 * this library does not support, so that programs that use their names compile.
 *
 * Creating a descriptor throws dnnl_unimplemented, or gives an empty one with
 * allow_empty; so there is no descriptor to copy, and no primitive. Before
 * that, the checks of oneDNN's classes apply: empty handles, and lists without
 * a number for each spatial dimension, throw dnnl_invalid_arguments.
 */
#ifndef DNNL_CACHE_ONEDNN_RECURRENT_HPP
#define DNNL_CACHE_ONEDNN_RECURRENT_HPP

#include "primitive_desc.hpp"

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{

/* Getters of descriptors of recurrent primitives. */
struct rnn_primitive_desc_base : public primitive_desc {
    rnn_primitive_desc_base() = default;

    /* A copy of a C descriptor with this kind of propagation and of cell.
     * Throws dnnl_invalid_arguments for another one. */
    rnn_primitive_desc_base(
            dnnl_primitive_desc_t pd, prop_kind aprop_kind, algorithm cell_kind)
        : rnn_primitive_desc_base(pd, aprop_kind, aprop_kind, cell_kind)
    {
    }

#define DNNL_CACHE_ARGUMENT_DESC(name, argument) \
    memory::desc name() const                    \
    {                                            \
        return query_exec_arg_md(argument);      \
    }
    DNNL_CACHE_ARGUMENT_DESC(src_layer_desc, DNNL_ARG_SRC_LAYER)
    DNNL_CACHE_ARGUMENT_DESC(src_iter_desc, DNNL_ARG_SRC_ITER)
    DNNL_CACHE_ARGUMENT_DESC(src_iter_c_desc, DNNL_ARG_SRC_ITER_C)
    DNNL_CACHE_ARGUMENT_DESC(augru_attention_desc, DNNL_ARG_AUGRU_ATTENTION)
    DNNL_CACHE_ARGUMENT_DESC(weights_layer_desc, DNNL_ARG_WEIGHTS_LAYER)
    DNNL_CACHE_ARGUMENT_DESC(weights_iter_desc, DNNL_ARG_WEIGHTS_ITER)
    DNNL_CACHE_ARGUMENT_DESC(weights_peephole_desc, DNNL_ARG_WEIGHTS_PEEPHOLE)
    DNNL_CACHE_ARGUMENT_DESC(
            weights_projection_desc, DNNL_ARG_WEIGHTS_PROJECTION)
    DNNL_CACHE_ARGUMENT_DESC(bias_desc, DNNL_ARG_BIAS)
    DNNL_CACHE_ARGUMENT_DESC(dst_layer_desc, DNNL_ARG_DST_LAYER)
    DNNL_CACHE_ARGUMENT_DESC(dst_iter_desc, DNNL_ARG_DST_ITER)
    DNNL_CACHE_ARGUMENT_DESC(dst_iter_c_desc, DNNL_ARG_DST_ITER_C)
    DNNL_CACHE_ARGUMENT_DESC(diff_src_layer_desc, DNNL_ARG_DIFF_SRC_LAYER)
    DNNL_CACHE_ARGUMENT_DESC(diff_src_iter_desc, DNNL_ARG_DIFF_SRC_ITER)
    DNNL_CACHE_ARGUMENT_DESC(diff_src_iter_c_desc, DNNL_ARG_DIFF_SRC_ITER_C)
    DNNL_CACHE_ARGUMENT_DESC(
            diff_augru_attention_desc, DNNL_ARG_DIFF_AUGRU_ATTENTION)
    DNNL_CACHE_ARGUMENT_DESC(
            diff_weights_layer_desc, DNNL_ARG_DIFF_WEIGHTS_LAYER)
    DNNL_CACHE_ARGUMENT_DESC(diff_weights_iter_desc, DNNL_ARG_DIFF_WEIGHTS_ITER)
    DNNL_CACHE_ARGUMENT_DESC(
            diff_weights_peephole_desc, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE)
    DNNL_CACHE_ARGUMENT_DESC(
            diff_weights_projection_desc, DNNL_ARG_DIFF_WEIGHTS_PROJECTION)
    DNNL_CACHE_ARGUMENT_DESC(diff_bias_desc, DNNL_ARG_DIFF_BIAS)
    DNNL_CACHE_ARGUMENT_DESC(diff_dst_layer_desc, DNNL_ARG_DIFF_DST_LAYER)
    DNNL_CACHE_ARGUMENT_DESC(diff_dst_iter_desc, DNNL_ARG_DIFF_DST_ITER)
    DNNL_CACHE_ARGUMENT_DESC(diff_dst_iter_c_desc, DNNL_ARG_DIFF_DST_ITER_C)
#undef DNNL_CACHE_ARGUMENT_DESC

    rnn_flags get_flags() const
    {
        return primitive_desc::get_flags<rnn_flags>();
    }

  protected:
    rnn_primitive_desc_base(dnnl_primitive_desc_t pd, prop_kind prop_kind1,
            prop_kind prop_kind2, algorithm cell_kind)
    {
        check_kind(pd, dnnl_rnn, detail::direction::none);
        reset_with_clone(pd);
        if ((get_prop_kind() != prop_kind1 && get_prop_kind() != prop_kind2)
                || get_cell_kind() != cell_kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "the primitive descriptor is of "
                    "another recurrent primitive");
    }
};

namespace detail
{

/* A descriptor of one kind of cell, forward or backward. */
template <dnnl_alg_kind_t cell, direction adirection>
/* Not supported: dnnl_vanilla_rnn_forward_primitive_desc_create(). */
struct recurrent_desc : public rnn_primitive_desc_base {
    recurrent_desc() = default;
    recurrent_desc(dnnl_primitive_desc_t pd)
        : rnn_primitive_desc_base(pd,
                adirection == direction::forward ? prop_kind::forward_training
                                                 : prop_kind::backward,
                adirection == direction::forward ? prop_kind::forward_inference
                                                 : prop_kind::backward,
                static_cast<algorithm>(cell))
    {
    }

    /* Of augmented cells. */
    memory::desc attention_desc() const { return augru_attention_desc(); }
    memory::desc diff_attention_desc() const
    {
        return diff_augru_attention_desc();
    }

  protected:
    static const char *message()
    {
        return adirection == direction::forward
                       ? "could not create a descriptor of a recurrent "
                         "primitive"
                       : "could not create a descriptor of a backward "
                         "recurrent primitive";
    }
};

/* Both kinds of GRU and both kinds of augmented GRU. The C calls of each pair
 * have the same arguments; those of augmented GRU have an attention in
 * addition. */
template <dnnl_alg_kind_t cell, typename call_type, call_type call,
        typename... attention>
/* Not supported: dnnl_vanilla_rnn_forward_primitive_desc_create(). */
struct gru_forward_desc : public recurrent_desc<cell, direction::forward> {
    using recurrent_desc<cell, direction::forward>::recurrent_desc;
    gru_forward_desc() = default;

    /* Arguments as of dnnl_vanilla_rnn_forward_primitive_desc_create(),
     * which is not supported. */
    gru_forward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            attention... of_src, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->create(this->message(), allow_empty, call, aengine, aprop_kind,
                adirection, src_layer, src_iter, of_src..., weights_layer,
                weights_iter, bias, dst_layer, dst_iter, rnn_flags::undef,
                attr);
    }
};

template <dnnl_alg_kind_t cell, typename forward, typename call_type,
        call_type call, typename... attention>
/* Not supported: dnnl_vanilla_rnn_forward_primitive_desc_create(). */
struct gru_backward_desc : public recurrent_desc<cell, direction::backward> {
    using recurrent_desc<cell, direction::backward>::recurrent_desc;
    gru_backward_desc() = default;

    /* Arguments as of dnnl_vanilla_rnn_forward_primitive_desc_create(),
     * which is not supported. */
    gru_backward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            attention... of_src, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter,
            md_ref diff_src_layer, md_ref diff_src_iter, attention... of_diff,
            md_ref diff_weights_layer, md_ref diff_weights_iter,
            md_ref diff_bias, md_ref diff_dst_layer, md_ref diff_dst_iter,
            const forward &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        this->create(this->message(), allow_empty, call, aengine, aprop_kind,
                adirection, src_layer, src_iter, of_src..., weights_layer,
                weights_iter, bias, dst_layer, dst_iter, diff_src_layer,
                diff_src_iter, of_diff..., diff_weights_layer,
                diff_weights_iter, diff_bias, diff_dst_layer, diff_dst_iter,
                rnn_flags::undef, hint, attr);
    }
};

} // namespace detail

/* Not supported: dnnl_vanilla_rnn_forward_primitive_desc_create(). */
struct vanilla_rnn_forward_desc
    : public detail::recurrent_desc<dnnl_vanilla_rnn,
              detail::direction::forward> {
    using recurrent_desc::recurrent_desc;
    vanilla_rnn_forward_desc() = default;

    /* Arguments as of dnnl_vanilla_rnn_forward_primitive_desc_create(),
     * which is not supported. */
    vanilla_rnn_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm activation, rnn_direction adirection, md_ref src_layer,
            md_ref src_iter, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter, float alpha,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty,
                dnnl_vanilla_rnn_forward_primitive_desc_create, aengine,
                aprop_kind, activation, adirection, src_layer, src_iter,
                weights_layer, weights_iter, bias, dst_layer, dst_iter,
                rnn_flags::undef, alpha, 0.0f, attr);
    }
    vanilla_rnn_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm activation, rnn_direction adirection, md_ref src_layer,
            md_ref src_iter, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : vanilla_rnn_forward_desc(aengine, aprop_kind, activation, adirection,
                src_layer, src_iter, weights_layer, weights_iter, bias,
                dst_layer, dst_iter, 0.0f, attr, allow_empty)
    {
    }
};

DNNL_CACHE_PRIMITIVE_OF(vanilla_rnn_forward)

/* Not supported: dnnl_vanilla_rnn_backward_primitive_desc_create(). */
struct vanilla_rnn_backward_desc
    : public detail::recurrent_desc<dnnl_vanilla_rnn,
              detail::direction::backward> {
    using recurrent_desc::recurrent_desc;
    vanilla_rnn_backward_desc() = default;

    /* Arguments as of dnnl_vanilla_rnn_backward_primitive_desc_create(),
     * which is not supported. */
    vanilla_rnn_backward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm activation, rnn_direction adirection, md_ref src_layer,
            md_ref src_iter, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter,
            md_ref diff_src_layer, md_ref diff_src_iter,
            md_ref diff_weights_layer, md_ref diff_weights_iter,
            md_ref diff_bias, md_ref diff_dst_layer, md_ref diff_dst_iter,
            float alpha, const vanilla_rnn_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty,
                dnnl_vanilla_rnn_backward_primitive_desc_create, aengine,
                aprop_kind, activation, adirection, src_layer, src_iter,
                weights_layer, weights_iter, bias, dst_layer, dst_iter,
                diff_src_layer, diff_src_iter, diff_weights_layer,
                diff_weights_iter, diff_bias, diff_dst_layer, diff_dst_iter,
                rnn_flags::undef, alpha, 0.0f, hint, attr);
    }
    vanilla_rnn_backward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm activation, rnn_direction adirection, md_ref src_layer,
            md_ref src_iter, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter,
            md_ref diff_src_layer, md_ref diff_src_iter,
            md_ref diff_weights_layer, md_ref diff_weights_iter,
            md_ref diff_bias, md_ref diff_dst_layer, md_ref diff_dst_iter,
            const vanilla_rnn_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : vanilla_rnn_backward_desc(aengine, aprop_kind, activation, adirection,
                src_layer, src_iter, weights_layer, weights_iter, bias,
                dst_layer, dst_iter, diff_src_layer, diff_src_iter,
                diff_weights_layer, diff_weights_iter, diff_bias,
                diff_dst_layer, diff_dst_iter, 0.0f, hint, attr, allow_empty)
    {
    }
};

DNNL_CACHE_PRIMITIVE_OF(vanilla_rnn_backward)

/* Not supported: dnnl_lstm_forward_primitive_desc_create(). */
struct lstm_forward_desc : public detail::recurrent_desc<dnnl_vanilla_lstm,
                                   detail::direction::forward> {
    using recurrent_desc::recurrent_desc;
    lstm_forward_desc() = default;

    /* Arguments as of dnnl_lstm_forward_primitive_desc_create(), which is
     * not supported. */
    lstm_forward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            md_ref src_iter_c, md_ref weights_layer, md_ref weights_iter,
            md_ref weights_peephole, md_ref weights_projection, md_ref bias,
            md_ref dst_layer, md_ref dst_iter, md_ref dst_iter_c,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, dnnl_lstm_forward_primitive_desc_create,
                aengine, aprop_kind, adirection, src_layer, src_iter,
                src_iter_c, weights_layer, weights_iter, weights_peephole,
                weights_projection, bias, dst_layer, dst_iter, dst_iter_c,
                rnn_flags::undef, attr);
    }
    lstm_forward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            md_ref src_iter_c, md_ref weights_layer, md_ref weights_iter,
            md_ref weights_peephole, md_ref bias, md_ref dst_layer,
            md_ref dst_iter, md_ref dst_iter_c,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, dnnl_lstm_forward_primitive_desc_create,
                aengine, aprop_kind, adirection, src_layer, src_iter,
                src_iter_c, weights_layer, weights_iter, weights_peephole,
                nullptr, bias, dst_layer, dst_iter, dst_iter_c,
                rnn_flags::undef, attr);
    }
    lstm_forward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            md_ref src_iter_c, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter, md_ref dst_iter_c,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, dnnl_lstm_forward_primitive_desc_create,
                aengine, aprop_kind, adirection, src_layer, src_iter,
                src_iter_c, weights_layer, weights_iter, nullptr, nullptr, bias,
                dst_layer, dst_iter, dst_iter_c, rnn_flags::undef, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(lstm_forward)

/* Not supported: dnnl_lstm_backward_primitive_desc_create(). */
struct lstm_backward_desc : public detail::recurrent_desc<dnnl_vanilla_lstm,
                                    detail::direction::backward> {
    using recurrent_desc::recurrent_desc;
    lstm_backward_desc() = default;

    /* Arguments as of dnnl_lstm_backward_primitive_desc_create(), which is
     * not supported. */
    lstm_backward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            md_ref src_iter_c, md_ref weights_layer, md_ref weights_iter,
            md_ref weights_peephole, md_ref weights_projection, md_ref bias,
            md_ref dst_layer, md_ref dst_iter, md_ref dst_iter_c,
            md_ref diff_src_layer, md_ref diff_src_iter, md_ref diff_src_iter_c,
            md_ref diff_weights_layer, md_ref diff_weights_iter,
            md_ref diff_weights_peephole, md_ref diff_weights_projection,
            md_ref diff_bias, md_ref diff_dst_layer, md_ref diff_dst_iter,
            md_ref diff_dst_iter_c, const lstm_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, dnnl_lstm_backward_primitive_desc_create,
                aengine, aprop_kind, adirection, src_layer, src_iter,
                src_iter_c, weights_layer, weights_iter, weights_peephole,
                weights_projection, bias, dst_layer, dst_iter, dst_iter_c,
                diff_src_layer, diff_src_iter, diff_src_iter_c,
                diff_weights_layer, diff_weights_iter, diff_weights_peephole,
                diff_weights_projection, diff_bias, diff_dst_layer,
                diff_dst_iter, diff_dst_iter_c, rnn_flags::undef, hint, attr);
    }
    lstm_backward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            md_ref src_iter_c, md_ref weights_layer, md_ref weights_iter,
            md_ref weights_peephole, md_ref bias, md_ref dst_layer,
            md_ref dst_iter, md_ref dst_iter_c, md_ref diff_src_layer,
            md_ref diff_src_iter, md_ref diff_src_iter_c,
            md_ref diff_weights_layer, md_ref diff_weights_iter,
            md_ref diff_weights_peephole, md_ref diff_bias,
            md_ref diff_dst_layer, md_ref diff_dst_iter, md_ref diff_dst_iter_c,
            const lstm_forward_desc &hint, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create(message(), allow_empty, dnnl_lstm_backward_primitive_desc_create,
                aengine, aprop_kind, adirection, src_layer, src_iter,
                src_iter_c, weights_layer, weights_iter, weights_peephole,
                nullptr, bias, dst_layer, dst_iter, dst_iter_c, diff_src_layer,
                diff_src_iter, diff_src_iter_c, diff_weights_layer,
                diff_weights_iter, diff_weights_peephole, nullptr, diff_bias,
                diff_dst_layer, diff_dst_iter, diff_dst_iter_c,
                rnn_flags::undef, hint, attr);
    }
    lstm_backward_desc(const engine &aengine, prop_kind aprop_kind,
            rnn_direction adirection, md_ref src_layer, md_ref src_iter,
            md_ref src_iter_c, md_ref weights_layer, md_ref weights_iter,
            md_ref bias, md_ref dst_layer, md_ref dst_iter, md_ref dst_iter_c,
            md_ref diff_src_layer, md_ref diff_src_iter, md_ref diff_src_iter_c,
            md_ref diff_weights_layer, md_ref diff_weights_iter,
            md_ref diff_bias, md_ref diff_dst_layer, md_ref diff_dst_iter,
            md_ref diff_dst_iter_c, const lstm_forward_desc &hint,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, dnnl_lstm_backward_primitive_desc_create,
                aengine, aprop_kind, adirection, src_layer, src_iter,
                src_iter_c, weights_layer, weights_iter, nullptr, nullptr, bias,
                dst_layer, dst_iter, dst_iter_c, diff_src_layer, diff_src_iter,
                diff_src_iter_c, diff_weights_layer, diff_weights_iter, nullptr,
                nullptr, diff_bias, diff_dst_layer, diff_dst_iter,
                diff_dst_iter_c, rnn_flags::undef, hint, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(lstm_backward)

/* Not supported: dnnl_gru_forward_primitive_desc_create(). */
typedef detail::gru_forward_desc<dnnl_vanilla_gru,
        decltype(&dnnl_gru_forward_primitive_desc_create),
        dnnl_gru_forward_primitive_desc_create>
        gru_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(gru_forward)

/* Not supported: dnnl_gru_backward_primitive_desc_create(). */
typedef detail::gru_backward_desc<dnnl_vanilla_gru, gru_forward_desc,
        decltype(&dnnl_gru_backward_primitive_desc_create),
        dnnl_gru_backward_primitive_desc_create>
        gru_backward_desc;

DNNL_CACHE_PRIMITIVE_OF(gru_backward)

/* Not supported: dnnl_lbr_gru_forward_primitive_desc_create(). */
typedef detail::gru_forward_desc<dnnl_lbr_gru,
        decltype(&dnnl_lbr_gru_forward_primitive_desc_create),
        dnnl_lbr_gru_forward_primitive_desc_create>
        lbr_gru_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(lbr_gru_forward)

/* Not supported: dnnl_lbr_gru_backward_primitive_desc_create(). */
typedef detail::gru_backward_desc<dnnl_lbr_gru, lbr_gru_forward_desc,
        decltype(&dnnl_lbr_gru_backward_primitive_desc_create),
        dnnl_lbr_gru_backward_primitive_desc_create>
        lbr_gru_backward_desc;

DNNL_CACHE_PRIMITIVE_OF(lbr_gru_backward)

/* Not supported: dnnl_augru_forward_primitive_desc_create(). */
typedef detail::gru_forward_desc<dnnl_vanilla_augru,
        decltype(&dnnl_augru_forward_primitive_desc_create),
        dnnl_augru_forward_primitive_desc_create, detail::md_ref>
        augru_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(augru_forward)

/* Not supported: dnnl_augru_backward_primitive_desc_create(). */
typedef detail::gru_backward_desc<dnnl_vanilla_augru, augru_forward_desc,
        decltype(&dnnl_augru_backward_primitive_desc_create),
        dnnl_augru_backward_primitive_desc_create, detail::md_ref>
        augru_backward_desc;

DNNL_CACHE_PRIMITIVE_OF(augru_backward)

/* Not supported: dnnl_lbr_augru_forward_primitive_desc_create(). */
typedef detail::gru_forward_desc<dnnl_lbr_augru,
        decltype(&dnnl_lbr_augru_forward_primitive_desc_create),
        dnnl_lbr_augru_forward_primitive_desc_create, detail::md_ref>
        lbr_augru_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(lbr_augru_forward)

/* Not supported: dnnl_lbr_augru_backward_primitive_desc_create(). */
typedef detail::gru_backward_desc<dnnl_lbr_augru, lbr_augru_forward_desc,
        decltype(&dnnl_lbr_augru_backward_primitive_desc_create),
        dnnl_lbr_augru_backward_primitive_desc_create, detail::md_ref>
        lbr_augru_backward_desc;

DNNL_CACHE_PRIMITIVE_OF(lbr_augru_backward)

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_RECURRENT_HPP */
