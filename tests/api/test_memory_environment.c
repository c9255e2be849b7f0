/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment says of programs and primitives in memory. */
#include "identity_process.h"

#include "test.h"

#include <stdlib.h>

static void expect_in_process(
        const char *key, const char *expected, const char *one, const char *two)
{
    const char *const environment[] = {one, two, NULL};
    struct identity process;
    identity_init(&process, environment, NULL);
    char *value = identity_value(&process, key);
    EXPECT_STR_EQ(expected, value);
    free(value);
    identity_fini(&process);
}

TEST_C(ProgramCacheEnvironment, SetsTheLimit)
{
    expect_in_process("program_limit", "none", NULL, NULL);
    expect_in_process("program_limit", "4096",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=4096", NULL);
}

TEST_C(ProgramCacheEnvironment, ThresholdOfZeroIsNoLimit)
{
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=0", NULL);
}

TEST_C(ProgramCacheEnvironment, NonsenseIsNoNumber)
{
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=-1", NULL);
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=12k", NULL);
    expect_in_process("program_limit", "none",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=99999999999999999999999",
            NULL);
    expect_in_process("program_limit", "none", "DNNL_CACHE_IN_MEM=no", NULL);
    expect_in_process("log0",
            "memory: the environment variable DNNL_CACHE_IN_MEM is no number: "
            "ignored",
            "DNNL_CACHE_IN_MEM=no", NULL);
    expect_in_process("log0",
            "memory: the environment variable "
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD is no number: ignored",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=12k", NULL);
}

/* print_ids creates a program and asks for it again. */
TEST_C(ProgramCacheEnvironment, TurnsMemoryOffAndOn)
{
    expect_in_process("program_again", "memory", NULL, NULL);
    expect_in_process("program_again", "memory", "DNNL_CACHE_IN_MEM=1", NULL);
    expect_in_process("program_again", "compiled", "DNNL_CACHE_IN_MEM=0", NULL);
    expect_in_process("program_limit", "0", "DNNL_CACHE_IN_MEM=0", NULL);
    expect_in_process("program_limit", "0", "DNNL_CACHE_IN_MEM=0",
            "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD=4096");
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_C(ProgramCacheEnvironment, TurnsThePrimitiveCacheOffUnlessItsOwnSaysElse)
{
    expect_in_process("capacity", "1024", "DNNL_CACHE_IN_MEM=1", NULL);
    expect_in_process("capacity", "0", "DNNL_CACHE_IN_MEM=0", NULL);
    expect_in_process("capacity", "7", "DNNL_CACHE_IN_MEM=0",
            "ONEDNN_PRIMITIVE_CACHE_CAPACITY=7");
}
#endif
