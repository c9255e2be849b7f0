/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose includes the library follows: what the files hold is part of
 * their IDs, and has to stay that while the compiler reads them.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_INCLUDES_H
#define DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_INCLUDES_H

#include "src/gpu/program/describe/program_text.h"
#include "src/includes/include_watch.h"

/* Follows what the text and its options include, for the compiler of the
 * device. *is_known false: out has the reason why that cannot be told. places:
 * see includes_follow(). Statuses: dnnl_success; dnnl_out_of_memory;
 * dnnl_runtime_error (the driver does not answer). */
dnnl_status_t program_includes_follow(cl_device_id device,
        const struct program_text *text, struct includes *out,
        struct include_files *places, bool *is_known);

/* A compilation of a text. All zero: of one that looks for no file. */
struct includes_check {
    struct include_watch *watch; /* owned */
    struct includes before;
    /* After a beginning that was true: what is included, for a blob
     * (blob/included.h); the caller's to take. */
    struct buffer included;
};

/* Before the text is compiled. False: its files are not what its ID says, or
 * they cannot be watched, and nothing is to be compiled under that ID. */
bool includes_check_begin(struct includes_check *check, cl_device_id device,
        const struct program_text *text);

/* After a beginning that was true. True if the compiler has read what the ID
 * says, and nothing else. */
bool includes_check_end(struct includes_check *check, cl_device_id device,
        const struct program_text *text);

/* The same list of a text that another process has compiled; empty if its files
 * are not what its ID says any more. */
void program_includes_list(struct buffer *included, cl_device_id device,
        const struct program_text *text);

#endif /* DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_INCLUDES_H */
