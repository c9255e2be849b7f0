/* SPDX-License-Identifier: Apache-2.0 */
/* <dnnl.h>, as older programs include it. */
#include "oneapi/dnnl/dnnl.h"
