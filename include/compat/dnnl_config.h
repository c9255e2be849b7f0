/* SPDX-License-Identifier: Apache-2.0 */
/* <dnnl_config.h>, as older programs include it. */
#include "oneapi/dnnl/dnnl_config.h"
