/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/build_process.h"

#include "src/common/log.h"
#include "src/drivers/option_words.h"
#include "src/gpu/device/driver_name.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "src/worker/build_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the folder of the library to the program: as installed, in the build's
 * folder, and where libraries are in a folder for the processor. */
#define WORKER "libexec/dnnl_cache/build_worker"
#ifndef DNNL_CACHE_BUILD_WORKER_PATH
#define DNNL_CACHE_BUILD_WORKER_PATH "../" WORKER
#endif

enum { usual_timeout_ms = 10 * 60 * 1000 };

static const uint64_t patience_ns = 1000000000u;

/* ---- The program --------------------------------------------------------- */

/* Beside the file that this code is in. The caller frees it; NULL: none. */
static char *find_installed(void)
{
    static const char *const places[] = {
            DNNL_CACHE_BUILD_WORKER_PATH, "../" WORKER, "../../" WORKER};
    char path[path_size];
    return path_beside(path, places, places, sizeof places / sizeof *places)
                   ? strdup(path)
                   : NULL;
}

dnnl_status_t build_processes_init(struct build_processes *processes,
        dnnl_cache_build_processes_t use, const char *file, uint32_t timeout_ms)
{
    *processes = (struct build_processes){.use = use,
            .timeout_ns =
                    (uint64_t)(timeout_ms > 0 ? timeout_ms : usual_timeout_ms)
                    * 1000000};
    if (use == dnnl_cache_build_processes_never) return dnnl_success;
    if (file == NULL) file = environment_get("DNNL_CACHE_BUILD_WORKER");
    processes->worker = file != NULL ? strdup(file) : find_installed();
    if (file != NULL && processes->worker == NULL) return dnnl_out_of_memory;
    if (processes->worker == NULL || !file_may_be_run(processes->worker)) {
        log_message(dnnl_cache_log_warning, "build_queue",
                "%s cannot be started: programs are compiled in this process",
                processes->worker != NULL ? processes->worker : WORKER);
        free(processes->worker);
        processes->worker = NULL;
    }
    return dnnl_success;
}

void build_processes_fini(struct build_processes *processes)
{
    free(processes->worker);
}

/* ---- A process ----------------------------------------------------------- */

/* Without the layer, which would keep what the process compiles. */
static int start_worker(struct build_process *p)
{
    char *const arguments[] = {p->all->worker, NULL};
    struct process_variables variables;
    struct process_plan plan = PROCESS_PLAN_NONE;
    process_variables_init(&variables);
    process_variables_set(&variables, "OPENCL_LAYERS", NULL);
    plan.program = p->all->worker;
    plan.arguments = arguments;
    plan.environment = variables.list;
    plan.has_group = true;
    /* A driver may hang there. The thread ends after the process. */
    plan.dies_with_parent = true;
    const int error =
            variables.has_failed ? ENOMEM : worker_start(&p->worker, &plan);
    process_variables_fini(&variables);
    return error;
}

static bool start(struct build_process *p)
{
    /* The application has closed it, and the process ends. */
    if (worker_is_there(&p->worker) && !channel_is_open(&p->worker.channel))
        build_process_end(p);
    if (worker_is_there(&p->worker)) return true;
    if (p->has_failed) return false;
    const int error = start_worker(p);
    if (error == 0) return true;
    p->has_failed = true;
    log_message(dnnl_cache_log_warning, "build_queue",
            "%s cannot be started (%s): programs are compiled in this process",
            p->all->worker, strerror(error));
    return false;
}

void build_process_end(struct build_process *p)
{
    (void)worker_end(&p->worker, patience_ns);
}

/* ---- Messages ------------------------------------------------------------ */

/* False: they are not known. */
static bool put_device(struct message *message, cl_device_id device)
{
    char platform[driver_name_size];
    char name[256];
    driver_name(platform, device);
    if (platform[0] == '\0'
            || clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL)
                       != CL_SUCCESS)
        return false;
    message_put_text(message, build_item_platform, platform);
    message_put_text(message, build_item_device, name);
    return true;
}

static void put_program(struct message *message,
        const struct dnnl_cache_program_desc *d, const struct program_id *id)
{
    message_put(message, build_item_id, 0, id->size, id->data);
    for (size_t i = 0; i < d->source_count; i++)
        message_put(message, build_item_source, 0,
                d->lengths[i] > 0 ? d->lengths[i] : strlen(d->sources[i]),
                d->sources[i]);
    if (d->il != NULL)
        message_put(message, build_item_il, 0, d->il_size, d->il);
    message_put_text(message, build_item_options, d->options);
    for (size_t i = 0; i < d->headers.count; i++) {
        const struct header *header = &d->headers.list[i];
        message_put_text(message, build_item_header_name, header->name);
        message_put(
                message, build_item_header_text, 0, header->size, header->text);
    }
    for (size_t i = 0; i < d->constant_count; i++)
        message_put(message, build_item_constant, d->constants[i].id,
                d->constants[i].size, d->constants[i].value);
    if (driver_compiles_one_at_a_time(d->engine->device))
        message_put(message, build_item_wants_object, 0, 0, NULL);
    message_put(message, build_item_includes,
            d->includes_followed ? build_includes_followed
            : d->includes_known  ? build_includes_known
                                 : build_includes_none,
            0, NULL);
}

/* ---- Compiling ----------------------------------------------------------- */

static _Thread_local struct build_process *current;

void build_process_use(
        struct build_process *process, const struct dnnl_cache_program_desc *d)
{
    if (process != NULL) process->desc = d;
    current = process;
}

void build_process_note_made(void)
{
    if (current != NULL) current->made++;
}

size_t build_process_count(void)
{
    return current != NULL ? current->made : 0;
}

/* Such options as -cl-opt-disable may count when it is linked, too. */
static bool is_for_compiling(const char *word, void *unused)
{
    (void)unused;
    return strncmp(word, "-cl-", 4) != 0 || strncmp(word, "-cl-std=", 8) == 0;
}

/* Is compiling, and then linking without options, the same as building? */
static bool is_fit_for_object(const struct dnnl_cache_program_desc *d)
{
    return d->source_count > 0 && d->headers.count == 0 && !d->includes_followed
           && option_words_are(d->options, is_for_compiling, NULL);
}

/* Other programs may be made on this thread meanwhile, by callbacks. */
static bool is_for(
        const struct build_process *p, const struct program_recipe *recipe)
{
    const struct dnnl_cache_program_desc *d = p->desc;
    return p->all->worker != NULL && recipe->text->options == d->options
           && !d->is_primitives && recipe->warm_up == NULL
           && recipe->key->bytes.size > 0
           && (driver_compiles_one_at_a_time(recipe->engine->device)
                           ? is_fit_for_object(d)
                           : p->all->use == dnnl_cache_build_processes_always);
}

static enum build_answer judge(const struct build_reply *answer,
        struct buffer *blob, uint64_t *compile_ns, struct shared_text **note)
{
    switch (answer->outcome) {
    case build_outcome_made:
    case build_outcome_object:
        buffer_append(blob, answer->blob, answer->blob_size);
        *compile_ns = answer->compile_ns;
        if (buffer_status(blob) != dnnl_success) return build_answer_none;
        return answer->outcome == build_outcome_made ? build_answer_blob
                                                     : build_answer_object;
    case build_outcome_refused:
        *note = answer->log != NULL ? shared_text_create(answer->log) : NULL;
        return build_answer_refused;
    default:
        log_message(dnnl_cache_log_info, "build_queue",
                "a program is compiled in this process: the worker process has "
                "no such device, gives the program another ID, or cannot "
                "compile it");
        return build_answer_none;
    }
}

/* Is it no program that can serve, as when a library is missing, or one of
 * another version? */
static bool is_unusable(const struct process_end *end)
{
    return end->code == process_exit_not_executable
           || end->code == process_exit_not_found
           || end->code == worker_exit_version;
}

/* It said nothing that can be understood. */
static enum build_answer give_up(
        struct build_process *p, uint64_t until_ns, struct shared_text **note)
{
    char why[160];
    const bool is_late = clock_ns() >= until_ns;
    const struct process_end end =
            worker_end(&p->worker, is_late ? 0 : patience_ns);
    if (!is_late && is_unusable(&end)) {
        p->has_failed = true;
        log_message(dnnl_cache_log_warning, "build_queue",
                "%s cannot be used (%s): programs are compiled in this process",
                p->all->worker,
                end.code == worker_exit_version ? "of another version"
                                                : "it does not start");
        return build_answer_none;
    }
    if (is_late)
        snprintf(why, sizeof why, "the worker process took longer than %llu ms",
                (unsigned long long)(p->all->timeout_ns / 1000000));
    else if (end.signal != 0 && !process_was_killed(&end))
        snprintf(why, sizeof why, "the worker process died by signal %d",
                end.signal);
    else
        snprintf(why, sizeof why, "the worker process ended");
    log_message(dnnl_cache_log_error, "build_queue",
            "a program was not compiled: %s", why);
    *note = shared_text_create(why);
    return build_answer_died;
}

enum build_answer build_process_compile(const struct program_recipe *recipe,
        struct buffer *blob, uint64_t *compile_ns, struct shared_text **note)
{
    struct build_process *p = current;
    struct message message = {.data = NULL};
    struct build_reply reply;
    buffer_init(blob);
    if (p == NULL || !is_for(p, recipe)) return build_answer_none;
    const uint64_t until_ns = clock_ns() + p->all->timeout_ns;
    const struct program_id id = program_key_id(recipe->key);
    enum build_answer result = build_answer_none;
    message_begin(&message, message_of_build);
    if (!put_device(&message, recipe->engine->device)) goto out;
    put_program(&message, p->desc, &id);
    if (message.has_failed || !start(p)) goto out;
    const struct channel *channel = &p->worker.channel;
    result =
            message_send(&message, channel, until_ns) == 0
                            && message_receive(&message, channel, until_ns) == 0
                            && build_reply_read(&reply, &message)
                    ? judge(&reply, blob, compile_ns, note)
                    : give_up(p, until_ns, note);
out:
    message_fini(&message);
    return result;
}
