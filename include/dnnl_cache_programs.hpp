/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_cache_programs.hpp: the whole C++ interface, for programs that include
 * this name; programs and kernels are in <dnnl_cache/program.hpp>. */
#include "dnnl_cache.hpp"
