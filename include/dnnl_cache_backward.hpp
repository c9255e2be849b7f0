/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_cache_backward.hpp: the whole C++ interface, for programs that include
 * this name; backward primitives are in
 * <dnnl_cache/onednn/backward.hpp>. */
#include "dnnl_cache.hpp"
