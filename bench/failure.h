/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a row could not be measured: the text of the last failure, for whoever
 * reports it. One thread.
 */
#ifndef BENCH_FAILURE_H
#define BENCH_FAILURE_H

#include "dnnl_cache.h"

#include <stdbool.h>

void failure_set(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *failure_text(void);

/* True for success; else notes the call and what it answered. */
bool succeeded(dnnl_status_t status, const char *call);
bool cl_succeeded(cl_int error, const char *call);

#endif /* BENCH_FAILURE_H */
