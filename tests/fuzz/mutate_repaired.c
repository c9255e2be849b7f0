/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutates the inputs of targets that can make a file of any bytes: most come
 * out with right checksums, so that what one mutation has reached is there for
 * the next one. Without that a corpus has files whose checksums are wrong, and
 * a mutation of theirs begins outside again.
 */
#include "fuzz.h"
#include "repaired.h"

size_t LLVMFuzzerCustomMutator(
        uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 == 0) return size;
    const size_t repaired = fuzz_repair(size, data);
    return repaired > 0 ? repaired : size;
}
