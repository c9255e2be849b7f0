/* SPDX-License-Identifier: Apache-2.0 */
/*
 * side.h: one of two libraries that declare the same names, behind none of
 * them: no file can include the headers of both.
 */
#ifndef DNNL_CACHE_TESTS_ONEDNN_SIDE_H
#define DNNL_CACHE_TESTS_ONEDNN_SIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { side_functions = 6 };

struct side {
    /* What the headers say that it was compiled with, and what the library
     * answers: major and minor. */
    int header_version[2];
    void (*get_version)(int version[2]);
    /* Where some of the library's functions are, for this side's calls. */
    void (*get_functions)(uintptr_t functions[side_functions]);

    /* An engine with a stream; NULL if there is no device. The caller closes
     * it. Used by one thread at a time. */
    void *(*open)(void);
    /* dst[m, n] = src[m, k] * weights[k, n], rows dense, by a primitive made
     * for it. 1 if all went well, else 0. */
    int (*matmul)(void *session, int m, int k, int n, const float *src,
            const float *weights, float *dst);
    /* dst = max(src, 0) of count numbers, likewise. */
    int (*relu)(void *session, int count, const float *src, float *dst);
    void (*close)(void *session);
};

#define SIDE_API __attribute__((visibility("default")))

/* oneDNN, on a CPU engine. */
SIDE_API const struct side *side_of_onednn(void);
/* This library, on a device of the platform that is tested. */
SIDE_API const struct side *side_of_ours(void);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TESTS_ONEDNN_SIDE_H */
