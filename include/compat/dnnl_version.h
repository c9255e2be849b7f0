/* SPDX-License-Identifier: Apache-2.0 */
/* <dnnl_version.h>, as older programs include it. */
#include "oneapi/dnnl/dnnl_version.h"
