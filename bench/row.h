/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows: their targets (targets.h) and how each is measured.
 */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include "bench.h"
#include "report.h"
#include "targets.h"

/* All rows that have a target, in the order of their table. */
#define BENCH_ONE_ROW(row, target, unit, what) +1
enum { ROW_COUNT = 0 BENCH_TARGETS(BENCH_ONE_ROW) };
#undef BENCH_ONE_ROW
extern struct row rows[ROW_COUNT];

/* Once, before anything is measured: the targets that the device's driver
 * has. */
void row_set_targets(const struct device *device);

/* Measures a row. False: failure.h says why it could not be. */
bool row_measure(
        struct bench *bench, const struct row *row, struct result *result);

/* Pairs of a row whose objects are in memory: fails if one is compiled. */
bool row_measure_in_memory(struct bench *bench, const struct row *row,
        struct side ours, struct side reference, struct result *result);

/* How rows are measured. Each gives false, with failure.h saying why, or
 * writes the result. row_warm.c: in this process. */
bool measure_from_blob(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_blob_size(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_blob_size_zstd(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_id_first(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_id_repeated(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

/* row_hit.c: beside oneDNN. */
bool measure_hit(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_hit_described(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

/* row_found.c: in memory, one way beside another. */
bool measure_hit_threads(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_kernel_hit(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

/* row_fresh.c: in fresh processes. */
bool measure_miss(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_warm(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_first_run(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_engine_from_blob(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

/* row_convolution.c: one image, and eight. */
bool measure_convolution(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_convolution_batch(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

/* row_compressed.c: a vector by weights of u4, beside weights of f16; weights
 * along columns, and along rows. */
bool measure_compressed(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_compressed_transposed(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

/* row_kinds.c: from a blob beside compiled, each kind of primitives. */
bool measure_kind(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

#if BENCH_HAS_CLBLAST
/* row_matmul.c: beside CLBlast. */
bool measure_matmul(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
#endif

/* row_engine.c: the engine's blob beside its probe's binary. */
bool measure_engine_blob_size(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);
bool measure_engine_blob_load(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result);

#endif /* BENCH_ROW_H */
