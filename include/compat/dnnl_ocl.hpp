/* SPDX-License-Identifier: Apache-2.0 */
/* <dnnl_ocl.hpp>, as older programs include it. */
#include "oneapi/dnnl/dnnl_ocl.hpp"
