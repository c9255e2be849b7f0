/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ONEDNN_SUITE_FLOAT16_HPP
#define ONEDNN_SUITE_FLOAT16_HPP
#include "small_float.hpp"
namespace dnnl
{
namespace impl
{
struct float16_t : small_float<5, 10> {
    using small_float<5, 10>::small_float;
    float16_t() = default;
};
} // namespace impl
} // namespace dnnl
#endif
