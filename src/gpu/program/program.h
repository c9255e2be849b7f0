/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs as the library keeps them: built or loaded once a context, shared
 * by all that need them, captured once.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_H
#define DNNL_CACHE_GPU_PROGRAM_H

#include "blob/blob.h"
#include "gpu/engine/engine.h"
#include "gpu/program/program_key.h"

/* What a program is made from. Borrowed: everything outlives the call. */
struct program_recipe {
    struct dnnl_engine *engine;
    const struct program_text *text;
    const struct program_key *key; /* empty: not cacheable, never shared */
    /* For primitives: launches one empty problem of each launch class after a
     * build from source, so that drivers compile what they compile late.
     * NULL: the application launches. */
    dnnl_status_t (*warm_up)(
            void *arg, struct dnnl_engine *engine, cl_program program);
    void *warm_up_arg;
    bool is_fresh; /* what is in memory and store is of no use: compile */
};

/* How a program was come by. */
struct program_trace {
    dnnl_cache_origin_t origin;
    uint64_t driver_ns;
    uint64_t blob_bytes;       /* of the store's blob it was made from */
    dnnl_status_t blob_status; /* of a store's blob that was refused */
    struct blob_reason reason; /* and why */
};

struct program {
    atomic_int references;
    cl_device_id device;     /* fixed, as all before captured */
    cl_program cl;           /* owned */
    struct program_key key;  /* fixed; empty: not cacheable */
    struct program_id id;    /* in key */
    struct store *store;     /* to offer it to, retained; NULL: none */
    uint64_t made;           /* when its making began: see store_note_fresh() */
    uint64_t compile_ns;     /* what making it took */
    size_t known_size;       /* of its binary, asked when made; 0: not asked */
    struct buffer first_log; /* of a compilation before linking; no NUL */
    int compression;         /* of a capture: dnnl_cache_compression_t */

    atomic_bool in_memory; /* its context's cache has it */
    /* cache_stamp() of the last use by a kernel or primitive found in memory,
     * while the bytes of programs are limited. */
    atomic_uint_least64_t last_use;

    atomic_bool from_store; /* its store has it; see program_forget() */
    struct once captured;   /* what follows is fixed once it is done */
    struct buffer binary;   /* encoded by codec */
    uint64_t raw_size;
    enum blob_codec codec;
    struct buffer log;     /* build log with NUL */
    struct buffer kernels; /* names, each with NUL */
    uint32_t kernel_count;
    /* The application's; changed and read before by who has begun captured. */
    struct buffer user_data;
};

/* What a program cache does with its programs; left, free_memory and user are
 * its owner's. */
extern const struct cache_ops program_cache_ops;

/* True for failures that are the builder's, not those of who waits for it: it
 * may have had other means, a blob or a mode that forbids to compile. */
bool program_is_builders_own(dnnl_status_t st);

/* How a cache of programs, or of what is made of them, is asked in a compile
 * mode. */
enum cache_way program_cache_way(
        bool is_cacheable, dnnl_cache_compile_mode_t mode);

/* Notes a use that the program cache does not see, if its order counts. */
void program_touch(struct program *program);

/* True if there is no room for the program in memory: what would keep it alive
 * there is not to stay either. */
bool program_has_no_room(struct program *program);

void program_retain(struct program *program);
void program_release(struct program *program);

/* The program of a recipe: from memory, else built. Obeys the engine's compile
 * mode. On failure *note is what the compiler said, the caller's, or as it was.
 * Statuses: dnnl_success; dnnl_cache_miss; dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t program_acquire(const struct program_recipe *recipe,
        struct program **out, struct program_trace *trace, struct note **note);

/* The program of a recipe from a verified blob's record of it: from memory,
 * else loaded. kernels are the blob's. Statuses: dnnl_success;
 * dnnl_cache_blob_stale (the driver refuses the binary);
 * dnnl_cache_blob_corrupt (it does not decode); dnnl_out_of_memory. */
dnnl_status_t program_acquire_from_blob(const struct program_recipe *recipe,
        const struct blob_view *view, uint32_t index, struct program **out,
        struct program_trace *trace);

/* Takes a program that turned out unusable out of the engine's cache, and out
 * of the store that it came from, so that the next one is built anew. */
void program_forget(struct dnnl_engine *engine, struct program *program);

/* Wraps a program the application built; retained. */
dnnl_status_t program_adopt(const struct program_recipe *recipe, cl_program cl,
        struct program **out);

/* Offers the store, if it is to have the program, what is compiled and whose
 * kernels were launched. A failure is a blob that is not kept, nothing more.
 * For after the program can be found: nobody waits for the store then. */
void program_keep(struct program *program);

/* Asks the driver for binary, log and kernel names, once, and offers the
 * program to its store. */
dnnl_status_t program_capture(struct program *program);

/* Keeps a copy of the application's bytes for the blob. Statuses: dnnl_success;
 * dnnl_invalid_arguments (captured already); dnnl_out_of_memory;
 * dnnl_runtime_error (this thread is capturing it). */
dnnl_status_t program_set_user_data(
        struct program *program, const void *data, size_t size);

/* Those bytes, by the size query of output.h. Statuses: dnnl_success;
 * dnnl_invalid_arguments; dnnl_runtime_error (as above). */
dnnl_status_t program_get_user_data(
        struct program *program, size_t *size, void *out);

/* True if the program has a store that is to get it: it was not compiled again
 * since. */
bool program_is_wanted(struct program *program);

/* Bytes of the driver's binary; 0: it does not tell. */
size_t program_binary_size(const struct program *program);

/* The program as a blob's record; captures. Pointers live with program. */
dnnl_status_t program_describe(
        struct program *program, struct blob_program *record);

/* The driver's build log, with a NUL, appended to log. */
dnnl_status_t program_read_log(
        const struct program *program, struct buffer *log);

/* Starts the creation info of a handle from what a trace tells. *reason gets a
 * malloc'ed copy of the refusal's text, or NULL if nothing was refused. */
dnnl_status_t program_trace_info(const struct program_trace *trace,
        uint64_t start_ns, dnnl_cache_creation_info_t *info, char **reason);

#endif /* DNNL_CACHE_GPU_PROGRAM_H */
