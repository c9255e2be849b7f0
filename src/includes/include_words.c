/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_words.h"

#include <stddef.h>
#include <string.h>

/* Of C, C++, clang and GCC; the last ones of GLSL and C#, which stand in
 * sources for several languages, where #if is false. */
static const char *const directives[] = {"define", "undef", "if", "ifdef",
        "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "line",
        "error", "warning", "pragma", "ident", "sccs", "assert", "unassert",
        "version", "extension", "region", "endregion", NULL};

/* Pragmas that read no file, whatever follows the word. What others than clang
 * know is known from their manuals. */
static const char *const pragmas[] = {
        /* OpenCL, C, and what all take. */
        "OPENCL", "OPENCL_EXTENSION", "STDC", "once", "pack", "weak", "message",
        "mark", "region", "endregion", "ident", "comment", "warning",
        "push_macro", "pop_macro", "redefine_extname", "unused", "align",
        "options", "ms_struct", "scalar_storage_order", "section", "segment",
        "FP_CONTRACT", "fp_contract", "FENV_ACCESS", "fenv_access",
        "float_control", "CX_LIMITED_RANGE",
        /* Loops and functions. */
        "unroll", "nounroll", "unroll_and_jam", "nounroll_and_jam", "noroll",
        "loop", "loop_count", "loop_coalesce", "ivdep", "simd", "nosimd",
        "vector", "novector", "vectorize", "parallel", "noparallel", "prefetch",
        "noprefetch", "distribute_point", "block_loop", "noblock_loop",
        "fusion", "nofusion", "optimize", "inline", "noinline", "forceinline",
        "inline_depth", "inline_recursion", "auto_inline", "intrinsic",
        "function", "omp", "acc", "ompx",
        /* Compilers for FPGAs. */
        "ii", "initiation_interval", "max_concurrency", "max_interleaving",
        "speculated_iterations", "disable_loop_pipelining", "HLS", "SDS", "AP",
        "ACCEL",
        /* Messages of NVIDIA's and of EDG's compilers. */
        "nv_exec_check_disable", "hd_warning_disable", "nv_diagnostic",
        "nv_diag_suppress", "nv_diag_default", "nv_diag_error",
        "nv_diag_warning", "nv_diag_remark", "nv_diag_once", "diag_suppress",
        "diag_default", "diag_error", "diag_warning", "diag_remark",
        "diag_once", "system_header", "no_warning", NULL};

static const char *const gcc_pragmas[] = {"diagnostic", "warning", "error",
        "poison", "system_header", "visibility", "ivdep", "unroll", "novector",
        "optimize", "target", "push_options", "pop_options", "reset_options",
        NULL};

static const char *const clang_pragmas[] = {"loop", "fp", "diagnostic",
        "optimize", "attribute", "poison", "system_header", "deprecated",
        "final", "restrict_expansion", "header_unsafe", "section", "align",
        "assume_nonnull", "arc_cf_code_audited", "max_tokens_here",
        "max_tokens_total", "force_cuda_host_device", "unsafe_buffer_usage",
        NULL};

static const char *const intel_pragmas[] = {"unroll", "nounroll", "simd",
        "optimization_level", "optimization_parameter", NULL};

/* What reads a file, or may, of the namespaces above. */
static const char *const file_pragmas[] = {
        "dependency", "module", "include_instead", "pch_preprocess", NULL};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

bool directive_is_known(const char *word)
{
    return (word[0] >= '0' && word[0] <= '9') || is_one_of(word, directives);
}

bool pragma_is_known(const char *first, const char *second)
{
    if (strcmp(first, "GCC") == 0) return is_one_of(second, gcc_pragmas);
    if (strcmp(first, "clang") == 0) return is_one_of(second, clang_pragmas);
    if (strcmp(first, "intel") == 0) return is_one_of(second, intel_pragmas);
    return is_one_of(first, pragmas);
}

bool pragma_reads_file(const char *first, const char *second)
{
    if (strcmp(first, "include_alias") == 0) return true;
    return (strcmp(first, "GCC") == 0 || strcmp(first, "clang") == 0)
           && is_one_of(second, file_pragmas);
}
