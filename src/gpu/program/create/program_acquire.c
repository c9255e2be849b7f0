/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/program_acquire.h"

#include "src/common/log.h"
#include "src/gpu/device/build_mark.h"
#include "src/gpu/device/capture_cost.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/create/build_process.h"
#include "src/gpu/program/create/program_load.h"
#include "src/gpu/program/describe/program_binary.h"
#include "src/gpu/program/describe/program_includes.h"
#include "src/gpu/program/object/context_memory.h"
#include "src/gpu/program/object/form_queue.h"
#include "src/gpu/program/object/memory_limit.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* What is under way. */
struct build {
    const struct program_recipe *recipe;
    dnnl_cache_compile_mode_t mode;
    bool ran; /* this call was the builder */
    /* Other hosts wait for what is compiled: with this store, retained. */
    struct store *led;
    bool is_elsewhere; /* another process has compiled it */
    /* Or its sources, to be linked; owned. */
    struct buffer object;
    uint64_t object_ns;
    struct note *note; /* what the compiler said, if it refused */
    struct program_trace trace;
};

static uint64_t next_number(void)
{
    static atomic_uint_least64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* ---- From source --------------------------------------------------------- */

/* dnnl_cache_blob_stale: it would not be what its ID says, since other files
 * are, or may be, included. */
static dnnl_status_t compile_text(
        struct build *b, struct buffer *first_log, cl_program *out)
{
    const struct program_text *text = b->recipe->text;
    const struct dnnl_engine *engine = b->recipe->engine;
    const struct program_id id = program_key_id(b->recipe->key);
    struct includes_check check;
    char mark[build_mark_size];
    dnnl_status_t st = build_mark_make(
            mark, engine->device, id.data, id.size, text->il != NULL);
    if (st != dnnl_success) return st;
    if (!includes_check_begin(&check, engine->device, text))
        return dnnl_cache_blob_stale;
    build_mark_announce(mark, engine->device);
    st = program_text_compile(text, mark, engine->context, engine->device,
            first_log, &b->note, out);
    if (includes_check_end(&check, engine->device, text)) return st;
    if (st == dnnl_success) clReleaseProgram(*out);
    note_release(b->note);
    b->note = NULL;
    return dnnl_cache_blob_stale;
}

/* dnnl_not_required: there is no object, or it is of no use. */
static dnnl_status_t link_object(struct build *b, cl_program *out)
{
    const struct dnnl_engine *engine = b->recipe->engine;
    const unsigned char *binary = b->object.data;
    const size_t size = b->object.size;
    cl_int error;
    if (size == 0) return dnnl_not_required;
    cl_program object = clCreateProgramWithBinary(
            engine->context, 1, &engine->device, &size, &binary, NULL, &error);
    if (error == CL_SUCCESS) {
        *out = clLinkProgram(engine->context, 1, &engine->device, "", 1,
                &object, NULL, NULL, &error);
        clReleaseProgram(object);
        if (error != CL_SUCCESS && *out != NULL) clReleaseProgram(*out);
    }
    if (error == CL_SUCCESS) {
        build_process_note_made();
        return dnnl_success;
    }
    log_message(dnnl_cache_log_warning, "build_queue",
            "what a worker process compiled cannot be linked (OpenCL error "
            "%d): the program is compiled in this process",
            (int)error);
    b->object_ns = 0;
    return dnnl_not_required;
}

static dnnl_status_t compile(struct build *b, struct program **out)
{
    const struct program_recipe *recipe = b->recipe;
    struct dnnl_engine *engine = recipe->engine;
    const uint64_t start = clock_ns();
    struct buffer first_log = {NULL, 0, 0, false};
    struct program *p = NULL;
    cl_program cl;
    dnnl_status_t st = link_object(b, &cl);
    if (st == dnnl_not_required) st = compile_text(b, &first_log, &cl);
    if (st == dnnl_success && recipe->warm_up != NULL) {
        st = recipe->warm_up(recipe->warm_up_arg, engine, cl);
        if (st != dnnl_success) clReleaseProgram(cl);
    }
    if (st == dnnl_success) {
        statistics_add(&statistics.programs_compiled, 1);
        st = program_create(engine, recipe->key, cl, &p);
    }
    /* Here, since some drivers compile for it what the time is to have. */
    if (st == dnnl_success && p->id.size > 0 && memory_is_limited())
        p->known_size = program_binary_size(p->cl, p->device);
    b->trace.driver_ns = clock_ns() - start + b->object_ns;
    statistics_add(&statistics.compile_ns, b->trace.driver_ns);
    if (st != dnnl_success) {
        buffer_fini(&first_log);
        return st;
    }
    b->trace.origin = dnnl_cache_origin_compiled;
    p->first_log = first_log; /* moved */
    p->compile_ns = b->trace.driver_ns;
    p->is_warm = recipe->warm_up != NULL;
    *out = p;
    return dnnl_success;
}

/* ---- From a blob --------------------------------------------------------- */

bool program_blob_is_of(
        const struct program_blob *blob, const struct program_id *id)
{
    return blob->program.id_size == id->size
           && memcmp(blob->program.id, id->data, id->size) == 0;
}

dnnl_status_t program_blob_open(struct program_blob *blob, const uint8_t *data,
        size_t size, const struct program_id *id, struct blob_reason *reason)
{
    dnnl_status_t st =
            blob_verify(data, size, blob_kind_program, &blob->view, reason);
    blob->index = 0;
    if (st == dnnl_success)
        st = blob_match_id(&blob->view, id->data, id->size, reason);
    if (st != dnnl_success) return st;
    if (blob->view.program_count != 1
            || blob_view_program(&blob->view, 0, &blob->program) != dnnl_success
            || !program_blob_is_of(blob, id)) {
        st = dnnl_cache_blob_stale;
        blob_reject(st, "its program cannot be used", reason);
    }
    return st;
}

/* ---- Memory, then store, then compiler ----------------------------------- */

/* What the journal of the store is to know of a program: how to make it, and
 * what a blob of it lacks. Programs of primitives are captured when they are
 * created; what files were included the journal does not know. */
static void attach_journal(const struct program_recipe *recipe,
        struct store *store, struct program *p)
{
    if (recipe->warm_up == NULL && !recipe->reads_files
            && recipe->text->sources != NULL && store_has_notes(store)
            && (p->use.is_loaded ? p->use.has_classes
                                 : capture_is_costly(p->device)))
        program_use_attach(&p->use, store, &p->id, recipe->text, p->compile_ns);
}

/* Programs that include files are not recorded: only their digest is known. */
static void record(const struct program_recipe *recipe, struct store *store,
        struct program *p)
{
    if (!recipe->reads_files
            && (recipe->text->sources != NULL || recipe->text->il != NULL))
        program_use_record(&p->use, store,
                recipe->warm_up != NULL ? dnnl_cache_note_primitive
                                        : dnnl_cache_note_library,
                &p->id, recipe->text, p->compile_ns);
}

/* The program from a store's blob. What is of no use there is removed, and a
 * dnnl_cache_miss like what is not there. */
static dnnl_status_t load_found(struct build *b, struct store *store,
        const struct store_blob *bytes, struct program **out)
{
    const struct program_id id = program_key_id(b->recipe->key);
    struct program_blob blob;
    const size_t size = bytes->size;
    dnnl_status_t st =
            program_blob_open(&blob, bytes->data, size, &id, &b->trace.reason);
    if (st == dnnl_success) {
        st = program_load(b->recipe, &blob, &b->trace, out);
        if (is_blobs_fault(st))
            blob_reject(st, "its program cannot be used", &b->trace.reason);
    }
    store_give_back(store, bytes);
    if (st == dnnl_success) {
        b->trace.origin = dnnl_cache_origin_store_hit;
        b->trace.blob_bytes = size;
        atomic_store(&(*out)->from_store, true);
        attach_journal(b->recipe, store, *out);
        if (b->mode != dnnl_cache_compile_mode_cached_only)
            program_form_later(*out, store, b->recipe->text->options);
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

/* What is not there may be compiled by another host just now. That is waited
 * for only where a binary is complete when it is built: others have to wait
 * until the driver is asked for it. */
static bool wait_or_lead(
        struct build *b, struct store *store, struct store_blob *bytes)
{
    const struct program_id id = program_key_id(b->recipe->key);
    bool leads;
    if (b->mode != dnnl_cache_compile_mode_normal
            || capture_is_costly(b->recipe->engine->device))
        return false;
    const bool is_there =
            store_wait_or_lead(store, id.data, id.size, bytes, &leads);
    if (leads) {
        store_retain(store);
        b->led = store;
    }
    return is_there;
}

static dnnl_status_t load_from_store(
        struct build *b, struct store *store, struct program **out)
{
    const struct program_id id = program_key_id(b->recipe->key);
    struct store_blob bytes;
    if (store_get(store, id.data, id.size, &bytes))
        return load_found(b, store, &bytes, out);
    return wait_or_lead(b, store, &bytes) ? load_found(b, store, &bytes, out)
                                          : dnnl_cache_miss;
}

/* What was compiled, or did not compile: the hosts that wait go on. */
static void end_leading(const struct build *b, struct program *program)
{
    const struct program_id id = program_key_id(b->recipe->key);
    if (b->led == NULL) return;
    if (program != NULL) program_share(program);
    store_stop_leading(b->led, id.data, id.size);
    store_release(b->led);
}

/* By the process of this thread, if it has one; dnnl_not_required: compile
 * here. What it hands back is verified as any blob. */
static dnnl_status_t compile_elsewhere(struct build *b, struct program **out)
{
    const struct program_id id = program_key_id(b->recipe->key);
    const uint64_t start = clock_ns();
    struct buffer bytes;
    struct program_blob blob;
    struct blob_reason reason = {""};
    uint64_t compile_ns = 0;
    dnnl_status_t st = dnnl_not_required;
    switch (build_process_compile(b->recipe, &bytes, &compile_ns, &b->note)) {
    case build_answer_none:
        break;
    case build_answer_refused:
    case build_answer_died:
        st = dnnl_runtime_error;
        break;
    case build_answer_object:
        b->object = bytes; /* moved */
        b->object_ns = compile_ns;
        return dnnl_not_required;
    case build_answer_blob:
        st = program_blob_open(&blob, bytes.data, bytes.size, &id, &reason);
        if (st == dnnl_success)
            st = program_load(b->recipe, &blob, &b->trace, out);
        if (st == dnnl_success) break;
        log_message(dnnl_cache_log_warning, "build_queue",
                "what a worker process compiled cannot be used (%s): the "
                "program is compiled in this process",
                reason.text);
        st = dnnl_not_required;
    }
    buffer_fini(&bytes);
    if (st != dnnl_success) return st;
    b->trace.origin = dnnl_cache_origin_compiled;
    b->trace.driver_ns = clock_ns() - start;
    (*out)->compile_ns = compile_ns;
    b->is_elsewhere = true;
    statistics_add(&statistics.programs_compiled, 1);
    statistics_add(&statistics.compile_ns, compile_ns);
    build_process_note_made();
    return st;
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
        st = compile_elsewhere(b, out);
        if (st == dnnl_not_required) st = compile(b, out);
        buffer_fini(&b->object);
        if (st == dnnl_success) (*out)->made = number;
        if (st == dnnl_success && store != NULL
                && b->trace.blob_status != dnnl_cache_blob_unsupported) {
            store_retain(store);
            (*out)->store = store;
            (*out)->is_fresh = b->mode == dnnl_cache_compile_mode_recompile;
            if ((*out)->is_fresh)
                store_note_fresh(
                        store, (*out)->id.data, (*out)->id.size, number);
            else
                attach_journal(b->recipe, store, *out);
            waiting_add(*out);
        }
        if (st == dnnl_success && b->is_elsewhere) program_share_taken(*out);
    }
    if (st == dnnl_success && store != NULL) record(b->recipe, store, *out);
    store_release(store);
    return st;
}

static dnnl_status_t build_program(void *arg, void **value, struct note **note)
{
    struct build *b = arg;
    struct program *p = NULL;
    dnnl_status_t st;
    b->ran = true;
    form_queue_call_begin();
    if (b->recipe->blob != NULL) {
        st = program_load(b->recipe, b->recipe->blob, &b->trace, &p);
        b->trace.origin = dnnl_cache_origin_blob;
    } else {
        st = build_without_blob(b, &p);
    }
    form_queue_call_end();
    if (st == dnnl_success) *value = p;
    *note = b->note;
    b->note = NULL;
    return st;
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

/* With a blob nothing is compiled, so nothing is compiled again. */
static dnnl_cache_compile_mode_t mode_of(const struct program_recipe *recipe)
{
    const dnnl_cache_compile_mode_t mode = engine_compile_mode(recipe->engine);
    if (mode == dnnl_cache_compile_mode_cached_only) return mode;
    return recipe->blob != NULL ? dnnl_cache_compile_mode_normal
           : recipe->is_fresh   ? dnnl_cache_compile_mode_recompile
                                : mode;
}

/* A program that came from the store before anyone knew its source. */
static void attach_prefetched(
        const struct program_recipe *recipe, struct program *p)
{
    const bool is_attached =
            !p->use.has_classes || program_use_is_attached(&p->use);
    if (!atomic_load(&p->from_store)) return;
    if (is_attached && atomic_load(&p->use.record) != NULL) return;
    struct store *store = engine_store(recipe->engine);
    if (store != NULL && !is_attached) attach_journal(recipe, store, p);
    if (store != NULL) record(recipe, store, p);
    store_release(store);
}

dnnl_status_t program_acquire(const struct program_recipe *recipe,
        struct program **out, struct program_trace *trace, struct note **note)
{
    struct build b = {.recipe = recipe, .mode = mode_of(recipe)};
    const struct cache_key key = program_key_of_cache(recipe->key);
    struct context_memory *memory;
    void *value = NULL;
    if (recipe->is_fresh && b.mode == dnnl_cache_compile_mode_cached_only)
        return dnnl_cache_miss;
    dnnl_status_t st = context_memory(recipe->engine, &memory);
    if (st != dnnl_success) return st;
    st = cache_get_or_build(memory->programs, &key,
            program_cache_way(key.size > 0, b.mode), build_program, &b, &value,
            NULL, note);
    end_leading(&b, st == dnnl_success ? value : NULL);
    if (st != dnnl_success) return st;
    *trace = b.trace;
    if (!b.ran) trace->origin = dnnl_cache_origin_memory_hit;
    *out = value;
    if (!b.ran) attach_prefetched(recipe, *out);
    return dnnl_success;
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

dnnl_status_t program_adopt(const struct program_recipe *recipe, cl_program cl,
        struct program **out)
{
    struct program *p;
    dnnl_status_t st = cl_status(clRetainProgram(cl), "clRetainProgram");
    if (st == dnnl_success)
        st = program_create(recipe->engine, recipe->key, cl, &p);
    if (st != dnnl_success) return st;
    p->made = next_number();
    if (p->id.size > 0) p->store = engine_store(recipe->engine);
    if (p->store != NULL) waiting_add(p);
    *out = p;
    return dnnl_success;
}
