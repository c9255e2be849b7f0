/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sized_struct.h: public structs that grow.
 *
 * Such a struct begins with size_t struct_size, the caller's sizeof, and grows
 * at its end. The caller may have been compiled with an older, shorter
 * declaration or with a newer, longer one. What a shorter one lacks is 0; what
 * a longer one has beyond ours must be 0, because nobody here knows what it
 * says (Linux's rule for extensible system calls).
 */
#ifndef DNNL_CACHE_COMMON_SIZED_STRUCT_H
#define DNNL_CACHE_COMMON_SIZED_STRUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Is the caller's struct one that can be read or written here? ours: the size
 * that is known here. */
static inline bool sized_struct_fits(const void *callers, size_t ours)
{
    const unsigned char *bytes = callers;
    size_t theirs;
    memcpy(&theirs, callers, sizeof theirs);
    if (theirs < sizeof theirs) return false;
    for (size_t i = ours; i < theirs; i++)
        if (bytes[i] != 0) return false;
    return true;
}

/* Reads the caller's struct into one of ours, whose struct_size is the size
 * that is known here. False, with *ours as it was: it does not fit. */
static inline bool sized_struct_read(
        void *ours, size_t size, const void *callers)
{
    size_t theirs;
    if (!sized_struct_fits(callers, size)) return false;
    memcpy(&theirs, callers, sizeof theirs);
    memset(ours, 0, size);
    memcpy(ours, callers, theirs < size ? theirs : size);
    memcpy(ours, &size, sizeof size);
    return true;
}

/* Writes one of ours to the caller's, as much as there is room for; its
 * struct_size stays. False, with *callers as it was: it does not fit. */
static inline bool sized_struct_write(
        const void *ours, size_t size, void *callers)
{
    size_t theirs;
    if (!sized_struct_fits(callers, size)) return false;
    memcpy(&theirs, callers, sizeof theirs);
    const size_t copied = theirs < size ? theirs : size;
    memcpy((unsigned char *)callers + sizeof theirs,
            (const unsigned char *)ours + sizeof theirs,
            copied - sizeof theirs);
    return true;
}

#endif /* DNNL_CACHE_COMMON_SIZED_STRUCT_H */
