/* SPDX-License-Identifier: Apache-2.0 */
/* The host computes nothing here: there is no CPU engine to ask about. */
#ifndef ONEDNN_SUITE_PLATFORM_HPP
#define ONEDNN_SUITE_PLATFORM_HPP

#include "oneapi/dnnl/dnnl_types.h"

namespace dnnl
{
namespace impl
{
namespace cpu
{
namespace platform
{
inline bool has_data_type_support(dnnl_data_type_t)
{
    return false;
}
inline bool has_training_support(dnnl_data_type_t)
{
    return false;
}
} // namespace platform
} // namespace cpu
} // namespace impl
} // namespace dnnl

#endif
