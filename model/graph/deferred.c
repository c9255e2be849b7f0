/* SPDX-License-Identifier: Apache-2.0 */
#include "model/graph/deferred.h"

#include "model/base/half.h"

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

struct deferred *deferred_create_value(
        float value, int64_t count, float *data, struct failure *failure)
{
    struct deferred *deferred = malloc(sizeof *deferred);
    if (deferred == NULL) {
        (void)fail_out_of_memory(failure);
        return NULL;
    }
    *deferred = (struct deferred){.kind = deferred_value,
            .value = value,
            .count = count,
            .data = data};
    return deferred;
}

/* ---- Random numbers ------------------------------------------------------ */

uint64_t deferred_mix(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Each mixed number is two of 24 bits, which floats have; parts begin with the
 * first of two. */
static void fill_random(float *to, int64_t from, int64_t count, float least,
        float span, uint64_t key)
{
    const float unit = 0x1p-24F;
    for (int64_t i = 0; i < count; i += 2) {
        const uint64_t bits = deferred_mix(key + (uint64_t)(from + i));
        to[i] = least + span * ((float)(bits >> 40) * unit);
        if (i + 1 < count)
            to[i + 1] = least + span * ((float)(bits & 0xffffff) * unit);
    }
}

void deferred_fill_random(
        float *to, int64_t count, float least, float most, uint64_t key)
{
    fill_random(to, 0, count, least, most - least, key);
}

void deferred_randomize(
        struct deferred *deferred, float least, float most, uint64_t key)
{
    byte_source_release(deferred->source);
    deferred->source = NULL;
    deferred->kind = deferred_random;
    deferred->value = least;
    deferred->span = most - least;
    deferred->key = key;
}

/* ---- Bringing them ------------------------------------------------------- */

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

bool deferred_has_halves(const struct deferred *deferred)
{
    return deferred->kind == deferred_file && deferred->is_half
           && deferred->source != NULL;
}

bool deferred_copy_halves(const struct deferred *deferred, int64_t from,
        int64_t count, uint16_t *to, struct failure *failure)
{
    return byte_source_read(deferred->source,
            deferred->offset + (uint64_t)from * sizeof *to,
            (size_t)count * sizeof *to, to, failure);
}

bool deferred_copy(const struct deferred *deferred, int64_t from, int64_t count,
        float *to, struct failure *failure)
{
    if (deferred->kind == deferred_random) {
        fill_random(to, from, count, deferred->value, deferred->span,
                deferred->key);
        return true;
    }
    if (deferred->kind == deferred_value) {
        for (int64_t i = 0; i < count; i++)
            to[i] = deferred->value;
        return true;
    }
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
