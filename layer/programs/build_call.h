/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of clBuildProgram, clCompileProgram or clLinkProgram: what the
 * application asks for, and what has come of it so far. It travels through the
 * whole call, and on to the driver's callback of an asynchronous build:
 *
 *     identity.c    gives each device of the build an ID
 *     load.c        looks the IDs up and loads the binaries; a hit ends here
 *     partial.c     compiles for the devices that were not found, then loads
 *     compile.c     the driver compiles, and the result is queued for capture
 *
 * Each fills in the part that is named after it.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_BUILD_CALL_H
#define DNNL_CACHE_LAYER_PROGRAMS_BUILD_CALL_H

#include "layer/programs/objects.h"
#include "layer/settings/statistics.h"
#include "src/includes/includes.h"

struct link_inputs;

typedef void(CL_CALLBACK *build_callback)(cl_program program, void *user_data);

struct build_call {
    /* What the application asks for. Lists and texts are the caller's: they
     * may be gone when the driver calls back. */
    enum build_kind kind;
    struct layer_program *program; /* a reference; NULL: a link */
    cl_context context;
    cl_uint device_count;
    const cl_device_id *devices;
    const char *options; /* may be NULL */
    build_callback notify;
    void *user;
    cl_uint header_count; /* of clCompileProgram, for the driver; the build has
                             copies */
    const cl_program *headers;
    const char **header_names;
    bool has_unknown_headers; /* the build has not: the driver's alone */
    const struct link_inputs *inputs; /* of a link, else NULL */

    struct build *build; /* a reference: devices, IDs, the result */

    /* Why it is compiled, and more about that ("" if there is no more); the
     * device without an entry, or NULL. */
    enum layer_reason reason;
    char detail[200];
    const struct built_device *missed;

    /* identity.c */
    bool is_named;             /* it has IDs, and is to be kept */
    unsigned constant_changes; /* of the program, when it was named */
    struct includes includes;
    struct include_files include_places; /* owned; to be watched */

    /* load.c */
    bool from_memory;
    uint64_t bytes;
    uint64_t load_ns;

    /* previous.c: what the program was before. */
    bool is_in_use;         /* the application has kernels of it */
    bool has_other_devices; /* it was built for devices not asked for now */
    bool is_drivers;        /* only the driver knows what it becomes */
    bool is_loaded_link;    /* to the driver it is one of binaries */
    struct build *previous; /* a reference, while the driver builds */

    /* compile.c */
    bool is_watched;             /* or includes nothing */
    struct include_watch *watch; /* owned, while it compiles; NULL: none */
    uint64_t start_ns;
    uint64_t overhead_ns;  /* before the driver was called */
    unsigned session_slot; /* of a call that the driver ends (session.h) */
    bool is_in_handle;     /* not in a program of the layer's */
    bool is_past_layer;    /* it is not known what is built: nothing is noted */
    bool is_counted;       /* in the statistics */
    uint64_t failed_ns;    /* what it took to fail; set before has_failed */
    atomic_bool has_failed; /* the driver has called back to say so */

    /* The caller, and the driver's callback. */
    atomic_uint references;
    atomic_bool is_settled; /* by the first of them that knows the outcome */
    atomic_bool is_ended;   /* in the handle */
};

/* Takes over the reference to the program. NULL: no memory. */
struct build_call *build_call_new(enum build_kind kind,
        struct layer_program *program, cl_uint device_count,
        const cl_device_id *devices, const char *options, build_callback notify,
        void *user);

/* For a call within a call, of some devices; borrows the program.
 * build_call_fini() follows. */
void build_call_init(struct build_call *call, struct layer_program *program,
        const struct build *build, cl_device_id devices[most_devices]);

void build_call_release(struct build_call *call);

/* True if the program of an identified call includes nothing, or all places are
 * known where its driver's compiler looks: else a file may be missing, or be
 * there, at one that is in no ID. */
bool build_call_knows_all_places(const struct build_call *call);

/* Without a look at what it saw. */
void build_call_end_watch(struct build_call *call);

/* Frees what the parts own; not the call, nor its reference to the program. */
void build_call_fini(struct build_call *call);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_BUILD_CALL_H */
