/* SPDX-License-Identifier: Apache-2.0 */
/* model_loader: loads a model of ONNX, warm if it was loaded before, and runs
 * it. */
#include "model/command/command.h"
#include "model/command/progress.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "tools/common/text/messages.h"

#include <dnnl_cache/recording.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library --------------------------------------------------------- */

bool command_check(struct command *command, dnnl_status_t status)
{
    if (status == dnnl_success) return true;
    const char *text = dnnl_cache_model_get_error(command->model);
    return fail_as(command->failure, status, "%s",
            text[0] != '\0' ? text : dnnl_status2str(status));
}

static void show_progress(int done, int total, const char *what, void *user)
{
    struct progress *progress = user;
    if (done == 0)
        progress_begin(progress, total);
    else
        progress_step(progress, what);
}

static dnnl_status_t set_constants(struct command *command)
{
    const struct option_list *list = &command->options->constants;
    dnnl_status_t st = dnnl_success;
    for (int i = 0; st == dnnl_success && i < list->count; i++) {
        size_t size = 0;
        double value = 0.0;
        (void)options_constant(list->values[i], &size, &value);
        char *name = strndup(list->values[i], size);
        st = name == NULL ? dnnl_out_of_memory
                          : dnnl_cache_model_set_constant(
                                  command->model, name, value);
        free(name);
    }
    return st;
}

/* Where the library is to work, and what it tells. */
static bool set_up(struct command *command, struct progress *progress)
{
    const struct options *o = command->options;
    dnnl_cache_model_t model = command->model;
    dnnl_status_t st =
            dnnl_cache_model_choose_device(model, o->platform, o->device);
    if (st == dnnl_success) st = dnnl_cache_model_set_folder(model, o->store);
    if (st == dnnl_success) st = dnnl_cache_model_set_remote(model, o->remote);
    if (st == dnnl_success)
        st = dnnl_cache_model_set_threads(model, o->threads);
    if (st == dnnl_success)
        st = dnnl_cache_model_set_cached_only(model, o->cached_only);
    if (st == dnnl_success)
        st = dnnl_cache_model_set_log_callback(model, message_log, NULL);
    if (st == dnnl_success)
        st = dnnl_cache_model_set_progress_callback(
                model, show_progress, progress);
    if (st == dnnl_success && o->is_random)
        st = dnnl_cache_model_set_random_weights(model, o->seed);
    else if (st == dnnl_success)
        st = dnnl_cache_model_set_weights_file(model, o->weights);
    if (st == dnnl_success) st = set_constants(command);
    return command_check(command, st);
}

/* ---- Files --------------------------------------------------------------- */

static bool is_there(const char *path, struct failure *failure)
{
    return file_may_be_read(path)
           || fail(failure, "cannot open %s: %s", path, strerror(errno));
}

/* What is missing is better said before minutes of compiling than after. */
static bool check_files(const struct options *options, struct failure *failure)
{
    for (int i = 0; i < options->inputs.count; i++) {
        const char *text = options->inputs.values[i];
        if (strcmp(text, "ramp") != 0 && strchr(text, '=') == NULL
                && !is_there(text, failure))
            return false;
    }
    return (options->expect == NULL || is_there(options->expect, failure))
           && (options->labels == NULL || is_there(options->labels, failure));
}

/* Minutes later nobody would notice that it is not there. */
static bool can_record(const char *path, struct failure *failure)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = path};
    dnnl_cache_store_handle_t *record = NULL;
    const dnnl_status_t st = dnnl_cache_recording_open(&record, &options);
    dnnl_cache_store_close(record);
    return st == dnnl_success
           || fail(failure, "%s: cannot be written as a record", path);
}

/* For this process and its workers, before there are threads. */
static bool begin_record(const char *file, struct failure *failure)
{
    char path[path_size];
    char folder[path_size] = "";
    if (file == NULL) return true;
    if (file[0] != '/' && !path_working(folder))
        return fail(failure, "%s: %s", file, strerror(errno));
    const int size = snprintf(path, sizeof path, "%s%s%s", folder,
            folder[0] != '\0' ? "/" : "", file);
    if (size < 0 || (size_t)size >= sizeof path)
        return fail(failure, "%s: the path is too long", file);
    return can_record(path, failure)
           && (environment_set(DNNL_CACHE_RECORD_VARIABLE, path) == 0
                   || fail(failure, "%s: %s", file, strerror(errno)));
}

/* ---- A model ------------------------------------------------------------- */

/* Shapes are set before the driver starts, if that needs no model: programs of
 * those shapes are loaded in advance then. */
static bool load(struct command *command, struct inputs *inputs)
{
    const struct options *options = command->options;
    dnnl_cache_model_t model = command->model;
    return command_set_named_shapes(command)
           && command_check(command, dnnl_cache_model_start(model))
           && command_check(
                   command, dnnl_cache_model_load_file(model, options->model))
           && command_set_shapes(command) && command_check_outputs(command)
           && command_read_inputs(command, inputs);
}

static int prepare(struct command *command)
{
    dnnl_cache_model_report_t report = DNNL_CACHE_MODEL_REPORT_INIT;
    if (!command_check(command, dnnl_cache_model_fill_store(command->model))
            || !command_check(command,
                    dnnl_cache_model_get_report(command->model, &report)))
        return exit_failed;
    command_print_report(command);
    /* A warning says so. */
    if (!report.is_kept) return exit_unwritten;
    return command_write_report(command) ? exit_ok : exit_unwritten;
}

static int run_all(struct command *command, const struct inputs *inputs)
{
    const struct options *options = command->options;
    if (!command_check(command, dnnl_cache_model_prepare(command->model))
            || !command_write_inputs(command, inputs) || !command_run(command)
            || (options->profile && !command_profile(command)))
        return exit_failed;
    command_print_report(command);
    int code = command_finish(command);
    bool is_written = true;
    if (options->dump != NULL && !command_dump(command, &is_written)
            && code == exit_ok)
        code = is_written ? exit_failed : exit_unwritten;
    return !command_write_report(command) && code == exit_ok ? exit_unwritten
                                                             : code;
}

static int run_model(struct command *command)
{
    struct progress progress = {0};
    struct inputs inputs = {0};
    int code = exit_failed;
    if (set_up(command, &progress) && load(command, &inputs))
        code = command->options->prepare ? prepare(command)
                                         : run_all(command, &inputs);
    progress_end(&progress);
    command_drop_inputs(&inputs);
    return code;
}

static int run(const struct options *options, struct failure *failure)
{
    struct command command = {.options = options, .failure = failure};
    int code = exit_failed;
    if (options->list_devices) return command_list_devices(failure);
    if (!options->list && !check_files(options, failure)) return exit_failed;
    command.measured.began = clock_ms();
    if (dnnl_cache_model_create(&command.model) != dnnl_success) {
        fail_out_of_memory(failure);
        return exit_failed;
    }
    code = options->list ? command_list(&command) : run_model(&command);
    dnnl_cache_model_destroy(command.model);
    measured_fini(&command.measured);
    return code;
}

/* What was printed is somewhere only when it is flushed. */
static int close_output(int code)
{
    errno = 0;
    /* Who reads no more has what it wanted ("| head"). */
    if ((fflush(stdout) == 0 && !ferror(stdout)) || !process_has_reader(stdout))
        return code;
    fprintf(stderr, "model_loader: cannot write to standard output%s%s\n",
            errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return code == exit_ok ? exit_unwritten : code;
}

int main(int argc, char **argv)
{
    struct options options;
    struct failure failure = {""};
    int code = exit_usage;
    (void)process_fill_streams();
    /* A limit on file sizes is not this program's end. */
    process_ignore_write_signals();
    dnnl_cache_set_log_callback(message_log, NULL);
    if (options_parse(&options, argc, argv)) {
        if (options.help) {
            options_print_help();
            code = exit_ok;
        } else if (options.version) {
            puts("model_loader " DNNL_CACHE_MODEL_VERSION);
            code = exit_ok;
        } else if (!begin_record(options.record, &failure)) {
            code = exit_unwritten;
        } else {
            code = run(&options, &failure);
        }
    }
    if (failure.text[0] != '\0')
        fprintf(stderr, "model_loader: %s\n", failure.text);
    options_fini(&options);
    return close_output(code);
}
