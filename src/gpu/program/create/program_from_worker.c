/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/program_build.h"

#include "src/common/log.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/create/build_process.h"
#include "src/gpu/program/create/program_load.h"
#include "src/platform/clock.h"

/* dnnl_not_required: it cannot be used. */
static dnnl_status_t load_answer(struct program_build *b,
        const struct buffer *bytes, struct program **out)
{
    const struct program_id id = program_key_id(b->recipe->key);
    struct program_blob blob;
    struct blob_reason reason = {""};
    dnnl_status_t st =
            program_blob_open(&blob, bytes->data, bytes->size, &id, &reason);
    if (st == dnnl_success) st = program_load(b->recipe, &blob, &b->trace, out);
    if (st == dnnl_success) return st;
    log_message(dnnl_cache_log_warning, "build_queue",
            "what a worker process compiled cannot be used (%s): the "
            "program is compiled in this process",
            reason.text);
    return dnnl_not_required;
}

dnnl_status_t program_from_worker(struct program_build *b, struct program **out)
{
    const uint64_t start = clock_ns();
    struct buffer bytes;
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
        st = load_answer(b, &bytes, out);
    }
    buffer_fini(&bytes);
    if (st != dnnl_success) return st;
    b->trace.origin = dnnl_cache_origin_compiled;
    b->trace.driver_ns = clock_ns() - start;
    (*out)->compile_ns = compile_ns;
    statistics_add(&statistics.programs_compiled, 1);
    statistics_add(&statistics.compile_ns, compile_ns);
    build_process_note_made();
    return st;
}
