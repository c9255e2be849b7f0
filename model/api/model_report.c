/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what was measured. */
#include "model/api/model.h"

static dnnl_status_t begin_report(
        struct dnnl_cache_model *model, const void *answer)
{
    const dnnl_status_t st = model_begin_answer(model, answer);
    if (st != dnnl_success) return st;
    return model->state == model_ready || model->state == model_filled
                   ? dnnl_success
                   : model_refuse(model, dnnl_invalid_arguments,
                           "the model has not been prepared");
}

/* Bytes on the device of what is needed there. */
static uint64_t count_bytes(const struct plan *plan, enum buffer_kind kind)
{
    uint64_t words = 0;
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct buffer *b = &plan->buffers[i];
        if (b->kind == kind && b->parent < 0
                && (kind == buffer_input || b->first <= b->last))
            words += (uint64_t)b->words;
    }
    return words * word_bytes;
}

dnnl_status_t dnnl_cache_model_get_report(
        dnnl_cache_model_t model, dnnl_cache_model_report_t *report)
{
    const dnnl_status_t st = begin_report(model, report);
    if (st != dnnl_success) return st;
    const struct loader *l = &model->loader;
    if (report->struct_size != sizeof *report)
        return model_refuse(model, dnnl_invalid_arguments, "bad struct_size");
    *report = (dnnl_cache_model_report_t){.struct_size = sizeof *report,
            .is_warm = l->report.programs_compiled == 0,
            .ready = l->report.ready,
            .programs_compiled = l->report.programs_compiled,
            .programs_loaded = l->report.programs_loaded,
            .primitives = (uint64_t)l->report.primitives,
            .programs_of_store = (uint64_t)l->session.working_set.count,
            .is_kept = !l->session.lookups.has_unkept,
            .weight_bytes = count_bytes(&l->plan, buffer_constant),
            .activation_bytes = (uint64_t)l->plan.arena * word_bytes,
            .input_bytes = count_bytes(&l->plan, buffer_input),
            .platform = l->session.device.platform_name,
            .device = l->session.device.name,
            .driver = l->session.device.driver,
            .phases = phase_count};
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_get_phase(
        dnnl_cache_model_t model, int index, dnnl_cache_model_phase_t *phase)
{
    const dnnl_status_t st = begin_report(model, phase);
    if (st != dnnl_success) return st;
    if (index < 0 || index >= phase_count
            || phase->struct_size != sizeof *phase)
        return model_refuse(
                model, dnnl_invalid_arguments, "there is no such phase");
    const struct report *r = &model->loader.report;
    *phase = (dnnl_cache_model_phase_t){.struct_size = sizeof *phase,
            .name = report_phase_name((enum phase)index),
            .begin = r->begin[index],
            .end = r->end[index],
            .ms = r->ms[index]};
    return dnnl_success;
}
