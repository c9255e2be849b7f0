/* SPDX-License-Identifier: Apache-2.0 */
/* repair_trailer.h: makes the end of any bytes that of a store's entry. */
#ifndef DNNL_CACHE_TESTS_FUZZ_REPAIR_TRAILER_H
#define DNNL_CACHE_TESTS_FUZZ_REPAIR_TRAILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a trailer of the last 64 bytes, of one of the versions, with the right
 * sizes and checksum for this ID; bytes of a proof stay any bytes. With
 * is_inside the ID lies in the file, between blob and proof, else in no file or
 * another one. Returns the blob's size, 0: there is no room. */
size_t repair_trailer(size_t size, uint8_t *file, size_t id_size,
        const uint8_t *id, bool is_inside);

#endif /* DNNL_CACHE_TESTS_FUZZ_REPAIR_TRAILER_H */
