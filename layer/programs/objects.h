/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the layer knows of the application's programs and kernels, by their
 * handles, which are the driver's own. What is not here passes through.
 *
 * A program made from source or IL has an entry from its creation until nobody
 * needs it any more: the application's references, the kernels of its
 * substitute and the capture each count. The entry has one of the driver's
 * references as long as it lives, so that a handle means one program all the
 * time.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_OBJECTS_H
#define DNNL_CACHE_LAYER_PROGRAMS_OBJECTS_H

#include "layer/programs/build.h"

#include <pthread.h>

typedef cl_program(CL_API_CALL *create_with_il_function)(
        cl_context context, const void *il, size_t size, cl_int *err);

/* What the application made a program from. */
struct program_input {
    char *source; /* all strings as one, with a NUL behind; NULL: of IL */
    size_t source_size;
    uint8_t *il;
    size_t il_size;
    create_with_il_function create_with_il; /* the driver's that took it */
};

struct spec_constant {
    cl_uint id;
    size_t size;
    uint8_t value[8];
};

struct layer_program {
    struct layer_program *next; /* in its bucket */
    cl_program handle;          /* fixed */
    cl_context context;         /* fixed; alive as long as the program is */
    struct program_input input; /* fixed; owned */

    /* These, and next, guarded by the bucket's lock (objects.c). */
    unsigned references;     /* of everybody */
    unsigned app_references; /* the application's, one in the former */
    bool is_forgotten; /* the driver's reference is the application's again */

    bool is_counted;     /* in engines.h; fixed */
    atomic_uint kernels; /* in the application's hands: they forbid a build */
    /* The application asked for the binary, which names the folder that the
     * driver removes with the program (quirk_shares_folders()). */
    atomic_bool is_folder_named;

    /* Held while the driver is queried for facts and binary, which may take
     * seconds: the kernels created for that would prevent a build of the
     * program, and count in its references. Not while the finalised form is
     * made. Taken before `lock`. Guards `adoptions`. */
    pthread_mutex_t capture_lock;
    unsigned adoptions; /* references of the handle that captures have */

    /* Held while the driver loads what was found before (compile/lazy.h), or
     * compiles it instead. Taken before all other locks here. */
    pthread_mutex_t load_lock;

    /* Held while the driver is told of a constant, so that both have the same
     * ones. Taken before `lock`; the driver calls nobody back there. */
    pthread_mutex_t constants_lock;

    /* Held briefly, and never while the driver is called: the driver may call
     * the application, which may query the program. Taken before a bucket's
     * lock. Guards what follows. */
    pthread_mutex_t lock;
    struct spec_constant *constants; /* owned */
    size_t constant_count;
    /* Counts when a constant began to be set, and when it was: odd while the
     * driver may have it, and the list may not. */
    unsigned constant_changes;
    bool is_loaded_link; /* linked, but to the driver one of binaries */
    bool is_used;        /* the driver was made to build the handle */
    /* The last build of the handle is known only if no other one overlapped it
     * (capture_queue.h). */
    unsigned handle_generation; /* counts builds that began */
    unsigned handle_builders;   /* builds that are running */
    bool is_unknown; /* memory ran out for what it is made of: no ID */
    /* It was compiled, and built, or failed, or compiled for some devices
     * (quirks.h): what drivers make of that is their own, from then on. */
    bool is_drivers;
    /* The program's build, even if it failed; a reference. NULL: the driver
     * answers for the handle. */
    struct build *build;
    struct build *waiting; /* for their captures; a reference to each
                              (capture_queue.h) */
};

/* A kernel of a program. Fixed but for the first two, which the bucket's lock
 * guards. */
struct layer_kernel {
    struct layer_kernel *next;
    unsigned app_references;
    cl_kernel handle;
    struct layer_program *program; /* a reference */
    struct build *build;           /* a reference; may be NULL */
    char name[];
};

/* Comes before all else, once, while there is one thread that knows of the
 * layer. */
void objects_init(void);

/* ---- Programs ------------------------------------------------------------ */

/* Creates the entry of a new program, with one reference of the application's.
 * Always takes over what input holds. If memory runs out, calls for the program
 * pass through. */
void objects_add_program(cl_program handle, cl_context context,
        const struct program_input *input);

void program_input_fini(struct program_input *input);

/* The entry, with a reference that objects_put_program() gives back; NULL: not
 * one of ours. */
struct layer_program *objects_get_program(cl_program handle);
void objects_hold_program(struct layer_program *program);
void objects_put_program(struct layer_program *program);

/* What the program is now, with a reference; may be NULL. */
struct build *objects_hold_build(struct layer_program *program);

/* The same if it has a substitute, or is to be loaded; else NULL. */
struct build *objects_hold_substitute(struct layer_program *program);

/* The driver's program that does the work of a program that is built so. build
 * may be NULL. */
cl_program objects_working_handle(
        const struct layer_program *program, const struct build *build);

/* Calls visit for every program, with a reference meanwhile and no lock. */
void objects_for_each_program(void (*visit)(struct layer_program *program));

/* How many references the application has. */
unsigned objects_app_references(const struct layer_program *program);

/* True if no command of a kernel of the build waits or runs: the driver counts
 * no more references of program and kernels than the application has. For PoCL,
 * whose commands hold their kernel, and kernels their program. With the
 * program's capture lock. */
bool objects_are_idle(struct layer_program *program, const struct build *build);

/* Count the application's references, before the driver is told of one more or
 * one less: true if it is. The last one is not: that one is the entry's. *last
 * receives the entry then, with a reference of the caller's, else NULL. */
bool objects_retain_program(cl_program handle);
bool objects_release_program(cl_program handle, struct layer_program **last);

/* ---- Kernels ------------------------------------------------------------- */

/* Makes the entry of a kernel of the program's build, which may be NULL, with
 * one reference of the application's. False: no memory. */
bool objects_add_kernel(cl_kernel handle, struct layer_program *program,
        struct build *build, const char *name);

/* The entry, which lives as long as the application's kernel does; NULL: not
 * one of ours. */
struct layer_kernel *objects_find_kernel(cl_kernel handle);

/* Count the application's references, before the driver is told: a handle that
 * it frees may be another's at once. What objects_release_kernel() returns is
 * the entry, taken out, if that was the last one, for layer_kernel_destroy()
 * after the driver was told: the kernel needs its program until then. */
void objects_retain_kernel(cl_kernel handle);
struct layer_kernel *objects_release_kernel(cl_kernel handle);
void layer_kernel_destroy(struct layer_kernel *kernel);

/* ---- The end of the drivers ---------------------------------------------- */

/* Gives back all that is held at the drivers, which are about to be closed, for
 * programs and kernels that the application still has; afterwards calls for
 * these pass through. */
void objects_forget(void);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_OBJECTS_H */
