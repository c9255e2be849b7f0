/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_worker.h"

#include "dnnl_cache/sys/layer.h"
#include "tools/dnnl_cache/jobs/refresh_build.h"
#include "tools/dnnl_cache/jobs/refresh_classes.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"
#include "tools/dnnl_cache/jobs/refresh_made.h"
#include "tools/dnnl_cache/jobs/refresh_message.h"
#include "tools/dnnl_cache/jobs/refresh_place.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "src/worker/worker.h"
#include "tools/common/id/facts.h"
#include "tools/common/state/worker_forms.h"

#include <dnnl_cache/file_digests.h>
#include <dnnl_cache/store.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many processes may follow each other for one job: see begin_anew(). */
enum { most_processes = 100 };

struct maker {
    char **argv;
    const char *folder;
    char turn;            /* '0' or '1': where the job is */
    char work[path_size]; /* folder of the job */
    struct worker_service service;
    unsigned
            before; /* processes that had the present job; 0: it is the first */
    struct refresh_device device; /* kept for the next job */
    dnnl_engine_t engine;         /* of that device; NULL: none yet */
    bool has_engine_entry;        /* of that engine; was tried */
    struct refresh_class_list classes;

    /* of the present job */
    dnnl_cache_store_handle_t *job;
    struct dnnl_cache_store_journal_list *list;
    const dnnl_cache_note_t *build; /* the last one */
};

dnnl_cache_store_handle_t *refresh_worker_open_store(
        const char *folder, const char *name, bool read_only)
{
    char path[path_size];
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name)
            >= sizeof path)
        return NULL;
    options.path = path;
    options.read_only = read_only;
    options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    return dnnl_cache_store_open(&store, "flat", &options) == dnnl_success
                   ? store
                   : NULL;
}

bool refresh_worker_has_room(const char *folder, uint64_t size)
{
    char path[path_size];
    int fd;
    if ((size_t)snprintf(path, sizeof path, "%s/" REFRESH_ROOM, folder)
                    >= sizeof path
            || file_open(&fd, file_here, path,
                       file_for_writing | file_made_if_missing
                               | file_must_be_new,
                       0600)
                       != 0)
        return false;
    const bool has_room = file_reserve(fd, size) == 0;
    (void)file_close(fd);
    (void)file_remove(file_here, path);
    return has_room;
}

static bool read_job(struct maker *worker)
{
    worker->job = refresh_worker_open_store(worker->work, REFRESH_JOB, true);
    /* Some compilers look for headers in the working directory. */
    if (worker->job == NULL || !path_set_working(worker->work)
            || dnnl_cache_store_journal_load(&worker->list, worker->job)
                       != dnnl_success)
        return false;
    for (size_t i = 0; i < worker->list->count; i++)
        if (worker->list->items[i]->note->kind == dnnl_cache_note_build)
            worker->build = worker->list->items[i]->note;
    return worker->build != NULL;
}

/* A new process for the same job, with the same arguments; drivers have read
 * the environment in this one. Returns if that fails. */
static enum refresh_worker_exit begin_anew(const struct maker *worker)
{
    char **argv = worker->argv;
    char before[16];
    char turn[] = {worker->turn, '\0'};
    char driver[path_size];
    char *const arguments[] = {argv[0], argv[1], argv[2], before, turn, NULL};
    struct process_plan plan = PROCESS_PLAN_NONE;
    struct process_variables variables;
    char *classes = refresh_class_list_text(&worker->classes);
    /* What this process's driver has left is in its folder. */
    const int length =
            snprintf(driver, sizeof driver, "%s/driverXXXXXX", worker->folder);
    snprintf(before, sizeof before, "%u", worker->before + 1);
    process_variables_init(&variables);
    if (worker->before < most_processes && classes != NULL && length > 0
            && (size_t)length < sizeof driver
            && folder_make_temporary(driver) == 0) {
        refresh_driver_set_variables(&variables, driver);
        process_variables_set(&variables, REFRESH_CLASSES, classes);
        plan.arguments = arguments;
        plan.environment = variables.list;
        plan.input = worker->service.channel.kept.fd;
        if (!variables.has_failed) (void)process_become(&plan);
    }
    process_variables_fini(&variables);
    free(classes);
    return refresh_worker_not_started;
}

/* ---- A program of the library -------------------------------------------- */

/* Of the ID and of what was asked for; the caller frees it. */
static uint8_t *copy_id(const_dnnl_cache_program_desc_t desc, size_t *size)
{
    *size = 0;
    if (dnnl_cache_program_desc_get_cache_blob_id(desc, size, NULL)
                    != dnnl_success
            || *size == 0)
        return NULL;
    uint8_t *id = malloc(*size);
    if (id != NULL
            && dnnl_cache_program_desc_get_cache_blob_id(desc, size, id)
                       == dnnl_success)
        return id;
    free(id);
    return NULL;
}

/* Is what the descriptor describes what the ID names? */
static bool has_id(
        const_dnnl_cache_program_desc_t desc, size_t size, const uint8_t *id)
{
    size_t own_size;
    uint8_t *own = copy_id(desc, &own_size);
    const bool is_equal =
            own != NULL && own_size == size && memcmp(own, id, size) == 0;
    free(own);
    return is_equal;
}

static dnnl_status_t describe(dnnl_cache_program_desc_t *desc,
        dnnl_engine_t engine, const dnnl_cache_note_t *note)
{
    dnnl_cache_id_field_t key;
    size_t at = 0;
    dnnl_status_t st = refresh_build_describe_all(desc, engine, note);
    /* The application's own part of the ID; the worker cannot know more. */
    while (st == dnnl_success
            && refresh_id_find(&key, &at, note->id_size, note->id, REFRESH_KEY))
        st = dnnl_cache_program_desc_add_key(*desc, key.size, key.value);
    return st;
}

/* What the application keeps in the entry stays there. */
static dnnl_status_t keep_user_data(
        const struct maker *worker, dnnl_cache_program_t program)
{
    char path[path_size];
    uint8_t *data;
    size_t size;
    if ((size_t)snprintf(
                path, sizeof path, "%s/" REFRESH_USER_DATA, worker->work)
            >= sizeof path)
        return dnnl_runtime_error;
    const int error = file_read_whole(
            &data, &size, file_here, path, DNNL_CACHE_MAX_USER_DATA_SIZE);
    if (error != 0) return error == ENOENT ? dnnl_success : dnnl_runtime_error;
    const dnnl_status_t status =
            dnnl_cache_program_set_user_data(program, size, data);
    free(data);
    return status;
}

static bool put_result(
        const struct maker *worker, size_t size, const uint8_t *blob)
{
    dnnl_cache_store_handle_t *result =
            refresh_worker_open_store(worker->folder, REFRESH_RESULT, false);
    if (result == NULL) return false;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(result);
    const dnnl_cache_note_t *note = worker->build;
    const bool is_put =
            s->put(s->user, note->id_size, note->id, size, blob, NULL)
            == dnnl_success;
    dnnl_cache_store_close(result);
    return is_put;
}

static enum refresh_worker_exit keep(
        const struct maker *worker, dnnl_cache_program_t program)
{
    size_t size = 0;
    if (dnnl_cache_program_get_cache_blob(program, &size, NULL) != dnnl_success
            || size == 0)
        return refresh_worker_failed;
    enum refresh_worker_exit code = refresh_worker_failed;
    uint8_t *blob = malloc(size);
    if (blob != NULL
            && dnnl_cache_program_get_cache_blob(program, &size, blob)
                       == dnnl_success)
        code = put_result(worker, size, blob) ? refresh_worker_ok
                                              : refresh_worker_no_room;
    free(blob);
    return code;
}

/* As the application would report it; a global size that is not known does not
 * matter but for whether it is small. */
static dnnl_status_t report_launch(
        dnnl_cache_program_t program, const dnnl_cache_note_t *note)
{
    static const size_t one[3] = {1, 1, 1};
    static const size_t large[3] = {SIZE_MAX / 2, 1, 1};
    const size_t *global = note->global_size;
    if (global[0] == 0) global = note->is_small_grid ? one : large;
    const size_t *local = note->local_size[0] > 0 ? note->local_size : NULL;
    if (local == NULL && note->global_size[0] == 0) return dnnl_success;
    return dnnl_cache_program_note_launch(program, note->kernel, note->work_dim,
            note->has_offset ? one : NULL, global, local);
}

/* So that the entry says what it has. */
static dnnl_status_t report_launches(
        const struct maker *worker, dnnl_cache_program_t program)
{
    const struct dnnl_cache_store_journal_list *list = worker->list;
    for (size_t i = 0; i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        if (note->kind != dnnl_cache_note_launch
                || note->id_size != worker->build->id_size
                || memcmp(note->id, worker->build->id, note->id_size) != 0)
            continue;
        const dnnl_status_t st = report_launch(program, note);
        if (st != dnnl_success) return st;
    }
    return dnnl_success;
}

/* A function of the layer that this process runs under, into a pointer to one,
 * which stays as it is if there is none. */
static void find_in_layer(const char *name, void *function)
{
    const char *path = getenv("OPENCL_LAYERS");
    struct library *layer = path != NULL ? library_open_loaded(path) : NULL;
    if (layer == NULL) return;
    (void)library_find(layer, name, function);
    library_close(layer); /* it stays loaded */
}

/* Of the entry that the layer makes next. */
static void tell_full(bool is_full)
{
    void (*set)(bool is_full) = NULL;
    find_in_layer(FACTS_SET_FULL_NAME, &set);
    if (set != NULL) set(is_full);
}

static enum refresh_all_launches all_launches_of(const struct maker *worker)
{
    char path[path_size];
    const char *forms = getenv(WORKER_FORMS_VARIABLE);
    if ((size_t)snprintf(
                path, sizeof path, "%s/" REFRESH_ALL_LAUNCHES, worker->work)
                    < sizeof path
            && file_is_there(path))
        return refresh_all_launches_yes;
    return forms != NULL && strcmp(forms, WORKER_FORMS_ALL) == 0
                           && worker->build->type == dnnl_cache_note_executable
                   ? refresh_all_launches_for_form
                   : refresh_all_launches_no;
}

/* refresh_worker_ok: the driver has compiled for all launches that it will. */
static enum refresh_worker_exit compile_launches(
        struct maker *worker, cl_program program)
{
    const dnnl_cache_note_t *note = worker->build;
    char made[path_size];
    if ((size_t)snprintf(made, sizeof made, "%s/" REFRESH_MADE, worker->work)
            >= sizeof made)
        return refresh_worker_failed;
    const enum refresh_compiled compiled = refresh_classes_compile(
            &worker->device, program, worker->list, note->id_size, note->id,
            all_launches_of(worker), &worker->classes, made);
    if (compiled == refresh_compiled_too_late) return begin_anew(worker);
    tell_full(compiled == refresh_compiled_some);
    return compiled == refresh_compiled_failed ? refresh_worker_failed
                                               : refresh_worker_ok;
}

/* Nobody but the library launches a primitive's program: machine code alone
 * will do, where the driver takes it. */
static dnnl_status_t finalise(
        dnnl_cache_program_t program, const dnnl_cache_note_t *note)
{
    return note->origin == dnnl_cache_note_primitive
                   ? dnnl_cache_program_set_finalised(program, 2)
                   : dnnl_success;
}

static enum refresh_worker_exit make_program(
        struct maker *worker, const_dnnl_cache_program_desc_t desc)
{
    const dnnl_cache_note_t *note = worker->build;
    dnnl_cache_program_t program = NULL;
    if (!has_id(desc, note->id_size, note->id)) return refresh_worker_other_id;
    if (dnnl_cache_program_create(&program, desc) != dnnl_success)
        return refresh_worker_failed;
    enum refresh_worker_exit code = refresh_worker_failed;
    cl_program handle;
    if (finalise(program, note) == dnnl_success
            && keep_user_data(worker, program) == dnnl_success
            && report_launches(worker, program) == dnnl_success
            && dnnl_cache_program_get_cl_program(program, &handle)
                       == dnnl_success)
        code = compile_launches(worker, handle);
    if (code == refresh_worker_ok) code = keep(worker, program);
    dnnl_cache_program_destroy(program);
    return code;
}

/* What the library asks a device once, and keeps in the store; primitives need
 * it. A failure costs the next process a moment. */
static void keep_engine(const struct maker *worker)
{
    size_t id_size = 0;
    size_t size = 0;
    uint8_t *id = NULL;
    uint8_t *blob = NULL;
    dnnl_cache_store_handle_t *result =
            refresh_worker_open_store(worker->folder, REFRESH_RESULT, false);
    if (result != NULL
            && dnnl_ocl_interop_engine_get_cache_blob_id(
                       worker->device.id, &id_size, NULL)
                       == dnnl_success
            && dnnl_ocl_interop_engine_get_cache_blob(
                       worker->engine, &size, NULL)
                       == dnnl_success
            && id_size > 0 && size > 0) {
        id = malloc(id_size);
        blob = malloc(size);
    }
    if (id != NULL && blob != NULL
            && dnnl_ocl_interop_engine_get_cache_blob_id(
                       worker->device.id, &id_size, id)
                       == dnnl_success
            && dnnl_ocl_interop_engine_get_cache_blob(
                       worker->engine, &size, blob)
                       == dnnl_success) {
        const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(result);
        (void)s->put(s->user, id_size, id, size, blob, NULL);
    }
    free(id);
    free(blob);
    dnnl_cache_store_close(result);
}

static enum refresh_worker_exit make_entry_of_library(struct maker *worker)
{
    dnnl_cache_program_desc_t desc = NULL;
    enum refresh_worker_exit code = refresh_worker_failed;
    if (worker->engine == NULL
            && dnnl_ocl_interop_engine_create(&worker->engine,
                       worker->device.id, worker->device.context)
                       != dnnl_success)
        return refresh_worker_failed;
    if (describe(&desc, worker->engine, worker->build) == dnnl_success)
        code = make_program(worker, desc);
    dnnl_cache_program_desc_destroy(desc);
    if (code == refresh_worker_ok
            && worker->build->origin == dnnl_cache_note_primitive
            && !worker->has_engine_entry) {
        keep_engine(worker);
        worker->has_engine_entry = true;
    }
    return code;
}

/* ---- A build under the layer --------------------------------------------- */

/* What the layer has stored. */
struct found {
    const struct maker *worker;
    bool is_wanted; /* the entry of the build's ID */
    size_t others;  /* that are not of what is linked either */
};

static bool look_at_entry(void *user, const struct dnnl_cache_store_entry *item)
{
    struct found *found = user;
    const struct maker *worker = found->worker;
    const dnnl_cache_note_t *note =
            refresh_build_find(worker->list, item->id_size, item->id);
    if (note == NULL)
        found->others++;
    else if (note == worker->build)
        found->is_wanted = true;
    return true;
}

static struct found look(const struct maker *worker)
{
    struct found found = {.worker = worker};
    dnnl_cache_store_handle_t *result =
            refresh_worker_open_store(worker->folder, REFRESH_RESULT, true);
    if (result == NULL) return found;
    (void)dnnl_cache_store_iterate(result, look_at_entry, &found);
    dnnl_cache_store_close(result);
    return found;
}

/* More than the entry takes. */
static uint64_t bound_entry(cl_program program)
{
    enum { beside_binary = 1 << 20 };
    size_t size = 0;
    if (clGetProgramInfo(
                program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL)
            != CL_SUCCESS)
        size = 0;
    return 2 * (uint64_t)size + beside_binary;
}

/* The entry is to say what a hit saves the application, and not what compiling
 * takes this process. */
static void tell_layer(const dnnl_cache_note_t *note)
{
    void (*set)(uint64_t ns) = NULL;
    find_in_layer(FACTS_SET_COMPILE_NS_NAME, &set);
    if (set != NULL) set(note->compile_ns);
}

/* The layer, which this process runs under, finds the ID and stores the entry
 * when the program is released; it is left to the parent to look whether that
 * is the one that was wanted. */
static enum refresh_worker_exit make_entry_by(
        struct maker *worker, const struct refresh_options *options)
{
    const dnnl_cache_note_t *note = worker->build;
    const struct found before = look(worker); /* of earlier jobs */
    tell_layer(note);
    refresh_made_put(worker->list, note->id_size, note->id);
    cl_program program =
            refresh_build_replay(&worker->device, worker->list, note, options);
    if (program == NULL) return refresh_worker_failed;
    const enum refresh_worker_exit code = compile_launches(worker, program);
    const uint64_t size = bound_entry(program);
    clReleaseProgram(program); /* the layer stores the entry now */
    if (code != refresh_worker_ok) return code;
    const struct found found = look(worker);
    /* An earlier job has made the entry: this one made another's. */
    if (before.is_wanted && found.others > before.others)
        return refresh_worker_other_id;
    if (found.is_wanted) return refresh_worker_ok;
    if (!refresh_worker_has_room(worker->folder, size))
        return refresh_worker_no_room;
    /* Of another ID, which the parent finds. */
    return found.others > before.others ? refresh_worker_ok
                                        : refresh_worker_no_entry;
}

static enum refresh_worker_exit make_entry_of_layer(struct maker *worker)
{
    struct refresh_options options;
    enum refresh_worker_exit code = refresh_place_enter(&options,
            &worker->device, worker->list, worker->build, worker->work);
    if (code == refresh_worker_ok) code = make_entry_by(worker, &options);
    refresh_options_fini(&options);
    return code;
}

/* ---- The process --------------------------------------------------------- */

/* Variables that the ID does not have are unset, which takes effect in a new
 * process. */
static enum refresh_worker_exit open_device(struct maker *worker)
{
    const dnnl_cache_note_t *note = worker->build;
    const cl_context before = worker->device.context;
    const bool is_open =
            refresh_device_open(&worker->device, note->id_size, note->id);
    if (worker->device.context != before) {
        dnnl_engine_destroy(worker->engine);
        worker->engine = NULL;
        worker->has_engine_entry = false;
    }
    if (!is_open)
        return worker->device.is_other_driver ? refresh_worker_other_driver
                                              : refresh_worker_no_device;
    return worker->device.is_environment_changed ? begin_anew(worker)
                                                 : refresh_worker_ok;
}

/* An update since this process has identified the driver: library and layer
 * give away nothing that is compiled. */
static bool is_driver_changed(void)
{
    const char *file = NULL;
    return dnnl_cache_find_changed_file(&file) == dnnl_success && file != NULL;
}

static enum refresh_worker_exit do_job(struct maker *worker)
{
    enum refresh_worker_exit code =
            read_job(worker) ? open_device(worker) : refresh_worker_not_started;
    if (code == refresh_worker_ok)
        code = worker->build->origin == dnnl_cache_note_layer
                       ? make_entry_of_layer(worker)
                       : make_entry_of_library(worker);
    if (code != refresh_worker_ok && is_driver_changed())
        code = refresh_worker_other_driver;
    dnnl_cache_store_journal_free(worker->list);
    dnnl_cache_store_close(worker->job);
    worker->list = NULL;
    worker->job = NULL;
    worker->build = NULL;
    return code;
}

static bool set_turn(struct maker *worker, char turn)
{
    worker->turn = turn;
    return (turn == '0' || turn == '1')
           && (size_t)snprintf(worker->work, sizeof worker->work,
                      "%s/" REFRESH_WORK "%c", worker->folder, turn)
                      < sizeof worker->work;
}

static bool do_order(void *user, struct message *order, struct message *answer)
{
    struct maker *worker = user;
    char turn;
    if (!refresh_order_read(&turn, order) || !set_turn(worker, turn))
        return false;
    refresh_answer_put(answer, do_job(worker));
    worker->before = 0;
    return true;
}

static bool worker_init(struct maker *worker, int argc, char **argv)
{
    const char *classes = getenv(REFRESH_CLASSES);
    *worker = (struct maker){.argv = argv};
    if (argc != 3 && argc != 5) return false;
    worker->folder = argv[2];
    if (argc == 5) {
        worker->before = (unsigned)strtoul(argv[3], NULL, 10);
        worker->turn = argv[4][0];
    }
    const char *chosen = getenv(REFRESH_CHOSEN);
    if (classes != NULL) refresh_class_list_add(&worker->classes, classes);
    if (chosen != NULL) refresh_class_list_add(&worker->classes, chosen);
    return true;
}

int refresh_worker_run(int argc, char **argv)
{
    static const struct worker_job jobs[] = {{message_of_refresh, do_order}};
    struct message first = {.data = NULL};
    struct maker worker;
    if (!worker_init(&worker, argc, argv)) return refresh_worker_not_started;
    worker.service =
            (struct worker_service){.jobs = jobs, .count = 1, .user = &worker};
    /* The order of the process that has begun anew. */
    if (worker.before > 0) refresh_order_put(&first, worker.turn);
    (void)dnnl_cache_store_file_digests_attach();
    const int code =
            worker_serve(&worker.service, worker.before > 0 ? &first : NULL);
    message_fini(&first);
    dnnl_engine_destroy(worker.engine);
    refresh_device_close(&worker.device);
    return code;
}
