/* SPDX-License-Identifier: Apache-2.0 */
/*
 * primitive_desc.hpp: descriptors of primitives of any kind.
 */
#ifndef DNNL_CACHE_ONEDNN_PRIMITIVE_DESC_HPP
#define DNNL_CACHE_ONEDNN_PRIMITIVE_DESC_HPP

#include "attributes.hpp"

#include <limits>

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{

template <>
struct handle_traits<dnnl_primitive_desc_t>
    : detail::destroyed_by<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> {
};

/* ==== Primitive descriptors =============================================== */

namespace detail
{

/* How constructors with ten and more arguments take them. */
using md_ref = const memory::desc &;
using dims_ref = const memory::dims &;
using attr_ref = const primitive_attr &;

/* The propagation kinds of primitive descriptors. */
enum class direction {
    none, /* there is none */
    forward,
    backward,     /* as a whole */
    backward_any, /* as a whole, or data alone */
    backward_data,
    backward_weights
};

inline bool is_of(dnnl_prop_kind_t kind, direction adirection)
{
    switch (adirection) {
    case direction::forward:
        return kind == dnnl_forward_training || kind == dnnl_forward_inference;
    case direction::backward:
        return kind == dnnl_backward;
    case direction::backward_any:
        return kind == dnnl_backward || kind == dnnl_backward_data;
    case direction::backward_data:
        return kind == dnnl_backward_data;
    case direction::backward_weights:
        return kind == dnnl_backward_weights;
    case direction::none:
        break;
    }
    return false;
}

/* Arguments of C++ constructors in the form of the C calls; borrowed. */
inline std::nullptr_t to_c(std::nullptr_t)
{
    return nullptr;
}

template <typename T, typename traits> T to_c(const handle<T, traits> &object)
{
    return object.get();
}

template <typename T>
typename std::enable_if<
        std::is_arithmetic<T>::value || std::is_pointer<T>::value, T>::type
to_c(T value)
{
    return value;
}

template <typename T>
auto to_c(T value) -> typename std::enable_if<std::is_enum<T>::value,
        decltype(convert_to_c(value))>::type
{
    return convert_to_c(value);
}

/* The number of a list's elements, limited to the range of int. */
inline int count_of(const std::vector<memory::desc> &descs)
{
    const size_t most = static_cast<size_t>(std::numeric_limits<int>::max());
    return static_cast<int>(std::min(descs.size(), most));
}

} // namespace detail

/* The C descriptors of a list, for a call; borrowed. */
inline std::vector<const_dnnl_memory_desc_t> convert_to_c(
        const std::vector<memory::desc> &descs)
{
    std::vector<const_dnnl_memory_desc_t> handles;
    handles.reserve(descs.size());
    for (const memory::desc &md : descs)
        handles.push_back(md.get());
    return handles;
}

/*
 * What to compute, on which engine, in which layouts. Immutable, so copies may
 * share. A getter for something that a kind of primitive does not have returns
 * 0, undef, or an empty list or descriptor.
 */
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle::handle;
    primitive_desc_base() = default;

    /* The engine: borrowed. */
    engine get_engine() const { return ask_engine(query::engine); }

    /* The engine of the scratchpad: borrowed. */
    engine scratchpad_engine() const
    {
        return ask_engine(query::scratchpad_engine);
    }

    /* The implementation's name; valid as long as the descriptor. */
    const char *impl_info_str() const
    {
        return ask<const char *>(query::impl_info_str, "");
    }

    /* The answer to a query whose name ends in s64. Throws
     * dnnl_invalid_arguments for other queries. */
    memory::dim query_s64(query what) const
    {
        if (what != query::memory_consumption_s64
                && what != query::cache_blob_id_size_s64
                && what != query::local_size_s64
                && what != query::group_size_s64)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "not a query of an s64");
        return ask<memory::dim>(what, 0);
    }

    /* A copy of a memory descriptor; if the primitive does not have it, a
     * descriptor without dimensions. Throws dnnl_invalid_arguments for other
     * queries. */
    memory::desc query_md(query what, int index = 0) const
    {
        const bool is_md = (what > query::some_md && what < query::ndims_s32);
        if (!is_md)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "not a query of a memory descriptor");
        const_dnnl_memory_desc_t borrowed =
                dnnl_primitive_desc_query_md(get(), convert_to_c(what), index);
        if (borrowed == nullptr) return memory::desc();
        return memory::desc(
                detail::made_by("could not copy a memory descriptor",
                        dnnl_memory_desc_clone, borrowed));
    }

    /* The descriptors of the tensors, by their index; one that the
     * primitive does not have is without dimensions. */
    memory::desc src_desc(int index = 0) const
    {
        return query_md(query::src_md, index);
    }
    memory::desc weights_desc(int index = 0) const
    {
        return query_md(query::weights_md, index);
    }
    memory::desc dst_desc(int index = 0) const
    {
        return query_md(query::dst_md, index);
    }
    memory::desc diff_src_desc(int index = 0) const
    {
        return query_md(query::diff_src_md, index);
    }
    memory::desc diff_weights_desc(int index = 0) const
    {
        return query_md(query::diff_weights_md, index);
    }
    memory::desc diff_dst_desc(int index = 0) const
    {
        return query_md(query::diff_dst_md, index);
    }
    memory::desc workspace_desc() const
    {
        return query_md(query::workspace_md);
    }
    memory::desc scratchpad_desc() const
    {
        return query_md(query::scratchpad_md);
    }

    /* The tensor of an argument. */
    memory::desc query_exec_arg_md(int arg) const
    {
        return query_md(query::exec_arg_md, arg);
    }

    /* A copy of the attributes that it was created with. */
    primitive_attr get_primitive_attr() const
    {
        const_dnnl_primitive_attr_t borrowed = nullptr;
        dnnl_primitive_attr_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_get_attr(get(), &borrowed),
                "could not get the attributes of a primitive descriptor");
        error::wrap_c_api(dnnl_primitive_attr_clone(&copy, borrowed),
                "could not copy attributes");
        return primitive_attr(copy);
    }

    /* What the descriptor describes; undef or 0 if its kind of primitive
     * does not have it. */
    primitive::kind get_kind() const
    {
        return static_cast<primitive::kind>(
                ask(query::primitive_kind, dnnl_undefined_primitive));
    }
    prop_kind get_prop_kind() const
    {
        return static_cast<prop_kind>(
                ask(query::prop_kind, dnnl_prop_kind_undef));
    }
    algorithm get_algorithm() const
    {
        return static_cast<algorithm>(
                ask(query::alg_kind, dnnl_alg_kind_undef));
    }
    float get_alpha() const { return ask(query::alpha_f32, 0.0f); }
    float get_beta() const { return ask(query::beta_f32, 0.0f); }
    int get_axis() const { return ask(query::axis_s32, -1); }
    float get_epsilon() const { return ask(query::epsilon_f32, 0.0f); }
    float get_k() const { return ask(query::k_f32, 0.0f); }
    float get_p() const { return ask(query::p_f32, 0.0f); }
    memory::dim get_local_size() const
    {
        return ask<memory::dim>(query::local_size_s64, 0);
    }
    memory::dim get_group_size() const
    {
        return ask<memory::dim>(query::group_size_s64, 0);
    }
    /* Recurrent primitives are not supported: undefined. */
    algorithm get_cell_kind() const
    {
        return static_cast<algorithm>(
                ask(query::cell_kind, dnnl_alg_kind_undef));
    }
    algorithm get_activation_kind() const
    {
        return static_cast<algorithm>(
                ask(query::activation_kind, dnnl_alg_kind_undef));
    }
    rnn_direction get_direction() const
    {
        return static_cast<rnn_direction>(
                ask(query::direction, dnnl_rnn_direction_undef));
    }
    /* Factors of resampling, one for each spatial dimension. */
    std::vector<float> get_factors() const
    {
        const float *factors = ask<const float *>(query::factors, nullptr);
        if (factors == nullptr) return std::vector<float>();
        return std::vector<float>(
                factors, factors + (src_desc().get_ndims() - 2));
    }
    template <typename T = unsigned> T get_flags() const
    {
        return static_cast<T>(ask(query::flags, 0u));
    }
    memory::dims get_strides() const { return ask_dims(query::strides); }
    memory::dims get_dilations() const { return ask_dims(query::dilations); }
    memory::dims get_kernel() const { return ask_dims(query::kernel); }
    memory::dims get_padding_l() const { return ask_dims(query::padding_l); }
    memory::dims get_padding_r() const { return ask_dims(query::padding_r); }

    /* The ID under which to keep a primitive's blob; known before anything is
     * compiled. Empty if there is nothing to cache. */
    std::vector<uint8_t> get_cache_blob_id() const
    {
        dnnl_primitive_desc_t pd = get();
        return detail::bytes_of(
                [pd](size_t *size, uint8_t *bytes) {
                    return dnnl_cache_primitive_desc_get_cache_blob_id(
                            pd, size, bytes);
                },
                "could not get the cache blob ID of a primitive descriptor");
    }

    /* The same ID, for primitive::get_binaries(). */
    std::vector<uint8_t> get_id() const { return get_cache_blob_id(); }

  protected:
    using md_ref = detail::md_ref;
    using attr_ref = detail::attr_ref;

    /* Throws if a C descriptor is of another kind or direction. */
    static void check_kind(const_dnnl_primitive_desc_t pd,
            dnnl_primitive_kind_t kind, detail::direction direction)
    {
        const auto is = detail::got_from<dnnl_primitive_kind_t>(
                "could not query a primitive descriptor",
                dnnl_primitive_desc_query, pd, dnnl_query_primitive_kind, 0);
        if (is != kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "the primitive descriptor is of another kind");
        if (direction == detail::direction::none) return;
        const auto propagates = detail::got_from<dnnl_prop_kind_t>(
                "could not query a primitive descriptor",
                dnnl_primitive_desc_query, pd, dnnl_query_prop_kind, 0);
        if (!detail::is_of(propagates, direction))
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "the primitive descriptor is of another direction");
    }

    /* Refers to a copy of a C descriptor; the caller keeps the original. */
    void reset_with_clone(const_dnnl_primitive_desc_t pd)
    {
        reset(detail::made_by("could not copy a primitive descriptor",
                dnnl_primitive_desc_clone, pd));
    }

    /* The result of a creation call: its status, and what it wrote. */
    void take(dnnl_status_t st, dnnl_primitive_desc_t made, bool allow_empty,
            const char *message)
    {
        if (!allow_empty) error::wrap_c_api(st, message);
        reset(made);
    }

    /* Refers to the descriptor that a C call creates from the arguments. */
    template <typename... Parameters, typename... Arguments>
    void create(const char *message, bool allow_empty,
            dnnl_status_t (*call)(
                    dnnl_primitive_desc_t *, dnnl_engine_t, Parameters...),
            const engine &aengine, const Arguments &...arguments)
    {
        dnnl_primitive_desc_t made = nullptr;
        const dnnl_status_t st =
                call(&made, aengine.get(), detail::to_c(arguments)...);
        take(st, made, allow_empty, message);
    }

    template <typename T> T ask(query what, T otherwise) const
    {
        T answer = otherwise;
        dnnl_status_t st = dnnl_primitive_desc_query(
                get(), convert_to_c(what), 0, &answer);
        if (st == dnnl_unimplemented) return otherwise;
        error::wrap_c_api(st, "could not query a primitive descriptor");
        return answer;
    }

    engine ask_engine(query what) const
    {
        return engine(ask<dnnl_engine_t>(what, nullptr), true);
    }

    memory::dims ask_dims(query what) const
    {
        const dnnl_dims_t *answer = ask<const dnnl_dims_t *>(what, nullptr);
        if (answer == nullptr) return memory::dims();
        return memory::dims(*answer, *answer + (src_desc().get_ndims() - 2));
    }
};

/* A descriptor of a primitive of any kind. */
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;
    primitive_desc() = default;

    /* Always false: there is no other implementation, and the descriptor is
     * unchanged. */
    bool next_impl()
    {
        dnnl_status_t st = dnnl_primitive_desc_next_impl(get());
        if (st == dnnl_last_impl_reached) return false;
        error::wrap_c_api(st, "could not look for another implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc &pd) : primitive(pd.get()) {}

inline primitive::primitive(
        const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
    : primitive(pd.get(), cache_blob)
{
}

inline primitive::primitive(const primitive_desc &pd,
        const std::vector<std::vector<uint8_t>> &binaries, binary_kind akind)
    : primitive(pd.get(), binaries, akind)
{
}

namespace detail
{

/* What an error says of a descriptor of this kind. */
inline const char *could_not_create(
        dnnl_primitive_kind_t kind, direction adirection)
{
    /* clang-format off */
#define DNNL_CACHE_CASE(kind, words) \
    case kind: return "could not create a descriptor of " words;
    if (adirection == direction::none || adirection == direction::forward)
        switch (kind) {
        DNNL_CACHE_CASE(dnnl_eltwise, "an element-wise primitive")
        DNNL_CACHE_CASE(dnnl_shuffle, "a shuffle primitive")
        DNNL_CACHE_CASE(dnnl_reduction, "a reduction")
        DNNL_CACHE_CASE(dnnl_resampling, "a resampling primitive")
        DNNL_CACHE_CASE(dnnl_softmax, "a softmax primitive")
        DNNL_CACHE_CASE(dnnl_binary, "a binary primitive")
        DNNL_CACHE_CASE(dnnl_prelu, "a PReLU primitive")
        DNNL_CACHE_CASE(dnnl_lrn, "a local response normalization")
        DNNL_CACHE_CASE(dnnl_batch_normalization, "a batch normalization")
        DNNL_CACHE_CASE(dnnl_layer_normalization, "a layer normalization")
        DNNL_CACHE_CASE(dnnl_group_normalization, "a group normalization")
        DNNL_CACHE_CASE(dnnl_matmul, "a matrix product")
        DNNL_CACHE_CASE(dnnl_inner_product, "an inner product")
        DNNL_CACHE_CASE(dnnl_convolution, "a convolution")
        DNNL_CACHE_CASE(dnnl_deconvolution, "a deconvolution")
        DNNL_CACHE_CASE(dnnl_pooling, "a pooling primitive")
        default: break;
        }
    else if (adirection == direction::backward_weights)
        switch (kind) {
        DNNL_CACHE_CASE(dnnl_inner_product, "an inner product's backward by weights")
        DNNL_CACHE_CASE(dnnl_convolution, "a convolution's backward by weights")
        DNNL_CACHE_CASE(dnnl_deconvolution, "a deconvolution's backward by weights")
        default: break;
        }
    else
        switch (kind) {
        DNNL_CACHE_CASE(dnnl_eltwise, "a backward element-wise primitive")
        DNNL_CACHE_CASE(dnnl_shuffle, "a backward shuffle primitive")
        DNNL_CACHE_CASE(dnnl_resampling, "a backward resampling primitive")
        DNNL_CACHE_CASE(dnnl_softmax, "a backward softmax primitive")
        DNNL_CACHE_CASE(dnnl_prelu, "a backward PReLU primitive")
        DNNL_CACHE_CASE(dnnl_lrn, "a backward local response normalization")
        DNNL_CACHE_CASE(dnnl_batch_normalization, "a backward batch normalization")
        DNNL_CACHE_CASE(dnnl_layer_normalization, "a backward layer normalization")
        DNNL_CACHE_CASE(dnnl_group_normalization, "a backward group normalization")
        DNNL_CACHE_CASE(dnnl_pooling, "a backward pooling primitive")
        DNNL_CACHE_CASE(dnnl_inner_product, "an inner product's backward by data")
        DNNL_CACHE_CASE(dnnl_convolution, "a convolution's backward by data")
        DNNL_CACHE_CASE(dnnl_deconvolution, "a deconvolution's backward by data")
        default: break;
        }
#undef DNNL_CACHE_CASE
    /* clang-format on */
    return "could not create a primitive descriptor";
}

/* A descriptor of one kind of primitive in one direction; its getters are
 * base's. */
template <dnnl_primitive_kind_t kind, direction adirection,
        typename base = primitive_desc>
struct desc_of : public base {
    desc_of() = default;
    /* Refers to a copy: the caller keeps pd and destroys it. */
    desc_of(dnnl_primitive_desc_t pd)
    {
        if (pd == nullptr) return;
        base::check_kind(pd, kind, adirection);
        base::reset_with_clone(pd);
    }

  protected:
    static const char *message() { return could_not_create(kind, adirection); }
};

/* A primitive of one kind. */
template <typename desc> struct primitive_of : public primitive {
    using primitive_desc = desc;

    primitive_of() = default;
    primitive_of(const primitive_desc &pd) : primitive(pd.get()) {}
    primitive_of(
            const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd.get(), cache_blob)
    {
    }
    primitive_of(const primitive_desc &pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind)
        : primitive(pd.get(), binaries, akind)
    {
    }
};

} // namespace detail

/* A primitive of one kind, created from its descriptor. A struct, so that it
 * may be declared ahead. */
#define DNNL_CACHE_PRIMITIVE_OF(name)                        \
    struct name : public detail::primitive_of<name##_desc> { \
        using primitive_of::primitive_of;                    \
    };

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_PRIMITIVE_DESC_HPP */
