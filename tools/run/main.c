/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache-run: runs a command under the OpenCL layer. */
#include "src/platform/child.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "src/platform/process.h"
#include "tools/common/text/text.h"
#include "tools/run/admission.h"
#include "tools/run/ahead.h"
#include "tools/run/drain.h"
#include "tools/run/layer_file.h"
#include "tools/run/layer_list.h"
#include "tools/run/loader_report.h"
#include "tools/run/permanent.h"
#include "tools/run/permanent_status.h"
#include "tools/run/plan.h"
#include "tools/run/probe_memory.h"
#include "tools/run/record_place.h"
#include "tools/run/run_log.h"
#include "tools/run/session_line.h"
#include "tools/run/store_choice.h"

#include <dnnl_cache/base.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As env(1) and others that run commands have them. */
enum { exit_own = 125, exit_not_run = 126, exit_not_there = 127 };

static const char layers_name[] = "OPENCL_LAYERS";

static bool fail(const char *why)
{
    fprintf(stderr, "dnnl-cache-run: %s\n", why);
    return false;
}

/* Adds the value of OPENCL_LAYERS to the plan; path: of the layer, if it is to
 * be used. */
static bool plan_layers(struct plan *plan, char path[path_size])
{
    char why[path_size + 128];
    const char *list = getenv(layers_name);
    char *value;
    if (list == NULL) list = "";
    if (plan->off) {
        value = layer_list_without(
                list, plan->layer != NULL ? plan->layer : LAYER_FILE_NAME);
    } else {
        if (!layer_file_find(path, path_size, plan->layer, why, sizeof why)
                || !layer_file_check(path, why, sizeof why))
            return fail(why);
        value = layer_list_with(list, path);
    }
    return plan_set(plan, layers_name, value) || fail("out of memory");
}

/* An empty list is none. */
static bool is_unset(const struct plan_variable *variable)
{
    return variable->name == layers_name && variable->value[0] == '\0';
}

static int print_environment(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_variable *variable = &plan->variables[i];
        if (is_unset(variable)) {
            printf("unset %s\n", variable->name);
            continue;
        }
        printf("export %s=", variable->name);
        text_print_quoted(stdout, variable->value);
        putchar('\n');
    }
    return EXIT_SUCCESS;
}

static bool set_environment(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_variable *variable = &plan->variables[i];
        int error = 0;
        if (is_unset(variable))
            environment_unset(variable->name);
        else
            error = environment_set(variable->name, variable->value);
        if (error != 0) return fail(strerror(error));
    }
    return true;
}

enum { why_size = path_size + 512 };

/* The command would not: it would just be slow, each time. */
static void warn_of_place(enum place place, const char *why)
{
    switch (place) {
    case place_usable:
        return;
    case place_none:
        (void)fail("warning: nothing will be kept: none of DNNL_CACHE_DIR, "
                   "XDG_CACHE_HOME and HOME is an absolute path; pass "
                   "--dir");
        return;
    case place_read_only:
        fprintf(stderr,
                "dnnl-cache-run: warning: nothing new will be kept: %s; fix "
                "this, or pass another --dir or --store\n",
                why);
        return;
    case place_refused:
        fprintf(stderr,
                "dnnl-cache-run: warning: nothing will be kept: %s; fix this, "
                "or pass another --dir or --store\n",
                why);
        return;
    }
}

static void warn_of_lists(const struct plan *plan)
{
    char why[why_size + path_size];
    if (plan->command[0] != NULL
            && !admission_check(plan->command[0], why, sizeof why))
        fprintf(stderr,
                "dnnl-cache-run: warning: the layer does nothing for %s: %s\n",
                plan->command[0], why);
}

/* Nor would the loader: it ignores a layer in silence. */
static void warn_of_loaders(const struct plan *plan, const char *layer)
{
    const char *debug = getenv("DNNL_CACHE_PRINT_DEBUG");
    const bool is_debug = debug != NULL && strcmp(debug, "1") == 0;
    if (!is_debug) probe_memory_use();
    struct loader_report *report = loader_report_make(plan->command[0], layer);
    if (report == NULL) return;
    loader_report_print(stderr, report, plan->command[0], layer, is_debug);
    free(report);
}

static int tell_not_run(const struct plan *plan, int error)
{
    fprintf(stderr, "dnnl-cache-run: %s: %s\n", plan->command[0],
            strerror(error));
    return error == ENOENT ? exit_not_there : exit_not_run;
}

/* Tells once what every process of the command would, and dnnl-cache after it:
 * they are given the type that is used. */
static bool settle_store(struct plan *plan)
{
    char why[why_size + path_size];
    const char *type = store_choice_check(why, sizeof why);
    if (type == NULL) return true;
    fprintf(stderr, "dnnl-cache-run: warning: %s\n", why);
    if (plan_set(plan, STORE_CHOICE_VARIABLE, strdup(type)))
        return set_environment(plan);
    return fail("out of memory");
}

/* Comes back only if the command cannot be run. */
static int become(const struct plan *plan)
{
    return tell_not_run(plan, process_become_command(plan->command));
}

static void end_beside(struct child_beside *beside, const struct drain *how,
        const struct child_end *end)
{
    drain_beside_end(beside, how, end);
    if (how->log >= 0)
        run_log_print(how->log,
                "the refresh beside the command took %.3f s of processor time",
                (double)beside->used_ns / 1e9);
}

/* file_none: there is none. */
static int open_log(const struct plan *plan, const char *store)
{
    char path[path_size];
    if (!plan->verbose) return file_none;
    int fd;
    const int error = run_log_open(&fd, path, store);
    if (error != 0) {
        fprintf(stderr, "dnnl-cache-run: warning: no log: %s: %s\n", path,
                strerror(error));
        return file_none;
    }
    fprintf(stderr,
            "dnnl-cache-run: what drivers print while programs are "
            "stored goes to %s\n",
            path);
    run_log_print(fd, "%s", plan->command[0]);
    return fd;
}

/* What becomes of what was not kept. */
static void tell_end(
        const struct plan *plan, const char *store, struct session_line *line)
{
    char text[path_size + 128];
    const bool is_default = !plan_sets(plan, "DNNL_CACHE_DIR");
    if (plan->wait)
        (void)snprintf(text, sizeof text, "stored now");
    else
        (void)snprintf(text, sizeof text, "stored %sby dnnl-cache refresh%s%s",
                drain_beside_is_possible() ? "while later commands run, or "
                                           : "",
                is_default ? "" : " --store ", is_default ? "" : store);
    session_line_end(line);
    session_line_sum_up(line, text);
}

/* Stays the command's parent, and keeps what commands built: beside this one
 * what it will build, if it can be known, and what earlier ones left, or after
 * it. */
static int run(const struct plan *plan, const char *store)
{
    const struct drain_before before = drain_look(store);
    struct run_ahead ahead = {.fd = file_none, .folder = file_none};
    const bool is_ahead =
            !plan->wait && run_ahead_begin(&ahead, store, plan->command[0]);
    const bool has_work = is_ahead || drain_has_notes(&before);
    const struct drain how = {store, plan->layer, !plan->quiet, is_ahead,
            plan->wait || has_work ? open_log(plan, store) : file_none};
    struct child_signals signals;
    struct child_beside beside = {.number = 0};
    struct session_line line;
    const struct child_hooks hooks = {&beside, session_line_begin,
            session_line_hold, session_line_go_on, &line};
    drain_compiled_await(store);
    child_signals_begin(&signals);
    session_line_init(&line, plan->quiet);
    const bool is_beside =
            !plan->wait && drain_beside(&beside, &signals, &how, &before);
    const uint64_t began_ns = clock_ns();
    const struct child_end end =
            child_run(&signals, plan->command, NULL, &hooks);
    const uint64_t command_ns = clock_ns() - began_ns;
    tell_end(plan, store, &line);
    session_line_fini(&line);
    if (is_beside) end_beside(&beside, &how, &end);
    run_ahead_end(&ahead, !plan->quiet, how.log);
    if (end.error == 0 && plan->wait)
        drain(&signals, &how, &before);
    else if (end.error == 0 && end.asked_to_end == 0)
        drain_compiled(&signals, &how, &before, command_ns);
    (void)file_close(how.log);
    if (end.error == 0) return child_end_alike(&signals, &end);
    child_signals_end(&signals);
    return tell_not_run(plan, end.error);
}

/* Of what the command builds the journal keeps notes: the end of the command is
 * not delayed, unless the user says so. */
static void set_exit_budget(void)
{
    static const char name[] = "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT";
    const char *value = getenv(name);
    if (value == NULL || value[0] == '\0') (void)environment_set(name, "0");
}

/* The settings of the command line, for the configuration file. */
static int enable(const struct plan *plan)
{
    const size_t count = plan->count + plan->entry_count;
    struct permanent_setting *settings = calloc(count + 1, sizeof *settings);
    if (settings == NULL) return fail("out of memory"), permanent_failed;
    for (size_t i = 0; i < plan->count; i++)
        settings[i] = (struct permanent_setting){
                plan->variables[i].name, plan->variables[i].value, false};
    for (size_t i = 0; i < plan->entry_count; i++)
        settings[plan->count + i] = plan->entries[i];
    const int code = permanent_enable_layer(&plan->permanent, settings, count);
    free(settings);
    return code;
}

static int carry_out_permanent(const struct plan *plan)
{
    switch (plan->permanent.action) {
    case permanent_enable:
        return enable(plan);
    case permanent_disable:
        return permanent_disable_layer(&plan->permanent);
    case permanent_status:
    case permanent_none:
        break;
    }
    return permanent_status_print(&plan->permanent, stdout);
}

static int carry_out(struct plan *plan)
{
    char path[path_size];
    char why[why_size] = "";
    enum place place = place_none;
    if (plan->help) {
        plan_print_help(stdout);
        return EXIT_SUCCESS;
    }
    if (plan->version) {
        printf("dnnl-cache-run %d.%d.%d\n", DNNL_CACHE_VERSION_MAJOR,
                DNNL_CACHE_VERSION_MINOR, DNNL_CACHE_VERSION_PATCH);
        return EXIT_SUCCESS;
    }
    if (plan->permanent.action != permanent_none)
        return carry_out_permanent(plan);
    if (!plan_layers(plan, path) || !set_environment(plan)) return exit_own;
    if (!plan->off && !plan->quiet && !settle_store(plan)) return exit_own;
    if (!plan->off) place = layer_file_ask_place(path, why, sizeof why);
    if (!plan->off && !plan->quiet) {
        warn_of_place(place, why);
        warn_of_lists(plan);
        warn_of_loaders(plan, path);
    }
    if (plan->print) return print_environment(plan);
    const bool keeps = place == place_usable && why[0] != '\0';
    if (keeps) set_exit_budget();
    if (keeps) record_place_set(why);
    return keeps && !plan->no_wait ? run(plan, why) : become(plan);
}

int main(int argc, char **argv)
{
    struct plan plan;
    if (loader_probe_is_child(argc, argv)) return EXIT_SUCCESS;
    int code = plan_parse(&plan, argc, argv, stderr) ? carry_out(&plan)
                                                     : (int)exit_own;
    plan_fini(&plan);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fail("standard output: incomplete write");
        if (code == EXIT_SUCCESS) code = exit_own;
    }
    return code;
}
