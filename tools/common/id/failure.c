/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/failure.h"

#include "src/common/buffer.h"
#include "src/common/byte_order.h"
#include "tools/common/id/failure_log.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = "dncfail"; /* with its NUL */
enum { record_version = 1 };

/* No blob ID begins so: those have other eight bytes
 * (docs/reference/format.md). */
static const char key_magic[] = "dnnl_cache failed build 1";

static const cl_program_build_info queries[failure_query_count] = {
        [failure_status] = CL_PROGRAM_BUILD_STATUS,
        [failure_options] = CL_PROGRAM_BUILD_OPTIONS,
        [failure_log] = CL_PROGRAM_BUILD_LOG,
        [failure_binary_type] = CL_PROGRAM_BINARY_TYPE,
        [failure_global_bytes] = CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
};

enum failure_query failure_query_of(cl_program_build_info what)
{
    int query = 0;
    while (query < failure_query_count && queries[query] != what)
        query++;
    return (enum failure_query)query;
}

cl_program_build_info failure_query_name(enum failure_query query)
{
    return queries[query];
}

/* ---- Writing ------------------------------------------------------------- */

static void put_error(struct buffer *out, cl_int error)
{
    buffer_append_u64(out, (uint32_t)error);
}

static void put_answer(struct buffer *out, const struct failure_answer *answer)
{
    put_error(out, answer->error);
    buffer_append_u64(out, answer->size);
    buffer_append(out, answer->bytes, answer->size);
}

/* The caller gets the bytes. */
static bool hand_over(struct bytes *bytes, struct buffer *out)
{
    const bool good = buffer_status(out) == dnnl_success;
    *bytes = (struct bytes){.data = NULL};
    if (!good) {
        buffer_fini(out);
        return false;
    }
    bytes->data = out->data;
    bytes->size = out->size;
    return true;
}

bool failure_encode(const struct failure *f, struct bytes *bytes)
{
    struct buffer buffer;
    struct buffer *out = &buffer;
    buffer_init(out);
    buffer_append(out, magic, sizeof magic);
    buffer_append_u64(out, record_version);
    buffer_append_u64(out, f->state);
    buffer_append_u64(out, f->when_s);
    buffer_append_u64(out, f->process[0]);
    buffer_append_u64(out, f->process[1]);
    buffer_append_u64(out, f->compile_ns);
    put_error(out, f->returned);
    put_error(out, f->number_error);
    put_error(out, f->names_error);
    put_error(out, f->kernel_error);
    put_error(out, f->kernels_error);
    buffer_append_u64(out, f->device_count);
    for (uint32_t i = 0; i < f->device_count; i++)
        for (int q = 0; q < failure_query_count; q++)
            put_answer(out, &f->devices[i].answers[q]);
    return hand_over(bytes, out);
}

/* ---- Reading ------------------------------------------------------------- */

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

static uint64_t get_number(struct cursor *c)
{
    if (c->failed || c->end - c->at < 8) {
        c->failed = true;
        return 0;
    }
    c->at += 8;
    return load_le64(c->at - 8);
}

/* Only the lower half is ever written. */
static cl_int get_error(struct cursor *c)
{
    const uint64_t value = get_number(c);
    if (value > UINT32_MAX) c->failed = true;
    return c->failed ? 0 : (cl_int)(uint32_t)value;
}

/* What must be an error: a record never makes a program that has failed have
 * kernels. */
static cl_int get_refusal(struct cursor *c)
{
    const cl_int error = get_error(c);
    if (error >= CL_SUCCESS) c->failed = true;
    return error;
}

static void get_answer(struct cursor *c, struct failure_answer *answer)
{
    answer->error = get_error(c);
    const uint64_t size = get_number(c);
    if (c->failed || size > (uint64_t)(c->end - c->at)
            || (answer->error != CL_SUCCESS && size > 0)) {
        c->failed = true;
        return;
    }
    answer->size = (size_t)size;
    answer->bytes = c->at;
    c->at += size;
}

static bool is_number(const struct failure_answer *answer, size_t size)
{
    return answer->error == CL_SUCCESS && answer->size == size;
}

static bool is_text(const struct failure_answer *answer)
{
    return answer->error == CL_SUCCESS && answer->size > 0
           && answer->bytes[answer->size - 1] == '\0';
}

static cl_build_status status_of(const struct failure_device *device)
{
    cl_build_status status = CL_BUILD_NONE;
    memcpy(&status, device->answers[failure_status].bytes, sizeof status);
    return status;
}

/* Applications read these without a look at their sizes. */
static bool is_device(const struct failure_device *device)
{
    return is_number(&device->answers[failure_status], sizeof(cl_build_status))
           && is_text(&device->answers[failure_options])
           && is_text(&device->answers[failure_log])
           && is_number(&device->answers[failure_binary_type],
                   sizeof(cl_program_binary_type))
           && device->answers[failure_global_bytes].size <= sizeof(size_t)
           && (status_of(device) == CL_BUILD_ERROR
                   || status_of(device) == CL_BUILD_NONE);
}

static bool any_failed(const struct failure *f)
{
    for (uint32_t i = 0; i < f->device_count; i++)
        if (status_of(&f->devices[i]) == CL_BUILD_ERROR) return true;
    return false;
}

static void get_devices(struct cursor *c, struct failure *f)
{
    const uint64_t count = get_number(c);
    if (c->failed || count == 0 || count > failure_most_devices) {
        c->failed = true;
        return;
    }
    f->devices = calloc((size_t)count, sizeof *f->devices);
    if (f->devices == NULL) {
        c->failed = true;
        return;
    }
    f->device_count = (uint32_t)count;
    for (uint32_t i = 0; i < f->device_count && !c->failed; i++) {
        for (int q = 0; q < failure_query_count && !c->failed; q++)
            get_answer(c, &f->devices[i].answers[q]);
        if (!c->failed && !is_device(&f->devices[i])) c->failed = true;
    }
    if (!c->failed && !any_failed(f)) c->failed = true;
}

bool failure_decode(struct failure *f, const uint8_t *data, size_t size)
{
    struct cursor c = {.at = data, .end = data + size};
    *f = (struct failure){.devices = NULL};
    if (size < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
        return false;
    c.at += sizeof magic;
    if (get_number(&c) != record_version) c.failed = true;
    const uint64_t state = get_number(&c);
    if (state != failure_seen && state != failure_kept) c.failed = true;
    f->state = state == failure_kept ? failure_kept : failure_seen;
    f->when_s = get_number(&c);
    f->process[0] = get_number(&c);
    f->process[1] = get_number(&c);
    f->compile_ns = get_number(&c);
    f->returned = get_error(&c);
    if (f->returned > CL_SUCCESS) c.failed = true;
    f->number_error = get_refusal(&c);
    f->names_error = get_refusal(&c);
    f->kernel_error = get_refusal(&c);
    f->kernels_error = get_refusal(&c);
    if (!c.failed) get_devices(&c, f);
    if (!c.failed && c.at == c.end) return true;
    failure_fini(f);
    return false;
}

void failure_fini(struct failure *f)
{
    free(f->devices);
    *f = (struct failure){.devices = NULL};
}

/* ---- Comparing ----------------------------------------------------------- */

static bool is_same_answer(const struct failure_answer *a,
        const struct failure_answer *b, enum failure_query query)
{
    if (a->error != b->error) return false;
    if (query == failure_log && a->error == CL_SUCCESS)
        return failure_log_is_same((const char *)a->bytes, a->size,
                (const char *)b->bytes, b->size);
    return a->size == b->size
           && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool is_same_device(
        const struct failure_device *a, const struct failure_device *b)
{
    for (int q = 0; q < failure_query_count; q++)
        if (!is_same_answer(
                    &a->answers[q], &b->answers[q], (enum failure_query)q))
            return false;
    return true;
}

bool failure_is_same(const struct failure *a, const struct failure *b)
{
    if (a->returned != b->returned || a->number_error != b->number_error
            || a->names_error != b->names_error
            || a->kernel_error != b->kernel_error
            || a->kernels_error != b->kernels_error
            || a->device_count != b->device_count)
        return false;
    for (uint32_t i = 0; i < a->device_count; i++)
        if (!is_same_device(&a->devices[i], &b->devices[i])) return false;
    return true;
}

/* ---- Keys ---------------------------------------------------------------- */

bool failure_key_make(struct bytes *key, const char *options, bool has_callback,
        size_t count, const struct failure_id *ids)
{
    const size_t size = options != NULL ? strlen(options) : 0;
    struct buffer out;
    buffer_init(&out);
    buffer_append(&out, key_magic, sizeof key_magic);
    buffer_append_u8(
            &out, (uint8_t)((options != NULL) | (has_callback ? 2 : 0)));
    buffer_append_u64(&out, size);
    buffer_append(&out, options, size);
    for (size_t i = 0; i < count; i++) {
        buffer_append_u64(&out, ids[i].size);
        buffer_append(&out, ids[i].bytes, ids[i].size);
    }
    return hand_over(key, &out);
}

/* Takes what has its size before it; NULL: there is none. */
static const uint8_t *take(struct cursor *c, size_t *size)
{
    const uint64_t n = get_number(c);
    if (c->failed || n > (uint64_t)(c->end - c->at)) {
        c->failed = true;
        return NULL;
    }
    *size = (size_t)n;
    c->at += n;
    return c->at - n;
}

bool failure_key_has(
        size_t key_size, const uint8_t *key, size_t id_size, const uint8_t *id)
{
    const size_t head = sizeof key_magic + 1;
    struct cursor c = {.at = key, .end = key + key_size};
    bool has = false;
    size_t size = 0;
    if (key_size < head || memcmp(key, key_magic, sizeof key_magic) != 0)
        return false;
    c.at += head;
    (void)take(&c, &size); /* the options */
    while (!c.failed && c.at < c.end) {
        const uint8_t *one = take(&c, &size);
        if (one != NULL && size == id_size && memcmp(one, id, id_size) == 0)
            has = true;
    }
    return has && !c.failed;
}
