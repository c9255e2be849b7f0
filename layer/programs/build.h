/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One build, compilation or link of a program of the application's: what the
 * program is from then on.
 *
 * The driver compiled it, and its binary is to be captured; or it was found in
 * the storage, and the layer made a second program of the binaries, the loaded
 * program, which does the work of the application's. A link makes a new
 * program, so there the loaded program is the application's.
 *
 * The driver builds in the application's program while that is free. If that
 * still waits for the capture of a previous build, the driver builds a second
 * program made from the same source, the rebuilt program.
 *
 * Both are substitutes: they do the work of the application's program. Only a
 * rebuilt one answers all queries itself.
 *
 * Kernels need the facts of their loaded program after the program was built
 * anew, so builds are shared. All of a build but what is marked is fixed once
 * it is a program's.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_BUILD_H
#define DNNL_CACHE_LAYER_PROGRAMS_BUILD_H

#include "layer/driver/loaded.h"
#include "layer/programs/build_headers.h"
#include "layer/programs/engines.h"
#include "tools/common/id/facts.h"
#include "tools/common/id/failure.h"

#include "dnnl_cache.h"

#include <stdatomic.h>

/* Of a context or a program; one that has more passes through. */
enum { most_devices = 64 };

/* A device that a program was built for. */
struct built_device {
    cl_device_id device;
    bool is_held; /* a sub-device, of which the build has a reference */
    struct layer_engine *engine;    /* a reference; NULL: not identified yet */
    dnnl_cache_program_desc_t desc; /* owned */
    uint8_t *id;                    /* owned; of the entry in the storage */
    size_t id_size;
    const uint8_t *engine_id; /* the engine's: for measurements */
    size_t engine_id_size;
    bool is_kept;             /* the storage had it */
    bool has_failed;          /* in a build that is kept as failed */
    struct loaded_key loaded; /* of the entry that was read */
    /* Of a link: the IDs of its inputs, in order; owned. */
    size_t input_count;
    size_t *input_id_sizes;
    uint8_t **input_ids;
    /* Of a loaded program: what the program from source answered. */
    uint8_t *record; /* owned; facts point into it */
    struct facts facts;
    uint8_t *binary; /* owned; while it is loaded */
    size_t binary_size;
    uint8_t *form; /* owned; while it is loaded: form.h. NULL: none */
    size_t form_size;
    bool is_of_form; /* the loaded program is */
    /* The entry has the form in place of the binary: the driver is not to be
     * asked for it, nor to link the program. */
    bool is_form_alone;
};

enum build_kind {
    build_executable, /* clBuildProgram */
    build_object,     /* clCompileProgram */
    build_linked      /* clLinkProgram */
};

/* Of a build whose bytes are held until the driver gets them (lazy.h). */
struct late_load {
    bool from_memory;  /* the bytes were; fixed */
    uint64_t found_ns; /* what the look-up took; fixed */
    bool is_refused;   /* the driver did not take them; the load_lock's */
};

/* Of a build that failed each time, and that the driver was not asked for
 * (compile/failed.h). */
struct kept_failure {
    uint8_t *record;        /* owned */
    struct failure answers; /* point into it */
    bool has_callback;      /* of the call */
    uint64_t answer_ns;     /* what finding it took; fixed with the build */
    atomic_bool is_undone;  /* the driver has built it after all */
};

struct build {
    atomic_uint references;
    enum build_kind kind;
    /* Owned; NULL: built in the application's program, or the driver has not
     * loaded it yet (is_loaded). Set once, by what is loaded late under the
     * program's load_lock. */
    _Atomic(cl_program) substitute;
    /* In place of kernels that the application has of an earlier build, and
     * that forbid another one; owned; may be NULL. */
    _Atomic(cl_kernel) stand_in;
    /* Whose the substitute is, if it is an earlier build's; a reference. */
    struct build *lender;
    bool is_loaded;        /* it is of binaries: facts tell what it lacks */
    struct late_load late; /* of one that was loaded late */
    char *options;         /* owned; "" for none */
    bool has_no_options;   /* not even "": the ID is the same (quirks.h) */
    struct build_headers *headers; /* a reference; NULL: none. Set once, before
                                      the build has its IDs */

    atomic_bool is_done; /* it succeeded */
    /* What was compiled may be another than the IDs say: set before is_done. */
    atomic_bool is_misnamed;
    atomic_bool holds_lease; /* other hosts wait for its entry (lease.h) */
    /* The application asked for its binary, before it was captured. */
    atomic_bool is_binary_wanted;
    /* The driver has given it: it has compiled all that it ever will for that.
     */
    atomic_bool is_binary_given;

    struct kept_failure *failure; /* owned; NULL: it was loaded, or the driver
                                     was asked; fixed before others know it */

    bool is_withheld; /* nothing was compiled (compile/withhold.h); fixed
                         before others know it */
    bool reads_files; /* its compiler does */
    /* Its ID tells its folders by their numbers: an entry has no names of
     * theirs (programs/moved.h). */
    bool moves;
    /* And what these folders hold can be put into others (moved_headers.h). */
    bool is_apart;
    /* What it was compiled with, for the journal; both owned. */
    size_t file_count;
    dnnl_cache_note_file_t *files;
    /* The same for its entry (programs/included.h): owned; set before others
     * know the build, or with the program's capture lock. */
    size_t included_count;
    struct included_name *included;

    /* programs/launches.h, which guards what is not atomic. */
    atomic_bool is_watched;    /* its launches are looked at */
    atomic_bool is_incomplete; /* it was loaded, and lacked a launch */
    struct build_launch *launches;
    size_t launch_count;
    bool is_frozen; /* later launches are not in the binary */
    char *named;    /* owned; classes that were named then; may be NULL */
    /* Of a form that stands alone: the same compiled, for what the form cannot
     * answer (compiled_again.h); of a build that the driver did not load late:
     * what replaced it. Owned; NULL until it is asked. */
    _Atomic(struct build *) compiled;
    uint64_t saved_ns; /* counted for a load; fixed with the substitute */
    bool lacks_form;   /* of its capture: a worker is to make it (notes) */
    /* The journal has it (programs/notes.h). */
    atomic_bool is_noted;

    /* Since the epoch: when the driver began to compile it, and when that was
     * done; 0: it did not, or not yet. Files are stamped by a clock that is
     * behind, by a tick or more: what the driver writes from the beginning on
     * has a time from files_from_ns on, and so may what was written just
     * before. */
    uint64_t files_from_ns;
    uint64_t began_ns;
    uint64_t files_until_ns;
    /* How far that clock was before the one that nobody sets. */
    uint64_t files_ahead_ns;
    bool is_clock_kept; /* was it not set while the driver compiled? */

    char *kernel_names; /* owned; kernel_names.h, whose lock sets it */

    /* The driver was asked for its binary with files in place of code
     * (capture/stand_ins.h), and gives that for ever. So the application gets
     * what is in `given`, which the program's capture lock guards; owned; NULL:
     * it cannot be had. */
    atomic_bool has_stand_ins;
    uint8_t *given;
    size_t given_size;

    /* References that its capture has of the substitute; guarded by the
     * program's capture lock. */
    unsigned adoptions;

    /* These change; guarded by the program's lock. */
    uint64_t compile_ns; /* from source */
    bool is_capturing;   /* its capture has begun */
    bool is_asked;       /* and needs nothing more of the driver's program */
    unsigned generation; /* of the handle's; 0: none, or not alone */
    unsigned lendings;   /* others are built in its substitute
                            (capture_queue_lend) */
    struct build *next;  /* of those that wait for theirs */

    /* For some of the program's devices: left to the driver. Drivers differ in
     * what they answer for the other devices, and the program may be built for
     * those later. */
    bool is_part;
    size_t count;
    struct built_device devices[];
};

/* A build for these devices, with one reference. options: "" if NULL. NULL: no
 * memory, or more than most_devices. */
struct build *build_new(enum build_kind kind, size_t count,
        const cl_device_id *devices, const char *options);
/* The same of other devices: its kind, options and headers, and nothing of what
 * has come of it. */
struct build *build_new_like(
        const struct build *like, size_t count, const cl_device_id *devices);
void build_hold(struct build *build);
/* NULL is fine. The last one frees everything, the substitute included. */
void build_release(struct build *build);

/* As they were given. */
const char *build_options(const struct build *build);
/* The same of one that moves, whose ID has numbers for folders; else NULL. */
const char *build_moved_options(const struct build *build);

/* Whether both are the same of the same: what one is named, the other is. */
bool build_is_same(const struct build *a, const struct build *b);

/* Around what the driver compiles or links in one call: what its files' times
 * are between. */
void build_files_begin(struct build *build);
void build_files_end(struct build *build);

/* Times since the epoch tell nothing if the clock was set since it was built,
 * by more than that. */
bool build_clock_was_set(const struct build *build, uint64_t most_ns);

/* True if both are identified, and one entry is for both: they are equal, or
 * parts of one device. */
bool build_devices_are_equal(
        const struct built_device *a, const struct built_device *b);

/* Index of the first device that has the same entry: often `device`. */
size_t build_first_equal(const struct build *build, size_t device);

/* The application has no kernels any more. */
void build_drop_stand_in(struct build *build);

/* Before anybody else knows the build. */
void build_drop_substitute(struct build *build);

/* True if the driver does not have it yet: it is loaded when it must. build may
 * be NULL. */
bool build_is_lazy(const struct build *build);

/* The device's part, or that of the device that it is a part of: for PoCL a
 * program of sub-devices is one of their parent. NULL: it was not built for it.
 * build may be NULL. */
struct built_device *build_device(struct build *build, cl_device_id device);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_BUILD_H */
