/* SPDX-License-Identifier: Apache-2.0 */
#include "deferred.h"

#include "half.h"

#include <stdlib.h>
#include <string.h>

struct deferred *deferred_create(struct byte_source *source, uint64_t offset,
        int64_t count, bool is_half, float *data, struct failure *failure)
{
    struct deferred *deferred = malloc(sizeof *deferred);
    if (deferred == NULL) {
        (void)fail_out_of_memory(failure);
        return NULL;
    }
    *deferred = (struct deferred){.source = byte_source_retain(source),
            .offset = offset,
            .count = count,
            .is_half = is_half,
            .data = data};
    return deferred;
}

void deferred_destroy(struct deferred *deferred)
{
    if (deferred == NULL) return;
    byte_source_release(deferred->source);
    free(deferred);
}

/* Halves are read to the second half of the place of their floats. The first
 * float is written over none of them, and each other one over halves that have
 * been widened. */
static bool copy_halves(const struct deferred *deferred, int64_t from,
        int64_t count, float *to, struct failure *failure)
{
    const size_t size = (size_t)count * sizeof(uint16_t);
    const uint8_t *halves = (uint8_t *)to + size;
    if (!byte_source_read(deferred->source,
                deferred->offset + (uint64_t)from * sizeof(uint16_t), size,
                (uint8_t *)to + size, failure))
        return false;
    for (int64_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, halves + (size_t)i * sizeof half, sizeof half);
        const float value = half_to_float(half);
        memcpy(to + i, &value, sizeof value);
    }
    return true;
}

bool deferred_copy(const struct deferred *deferred, int64_t from, int64_t count,
        float *to, struct failure *failure)
{
    if (deferred->source == NULL)
        return fail(failure, "the model's file has been closed");
    if (deferred->is_half)
        return copy_halves(deferred, from, count, to, failure);
    return byte_source_read(deferred->source,
            deferred->offset + (uint64_t)from * sizeof *to,
            (size_t)count * sizeof *to, to, failure);
}

bool deferred_read(struct deferred *deferred, struct failure *failure)
{
    if (deferred == NULL || deferred->is_read) return true;
    deferred->is_read = deferred_copy(
            deferred, 0, deferred->count, deferred->data, failure);
    return deferred->is_read;
}

bool deferred_close(struct deferred *deferred, struct failure *failure)
{
    if (deferred == NULL || deferred->source == NULL) return true;
    const bool ok = byte_source_check(deferred->source, failure);
    byte_source_release(deferred->source);
    deferred->source = NULL;
    return ok;
}
