/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_time.h: what it took so far to ask the driver for binaries, in this
 * process. Some drivers compile when they are asked. Any thread.
 */
#ifndef DNNL_CACHE_LAYER_ANSWER_TIME_H
#define DNNL_CACHE_LAYER_ANSWER_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program with so many kernels was asked for, which had taken compile_ns to
 * compile. */
void answer_time_add(uint64_t ns, size_t kernel_count, uint64_t compile_ns);

/* The expected time of a query for the binary of a program with so many
 * kernels, by the times of earlier ones; 0: unknown. */
uint64_t answer_time_predict_ns(size_t kernel_count);

/* True if queries took this process long, compared with compiling: binaries are
 * to be made later. */
bool answer_time_is_long(void);

#endif /* DNNL_CACHE_LAYER_ANSWER_TIME_H */
