/* SPDX-License-Identifier: Apache-2.0 */
/* Finalised forms (docs/FINALISERS.md) that only a worker makes. */
#ifndef DNNL_CACHE_TOOLS_COMMON_ID_MISSING_FORM_H
#define DNNL_CACHE_TOOLS_COMMON_ID_MISSING_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May an entry of that ID have a program without one? Of most drivers none
 * does, and their blobs need no look. */
bool form_may_be_missing(size_t id_size, const uint8_t *id);

/* Has the blob of that ID a program without a finalised form, because its
 * binary is too large for that to be made in an application's process? */
bool form_is_missing(
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob);

/* Has every program of the blob a finalised form? False for a blob without
 * programs, and for one that is damaged. */
bool form_is_there(size_t size, const uint8_t *blob);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_MISSING_FORM_H */
