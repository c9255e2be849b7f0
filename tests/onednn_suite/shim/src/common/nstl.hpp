/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN's tests use of its library of small things. */
#ifndef ONEDNN_SUITE_NSTL_HPP
#define ONEDNN_SUITE_NSTL_HPP

#include "bfloat16.hpp"
#include "float16.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "oneapi/dnnl/dnnl_types.h"

#define MAYBE_UNUSED(x) (void)(x)
#define IMPLICATION(cause, effect) (!(cause) || (effect))
#define DNNL_X64 0 /* there is no code for one kind of processor */

namespace dnnl
{
namespace impl
{

namespace nstl
{
template <typename T> struct numeric_limits : public std::numeric_limits<T> {
};
template <> struct numeric_limits<bfloat16_t> {
    static constexpr int digits = 8;
};
template <> struct numeric_limits<float16_t> {
    static constexpr int digits = 11;
};
} // namespace nstl

namespace utils
{
template <typename T, typename P> bool one_of(T value, P item)
{
    return value == item;
}
template <typename T, typename P, typename... Rest>
bool one_of(T value, P item, Rest... rest)
{
    return value == item || one_of(value, rest...);
}

template <typename T> T array_product(const T *values, size_t count)
{
    T product = 1;
    for (size_t i = 0; i < count; i++)
        product *= values[i];
    return product;
}
} // namespace utils

namespace status
{
constexpr dnnl_status_t success = dnnl_success;
}

/* Layouts of dnnl_format_tag_t without their prefix. */
namespace format_tag
{
#define TAG(name) constexpr dnnl_format_tag_t name = dnnl_##name
TAG(a);
TAG(ab);
TAG(ba);
TAG(abc);
TAG(acb);
TAG(bac);
TAG(bca);
TAG(cba);
TAG(abcd);
TAG(acdb);
TAG(bacd);
TAG(bcda);
TAG(cdba);
TAG(abcde);
TAG(abdec);
TAG(acbde);
TAG(acdeb);
TAG(bcdea);
TAG(cdeba);
TAG(decab);
TAG(abcdef);
TAG(acbdef);
TAG(defcab);
#undef TAG
} // namespace format_tag

} // namespace impl
} // namespace dnnl

#endif
