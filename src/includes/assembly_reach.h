/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of a program that has assembly, and macros that make strings or paste: can
 * these reach the assembly? They can where
 *
 * - what a chunk with an asm statement names, or a macro that leads to one,
 *   names in turn, by whatever macros, an operator # or ##, or a literal that
 * an operand may make a directive of;
 * - ## may make the word asm, or the name of a macro that leads to one, of
 *   anything that the program gives to macros with ## in them.
 *
 * Names count, not definitions: of several that a macro has, each does, and a
 * macro takes part that is only named. In doubt the answer is yes.
 */
#ifndef DNNL_CACHE_INCLUDES_ASSEMBLY_REACH_H
#define DNNL_CACHE_INCLUDES_ASSEMBLY_REACH_H

#include "src/includes/assembly_texts.h"

enum { assembly_reason_size = 100 };

/* True if they may reach it; then *reason, of assembly_reason_size bytes, says
 * how. Changes the marks of the texts' names. */
bool assembly_is_reached(struct assembly_texts *texts, char *reason);

#endif /* DNNL_CACHE_INCLUDES_ASSEMBLY_REACH_H */
