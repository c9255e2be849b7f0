/* SPDX-License-Identifier: Apache-2.0 */
/* Finalised forms (docs/how_it_works/finalisers.md) that only a worker makes.
 */
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

/* Does the ID name PoCL's finaliser? */
bool form_is_of_pocl(size_t id_size, const uint8_t *id);

/* Was the program of the blob of that ID kept as PoCL had compiled it, for
 * launches alone, so that machine code alone can be made of it, with the
 * functions for all launches? */
bool form_awaits_all_launches(
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob);

/* Has it those functions, beside the intermediate code? PoCL compiled them for
 * who asked for the binary: that is what is to stay there. */
bool form_is_for_queries(
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob);

/* Has every program of the blob a finalised form? False for a blob without
 * programs, and for one that is damaged. */
bool form_is_there(size_t size, const uint8_t *blob);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_MISSING_FORM_H */
