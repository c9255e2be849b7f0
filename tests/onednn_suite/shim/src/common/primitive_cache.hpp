/* SPDX-License-Identifier: Apache-2.0 */
/* How many primitives are in memory, which oneDNN tells its tests alone. */
#ifndef ONEDNN_SUITE_PRIMITIVE_CACHE_HPP
#define ONEDNN_SUITE_PRIMITIVE_CACHE_HPP

#include "nstl.hpp"

#include <dnnl_cache.h>

namespace dnnl
{
namespace impl
{
inline dnnl_status_t get_primitive_cache_size(int *size)
{
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    dnnl_status_t st = dnnl_cache_get_statistics(&statistics);
    if (st == dnnl_success) *size = int(statistics.primitive_entries);
    return st;
}
} // namespace impl
} // namespace dnnl

#endif
