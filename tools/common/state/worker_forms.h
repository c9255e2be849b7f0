/* SPDX-License-Identifier: Apache-2.0 */
/* The library's variable of finalisers (docs/how_it_works/finalisers.md), and
 * its value in workers of dnnl-cache refresh that make finalised forms,
 * whatever it takes. In these the layer knows by it who asks for binaries. */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_WORKER_FORMS_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_WORKER_FORMS_H

#define WORKER_FORMS_VARIABLE "DNNL_CACHE_FINALISE"
#define WORKER_FORMS_ALL "large"

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_WORKER_FORMS_H */
