/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_process.h: a process that compiles for a thread.
 *
 * Some drivers compile one program at a time in a process. A worker of a build
 * queue can have a process of its own then (src/worker/program), which compiles
 * what the thread would, and hands back a blob; the thread verifies and loads
 * it. Nothing else of the library starts a process.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_BUILD_PROCESS_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_BUILD_PROCESS_H

#include "src/gpu/program/describe/program_desc.h"
#include "src/worker/worker.h"

/* What the workers of a queue share; fixed once made. */
struct build_processes {
    dnnl_cache_build_processes_t use;
    char *worker; /* owned; the program's file; NULL: there is none */
    uint64_t timeout_ns;
};

/* Finds the program: file, or the variable DNNL_CACHE_BUILD_WORKER, or what is
 * installed with the library. Without one threads compile, and a message says
 * so. Statuses: dnnl_success; dnnl_out_of_memory. */
dnnl_status_t build_processes_init(struct build_processes *processes,
        dnnl_cache_build_processes_t use, const char *file,
        uint32_t timeout_ms);
void build_processes_fini(struct build_processes *processes);

/* A thread's. Zeroed: none is running. */
struct build_process {
    const struct build_processes *all;
    struct worker worker;
    bool has_failed; /* to start: it is not tried again */
    const struct dnnl_cache_program_desc *desc; /* of the present program */
    size_t made;                                /* programs */
};

/* Ends the process, if there is one: it is waited for a moment, then killed. */
void build_process_end(struct build_process *process);

/* The calling thread compiles the descriptor's program with this process until
 * it is called with NULL. */
void build_process_use(struct build_process *process,
        const struct dnnl_cache_program_desc *desc);

enum build_answer {
    build_answer_none,    /* compile here: nothing was tried, or it failed */
    build_answer_blob,    /* *blob, not verified */
    build_answer_object,  /* *blob is a binary of the compiled sources, which
                             have to be linked */
    build_answer_refused, /* it does not compile; *note has the log, or NULL */
    build_answer_died     /* as did the process, or it took too long */
};

/* Has the calling thread's process compile the program of a recipe. The caller
 * frees blob in any case. */
enum build_answer build_process_compile(const struct program_recipe *recipe,
        struct buffer *blob, uint64_t *compile_ns, struct shared_text **note);

/* What was compiled could be used. Counts the programs of the thread's process
 * of which that is so; 0 without one. */
void build_process_note_made(void);
size_t build_process_count(void);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_BUILD_PROCESS_H */
