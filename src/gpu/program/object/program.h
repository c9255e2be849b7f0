/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs as the library keeps them: shared by all that need them, captured
 * once, and their blobs.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_H

#include "dnnl_cache/sys/layer.h"
#include "src/binaries/pocl_add.h"
#include "src/common/cache.h"
#include "src/drivers/option_folders.h"
#include "src/gpu/engine/blob_match.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/program/describe/recipe.h"
#include "src/gpu/program/object/program_use.h"
#include "src/gpu/program/object/waiting.h"

struct program {
    atomic_int references;
    cl_device_id device;    /* fixed, as all before captured */
    cl_context context;     /* not retained: to compare */
    cl_program cl;          /* owned */
    struct program_key key; /* fixed; empty: not cacheable */
    struct program_id id;   /* in key */
    /* Of a program that moves, those of its options; else none. */
    struct option_folders folders;
    struct store *store; /* to offer it to, retained; NULL: none */
    uint64_t made;       /* when its making began: see store_note_fresh() */
    uint64_t compile_ns; /* what making it took */
    /* Since the epoch, when its build began and ended, if the driver compiled
     * it; else 0 (program_folder.h). */
    uint64_t began_ns;
    uint64_t built_ns;
    _Atomic(char *) folder; /* PoCL's, owned; set once; NULL: not known */
    /* Of its kernels, as the driver tells; owned; set once; NULL: not asked. */
    _Atomic(struct buffer *) kernel_names;
    char *likely_folder;     /* found, and not yet to be used; owned; changed by
                                who has begun captured */
    size_t known_size;       /* of its binary, asked when made; 0: not asked */
    struct buffer first_log; /* of a compilation before linking; no NUL */
    int compression;         /* of a capture: dnnl_cache_compression_t */
    atomic_int form_wish;    /* dnnl_cache_program_set_finalised() */
    bool is_warm;            /* compiled and launched as it always will be */
    /* Loaded, from a finalised form; else why the one there was is not used. */
    bool is_loaded;
    bool is_finalised;
    struct blob_reason form_reason;

    atomic_bool in_memory; /* its context's cache has it */
    /* cache_stamp() of the last use by a kernel or primitive found in memory,
     * while the bytes of programs are limited. */
    atomic_uint_least64_t last_use;

    atomic_int handles;    /* of the application's */
    bool is_declined;      /* its store is read-only; fixed */
    bool is_fresh;         /* replaces what its store has */
    atomic_bool is_shared; /* its store has it, without user data */
    atomic_bool is_there; /* the store had all of it when that was asked last */
    struct program_use use;
    struct waiting_link waiting;

    atomic_bool from_store; /* its store has it; see program_forget() */
    struct once captured;   /* what follows is fixed once it is done */
    /* The driver's files changed before the binary was read: the binary may be
     * of another driver than the ID, and is given to nobody. */
    bool is_doubtful;
    /* Read before that (program_capture.h), owned; NULL: not, or taken. */
    struct program_reading *reading;
    struct buffer binary; /* encoded by codec */
    uint64_t raw_size;
    enum blob_codec codec;
    /* The finalised form; finaliser "": none; form empty: binary is it. */
    struct buffer form; /* encoded by form_codec */
    uint64_t form_raw_size;
    enum blob_codec form_codec;
    char finaliser[BLOB_MAX_FINALISER_SIZE + 1];
    /* Left out by the capture, which was for a store (form_queue.h): what the
     * form is made with, owned. It is the program's once formed is done. NULL:
     * nothing was left out. */
    char *form_options;
    struct finalised_kernel *form_kernels;
    struct once formed;
    atomic_bool has_form_job; /* of an entry that it was loaded from */
    /* A folder's name is in what the blob would have, which is given to nobody:
     * the ID says that it is nowhere. */
    bool names_folder;
    struct buffer log; /* build log with NUL, with marks for the folders unless
                          they are named */
    struct buffer kernels; /* names, each with NUL */
    uint32_t kernel_count;
    struct buffer facts; /* of the kernels, in their order, each with NUL */
    /* The application's; changed and read before by who has begun captured. */
    struct buffer user_data;
    atomic_bool has_user_data;
    /* The files that it included (blob/included.h), set before others know the
     * program or as user_data is; empty: none, or not known. */
    struct buffer included;
    atomic_bool is_closed; /* to user data: the application captured it */
};

/* One of the programs of a verified blob; what there is to know of it is read
 * once. */
struct program_blob {
    struct blob_view view;
    struct blob_program program;
    uint32_t index; /* of the program; its kernels have it */
};

/* A program of the engine's context and device; takes cl over, also on failure.
 */
dnnl_status_t program_create(const struct program_recipe *recipe, cl_program cl,
        struct program **out);
void program_retain(struct program *program);
void program_release(struct program *program);

/* What a program cache does with its programs; left, free_memory and user are
 * its owner's. */
extern const struct cache_ops program_cache_ops;

/* True for failures that are the builder's, not those of who waits for it: it
 * may have had other means, a blob or a mode that forbids to compile. */
bool program_is_builders_own(dnnl_status_t st);

/* Notes a use that the program cache does not see, if its order counts. */
void program_touch(struct program *program);

/* True if there is no room for the program in memory: what would keep it alive
 * there is not to stay either. */
bool program_has_no_room(struct program *program);

/* True if the program has a store that is to get it: it was not compiled again
 * since. */
bool program_is_wanted(struct program *program);

/* True if the driver is to be asked for the program's binary, for its store:
 * the store may keep it, and has not as much of it already. */
bool program_is_worth_capturing(struct program *program);

/* True if somebody makes the entry from the journal of its store. What the
 * application added is not there. */
bool program_is_left_to_journal(struct program *program);

/* True if a store could have the program, and neither the store nor its journal
 * has it. Takes a lock of the program's use, and no other. */
bool program_is_never_captured(struct program *program);

/* Asks the driver for binary, log and kernel names, once, and offers the
 * program to its store if it is certain. A form that takes long follows there
 * (form_queue.h). */
dnnl_status_t program_capture(struct program *program);

/* Has the form made of a program that was loaded from the store without one, if
 * it can be; options: those it is built with. */
void program_form_later(
        struct program *program, struct store *store, const char *options);

/* Offers the program to its store now, since other hosts wait for it. The
 * program counts as not captured: the application may still add its data. */
void program_share(struct program *program);

/* Of a program that nobody has yet, and that was made of a blob which was
 * compiled for it: its store, if it has one, gets the same contents. Then the
 * program counts as not captured, as one that was compiled here. */
void program_share_taken(struct program *program);

/* Captures it, if the store is to have the program, what is compiled and whose
 * kernels were launched. A failure is a blob that is not kept, nothing more.
 * For after the program can be found: nobody waits for the store then. */
void program_keep(struct program *program);

/* Asks the driver for what a capture needs, which then asks it for nothing
 * more of this program. Once captured, nothing is done. */
dnnl_status_t program_read_ahead(struct program *program);
/* Adds code to what that got: dnnl_cache_program_add_launch_code(). */
dnnl_status_t program_add_ahead(
        struct program *program, const struct pocl_code *code);

/* Takes what a capture would ask for from the blob it was loaded from. */
dnnl_status_t program_take(
        struct program *program, const struct program_blob *blob);

/* True if the program was captured with exactly the bytes of the blob. */
bool program_matches(struct program *program, const struct program_blob *blob);

/* After a capture: whether the program's blob is of the driver that its ID
 * names. */
bool program_is_certain(const struct program *program);

/* False if the program has no kernel of that name. True also if the driver does
 * not tell, or memory lacks: the capture tells then. */
bool program_may_have_kernel(struct program *program, const char *name);

/* Looks for the driver's folder of a program that was launched just now, whose
 * binary nobody else asks the driver for (program_folder.h). */
void program_note_launched(struct program *program);

/* The application has given it up, and may still have its kernels: remembers
 * the folder for a capture after which nobody asks the driver. */
void program_note_left(struct program *program);

/* What the application asks for: captures, if that is worth it. Then the
 * contents of the blob are those of now, or later: user data is fixed. Statuses
 * as program_capture(). */
dnnl_status_t program_close(struct program *program);

/* Keeps a copy of the application's bytes for the blob. Statuses: dnnl_success;
 * dnnl_invalid_arguments (captured or closed already); dnnl_out_of_memory;
 * dnnl_runtime_error (this thread is capturing it). */
dnnl_status_t program_set_user_data(
        struct program *program, const void *data, size_t size);

/* Takes the included files over, if it is not captured yet; else, or without
 * memory, the blob is without them. Leaves *included empty. */
void program_set_included(struct program *program, struct buffer *included);

/* Those bytes, by the size query of output.h. Statuses: dnnl_success;
 * dnnl_invalid_arguments; dnnl_runtime_error (as above). */
dnnl_status_t program_get_user_data(
        struct program *program, size_t *size, void *out);

/* The program as a blob's record, with its form; captures. Pointers live with
 * program. */
dnnl_status_t program_describe(
        struct program *program, struct blob_program *record);

/* The program's blob, with its form, by the size query of output.h; captures.
 */
dnnl_status_t program_write_blob(
        struct program *program, size_t *size, uint8_t *out);

/* The build log, with its NUL: the captured one, else the driver's. */
dnnl_status_t program_build_log(struct program *program, struct buffer *out);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_PROGRAM_H */
