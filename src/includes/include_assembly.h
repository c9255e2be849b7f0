/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Literals that may be a part of inline assembly which reads a file. Any string
 * may be one of inline assembly: the word asm may be in another file, in an
 * option, or pasted.
 *
 * Macros can make strings of a directive's parts that no part tells, and
 * operands can be a part of its name. Both are usual without assembly, so they
 * count where the whole program has the word asm or what it can be pasted of.
 * Of a program whose texts are all at hand, assembly_reach.h tells more.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_ASSEMBLY_H
#define DNNL_CACHE_INCLUDES_INCLUDE_ASSEMBLY_H

#include <stdbool.h>

/* True if the literal from p, at its quote, to after may be, with what follows
 * it before end, a directive of an assembler that reads a file. */
bool assembly_may_read_file(const char *p, const char *after, const char *end);

/* What a program has, as bits. */
enum {
    assembly_a = 1, /* parts of the word: both letters and the operator ## */
    assembly_s = 2,
    assembly_m = 4,
    assembly_pastes = 8,
    assembly_word = 16,
    assembly_unknown = 32, /* # of a macro, or an operand in a directive */
    assembly_told = 64     /* that it may read any file */
};

/* What an identifier, or what else an option defines, adds. */
unsigned assembly_in_word(const char *word);

/* What the literal from p to after adds; more of it may follow before end. */
unsigned assembly_in_literal(const char *p, const char *after, const char *end);

/* True if assembly of a program that has all this may read any file. */
bool assembly_is_unknown(unsigned seen);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_ASSEMBLY_H */
