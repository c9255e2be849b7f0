/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h: the settings of the layer, from environment variables and from
 * the user's and the system's file (configuration.h), in this order.
 *
 * They are read once, at first use. An empty variable is treated as unset. An
 * invalid value is reported once, on stderr, and the default is used.
 * docs/reference/environment.md lists all variables.
 */
#ifndef DNNL_CACHE_LAYER_SETTINGS_SETTINGS_H
#define DNNL_CACHE_LAYER_SETTINGS_SETTINGS_H

#include <dnnl_cache/store_types.h>

#include <stdbool.h>
#include <stdint.h>

enum { settings_path_size = 4096 };

/* Where a report goes to. */
struct settings_output {
    bool on;
    char path[settings_path_size]; /* a file it is appended to; "": stderr */
};

/* DNNL_CACHE_COMPILE_MODE. */
enum settings_mode {
    settings_mode_normal = 0,
    settings_mode_cached_only, /* what is not there fails to build */
    settings_mode_recompile,   /* nothing is loaded; entries are replaced */
    settings_mode_verify       /* what is loaded is compiled, and compared */
};

struct layer_settings {
    enum settings_mode mode;
    uint64_t min_compile_ns; /* what compiles faster is not kept */
    bool failed_builds;      /* what fails each time is kept, too */

    /* The level in memory. */
    bool in_memory;
    uint64_t memory_limit; /* bytes; 0: no limit */

    /* The level on disk and beyond. */
    bool persistent;
    bool lacks_directory; /* no variable names one that may be used */
    bool is_default;      /* nobody has chosen it: it is in the user's home */
    char objection[512];  /* why the default one is not used; "": it is */
    /* Absolute; of a pack: its file; "": no store on disk. */
    char directory[settings_path_size];
    char seed[settings_path_size];     /* absolute; "": none */
    char seed_key[settings_path_size]; /* of who signs it; "": nobody */
    char remote[settings_path_size];   /* a URL; "": none */
    char application[256];             /* name of its working set; "": none */
    /* That of what is there, else the one that a new store gets. */
    const struct dnnl_cache_store_type *store;
    bool evicts;        /* else what does not fit is not kept */
    uint64_t max_size;  /* bytes; 0: no limit */
    uint64_t max_days;  /* unused for longer: removed; 0: no limit */
    uint64_t min_image; /* bytes; smaller binaries are not kept */
    uint64_t max_image; /* bytes; larger ones neither */

    bool lazy; /* what was found is loaded when the driver must have it */

    /* When the binaries of compiled programs are asked for. */
    uint64_t capture_seconds;  /* after the build; 0: as soon as possible */
    uint64_t capture_limit_ms; /* predicted to take longer: never; 0: always */
    uint64_t capture_exit_ns;  /* budget at exit; UINT64_MAX: no limit */
    bool capture_now;      /* all when a program is released, and no journal */
    bool capture_forms;    /* then what asks for binaries is a worker, which
                              wants their finalised forms */
    bool capture_compiled; /* what PoCL has compiled, before the journal */

    /* Reports. */
    bool print_debug;
    struct settings_output trace;
    bool trace_full; /* with every ingredient */
    struct settings_output statistics;
    bool record; /* what is used, in a file (programs/records.h) */
};

/* Those of the process, which never change. All is off in an application that
 * the lists of applications do not admit. Thread-safe. */
const struct layer_settings *layer_settings(void);

/* Does DNNL_CACHE_MAX_SIZE count in megabytes, for a tree store? */
bool layer_settings_count_megabytes(const struct layer_settings *settings);

/* True if there is a level at all: else the layer has nothing to do. */
bool layer_settings_is_on(const struct layer_settings *settings);

/* Reads settings from any source of variables: get(user, name) returns a value
 * or NULL, report(user, text) receives messages about invalid ones. secure: the
 * program has more rights than the user who started it, who must not choose
 * files: all is off. */
void layer_settings_read(struct layer_settings *settings, bool secure,
        const char *(*get)(void *user, const char *name),
        void (*report)(void *user, const char *text), void *user);

/* From the process's environment and the files as they are now, whether or not
 * the lists of applications admit this process. */
void layer_settings_read_environment(struct layer_settings *settings,
        void (*report)(void *user, const char *text), void *user);

#endif /* DNNL_CACHE_LAYER_SETTINGS_SETTINGS_H */
