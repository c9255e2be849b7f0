/* SPDX-License-Identifier: Apache-2.0 */
/* <dnnl_debug.h>, as older programs include it. */
#include "oneapi/dnnl/dnnl_debug.h"
