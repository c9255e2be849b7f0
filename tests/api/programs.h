/* SPDX-License-Identifier: Apache-2.0 */
/* Small programs to test with. */
#ifndef DNNL_CACHE_TESTS_API_PROGRAMS_H
#define DNNL_CACHE_TESTS_API_PROGRAMS_H

#include "bytes.h"

/* Two kernels, scale and fill. */
extern const char *const scale_source;

/* A descriptor of one source; failures are noted as the test's and give NULL.
 * The caller destroys it. */
dnnl_cache_program_desc_t describe(
        dnnl_engine_t engine, const char *source, const char *options);

/* The program of a descriptor, the same way. */
dnnl_cache_program_t create(const_dnnl_cache_program_desc_t desc);
dnnl_cache_program_t create_from(
        const_dnnl_cache_program_desc_t desc, const struct bytes *blob);

/* A program of one source, its descriptor gone already. */
dnnl_cache_program_t build(
        dnnl_engine_t engine, const char *source, const char *options);

/* Notes a failure unless programs of the descriptor are cacheable, or not, with
 * part in the reason. */
void expect_cacheable(
        const_dnnl_cache_program_desc_t desc, bool expected, const char *part);

/* What its creation info says. */
dnnl_cache_creation_info_t info_of(const_dnnl_cache_program_t program);

/* Notes a failure unless the program has a kernel of that name that can be
 * made for the device. */
void expect_kernel(const_dnnl_cache_program_t program, const char *name);

/* Notes a failure unless the IDs of two descriptors, which are destroyed, are
 * there and differ in exactly these ingredients: see expect_id_diff(). */
void expect_ids(const char *names, dnnl_cache_program_desc_t one,
        dnnl_cache_program_desc_t other);

#endif /* DNNL_CACHE_TESTS_API_PROGRAMS_H */
