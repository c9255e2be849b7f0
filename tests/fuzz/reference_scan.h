/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second opinion on what a source includes: the phases of translation one
 * after the other, with a copy of the source between them, once for each
 * dialect. It shares nothing with src/includes/include_scan.c, which reads the
 * source once for all dialects.
 */
#ifndef DNNL_CACHE_TESTS_FUZZ_REFERENCE_SCAN_H
#define DNNL_CACHE_TESTS_FUZZ_REFERENCE_SCAN_H

#include "src/common/buffer.h"

struct dialect {
    bool trigraphs; /* are replaced */
    bool cxx;       /* digits have separators, strings may be raw */
    bool wide;      /* what is not ASCII is a letter, else a blank */
    /* Bit n % 16: the n-th directive stands where #if is false, so that the
     * rest of its line is made of ordinary tokens. */
    unsigned skipped;
};

/* Appends a line for each directive that reads a file: "name" or <name>. True
 * if there is something that include_scan has to report as include_macro, too;
 * what follows it in the source may be missing then. */
bool reference_scan(const char *source, size_t size, struct dialect dialect,
        struct buffer *lines);

#endif /* DNNL_CACHE_TESTS_FUZZ_REFERENCE_SCAN_H */
