/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_cache_recurrent.hpp: the whole C++ interface, for programs that include
 * this name; recurrent primitives are in
 * <dnnl_cache/onednn/recurrent.hpp>. */
#include "dnnl_cache.hpp"
