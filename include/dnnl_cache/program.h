/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h: the core: describe a program, create it, get its kernels, tell of
 * launches, capture its binary.
 *
 * program_desc.h has more of what a program can consist of, blob.h the calls
 * for who keeps blobs himself. The rules for every call are in dnnl_cache.h.
 */
#ifndef DNNL_CACHE_PROGRAM_H
#define DNNL_CACHE_PROGRAM_H

#include "dnnl_cache/creation_info.h"
#include "dnnl_cache/objects.h"
#include "dnnl_cache/opencl.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program descriptor names a program: OpenCL C sources with the headers that
 * they include, or IL (SPIR-V) with specialization constants; options; extra
 * keys. Only one thread at a time may use it until the first call that needs
 * its ID (a query of the ID or whether it is cacheable, creating a program or a
 * kernel). From then on nothing can be added to it.
 */

/* Describes the program that clCreateProgramWithSource(nsources, sources,
 * lengths) and clBuildProgram(options) would build for the engine's device.
 * Everything is copied. lengths NULL, or an entry of 0: the string ends with
 * NUL. options NULL is "". A source that includes files is described, but not
 * cacheable: its ID and blob are empty. The reason is logged when the ID is
 * computed, the first time as a warning, and is in the program's creation info.
 * dnnl_cache_program_desc_set_include_following() has the library read what is
 * included; with an automatic store (dnnl_cache_persistent_set_dir()) it does
 * so unless that call says otherwise. The caller
 * destroys the descriptor. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, nsources 0, a dnnl_cpu engine); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_create(
        dnnl_cache_program_desc_t *program_desc, dnnl_engine_t engine,
        size_t nsources, const char *const *sources, const size_t *lengths,
        const char *options);

/* Destroys a descriptor; programs created from it stay valid. Always
 * dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_program_desc_destroy(
        dnnl_cache_program_desc_t program_desc);

/* Creates the program. An equal program in memory in this context is shared;
 * else the program comes from the attached store, or is compiled. The caller
 * destroys it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL; IL that is
 * not well-formed or does not have such a specialization constant);
 * dnnl_unimplemented (the driver does not accept IL, or specialization
 * constants, after all); dnnl_cache_miss (cached-only mode);
 * dnnl_out_of_memory; dnnl_runtime_error (for example, the source does not
 * compile: the build log went to the log callback). */
dnnl_status_t DNNL_API dnnl_cache_program_create(dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc);

/* Makes a program of a cl_program that the application built from the same
 * sources and options for the engine's device, so that it has a blob. The
 * cl_program is retained and not shared with other programs. The application
 * guarantees that it matches the descriptor. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, of another context or device, not built);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_adopt(dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc, cl_program cl_program);

/* Tells the library of a launch, with the arguments of
 * clEnqueueNDRangeKernel(): global_offset may be NULL, and so may local_size,
 * if the driver chooses. Call it at each launch, or once for each form of
 * launch; it is cheap. To report launches of a kernel of
 * dnnl_cache_kernel_create(), create its program as well, which is found in
 * memory. Drivers that compile at a kernel's first launch of a
 * class (PoCL) have code for some classes in a binary. With these reports the
 * library knows what a blob lacks, and leaves the making of blobs to the
 * store's journal, if it has one (see below). Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, "", work_dim not 1 to 3, a size 0, no kernel of
 * that name; if the driver does not tell its kernels' names, a warning says so
 * when the program is captured); dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_program_note_launch(
        const_dnnl_cache_program_t program, const char *kernel_name,
        cl_uint work_dim, const size_t *global_offset,
        const size_t *global_size, const size_t *local_size);

/* Gets the binary from the driver now, for the attached store. Call it when
 * each kernel was launched as the application launches it: drivers that compile
 * at the first launch (PoCL) put the result into the binary, and a program
 * created from the blob then launches at once. With PoCL this takes as long as
 * compiling did; dnnl_cache_program_note_launch() instead costs nothing. With
 * NVIDIA's driver kernels of the program are created and released: nobody may
 * build it meanwhile; its machine code is made later. With PoCL 3.1 no kernel
 * with reqd_work_group_size of a program of the same text may run meanwhile, or
 * the process is aborted (docs/how_it_works/threading.md). Only the first
 * capture has an effect. The driver is asked for nothing if there is no store,
 * if the store cannot keep the binary (it is read-only, off or full), or if it
 * has one already that is as complete. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_unimplemented (the program has no ID);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_capture(dnnl_cache_program_t program);

/* How dnnl_cache_engine_capture() captures. Set struct_size with
 * DNNL_CACHE_CAPTURE_OPTIONS_INIT. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    /* No capture is begun after this time; one takes a second at most with most
     * programs. UINT64_MAX: no limit. */
    uint64_t timeout_ns;
    /* Not 0: a line on standard error, once, if the captures take longer than a
     * second: "keeping 12 of 30 programs, 8 s left; interrupt safely". */
    int tell;
} dnnl_cache_capture_options_t;

/* The initial value of a dnnl_cache_capture_options_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_CAPTURE_OPTIONS_INIT                     \
    {                                                       \
        sizeof(dnnl_cache_capture_options_t), UINT64_MAX, 0 \
    }

/* How far dnnl_cache_engine_capture() is. The library sets struct_size to the
 * size that it knows. */
typedef struct {
    size_t struct_size;  /* sizeof the struct */
    size_t total;        /* programs that waited */
    size_t done;         /* captured, or in the store meanwhile */
    size_t failed;       /* the driver gave no binary */
    uint64_t elapsed_ns; /* since the call */
    uint64_t left_ns;    /* estimate for the rest */
} dnnl_cache_capture_progress_t;

/* Called on the thread of dnnl_cache_engine_capture(), with no lock of the
 * library held: before the first program, and after each. progress is valid
 * during the call. Any status but dnnl_success ends the captures. */
typedef dnnl_status_t (*dnnl_cache_capture_callback_t)(
        const dnnl_cache_capture_progress_t *progress, void *user);

/* Captures, on the calling thread, all programs of the engine's context and
 * device that wait for it: those that were compiled or adopted while a store
 * was attached, and are not captured. Those that are also in the journal are
 * captured, too. Programs that took the least time to compile come first, so
 * that a short time keeps as many as possible. options and progress may be
 * NULL. Statuses: dnnl_success: none waits any more; dnnl_not_required: some
 * still wait, because of the time limit or the callback; dnnl_runtime_error:
 * all were tried, some failed; dnnl_invalid_arguments (engine NULL or dnnl_cpu,
 * bad struct_size); dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_engine_capture(dnnl_engine_t engine,
        const dnnl_cache_capture_options_t *options,
        dnnl_cache_capture_callback_t progress, void *user);

/* Writes the program object: borrowed. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_program_get_cl_program(
        const_dnnl_cache_program_t program, cl_program *cl_program);

/* Writes a new kernel object of that name, which the caller releases. A kernel
 * object carries its arguments, so only one thread at a time may use it. To
 * reuse kernel objects, call dnnl_cache_kernel_create_from_program() instead.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such kernel);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_get_kernel(
        const_dnnl_cache_program_t program, const char *name,
        cl_kernel *kernel);

/* The compiler's log of the build from source, also for a program that was
 * loaded: a size query, in bytes with the trailing NUL. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_program_get_build_log(
        const_dnnl_cache_program_t program, size_t *size, char *log);

/* As dnnl_cache_program_desc_is_cacheable(), for a program. A program that the
 * application built itself has a blob, if its descriptor has an ID, but neither
 * the program nor its kernels are kept in memory for later calls. The program
 * owns *reason. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_program_is_cacheable(
        const_dnnl_cache_program_t program, int *cacheable,
        const char **reason);

/* What happened when this program was created. The program owns the strings.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad struct_size). */
dnnl_status_t DNNL_API dnnl_cache_program_get_creation_info(
        const_dnnl_cache_program_t program, dnnl_cache_creation_info_t *info);

/* Releases the caller's handle. Kernels stay valid, and the program stays in
 * memory, where later calls find it. So a program that was not captured is
 * offered to an attached store only when it leaves memory, at the latest with
 * the last engine of its context; to an automatic store
 * (dnnl_cache_persistent_set_dir()) now, with the last handle, if the driver
 * has its binary at hand, else at the latest when the process ends. Always
 * dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_program_destroy(dnnl_cache_program_t program);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_PROGRAM_H */
