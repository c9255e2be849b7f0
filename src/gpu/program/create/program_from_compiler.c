/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/program_build.h"

#include "src/common/log.h"
#include "src/gpu/device/build_mark.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/create/build_process.h"
#include "src/gpu/program/describe/program_binary.h"
#include "src/gpu/program/describe/program_includes.h"
#include "src/gpu/program/object/memory_limit.h"
#include "src/gpu/program/object/program_folder.h"
#include "src/platform/clock.h"

/* dnnl_cache_blob_stale: it would not be what its ID says, since other files
 * are, or may be, included. */
static dnnl_status_t compile_text(
        struct program_build *b, struct buffer *first_log, cl_program *out)
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
    b->included = check.included; /* moved */
    if (includes_check_end(&check, engine->device, text)) return st;
    if (st == dnnl_success) clReleaseProgram(*out);
    shared_text_release(b->note);
    b->note = NULL;
    return dnnl_cache_blob_stale;
}

/* dnnl_not_required: there is no object, or it is of no use. */
static dnnl_status_t link_object(struct program_build *b, cl_program *out)
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

dnnl_status_t program_from_compiler(
        struct program_build *b, struct program **out)
{
    const struct program_recipe *recipe = b->recipe;
    struct dnnl_engine *engine = recipe->engine;
    const uint64_t start = clock_ns();
    struct buffer first_log = {NULL, 0, 0, false};
    struct program *p = NULL;
    cl_program cl;
    uint64_t began_ns = 0;
    uint64_t built_ns = 0;
    dnnl_status_t st = link_object(b, &cl);
    if (st == dnnl_success)
        program_includes_list(&b->included, engine->device, recipe->text);
    if (st == dnnl_not_required) {
        began_ns = clock_epoch_ns();
        st = compile_text(b, &first_log, &cl);
        built_ns = clock_epoch_ns();
    }
    if (st == dnnl_success && recipe->warm_up != NULL) {
        st = recipe->warm_up(recipe->warm_up_arg, engine, cl);
        if (st != dnnl_success) clReleaseProgram(cl);
    }
    if (st == dnnl_success) {
        statistics_add(&statistics.programs_compiled, 1);
        st = program_create(recipe, cl, &p);
    }
    if (st == dnnl_success) {
        p->began_ns = began_ns;
        p->built_ns = built_ns;
        program_set_included(p, &b->included);
        if (recipe->warm_up != NULL) program_find_folder(p);
    }
    /* Here, since some drivers compile for it what the time is to have. */
    if (st == dnnl_success && p->id.size > 0 && memory_is_limited())
        p->known_size = program_ask_size(p);
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
