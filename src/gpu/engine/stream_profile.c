/* SPDX-License-Identifier: Apache-2.0 */
#define DNNL_EXPERIMENTAL_PROFILING
#include "src/gpu/engine/stream_profile.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/stream.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct stream_profile {
    pthread_mutex_t mutex;                /* protects the rest */
    struct profiled_commands *executions; /* owned */
    size_t count;
    size_t room;
};

/* ---- Commands ------------------------------------------------------------ */

void profiled_commands_add(struct profiled_commands *commands, cl_event event)
{
    cl_event *events =
            realloc(commands->events, (commands->count + 1) * sizeof *events);
    if (events != NULL) commands->events = events;
    if (events != NULL && clRetainEvent(event) == CL_SUCCESS)
        events[commands->count++] = event;
    else
        commands->is_incomplete = true;
}

void profiled_commands_fini(struct profiled_commands *commands)
{
    for (size_t i = 0; i < commands->count; i++)
        clReleaseEvent(commands->events[i]);
    free(commands->events);
    *commands = (struct profiled_commands){NULL, 0, false};
}

/* From the begin of the first command to the end of the last; 0: none. */
static dnnl_status_t measure(
        const struct profiled_commands *commands, uint64_t *nanoseconds)
{
    cl_ulong first = CL_ULONG_MAX;
    cl_ulong last = 0;
    if (commands->is_incomplete) return dnnl_runtime_error;
    for (size_t i = 0; i < commands->count; i++) {
        cl_ulong start = 0;
        cl_ulong end = 0;
        cl_int error = clGetEventProfilingInfo(commands->events[i],
                CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
        if (error == CL_SUCCESS)
            error = clGetEventProfilingInfo(commands->events[i],
                    CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        if (error != CL_SUCCESS)
            return cl_status(error, "clGetEventProfilingInfo");
        if (start < first) first = start;
        if (end > last) last = end;
    }
    *nanoseconds = last > first ? last - first : 0;
    return dnnl_success;
}

/* ---- Executions ---------------------------------------------------------- */

struct stream_profile *stream_profile_create(void)
{
    struct stream_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL || pthread_mutex_init(&profile->mutex, NULL) == 0)
        return profile;
    free(profile);
    return NULL;
}

/* By who holds the mutex. */
static void forget(struct stream_profile *profile)
{
    for (size_t i = 0; i < profile->count; i++)
        profiled_commands_fini(&profile->executions[i]);
    profile->count = 0;
}

void stream_profile_destroy(struct stream_profile *profile)
{
    if (profile == NULL) return;
    forget(profile);
    free(profile->executions);
    pthread_mutex_destroy(&profile->mutex);
    free(profile);
}

/* By who holds the mutex. */
static dnnl_status_t make_room(struct stream_profile *profile)
{
    if (profile->count < profile->room) return dnnl_success;
    if (profile->count == INT_MAX) return dnnl_out_of_memory;
    size_t room = profile->room > 0 ? 2 * profile->room : 16;
    struct profiled_commands *executions =
            realloc(profile->executions, room * sizeof *executions);
    if (executions == NULL) return dnnl_out_of_memory;
    profile->executions = executions;
    profile->room = room;
    return dnnl_success;
}

dnnl_status_t stream_profile_add(
        struct stream_profile *profile, struct profiled_commands *commands)
{
    pthread_mutex_lock(&profile->mutex);
    dnnl_status_t st = make_room(profile);
    if (st == dnnl_success) {
        profile->executions[profile->count++] = *commands;
        *commands = (struct profiled_commands){NULL, 0, false};
    }
    pthread_mutex_unlock(&profile->mutex);
    profiled_commands_fini(commands);
    return st;
}

/* ---- Calls --------------------------------------------------------------- */

dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream)
{
    if (stream == NULL || stream->profile == NULL)
        return dnnl_invalid_arguments;
    pthread_mutex_lock(&stream->profile->mutex);
    forget(stream->profile);
    pthread_mutex_unlock(&stream->profile->mutex);
    return dnnl_success;
}

static dnnl_status_t answer(const struct stream_profile *profile,
        dnnl_profiling_data_kind_t data_kind, int *num_entries, uint64_t *data)
{
    dnnl_status_t st = dnnl_success;
    if (data == NULL) {
        *num_entries = (int)profile->count;
        return dnnl_success;
    }
    if (data_kind != dnnl_profiling_data_kind_time
            || (size_t)*num_entries != profile->count)
        return dnnl_invalid_arguments;
    for (size_t i = 0; i < profile->count && st == dnnl_success; i++)
        st = measure(&profile->executions[i], &data[i]);
    return st;
}

dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream,
        dnnl_profiling_data_kind_t data_kind, int *num_entries, uint64_t *data)
{
    if (stream == NULL || stream->profile == NULL || num_entries == NULL)
        return dnnl_invalid_arguments;
    pthread_mutex_lock(&stream->profile->mutex);
    dnnl_status_t st = answer(stream->profile, data_kind, num_entries, data);
    pthread_mutex_unlock(&stream->profile->mutex);
    return st;
}
