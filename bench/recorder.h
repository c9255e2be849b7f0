/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reaches the driver when the library builds one program: sources,
 * options, kernel, arguments and launch, so that the driver alone can be made
 * to do the same (replay.h). The benchmark defines the OpenCL functions
 * concerned itself; the dynamic linker prefers them to those of the ICD
 * loader, to which they forward. One thread.
 */
#ifndef BENCH_RECORDER_H
#define BENCH_RECORDER_H

#include "bytes.h"
#include "dnnl_cache.h"

enum {
    RECIPE_MAX_SOURCE = 1 << 16,
    RECIPE_MAX_TEXT = 2048,
    RECIPE_MAX_ARGUMENTS = 16,
    RECIPE_MAX_ARGUMENT = 1024,
    RECIPE_MAX_BUFFERS = 8
};

enum argument_kind { argument_value, argument_buffer };

struct recipe_argument {
    enum argument_kind kind;
    size_t size;
    uint8_t value[RECIPE_MAX_ARGUMENT];
};

/* One program and one launch of one kernel of it. A plain value: written to a
 * file as it is, for another process of the same executable. */
struct recipe {
    char source[RECIPE_MAX_SOURCE]; /* all sources, joined */
    size_t source_size;
    char options[RECIPE_MAX_TEXT];
    char kernel[RECIPE_MAX_TEXT];
    cl_uint argument_count;
    struct recipe_argument arguments[RECIPE_MAX_ARGUMENTS];
    cl_uint work_dim; /* 0: not launched */
    size_t global[3];
    size_t local[3];
};

/* What was seen between recorder_start() and recorder_stop(). */
struct recording {
    bool truncated;       /* something did not fit */
    struct recipe recipe; /* of the program that was made last */
    struct bytes binary;  /* handed to the driver last */
};

/* Starts to record into *recording, which is emptied first. */
void recorder_start(struct recording *recording);
void recorder_stop(void);
void recording_fini(struct recording *recording);

/* Programs made from source since this process started, recording or not. */
unsigned recorder_compilations(void);

#endif /* BENCH_RECORDER_H */
