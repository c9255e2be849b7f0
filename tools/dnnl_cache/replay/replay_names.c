/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/replay/replay_names.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/interrupts.h"
#include "src/platform/process.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"
#include "tools/dnnl_cache/jobs/refresh_output.h"
#include "tools/dnnl_cache/replay/replay_describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES "names"

/* What the file begins with. The IDs follow: sizes (64 bits), bytes. */
struct head {
    uint64_t devices;
    uint64_t is_pocl;
    uint64_t group;
    uint64_t items[3];
    char device[384];
};

enum { child_ok = 0, child_no_device = 1, child_failed = 2 };

/* ---- The process --------------------------------------------------------- */

static bool write_head(FILE *out, const struct replay_device *device)
{
    struct head head = {.devices = device->count, .is_pocl = device->is_pocl};
    size_t group = 0;
    size_t items[16] = {0};
    (void)clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
            sizeof group, &group, NULL);
    (void)clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES,
            sizeof items, items, NULL);
    head.group = group;
    for (int i = 0; i < 3; i++)
        head.items[i] = items[i];
    snprintf(head.device, sizeof head.device, "%s", device->name);
    return fwrite(&head, sizeof head, 1, out) == 1;
}

static bool write_id(FILE *out, const struct replay_id *id)
{
    const uint64_t size = id->size;
    return fwrite(&size, sizeof size, 1, out) == 1
           && (size == 0 || fwrite(id->id, id->size, 1, out) == 1);
}

/* The engine's first. */
static bool write_ids(FILE *out, const struct replay_descriptions *all,
        const struct replay_device *device,
        const struct dnnl_cache_store_journal_list *list)
{
    if (!write_id(out, &device->own)) return false;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i]->note->kind == dnnl_cache_note_build
                && !write_id(out, &all->ids[i]))
            return false;
    }
    return true;
}

struct request {
    const struct dnnl_cache_store_journal_list *list;
    const struct refresh_policy *policy;
    const char *device;
    size_t index;
    const char *folder;
};

static int name_all(const struct request *request)
{
    struct replay_device device;
    struct replay_descriptions all;
    char path[path_size];
    const int n = snprintf(path, sizeof path, "%s/" NAMES, request->folder);
    if (n < 0 || (size_t)n >= sizeof path) return child_failed;
    if (!replay_device_open(&device, request->device, request->index))
        return device.count <= request->index ? child_no_device : child_failed;
    FILE *out = fopen(path, "we");
    if (out == NULL) return child_failed;
    const bool is_named = replay_describe_all(&all, &device, request->list,
                                  request->policy, request->folder)
                          && write_head(out, &device)
                          && write_ids(out, &all, &device, request->list);
    return fclose(out) == 0 && is_named ? child_ok : child_failed;
}

static int run_child(void *request)
{
    environment_unset("OPENCL_LAYERS");
    return refresh_driver_set_path() ? name_all(request) : child_failed;
}

/* ---- What it found ------------------------------------------------------- */

static uint64_t read_number(const uint8_t *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static size_t count_builds(const struct dnnl_cache_store_journal_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->items[i]->note->kind == dnnl_cache_note_build;
    return count;
}

static bool take_id(struct replay_name *name, size_t *at,
        const struct replay_names *names, size_t size)
{
    if (size - *at < sizeof(uint64_t)) return false;
    const uint64_t id_size = read_number(names->bytes + *at);
    *at += sizeof id_size;
    if (id_size > size - *at) return false;
    *name = (struct replay_name){(size_t)id_size, names->bytes + *at};
    *at += (size_t)id_size;
    return true;
}

static bool take_ids(struct replay_names *names, size_t size)
{
    size_t at = sizeof(struct head);
    bool is_good = take_id(&names->engine, &at, names, size);
    for (size_t i = 0; is_good && i < names->count; i++)
        is_good = take_id(&names->names[i], &at, names, size);
    return is_good && at == size;
}

static bool read_names(struct replay_names *names,
        const struct dnnl_cache_store_journal_list *list, const char *folder)
{
    char path[path_size];
    struct head head;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/" NAMES, folder);
    if (file_read_whole(&names->bytes, &size, file_here, path, UINT64_MAX) != 0
            || size < sizeof head)
        return false;
    memcpy(&head, names->bytes, sizeof head);
    names->devices = (size_t)head.devices;
    names->is_pocl = head.is_pocl != 0;
    names->group = head.group;
    memcpy(names->items, head.items, sizeof names->items);
    memcpy(names->device, head.device, sizeof names->device);
    names->device[sizeof names->device - 1] = '\0';
    names->count = count_builds(list);
    names->names = calloc(names->count + 1, sizeof *names->names);
    return names->names != NULL && take_ids(names, size);
}

/* A driver may hang: false, and the process is killed, if this one is asked to
 * end, or late. */
static bool wait_for(struct process_end *end, struct process *process,
        const struct replay_patience *how)
{
    static const uint64_t step_ns = 20000000;
    while (!process_ended(process, end, clock_ns() + step_ns)) {
        if (interrupts_take(how->signal_fd) == 0 && !tool_is_late(how->tool))
            continue;
        process_kill(process);
        (void)process_ended(process, end, UINT64_MAX);
        return false;
    }
    return true;
}

enum replay_naming replay_names_make(struct replay_names *names,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy, const char *device, size_t index,
        const char *folder, const struct replay_patience *how)
{
    struct request request = {list, policy, device, index, folder};
    struct process_plan plan = PROCESS_PLAN_NONE;
    struct refresh_output output;
    struct process process;
    struct process_end end = {.code = -1};
    *names = (struct replay_names){.devices = 0};
    fflush(NULL);
    refresh_output_open(&output, how->tool->options->quiet, "computing IDs");
    plan.output = plan.error = output.to;
    plan.dies_with_parent = plan.leaves_no_core = true;
    const int error = process_start_copy(&process, &plan, run_child, &request);
    refresh_output_leave(&output);
    const bool is_waited = error == 0 && wait_for(&end, &process, how);
    refresh_output_finish(&output);
    if (error != 0) return replay_not_named;
    if (!is_waited || process_was_asked_to_end(&end)) return replay_interrupted;
    if (end.code == child_no_device) return replay_no_device;
    if (end.code == child_ok && read_names(names, list, folder))
        return replay_named;
    replay_names_fini(names);
    return replay_not_named;
}

void replay_names_fini(struct replay_names *names)
{
    free(names->names);
    free(names->bytes);
    *names = (struct replay_names){.devices = 0};
}
