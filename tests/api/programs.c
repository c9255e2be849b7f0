/* SPDX-License-Identifier: Apache-2.0 */
#include "programs.h"

#include "test.h"

#include <string.h>

const char *const scale_source =
        "__kernel void scale(__global float *x, float a)\n"
        "{\n"
        "    x[get_global_id(0)] *= a;\n"
        "}\n"
        "__kernel void fill(__global float *x, float a)\n"
        "{\n"
        "    x[get_global_id(0)] = a;\n"
        "}\n";

dnnl_cache_program_desc_t describe(
        dnnl_engine_t engine, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc = NULL;
    EXPECT_OK(dnnl_cache_program_desc_create(
            &desc, engine, 1, &source, NULL, options));
    return desc;
}

dnnl_cache_program_t create(const_dnnl_cache_program_desc_t desc)
{
    dnnl_cache_program_t program = NULL;
    EXPECT_OK(dnnl_cache_program_create(&program, desc));
    return program;
}

dnnl_cache_program_t create_from(
        const_dnnl_cache_program_desc_t desc, const struct bytes *blob)
{
    dnnl_cache_program_t program = NULL;
    EXPECT_OK(dnnl_cache_program_create_from_cache_blob(
            &program, desc, blob->size, blob->data));
    return program;
}

dnnl_cache_program_t build(
        dnnl_engine_t engine, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc = describe(engine, source, options);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return program;
}

dnnl_cache_creation_info_t info_of(const_dnnl_cache_program_t program)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(dnnl_cache_program_get_creation_info(program, &info));
    return info;
}

void expect_kernel(const_dnnl_cache_program_t program, const char *name)
{
    cl_kernel kernel = NULL;
    EXPECT_OK(dnnl_cache_program_get_kernel(program, name, &kernel));
    if (kernel != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
}

void expect_ids(const char *names, dnnl_cache_program_desc_t one,
        dnnl_cache_program_desc_t other)
{
    struct bytes a = program_id(one);
    struct bytes b = program_id(other);
    EXPECT_GT(a.size, 0);
    EXPECT_GT(b.size, 0);
    if (!test_has_failed()) expect_id_diff(names, &a, &b);
    bytes_free(&a);
    bytes_free(&b);
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(other));
}

void expect_cacheable(
        const_dnnl_cache_program_desc_t desc, bool expected, const char *part)
{
    int cacheable = 77;
    const char *reason = NULL;
    EXPECT_OK(dnnl_cache_program_desc_is_cacheable(desc, &cacheable, &reason));
    EXPECT_EQ(expected, cacheable);
    ASSERT_NOT_NULL(reason);
    if (expected)
        EXPECT_STR_EQ("", reason);
    else
        EXPECT_NOT_NULL(strstr(reason, part));
    EXPECT_OK(dnnl_cache_program_desc_is_cacheable(desc, &cacheable, NULL));
}
