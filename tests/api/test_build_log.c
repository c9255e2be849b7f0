/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler said of a program, for all who wanted it. */
#include "crowd.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <string.h>

static struct crowd crowd;

static void expect_log_of(
        const_dnnl_cache_program_desc_t desc, const char *expected)
{
    char log[256] = "";
    size_t size = sizeof log;
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, log));
    EXPECT_STR_EQ(expected, log);
    EXPECT_EQ(strlen(expected) + 1, size);
}

TEST_RIG(ProgramCache, AllWhoWaitedGetTheSameBuildLog)
{
    struct log_capture log;
    char first[256] = "";
    size_t size = sizeof first;
    fake_opencl_set("BUILD_LOG", "line 7: it does not please me");
    log_capture_start(&log);
    crowd_gather(&crowd, rig->engine, 300, "-DFAKE_BUILD_FAILURE");
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(
            crowd.guests[0].desc, &size, first));
    EXPECT_NOT_NULL(strstr(first, "it does not please me"));
    for (size_t i = 0; i < 300; i++) {
        EXPECT_STATUS(dnnl_runtime_error, crowd.guests[i].status);
        EXPECT_NULL(crowd.guests[i].program);
        expect_log_of(crowd.guests[i].desc, first);
    }
    /* It is forgotten: the next one builds again, and is told anew. */
    dnnl_cache_program_t program = NULL;
    fake_opencl_set("BUILD_LOG", "nor now");
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_program_create(&program, crowd.guests[0].desc));
    EXPECT_EQ(2, fake_opencl_source_builds());
    size = sizeof first;
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(
            crowd.guests[0].desc, &size, first));
    EXPECT_NOT_NULL(strstr(first, "nor now"));
    EXPECT_EQ(0, rig_statistics().program_entries);
    log_capture_stop(&log);
    crowd_end(&crowd);
}

/* The compiler has no part in them. */
TEST_RIG(ProgramCache, LogOfACompilationGoesWithTheNextOtherFailure)
{
    struct log_capture log;
    const uint8_t nonsense[64] = {0};
    dnnl_cache_program_t program = NULL;
    fake_opencl_set("BUILD_LOG", "line 7");
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc =
            describe(rig->engine, scale_source, "-DFAKE_BUILD_FAILURE");
    for (int i = 0; i < 2; i++) {
        char text[64] = "";
        size_t size = sizeof text;
        EXPECT_STATUS(
                dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
        EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, text));
        EXPECT_NOT_NULL(strstr(text, "line 7"));
        EXPECT_OK(dnnl_cache_engine_set_compile_mode(
                rig->engine, dnnl_cache_compile_mode_cached_only));
        if (i == 0)
            EXPECT_STATUS(
                    dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
        else
            EXPECT_STATUS(dnnl_cache_blob_corrupt,
                    dnnl_cache_program_create_from_cache_blob(
                            &program, desc, sizeof nonsense, nonsense));
        EXPECT_OK(dnnl_cache_engine_set_compile_mode(
                rig->engine, dnnl_cache_compile_mode_normal));
        expect_log_of(desc, "");
    }
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramCache, DescriptorWithoutAFailureHasAnEmptyLog)
{
    char log[1] = {'x'};
    size_t size = 0;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    expect_log_of(desc, "");
    EXPECT_OK(dnnl_cache_program_desc_get_build_log(desc, &size, NULL));
    EXPECT_EQ(1, size);
    size = 0;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_get_build_log(desc, &size, log));
    EXPECT_EQ(1, size);
    EXPECT_EQ('x', log[0]);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}
