/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_ocl.hpp>: dnnl::ocl_interop. */
#include "dnnl.hpp"
