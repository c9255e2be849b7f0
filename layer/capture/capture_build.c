/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/capture_build.h"

#include "layer/capture/added_code.h"
#include "layer/capture/capture_put.h"
#include "layer/capture/capture_queue.h"
#include "layer/capture/collect.h"
#include "layer/capture/made_files.h"
#include "layer/capture/stand_ins.h"
#include "layer/driver/watch.h"
#include "layer/programs/launches.h"
#include "layer/programs/lease.h"
#include "layer/settings/statistics.h"
#include "src/platform/clock.h"

#include <stdlib.h>

/* How many programs a capture has of the build's working handle; guarded by the
 * program's capture lock. */
static unsigned *adoptions_of(
        struct layer_program *program, struct build *build)
{
    return build->substitute == NULL ? &program->adoptions : &build->adoptions;
}

void capture_build_end(struct layer_program *program, struct build *build,
        struct captured *all, unsigned count)
{
    pthread_mutex_lock(&program->capture_lock);
    captured_free(build, all);
    *adoptions_of(program, build) -= count;
    struct build *done = capture_queue_take(program, build);
    pthread_mutex_unlock(&program->capture_lock);
    build_release(done);
}

/* The finalised form is made, and the entry written, with no lock held. */
struct missing_forms *capture_build(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->capture_lock);
    const bool waits = capture_queue_begin_asking(program, build);
    struct captured *all =
            waits ? capture_ask(
                    objects_working_handle(program, build), build, true)
                  : NULL;
    const unsigned count = captured_count(build, all);
    *adoptions_of(program, build) += count;
    if (waits) capture_queue_end_asking(program, build);
    pthread_mutex_unlock(&program->capture_lock);
    if (!waits) return NULL;

    capture_put(build, all);
    missing_forms_note(program, build);
    struct missing_forms *forms =
            missing_forms_leave(program, build, all, count);
    if (forms == NULL) capture_build_end(program, build, all, count);
    return forms;
}

void capture_at_once(struct build *build)
{
    struct captured *all = capture_ask(build->substitute, build, false);
    capture_put(build, all);
    captured_free(build, all);
}

void capture_leave_to_journal(
        struct layer_program *program, struct build *build)
{
    struct build *found = capture_queue_begin_asking(program, build)
                                  ? capture_queue_take(program, build)
                                  : NULL;
    if (found != NULL && atomic_load(&found->is_noted)) {
        made_files_note(found);
        statistics_count_deferred();
    } else if (found != NULL) {
        statistics_count_not_kept(layer_reason_slow_query, 0);
    }
    build_release(found);
}

/* ---- What is compiled already -------------------------------------------- */

/* Asks the driver, in whose folder are stand-ins, and makes the entry's blob of
 * the answer; NULL: that failed. What the application will get is kept. */
static uint8_t *ask_with_stand_ins(struct pocl_stand_ins *stand_ins,
        cl_program handle, struct build *build, struct captured *captured,
        size_t *size)
{
    const struct built_device *d = &build->devices[0];
    bool is_of = false;
    uint8_t *blob = NULL;
    const bool is_asked = capture_ask_program(handle, build, 0, 0, captured);
    pocl_stand_ins_clear(stand_ins);
    if (is_asked) blob = capture_make_blob(d, captured, size);
    if (blob != NULL)
        build->given = stand_ins_read_binary(
                stand_ins, *size, blob, &build->given_size, &is_of);
    if (is_of && !capture_driver_is_changed(d->device)) return blob;
    free(blob);
    return NULL;
}

/* False: the driver was not asked. With the program's capture lock. */
static bool ask_compiled(struct layer_program *program, struct build *build,
        struct captured *captured, uint8_t **blob, size_t *size)
{
    const cl_program handle = objects_working_handle(program, build);
    const uint64_t start = clock_ns();
    struct pocl_stand_ins stand_ins;
    *blob = NULL;
    /* Who asks for the binary at the same time sees one, or is seen. */
    atomic_store(&build->has_stand_ins, true);
    if (!objects_are_idle(program, build)
            || !stand_ins_put(&stand_ins, build, handle)) {
        atomic_store(&build->has_stand_ins, false);
        return false;
    }
    launches_freeze(build);
    watch_work_begin();
    *blob = ask_with_stand_ins(&stand_ins, handle, build, captured, size);
    watch_work_end();
    captured->query_ns = clock_ns() - start;
    return true;
}

/* What was added is in the record, too. */
static bool renew_record(
        struct build *build, cl_program handle, struct captured *captured)
{
    struct bytes record = {.data = NULL};
    if (!collect_facts(handle, build, 0, &record)) {
        free(record.data);
        return false;
    }
    free(captured->record.data);
    captured->record = record;
    return dnnl_cache_program_set_user_data(
                   captured->adopted, record.size, record.data)
           == dnnl_success;
}

/* Of a program whose binary the application has got: the driver compiles
 * nothing to give it again. What it compiled since then is added. False: it is
 * not one. With the program's capture lock. */
static bool ask_given(struct layer_program *program, struct build *build,
        struct captured *captured, uint8_t **blob, size_t *size)
{
    const struct built_device *d = &build->devices[0];
    const cl_program handle = objects_working_handle(program, build);
    const uint64_t start = clock_ns();
    *blob = NULL;
    if (!added_code_suits(build) || !objects_are_idle(program, build))
        return false;
    watch_work_begin();
    if (capture_ask_program(handle, build, 0, 0, captured)
            && (!added_code_put(build, captured->adopted)
                    || renew_record(build, handle, captured)))
        *blob = capture_make_blob(d, captured, size);
    watch_work_end();
    captured->query_ns = clock_ns() - start;
    if (!capture_driver_is_changed(d->device)) return true;
    free(*blob);
    *blob = NULL;
    return true;
}

bool capture_is_ready(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->capture_lock);
    const bool is_ready = objects_are_idle(program, build);
    pthread_mutex_unlock(&program->capture_lock);
    return is_ready;
}

bool capture_compiled(
        struct layer_program *program, struct build *build, bool else_leave)
{
    struct captured captured = {.adopted = NULL};
    uint8_t *blob = NULL;
    size_t size = 0;
    pthread_mutex_lock(&program->capture_lock);
    const bool waits = capture_queue_begin_asking(program, build);
    const bool is_wanted = waits && capture_should_ask(build, 0);
    const bool is_made = is_wanted && made_files_suit(build);
    const bool is_asked =
            is_wanted && !is_made
            && (ask_compiled(program, build, &captured, &blob, &size)
                    || ask_given(program, build, &captured, &blob, &size));
    const bool is_left_waiting =
            is_wanted && !is_made && !is_asked && !else_leave;
    /* The application's references are counted. */
    dnnl_cache_program_destroy(captured.adopted);
    captured.adopted = NULL;
    if (is_left_waiting)
        capture_queue_stop_asking(program, build);
    else if (waits)
        capture_queue_end_asking(program, build);
    pthread_mutex_unlock(&program->capture_lock);
    if (!waits || is_left_waiting) return !is_left_waiting;

    if (is_made) made_files_note(build);
    if (blob != NULL)
        capture_put_entry(build, &build->devices[0], blob, size,
                &captured.record, captured.query_ns);
    else if (is_wanted)
        statistics_count_deferred();
    free(blob);
    captured_fini(&captured);
    lease_end(build);
    build_release(capture_queue_take(program, build));
    return true;
}
