/* SPDX-License-Identifier: Apache-2.0 */
/* Finalised forms (docs/FINALISERS.md) that only a worker makes. */
#ifndef DNNL_CACHE_TOOLS_COMMON_MISSING_FORM_H
#define DNNL_CACHE_TOOLS_COMMON_MISSING_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Has the blob a program without a finalised form, because its binary is too
 * large for that to be made in an application's process? */
bool form_is_missing(size_t size, const uint8_t *blob);

#endif /* DNNL_CACHE_TOOLS_COMMON_MISSING_FORM_H */
