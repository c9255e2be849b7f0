/* SPDX-License-Identifier: Apache-2.0 */
/* <dnnl_types.h>, as older programs include it. */
#include "oneapi/dnnl/dnnl_types.h"
