/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test links to call the functions of fake_opencl.h: they are
 * forwarded to the driver that the loader has loaded or will load, which a
 * test must not link (it would hide the loader's own symbols).
 */
#ifndef DNNL_CACHE_TESTS_FAKE_OPENCL_CONTROL_H
#define DNNL_CACHE_TESTS_FAKE_OPENCL_CONTROL_H

#include "fake_opencl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The driver to forward to, by path; without this call it is the
 * libfake_opencl.so of this build. Aborts if it can't be loaded. Not thread
 * safe: call it before anything else. */
void fake_opencl_control_open(const char *path);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TESTS_FAKE_OPENCL_CONTROL_H */
