/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statistics.h: what the layer did in this process.
 *
 * Each build of a program that the application asks for counts once: as a hit,
 * as a partial hit (found for some of its devices, compiled for the others
 * only), as a failed build answered, or as a miss with a reason. What becomes
 * of a miss counts once more: as nothing to keep, or for each device as kept,
 * as deferred, as not kept with a reason, or as kept by others. Any thread may
 * count; a child of fork() starts from zero.
 */
#ifndef DNNL_CACHE_LAYER_SETTINGS_STATISTICS_H
#define DNNL_CACHE_LAYER_SETTINGS_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* Why a program was compiled, or why it was not kept. The names that people and
 * scripts see are those after layer_reason_; docs/reference/reasons.md tells of
 * each. */
enum layer_reason {
    /* Compiled, and may be kept: */
    layer_reason_missing,   /* no entry */
    layer_reason_partial,   /* no entry for some of the devices */
    layer_reason_damaged,   /* the entry is damaged */
    layer_reason_stale,     /* the entry is of another version */
    layer_reason_refused,   /* the driver refused the binary */
    layer_reason_differs,   /* what was loaded answers otherwise */
    layer_reason_recompile, /* DNNL_CACHE_COMPILE_MODE */
    /* Compiled, and not kept: */
    layer_reason_includes,      /* an #include that could not be followed */
    layer_reason_options,       /* options that could not be understood */
    layer_reason_identity,      /* device or driver cannot be named */
    layer_reason_environment,   /* the application changed a variable */
    layer_reason_binary,        /* the application brought a binary */
    layer_reason_built_in,      /* kernels that the device has */
    layer_reason_compiled,      /* clCompileProgram, with headers */
    layer_reason_linked,        /* clLinkProgram, of what has no ID */
    layer_reason_died,          /* two processes ended while they loaded it */
    layer_reason_quarantined,   /* and two more with what replaced it */
    layer_reason_driver_faster, /* loading takes as long as compiling */
    layer_reason_too_fast,      /* DNNL_CACHE_MIN_COMPILE_MS */
    layer_reason_unsupported,   /* something the layer has no way for */
    /* Not kept: */
    layer_reason_failed,         /* the compiler, the driver, memory */
    layer_reason_unused,         /* the program was gone before it was asked */
    layer_reason_slow_query,     /* asking for the binary would take too long */
    layer_reason_too_small,      /* DNNL_CACHE_MIN_DEVICE_IMAGE_SIZE */
    layer_reason_too_large,      /* DNNL_CACHE_MAX_DEVICE_IMAGE_SIZE */
    layer_reason_store,          /* the store is read-only, full or failing */
    layer_reason_driver_changed, /* its files, since it was identified */
    layer_reason_count
};

const char *layer_reason_name(enum layer_reason reason);

/* bytes: of the blob. load_ns: from the look-up to the end of the load;
 * compile_ns: what compiling took once; 0: not known. */
void statistics_count_hit(bool from_memory, uint64_t bytes, uint64_t load_ns,
        uint64_t compile_ns);
/* Of a hit that was counted (with a compile_ns of 0, for the time of its
 * look-up): the driver is to load it when that must be. */
void statistics_count_unloaded(void);
/* The driver has loaded it, in load_ns, after a look-up of found_ns. */
void statistics_count_late_load(
        uint64_t found_ns, uint64_t load_ns, uint64_t compile_ns);
/* The driver did not take it: it was no hit. A miss follows. */
void statistics_count_late_refusal(bool from_memory);
/* Of a hit that was counted: the driver has more to compile after the load, so
 * the time that was counted as saved is not. */
void statistics_count_incomplete(uint64_t saved_ns);
/* A build whose failure was kept, and answered without the driver. answer_ns:
 * from the look-up to the answer; compile_ns: what the driver took to fail. */
void statistics_count_failed_answered(uint64_t answer_ns, uint64_t compile_ns);
/* Of one that was counted, with the same times: the driver had to build it
 * after all. A miss follows. */
void statistics_count_failed_undone(uint64_t answer_ns, uint64_t compile_ns);
/* A failure that is answered from now on. */
void statistics_count_failed_kept(void);
/* A load of finalised forms. */
void statistics_count_finalised(void);
/* load_ns: of all devices; compile_ns: of those that were missing. */
void statistics_count_partial_hit(uint64_t load_ns, uint64_t compile_ns);

/* compile_ns: of the driver; overhead_ns: of the layer before and after it. */
void statistics_count_miss(
        enum layer_reason reason, uint64_t compile_ns, uint64_t overhead_ns);

/* A capture: the driver was asked for query_ns, and a blob of so many bytes is
 * kept. */
void statistics_count_kept(uint64_t bytes, uint64_t query_ns);
void statistics_count_not_kept(enum layer_reason reason, uint64_t query_ns);
/* The binary is to be made later, by what the store's journal has. */
void statistics_count_deferred(void);
/* Of a miss that comes to no capture: its reason says why, or it failed. */
void statistics_count_nothing_to_keep(void);
/* Another process, thread or context had kept the same when it was to be kept.
 */
void statistics_count_kept_by_others(void);

/* The store could not be opened, or a call of it failed. */
void statistics_count_store_failure(void);

/* What the store on a server came to while it was open: gets that found
 * something, and gets that had no answer or were not made. */
void statistics_add_remote(uint64_t hits, uint64_t failures);

struct statistics_totals {
    uint64_t hits; /* both of the following */
    uint64_t memory_hits;
    uint64_t disk_hits;       /* of stores, a server's too */
    uint64_t remote_hits;     /* among them; what was found is on disk then */
    uint64_t remote_failures; /* looked for on disk only */
    uint64_t incomplete_hits; /* among both */
    uint64_t finalised_hits;  /* among both */
    uint64_t unloaded_hits;   /* among both: nothing needed the driver's load */
    uint64_t partial_hits;
    uint64_t failed_answered; /* failed builds answered; in none of these */
    uint64_t failed_kept;
    uint64_t misses;
    uint64_t misses_by[layer_reason_count];
    uint64_t kept;
    uint64_t not_kept;
    uint64_t not_kept_by[layer_reason_count];
    uint64_t deferred;
    uint64_t nothing_to_keep;
    uint64_t kept_by_others;
    uint64_t store_failures;
    uint64_t bytes_read;
    uint64_t bytes_written;
    uint64_t load_ns;
    uint64_t saved_ns; /* compilations less loads, of hits; at least 0 */
    uint64_t compile_ns;
    uint64_t overhead_ns;
    uint64_t capture_ns;
};

void statistics_get(struct statistics_totals *totals);

/* True once a process: whoever asks reports the totals. */
bool statistics_take_report(void);

#endif /* DNNL_CACHE_LAYER_SETTINGS_STATISTICS_H */
