/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/upload.h"

#include "model/base/half.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* More threads than that wait for memory. A part is large enough for the call
 * that moves it not to matter, and small enough to be shared out. */
enum { max_threads = 4, part_count = 1 << 20 };

/* A buffer of constants. */
struct job {
    const struct buffer *buffer;
    cl_mem *mem;
    void *to;      /* the host's memory that it is brought to; NULL: parts are
                    * written to the device */
    int64_t begun; /* words that threads have taken */
};

struct upload {
    struct buffers *buffers;
    int count;
    struct job *jobs;
    pthread_mutex_t lock; /* guards what follows, and jobs[].begun; leaf */
    int next;             /* the job in hand */
    bool has_failed;
    struct failure *failure;
};

static size_t bytes_of(int64_t words)
{
    return (size_t)words * word_bytes;
}

static bool fail_error(struct failure *failure, cl_int error)
{
    return error == CL_SUCCESS
           || fail_as(failure, dnnl_runtime_error,
                   "the weights: OpenCL error %d", (int)error);
}

static bool is_read(const struct buffer *b)
{
    return b->deferred == NULL || b->deferred->is_read;
}

/* ---- Parts --------------------------------------------------------------- */

/* What a part is counted in: floats on the host, be it that two of them are a
 * double; on the device halves or the same. */
static int64_t count_of(const struct buffer *b)
{
    return b->is_half ? b->words
                      : b->words * word_bytes / (int64_t)sizeof(float);
}

static size_t unit_of(const struct buffer *b)
{
    return b->is_half ? sizeof(uint16_t) : sizeof(float);
}

static void multiply(
        const struct buffer *b, int64_t from, int64_t count, float *values)
{
    for (int64_t i = 0; i < count;) {
        const int64_t number = (from + i) / b->run;
        int64_t end = (number + 1) * b->run - from;
        if (end > count) end = count;
        for (; i < end; i++)
            values[i] *= b->factors[number];
    }
}

static bool make_floats(const struct buffer *b, int64_t from, int64_t count,
        float *to, struct failure *failure)
{
    const float *data = b->data;
    if (!is_read(b)) {
        if (!deferred_copy(b->deferred, from, count, to, failure)) return false;
    } else if (to != data + from) {
        memcpy(to, data + from, (size_t)count * sizeof *to);
    }
    if (b->factors != NULL) multiply(b, from, count, to);
    return true;
}

/* A few at once, which stay in the processor's cache. */
static bool make_halves(const struct buffer *b, int64_t from, int64_t count,
        uint16_t *to, struct failure *failure)
{
    enum { most = 4096 };
    float floats[most];
    if (!is_read(b) && b->factors == NULL && deferred_has_halves(b->deferred))
        return deferred_copy_halves(b->deferred, from, count, to, failure);
    for (int64_t i = 0; i < count; i += most) {
        const int64_t some = count - i < most ? count - i : most;
        if (!make_floats(b, from + i, some, floats, failure)) return false;
        for (int64_t k = 0; k < some; k++)
            to[i + k] = half_from_float(floats[k]);
    }
    return true;
}

/* Part of a buffer as the device is to have it. */
static bool make_part(const struct buffer *b, int64_t from, int64_t count,
        void *to, struct failure *failure)
{
    return b->is_half ? make_halves(b, from, count, to, failure)
                      : make_floats(b, from, count, to, failure);
}

/* ---- Threads ------------------------------------------------------------- */

/* The next part that nobody has; false if there is none. */
static bool take_part(struct upload *u, struct job **job, int64_t *from)
{
    bool found = false;
    pthread_mutex_lock(&u->lock);
    while (!found && !u->has_failed && u->next < u->count) {
        *job = &u->jobs[u->next];
        found = (*job)->begun < count_of((*job)->buffer);
        *from = (*job)->begun;
        if (found)
            (*job)->begun += part_count;
        else
            u->next++;
    }
    pthread_mutex_unlock(&u->lock);
    return found;
}

static void note_failure(struct upload *u, const struct failure *reason)
{
    pthread_mutex_lock(&u->lock);
    if (!u->has_failed)
        fail_as(u->failure, failure_status(reason), "%s", reason->text);
    u->has_failed = true;
    pthread_mutex_unlock(&u->lock);
}

/* Two parts on their way to a device with memory of its own: one is made while
 * the other one is written. */
struct staging {
    void *parts[2];
    cl_event written[2];
    int next;
};

static bool wait_for(struct staging *s, int i, struct failure *failure)
{
    if (s->written[i] == NULL) return true;
    const cl_int error = clWaitForEvents(1, &s->written[i]);
    clReleaseEvent(s->written[i]);
    s->written[i] = NULL;
    return fail_error(failure, error);
}

static bool write_part(struct upload *u, struct staging *s,
        const struct job *job, int64_t from, int64_t count,
        struct failure *failure)
{
    const struct buffer *b = job->buffer;
    const int i = s->next;
    if (is_read(b) && b->factors == NULL && !b->is_half)
        return fail_error(failure,
                clEnqueueWriteBuffer(u->buffers->queue, *job->mem, CL_FALSE,
                        (size_t)from * unit_of(b), (size_t)count * unit_of(b),
                        (const float *)b->data + from, 0, NULL, NULL));
    s->next = !i;
    if (s->parts[i] == NULL) s->parts[i] = malloc(part_count * sizeof(float));
    if (s->parts[i] == NULL) return fail_out_of_memory(failure);
    return wait_for(s, i, failure)
           && make_part(b, from, count, s->parts[i], failure)
           && fail_error(
                   failure, clEnqueueWriteBuffer(u->buffers->queue, *job->mem,
                                    CL_FALSE, (size_t)from * unit_of(b),
                                    (size_t)count * unit_of(b), s->parts[i], 0,
                                    NULL, &s->written[i]))
           && fail_error(failure, clFlush(u->buffers->queue));
}

static void *bring_parts(void *argument)
{
    struct upload *u = argument;
    struct staging staging = {0};
    struct failure reason = {""};
    struct job *job;
    int64_t from;
    bool ok = true;
    while (ok && take_part(u, &job, &from)) {
        int64_t count = count_of(job->buffer) - from;
        if (count > part_count) count = part_count;
        ok = job->to != NULL ? make_part(job->buffer, from, count,
                     (char *)job->to + (size_t)from * unit_of(job->buffer),
                     &reason)
                             : write_part(
                                     u, &staging, job, from, count, &reason);
    }
    for (int i = 0; i < 2; i++) {
        ok = wait_for(&staging, i, &reason) && ok;
        free(staging.parts[i]);
    }
    if (!ok) note_failure(u, &reason);
    return NULL;
}

static bool bring_all(struct upload *u, int threads)
{
    pthread_t others[max_threads];
    int started = 0;
    if (threads > max_threads) threads = max_threads;
    while (started + 1 < threads
            && pthread_create(&others[started], NULL, bring_parts, u) == 0)
        started++;
    bring_parts(u);
    while (started > 0)
        pthread_join(others[--started], NULL);
    return !u->has_failed;
}

/* ---- Buffers ------------------------------------------------------------- */

static bool is_constant(const struct buffer *b)
{
    return b->kind == buffer_constant && buffer_is_needed(b);
}

/* Used where it lies. */
static bool stays(const struct upload *u, const struct buffer *b)
{
    return u->buffers->is_host_memory && b->factors == NULL && !b->is_half;
}

static bool is_listed(const struct upload *u, const struct buffer *b)
{
    for (int i = 0; i < u->count; i++)
        if (u->jobs[i].to == b->data) return true;
    return false;
}

/* Memory of the device, which the host writes to if it is the host's, too. */
static bool make_room(
        struct upload *u, struct job *job, struct failure *failure)
{
    const size_t size = bytes_of(job->buffer->words);
    cl_int error;
    *job->mem = clCreateBuffer(
            u->buffers->context, CL_MEM_READ_ONLY, size, NULL, &error);
    if (error == CL_SUCCESS && u->buffers->is_host_memory)
        job->to = clEnqueueMapBuffer(u->buffers->queue, *job->mem, CL_TRUE,
                CL_MAP_WRITE_INVALIDATE_REGION, 0, size, 0, NULL, NULL, &error);
    return fail_error(failure, error);
}

static bool list_jobs(struct upload *u, struct failure *failure)
{
    const struct plan *plan = u->buffers->plan;
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct buffer *b = &plan->buffers[i];
        struct job *job = &u->jobs[u->count];
        if (!is_constant(b) || (stays(u, b) && (is_read(b) || is_listed(u, b))))
            continue;
        *job = (struct job){.buffer = b, .mem = &u->buffers->mems[i]};
        if (stays(u, b))
            job->to = b->deferred->data;
        else if (!make_room(u, job, failure))
            return false;
        u->count++;
    }
    return true;
}

static bool end_job(
        const struct upload *u, const struct job *job, struct failure *failure)
{
    if (job->to == NULL) return true;
    if (!stays(u, job->buffer))
        return fail_error(failure, clEnqueueUnmapMemObject(u->buffers->queue,
                                           *job->mem, job->to, 0, NULL, NULL));
    job->buffer->deferred->is_read = true;
    return true;
}

/* Buffers of what stays in the host's memory. */
static bool use_rest(const struct upload *u, struct failure *failure)
{
    const struct plan *plan = u->buffers->plan;
    cl_int error = CL_SUCCESS;
    for (int i = 0; i < plan->buffer_count && error == CL_SUCCESS; i++) {
        const struct buffer *b = &plan->buffers[i];
        if (!is_constant(b) || !stays(u, b)) continue;
        void *data = (void *)(uintptr_t)b->data; /* read only */
        u->buffers->mems[i] = clCreateBuffer(u->buffers->context,
                CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes_of(b->words),
                data, &error);
    }
    return fail_error(failure, error);
}

/* Another thread's flush may have been the last, and rusticl's clFinish() (Mesa
 * 22.3) waits for nothing that was flushed: it has a marker to wait for. */
static cl_int wait_for_all(cl_command_queue queue)
{
    const cl_int error = clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
    const cl_int finished = clFinish(queue);
    return error != CL_SUCCESS ? error : finished;
}

static bool upload(struct upload *u, int threads, struct failure *failure)
{
    bool ok = list_jobs(u, failure) && bring_all(u, threads);
    for (int i = 0; ok && i < u->count; i++)
        ok = end_job(u, &u->jobs[i], failure);
    ok = ok && use_rest(u, failure);
    return fail_error(failure, wait_for_all(u->buffers->queue)) && ok;
}

bool upload_constants(
        struct buffers *buffers, int threads, struct failure *failure)
{
    struct upload u = {.buffers = buffers,
            .jobs = calloc(
                    (size_t)buffers->plan->buffer_count + 1, sizeof *u.jobs),
            .lock = PTHREAD_MUTEX_INITIALIZER,
            .failure = failure};
    if (u.jobs == NULL) return fail_out_of_memory(failure);
    const bool ok = upload(&u, threads, failure);
    free(u.jobs);
    return ok;
}
