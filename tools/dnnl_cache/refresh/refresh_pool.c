/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/refresh_pool.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "tools/common/state/configuration.h"
#include "tools/common/state/layer_place.h"
#include "tools/common/state/worker_forms.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"
#include "tools/dnnl_cache/jobs/refresh_made.h"
#include "tools/dnnl_cache/jobs/refresh_message.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"

#include <dnnl_cache/file_digests.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "dnnl-cache-refresh-" /* and six characters */

/* For one that has been told to end, or has said half of something. */
static const uint64_t patience_ns = 10000000000u;

/* ---- Folders ------------------------------------------------------------- */

static int remove_folder(const char *path)
{
    enum { most_depth = 256 };
    int fd;
    int error = file_open(&fd, file_here, path,
            file_for_reading | file_must_be_folder | file_no_link, 0);
    if (error == 0) {
        error = folder_empty(fd, most_depth);
        (void)file_close(fd);
    }
    if (error == 0) error = folder_remove(file_here, path);
    return error == ENOENT ? 0 : error;
}

/* A folder is locked, itself, by the process that made it, as long as it lives.
 * Who removes one of another process locks it first: so a folder that is locked
 * and still has its name is nobody else's. file_none: it is in use, gone, or
 * not of this user; *is_locked: somebody has the lock. */
static int lock_folder(const char *path, bool *is_locked)
{
    struct file_facts opened;
    struct file_facts named;
    int fd;
    *is_locked = false;
    if (file_open(&fd, file_here, path,
                file_for_reading | file_must_be_folder | file_no_link, 0)
            != 0)
        return file_none;
    if (file_facts(&opened, fd) == 0 && file_is_own(&opened)) {
        const int error = file_lock(fd, file_lock_alone, 0);
        *is_locked = error == EWOULDBLOCK;
        if (error == 0 && file_facts_of_link(&named, file_here, path) == 0
                && file_is_same(&opened, &named))
            return fd;
    }
    (void)file_close(fd);
    return file_none;
}

static bool is_name_of_folder(const char *name)
{
    const size_t size = sizeof FOLDER - 1;
    return strncmp(name, FOLDER, size) == 0 && strlen(name) == size + 6;
}

/* What refreshes left that were killed. */
static int remove_left(void *parent, const char *name)
{
    char path[path_size];
    bool is_locked;
    if (!is_name_of_folder(name)
            || (size_t)snprintf(
                       path, sizeof path, "%s/%s", (const char *)parent, name)
                       >= sizeof path)
        return 0;
    const int fd = lock_folder(path, &is_locked);
    if (fd != file_none) (void)remove_folder(path);
    (void)file_close(fd);
    return 0;
}

static int make_folder(struct refresh_pool *pool)
{
    static char usual[] = "/tmp";
    char *parent = getenv("TMPDIR");
    bool is_locked = false;
    int error;
    if (parent == NULL || parent[0] != '/') parent = usual;
    (void)folder_each_of(parent, remove_left, parent);
    const int n = snprintf(
            pool->folder, sizeof pool->folder, "%s/" FOLDER "XXXXXX", parent);
    if (n < 0 || (size_t)n >= sizeof pool->folder - 64) {
        pool->folder[0] = '\0';
        return ENAMETOOLONG;
    }
    const size_t name_at = strlen(pool->folder) - 6;
    while ((error = folder_make_temporary(pool->folder)) == 0) {
        struct file_facts facts;
        pool->folder_fd = lock_folder(pool->folder, &is_locked);
        /* Without locks nobody removes it. */
        if (pool->folder_fd != file_none
                || (!is_locked
                        && file_facts_of_link(&facts, file_here, pool->folder)
                                   == 0))
            return 0;
        /* Another refresh took it for one that was left. */
        memcpy(pool->folder + name_at, "XXXXXX", 6);
    }
    pool->folder[0] = '\0';
    return error;
}

/* ---- Life ---------------------------------------------------------------- */

static void set_turn(struct refresh_slot *slot, char turn)
{
    const int most = (int)sizeof slot->folder - 32;
    slot->turn = turn;
    snprintf(slot->job_folder, sizeof slot->job_folder,
            "%.*s/" REFRESH_WORK "%c", most, slot->folder, turn);
}

static void slot_init(struct refresh_pool *pool, size_t index)
{
    struct refresh_slot *slot = &pool->slots[index];
    const int most = (int)sizeof pool->folder - 64;
    slot->worker.channel = CHANNEL_NONE;
    snprintf(slot->folder, sizeof slot->folder, "%.*s/%zu", most, pool->folder,
            index);
    set_turn(slot, '0');
}

/* A loader takes no path with ':'. */
static void find_layer(struct refresh_pool *pool, const char *layer)
{
    const bool is_found = layer != NULL ? path_resolve(pool->layer, layer)
                                        : layer_place_find(pool->layer);
    if (!is_found || strchr(pool->layer, ':') != NULL) pool->layer[0] = '\0';
}

static void free_all(struct refresh_pool *pool)
{
    if (pool->folder[0] != '\0') (void)remove_folder(pool->folder);
    (void)file_close(pool->folder_fd);
    free(pool->slots);
    free((void *)pool->channels);
    free(pool->ready);
    free(pool->classes);
    free(pool->chosen);
}

int refresh_pool_open(
        struct refresh_pool *pool, size_t count, const char *layer)
{
    *pool = (struct refresh_pool){.count = count,
            .folder_fd = file_none,
            .counted_ns = clock_ns(),
            .slots = calloc(count, sizeof *pool->slots),
            .channels = calloc(count, sizeof *pool->channels),
            .ready = calloc(count + 1, sizeof *pool->ready)};
    int error =
            pool->slots == NULL || pool->channels == NULL || pool->ready == NULL
                    ? ENOMEM
                    : make_folder(pool);
    if (error == 0) error = interrupts_init(&pool->interrupts);
    if (error != 0) {
        free_all(pool);
        return error;
    }
    for (size_t i = 0; i < count; i++)
        slot_init(pool, i);
    find_layer(pool, layer);
    return 0;
}

/* A worker without a job ends when nobody talks to it any more. What its driver
 * has started, such as a linker, ends with it. */
static struct process_end end_worker(struct refresh_slot *slot)
{
    const struct process_end end = worker_end(&slot->worker, patience_ns);
    refresh_output_finish(&slot->output);
    return end;
}

void refresh_pool_close(struct refresh_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        if (!worker_is_there(&pool->slots[i].worker)) continue;
        refresh_pool_kill(&pool->slots[i]);
        (void)end_worker(&pool->slots[i]);
    }
    free_all(pool);
    interrupts_fini(&pool->interrupts);
}

void refresh_pool_set_classes(
        struct refresh_pool *pool, char *classes, char *chosen)
{
    free(pool->classes);
    free(pool->chosen);
    pool->classes = classes;
    pool->chosen = chosen;
}

/* Called before a slot gets a job or is without one. */
static void count_idle(struct refresh_pool *pool)
{
    const uint64_t now = clock_ns();
    pool->idle_ns += (pool->count - pool->running) * (now - pool->counted_ns);
    pool->counted_ns = now;
}

static int make_empty(const char *folder)
{
    const int error = remove_folder(folder);
    return error == 0 ? folder_make(file_here, folder, 0700, false) : error;
}

int refresh_pool_empty(const struct refresh_slot *slot)
{
    return make_empty(slot->job_folder);
}

/* Of a slot without a job: what was written for the last one, too. */
static int empty_both(struct refresh_slot *slot)
{
    const char turn = slot->turn;
    set_turn(slot, turn == '0' ? '1' : '0');
    const int error = remove_folder(slot->job_folder);
    set_turn(slot, turn);
    return error == 0 ? refresh_pool_empty(slot) : error;
}

/* The layer of a worker that has made an entry has it in memory, and would not
 * make it once more. */
static bool can_take(const struct refresh_pool *pool,
        const struct refresh_slot *slot, const struct refresh_job *job)
{
    return !pool->is_shared && worker_is_there(&slot->worker)
           && !refresh_pool_is_killed(slot) && !job->was_replaced
           && slot->makes_forms == job->wants_form
           && slot->has_own_cache == job->is_made
           && refresh_jobs_share_environment(slot->first, job);
}

bool refresh_pool_may_take_next(const struct refresh_pool *pool,
        const struct refresh_slot *slot, const struct refresh_job *job)
{
    return slot->is_busy && slot->ahead == NULL && can_take(pool, slot, job);
}

/* The lower the better; -1: it has a job. */
static int price_of(const struct refresh_pool *pool,
        const struct refresh_slot *slot, const struct refresh_job *job)
{
    if (slot->is_busy) return -1;
    if (!worker_is_there(&slot->worker)) return 1;
    return can_take(pool, slot, job) ? 0 : 2;
}

struct refresh_slot *refresh_pool_take(
        struct refresh_pool *pool, const struct refresh_job *job, int *error)
{
    struct refresh_slot *best = NULL;
    *error = 0;
    for (size_t i = 0; i < pool->count; i++) {
        struct refresh_slot *slot = &pool->slots[i];
        const int price = price_of(pool, slot, job);
        if (price >= 0 && (best == NULL || price < price_of(pool, best, job)))
            best = slot;
    }
    if (best == NULL) return NULL;
    if (worker_is_there(&best->worker) && !can_take(pool, best, job))
        (void)end_worker(best);
    if (!worker_is_there(&best->worker)) *error = make_empty(best->folder);
    if (*error == 0) *error = empty_both(best);
    return *error == 0 ? best : NULL;
}

/* ---- A worker ------------------------------------------------------------ */

static void set_in_folder(struct process_variables *v, const char *variable,
        const char *folder, const char *name)
{
    char path[path_size];
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n > 0 && (size_t)n < sizeof path)
        process_variables_set(v, variable, path);
    else
        v->has_failed = true;
}

/* The layer keeps what the worker builds in the worker's own folder, at once
 * and whatever it costs. */
static void use_layer(struct process_variables *v,
        const struct refresh_pool *pool, const struct refresh_slot *slot)
{
    static const char *const settings[][2] = {
            {"DNNL_CACHE_CAPTURE_NOW", "1"},
            {"DNNL_CACHE_CAPTURE_LIMIT_MS", "0"},
            {"DNNL_CACHE_MAX_SIZE", "0"},
            {"DNNL_CACHE_THRESHOLD", "0"},
            {"DNNL_CACHE_STORE", "flat"},
            {CONFIGURATION_VARIABLE, "0"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        process_variables_set(v, settings[i][0], settings[i][1]);
    process_variables_set(v, "OPENCL_LAYERS", pool->layer);
    set_in_folder(v, "DNNL_CACHE_DIR", slot->folder, REFRESH_RESULT);
}

/* The settings of the layer and the library are not the worker's. A driver that
 * is killed leaves its files; and what is put between them (refresh_stand_in.h)
 * must be no other process's. */
static bool set_environment(struct process_variables *v,
        const struct refresh_pool *pool, const struct refresh_slot *slot)
{
    char driver[path_size];
    /* Of the user, and not below the folder that the driver gets. */
    const char *digests = dnnl_cache_store_file_digests_folder();
    const int n = snprintf(driver, sizeof driver, "%s/driver", slot->folder);
    process_variables_init(v);
    process_variables_remove(v, "DNNL_CACHE_");
    process_variables_set(v, "OPENCL_LAYERS", NULL);
    process_variables_set(v, DNNL_CACHE_FILE_DIGESTS_VARIABLE,
            digests[0] != '\0' ? digests : "0");
    const bool is_set = refresh_jobs_set_environment(v, slot->job);
    process_variables_set(v, REFRESH_OWN_CACHE, slot->job->is_made ? "1" : "0");
    refresh_driver_set_variables(v, driver);
    if (slot->job->wants_form)
        process_variables_set(v, WORKER_FORMS_VARIABLE, WORKER_FORMS_ALL);
    if (pool->classes != NULL)
        process_variables_set(v, REFRESH_CLASSES, pool->classes);
    if (pool->makes_all) process_variables_set(v, REFRESH_COMPILES_ALL, "1");
    if (pool->chosen != NULL)
        process_variables_set(v, REFRESH_CHOSEN, pool->chosen);
    if (slot->job->build->note->origin == dnnl_cache_note_layer)
        use_layer(v, pool, slot);
    return is_set && n > 0 && (size_t)n < sizeof driver && !v->has_failed;
}

/* For the slot's job. 0 or an errno value. */
static int start_worker(
        const struct refresh_pool *pool, struct refresh_slot *slot)
{
    char program[] = "dnnl-cache";
    char command[] = REFRESH_WORKER;
    char *const arguments[] = {program, command, slot->folder, NULL};
    struct process_plan plan = PROCESS_PLAN_NONE;
    struct process_variables variables;
    char who[32];
    int error = set_environment(&variables, pool, slot) ? 0 : ENOMEM;
    if (error == 0) {
        snprintf(who, sizeof who, "worker %zu",
                (size_t)(slot - pool->slots) + 1);
        refresh_output_open(&slot->output, pool->is_quiet, who);
        plan.arguments = arguments;
        plan.environment = variables.list;
        plan.output = plan.error = slot->output.to;
        plan.has_group = plan.dies_with_parent = plan.leaves_no_core = true;
        error = worker_start(&slot->worker, &plan);
        refresh_output_leave(&slot->output);
        if (error != 0) refresh_output_finish(&slot->output);
    }
    process_variables_fini(&variables);
    slot->first = slot->job;
    slot->makes_forms = slot->job->wants_form;
    slot->has_own_cache = slot->job->is_made;
    return error;
}

int refresh_pool_start(struct refresh_pool *pool, struct refresh_slot *slot,
        struct refresh_job *job)
{
    struct message order = {.data = NULL};
    const char begin = slot->turn;
    slot->job = job;
    slot->is_too_late = false;
    slot->is_too_large = false;
    slot->began_ns = clock_ns();
    const int error =
            !worker_is_there(&slot->worker) ? start_worker(pool, slot) : 0;
    if (error != 0) return error;
    set_turn(slot, begin == '0' ? '1' : '0');
    slot->is_busy = true;
    count_idle(pool);
    pool->running++;
    refresh_order_put(&order, begin);
    /* If that fails the worker is dead, and refresh_pool_wait() tells. */
    (void)message_send(&order, &slot->worker.channel, clock_ns() + patience_ns);
    message_fini(&order);
    return 0;
}

/* ---- Waiting ------------------------------------------------------------- */

static int code_of_end(const struct process_end *end)
{
    if (process_was_asked_to_end(end)) return refresh_worker_was_ended;
    if (process_has_crashed(end)) return refresh_worker_crashed;
    return process_was_killed(end) ? refresh_worker_was_killed
                                   : refresh_worker_died;
}

/* Reads what a worker has said. False: nothing that ends a job. */
static bool hear(
        struct refresh_pool *pool, struct refresh_slot *slot, int *code)
{
    struct message answer = {.data = NULL};
    const bool was_busy = slot->is_busy;
    if (message_receive(
                &answer, &slot->worker.channel, clock_ns() + patience_ns)
                    != 0
            || !refresh_answer_read(code, &answer)) {
        const struct process_end end = end_worker(slot);
        *code = code_of_end(&end);
    }
    message_fini(&answer);
    slot->is_busy = false;
    count_idle(pool);
    pool->running -= was_busy;
    return was_busy;
}

struct refresh_slot *refresh_pool_wait(
        struct refresh_pool *pool, unsigned timeout_ms, int *code)
{
    for (size_t i = 0; i < pool->count; i++)
        pool->channels[i] = &pool->slots[i].worker.channel;
    if (!channel_wait(pool->ready, pool->channels, pool->count,
                pool->interrupts.fd, timeout_ms))
        return NULL;
    if (pool->ready[pool->count])
        pool->interrupted = interrupts_take(pool->interrupts.fd);
    for (size_t i = 0; i < pool->count; i++)
        if (pool->ready[i] && hear(pool, &pool->slots[i], code))
            return &pool->slots[i];
    return NULL;
}

void refresh_pool_kill(struct refresh_slot *slot)
{
    process_kill(&slot->worker.process);
}
