/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h: DNNL_CACHE_TRACE: which programs were found, and why others were
 * not: a line a program, with its kernels and what it took, and, of a program
 * that is missing, in what the nearest entry differs. "full" adds every
 * ingredient, and is a record a program, and another when it is kept. A line or
 * record is written at one stroke, so that those of threads and processes do
 * not mix. Slow on a miss: the whole store is looked through for the entry that
 * is most like the one that was not found.
 */
#ifndef DNNL_CACHE_LAYER_TRACE_TRACE_H
#define DNNL_CACHE_LAYER_TRACE_TRACE_H

#include "layer/settings/statistics.h"

#include <stddef.h>

bool trace_is_on(void);

/* All of these do nothing while it is off. Any thread may call them. */

/* What a line says of a program besides. */
struct trace_facts {
    const char *kernels;    /* as OpenCL lists them; NULL: not known */
    uint64_t took_ns;       /* loading or compiling; 0: not known */
    uint64_t compile_ns;    /* of a hit, what compiling took; 0: not known */
    const char *what_ended; /* of a miss: "compiled", "failed" */
};

/* A program that was loaded. options: those of the build, if its ID tells their
 * folders by numbers: which folders these are here; else NULL. */
void trace_hit(size_t id_size, const uint8_t *id, bool from_memory,
        const char *options, const struct trace_facts *facts);

/* A program that was loaded, and has to be compiled for a launch of this class
 * of a kernel. */
void trace_incomplete(size_t id_size, const uint8_t *id, const char *kernel,
        const char *launch);

/* A program that was compiled. id: NULL if it has none; detail: more about the
 * reason, such as the file that could not be found; NULL: nothing. options: as
 * above. */
void trace_miss(enum layer_reason reason, const char *detail, size_t id_size,
        const uint8_t *id, const char *options);

/* The same before it is compiled, or given up: trace_miss_end() follows, and
 * has the line. */
void trace_miss_begin(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id, const char *options);
void trace_miss_end(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id, const struct trace_facts *facts);

/* True if trace_miss_end() and trace_hit() write what facts say. */
bool trace_wants_facts(void);

/* A build that fails, and what became of it: "kept", or "answered". */
void trace_failed(size_t id_size, const uint8_t *id, const char *what);

/* What became of a program that was compiled: without full, only why one is not
 * kept. */
void trace_kept(size_t id_size, const uint8_t *id);
void trace_not_kept(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_LAYER_TRACE_TRACE_H */
