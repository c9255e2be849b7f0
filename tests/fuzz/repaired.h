/* SPDX-License-Identifier: Apache-2.0 */
/* repaired.h: what a target gives to mutate_repaired.c. */
#ifndef DNNL_CACHE_TESTS_FUZZ_REPAIRED_H
#define DNNL_CACHE_TESTS_FUZZ_REPAIRED_H

#include <stddef.h>
#include <stdint.h>

/* Makes sizes, counts and checksums right of what is there. Returns how much of
 * it is the whole then; 0: there is too little for that, and the bytes may have
 * changed. */
size_t fuzz_repair(size_t size, uint8_t *data);

#endif /* DNNL_CACHE_TESTS_FUZZ_REPAIRED_H */
