/* SPDX-License-Identifier: Apache-2.0 */
/* <dnnl.hpp>, as older programs include it. */
#include "oneapi/dnnl/dnnl.hpp"
