/* SPDX-License-Identifier: Apache-2.0 */
/* run_session.h: what dnnl-cache-run and the layer in its command share. */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_RUN_SESSION_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_RUN_SESSION_H

/* 1: dnnl-cache-run stays after the command, as with --wait. */
#define RUN_WAIT_VARIABLE "DNNL_CACHE_RUN_WAIT"

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_RUN_SESSION_H */
