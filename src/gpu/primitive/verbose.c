/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/verbose.h"

#include "src/common/log.h"
#include "src/gpu/primitive/refusal.h"
#include "src/gpu/program/object/program_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A line has room for all of its lists; a list that is longer than its part
 * ends in dots. */
enum { LINE_SIZE = 4096, LIST_SIZE = 1200 };

/* A line under way. */
struct line {
    char text[LINE_SIZE];
    size_t size;
};

static void put(struct line *line, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

static void put(struct line *line, const char *format, ...)
{
    size_t room = sizeof line->text - line->size;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line->text + line->size, room, format, args);
    va_end(args);
    if (n > 0) line->size += (size_t)n < room ? (size_t)n : room - 1;
}

/* Ends a list, with dots, if it has reached its end. */
static bool is_long(struct line *line, size_t end)
{
    bool is_full = line->size >= end;
    if (is_full) put(line, "...");
    return is_full;
}

/* ---- Tensors ------------------------------------------------------------- */

static const char *role(int arg)
{
    switch (arg) {
    case DNNL_ARG_SRC:
        return "src";
    case DNNL_ARG_SRC_1:
        return "src1";
    case DNNL_ARG_WEIGHTS:
        return "wei";
    case DNNL_ARG_BIAS:
        return "bia";
    case DNNL_ARG_DST:
        return "dst";
    case DNNL_ARG_WORKSPACE:
        return "ws";
    case DNNL_ARG_MEAN:
        return "mean";
    case DNNL_ARG_VARIANCE:
        return "var";
    case DNNL_ARG_SCALE:
        return "scale";
    case DNNL_ARG_SHIFT:
        return "shift";
    default:
        return arg >= DNNL_ARG_MULTIPLE_SRC && arg < DNNL_ARG_MULTIPLE_DST
                       ? "src"
                       : NULL; /* attributes' */
    }
}

/* The dimensions from the outermost in, as a tag names them. */
static void put_layout(struct line *line, const struct dnnl_memory_desc *md)
{
    int order[DNNL_MAX_NDIMS];
    dnnl_dims_t blocks;
    memory_desc_block_dims(md, blocks);
    memory_desc_order(md, md->ndims, order);
    for (int i = 0; i < md->ndims; i++)
        put(line, "%c", (blocks[order[i]] > 1 ? 'A' : 'a') + order[i]);
    for (int i = 0; i < md->inner_nblks; i++)
        put(line, "%lld%c", (long long)md->inner_blks[i],
                'a' + (int)md->inner_idxs[i]);
}

/* Appends separator and tensor; returns the separator for the next one. */
static const char *put_tensor(struct line *line, const char *separator, int arg,
        const struct dnnl_memory_desc *md)
{
    const char *name = role(arg);
    if (name == NULL) return separator;
    put(line, "%s%s_%s::", separator, name, dnnl_dt2str(md->data_type));
    if (md->format_kind == dnnl_blocked) {
        put(line, "blocked:");
        put_layout(line, md);
    } else {
        put(line, "any:");
    }
    put(line, "::f0");
    return " ";
}

static void put_tensors(struct line *line, const struct dnnl_primitive_desc *pd)
{
    const char *separator = "";
    size_t end = line->size + LIST_SIZE;
    for (int i = 0; i < pd->tensor_count && !is_long(line, end); i++)
        separator = put_tensor(
                line, separator, pd->tensors[i].arg, &pd->tensors[i].md);
}

static void put_dims(struct line *line, const struct dnnl_memory_desc *md)
{
    for (int d = 0; d < md->ndims; d++) {
        if (md->dims[d] == DNNL_RUNTIME_DIM_VAL)
            put(line, "%s*", d > 0 ? "x" : "");
        else
            put(line, "%s%lld", d > 0 ? "x" : "", (long long)md->dims[d]);
    }
}

/* As put_tensor(): the shapes of the inputs and of dst. */
static const char *put_shape(struct line *line, const char *separator, int arg,
        const struct dnnl_memory_desc *md)
{
    bool is_told =
            arg == DNNL_ARG_SRC || arg == DNNL_ARG_SRC_1
            || arg == DNNL_ARG_WEIGHTS || arg == DNNL_ARG_DST
            || (arg >= DNNL_ARG_MULTIPLE_SRC && arg < DNNL_ARG_MULTIPLE_DST);
    if (!is_told) return separator;
    put(line, "%s", separator);
    put_dims(line, md);
    return ":";
}

static void put_problem(struct line *line, const struct dnnl_primitive_desc *pd)
{
    const char *separator = "";
    size_t end = line->size + LIST_SIZE;
    for (int i = 0; i < pd->tensor_count && !is_long(line, end); i++)
        separator = put_shape(
                line, separator, pd->tensors[i].arg, &pd->tensors[i].md);
}

/* ---- The operation ------------------------------------------------------- */

/* The type of the numbers and their groups, where there are groups. */
static void put_groups(struct line *line, const struct quantization *q)
{
    if (q->group_ndims > 0) put(line, ":%s", dnnl_dt2str(q->data_type));
    for (int d = 0; d < q->group_ndims; d++)
        put(line, "%s%lld", d == 0 ? ":" : "x", (long long)q->groups[d]);
}

static void put_quantization(struct line *line,
        const struct dnnl_primitive_attr *attr, int kind, const char *name)
{
    const char *separator = name;
    bool any = false;
    for (int i = 0; i < attr->quantization_count; i++) {
        const struct quantization *q = &attr->quantizations[i];
        if ((q->arg & kind) == 0) continue;
        const char *of = role(q->arg & ~kind);
        put(line, "%s%s:%d", separator, of != NULL ? of : "arg", q->mask);
        put_groups(line, q);
        separator = "+";
        any = true;
    }
    if (any) put(line, " ");
}

static void put_rounding(
        struct line *line, const struct random_attributes *random)
{
    static const char *const args[ROUNDED_ARGS] = {
            "dst", "diff_src", "diff_weights"};
    const char *separator = "attr-rounding-mode:";
    for (int i = 0; i < ROUNDED_ARGS; i++) {
        if (!random_attributes_round(random, i)) continue;
        put(line, "%s%s:stochastic", separator, args[i]);
        separator = "+";
    }
    if (random_attributes_round_any(random)) put(line, " ");
}

/* With the layout of its mask. */
static void put_dropout(
        struct line *line, const struct random_attributes *random)
{
    if (!random_attributes_drop_out(random)) return;
    put(line, "attr-dropout:");
    if (random->mask.format_kind == dnnl_blocked)
        put_layout(line, &random->mask);
    else
        put(line, memory_desc_is_zero(&random->mask) ? "undef" : "any");
    if (random->seed_type == dnnl_s64) put(line, ":s64");
    if (random->has_offset) put(line, ":offset");
    if (random->is_on_host) put(line, ":host_scalar");
    put(line, " ");
}

static void put_attributes(
        struct line *line, const struct dnnl_primitive_attr *attr)
{
    put_rounding(line, attr->random);
    put_quantization(line, attr, DNNL_ARG_ATTR_SCALES, "attr-scales:");
    put_quantization(
            line, attr, DNNL_ARG_ATTR_ZERO_POINTS, "attr-zero-points:");
    put_dropout(line, attr->random);
    size_t end = line->size + LIST_SIZE;
    for (int i = 0; i < attr->post_ops.count && !is_long(line, end); i++) {
        const struct post_op *op = &attr->post_ops.ops[i];
        bool has_alg = op->kind == dnnl_eltwise || op->kind == dnnl_binary;
        put(line, "%s%s", i > 0 ? "+" : "attr-post-ops:",
                has_alg ? dnnl_alg_kind2str(op->alg_kind)
                        : dnnl_prim_kind2str(op->kind));
        if (op->kind == dnnl_eltwise)
            put(line, ":%g:%g", (double)op->alpha, (double)op->beta);
        if (op->kind == dnnl_sum) put(line, ":%g", (double)op->alpha);
        if (op->kind == dnnl_convolution)
            put(line, ":k%llds%lldp%lld", (long long)op->depthwise.kernel,
                    (long long)op->depthwise.stride,
                    (long long)op->depthwise.padding);
    }
}

/* From the engine to the problem. */
static void put_operation(
        struct line *line, const struct dnnl_primitive_desc *pd)
{
    put(line, "gpu,%s,%s,%s,", dnnl_prim_kind2str(pd->kind->kind),
            pd->kind->implementation,
            pd->prop_kind == dnnl_prop_kind_undef
                    ? "undef"
                    : dnnl_prop_kind2str(pd->prop_kind));
    put_tensors(line, pd);
    put(line, ",");
    put_attributes(line, &pd->attr);
    put(line, ",");
    if (pd->alg_kind != dnnl_alg_kind_undef)
        put(line, "alg:%s", dnnl_alg_kind2str(pd->alg_kind));
    put(line, ",");
    put_problem(line, pd);
}

/* ---- Refusals ------------------------------------------------------------ */

static bool is_told(dnnl_status_t status)
{
    return status == dnnl_invalid_arguments ? log_tells_checks()
                                            : log_tells_dispatch();
}

static void begin_refusal(
        struct line *line, dnnl_status_t status, dnnl_primitive_kind_t kind)
{
    put(line, "primitive,create:%s,%s,",
            status == dnnl_invalid_arguments ? "check" : "dispatch",
            dnnl_prim_kind2str(kind));
}

static dnnl_status_t tell_refusal(
        dnnl_status_t status, dnnl_primitive_kind_t kind, const char *reason)
{
    struct line line = {"", 0};
    if (!is_told(status)) return status;
    begin_refusal(&line, status, kind);
    put(&line, "%s", reason);
    log_profile(line.text);
    return status;
}

static dnnl_status_t tell_refusal_of(const struct dnnl_primitive_desc *pd,
        dnnl_status_t status, const char *reason)
{
    struct line line = {"", 0};
    if (!is_told(status)) return status;
    begin_refusal(&line, status, pd->kind->kind);
    put_operation(&line, pd);
    put(&line, ",%s", reason);
    log_profile(line.text);
    return status;
}

dnnl_status_t refuse(dnnl_primitive_kind_t kind, const char *reason)
{
    return tell_refusal(dnnl_invalid_arguments, kind, reason);
}

dnnl_status_t refuse_of(
        const struct dnnl_primitive_desc *pd, const char *reason)
{
    return tell_refusal_of(pd, dnnl_invalid_arguments, reason);
}

dnnl_status_t refuse_execution(
        const struct dnnl_primitive_desc *pd, const char *reason, int arg)
{
    struct line line = {"", 0};
    if (!log_tells_checks()) return dnnl_invalid_arguments;
    put(&line, "primitive,exec:check,%s,", dnnl_prim_kind2str(pd->kind->kind));
    put_operation(&line, pd);
    put(&line, ",%s", reason);
    if (arg != 0) put(&line, ": argument %d", arg);
    log_profile(line.text);
    return dnnl_invalid_arguments;
}

dnnl_status_t decline(dnnl_primitive_kind_t kind, enum lack lack)
{
    return tell_refusal(dnnl_unimplemented, kind, lack_words(lack));
}

dnnl_status_t decline_of(const struct dnnl_primitive_desc *pd, enum lack lack)
{
    return tell_refusal_of(pd, dnnl_unimplemented, lack_words(lack));
}

/* In the columns of decline_of(). */
dnnl_status_t decline_tensors(dnnl_primitive_kind_t kind, enum lack lack,
        size_t count, const struct given_tensor *tensors)
{
    struct line line = {"", 0};
    const char *separator = "";
    if (!is_told(dnnl_unimplemented)) return dnnl_unimplemented;
    begin_refusal(&line, dnnl_unimplemented, kind);
    put(&line, "gpu,%s,undef,undef,", dnnl_prim_kind2str(kind));
    for (size_t i = 0; i < count; i++)
        if (!memory_desc_is_zero(tensors[i].md))
            separator =
                    put_tensor(&line, separator, tensors[i].arg, tensors[i].md);
    put(&line, ",,,");
    separator = "";
    for (size_t i = 0; i < count; i++)
        if (!memory_desc_is_zero(tensors[i].md))
            separator =
                    put_shape(&line, separator, tensors[i].arg, tensors[i].md);
    put(&line, ",%s", lack_words(lack));
    log_profile(line.text);
    return dnnl_unimplemented;
}

dnnl_status_t decline_pair(dnnl_primitive_kind_t kind, enum lack lack,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    const struct given_tensor tensors[] = {
            {DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    return decline_tensors(kind, lack, 2, tensors);
}

/* ---- Lines --------------------------------------------------------------- */

static void send(struct line *line, uint64_t ns)
{
    put(line, ",%g", (double)ns * 1e-6);
    log_profile(line->text);
}

static const char *state_of(const struct dnnl_primitive *p, bool was_built)
{
    switch (p->creation.info.origin) {
    case dnnl_cache_origin_none:
        return "nothing_to_compile";
    case dnnl_cache_origin_memory_hit:
        return was_built ? "kernel_cache_hit" : "cache_hit";
    case dnnl_cache_origin_compiled:
        return p->creation.info.blob_status == dnnl_success
                       ? "cache_miss"
                       : "persistent_cache_reject";
    default:
        return "persistent_cache_hit";
    }
}

static void trace_creation(
        const struct dnnl_primitive *primitive, const struct line *line)
{
    const dnnl_cache_creation_info_t *info = &primitive->creation.info;
    const struct program *program = primitive->impl->program;
    const struct program_id none = {.size = 0};
    const struct program_id id = program != NULL ? program->id : none;
    const char *doubt = "";
    char reason[320];
    if (primitive_desc_find_doubt(primitive->pd, &doubt) != dnnl_success)
        doubt = "no memory";
    report_trace(id.size, id.data, line->text,
            report_reason(reason, sizeof reason, primitive->pd->engine,
                    info->origin, info->blob_status, info->blob_reason, doubt));
}

void verbose_creation(const struct dnnl_primitive *primitive, bool was_built)
{
    struct line line = {"", 0};
    report_begin();
    if (!log_profiles_creation() && !report_traces()) return;
    put(&line, "primitive,create:%s,", state_of(primitive, was_built));
    put_operation(&line, primitive->pd);
    if (report_traces()) trace_creation(primitive, &line);
    if (log_profiles_creation()) send(&line, primitive->creation.info.total_ns);
}

void verbose_rejection(
        const struct dnnl_primitive_desc *pd, dnnl_status_t why, uint64_t ns)
{
    struct line line = {"", 0};
    if (!log_profiles_creation()) return;
    put(&line, "primitive,create:persistent_cache_reject:%s,",
            dnnl_status2str(why));
    put_operation(&line, pd);
    send(&line, ns);
}

void verbose_execution(const struct dnnl_primitive_desc *pd, uint64_t ns)
{
    struct line line = {"", 0};
    put(&line, "primitive,exec,");
    put_operation(&line, pd);
    send(&line, ns);
}
