/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on buffers, markers and barriers. */
#include "fake_command.h"

#include <string.h>

/* A box in a buffer: where it begins, its extent, how rows and slices lie. */
struct box {
    size_t begin;
    size_t region[3];
    size_t pitch[2]; /* a row's, a slice's */
};

static cl_int range_check(cl_mem memory, size_t offset, size_t size)
{
    if (size == 0 || offset > memory->size || size > memory->size - offset)
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int memory_check(cl_command_queue queue, cl_mem memory)
{
    cl_int st = object_check(memory, OBJECT_MEMORY);

    if (st != CL_SUCCESS) return st;
    return memory->context == queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

/* Ends an enqueue: submits what was made, or drops it. */
static cl_int finish(
        struct command *command, cl_int st, cl_bool blocking, cl_event *event)
{
    if (st == CL_SUCCESS) return command_submit(command, blocking, event);
    command_discard(command);
    return st;
}

static void set_copy(
        struct command *command, uint8_t *to, const uint8_t *from, size_t size)
{
    command->work = WORK_COPY;
    command->copy = (struct command_copy){
            .to = to, .from = from, .region = {size, 1, 1}};
}

/* Checks one buffer and keeps it alive. */
static cl_int use_memory(
        struct command *command, cl_mem memory, size_t offset, size_t size)
{
    cl_int st = memory_check(command->queue, memory);

    if (st == CL_SUCCESS) st = range_check(memory, offset, size);
    if (st == CL_SUCCESS) st = command_keep(command, memory);
    return st;
}

cl_int CL_API_CALL fake_clEnqueueReadBuffer(cl_command_queue queue,
        cl_mem memory, cl_bool blocking, size_t offset, size_t size, void *to,
        cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    cl_int st = call_enter(CALL_clEnqueueReadBuffer,
            "memory=%p offset=%zu size=%zu", (const void *)memory, offset,
            size);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_READ_BUFFER, nwait, wait);
    if (st == CL_SUCCESS) st = use_memory(command, memory, offset, size);
    if (st == CL_SUCCESS && to == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS) set_copy(command, to, memory->data + offset, size);
    st = finish(command, st, blocking, event);
    return call_leave(CALL_clEnqueueReadBuffer, st);
}

cl_int CL_API_CALL fake_clEnqueueWriteBuffer(cl_command_queue queue,
        cl_mem memory, cl_bool blocking, size_t offset, size_t size,
        const void *from, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    cl_int st = call_enter(CALL_clEnqueueWriteBuffer,
            "memory=%p offset=%zu size=%zu", (const void *)memory, offset,
            size);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_WRITE_BUFFER, nwait, wait);
    if (st == CL_SUCCESS) st = use_memory(command, memory, offset, size);
    if (st == CL_SUCCESS && from == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS) set_copy(command, memory->data + offset, from, size);
    st = finish(command, st, blocking, event);
    return call_leave(CALL_clEnqueueWriteBuffer, st);
}

static bool overlap(cl_mem a, size_t a_at, cl_mem b, size_t b_at, size_t size)
{
    const uint8_t *first = a->data + a_at;
    const uint8_t *second = b->data + b_at;

    return first < second + size && second < first + size;
}

cl_int CL_API_CALL fake_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from,
        cl_mem to, size_t from_offset, size_t to_offset, size_t size,
        cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    cl_int st = call_enter(CALL_clEnqueueCopyBuffer, "from=%p to=%p size=%zu",
            (const void *)from, (const void *)to, size);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_COPY_BUFFER, nwait, wait);
    if (st == CL_SUCCESS) st = use_memory(command, from, from_offset, size);
    if (st == CL_SUCCESS) st = use_memory(command, to, to_offset, size);
    if (st == CL_SUCCESS && overlap(from, from_offset, to, to_offset, size))
        st = CL_MEM_COPY_OVERLAP;
    if (st == CL_SUCCESS)
        set_copy(command, to->data + to_offset, from->data + from_offset, size);
    st = finish(command, st, CL_FALSE, event);
    return call_leave(CALL_clEnqueueCopyBuffer, st);
}

static cl_int set_fill(struct command *command, cl_mem memory,
        const void *pattern, size_t pattern_size, size_t offset, size_t size)
{
    struct command_fill *fill = &command->fill;

    if (pattern == NULL || pattern_size == 0
            || pattern_size > sizeof(fill->pattern)
            || (pattern_size & (pattern_size - 1)) != 0
            || offset % pattern_size != 0 || size % pattern_size != 0)
        return CL_INVALID_VALUE;
    command->work = WORK_FILL;
    fill->to = memory->data + offset;
    fill->size = size;
    fill->pattern_size = pattern_size;
    memcpy(fill->pattern, pattern, pattern_size);
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clEnqueueFillBuffer(cl_command_queue queue,
        cl_mem memory, const void *pattern, size_t pattern_size, size_t offset,
        size_t size, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    cl_int st = call_enter(CALL_clEnqueueFillBuffer,
            "memory=%p offset=%zu size=%zu", (const void *)memory, offset,
            size);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_FILL_BUFFER, nwait, wait);
    if (st == CL_SUCCESS) st = use_memory(command, memory, offset, size);
    if (st == CL_SUCCESS)
        st = set_fill(command, memory, pattern, pattern_size, offset, size);
    st = finish(command, st, CL_FALSE, event);
    return call_leave(CALL_clEnqueueFillBuffer, st);
}

/* ---- boxes ---- */

/* Pitches of 0 mean that rows and slices lie close. */
static cl_int box_make(struct box *box, const size_t origin[3],
        const size_t region[3], size_t row, size_t slice)
{
    if (origin == NULL || region == NULL || region[0] == 0 || region[1] == 0
            || region[2] == 0)
        return CL_INVALID_VALUE;
    memcpy(box->region, region, sizeof(box->region));
    box->pitch[0] = row != 0 ? row : region[0];
    box->pitch[1] = slice != 0 ? slice : region[1] * box->pitch[0];
    if (box->pitch[0] < region[0] || box->pitch[1] < region[1] * box->pitch[0]
            || box->pitch[1] % box->pitch[0] != 0)
        return CL_INVALID_VALUE;
    box->begin =
            origin[2] * box->pitch[1] + origin[1] * box->pitch[0] + origin[0];
    return CL_SUCCESS;
}

/* From the box's first byte to its last. */
static size_t box_extent(const struct box *box)
{
    return (box->region[2] - 1) * box->pitch[1]
           + (box->region[1] - 1) * box->pitch[0] + box->region[0];
}

static void set_box_copy(struct command *command, uint8_t *to,
        const struct box *to_box, const uint8_t *from,
        const struct box *from_box)
{
    command->work = WORK_COPY;
    command->copy.to = to + to_box->begin;
    command->copy.from = from + from_box->begin;
    memcpy(command->copy.region, to_box->region, sizeof(to_box->region));
    memcpy(command->copy.to_pitch, to_box->pitch, sizeof(to_box->pitch));
    memcpy(command->copy.from_pitch, from_box->pitch, sizeof(from_box->pitch));
}

cl_int CL_API_CALL fake_clEnqueueReadBufferRect(cl_command_queue queue,
        cl_mem memory, cl_bool blocking, const size_t *buffer_origin,
        const size_t *host_origin, const size_t *region, size_t buffer_row,
        size_t buffer_slice, size_t host_row, size_t host_slice, void *to,
        cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    struct box buffer, host;
    cl_int st = call_enter(
            CALL_clEnqueueReadBufferRect, "memory=%p", (const void *)memory);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_READ_BUFFER_RECT, nwait, wait);
    if (st == CL_SUCCESS)
        st = box_make(&buffer, buffer_origin, region, buffer_row, buffer_slice);
    if (st == CL_SUCCESS)
        st = box_make(&host, host_origin, region, host_row, host_slice);
    if (st == CL_SUCCESS)
        st = use_memory(command, memory, buffer.begin, box_extent(&buffer));
    if (st == CL_SUCCESS && to == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        set_box_copy(command, to, &host, memory->data, &buffer);
    st = finish(command, st, blocking, event);
    return call_leave(CALL_clEnqueueReadBufferRect, st);
}

cl_int CL_API_CALL fake_clEnqueueWriteBufferRect(cl_command_queue queue,
        cl_mem memory, cl_bool blocking, const size_t *buffer_origin,
        const size_t *host_origin, const size_t *region, size_t buffer_row,
        size_t buffer_slice, size_t host_row, size_t host_slice,
        const void *from, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    struct box buffer, host;
    cl_int st = call_enter(
            CALL_clEnqueueWriteBufferRect, "memory=%p", (const void *)memory);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_WRITE_BUFFER_RECT, nwait, wait);
    if (st == CL_SUCCESS)
        st = box_make(&buffer, buffer_origin, region, buffer_row, buffer_slice);
    if (st == CL_SUCCESS)
        st = box_make(&host, host_origin, region, host_row, host_slice);
    if (st == CL_SUCCESS)
        st = use_memory(command, memory, buffer.begin, box_extent(&buffer));
    if (st == CL_SUCCESS && from == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        set_box_copy(command, memory->data, &buffer, from, &host);
    st = finish(command, st, blocking, event);
    return call_leave(CALL_clEnqueueWriteBufferRect, st);
}

cl_int CL_API_CALL fake_clEnqueueCopyBufferRect(cl_command_queue queue,
        cl_mem from, cl_mem to, const size_t *from_origin,
        const size_t *to_origin, const size_t *region, size_t from_row,
        size_t from_slice, size_t to_row, size_t to_slice, cl_uint nwait,
        const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    struct box source, target;
    cl_int st = call_enter(CALL_clEnqueueCopyBufferRect, "from=%p to=%p",
            (const void *)from, (const void *)to);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_COPY_BUFFER_RECT, nwait, wait);
    if (st == CL_SUCCESS)
        st = box_make(&source, from_origin, region, from_row, from_slice);
    if (st == CL_SUCCESS)
        st = box_make(&target, to_origin, region, to_row, to_slice);
    if (st == CL_SUCCESS)
        st = use_memory(command, from, source.begin, box_extent(&source));
    if (st == CL_SUCCESS)
        st = use_memory(command, to, target.begin, box_extent(&target));
    if (st == CL_SUCCESS)
        set_box_copy(command, to->data, &target, from->data, &source);
    st = finish(command, st, CL_FALSE, event);
    return call_leave(CALL_clEnqueueCopyBufferRect, st);
}

/* ---- maps ---- */

void *CL_API_CALL fake_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory,
        cl_bool blocking, cl_map_flags flags, size_t offset, size_t size,
        cl_uint nwait, const cl_event *wait, cl_event *event, cl_int *errcode)
{
    struct command *command = NULL;
    void *mapped = NULL;
    cl_int st = call_enter(CALL_clEnqueueMapBuffer,
            "memory=%p offset=%zu size=%zu flags=0x%llx", (const void *)memory,
            offset, size, (unsigned long long)flags);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_MAP_BUFFER, nwait, wait);
    if (st == CL_SUCCESS) st = use_memory(command, memory, offset, size);
    if (st == CL_SUCCESS) mapped = memory->data + offset;
    if (st == CL_SUCCESS) memory->maps++;
    st = finish(command, st, blocking, event);
    call_leave_with(CALL_clEnqueueMapBuffer, st, errcode);
    return st == CL_SUCCESS ? mapped : NULL;
}

cl_int CL_API_CALL fake_clEnqueueUnmapMemObject(cl_command_queue queue,
        cl_mem memory, void *mapped, cl_uint nwait, const cl_event *wait,
        cl_event *event)
{
    struct command *command = NULL;
    const uint8_t *at = mapped;
    cl_int st = call_enter(
            CALL_clEnqueueUnmapMemObject, "memory=%p", (const void *)memory);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_UNMAP_MEM_OBJECT, nwait, wait);
    if (st == CL_SUCCESS) st = memory_check(queue, memory);
    if (st == CL_SUCCESS
            && (memory->maps == 0 || at < memory->data
                    || at >= memory->data + memory->size))
        st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS) st = command_keep(command, memory);
    if (st == CL_SUCCESS) memory->maps--;
    st = finish(command, st, CL_FALSE, event);
    return call_leave(CALL_clEnqueueUnmapMemObject, st);
}

cl_int CL_API_CALL fake_clEnqueueMigrateMemObjects(cl_command_queue queue,
        cl_uint n, const cl_mem *memories, cl_mem_migration_flags flags,
        cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    cl_int st = call_enter(CALL_clEnqueueMigrateMemObjects,
            "memories=%u flags=0x%llx", n, (unsigned long long)flags);

    if (st == CL_SUCCESS)
        st = command_create(
                &command, queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, nwait, wait);
    if (st == CL_SUCCESS && (n == 0 || memories == NULL)) st = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n && st == CL_SUCCESS; i++) {
        st = memory_check(queue, memories[i]);
        if (st == CL_SUCCESS) st = command_keep(command, memories[i]);
    }
    st = finish(command, st, CL_FALSE, event);
    return call_leave(CALL_clEnqueueMigrateMemObjects, st);
}

/* ---- markers and barriers ---- */

static cl_int enqueue_point(cl_command_queue queue, cl_command_type type,
        bool hold_back, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct command *command = NULL;
    cl_int st = command_create(&command, queue, type, nwait, wait);

    if (st == CL_SUCCESS) st = command_make_barrier(command, hold_back);
    return finish(command, st, CL_FALSE, event);
}

cl_int CL_API_CALL fake_clEnqueueMarkerWithWaitList(cl_command_queue queue,
        cl_uint nwait, const cl_event *wait, cl_event *event)
{
    cl_int st = call_enter(
            CALL_clEnqueueMarkerWithWaitList, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS)
        st = enqueue_point(queue, CL_COMMAND_MARKER, false, nwait, wait, event);
    return call_leave(CALL_clEnqueueMarkerWithWaitList, st);
}

cl_int CL_API_CALL fake_clEnqueueBarrierWithWaitList(cl_command_queue queue,
        cl_uint nwait, const cl_event *wait, cl_event *event)
{
    cl_int st = call_enter(
            CALL_clEnqueueBarrierWithWaitList, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS)
        st = enqueue_point(queue, CL_COMMAND_BARRIER, true, nwait, wait, event);
    return call_leave(CALL_clEnqueueBarrierWithWaitList, st);
}

cl_int CL_API_CALL fake_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    cl_int st =
            call_enter(CALL_clEnqueueMarker, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS && event == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        st = enqueue_point(queue, CL_COMMAND_MARKER, false, 0, NULL, event);
    return call_leave(CALL_clEnqueueMarker, st);
}

cl_int CL_API_CALL fake_clEnqueueBarrier(cl_command_queue queue)
{
    cl_int st =
            call_enter(CALL_clEnqueueBarrier, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS)
        st = enqueue_point(queue, CL_COMMAND_BARRIER, true, 0, NULL, NULL);
    return call_leave(CALL_clEnqueueBarrier, st);
}

cl_int CL_API_CALL fake_clEnqueueWaitForEvents(
        cl_command_queue queue, cl_uint nwait, const cl_event *wait)
{
    cl_int st = call_enter(
            CALL_clEnqueueWaitForEvents, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS && (nwait == 0 || wait == NULL)) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        st = enqueue_point(queue, CL_COMMAND_BARRIER, true, nwait, wait, NULL);
    return call_leave(CALL_clEnqueueWaitForEvents, st);
}
