/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the driver is asked for the binaries of programs that it compiled.
 *
 * Asking may take as long as compiling, and drivers compile more at the first
 * launches, so later is better. A worker of low priority asks when the
 * application has released the program, or a while after the build
 * (DNNL_CACHE_HARVEST_SECONDS); what is left is asked when the main thread ends
 * the process, which is when drivers that must be idle are asked (quirks.h).
 *
 * A driver that is at work while the process is taken down crashes. Where the
 * end cannot be noticed in time (exit_hook.h: nothing of OpenCL was called from
 * the main thread), programs are asked for by the thread that releases them, or
 * the last context; those of drivers that must be idle by the latter only.
 */
#ifndef DNNL_CACHE_LAYER_HARVEST_H
#define DNNL_CACHE_LAYER_HARVEST_H

#include "build/objects.h"

/* At the layer's start. */
void harvest_init(void);

/* A build of the program, by the driver, is to be kept: sooner or later. */
void harvest_expect(struct layer_program *program, struct build *build);

/* Sooner, if it is one that waits: the application does not use it any more.
 * NULL: any build of the program. */
void harvest_hurry(struct layer_program *program, const struct build *build);

/* The application has released the program; takes over the caller's reference.
 */
void harvest_released(struct layer_program *program);

/* The application has released a context. */
void harvest_idle(void);

/* The application wants to be told when the context is gone: programs of it do
 * not wait for an idle driver, and are not kept. */
void harvest_drop(cl_context context);

#endif /* DNNL_CACHE_LAYER_HARVEST_H */
