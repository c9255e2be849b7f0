/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files without code in binaries of PoCL.
 *
 * Library, layer and the workers of "dnnl-cache refresh" keep PoCL from
 * compiling what nobody launches: they put files into the program's folder that
 * have nothing but a mark at their end (src/drivers/pocl_stand_ins.h,
 * tools/dnnl_cache/jobs/refresh_stand_in.c). PoCL copies them into the binary.
 * There they must not stay: PoCL would take them for the code.
 */
#ifndef DNNL_CACHE_BINARIES_POCL_STAND_IN_H
#define DNNL_CACHE_BINARIES_POCL_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes them out of a binary, in place. False: it has some, and its layout is
 * not known. */
bool pocl_stand_ins_remove(uint8_t *binary, size_t *size);

#endif /* DNNL_CACHE_BINARIES_POCL_STAND_IN_H */
