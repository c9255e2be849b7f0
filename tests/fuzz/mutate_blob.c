/* SPDX-License-Identifier: Apache-2.0 */
/* Mutates blobs and mostly makes size and checksum right again, without which
 * hardly any input would get past them. */
#include "forge.h"
#include "fuzz.h"

size_t LLVMFuzzerCustomMutator(
        uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 != 0) forge_repair(data, size);
    return size;
}
