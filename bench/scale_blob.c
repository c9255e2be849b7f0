/* SPDX-License-Identifier: Apache-2.0 */
#include "scale_blob.h"

#include <stdio.h>
#include <string.h>

unsigned scale_large_number(unsigned which, unsigned entries)
{
    return which * (entries / scale_large_count);
}

bool scale_is_large(unsigned number, unsigned entries)
{
    const unsigned step = entries / scale_large_count;
    return number % step == 0 && number / step < scale_large_count;
}

const uint8_t *scale_blob(unsigned number)
{
    static uint8_t blob[scale_large_size];
    uint32_t state = 1;
    for (size_t i = 0; blob[scale_large_size - 1] == 0 && i < sizeof blob;
            i++) {
        state = state * 1664525u + 1013904223u;
        blob[i] = (uint8_t)(state >> 24 | 1);
    }
    memcpy(blob, &number, sizeof number);
    return blob;
}

bool scale_blob_is(const uint8_t *blob, unsigned number)
{
    return memcmp(blob, &number, sizeof number) == 0;
}

const uint8_t *scale_id(uint8_t id[scale_id_size], unsigned number)
{
    memset(id, 'x', scale_id_size);
    snprintf((char *)id, scale_id_size, "%u", number);
    return id;
}

unsigned scale_next_large(unsigned which)
{
    enum { stride = 151 }; /* has no divisor in common with their number */
    return (which + stride) % scale_large_count;
}
