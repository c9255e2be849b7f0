/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/weight_memory.h"

#include <stdint.h>
#include <stdlib.h>

enum { page = 4096 };

/* Huge pages are not asked for. Of a process on a machine of its own they save
 * a third of the time that page faults take; a virtual machine that gives free
 * memory back to its host takes a second for what small pages take a quarter
 * of it for, since the host then has to find each huge page anew. */
void *weight_malloc(size_t size)
{
    if (size < page || size > SIZE_MAX - page)
        return malloc(size == 0 ? 1 : size);
    return aligned_alloc(page, (size + page - 1) / page * page);
}
