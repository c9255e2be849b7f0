/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures that are left to a store's journal, and what a blob lacks. The fake
 * driver says that it is PoCL (FAKE_OPENCL_PLATFORM_NAME), whose captures are
 * costly.
 */
#include "log_capture.h"
#include "programs.h"
#include "stored.h"

#include "test.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- A store with a journal ---------------------------------------------- */

enum { most_notes = 32 };

struct noted {
    struct stored x;
    dnnl_cache_store_t callbacks;
    dnnl_status_t fail_note;
    dnnl_status_t can_put;
    size_t count;
    /* "build -DA", "launch scale 64-1-1 of 0-0-0 small" */
    char notes[most_notes][96];
};

static struct noted *noted_of(void *user)
{
    char *store = user;
    return (struct noted *)(void *)(store - offsetof(struct noted, x.store));
}

static dnnl_status_t take_note(void *user, const dnnl_cache_note_t *n)
{
    struct noted *x = noted_of(user);
    if (x->fail_note != dnnl_success) return x->fail_note;
    EXPECT_EQ(dnnl_cache_note_library, n->origin);
    EXPECT_TRUE(n->id_size > 0 && n->id != NULL);
    if (x->count == most_notes) return dnnl_runtime_error;
    char *text = x->notes[x->count++];
    const size_t size = sizeof x->notes[0];
    if (n->kind == dnnl_cache_note_launch) {
        (void)snprintf(text, size, "launch %s %zu-%zu-%zu of %zu-%zu-%zu%s%s",
                n->kernel, n->local_size[0], n->local_size[1], n->local_size[2],
                n->global_size[0], n->global_size[1], n->global_size[2],
                n->has_offset ? " offset" : "",
                n->is_small_grid ? " small" : "");
        return dnnl_success;
    }
    (void)snprintf(text, size, "build %s", n->options);
    EXPECT_EQ(1, n->source_count);
    EXPECT_BYTES_EQ(scale_source, strlen(scale_source), n->sources[0],
            n->source_sizes[0]);
    return dnnl_success;
}

static dnnl_status_t tell_can_put(void *user)
{
    return noted_of(user)->can_put;
}

static void attach(struct noted *x)
{
    EXPECT_OK(dnnl_cache_engine_set_store(x->x.rig.engine, &x->callbacks));
}

static void noted_open(struct noted *x)
{
    memset(x, 0, sizeof *x);
    stored_open(&x->x);
    x->callbacks = x->x.store.callbacks;
    x->callbacks.note = take_note;
    x->callbacks.can_put = tell_can_put;
    attach(x);
}

static void noted_restart(struct noted *x)
{
    stored_restart(&x->x);
    attach(x);
    x->count = 0;
}

static dnnl_cache_program_t build_scale(struct noted *x)
{
    return build(x->x.rig.engine, scale_source, "-DA");
}

static unsigned long queries(void)
{
    return fake_opencl_count("clGetProgramInfo");
}

static unsigned blobs(struct noted *x)
{
    return memory_store_count(&x->x.store, dnnl_cache_blob_kind_program);
}

static void use_kernel(dnnl_cache_program_t program, const char *name)
{
    cl_kernel kernel = NULL;
    EXPECT_OK(dnnl_cache_program_get_kernel(program, name, &kernel));
    if (kernel != NULL) clReleaseKernel(kernel);
}

static void launch(dnnl_cache_program_t program, const char *name, size_t local)
{
    const size_t global = 640;
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, name, 1, NULL, &global, local > 0 ? &local : NULL));
}

/* The launches that the store's program blob has code for. */
static dnnl_status_t find_launches(
        const dnnl_cache_blob_part_t *part, void *user)
{
    char *text = user;
    if (part->kind != dnnl_cache_blob_part_kernel) return dnnl_success;
    const size_t size = strlen(text);
    (void)snprintf(text + size, 160 - size, "%s:%s;", part->name,
            part->launches != NULL ? part->launches : "");
    return dnnl_success;
}

static void expect_launches(struct noted *x, const char *expected)
{
    char text[160] = "";
    struct memory_store_entry only =
            memory_store_only(&x->x.store, dnnl_cache_blob_kind_program);
    EXPECT_OK(dnnl_cache_blob_describe(
            only.blob.size, only.blob.data, find_launches, text));
    EXPECT_STR_EQ(expected, text);
    bytes_free(&only.id);
    bytes_free(&only.blob);
}

/* ---- What is noted ------------------------------------------------------- */

TEST_C(Notes, ReplaceACapture)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_t program = build_scale(&x);
    EXPECT_EQ(1, x.count);
    EXPECT_STR_EQ("build -DA", x.notes[0]);
    use_kernel(program, "scale");
    launch(program, "scale", 64);
    launch(program, "scale", 64);
    EXPECT_EQ(3, x.count);
    EXPECT_STR_EQ("build -DA", x.notes[1]);
    EXPECT_STR_EQ("launch scale 64-0-0 of 0-0-0 small", x.notes[2]);
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_destroy(program));
    noted_restart(&x);
    EXPECT_EQ(before, queries());
    EXPECT_EQ(0, blobs(&x));
    EXPECT_EQ(0, x.x.store.puts);
    stored_close(&x.x);
}

TEST_C(Notes, SayHowAKernelIsLaunched)
{
    struct noted x;
    const size_t global[] = {USHRT_MAX, 4, 2};
    const size_t local[] = {5, 2, 1};
    const size_t offset[] = {0, 4, 0};
    noted_open(&x);
    const uint64_t before = rig_statistics().store_notes;
    dnnl_cache_program_t program = build_scale(&x);
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, "fill", 3, NULL, global, local));
    EXPECT_STR_EQ("launch fill 5-2-1 of 0-0-0", x.notes[2]);
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, "fill", 3, offset, global, local));
    EXPECT_STR_EQ("launch fill 5-2-1 of 0-0-0 offset", x.notes[4]);
    EXPECT_OK(dnnl_cache_program_note_launch(
            program, "fill", 2, NULL, global + 1, NULL));
    EXPECT_STR_EQ("launch fill 0-0-0 of 4-2-0 small", x.notes[6]);
    EXPECT_EQ(7, x.count);
    EXPECT_EQ(before + 7, rig_statistics().store_notes);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    stored_close(&x.x);
}

TEST_C(Notes, NeedALaunchThatDriversAccept)
{
    struct noted x;
    const size_t one[] = {1, 1, 1, 1};
    const size_t none[] = {1, 0, 1};
    noted_open(&x);
    dnnl_cache_program_t p = build_scale(&x);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(NULL, "fill", 1, NULL, one, one));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, NULL, 1, NULL, one, one));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, "", 1, NULL, one, one));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, "fill", 0, NULL, one, one));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, "fill", 4, NULL, one, one));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, "fill", 1, NULL, NULL, one));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, "fill", 2, NULL, one, none));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_note_launch(p, "fill", 2, NULL, none, NULL));
    EXPECT_EQ(1, x.count);
    EXPECT_OK(dnnl_cache_program_destroy(p));
    stored_close(&x.x);
}

/* ---- What is captured all the same --------------------------------------- */

TEST_C(Notes, OfUnknownLaunchesReplaceNoCapture)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_t program = build_scale(&x);
    use_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    noted_restart(&x);
    EXPECT_EQ(1, blobs(&x));
    stored_close(&x.x);
}

/* Once there are reports, a kernel without one was not launched. */
TEST_C(Notes, OfAnApplicationThatReportsAreComplete)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_t other = build(x.x.rig.engine, scale_source, "-DB");
    launch(other, "scale", 64);
    dnnl_cache_program_t program = build_scale(&x);
    use_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(other));
    noted_restart(&x);
    EXPECT_EQ(0, blobs(&x));
    stored_close(&x.x);
}

TEST_C(Notes, ThatAreNotTakenReplaceNoCapture)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_t program = build_scale(&x);
    x.fail_note = dnnl_runtime_error;
    launch(program, "scale", 64);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    noted_restart(&x);
    EXPECT_EQ(1, blobs(&x));
    expect_launches(&x, "scale:64-1-1-goffs0-smallgrid;fill:;");
    stored_close(&x.x);
}

TEST_C(Notes, HaveNoUserData)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_t program = build_scale(&x);
    launch(program, "scale", 64);
    EXPECT_OK(dnnl_cache_program_set_user_data(program, 4, "data"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    noted_restart(&x);
    EXPECT_EQ(1, blobs(&x));
    stored_close(&x.x);
}

TEST_C(Notes, AreNotMadeOfARecompiledProgram)
{
    struct noted x;
    noted_open(&x);
    rig_set_mode(&x.x.rig, dnnl_cache_compile_mode_recompile);
    EXPECT_OK(dnnl_cache_program_destroy(build_scale(&x)));
    noted_restart(&x);
    EXPECT_EQ(0, x.count);
    EXPECT_EQ(1, blobs(&x));
    stored_close(&x.x);
}

TEST_C(Notes, AreNotMadeOfFilesThatTheCallerKnows)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_desc_t desc =
            describe(x.x.rig.engine, scale_source, "-DA");
    EXPECT_OK(dnnl_cache_program_desc_set_includes_known(desc));
    dnnl_cache_program_t program = create(desc);
    launch(program, "scale", 64);
    EXPECT_EQ(0, x.count);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    noted_restart(&x);
    EXPECT_EQ(1, blobs(&x));
    stored_close(&x.x);
}

/* Another process may find other contents in them. */
TEST_C(Notes, AreNotMadeOfFilesThatAreFollowed)
{
    char options[4200];
    char path[4096];
    struct noted x;
    noted_open(&x);
    (void)snprintf(path, sizeof path, "%s/followed.h", test_directory());
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(0, fclose(file));
    (void)snprintf(options, sizeof options, "-include %s", path);
    dnnl_cache_program_desc_t desc =
            describe(x.x.rig.engine, scale_source, options);
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(desc, 1));
    dnnl_cache_program_t program = create(desc);
    launch(program, "scale", 64);
    EXPECT_EQ(0, x.count);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    noted_restart(&x);
    EXPECT_EQ(1, blobs(&x));
    stored_close(&x.x);
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
    attach(x);
    return queries() - before;
}

TEST_C(CaptureQueries, AreMadeForAStore)
{
    struct noted x;
    noted_open(&x);
    EXPECT_GT(capture_queries(&x), 0);
    EXPECT_EQ(1, blobs(&x));
    stored_close(&x.x);
}

TEST_C(CaptureQueries, AreNotMadeWithoutAStore)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_t program = build(rig.engine, scale_source, NULL);
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(before, queries());
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_set_user_data(program, 4, "late"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    rig_close(&rig);
}

TEST_C(CaptureQueries, AreNotMadeForAStoreThatKeepsNothing)
{
    struct noted x;
    noted_open(&x);
    x.can_put = dnnl_not_required;
    EXPECT_EQ(0, capture_queries(&x));
    x.can_put = dnnl_success;
    x.callbacks.put = NULL;
    attach(&x);
    EXPECT_EQ(0, capture_queries(&x));
    EXPECT_EQ(0, x.x.store.puts);
    stored_close(&x.x);
}

/* Engines keep nothing here, so the programs' puts are the only ones. */
TEST_C(CaptureQueries, AreNotMadeUntilAPutWorksAgain)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_t first = build(x.x.rig.engine, scale_source, "-DB");
    dnnl_cache_program_t second = build_scale(&x);
    x.x.store.fail_put = dnnl_runtime_error;
    EXPECT_OK(dnnl_cache_program_capture(first));
    EXPECT_EQ(1, x.x.store.puts);
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_capture(second));
    EXPECT_EQ(before, queries());
    EXPECT_EQ(2, x.x.store.puts); /* the first one again */
    x.x.store.fail_put = dnnl_success;
    EXPECT_OK(dnnl_cache_program_capture(second));
    EXPECT_LT(before, queries());
    EXPECT_EQ(4, x.x.store.puts);
    EXPECT_EQ(2, blobs(&x));
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
    stored_close(&x.x);
}

TEST_C(CaptureQueries, AreNotMadeForAnEntryThatIsComplete)
{
    struct noted x;
    noted_open(&x);
    dnnl_cache_program_t program = build_scale(&x);
    launch(program, "scale", 64);
    launch(program, "fill", 32);
    /* Another process: an engine of another context. */
    struct rig other;
    rig_open(&other, 0);
    EXPECT_OK(dnnl_cache_engine_set_store(other.engine, &x.callbacks));
    dnnl_cache_program_t theirs = build(other.engine, scale_source, "-DA");
    launch(theirs, "scale", 64);
    EXPECT_OK(dnnl_cache_program_capture(theirs));
    EXPECT_EQ(1, x.x.store.puts);
    /* Which lacks what this one was used for. */
    const unsigned long before = queries();
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_LT(before, queries());
    EXPECT_EQ(2, x.x.store.puts);
    expect_launches(
            &x, "scale:64-1-1-goffs0-smallgrid;fill:32-1-1-goffs0-smallgrid;");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_destroy(theirs));
    /* And one that has all. */
    noted_restart(&x);
    struct memory_store_entry only =
            memory_store_only(&x.x.store, dnnl_cache_blob_kind_program);
    memory_store_clear(&x.x.store);
    program = build_scale(&x);
    launch(program, "scale", 64);
    memory_store_set(&x.x.store, &only.id, &only.blob);
    const unsigned long after = queries();
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(after, queries());
    EXPECT_EQ(2, x.x.store.puts);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    bytes_free(&only.id);
    bytes_free(&only.blob);
    rig_close(&other);
    stored_close(&x.x);
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

TEST_C(CaptureAll, CapturesWhatWaits)
{
    struct noted x;
    dnnl_cache_program_t list[programs];
    struct progress progress = {0};
    noted_open(&x);
    build_programs(&x, list);
    EXPECT_OK(dnnl_cache_program_capture(list[1]));
    EXPECT_OK(dnnl_cache_capture_all(x.x.rig.engine, NULL, follow, &progress));
    EXPECT_EQ(3, blobs(&x));
    EXPECT_EQ(3, progress.calls);
    EXPECT_EQ(2, progress.last.total);
    EXPECT_EQ(2, progress.last.done);
    EXPECT_EQ(0, progress.last.failed);
    EXPECT_EQ(0, progress.last.left_ns);
    EXPECT_OK(dnnl_cache_capture_all(x.x.rig.engine, NULL, follow, &progress));
    EXPECT_EQ(3, progress.calls); /* nothing waits */
    destroy_programs(list);
    stored_close(&x.x);
}

TEST_C(CaptureAll, EndsInTime)
{
    struct noted x;
    dnnl_cache_program_t list[programs];
    struct progress progress = {.stop_at = 1};
    dnnl_cache_capture_options_t options = DNNL_CACHE_CAPTURE_OPTIONS_INIT;
    noted_open(&x);
    build_programs(&x, list);
    options.timeout_ns = 0;
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_capture_all(x.x.rig.engine, &options, NULL, NULL));
    EXPECT_EQ(0, blobs(&x));
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_capture_all(x.x.rig.engine, NULL, follow, &progress));
    EXPECT_EQ(1, blobs(&x));
    destroy_programs(list);
    noted_restart(&x); /* the others are in the journal */
    EXPECT_EQ(1, blobs(&x));
    stored_close(&x.x);
}

TEST_C(CaptureAll, TellsOfFailures)
{
    struct noted x;
    dnnl_cache_program_t list[programs];
    struct progress progress = {0};
    noted_open(&x);
    build_programs(&x, list);
    fake_opencl_fail("clGetProgramInfo", 1, CL_OUT_OF_RESOURCES);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_capture_all(x.x.rig.engine, NULL, follow, &progress));
    EXPECT_EQ(1, progress.last.failed);
    EXPECT_EQ(2, progress.last.done);
    EXPECT_EQ(2, blobs(&x));
    destroy_programs(list);
    stored_close(&x.x);
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
    EXPECT_OK(dnnl_cache_capture_all(x->x.rig.engine, &options, NULL, NULL));
    (void)dup2(before, STDERR_FILENO);
    (void)close(before);
    rewind(file);
    text[fread(text, 1, 255, file)] = '\0';
    (void)fclose(file);
}

/* The second program of three ends after more than a second. */
TEST_C(CaptureAll, TellsOfItsTimeWhenAsked)
{
    struct noted x;
    dnnl_cache_program_t list[programs];
    char text[256] = "";
    noted_open(&x);
    build_programs(&x, list);
    fake_opencl_set("SIZES_MS", "600");
    capture_all_told(&x, 1, text);
    fake_opencl_set("SIZES_MS", NULL);
    EXPECT_NOT_NULL(strstr(text, " of 3 programs, "));
    EXPECT_NOT_NULL(strstr(text, " s left; interrupt safely\n"));
    EXPECT_PTR_EQ(strchr(text, '\n'), strrchr(text, '\n'));
    destroy_programs(list);
    memory_store_clear(&x.x.store);
    noted_restart(&x);
    build_programs(&x, list);
    text[0] = '\0';
    capture_all_told(&x, 0, text);
    EXPECT_STR_EQ("", text);
    destroy_programs(list);
    stored_close(&x.x);
}

TEST_C(CaptureAll, NeedsAnEngineAndOptionsThatItKnows)
{
    struct rig rig;
    dnnl_cache_capture_options_t options = DNNL_CACHE_CAPTURE_OPTIONS_INIT;
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_cache_capture_all(rig.engine, &options, NULL, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_capture_all(NULL, &options, NULL, NULL));
    options.struct_size = 1;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_capture_all(rig.engine, &options, NULL, NULL));
    rig_close(&rig);
}
