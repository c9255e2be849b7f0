/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constructors.hpp: the constructors of primitive descriptors, as one template
 * over the C calls that create them. kinds.hpp, backward.hpp and recurrent.hpp
 * are lists for it: a struct for each kind, in namespace dnnl::detail::arg,
 * which has a type for each argument.
 *
 *     struct eltwise_forward
 *         : creation<desc_of<dnnl_eltwise, direction::forward>,
 *                   DNNL_CACHE_CALL(dnnl_eltwise_forward_primitive_desc_create),
 *                   prop_kind, algorithm, src, dst, alpha, beta> {
 *         typedef described<eltwise_forward, all, without<beta>,
 *                 without<alpha, beta>> constructors;
 *     };
 *
 * is a C call with its arguments in their order, but for those that all calls
 * have: the result, the engine and the attributes. Its descriptors have a
 * constructor for each list of `constructors`: (engine, arguments of the list,
 * attributes, allow_empty). An argument that a list lacks has a value of its
 * own for that, absent(). DNNL_CACHE_KIND(eltwise_forward) makes the classes
 * eltwise_forward_desc and eltwise_forward of it.
 */
#ifndef DNNL_CACHE_ONEDNN_CONSTRUCTORS_HPP
#define DNNL_CACHE_ONEDNN_CONSTRUCTORS_HPP

#include "primitive_desc.hpp"

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{
namespace detail
{

/* ==== Arguments =========================================================== */

/* A constructor takes type; the C call gets to_c() of that. shape is the tensor
 * whose spatial dimensions count: src, or else diff<src>. */
namespace arg
{

template <typename T> struct number {
    typedef T type;
    static T to_c(T value, const memory::desc *) { return value; }
    static T absent() { return 0; }
};

template <typename T> struct enumerator {
    typedef T type;
    static decltype(convert_to_c(T())) to_c(T value, const memory::desc *)
    {
        return convert_to_c(value);
    }
};

/* f32 where it is not given. */
struct data_type : enumerator<memory::data_type> {
    static dnnl_data_type_t absent() { return dnnl_f32; }
};

/* Borrowed; an empty handle throws. */
struct tensor {
    typedef md_ref type;
    static const_dnnl_memory_desc_t to_c(type md, const memory::desc *)
    {
        return md.get();
    }
    static const_dnnl_memory_desc_t absent() { return nullptr; }
};

/* The forward descriptor of a backward one. */
template <typename forward> struct hint {
    typedef const forward &type;
    static const_dnnl_primitive_desc_t to_c(type pd, const memory::desc *)
    {
        return pd.get();
    }
};

/* A number for each spatial dimension, or dnnl_invalid_arguments is thrown;
 * zeros where they are not given. */
struct spatial_list {
    typedef dims_ref type;
    static const dnnl_dim_t *to_c(type list, const memory::desc *shape)
    {
        memory::validate_dims(list, shape->get_ndims() - 2);
        return list.data();
    }
    static const dnnl_dim_t *absent()
    {
        static const dnnl_dims_t zeros = {};
        return zeros;
    }
};

/* The same of exactly as many. */
struct factors {
    typedef const std::vector<float> &type;
    static const float *to_c(type list, const memory::desc *shape)
    {
        const int spatial = shape->get_ndims() - 2;
        if (spatial < 1 || list.size() != static_cast<size_t>(spatial))
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "not as many factors as spatial dimensions");
        return list.data();
    }
    static const float *absent() { return nullptr; }
};

/* clang-format off */
struct prop_kind : enumerator<dnnl::prop_kind> {};
struct algorithm : enumerator<dnnl::algorithm> {};
struct flags : enumerator<normalization_flags> {};
struct scale_shift_type : data_type {};
struct diff_scale_shift_type : data_type {};

struct alpha : number<float> {};
struct beta : number<float> {};
struct k : number<float> {};
struct p : number<float> {};
struct epsilon : number<float> {};
struct axis : number<int> {};
struct group_size : number<int> {};
struct local_size : number<memory::dim> {};
struct groups : number<memory::dim> {};

struct src : tensor {};
struct src0 : tensor {};
struct src1 : tensor {};
struct src2 : tensor {};
struct weights : tensor {};
struct bias : tensor {};
struct dst : tensor {};
struct stat : tensor {};
template <typename tensor> struct diff : tensor {}; /* its gradient */

struct strides : spatial_list {};
struct kernel : spatial_list {};
struct dilates : spatial_list {};
struct padding_l : spatial_list {};
struct padding_r : spatial_list {};
/* clang-format on */

} // namespace arg

/* ==== Lists of arguments ================================================== */

/* The arguments of a constructor, but for those that all have. */
template <typename... arguments> struct with {
    template <typename argument> using and_also = with<arguments..., argument>;
};

/* Those of a list that are not in the set of these bases. */
template <typename argument> struct member_of_set {
};
template <typename... arguments> struct set_of : member_of_set<arguments>... {
};

template <typename set, typename kept, typename... arguments>
struct list_without {
    typedef kept type;
};
template <typename set, typename kept, typename first, typename... more>
struct list_without<set, kept, first, more...>
    : list_without<set,
              typename std::conditional<
                      std::is_base_of<member_of_set<first>, set>::value, kept,
                      typename kept::template and_also<first>>::type,
              more...> {
};

/* An argument that was given. */
template <typename argument> struct given {
    explicit given(typename argument::type avalue) : value(avalue) {}
    typename argument::type value;
};

/* All that were given; any other is lacking. */
struct lacking {
};
template <typename... arguments>
struct all_given : public lacking, public given<arguments>... {
    explicit all_given(typename arguments::type... values)
        : given<arguments>(values)...
    {
    }
};

/* The first of these functions that can be called is: the last parameter gets
 * an int. So below. */
inline const memory::desc *shape_of(const given<arg::src> &src, int)
{
    return &src.value;
}
inline const memory::desc *shape_of(
        const given<arg::diff<arg::src>> &diff_src, long)
{
    return &diff_src.value;
}
inline const memory::desc *shape_of(const lacking &, ...)
{
    return nullptr;
}

/* What the C call gets as one of its arguments. */
template <typename argument>
auto passed(const given<argument> &one, const memory::desc *shape, int)
        -> decltype(argument::to_c(one.value, shape))
{
    return argument::to_c(one.value, shape);
}
template <typename argument>
auto passed(const lacking &, const memory::desc *, long)
        -> decltype(argument::absent())
{
    return argument::absent();
}

/* ==== Constructors ======================================================== */

/* A C function as two arguments of a template: its type, and itself. */
#define DNNL_CACHE_CALL(name) decltype(&name), &name

/* A C call, which creates descriptors of the type adesc. The structs that
 * derive from it give it the names that a compiler's messages show. */
template <typename adesc, typename call_type, call_type call,
        typename... arguments>
struct creation {
    typedef adesc desc;
    typedef with<arguments...> all;
    template <typename... omitted>
    using without = typename list_without<set_of<omitted...>, with<>,
            arguments...>::type;

    template <typename all_given>
    static dnnl_status_t make(dnnl_primitive_desc_t *made, dnnl_engine_t engine,
            const all_given &given, const_dnnl_primitive_attr_t attr)
    {
        const memory::desc *shape = shape_of(given, 0);
        return call(made, engine, passed<arguments>(given, shape, 0)..., attr);
    }
};

/* What all constructors of a descriptor do. */
template <typename call> struct created_by : public call::desc {
    created_by() = default;

  protected:
    explicit created_by(dnnl_primitive_desc_t pd) : call::desc(pd) {}

    template <typename... arguments>
    void create_with(const engine &aengine, attr_ref attr, bool allow_empty,
            typename arguments::type... values)
    {
        dnnl_primitive_desc_t made = nullptr;
        const dnnl_status_t st = call::make(&made, aengine.get(),
                all_given<arguments...>(values...), attr.get());
        this->take(st, made, allow_empty, call::desc::message());
    }
};

/*
 * A descriptor with a constructor for each list: at most four. All are in one
 * class, not each in one of a chain: a compiler that finds no constructor for a
 * call would show every class of the chain with its lists.
 */
template <typename call, typename... lists> struct described;

template <typename call, typename... first>
struct described<call, with<first...>> : public created_by<call> {
    described() = default;
    described(dnnl_primitive_desc_t pd) : created_by<call>(pd) {}
    described(const engine &aengine, typename first::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<first...>(
                aengine, attr, allow_empty, arguments...);
    }
};

template <typename call, typename... first, typename... second>
struct described<call, with<first...>, with<second...>>
    : public created_by<call> {
    described() = default;
    described(dnnl_primitive_desc_t pd) : created_by<call>(pd) {}
    described(const engine &aengine, typename first::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<first...>(
                aengine, attr, allow_empty, arguments...);
    }
    described(const engine &aengine, typename second::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<second...>(
                aengine, attr, allow_empty, arguments...);
    }
};

template <typename call, typename... first, typename... second,
        typename... third>
struct described<call, with<first...>, with<second...>, with<third...>>
    : public created_by<call> {
    described() = default;
    described(dnnl_primitive_desc_t pd) : created_by<call>(pd) {}
    described(const engine &aengine, typename first::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<first...>(
                aengine, attr, allow_empty, arguments...);
    }
    described(const engine &aengine, typename second::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<second...>(
                aengine, attr, allow_empty, arguments...);
    }
    described(const engine &aengine, typename third::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<third...>(
                aengine, attr, allow_empty, arguments...);
    }
};

template <typename call, typename... first, typename... second,
        typename... third, typename... fourth>
struct described<call, with<first...>, with<second...>, with<third...>,
        with<fourth...>> : public created_by<call> {
    described() = default;
    described(dnnl_primitive_desc_t pd) : created_by<call>(pd) {}
    described(const engine &aengine, typename first::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<first...>(
                aengine, attr, allow_empty, arguments...);
    }
    described(const engine &aengine, typename second::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<second...>(
                aengine, attr, allow_empty, arguments...);
    }
    described(const engine &aengine, typename third::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<third...>(
                aengine, attr, allow_empty, arguments...);
    }
    described(const engine &aengine, typename fourth::type... arguments,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        this->template create_with<fourth...>(
                aengine, attr, allow_empty, arguments...);
    }
};

/* The descriptor of a kind. It has this short name in messages of compilers. */
template <typename call> struct desc_by : public call::constructors {
    using call::constructors::constructors;
};

} // namespace detail

/* The descriptor of a kind, and its primitive. */
#define DNNL_CACHE_KIND(name)                               \
    typedef detail::desc_by<detail::arg::name> name##_desc; \
    DNNL_CACHE_PRIMITIVE_OF(name)

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_CONSTRUCTORS_HPP */
