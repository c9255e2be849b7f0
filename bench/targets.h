/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the benchmark and what each must reach.
 *
 * X(row, target, unit, what): the row is met if ratio <= target; unit is that
 * of ours and reference; what is "ours / reference" in words. A row that has a
 * target but no measurement fails the benchmark.
 */
#ifndef BENCH_TARGETS_H
#define BENCH_TARGETS_H

/* Only where CLBlast was found. */
#if BENCH_HAS_CLBLAST
#define BENCH_CLBLAST_TARGETS(X) \
    X(matmul, 3.0, "ns", "f32 matmul of 1024 x 1024 matrices / CLBlast's")
#else
#define BENCH_CLBLAST_TARGETS(X)
#endif

/* The code of a finalised form beside what the driver makes itself. */
#define BENCH_KINDS(X)                                                        \
    X(run_batch_normalization, 1.03, "ns",                                    \
            "batch normalization: run from a blob / compiled")                \
    X(run_binary, 1.03, "ns", "binary: run from a blob / compiled")           \
    X(run_concat, 1.03, "ns", "concat: run from a blob / compiled")           \
    X(run_convolution, 1.03, "ns", "convolution: run from a blob / compiled") \
    X(run_deconvolution, 1.03, "ns",                                          \
            "deconvolution: run from a blob / compiled")                      \
    X(run_eltwise, 1.03, "ns", "eltwise: run from a blob / compiled")         \
    X(run_group_normalization, 1.03, "ns",                                    \
            "group normalization: run from a blob / compiled")                \
    X(run_inner_product, 1.03, "ns",                                          \
            "inner product: run from a blob / compiled")                      \
    X(run_layer_normalization, 1.03, "ns",                                    \
            "layer normalization: run from a blob / compiled")                \
    X(run_lrn, 1.03, "ns", "lrn: run from a blob / compiled")                 \
    X(run_matmul, 1.03, "ns", "matmul: run from a blob / compiled")           \
    X(run_pooling, 1.03, "ns", "pooling: run from a blob / compiled")         \
    X(run_prelu, 1.03, "ns", "prelu: run from a blob / compiled")             \
    X(run_reduction, 1.03, "ns", "reduction: run from a blob / compiled")     \
    X(run_reorder, 1.03, "ns", "reorder: run from a blob / compiled")         \
    X(run_resampling, 1.03, "ns", "resampling: run from a blob / compiled")   \
    X(run_shuffle, 1.03, "ns", "shuffle: run from a blob / compiled")         \
    X(run_softmax, 1.03, "ns", "softmax: run from a blob / compiled")         \
    X(run_sum, 1.03, "ns", "sum: run from a blob / compiled")

#define BENCH_TARGETS(X)                                                       \
    X(program_from_blob, 1.05, "ns",                                           \
            "program from a blob / driver loading the same binary")            \
    X(primitive_from_blob, 1.05, "ns",                                         \
            "primitive from a blob / driver loading the same binary")          \
    X(program_blob_size, 1.0, "byte",                                          \
            "program's blob / 1.02 x driver's binary + 4 KiB")                 \
    X(primitive_blob_size, 1.0, "byte",                                        \
            "primitive's blob / 1.02 x driver's binary + 4 KiB")               \
    X(program_blob_size_zstd, 0.5, "byte",                                     \
            "program's compressed blob / driver's binary")                     \
    X(primitive_blob_size_zstd, 0.5, "byte",                                   \
            "primitive's compressed blob / driver's binary")                   \
    X(program_id_first, 1.0, "ns", "program's blob ID, first time / 5 us")     \
    X(program_id_repeated, 1.0, "ns", "program's blob ID, repeated / 50 ns")   \
    X(primitive_id_first, 1.0, "ns", "primitive's blob ID, first time / 5 us") \
    X(primitive_id_repeated, 1.0, "ns",                                        \
            "primitive's blob ID, repeated / 50 ns")                           \
    X(primitive_hit, 0.5, "ns", "primitive found in memory / oneDNN's")        \
    X(primitive_hit_described, 0.5, "ns",                                      \
            "descriptor and primitive found in memory / oneDNN's")             \
    X(primitive_hit_threads, 0.556, "ns",                                      \
            "primitives found in memory by two threads / by one")              \
    X(kernel_hit, 0.7, "ns",                                                   \
            "kernel found by descriptor / by program and name")                \
    X(program_miss, 1.05, "ns",                                                \
            "program compiled and stored / driver alone, and its binary")      \
    X(primitive_miss, 1.05, "ns",                                              \
            "primitive compiled and stored / driver alone, and its binary")    \
    X(program_warm, 0.02, "ns", "program from a blob / program compiled")      \
    X(primitive_warm, 0.02, "ns",                                              \
            "primitive from a blob / primitive compiled")                      \
    X(program_first_run, 2.0, "ns",                                            \
            "first run of a program from a blob / later runs")                 \
    X(primitive_first_run, 2.0, "ns",                                          \
            "first run of a primitive from a blob / later runs")               \
    X(convolution, 2.0, "ns", "convolution / matmul of its image laid out")    \
    X(convolution_batch, 2.0, "ns",                                            \
            "convolution of 8 images / matmul of them laid out")               \
    X(compressed_weights, 0.7, "ns",                                           \
            "vector by 4096 x 4096 weights of u4 / of f16")                    \
    X(compressed_weights_transposed, 0.7, "ns",                                \
            "vector by transposed weights of u4 / of f16")                     \
    BENCH_CLBLAST_TARGETS(X)                                                   \
    BENCH_KINDS(X)                                                             \
    X(engine_from_blob, 0.05, "ns", "engine from a blob / engine compiled")    \
    X(engine_blob_size, 0.0824, "byte",                                        \
            "engine's blob / driver's binary of its probe")                    \
    X(engine_blob_load, 1.0, "ns",                                             \
            "engine from a blob / from the driver's binary of its probe")

/* X(row, target): other targets on NVIDIA, whose blobs hold machine code, while
 * the driver's own binary is assembled at each load
 * (docs/how_it_works/finalisers.md). */
#define BENCH_TARGETS_NVIDIA(X)  \
    X(program_from_blob, 0.25)   \
    X(primitive_from_blob, 0.25) \
    X(program_warm, 0.06)        \
    X(primitive_warm, 0.06)

#endif /* BENCH_TARGETS_H */
