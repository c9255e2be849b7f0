/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* madvise() */

#include "weight_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Of the processors that have them, most. */
enum { huge_page = 2 << 20 };

/* Most of a warm start of a network with large weights was page faults, one for
 * each 4 KiB. Where the system leaves huge pages to who asks, this does; that
 * they are refused changes nothing but the time. */
void *weight_malloc(size_t size)
{
    if (size < 2 * (size_t)huge_page || size > SIZE_MAX - huge_page)
        return malloc(size == 0 ? 1 : size);
    const size_t whole = (size + huge_page - 1) / huge_page * huge_page;
    void *data = aligned_alloc(huge_page, whole);
#ifdef MADV_HUGEPAGE
    if (data != NULL) (void)madvise(data, whole, MADV_HUGEPAGE);
#endif
    return data;
}
