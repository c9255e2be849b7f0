/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_call.h"

#include "stores/remote/thread/remote_lease.h"

#include "src/platform/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In front of a body: where the memory of the blob in it begins
 * (remote_store.c). */
enum { small_body = 4096, worth_of_answer = 4096 };

/* Memory is taken for what a server has sent, and of what it says that it will
 * send for so much at most. Of a body that cannot become what was asked for
 * this much may come: a short one comes to its end, and the connection stays.
 */
enum { most_promised = 16 * 1024 * 1024, most_unwanted = 64 * 1024 };

/* Slower than this, waiting for more of an answer does not pay. */
static const uint64_t least_bytes_per_s = (uint64_t)4 * 1024 * 1024;

/* ---- Making -------------------------------------------------------------- */

struct remote_call *remote_call_make(size_t count)
{
    struct remote_call *call = NULL;
    if (count > (SIZE_MAX - sizeof *call) / sizeof call->requests[0])
        return NULL;
    call = calloc(1, sizeof *call + count * sizeof call->requests[0]);
    if (call == NULL) return NULL;
    (void)thread_condition_init(&call->done); /* cannot fail on Linux */
    call->count = count;
    for (size_t i = 0; i < count; i++)
        call->requests[i].core_data = call;
    return call;
}

void remote_body_free(uint8_t *body)
{
    if (body != NULL) free(body - remote_body_headroom);
}

void remote_call_destroy(struct remote_call *call)
{
    if (call == NULL) return;
    if (call->last != NULL) call->last(call);
    for (size_t i = 0; i < call->count; i++)
        remote_body_free(call->requests[i].body);
    remote_leases_release(call->leases);
    pthread_cond_destroy(&call->done);
    free(call);
}

/* ---- Deadlines ----------------------------------------------------------- */

/* base_ns, or a time-out after what it was postponed to; or later while what
 * has arrived makes waiting worthwhile: no longer than it takes at the least
 * rate, and than a time-out after the last bytes. */
static uint64_t extend(const struct remote_call *call, uint64_t base_ns)
{
    const uint64_t arrived = atomic_load(&call->arrived);
    const uint64_t postponed = atomic_load(&call->postponed_ns);
    if (postponed > 0 && postponed + call->timeout_ns > base_ns)
        base_ns = postponed + call->timeout_ns;
    if (arrived == 0) return base_ns;
    const uint64_t worth =
            base_ns + arrived * 1000 / least_bytes_per_s * 1000000;
    const uint64_t alive = atomic_load(&call->arrived_ns) + call->timeout_ns;
    const uint64_t until = worth < alive ? worth : alive;
    return until > base_ns ? until : base_ns;
}

uint64_t remote_call_deadline(const struct remote_request *request)
{
    const struct remote_call *call = request->core_data;
    return extend(call, call->start_ns + call->timeout_ns);
}

uint64_t remote_call_leave_ns(
        const struct remote_call *call, uint64_t patience_ns)
{
    return extend(call, call->asked_ns + patience_ns);
}

void remote_call_postpone(struct remote_request *request, uint64_t until_ns)
{
    struct remote_call *call = request->core_data;
    const uint64_t last = call->start_ns + call->longest_ns;
    atomic_store(&call->postponed_ns, until_ns < last ? until_ns : last);
}

static void note_arrival(struct remote_call *call, uint64_t size)
{
    atomic_fetch_add(&call->arrived, size);
    atomic_store(&call->arrived_ns, clock_ns());
}

static bool is_wanted(const struct remote_request *request)
{
    const struct remote_call *call = request->core_data;
    return call->is_wanted == NULL || call->is_wanted(request);
}

/* Of a body that is none for its caller no more is waited for, however fast it
 * arrives. False: nor is more of it taken. */
static bool note_body(const struct remote_request *request, size_t size)
{
    if (!is_wanted(request)) return request->body_size <= most_unwanted;
    note_arrival(request->core_data, size);
    return true;
}

void remote_call_note_answer(struct remote_call *call)
{
    note_arrival(call, worth_of_answer);
}

/* ---- Bodies -------------------------------------------------------------- */

static bool reserve(struct remote_request *request, size_t capacity)
{
    if (capacity <= request->body_capacity) return true;
    if (capacity > SIZE_MAX - remote_body_headroom) return false;
    uint8_t *old =
            request->body != NULL ? request->body - remote_body_headroom : NULL;
    uint8_t *memory = realloc(old, capacity + remote_body_headroom);
    if (memory == NULL) return false;
    request->body = memory + remote_body_headroom;
    request->body_capacity = capacity;
    return true;
}

bool remote_call_expect(struct remote_request *request, uint64_t size)
{
    if (size > request->max_bytes) return false;
    /* Without memory receive() says so. */
    (void)reserve(request, size < most_promised ? (size_t)size : most_promised);
    return true;
}

bool remote_call_receive(struct remote_request *request, const void *data,
        size_t size, enum remote_result *result)
{
    const size_t had = request->body_size;
    if (size > request->max_bytes - had) {
        *result = remote_result_too_large;
        return false;
    }
    size_t capacity = request->body_capacity;
    if (size > capacity - had) {
        const size_t double_size = capacity < request->max_bytes / 2
                                           ? 2 * capacity
                                           : request->max_bytes;
        capacity = had + size;
        if (capacity < double_size) capacity = double_size;
        if (capacity < small_body) capacity = small_body;
    }
    if (!reserve(request, capacity)) {
        *result = remote_result_out_of_memory;
        return false;
    }
    if (size > 0) memcpy(request->body + had, data, size);
    request->body_size += size;
    if (note_body(request, size)) return true;
    *result = remote_result_too_large;
    return false;
}

/* The memory was taken for the size that was told: no more than max_bytes.
 * Where it ends receive() takes more, or says that it does not. */
uint8_t *remote_call_room(struct remote_request *request, size_t *size)
{
    const size_t left = request->body_capacity - request->body_size;
    if (left == 0 || !is_wanted(request)) return NULL;
    if (*size > left) *size = left;
    return request->body + request->body_size;
}

void remote_call_fill(struct remote_request *request, size_t size)
{
    request->body_size += size;
    (void)note_body(request, size);
}

void remote_call_restart(struct remote_request *request)
{
    request->body_size = 0;
}
