/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof_bitcode.h: LLVM's intermediate code, without what two compilations of
 * one source do not share.
 *
 * A module has the path of its source, which is a temporary file's, as bits of
 * a record and in its table of strings, and positions of parts, which depend on
 * the path's length. All other records count, in their order, and the names of
 * functions and variables. Trusts nothing.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_PROOF_PROOF_BITCODE_H
#define DNNL_CACHE_TOOLS_COMMON_PROOF_PROOF_BITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: it is no module that can be read to its end, or memory ran out. */
bool proof_bitcode_digest(
        uint64_t digest[2], const uint8_t *module, size_t size);

#endif /* DNNL_CACHE_TOOLS_COMMON_PROOF_PROOF_BITCODE_H */
