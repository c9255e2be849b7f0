/* SPDX-License-Identifier: Apache-2.0 */
/* What the statistics count. */
#include "kernels.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST_RIG(Statistics, CountWhatIsInMemory)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_statistics_t before = rig_statistics();
    fake_opencl_set("BUILD_MS", "20");
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_program_destroy(create(desc)));
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.program_entries + 1, after.program_entries);
    EXPECT_EQ(before.program_builds + 1, after.program_builds);
    EXPECT_EQ(before.program_failures, after.program_failures);
    EXPECT_EQ(before.program_misses + 1, after.program_misses);
    EXPECT_EQ(before.program_hits + 1, after.program_hits);
    EXPECT_EQ(before.kernel_misses + 1, after.kernel_misses);
    EXPECT_EQ(before.kernel_builds + 1, after.kernel_builds);
    EXPECT_EQ(before.fast_kernel_misses + 1, after.fast_kernel_misses);
    EXPECT_EQ(before.fast_kernel_hits + 1, after.fast_kernel_hits);
    /* Two hits of what took twenty milliseconds. */
    EXPECT_GE(after.saved_ns - before.saved_ns, 40000000);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    /* What is gone has been counted and is not there. */
    dnnl_engine_destroy(rig->engine);
    rig->engine = NULL;
    EXPECT_EQ(0, rig_statistics().program_entries);
    EXPECT_EQ(after.program_builds, rig_statistics().program_builds);
    EXPECT_EQ(after.fast_kernel_hits, rig_statistics().fast_kernel_hits);
}

/* Creates and expects so many builds, all of them misses, and failures. */
static void expect_builds(const_dnnl_cache_program_desc_t desc,
        dnnl_status_t expected, uint64_t builds, uint64_t failures)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_STATUS(expected, dnnl_cache_program_create(&program, desc));
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.program_builds + builds, after.program_builds);
    EXPECT_EQ(before.program_failures + failures, after.program_failures);
    EXPECT_EQ(before.program_misses + 1, after.program_misses);
    EXPECT_EQ(before.program_hits, after.program_hits);
    EXPECT_EQ(before.saved_ns, after.saved_ns);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* Whatever the way to a program is, it is counted, and once. */
TEST_RIG(Statistics, CountEveryWayToAProgram)
{
    struct log_capture log;
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_desc_t uncacheable = describe(rig->engine,
            "#if 0\n#include \"gone.h\"\n#endif\n__kernel void k(int x) {}\n",
            NULL);
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    expect_builds(desc, dnnl_runtime_error, 1, 1);
    rig_set_mode(rig, dnnl_cache_compile_mode_cached_only);
    expect_builds(desc, dnnl_cache_miss, 0, 0); /* it was not to build */
    rig_set_mode(rig, dnnl_cache_compile_mode_normal);
    expect_builds(desc, dnnl_success, 1, 0);
    expect_builds(uncacheable, dnnl_success, 1, 0);
    expect_builds(uncacheable, dnnl_success, 1, 0);
    rig_set_mode(rig, dnnl_cache_compile_mode_recompile);
    expect_builds(desc, dnnl_success, 1, 0);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_HOST_MEMORY);
    expect_builds(desc, dnnl_success, 2, 1);
    rig_set_mode(rig, dnnl_cache_compile_mode_normal);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_RESOURCES);
    expect_builds(uncacheable, dnnl_success, 2, 1);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(uncacheable));
}

/* What is compiled again takes its kernels along, for no lack of room; what
 * never had room was not thrown out. */
TEST_RIG(Statistics, CountEvictionsForLackOfRoomOnly)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    dnnl_cache_statistics_t before = rig_statistics();
    rig_set_mode(rig, dnnl_cache_compile_mode_recompile);
    EXPECT_OK(dnnl_cache_program_destroy(create(desc)));
    rig_set_mode(rig, dnnl_cache_compile_mode_normal);
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(0, after.kernel_entries);
    EXPECT_EQ(0, after.fast_kernel_entries);
    EXPECT_EQ(before.program_evictions, after.program_evictions);
    EXPECT_EQ(before.kernel_evictions, after.kernel_evictions);
    EXPECT_EQ(before.fast_kernel_evictions, after.fast_kernel_evictions);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    EXPECT_EQ(before.program_evictions + 1, rig_statistics().program_evictions);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_EQ(0, rig_statistics().program_entries);
    EXPECT_EQ(before.program_evictions + 1, rig_statistics().program_evictions);
    EXPECT_EQ(before.kernel_evictions, rig_statistics().kernel_evictions);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* One whose program is not in memory is not kept either, and counted. */
TEST_RIG(Statistics, CountKernelsThatAreNotKept)
{
    dnnl_cache_kernel_t kernel = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_OK(dnnl_cache_kernel_create_from_program(&kernel, program, "fill"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.kernel_misses + 1, after.kernel_misses);
    EXPECT_EQ(before.kernel_builds + 1, after.kernel_builds);
    EXPECT_EQ(0, after.kernel_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* A caller's struct of an older header is filled as far as it goes. */
TEST_C(Statistics, FillAShorterStruct)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    now.struct_size = offsetof(dnnl_cache_statistics_t, primitive_builds);
    now.saved_ns = 77;
    now.primitive_builds = 78;
    EXPECT_OK(dnnl_cache_get_statistics(&now));
    EXPECT_EQ(77, now.saved_ns);
    EXPECT_EQ(78, now.primitive_builds);
}

/* Where the number behind "name": in an object of that group is; -1: none. */
static long long number_in(
        const char *json, const char *group, const char *name)
{
    char quoted[64];
    const char *at = json;
    const char *end = json + strlen(json);
    if (group != NULL) {
        snprintf(quoted, sizeof quoted, "\"%s\": {", group);
        at = strstr(json, quoted);
        if (at == NULL) return -1;
        end = strchr(at, '}');
    }
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    at = strstr(at, quoted);
    if (at == NULL || at > end) return -1;
    return strtoll(at + strlen(quoted), NULL, 10);
}

TEST_RIG(Statistics, AreJsonToo)
{
    char json[4096];
    char brief[8] = "before";
    size_t size = 0;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_get_statistics_json(&size, NULL));
    size_t again = size;
    for (int i = 0; i < 20; i++)
        EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_get_statistics_json(&again, NULL));
    EXPECT_EQ(size, again); /* whatever the numbers */
    again = sizeof brief;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_get_statistics_json(&again, brief));
    EXPECT_LT(sizeof brief, again);
    EXPECT_STR_EQ("before", brief);

    again = sizeof json;
    EXPECT_OK(dnnl_cache_get_statistics_json(&again, json));
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_LT(again, size);
    EXPECT_EQ(again, strlen(json) + 1);
    EXPECT_TRUE(json[again - 2] == '\n' && json[again - 3] == '}');
    EXPECT_EQ('{', json[0]);
    EXPECT_EQ(now.program_hits, number_in(json, "programs", "hits"));
    EXPECT_EQ(now.program_entries, number_in(json, "programs", "entries"));
    EXPECT_EQ(now.program_bytes, number_in(json, "programs", "bytes"));
    EXPECT_EQ(now.program_builds, number_in(json, "programs", "builds"));
    EXPECT_EQ(now.kernel_misses, number_in(json, "kernels", "misses"));
    EXPECT_EQ(now.fast_kernel_hits, number_in(json, "fast_kernels", "hits"));
    EXPECT_EQ(now.primitive_hits, number_in(json, "primitives", "hits"));
    EXPECT_EQ(now.store_puts, number_in(json, "stores", "puts"));
    EXPECT_EQ(now.saved_ns, number_in(json, NULL, "saved_ns"));
    size_t depth = 0;
    for (const char *at = json; *at != '\0'; at++) {
        if (*at == '{') depth++;
        if (*at == '}') depth--;
    }
    EXPECT_EQ(0, depth);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}
