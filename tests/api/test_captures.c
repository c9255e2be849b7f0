/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture asks the driver for, and all captures at once; the driver is
 * that of test_notes.c. */
#include "noted.h"

#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Only where it is kept ----------------------------------------------- */

/* How often the driver is asked while a program is captured and released. */
static unsigned long capture_queries(struct noted *x)
{
    dnnl_cache_program_t program = build_scale(x);
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    rig_forget_primitives();
    stored_restart(&x->x);
    noted_attach(x);
    return queries() - before;
}

TEST_NOTED(CaptureQueries, AreMadeForAStore)
{
    EXPECT_GT(capture_queries(x), 0);
    EXPECT_EQ(1, blobs(x));
}

TEST_RIG(CaptureQueries, AreNotMadeWithoutAStore)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(before, queries());
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_set_user_data(program, 4, "late"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_NOTED(CaptureQueries, AreNotMadeForAStoreThatKeepsNothing)
{
    const uint64_t before = rig_statistics().store_read_only;
    const uint64_t lost = rig_statistics().programs_never_captured;
    x->can_put = dnnl_not_required;
    EXPECT_EQ(0, capture_queries(x));
    EXPECT_EQ(before, rig_statistics().store_read_only);
    x->can_put = dnnl_unimplemented;
    EXPECT_EQ(0, capture_queries(x));
    EXPECT_EQ(before + 1, rig_statistics().store_read_only);
    x->can_put = dnnl_success;
    x->callbacks.put = NULL;
    noted_attach(x);
    EXPECT_EQ(0, capture_queries(x));
    EXPECT_EQ(before + 2, rig_statistics().store_read_only);
    EXPECT_EQ(lost, rig_statistics().programs_never_captured);
    EXPECT_EQ(0, x->x.store.puts);
}

/* Engines keep nothing here, so the programs' puts are the only ones. */
TEST_NOTED(CaptureQueries, AreNotMadeUntilAPutWorksAgain)
{
    dnnl_cache_program_t first = build(x->x.rig.engine, scale_source, "-DB");
    dnnl_cache_program_t second = build_scale(x);
    x->x.store.fail_put = dnnl_runtime_error;
    EXPECT_OK(dnnl_cache_program_capture(first));
    EXPECT_EQ(1, x->x.store.puts);
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_capture(second));
    EXPECT_EQ(before, queries());
    EXPECT_EQ(2, x->x.store.puts); /* the first one again */
    x->x.store.fail_put = dnnl_success;
    EXPECT_OK(dnnl_cache_program_capture(second));
    EXPECT_LT(before, queries());
    EXPECT_EQ(4, x->x.store.puts);
    EXPECT_EQ(2, blobs(x));
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

TEST_NOTED(CaptureQueries, AreNotMadeForAnEntryThatIsComplete)
{
    dnnl_cache_program_t program = build_scale(x);
    launch(program, "scale", 64);
    launch(program, "fill", 32);
    /* Another process: an engine of another context. */
    struct rig other;
    rig_open(&other, 0);
    EXPECT_OK(dnnl_cache_engine_set_store(other.engine, &x->callbacks));
    dnnl_cache_program_t theirs = build(other.engine, scale_source, "-DA");
    launch(theirs, "scale", 64);
    EXPECT_OK(dnnl_cache_program_capture(theirs));
    EXPECT_EQ(1, x->x.store.puts);
    /* Which lacks what this one was used for. */
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_LT(before, queries());
    EXPECT_EQ(2, x->x.store.puts);
    expect_launches(
            x, "scale:64-1-1-goffs0-smallgrid;fill:32-1-1-goffs0-smallgrid;");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(theirs));
    /* And one that has all. */
    noted_restart(x);
    struct memory_store_entry only =
            memory_store_only(&x->x.store, dnnl_cache_blob_kind_program);
    memory_store_clear(&x->x.store);
    program = build_scale(x);
    launch(program, "scale", 64);
    memory_store_set(&x->x.store, &only.id, &only.blob);
    const unsigned long after = queries();
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(after, queries());
    EXPECT_EQ(2, x->x.store.puts);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&only.id);
    bytes_free(&only.blob);
    rig_close(&other);
}

/* ---- All at once --------------------------------------------------------- */

struct progress {
    unsigned calls;
    size_t stop_at; /* this many programs are done; 0: never */
    dnnl_cache_capture_progress_t last;
};

static dnnl_status_t follow(const dnnl_cache_capture_progress_t *p, void *user)
{
    struct progress *progress = user;
    progress->calls++;
    progress->last = *p;
    return progress->stop_at > 0 && p->done == progress->stop_at
                   ? dnnl_runtime_error
                   : dnnl_success;
}

enum { programs = 3 };

static void build_programs(struct noted *x, dnnl_cache_program_t out[programs])
{
    static const char *const options[programs] = {"-DA", "-DB", "-DC"};
    for (size_t i = 0; i < programs; i++) {
        out[i] = build(x->x.rig.engine, scale_source, options[i]);
        launch(out[i], "scale", 64);
    }
}

static void destroy_programs(dnnl_cache_program_t list[programs])
{
    for (size_t i = 0; i < programs; i++)
        EXPECT_OK(dnnl_cache_program_destroy(list[i]));
}

TEST_NOTED(CaptureAll, CapturesWhatWaits)
{
    dnnl_cache_program_t list[programs];
    struct progress progress = {0};
    build_programs(x, list);
    EXPECT_OK(dnnl_cache_program_capture(list[1]));
    EXPECT_OK(dnnl_cache_engine_capture(
            x->x.rig.engine, NULL, follow, &progress));
    EXPECT_EQ(3, blobs(x));
    EXPECT_EQ(3, progress.calls);
    EXPECT_EQ(2, progress.last.total);
    EXPECT_EQ(2, progress.last.done);
    EXPECT_EQ(0, progress.last.failed);
    EXPECT_EQ(0, progress.last.left_ns);
    EXPECT_OK(dnnl_cache_engine_capture(
            x->x.rig.engine, NULL, follow, &progress));
    EXPECT_EQ(3, progress.calls); /* nothing waits */
    destroy_programs(list);
}

TEST_NOTED(CaptureAll, EndsInTime)
{
    dnnl_cache_program_t list[programs];
    struct progress progress = {.stop_at = 1};
    dnnl_cache_capture_options_t options = DNNL_CACHE_CAPTURE_OPTIONS_INIT;
    build_programs(x, list);
    options.timeout_ns = 0;
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_engine_capture(x->x.rig.engine, &options, NULL, NULL));
    EXPECT_EQ(0, blobs(x));
    EXPECT_STATUS(dnnl_not_required, dnnl_cache_engine_capture(x->x.rig.engine,
                                             NULL, follow, &progress));
    EXPECT_EQ(1, blobs(x));
    destroy_programs(list);
    noted_restart(x); /* the others are in the journal */
    EXPECT_EQ(1, blobs(x));
}

TEST_NOTED(CaptureAll, TellsOfFailures)
{
    dnnl_cache_program_t list[programs];
    struct progress progress = {0};
    build_programs(x, list);
    fake_opencl_fail("clGetProgramInfo", 1, CL_OUT_OF_RESOURCES);
    EXPECT_STATUS(dnnl_runtime_error, dnnl_cache_engine_capture(x->x.rig.engine,
                                              NULL, follow, &progress));
    EXPECT_EQ(1, progress.last.failed);
    EXPECT_EQ(2, progress.last.done);
    EXPECT_EQ(2, blobs(x));
    destroy_programs(list);
}

/* Runs with standard error in a file, whose text it gives. */
static void capture_all_told(struct noted *x, int tell, char text[256])
{
    char path[512];
    dnnl_cache_capture_options_t options = DNNL_CACHE_CAPTURE_OPTIONS_INIT;
    options.tell = tell;
    (void)snprintf(path, sizeof path, "%s/stderr", test_directory());
    FILE *file = fopen(path, "w+");
    ASSERT_NOT_NULL(file);
    (void)fflush(stderr);
    const int before = dup(STDERR_FILENO);
    (void)dup2(fileno(file), STDERR_FILENO);
    EXPECT_OK(dnnl_cache_engine_capture(x->x.rig.engine, &options, NULL, NULL));
    (void)dup2(before, STDERR_FILENO);
    (void)close(before);
    rewind(file);
    text[fread(text, 1, 255, file)] = '\0';
    (void)fclose(file);
}

/* The second program of three ends after more than a second. */
TEST_NOTED(CaptureAll, TellsOfItsTimeWhenAsked)
{
    dnnl_cache_program_t list[programs];
    char text[256] = "";
    build_programs(x, list);
    fake_opencl_set("SIZES_MS", "600");
    capture_all_told(x, 1, text);
    fake_opencl_set("SIZES_MS", NULL);
    EXPECT_NOT_NULL(strstr(text, " of 3 programs, "));
    EXPECT_NOT_NULL(strstr(text, " s left; interrupt safely\n"));
    EXPECT_PTR_EQ(strchr(text, '\n'), strrchr(text, '\n'));
    destroy_programs(list);
    memory_store_clear(&x->x.store);
    noted_restart(x);
    build_programs(x, list);
    text[0] = '\0';
    capture_all_told(x, 0, text);
    EXPECT_STR_EQ("", text);
    destroy_programs(list);
}

TEST_RIG(CaptureAll, NeedsAnEngineAndOptionsThatItKnows)
{
    dnnl_cache_capture_options_t options = DNNL_CACHE_CAPTURE_OPTIONS_INIT;
    EXPECT_OK(dnnl_cache_engine_capture(rig->engine, &options, NULL, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_capture(NULL, &options, NULL, NULL));
    options.struct_size = 1;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_capture(rig->engine, &options, NULL, NULL));
}
