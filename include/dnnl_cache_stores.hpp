/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_cache_stores.hpp: the whole C++ interface, for programs that include
 * this name; stores are in <dnnl_cache/attached_store.hpp>. */
#include "dnnl_cache.hpp"
