/* SPDX-License-Identifier: Apache-2.0 */
#include "in_memory.h"

#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <stdio.h>

dnnl_cache_program_desc_t describe_number(dnnl_engine_t engine, unsigned n)
{
    char options[32];
    snprintf(options, sizeof options, "-DNUMBER=%05u", n);
    return describe(engine, scale_source, options);
}

bool touch(dnnl_engine_t engine, unsigned n)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc = describe_number(engine, n);
    EXPECT_OK(dnnl_cache_program_create(&program, desc));
    bool hit = program != NULL
               && info_of(program).origin == dnnl_cache_origin_memory_hit;
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return hit;
}

void no_limit(void)
{
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
}

uint64_t bytes_of_one(dnnl_engine_t engine)
{
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    uint64_t before = rig_statistics().program_bytes;
    (void)touch(engine, 99999);
    uint64_t bytes = rig_statistics().program_bytes - before;
    EXPECT_GT(bytes, 0);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    no_limit();
    return bytes;
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
bool touch_relu(dnnl_engine_t engine)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    bool hit = origin_of(primitive) == dnnl_cache_origin_memory_hit;
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return hit;
}
#endif
