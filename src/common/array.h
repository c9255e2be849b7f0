/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h: arrays that grow by one element at a time.
 *
 * One that is full has as many elements as a power of two, so nothing but the
 * count is kept. Only array_grow() may make room in such an array.
 */
#ifndef DNNL_CACHE_COMMON_ARRAY_H
#define DNNL_CACHE_COMMON_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more behind `count` elements of so many bytes. array: the
 * address of the pointer to them, NULL with none, which free() takes. False:
 * memory ran out, and they are as they were. */
static inline bool array_grow(void *array, size_t count, size_t size)
{
    void *elements;
    if ((count & (count - 1)) != 0) return true;
    if (count > SIZE_MAX / 4 / size) return false;
    memcpy(&elements, array, sizeof elements);
    elements = realloc(elements, (count > 0 ? 2 * count : 1) * size);
    if (elements == NULL) return false;
    memcpy(array, &elements, sizeof elements);
    return true;
}

#endif /* DNNL_CACHE_COMMON_ARRAY_H */
