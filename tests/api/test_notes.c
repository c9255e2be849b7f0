/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures that are left to a store's journal, and what a blob lacks. The fake
 * driver says that it is PoCL (FAKE_OPENCL_PLATFORM_NAME), whose captures are
 * costly.
 */
#include "dnnl_cache/sys/layer.h"
#include "log_capture.h"
#include "noted.h"

#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void use_kernel(dnnl_cache_program_t program, const char *name)
{
    cl_kernel kernel = NULL;
    EXPECT_OK(dnnl_cache_program_get_kernel(program, name, &kernel));
    if (kernel != NULL) clReleaseKernel(kernel);
}

/* ---- What is noted ------------------------------------------------------- */

TEST_NOTED(Notes, ReplaceACapture)
{
    dnnl_cache_program_t program = build_scale(x);
    EXPECT_EQ(1, x->count);
    EXPECT_STR_EQ("build -DA", x->notes[0]);
    use_kernel(program, "scale");
    launch(program, "scale", 64);
    launch(program, "scale", 64);
    EXPECT_EQ(3, x->count);
    EXPECT_STR_EQ("build -DA", x->notes[1]);
    EXPECT_STR_EQ("launch scale 64-0-0 of 0-0-0 small", x->notes[2]);
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_destroy(program));
    noted_restart(x);
    EXPECT_EQ(before, queries());
    EXPECT_EQ(0, blobs(x));
    EXPECT_EQ(0, x->x.store.puts);
}

TEST_NOTED(Notes, SayHowAKernelIsLaunched)
{
    const size_t global[] = {USHRT_MAX, 4, 2};
    const size_t local[] = {5, 2, 1};
    const size_t offset[] = {0, 4, 0};
    const uint64_t before = rig_statistics().store_notes;
    dnnl_cache_program_t program = build_scale(x);
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, "fill", 3, NULL, global, local));
    EXPECT_STR_EQ("launch fill 5-2-1 of 0-0-0", x->notes[2]);
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, "fill", 3, offset, global, local));
    EXPECT_STR_EQ("launch fill 5-2-1 of 0-0-0 offset", x->notes[4]);
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, "fill", 2, NULL, global + 1, NULL));
    EXPECT_STR_EQ("launch fill 0-0-0 of 4-2-0 small", x->notes[6]);
    EXPECT_EQ(7, x->count);
    EXPECT_EQ(before + 7, rig_statistics().store_notes);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_NOTED(Notes, NeedALaunchThatDriversAccept)
{
    const size_t one[] = {1, 1, 1, 1};
    const size_t none[] = {1, 0, 1};
    dnnl_cache_program_t p = build_scale(x);
    const struct {
        dnnl_cache_program_t program;
        const char *kernel;
        cl_uint dims;
        const size_t *global, *local;
    } rows[] = {{NULL, "fill", 1, one, one}, {p, NULL, 1, one, one},
            {p, "", 1, one, one}, {p, "fill", 0, one, one},
            {p, "fill", 4, one, one}, {p, "fill", 1, NULL, one},
            {p, "fill", 2, one, none}, {p, "fill", 2, none, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_program_note_launch(rows[i].program, rows[i].kernel,
                        rows[i].dims, NULL, rows[i].global, rows[i].local));
    EXPECT_EQ(1, x->count);
    EXPECT_OK(dnnl_cache_program_destroy(p));
}

/* The driver is asked for names once a program. */
TEST_NOTED(Notes, NeedAKernelOfTheProgram)
{
    const size_t global = 64;
    struct log_capture log;
    dnnl_cache_program_t p = build_scale(x);
    log_capture_start(&log);
    launch(p, "scale", 64);
    const unsigned long before = queries();
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_program_note_launch(p, "scales",
                                            1, NULL, &global, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, "scal", 1, NULL, &global, NULL));
    EXPECT_TRUE(log_capture_has(
            &log, dnnl_cache_log_info, "the program has no kernel \"scales\""));
    launch(p, "fill", 64);
    EXPECT_EQ(before, queries());
    EXPECT_EQ(5, x->count);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_destroy(p));
}

/* Of a driver that does not tell names then, the capture tells. */
TEST_NOTED(Notes, OfAKernelThatIsNotThereAreToldByTheCapture)
{
    const size_t global = 64;
    struct log_capture log;
    dnnl_cache_program_t p = build_scale(x);
    fake_opencl_fail("clGetProgramInfo", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_OK(dnnl_cache_program_note_launch(
            p, "nothing", 1, NULL, &global, NULL));
    log_capture_start(&log);
    EXPECT_OK(dnnl_cache_program_capture(p));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_warning,
            "kernel \"nothing\", which the program does not have"));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_destroy(p));
}

/* ---- What is captured all the same --------------------------------------- */

TEST_NOTED(Notes, OfUnknownLaunchesReplaceNoCapture)
{
    dnnl_cache_program_t program = build_scale(x);
    use_kernel(program, "scale");
    noted_expect_blobs(x, program, 1);
}

/* Once there are reports, a kernel without one was not launched. */
TEST_NOTED(Notes, OfAnApplicationThatReportsAreComplete)
{
    dnnl_cache_program_t other = build(x->x.rig.engine, scale_source, "-DB");
    launch(other, "scale", 64);
    dnnl_cache_program_t program = build_scale(x);
    use_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(other));
    noted_restart(x);
    EXPECT_EQ(0, blobs(x));
}

TEST_NOTED(Notes, ThatAreNotTakenReplaceNoCapture)
{
    dnnl_cache_program_t program = build_scale(x);
    x->fail_note = dnnl_runtime_error;
    launch(program, "scale", 64);
    noted_expect_blobs(x, program, 1);
    expect_launches(x, "scale:64-1-1-goffs0-smallgrid;fill:;");
}

TEST_NOTED(Notes, HaveNoUserData)
{
    dnnl_cache_program_t program = build_scale(x);
    launch(program, "scale", 64);
    EXPECT_OK(dnnl_cache_program_set_user_data(program, 4, "data"));
    noted_expect_blobs(x, program, 1);
}

TEST_NOTED(Notes, AreNotMadeOfARecompiledProgram)
{
    rig_set_mode(&x->x.rig, dnnl_cache_compile_mode_recompile);
    EXPECT_OK(dnnl_cache_program_destroy(build_scale(x)));
    noted_restart(x);
    EXPECT_EQ(0, x->count);
    EXPECT_EQ(1, blobs(x));
}

TEST_NOTED(Notes, AreNotMadeOfFilesThatTheCallerKnows)
{
    dnnl_cache_program_desc_t desc =
            describe(x->x.rig.engine, scale_source, "-DA");
    EXPECT_OK(dnnl_cache_program_desc_set_includes_known(desc));
    dnnl_cache_program_t program = create(desc);
    launch(program, "scale", 64);
    EXPECT_EQ(0, x->count);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    noted_restart(x);
    EXPECT_EQ(1, blobs(x));
}

/* Another process may find other contents in them. */
TEST_NOTED(Notes, AreNotMadeOfFilesThatAreFollowed)
{
    char options[4200];
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/followed.h", test_directory());
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(0, fclose(file));
    (void)snprintf(options, sizeof options, "-include %s", path);
    dnnl_cache_program_desc_t desc =
            describe(x->x.rig.engine, scale_source, options);
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(desc, 1));
    dnnl_cache_program_t program = create(desc);
    launch(program, "scale", 64);
    EXPECT_EQ(0, x->count);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    noted_restart(x);
    EXPECT_EQ(1, blobs(x));
}

/* ---- Healing ------------------------------------------------------------- */

/* Leaves a blob with the class 64 of scale in the store. */
static void make_blob(struct noted *x)
{
    noted_open(x);
    dnnl_cache_program_t program = build_scale(x);
    launch(program, "scale", 64);
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    noted_restart(x);
    expect_launches(x, "scale:64-1-1-goffs0-smallgrid;fill:;");
}

/* One line for each launch that the blob lacks, when it is first made. */
TEST_C(Notes, AreVerboseOfWhatALoadedProgramLacks)
{
    static const char known[] = "program,use:incomplete,gpu,";
    struct noted x;
    struct log_capture log;
    make_blob(&x);
    EXPECT_OK(dnnl_set_verbose(2));
    dnnl_cache_program_t program = build_scale(&x);
    log_capture_start(&log);
    use_kernel(program, "scale");
    launch(program, "scale", 64);
    EXPECT_FALSE(log_capture_has(&log, dnnl_cache_log_info, known));
    launch(program, "scale", 32);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            ",the blob lacks kernel scale launched as 32-1-1-goffs0-smallgrid,"
            "0"));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, known));
    log_capture_start(&log);
    launch(program, "scale", 32);
    EXPECT_FALSE(log_capture_has(&log, dnnl_cache_log_info, known));
    launch(program, "fill", 0);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            "kernel fill launched as auto-640-1-1-goffs0-smallgrid,0"));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_set_verbose(0));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&x.x);
}

TEST_C(Notes, TellWhatALoadedProgramLacks)
{
    struct noted x;
    make_blob(&x);
    const uint64_t before = rig_statistics().programs_incomplete;
    dnnl_cache_program_t program = build_scale(&x);
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    use_kernel(program, "scale");
    launch(program, "scale", 64);
    EXPECT_EQ(0, x.count);
    EXPECT_EQ(0, info_of(program).incomplete);
    launch(program, "scale", 32);
    EXPECT_EQ(1, info_of(program).incomplete);
    launch(program, "fill", 0);
    EXPECT_EQ(4, x.count);
    EXPECT_STR_EQ("build -DA", x.notes[0]);
    EXPECT_STR_EQ("launch scale 32-0-0 of 0-0-0 small", x.notes[1]);
    EXPECT_STR_EQ("build -DA", x.notes[2]);
    EXPECT_STR_EQ("launch fill 0-0-0 of 640-0-0 small", x.notes[3]);
    EXPECT_EQ(before + 1, rig_statistics().programs_incomplete);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&x.x);
}

TEST_C(Notes, TellWhatAPrefetchedProgramLacks)
{
    struct noted x;
    size_t found = 0;
    make_blob(&x);
    struct memory_store_entry only =
            memory_store_only(&x.x.store, dnnl_cache_blob_kind_program);
    const uint8_t *id = only.id.data;
    EXPECT_OK(dnnl_cache_engine_prefetch(
            x.x.rig.engine, 1, &only.id.size, &id, &found));
    EXPECT_EQ(1, found);
    dnnl_cache_program_t program = build_scale(&x);
    launch(program, "fill", 64);
    EXPECT_EQ(2, x.count);
    EXPECT_EQ(1, info_of(program).incomplete);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&only.id);
    bytes_free(&only.blob);
    stored_close(&x.x);
}

TEST_C(Notes, CountAKernelThatTheBlobWasNotUsedWith)
{
    struct noted x;
    make_blob(&x);
    dnnl_cache_program_t program = build_scale(&x);
    use_kernel(program, "scale");
    EXPECT_EQ(0, info_of(program).incomplete);
    use_kernel(program, "fill");
    EXPECT_EQ(1, info_of(program).incomplete);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&x.x);
}

/* A blob is the same after it was loaded. */
TEST_C(Notes, OfABlobStayInIt)
{
    struct noted x;
    make_blob(&x);
    struct memory_store_entry only =
            memory_store_only(&x.x.store, dnnl_cache_blob_kind_program);
    dnnl_cache_program_t program = build_scale(&x);
    launch(program, "fill", 32);
    struct bytes blob = {NULL, 0};
    EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &blob.size, NULL));
    ASSERT_EQ(only.blob.size, blob.size);
    blob.data = bytes_copy(only.blob.data, blob.size).data;
    memset(blob.data, 0, blob.size);
    EXPECT_OK(
            dnnl_cache_program_get_cache_blob(program, &blob.size, blob.data));
    EXPECT_BYTES_EQ(only.blob.data, only.blob.size, blob.data, blob.size);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&blob);
    bytes_free(&only.id);
    bytes_free(&only.blob);
    stored_close(&x.x);
}
