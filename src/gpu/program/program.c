/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/program/program.h"

#include "blob/codec.h"
#include "common/clock.h"
#include "common/log.h"
#include "gpu/device/cl_status.h"
#include "gpu/engine/blob_match.h"
#include "gpu/engine/statistics.h"
#include "gpu/program/context_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Life ---------------------------------------------------------------- */

/* Takes cl over, also on failure. */
static dnnl_status_t program_wrap(const struct program_recipe *recipe,
        cl_program cl, struct program **out)
{
    struct program *p = calloc(1, sizeof *p);
    if (p == NULL) {
        clReleaseProgram(cl);
        return dnnl_out_of_memory;
    }
    atomic_init(&p->references, 1);
    once_init(&p->captured);
    atomic_init(&p->in_memory, false);
    atomic_init(&p->last_use, 0);
    atomic_init(&p->from_store, false);
    p->device = recipe->engine->device;
    p->cl = cl;
    p->compression = atomic_load(&recipe->engine->compression);
    p->key.hash = recipe->key->hash;
    buffer_append(
            &p->key.bytes, recipe->key->bytes.data, recipe->key->bytes.size);
    p->id = program_key_id(&p->key);
    if (buffer_status(&p->key.bytes) != dnnl_success) {
        program_release(p);
        return dnnl_out_of_memory;
    }
    *out = p;
    return dnnl_success;
}

void program_retain(struct program *program)
{
    atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
}

void program_release(struct program *program)
{
    if (program == NULL) return;
    if (atomic_fetch_sub_explicit(&program->references, 1, memory_order_acq_rel)
            != 1)
        return;
    /* The last chance to offer it; the application has launched its kernels. */
    if (program_is_wanted(program)) (void)program_capture(program);
    store_release(program->store);
    clReleaseProgram(program->cl);
    program_key_fini(&program->key);
    buffer_fini(&program->first_log);
    buffer_fini(&program->binary);
    buffer_fini(&program->log);
    buffer_fini(&program->kernels);
    buffer_fini(&program->user_data);
    once_fini(&program->captured);
    free(program);
}

static void cache_retain(void *value)
{
    program_retain(value);
}

static void cache_release(void *value)
{
    program_release(value);
}

bool program_is_wanted(struct program *program)
{
    return program->store != NULL
           && !store_has_fresher(program->store, program->id.data,
                   program->id.size, program->made);
}

static uint64_t next_number(void)
{
    static atomic_uint_least64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* The driver is asked only if it counts: to know the size some compile more.
 * What cannot be counted is too much for any limit. */
static size_t cache_bytes(const void *value)
{
    const struct program *program = value;
    struct program *p = (struct program *)(uintptr_t)program;
    if (once_get_done(&p->captured)) return (size_t)p->raw_size;
    if (p->known_size > 0) return p->known_size;
    if (!context_memory_is_limited()) return 0;
    size_t size = program_binary_size(program);
    return size > 0 ? size : SIZE_MAX;
}

static void cache_mark(void *value, bool kept)
{
    atomic_store(&((struct program *)value)->in_memory, kept);
}

static uint64_t cache_last_use(const void *value)
{
    const struct program *program = value;
    return atomic_load_explicit(&program->last_use, memory_order_relaxed);
}

bool program_is_builders_own(dnnl_status_t st)
{
    return st == dnnl_cache_miss || is_blobs_fault(st);
}

const struct cache_ops program_cache_ops = {.retain = cache_retain,
        .release = cache_release,
        .bytes = cache_bytes,
        .mark = cache_mark,
        .last_use = cache_last_use,
        .is_builders_own = program_is_builders_own};

void program_touch(struct program *program)
{
    if (context_memory_is_limited())
        atomic_store_explicit(
                &program->last_use, cache_stamp(), memory_order_relaxed);
}

bool program_has_no_room(struct program *program)
{
    return context_memory_is_limited() && !atomic_load(&program->in_memory);
}

/* ---- From source --------------------------------------------------------- */

static dnnl_status_t compile(const struct program_recipe *recipe,
        struct program **out, struct note **note)
{
    struct dnnl_engine *engine = recipe->engine;
    struct buffer first_log = {NULL, 0, 0, false};
    cl_program cl;
    dnnl_status_t st = program_text_compile(recipe->text, engine->context,
            engine->device, &first_log, note, &cl);
    if (st == dnnl_success && recipe->warm_up != NULL) {
        st = recipe->warm_up(recipe->warm_up_arg, engine, cl);
        if (st != dnnl_success) clReleaseProgram(cl);
    }
    if (st == dnnl_success) {
        statistics_add(&statistics.programs_compiled, 1);
        st = program_wrap(recipe, cl, out);
    }
    if (st == dnnl_success)
        (*out)->first_log = first_log; /* moved */
    else
        buffer_fini(&first_log);
    return st;
}

/* ---- From a blob --------------------------------------------------------- */

/* Hands the driver a binary whose blob was verified. A refusal is no error of
 * the caller's: the blob is stale. */
static dnnl_status_t load_binary(const struct program_recipe *recipe,
        const uint8_t *binary, size_t size, cl_program *out)
{
    struct dnnl_engine *engine = recipe->engine;
    cl_int binary_status = CL_SUCCESS;
    cl_int error;
    cl_program cl = NULL;
    dnnl_status_t st =
            dnnl_cache_create_program_with_binary(&cl, engine->context, 1,
                    &engine->device, &size, &binary, &binary_status, &error);
    if (st == dnnl_unimplemented) return dnnl_cache_blob_unsupported;
    if (error == CL_SUCCESS && st != dnnl_success) return st;
    if (error == CL_SUCCESS && binary_status != CL_SUCCESS) {
        clReleaseProgram(cl);
        error = binary_status;
    }
    const char *function = "clCreateProgramWithBinary";
    if (error == CL_SUCCESS) {
        /* The options again: with them some drivers know a program's argument
         * info and options as if it came from source. */
        function = "clBuildProgram";
        error = clBuildProgram(
                cl, 1, &engine->device, recipe->text->options, NULL, NULL);
        if (error != CL_SUCCESS && error != CL_OUT_OF_HOST_MEMORY)
            error = clBuildProgram(cl, 1, &engine->device, "", NULL, NULL);
        if (error != CL_SUCCESS) clReleaseProgram(cl);
    }
    if (error == CL_SUCCESS) {
        *out = cl;
        return dnnl_success;
    }
    /* What the binary has no part in. */
    if (error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES
            || error == CL_DEVICE_NOT_AVAILABLE)
        return cl_status(error, function);
    log_message(dnnl_cache_log_info, "blob",
            "the driver refuses the binary: %s answers %s (%d)", function,
            cl_error_name(error), (int)error);
    return dnnl_cache_blob_stale;
}

/* Fills in what a capture would have, from the blob. */
static dnnl_status_t take_record(struct program *p,
        const struct blob_view *view, uint32_t index,
        const struct blob_program *record)
{
    buffer_append(&p->binary, record->binary, record->binary_size);
    buffer_append(&p->log, record->log, record->log_size);
    buffer_append_u8(&p->log, 0);
    buffer_append(&p->user_data, view->user_data, view->user_data_size);
    p->raw_size = record->raw_size;
    p->codec = (enum blob_codec)record->codec;
    for (uint32_t i = 0; i < view->kernel_count; i++) {
        struct blob_kernel kernel;
        dnnl_status_t st = blob_view_kernel(view, i, &kernel);
        if (st != dnnl_success) return st;
        if (kernel.program != index) continue;
        buffer_append(&p->kernels, kernel.name, kernel.name_size);
        buffer_append_u8(&p->kernels, 0);
        p->kernel_count++;
    }
    dnnl_status_t st = buffer_status(&p->binary);
    if (st == dnnl_success) st = buffer_status(&p->log);
    if (st == dnnl_success) st = buffer_status(&p->kernels);
    if (st == dnnl_success) st = buffer_status(&p->user_data);
    if (st == dnnl_success) once_set_done(&p->captured);
    return st;
}

static dnnl_status_t load(const struct program_recipe *recipe,
        const struct blob_view *view, uint32_t index, struct program **out)
{
    struct blob_program record;
    uint8_t *decoded = NULL;
    struct program *p = NULL;
    cl_program cl = NULL;
    dnnl_status_t st = blob_view_program(view, index, &record);
    if (st != dnnl_success) return st;
    if (record.backend != blob_backend_opencl)
        return dnnl_cache_blob_unsupported;

    const uint8_t *binary = record.binary;
    size_t size = record.binary_size;
    if (record.codec != blob_codec_none) {
        size = (size_t)record.raw_size;
        decoded = malloc(size);
        if (decoded == NULL) return dnnl_out_of_memory;
        st = codec_decode((enum blob_codec)record.codec, record.binary,
                record.binary_size, decoded, size);
        binary = decoded;
    }
    if (st == dnnl_success) st = load_binary(recipe, binary, size, &cl);
    free(decoded);
    if (st != dnnl_success) return st;
    st = program_wrap(recipe, cl, &p);
    if (st != dnnl_success) return st;
    st = take_record(p, view, index, &record);
    if (st != dnnl_success) {
        program_release(p);
        return st;
    }
    statistics_add(&statistics.programs_loaded, 1);
    *out = p;
    return dnnl_success;
}

/* ---- Memory, then store, then compiler ----------------------------------- */

struct build {
    const struct program_recipe *recipe;
    const struct blob_view *view; /* NULL: from store or source */
    uint32_t index;
    dnnl_cache_compile_mode_t mode;
    bool ran;          /* this call was the builder */
    struct note *note; /* what the compiler said, if it refused */
    struct program_trace trace;
};

static dnnl_status_t load_timed(
        struct build *b, const struct blob_view *view, struct program **out)
{
    uint64_t start = clock_ns();
    dnnl_status_t st = load(b->recipe, view, b->index, out);
    b->trace.driver_ns = clock_ns() - start;
    statistics_add(&statistics.load_ns, b->trace.driver_ns);
    return st;
}

static dnnl_status_t compile_timed(struct build *b, struct program **out)
{
    uint64_t start = clock_ns();
    dnnl_status_t st = compile(b->recipe, out, &b->note);
    /* Here, since some drivers compile for it what the time is to have. */
    if (st == dnnl_success && (*out)->id.size > 0
            && context_memory_is_limited())
        (*out)->known_size = program_binary_size(*out);
    b->trace.driver_ns = clock_ns() - start;
    statistics_add(&statistics.compile_ns, b->trace.driver_ns);
    if (st != dnnl_success) return st;
    b->trace.origin = dnnl_cache_origin_compiled;
    (*out)->compile_ns = b->trace.driver_ns;
    return dnnl_success;
}

/* An intact blob of the right ID may hold another program, or more than one. */
static dnnl_status_t check_record(const struct program_recipe *recipe,
        const struct blob_view *view, uint32_t index)
{
    struct blob_program record;
    dnnl_status_t st = blob_view_program(view, index, &record);
    if (st != dnnl_success) return st;
    const struct program_id id = program_key_id(recipe->key);
    if (view->program_count != 1 || record.id_size != id.size
            || memcmp(record.id, id.data, id.size) != 0)
        return dnnl_cache_blob_stale;
    return dnnl_success;
}

/* The program from a store's blob. What is of no use there is removed, and a
 * dnnl_cache_miss like what is not there. */
static dnnl_status_t load_from_store(
        struct build *b, struct store *store, struct program **out)
{
    const struct program_recipe *recipe = b->recipe;
    const struct program_id id = program_key_id(recipe->key);
    struct store_blob blob;
    struct blob_view view;
    if (!store_get(store, id.data, id.size, &blob)) return dnnl_cache_miss;
    dnnl_status_t st = blob_verify(
            blob.data, blob.size, blob_kind_program, &view, &b->trace.reason);
    if (st == dnnl_success)
        st = blob_match_id(&view, id.data, id.size, &b->trace.reason);
    if (st == dnnl_success) {
        st = check_record(recipe, &view, b->index);
        if (st == dnnl_success) st = load_timed(b, &view, out);
        if (is_blobs_fault(st))
            blob_reject(st, "its program cannot be used", &b->trace.reason);
    }
    size_t size = blob.size;
    store_give_back(store, &blob);
    if (st == dnnl_success) {
        b->trace.origin = dnnl_cache_origin_store_hit;
        b->trace.blob_bytes = size;
        atomic_store(&(*out)->from_store, true);
        statistics_add(&statistics.store_hits, 1);
        return st;
    }
    statistics_add(&statistics.store_misses, 1);
    /* Out of memory, say, is not the blob's fault. */
    if (!is_blobs_fault(st)) return st;
    b->trace.blob_status = st;
    /* One that may not compile cannot put a better one there; and another may
     * have done so since. */
    if (is_worth_removing(st) && b->mode != dnnl_cache_compile_mode_cached_only)
        store_remove(store, id.data, id.size);
    return dnnl_cache_miss;
}

static dnnl_status_t build_without_blob(struct build *b, struct program **out)
{
    struct store *store = b->recipe->key->bytes.size > 0
                                  ? engine_store(b->recipe->engine)
                                  : NULL;
    dnnl_status_t st = dnnl_cache_miss;
    if (store != NULL && b->mode != dnnl_cache_compile_mode_recompile)
        st = load_from_store(b, store, out);
    if (st != dnnl_success && b->mode != dnnl_cache_compile_mode_cached_only) {
        uint64_t number = next_number();
        st = compile_timed(b, out);
        if (st == dnnl_success) (*out)->made = number;
        if (st == dnnl_success && store != NULL
                && b->trace.blob_status != dnnl_cache_blob_unsupported) {
            store_retain(store);
            (*out)->store = store;
            if (b->mode == dnnl_cache_compile_mode_recompile)
                store_note_fresh(
                        store, (*out)->id.data, (*out)->id.size, number);
        }
    }
    store_release(store);
    return st;
}

static dnnl_status_t build_program(void *arg, void **value, struct note **note)
{
    struct build *b = arg;
    struct program *p = NULL;
    dnnl_status_t st;
    b->ran = true;
    if (b->view != NULL) {
        st = load_timed(b, b->view, &p);
        b->trace.origin = dnnl_cache_origin_blob;
    } else {
        st = build_without_blob(b, &p);
    }
    if (st == dnnl_success) *value = p;
    *note = b->note;
    b->note = NULL;
    return st;
}

/* Writes what a successful look-up or build came to. */
static void give(const struct build *b, void *value, struct program **out,
        struct program_trace *trace)
{
    *trace = b->trace;
    if (!b->ran) trace->origin = dnnl_cache_origin_memory_hit;
    *out = value;
}

enum cache_way program_cache_way(
        bool is_cacheable, dnnl_cache_compile_mode_t mode)
{
    if (!is_cacheable) return cache_way_unkept;
    if (mode == dnnl_cache_compile_mode_recompile) return cache_way_anew;
    /* Cached-only calls never wait for another thread's compilation. */
    if (mode == dnnl_cache_compile_mode_cached_only) return cache_way_no_wait;
    return cache_way_shared;
}

static dnnl_status_t acquire(struct build *b, struct program **out,
        struct program_trace *trace, struct note **note)
{
    void *value = NULL;
    struct cache_key key = program_key_of_cache(b->recipe->key);
    struct context_memory *memory;
    dnnl_status_t st = context_memory(b->recipe->engine, &memory);
    if (st != dnnl_success) return st;
    st = cache_get_or_build(memory->programs, &key,
            program_cache_way(key.size > 0, b->mode), build_program, b, &value,
            NULL, note);
    if (st == dnnl_success) give(b, value, out, trace);
    return st;
}

dnnl_status_t program_acquire(const struct program_recipe *recipe,
        struct program **out, struct program_trace *trace, struct note **note)
{
    struct build b = {
            .recipe = recipe, .mode = engine_compile_mode(recipe->engine)};
    if (recipe->is_fresh && b.mode == dnnl_cache_compile_mode_cached_only)
        return dnnl_cache_miss;
    if (recipe->is_fresh) b.mode = dnnl_cache_compile_mode_recompile;
    return acquire(&b, out, trace, note);
}

dnnl_status_t program_acquire_from_blob(const struct program_recipe *recipe,
        const struct blob_view *view, uint32_t index, struct program **out,
        struct program_trace *trace)
{
    struct build b = {.recipe = recipe,
            .view = view,
            .index = index,
            .mode = dnnl_cache_compile_mode_normal};
    /* Which does not wait for a thread that compiles it meanwhile. */
    if (engine_compile_mode(recipe->engine)
            == dnnl_cache_compile_mode_cached_only)
        b.mode = dnnl_cache_compile_mode_cached_only;
    struct note *note = NULL; /* nothing is compiled */
    dnnl_status_t st = check_record(recipe, view, index);
    if (st == dnnl_success) st = acquire(&b, out, trace, &note);
    note_release(note);
    return st;
}

void program_forget(struct dnnl_engine *engine, struct program *program)
{
    struct cache_key key = program_key_of_cache(&program->key);
    struct context_memory *memory;
    if (key.size == 0) return;
    if (context_memory(engine, &memory) == dnnl_success)
        (void)cache_remove_value(memory->programs, &key, program);
    /* Once: others may find it unusable as well, and one of them may have put
     * a better one there since. */
    if (!atomic_exchange(&program->from_store, false)) return;
    struct store *store = engine_store(engine);
    if (store != NULL) store_remove(store, program->id.data, program->id.size);
    store_release(store);
}

void program_keep(struct program *program)
{
    if (program->store != NULL && !store_is_inside())
        (void)program_capture(program);
}

dnnl_status_t program_adopt(const struct program_recipe *recipe, cl_program cl,
        struct program **out)
{
    struct program *p;
    dnnl_status_t st = cl_status(clRetainProgram(cl), "clRetainProgram");
    if (st == dnnl_success) st = program_wrap(recipe, cl, &p);
    if (st != dnnl_success) return st;
    p->made = next_number();
    if (p->id.size > 0) p->store = engine_store(recipe->engine);
    *out = p;
    return dnnl_success;
}

dnnl_status_t program_trace_info(const struct program_trace *trace,
        uint64_t start_ns, dnnl_cache_creation_info_t *info, char **reason)
{
    char *copy = NULL;
    if (trace->blob_status != dnnl_success) {
        copy = strdup(trace->reason.text);
        if (copy == NULL) return dnnl_out_of_memory;
    }
    *info = (dnnl_cache_creation_info_t){
            .struct_size = sizeof *info,
            .origin = trace->origin,
            .blob_status = trace->blob_status,
            .blob_reason = copy != NULL ? copy : "",
            .driver_ns = trace->driver_ns,
            .total_ns = clock_ns() - start_ns,
            .blob_bytes = trace->blob_bytes,
            .not_cacheable_reason = "",
    };
    *reason = copy;
    return dnnl_success;
}
