/* SPDX-License-Identifier: Apache-2.0 */
/* model_loader: loads a model of ONNX, warm if it was loaded before, and runs
 * it. */
#include "clock.h"
#include "dump.h"
#include "loader.h"
#include "options.h"
#include "ports.h"
#include "tensor_file.h"

#include <dnnl_cache/record.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,
    exit_wrong = 3,
    exit_unwritten = 4
};

/* What ONNX's own tests allow; and of float16, which who computed it rounded to
 * more than once. */
static const double relative = 1e-3, absolute = 1e-7;
static const double half_relative = 1e-2, half_absolute = 1e-3;

/* ---- Runs ---------------------------------------------------------------- */

static bool run_all(struct loader *l, struct failure *failure)
{
    struct report *r = &l->report;
    report_begin(r, phase_first_run);
    if (!runner_run(&l->runner, NULL, NULL, failure)) return false;
    report_end(r, phase_first_run);
    for (int i = 0; i < l->options->repeat; i++) {
        const double began = clock_now_ms();
        if (!runner_run(&l->runner, NULL, NULL, failure)) return false;
        const double ended = clock_now_ms();
        if (i > 0 && ended - began >= r->ms[phase_steady_run]) continue;
        r->begin[phase_steady_run] = began - r->began;
        r->end[phase_steady_run] = ended - r->began;
        r->ms[phase_steady_run] = ended - began;
    }
    return true;
}

/* ---- Results ------------------------------------------------------------- */

static int compare(const struct options *options,
        const struct graph_tensor *output, struct failure *failure)
{
    struct graph_tensor expected = {0};
    if (!tensor_file_read(&expected, options->expect, failure))
        return exit_failed;
    const int64_t wrong = ports_compare(&expected, output,
            expected.is_half ? half_relative : relative,
            expected.is_half ? half_absolute : absolute);
    const int64_t count = graph_shape_count(&expected.shape);
    tensor_file_fini(&expected);
    if (wrong == 0) {
        printf("result: as expected, %" PRId64 " elements\n", count);
        return exit_ok;
    }
    printf("result: WRONG, %" PRId64 " of %" PRId64 " elements\n", wrong,
            count);
    return exit_wrong;
}

static int finish(struct loader *l, struct failure *failure)
{
    const struct options *options = l->options;
    struct graph_tensor output = {0};
    int code = exit_failed;
    if (l->plan.output_count < 1) {
        fail(failure, "the model has no output");
    } else if (ports_read_output(l, 0, &output, failure)) {
        code = options->expect != NULL ? compare(options, &output, failure)
                                       : exit_ok;
        if (options->output != NULL
                && !tensor_file_write(options->output, &output, failure)
                && code == exit_ok)
            code = exit_unwritten;
    }
    tensor_file_fini(&output);
    return code;
}

static bool is_there(const char *path, struct failure *failure)
{
    return access(path, R_OK) == 0
           || fail(failure, "cannot open %s: %s", path, strerror(errno));
}

/* What is missing is better said before minutes of compiling than after. */
static bool check_files(const struct options *options, struct failure *failure)
{
    for (int i = 0; i < options->input_count; i++)
        if (strcmp(options->inputs[i], "ramp") != 0
                && !is_there(options->inputs[i], failure))
            return false;
    return options->expect == NULL || is_there(options->expect, failure);
}

static bool write_report(const struct loader *l, const struct options *options,
        struct failure *failure)
{
    return options->json == NULL
           || report_write(&l->report, options->json, options->model,
                   l->session.device.name, failure);
}

/* Minutes later nobody would notice that it is not there. */
static bool can_record(const char *path, struct failure *failure)
{
    const struct dnnl_cache_store_record_options options = {.path = path};
    struct dnnl_cache_store_handle *record = NULL;
    const dnnl_status_t st = dnnl_cache_store_record_open(&record, &options);
    dnnl_cache_store_close(record);
    return st == dnnl_success
           || fail(failure, "%s: cannot be written as a record", path);
}

/* For this process and its workers, before there are threads. */
static bool begin_record(const char *file, struct failure *failure)
{
    char path[PATH_MAX];
    char folder[PATH_MAX] = "";
    if (file == NULL) return true;
    if (file[0] != '/' && getcwd(folder, sizeof folder) == NULL)
        return fail(failure, "%s: %s", file, strerror(errno));
    const int size = snprintf(path, sizeof path, "%s%s%s", folder,
            folder[0] != '\0' ? "/" : "", file);
    if (size < 0 || (size_t)size >= sizeof path)
        return fail(failure, "%s: the path is too long", file);
    return can_record(path, failure)
           && (setenv(DNNL_CACHE_RECORD_VARIABLE, path, 1) == 0
                   || fail(failure, "%s: %s", file, strerror(errno)));
}

static int run(struct loader *l, const struct options *options,
        struct failure *failure)
{
    if (!check_files(options, failure) || !loader_open(l, options, failure))
        return exit_failed;
    if (options->prepare) {
        report_print(&l->report);
        /* A warning says so. */
        if (l->session.recorder.has_unkept) return exit_unwritten;
        return write_report(l, options, failure) ? exit_ok : exit_unwritten;
    }
    if (!ports_write_inputs(l, failure) || !run_all(l, failure))
        return exit_failed;
    report_print(&l->report);
    int code = finish(l, failure);
    bool is_written = true;
    if (options->dump != NULL
            && !dump_layers(l, options->dump, &is_written, failure)
            && code == exit_ok)
        code = is_written ? exit_failed : exit_unwritten;
    return !write_report(l, options, failure) && code == exit_ok
                   ? exit_unwritten
                   : code;
}

/* A descriptor that the caller has closed would be the next file's, the store's
 * perhaps, and be printed to. What cannot be written to says so. */
static void hold_standard_streams(void)
{
    for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = dup(fd))
        if (fd > STDERR_FILENO) {
            close(fd);
            return;
        }
}

/* What was printed is somewhere only when it is flushed. */
static int close_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "model_loader: cannot write to standard output%s%s\n",
            errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return code == exit_ok ? exit_unwritten : code;
}

int main(int argc, char **argv)
{
    struct options options;
    struct loader loader = {0};
    struct failure failure = {""};
    int code = exit_usage;
    hold_standard_streams();
    /* A limit on file sizes, or a worker's end, is not this program's. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (options_parse(&options, argc, argv)) {
        if (options.help) {
            options_print_help();
            code = exit_ok;
        } else if (!begin_record(options.record, &failure)) {
            code = exit_unwritten;
        } else if (options.worker >= 0) {
            code = loader_serve(&loader, &options, &failure) ? exit_ok
                                                             : exit_failed;
        } else {
            code = run(&loader, &options, &failure);
        }
        loader_close(&loader);
    }
    if (failure.text[0] != '\0')
        fprintf(stderr, "model_loader: %s\n", failure.text);
    options_fini(&options);
    return close_output(code);
}
