/* SPDX-License-Identifier: Apache-2.0 */
/* What libFuzzer calls and provides. replay.c calls the same without it. */
#ifndef DNNL_CACHE_TESTS_FUZZ_FUZZ_H
#define DNNL_CACHE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The target: runs on one input, aborts if something is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target's own mutator, and libFuzzer's for it to use. */
size_t LLVMFuzzerCustomMutator(
        uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Ends the run, so that the input is kept, unless the property holds. */
#define REQUIRE(property)                                                 \
    do {                                                                  \
        if (!(property)) {                                                \
            (void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, \
                    __LINE__, #property);                                 \
            abort();                                                      \
        }                                                                 \
    } while (0)

#endif /* DNNL_CACHE_TESTS_FUZZ_FUZZ_H */
