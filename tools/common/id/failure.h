/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h: a build that fails each time, as the layer keeps it
 * (layer/compile/failed.h): under which key, and what the driver answered.
 *
 * A record is no blob: its key is no cache blob ID, and it is in a store of its
 * own (failed_place.h). In it numbers are little-endian, with 8 bytes each,
 * and answers have their size before them. A record that is cut off, has more
 * behind it, or is anything else that failure_encode() does not write is
 * refused.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_ID_FAILURE_H
#define DNNL_CACHE_TOOLS_COMMON_ID_FAILURE_H

#include "tools/common/id/facts.h"

/* After so many seconds the compiler is asked again. */
enum { failure_most_seconds = 7 * 86400 };
/* The second failure must be so many seconds after the first. */
enum { failure_least_seconds = 60 };

enum failure_state {
    failure_seen = 1, /* once: the driver is asked again */
    failure_kept = 2  /* twice, in two processes: it is answered */
};

/* What clGetProgramBuildInfo() is asked, in this order. */
enum failure_query {
    failure_status,
    failure_options,
    failure_log,
    failure_binary_type,
    failure_global_bytes,
    failure_query_count
};

/* The query of OpenCL's number, or failure_query_count. */
enum failure_query failure_query_of(cl_program_build_info what);
cl_program_build_info failure_query_name(enum failure_query query);

struct failure_answer {
    cl_int error;         /* of the query */
    size_t size;          /* of the answer; 0 with an error */
    const uint8_t *bytes; /* in the record, or the owner's */
};

struct failure_device {
    struct failure_answer answers[failure_query_count];
};

enum { failure_most_devices = 64 };

struct failure {
    enum failure_state state;
    uint64_t when_s;     /* since the epoch: when it came to that state */
    uint64_t process[2]; /* a random number of who saw it first */
    uint64_t compile_ns; /* what the driver took to fail */
    /* By clBuildProgram(); with a callback it may be CL_SUCCESS. */
    cl_int returned;
    /* What the driver says of kernels: CL_PROGRAM_NUM_KERNELS,
     * CL_PROGRAM_KERNEL_NAMES, clCreateKernel(), clCreateKernelsInProgram(). An
     * error each. */
    cl_int number_error;
    cl_int names_error;
    cl_int kernel_error;
    cl_int kernels_error;
    uint32_t device_count;
    struct failure_device *devices; /* owned; the program's, in its order */
};

/* Writes a record; false: out of memory. The caller frees bytes->data. */
bool failure_encode(const struct failure *failure, struct bytes *bytes);

/* Reads a record; answers point into data, which must outlive *failure. False,
 * and *failure zeroed, if it is none, or memory ran out. */
bool failure_decode(struct failure *failure, const uint8_t *data, size_t size);

/* Frees the list, not the answers. Zeroed is fine. */
void failure_fini(struct failure *failure);

/* Are the answers the same, but for the names of files in logs, which drivers
 * make up (failure_log.h)? */
bool failure_is_same(const struct failure *a, const struct failure *b);

/* ---- Keys ---------------------------------------------------------------- */

struct failure_id {
    size_t size;
    const uint8_t *bytes;
};

/* Writes the key of a build: options as the application gave them, NULL for
 * none; whether it is told of the end by a callback; the IDs of its devices, in
 * order. False: out of memory. The caller frees key->data. */
bool failure_key_make(struct bytes *key, const char *options, bool has_callback,
        size_t count, const struct failure_id *ids);

/* Is it one of these, and is that the ID of one of its devices? */
bool failure_key_has(
        size_t key_size, const uint8_t *key, size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_TOOLS_COMMON_ID_FAILURE_H */
