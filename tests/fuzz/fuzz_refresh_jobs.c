/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a journal, or a record, of which `dnnl-cache refresh` makes jobs
 * and `dnnl-cache record` a view, once as they are and once with the heads of
 * their records made right. A job that waits has no objection; it has as many
 * launches as it says, all of its ID; the programs of a view have names, and
 * are found by their IDs.
 */
#include "dnnl_cache/recording.h"
#include "pieces.h"
#include "repair_journal.h"
#include "repaired.h"
#include "scratch.h"
#include "tools/dnnl_cache/jobs/refresh_jobs.h"
#include "tools/dnnl_cache/view/record_view.h"

static size_t count_launches(
        const struct refresh_jobs *jobs, const struct refresh_job *job)
{
    const dnnl_cache_note_t *build = job->build->note;
    const struct refresh_note *at = NULL;
    size_t count = 0;
    for (; refresh_jobs_next_launch(&at, jobs, job); count++) {
        const dnnl_cache_note_t *note = at->item->note;
        REQUIRE(note->kind == dnnl_cache_note_launch);
        REQUIRE(note->id_size == build->id_size
                && memcmp(note->id, build->id, note->id_size) == 0);
    }
    for (at = NULL; refresh_jobs_next_made(&at, jobs, job);)
        REQUIRE(at->item->note->kind == dnnl_cache_note_made);
    return count;
}

static void check_job(const struct refresh_jobs *jobs,
        const struct refresh_job *job, const struct refresh_policy *policy)
{
    struct process_variables variables;
    const dnnl_cache_note_t *note = job->build->note;
    REQUIRE(note->kind == dnnl_cache_note_build);
    REQUIRE(count_launches(jobs, job) == job->launches);
    REQUIRE(refresh_jobs_share_environment(job, job));
    if (job->state == refresh_refused) {
        REQUIRE(job->why != NULL && job->why[0] != '\0');
        return;
    }
    REQUIRE(job->state == refresh_waits);
    if (!policy->is_record)
        REQUIRE(refresh_find_objection(note, policy) == NULL);
    process_variables_init(&variables);
    (void)refresh_jobs_set_environment(&variables, job);
    process_variables_fini(&variables);
}

static void check_jobs(const struct dnnl_cache_store_journal_list *list)
{
    for (unsigned i = 0; i < 4; i++) {
        const struct refresh_policy policy = {
                .reads_files = i % 2 != 0, .is_record = i / 2 != 0};
        struct refresh_jobs jobs;
        REQUIRE(refresh_jobs_make(&jobs, list, &policy) == dnnl_success);
        REQUIRE(jobs.count <= list->count);
        for (size_t j = 0; j < jobs.count; j++)
            check_job(&jobs, &jobs.jobs[j], &policy);
        refresh_jobs_fini(&jobs);
    }
}

static void check_view(const struct dnnl_cache_store_journal_list *list)
{
    struct record_view view = {.list = NULL};
    size_t parts = 0;
    REQUIRE(record_view_make(&view, list));
    REQUIRE(view.count <= list->count);
    for (size_t i = 0; i < view.count; i++) {
        struct record_program *program = &view.programs[i];
        const dnnl_cache_note_t *note = program->build->note;
        REQUIRE(strlen(program->name) < record_name_size);
        REQUIRE(record_view_find(&view, note->id_size, note->id) != NULL);
        REQUIRE(program->kernel_count + program->launch_count
                <= program->part_count);
        (void)record_program_bytes(program);
        parts += program->part_count;
        program->stays = i % 2 == 0;
    }
    REQUIRE(parts <= list->count);
    record_view_keep_inputs(&view);
    record_view_fini(&view);
}

static void use(size_t size, const uint8_t *data)
{
    struct dnnl_cache_recording_options options =
            DNNL_CACHE_RECORDING_OPTIONS_INIT;
    struct dnnl_cache_store_journal_list *list = NULL;
    dnnl_cache_store_handle_t *record = NULL;
    char path[scratch_path_size];
    scratch_path(path, "record");
    options.path = path;
    options.read_only = true;
    scratch_write("record", data, size);
    if (dnnl_cache_recording_open(&record, &options) != dnnl_success) return;
    if (dnnl_cache_store_journal_load(&list, record) == dnnl_success) {
        check_jobs(list);
        check_view(list);
    }
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
}

size_t fuzz_repair(size_t size, uint8_t *data)
{
    repair_journal(size, data);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece copy = pieces_rest(&pieces);
    use(size, copy.data);
    (void)fuzz_repair(size, copy.data);
    use(size, copy.data);
    free(copy.data);
    return 0;
}
