/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a primitive on the test platform: compiled, and again from its blob in
 * a context where nothing may be compiled. */
#ifndef DNNL_CACHE_TESTS_API_RUN_PRIMITIVE_H
#define DNNL_CACHE_TESTS_API_RUN_PRIMITIVE_H

#include "tensors.h"

/* The engine of the test platform that compiles; aborts if there is none. It
 * lives until the process ends, so that tests share programs. */
dnnl_engine_t test_engine(void);

/* The host's, on which nothing is computed; it lives as long. */
dnnl_engine_t test_host(void);

/* Another engine of its device, made from its blob, that may not compile. */
dnnl_engine_t test_warm_engine(void);

/* Does the device of test_engine() take f16? All kinds must say the same. */
bool test_takes_half(void);

/* Describes the primitive for an engine: one creation call. */
typedef dnnl_status_t (*describe_primitive)(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user);

/* ---- Calls that may fail ------------------------------------------------- */

/* Where a creation call that fails finds no descriptor and leaves none; then
 * tried(), which returns the status it is given, destroys what was created, or
 * notes a failure of the running test if something was written. */
dnnl_primitive_desc_t untouched_pd(void);
dnnl_status_t tried(dnnl_status_t st, dnnl_primitive_desc_t pd);

/* Both, for test_engine(). */
dnnl_status_t try_describe(describe_primitive describe, const void *user);

/* Creates one on test_engine(), which lives until the running test ends, and
 * says where it came from. */
dnnl_cache_origin_t test_created(describe_primitive describe, const void *user);

/* What a descriptor of a primitive answers is this one. */
#define EXPECT_DESC(md, pd, what, index) \
    EXPECT_TRUE(dnnl_memory_desc_equal(  \
            md, dnnl_primitive_desc_query_md(pd, what, index)))

/* ---- Execution ----------------------------------------------------------- */

/* What an execution gets. A tensor that is given twice is one memory. */
struct run_argument {
    int arg; /* DNNL_ARG_* */
    struct tensor *tensor;
};

/* Executes the primitive and copies the result to the tensor given as
 * DNNL_ARG_DST, which was sent to the device like the others. Then makes the
 * same one from its blob on another engine, which is not allowed to compile,
 * executes it on the same input and expects the same bytes. Where dst is
 * described as empty there is nothing to compute, so nothing may be compiled.
 * Notes a failure of the running test and returns false if anything goes wrong.
 */
bool run_twice(describe_primitive describe, const void *user,
        const struct run_argument *args, int nargs);

/* The same with another output in the place of DNNL_ARG_DST. */
bool run_twice_for(int result_arg, describe_primitive describe,
        const void *user, const struct run_argument *args, int nargs);

/* Runs it twice, and compares what came out. */
void run_and_expect(describe_primitive describe, expected_at expected,
        const void *user, const struct run_argument *args, int nargs);

#endif /* DNNL_CACHE_TESTS_API_RUN_PRIMITIVE_H */
