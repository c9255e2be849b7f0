/* SPDX-License-Identifier: Apache-2.0 */
/* capture_all.h: captures of many programs, one after the other. */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_CAPTURE_ALL_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_CAPTURE_ALL_H

#include "src/gpu/program/object/program.h"

/* dnnl_cache_engine_capture() of these programs: the array, which is malloc'ed,
 * and a reference to each are taken over. */
dnnl_status_t capture_programs(struct program **programs, size_t count,
        const dnnl_cache_capture_options_t *options,
        dnnl_cache_capture_callback_t progress, void *user);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_CAPTURE_ALL_H */
