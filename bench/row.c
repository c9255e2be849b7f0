/* SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include "failure.h"
#include "recorder.h"

#include <string.h>

#define AS_ROW(name, target, unit, what) {#name, target, unit, what},
struct row rows[ROW_COUNT] = {BENCH_TARGETS(AS_ROW)};
#undef AS_ROW

void row_set_targets(const struct device *device)
{
#define AS_TARGET(name, target) {#name, target},
    static const struct {
        const char *row;
        double target;
    } targets[] = {BENCH_TARGETS_NVIDIA(AS_TARGET)};
#undef AS_TARGET
    if (strstr(device->platform, "NVIDIA") == NULL) return;
    for (size_t i = 0; i < ROW_COUNT; i++)
        for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++)
            if (strcmp(rows[i].name, targets[k].row) == 0)
                rows[i].target = targets[k].target;
}

struct method {
    const char *row;
    bool (*measure)(struct bench *bench, const struct row *row,
            const struct subject *subject, struct result *result);
    const struct subject *subject;
};

#define AS_METHOD(name, target, unit, what) \
    {#name, measure_kind, &subject_primitive},
static const struct method methods[] = {
        {"program_from_blob", measure_from_blob, &subject_program},
        {"primitive_from_blob", measure_from_blob, &subject_primitive},
        {"program_blob_size", measure_blob_size, &subject_program},
        {"primitive_blob_size", measure_blob_size, &subject_primitive},
        {"program_blob_size_zstd", measure_blob_size_zstd, &subject_program},
        {"primitive_blob_size_zstd", measure_blob_size_zstd,
                &subject_primitive},
        {"program_id_first", measure_id_first, &subject_program},
        {"program_id_repeated", measure_id_repeated, &subject_program},
        {"primitive_id_first", measure_id_first, &subject_primitive},
        {"primitive_id_repeated", measure_id_repeated, &subject_primitive},
        {"primitive_hit", measure_hit, &subject_primitive},
        {"primitive_hit_described", measure_hit_described, &subject_primitive},
        {"primitive_hit_threads", measure_hit_threads, &subject_primitive},
        {"kernel_hit", measure_kernel_hit, &subject_program},
        {"program_miss", measure_miss, &subject_program},
        {"primitive_miss", measure_miss, &subject_primitive},
        {"program_warm", measure_warm, &subject_program},
        {"primitive_warm", measure_warm, &subject_primitive},
        {"program_first_run", measure_first_run, &subject_program},
        {"primitive_first_run", measure_first_run, &subject_primitive},
        {"convolution", measure_convolution, &subject_primitive},
        {"convolution_batch", measure_convolution_batch, &subject_primitive},
        {"compressed_weights", measure_compressed, &subject_primitive},
        {"compressed_weights_transposed", measure_compressed_transposed,
                &subject_primitive},
#if BENCH_HAS_CLBLAST
        {"matmul", measure_matmul, &subject_primitive},
#endif
        {"engine_from_blob", measure_engine_from_blob, &subject_program},
        {"engine_blob_size", measure_engine_blob_size, &subject_program},
        {"engine_blob_load", measure_engine_blob_load, &subject_program},
        BENCH_KINDS(AS_METHOD)};
#undef AS_METHOD

static const struct method *method_of(const struct row *row)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].row, row->name) == 0) return &methods[i];
    return NULL;
}

bool row_measure_in_memory(struct bench *bench, const struct row *row,
        struct side ours, struct side reference, struct result *result)
{
    enum { PAIRS = 51, MOST_PAIRS = 501 };
    const unsigned before = recorder_compilations();
    if (!measure_pairs(ours, reference,
                effort_of(bench->repeat, PAIRS, MOST_PAIRS), row->target,
                row->name, result))
        return false;
    if (recorder_compilations() == before) return true;
    failure_set("what should be in memory was compiled");
    result->measured = false;
    return false;
}

bool row_measure(
        struct bench *bench, const struct row *row, struct result *result)
{
    const struct method *method = method_of(row);
    if (method != NULL)
        return method->measure(bench, row, method->subject, result);
    failure_set("the row has a target but no measurement");
    return false;
}
