/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of a number, in f32; of integers they are cut, relu is rounded.
 */
#ifndef ONEDNN_SUITE_MATH_UTILS_HPP
#define ONEDNN_SUITE_MATH_UTILS_HPP

#include "nstl.hpp"

#include <cmath>
#include <type_traits>

namespace dnnl
{
namespace impl
{
namespace math
{

template <typename T> T relu_fwd(T s, float alpha)
{
    if (s > 0) return s;
    float scaled = float(s) * alpha;
    return T(std::is_integral<T>::value ? std::nearbyint(scaled) : scaled);
}
template <typename T> T tanh_fwd(T s)
{
    return T(std::tanh(float(s)));
}
template <typename T> T elu_fwd(T s, float alpha)
{
    return s > 0 ? s : T(alpha * std::expm1(float(s)));
}
template <typename T> T square_fwd(T s)
{
    return T(s * s);
}
template <typename T> T abs_fwd(T s)
{
    return s > 0 ? s : T(-s);
}
template <typename T> T linear_fwd(T s, float alpha, float beta)
{
    return T(alpha * float(s) + beta);
}
template <typename T> T clip_fwd(T s, float alpha, float beta)
{
    s = s > alpha ? s : T(alpha);
    return s > beta ? T(beta) : s;
}
/* log(1 + exp(alpha * s)) / alpha without an overflow. */
template <typename T> T soft_relu_fwd(T s, float alpha)
{
    float x = float(s) * alpha;
    float y = std::fmax(x, 0.0f) + std::log1p(std::exp(-std::fabs(x)));
    return T(float(T(y)) / alpha);
}
template <typename T> T logistic_fwd(T s)
{
    return T(1.0f / (1.0f + std::exp(-float(s))));
}
template <typename T> T exp_fwd(T s)
{
    return T(std::exp(float(s)));
}
template <typename T> T swish_fwd(T s, float alpha)
{
    return T(float(s) * logistic_fwd<float>(alpha * float(s)));
}

} // namespace math
} // namespace impl
} // namespace dnnl

#endif
