/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h: counters of the process. */
#ifndef DNNL_CACHE_STATISTICS_H
#define DNNL_CACHE_STATISTICS_H

#include "dnnl_cache/base.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counters since the process started, of all engines together; those of
 * primitives are 0 in a library without primitives. Each ID that a store is
 * asked for, by get() or get_many(), is one hit or one miss.
 *
 * In memory: a hit found the object, a wait found that another thread was
 * building it, and a miss found neither. Builds are attempts to create it, from
 * any source, and failures are the builds that failed; what cached-only mode
 * rejects is neither. Evictions are objects that were removed because of a
 * limit, or because memory ran out; an object that was never added does not
 * count. Kernels are looked up by program and name, fast kernels by descriptor
 * and name: if a fast kernel is not found, its program and its kernel are
 * looked up. */
typedef struct {
    size_t struct_size;           /* sizeof the struct */
    uint64_t primitive_entries;   /* in the primitive cache now */
    uint64_t primitive_hits;      /* primitives found in memory */
    uint64_t primitive_misses;    /* primitives not found in memory */
    uint64_t primitive_waits;     /* another thread was building it */
    uint64_t primitive_evictions; /* primitives removed for a limit */
    uint64_t program_hits;        /* programs found in memory */
    uint64_t program_misses;      /* programs not found in memory */
    uint64_t programs_compiled;   /* from source; engines' probes included,
                                     which are not look-ups */
    uint64_t programs_loaded;     /* from blobs */
    uint64_t blobs_rejected;      /* corrupt, stale or unsupported */
    uint64_t compile_ns;          /* spent in the driver compiling */
    uint64_t load_ns;             /* spent in the driver loading binaries */
    uint64_t store_hits;          /* blobs used from attached stores */
    uint64_t store_misses;        /* not there, refused, or get() failed */
    uint64_t store_puts;          /* that succeeded */
    uint64_t store_failures;      /* calls of a store that failed */
    uint64_t primitive_builds;    /* attempts to create one */
    uint64_t primitive_failures;  /* attempts that failed */
    uint64_t program_entries;     /* in memory now, in all contexts */
    uint64_t program_bytes;       /* of their binaries, as far as the sizes are
                                     known: always while there is a limit (which
                                     each context has), else only of programs
                                     loaded from a blob, or created while there
                                     was a limit */
    uint64_t program_waits;       /* another thread was building it */
    uint64_t program_builds;      /* attempts to create one */
    uint64_t program_failures;    /* attempts that failed */
    uint64_t program_evictions;   /* programs removed for a limit */
    uint64_t kernel_entries;      /* in memory now, in all contexts */
    uint64_t kernel_hits;         /* kernels found in memory */
    uint64_t kernel_misses;       /* kernels not found in memory */
    uint64_t kernel_waits;        /* another thread was building it */
    uint64_t kernel_builds;       /* attempts to create one */
    uint64_t kernel_failures;     /* attempts that failed */
    uint64_t kernel_evictions;    /* kernels removed for a limit */
    uint64_t fast_kernel_entries; /* in memory now, in all contexts */
    uint64_t fast_kernel_hits;    /* fast kernels found in memory */
    uint64_t fast_kernel_misses;  /* fast kernels not found in memory */
    uint64_t fast_kernel_waits;   /* another thread was building it */
    uint64_t fast_kernel_evictions; /* fast kernels removed for a limit */
    uint64_t saved_ns; /* for each hit in memory, the time of the call that
                          created the object, with all that it had to create
                          first: as if each hit had built the object again.
                          Nothing for hits in a store: blobs do not say how
                          long compiling took */
    uint64_t programs_incomplete; /* loaded, but what they were used for was not
                                     all in the blob; a launch compiled */
    uint64_t store_notes;         /* that journals of stores took */
    uint64_t finalised_made;      /* forms that finalisers made
                                     (docs/how_it_works/finalisers.md) */
    uint64_t finalised_loaded;    /* programs loaded from one */
    uint64_t finalised_refused;   /* forms that the driver refused */
    uint64_t programs_never_captured; /* compiled with a store that can keep
                                         them, and so far neither captured nor
                                         left to its journal: a miss at the next
                                         start, too */
    uint64_t store_read_only; /* programs compiled with a store that cannot be
                                 written */
} dnnl_cache_statistics_t;

/* The initial value of a dnnl_cache_statistics_t: struct_size is set, all
 * else is 0. */
#define DNNL_CACHE_STATISTICS_INIT                                             \
    {                                                                          \
        sizeof(dnnl_cache_statistics_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                \
    }

/* Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad struct_size);
 * dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_get_statistics(
        dnnl_cache_statistics_t *statistics);

/* The same as text: a JSON object with the objects primitives, programs,
 * finalised, kernels, fast_kernels and stores, whose members have the names
 * above without their first part (blobs_rejected, compile_ns and load_ns are in
 * programs), and saved_ns. A size query, in bytes with the trailing NUL:
 * the answer leaves room for any later numbers, and the call that writes sets
 * the size of the text. Statuses: dnnl_success; dnnl_invalid_arguments (NULL,
 * buffer too small); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_get_statistics_json(size_t *size, char *json);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STATISTICS_H */
