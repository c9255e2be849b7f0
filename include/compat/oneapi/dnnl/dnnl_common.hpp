/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_common.hpp>: the C++ interface, which is
 * one header here. */
#include "dnnl.hpp"
