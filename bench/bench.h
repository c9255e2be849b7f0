/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rows share: the device, the blobs of what is measured, and what the
 * driver was asked to do when those were made.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "recorder.h"
#include "samples.h"
#include "subject.h"

/* A subject's blobs; what made its program, and what loading it handed to the
 * driver: the driver's own binary, also where a finalised form was handed. */
struct material {
    bool made;
    struct bytes blob;
    struct recording cold;
    struct recording warm;
    double binaries; /* bytes of the binary and of the form beside it */
};

struct bench {
    const char *platform; /* as asked for, NULL: any */
    struct device device;
    const char *dir; /* where the processes find the files below */
    size_t repeat;   /* samples a row, 0: the row's own number */

    bool has_engine;
    struct bytes engine_blob; /* file "engine.blob" */
    struct recording probe;
    struct material program;   /* files "program.blob", "program.recipe" */
    struct material primitive; /* files "primitive.blob", ... */
};

/* Makes sure of the engine's blob and of the probe's recording. */
bool bench_need_engine(struct bench *bench);

/* Makes sure of a subject's material, and of the engine's; *out points into
 * bench. */
bool bench_need(struct bench *bench, const struct subject *subject,
        const struct material **out);

/* Compiles the subject as its engine is told to keep binaries, and checks that
 * its blob can be loaded without compiling. The recordings may be NULL. */
bool bench_make_blob(struct bench *bench, const struct subject *subject,
        dnnl_cache_compression_t compression, struct bytes *blob,
        struct recording *cold, struct recording *warm);

void bench_fini(struct bench *bench);

#endif /* BENCH_BENCH_H */
