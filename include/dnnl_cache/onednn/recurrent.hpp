/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recurrent.hpp: oneDNN's classes of recurrent primitives.
 *
 * There are vanilla_rnn_forward, lstm_forward, gru_forward and lbr_gru_forward.
 * The others, backward and augmented, are not supported, and are here so that
 * programs that use their names compile. Creating a descriptor of these throws
 * dnnl_unimplemented, or gives an empty one with allow_empty. Before that, the
 * checks of oneDNN's classes apply: empty handles throw dnnl_invalid_arguments.
 */
#ifndef DNNL_CACHE_ONEDNN_RECURRENT_HPP
#define DNNL_CACHE_ONEDNN_RECURRENT_HPP

#include "constructors.hpp"

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

namespace arg
{

/* clang-format off */
struct src_layer : tensor {};
struct src_iter : tensor {};
struct src_iter_c : tensor {};
struct attention : tensor {};
struct weights_layer : tensor {};
struct weights_iter : tensor {};
struct weights_peephole : tensor {};
struct weights_projection : tensor {};
struct dst_layer : tensor {};
struct dst_iter : tensor {};
struct dst_iter_c : tensor {};
struct direction : enumerator<rnn_direction> {};
struct activation : enumerator<dnnl::algorithm> {};
/* clang-format on */

/* No constructor takes them. */
struct flags_of_rnn : enumerator<rnn_flags> {
    static dnnl_rnn_flags_t absent() { return dnnl_rnn_flags_undef; }
};

template <dnnl_alg_kind_t cell>
using forward_of = recurrent_desc<cell, detail::direction::forward>;
template <dnnl_alg_kind_t cell>
using backward_of = recurrent_desc<cell, detail::direction::backward>;

struct vanilla_rnn_forward
    : creation<forward_of<dnnl_vanilla_rnn>,
              DNNL_CACHE_CALL(dnnl_vanilla_rnn_forward_primitive_desc_create),
              prop_kind, activation, direction, src_layer, src_iter,
              weights_layer, weights_iter, bias, dst_layer, dst_iter,
              flags_of_rnn, alpha, beta> {
    typedef described<vanilla_rnn_forward, without<flags_of_rnn, beta>,
            without<flags_of_rnn, alpha, beta>>
            constructors;
};

struct vanilla_rnn_backward
    : creation<backward_of<dnnl_vanilla_rnn>,
              DNNL_CACHE_CALL(dnnl_vanilla_rnn_backward_primitive_desc_create),
              prop_kind, activation, direction, src_layer, src_iter,
              weights_layer, weights_iter, bias, dst_layer, dst_iter,
              diff<src_layer>, diff<src_iter>, diff<weights_layer>,
              diff<weights_iter>, diff<bias>, diff<dst_layer>, diff<dst_iter>,
              flags_of_rnn, alpha, beta, hint<desc_by<vanilla_rnn_forward>>> {
    typedef described<vanilla_rnn_backward, without<flags_of_rnn, beta>,
            without<flags_of_rnn, alpha, beta>>
            constructors;
};

struct lstm_forward
    : creation<forward_of<dnnl_vanilla_lstm>,
              DNNL_CACHE_CALL(dnnl_lstm_forward_primitive_desc_create),
              prop_kind, direction, src_layer, src_iter, src_iter_c,
              weights_layer, weights_iter, weights_peephole, weights_projection,
              bias, dst_layer, dst_iter, dst_iter_c, flags_of_rnn> {
    typedef described<lstm_forward, without<flags_of_rnn>,
            without<flags_of_rnn, weights_projection>,
            without<flags_of_rnn, weights_peephole, weights_projection>>
            constructors;
};

struct lstm_backward
    : creation<backward_of<dnnl_vanilla_lstm>,
              DNNL_CACHE_CALL(dnnl_lstm_backward_primitive_desc_create),
              prop_kind, direction, src_layer, src_iter, src_iter_c,
              weights_layer, weights_iter, weights_peephole, weights_projection,
              bias, dst_layer, dst_iter, dst_iter_c, diff<src_layer>,
              diff<src_iter>, diff<src_iter_c>, diff<weights_layer>,
              diff<weights_iter>, diff<weights_peephole>,
              diff<weights_projection>, diff<bias>, diff<dst_layer>,
              diff<dst_iter>, diff<dst_iter_c>, flags_of_rnn,
              hint<desc_by<lstm_forward>>> {
    typedef described<lstm_backward, without<flags_of_rnn>,
            without<flags_of_rnn, weights_projection, diff<weights_projection>>,
            without<flags_of_rnn, weights_peephole, weights_projection,
                    diff<weights_peephole>, diff<weights_projection>>>
            constructors;
};

/* Both kinds of GRU and both kinds of augmented GRU. The C calls of each pair
 * have the same arguments; those of augmented GRU have an attention in
 * addition. */
template <dnnl_alg_kind_t cell, typename call_type, call_type call,
        typename... attention>
using gru_forward_by = creation<forward_of<cell>, call_type, call, prop_kind,
        direction, src_layer, src_iter, attention..., weights_layer,
        weights_iter, bias, dst_layer, dst_iter, flags_of_rnn>;

template <dnnl_alg_kind_t cell, typename forward, typename call_type,
        call_type call, typename... attention>
using gru_backward_by = creation<backward_of<cell>, call_type, call, prop_kind,
        direction, src_layer, src_iter, attention..., weights_layer,
        weights_iter, bias, dst_layer, dst_iter, diff<src_layer>,
        diff<src_iter>, diff<attention>..., diff<weights_layer>,
        diff<weights_iter>, diff<bias>, diff<dst_layer>, diff<dst_iter>,
        flags_of_rnn, hint<forward>>;

struct gru_forward
    : gru_forward_by<dnnl_vanilla_gru,
              DNNL_CACHE_CALL(dnnl_gru_forward_primitive_desc_create)> {
    typedef described<gru_forward, without<flags_of_rnn>> constructors;
};

struct gru_backward
    : gru_backward_by<dnnl_vanilla_gru, desc_by<gru_forward>,
              DNNL_CACHE_CALL(dnnl_gru_backward_primitive_desc_create)> {
    typedef described<gru_backward, without<flags_of_rnn>> constructors;
};

struct lbr_gru_forward
    : gru_forward_by<dnnl_lbr_gru,
              DNNL_CACHE_CALL(dnnl_lbr_gru_forward_primitive_desc_create)> {
    typedef described<lbr_gru_forward, without<flags_of_rnn>> constructors;
};

struct lbr_gru_backward
    : gru_backward_by<dnnl_lbr_gru, desc_by<lbr_gru_forward>,
              DNNL_CACHE_CALL(dnnl_lbr_gru_backward_primitive_desc_create)> {
    typedef described<lbr_gru_backward, without<flags_of_rnn>> constructors;
};

struct augru_forward
    : gru_forward_by<dnnl_vanilla_augru,
              DNNL_CACHE_CALL(dnnl_augru_forward_primitive_desc_create),
              attention> {
    typedef described<augru_forward, without<flags_of_rnn>> constructors;
};

struct augru_backward
    : gru_backward_by<dnnl_vanilla_augru, desc_by<augru_forward>,
              DNNL_CACHE_CALL(dnnl_augru_backward_primitive_desc_create),
              attention> {
    typedef described<augru_backward, without<flags_of_rnn>> constructors;
};

struct lbr_augru_forward
    : gru_forward_by<dnnl_lbr_augru,
              DNNL_CACHE_CALL(dnnl_lbr_augru_forward_primitive_desc_create),
              attention> {
    typedef described<lbr_augru_forward, without<flags_of_rnn>> constructors;
};

struct lbr_augru_backward
    : gru_backward_by<dnnl_lbr_augru, desc_by<lbr_augru_forward>,
              DNNL_CACHE_CALL(dnnl_lbr_augru_backward_primitive_desc_create),
              attention> {
    typedef described<lbr_augru_backward, without<flags_of_rnn>> constructors;
};

} // namespace arg
} // namespace detail

/* dnnl_NAME_primitive_desc_create(), without its flags and beta.
 * Of vanilla_rnn also without alpha; of LSTM also without the projection, and
 * without peephole and projection. */
DNNL_CACHE_KIND(vanilla_rnn_forward)
DNNL_CACHE_KIND(vanilla_rnn_backward)
DNNL_CACHE_KIND(lstm_forward)
DNNL_CACHE_KIND(lstm_backward)
DNNL_CACHE_KIND(gru_forward)
DNNL_CACHE_KIND(gru_backward)
DNNL_CACHE_KIND(lbr_gru_forward)
DNNL_CACHE_KIND(lbr_gru_backward)
DNNL_CACHE_KIND(augru_forward)
DNNL_CACHE_KIND(augru_backward)
DNNL_CACHE_KIND(lbr_augru_forward)
DNNL_CACHE_KIND(lbr_augru_backward)

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_RECURRENT_HPP */
