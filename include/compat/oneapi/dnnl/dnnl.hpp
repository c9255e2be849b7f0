/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl.hpp>: the C++ interface. */
#include "dnnl.h"
#include "dnnl_cache.hpp"
