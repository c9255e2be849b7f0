/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ONEDNN_SUITE_BFLOAT16_HPP
#define ONEDNN_SUITE_BFLOAT16_HPP
#include "small_float.hpp"
namespace dnnl
{
namespace impl
{
struct bfloat16_t : small_float<8, 7> {
    using small_float<8, 7>::small_float;
    bfloat16_t() = default;
};
} // namespace impl
} // namespace dnnl
#endif
