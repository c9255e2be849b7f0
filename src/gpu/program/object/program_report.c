/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/program_report.h"

#include "src/common/hash.h"
#include "src/common/log.h"
#include "src/common/settings.h"
#include "src/gpu/device/environment.h"
#include "src/gpu/engine/statistics.h"
#include "src/platform/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 33, LINE_SIZE = 640, REPORT_SIZE = 8192 };

/* ---- Words --------------------------------------------------------------- */

/* As dnnl-cache names entries; "-" for none. */
static const char *name_of(
        char name[NAME_SIZE], size_t id_size, const uint8_t *id)
{
    const struct hash_part whole = {id, id_size};
    if (id_size == 0) return "-";
    const struct digest128 digest = hash128_parts(&whole, 1);
    for (int i = 0; i < 16; i++)
        (void)snprintf(name + 2 * i, 3, "%02x", digest.bytes[i]);
    return name;
}

/* Says the layer of a blob of its store. */
static const char *word_of(dnnl_status_t blob_status)
{
    if (blob_status == dnnl_cache_blob_corrupt) return "damaged";
    return blob_status == dnnl_cache_blob_stale ? "stale" : "unsupported";
}

const char *report_reason(char *text, size_t size, struct dnnl_engine *engine,
        dnnl_cache_origin_t origin, dnnl_status_t blob_status,
        const char *reason, const char *doubt)
{
    text[0] = '\0';
    if (origin != dnnl_cache_origin_compiled) return text;
    struct store *store = engine_store(engine);
    const char *changed = environment_changed();
    if (doubt[0] != '\0')
        (void)snprintf(text, size, "not_cacheable: %s", doubt);
    else if (changed != NULL)
        (void)snprintf(text, size, "environment: %s", changed);
    else if (!settings()->persistent)
        (void)snprintf(text, size, "switched_off: DNNL_CACHE_PERSISTENT=0");
    else if (store == NULL)
        (void)snprintf(text, size, "no_store");
    else if (blob_status != dnnl_success)
        (void)snprintf(text, size, "%s: %s", word_of(blob_status), reason);
    else if (engine_compile_mode(engine) == dnnl_cache_compile_mode_recompile)
        (void)snprintf(text, size, "recompile");
    else
        (void)snprintf(text, size, "missing");
    store_release(store);
    return text;
}

/* ---- Statistics at exit -------------------------------------------------- */

static atomic_bool is_used; /* by this process; a child's own */

/* Rows for people. */
static int write_table(
        char *text, size_t size, const dnnl_cache_statistics_t *s)
{
    return snprintf(text, size,
            "dnnl_cache: %s (%ld)\n"
            "  hits in memory             %12" PRIu64 "\n"
            "  hits in a store            %12" PRIu64 "\n"
            "  programs compiled          %12" PRIu64 "\n"
            "  programs incomplete        %12" PRIu64 "\n"
            "  programs never captured    %12" PRIu64 "\n"
            "  blobs rejected             %12" PRIu64 "\n"
            "  blobs put into a store     %12" PRIu64 "\n"
            "  failures of a store        %12" PRIu64 "\n"
            "  not kept, read-only store  %12" PRIu64 "\n"
            "  ms saved by hits in memory %12.3f\n"
            "  ms loading                 %12.3f\n"
            "  ms compiling               %12.3f\n",
            process_program_name(), process_number(),
            s->primitive_hits + s->program_hits, s->store_hits,
            s->programs_compiled, s->programs_incomplete,
            s->programs_never_captured, s->blobs_rejected, s->store_puts,
            s->store_failures, s->store_read_only, (double)s->saved_ns * 1e-6,
            (double)s->load_ns * 1e-6, (double)s->compile_ns * 1e-6);
}

/* Every number, in one line of JSON. */
static int write_line(char *text, size_t size)
{
    char json[REPORT_SIZE / 2];
    size_t json_size = sizeof json;
    char program[64];
    (void)snprintf(program, sizeof program, "%s", process_program_name());
    for (char *c = program; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') *c = '_';
    if (dnnl_cache_get_statistics_json(&json_size, json) != dnnl_success)
        return -1;
    for (char *c = json; *c != '\0'; c++)
        if (*c == '\n') *c = ' ';
    return snprintf(text, size,
            "{\"program\": \"%s\", \"pid\": %ld, \"library\": %s}\n", program,
            process_number(), json);
}

static void report_statistics(void)
{
    const struct settings_output *output = &settings()->statistics;
    dnnl_cache_statistics_t now = {.struct_size = sizeof now};
    char text[REPORT_SIZE];
    int size = -1;
    if (!atomic_load(&is_used)) return;
    if (output->path != NULL)
        size = write_line(text, sizeof text);
    else if (dnnl_cache_get_statistics(&now) == dnnl_success)
        size = write_table(text, sizeof text, &now);
    if (size > 0) settings_report(output, text);
}

static void after_fork_in_child(void)
{
    atomic_store(&is_used, false);
}

static void watch_exit(void)
{
    (void)atexit(report_statistics);
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

void report_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!settings()->statistics.is_on
            || atomic_load_explicit(&is_used, memory_order_relaxed))
        return;
    (void)pthread_once(&once, watch_exit);
    atomic_store(&is_used, true);
}

/* ---- Trace --------------------------------------------------------------- */

bool report_traces(void)
{
    return settings()->trace.is_on;
}

void report_trace(
        size_t id_size, const uint8_t *id, const char *what, const char *reason)
{
    char name[NAME_SIZE];
    char line[LINE_SIZE];
    const int size = snprintf(line, sizeof line,
            "dnnl_cache: process %ld: %s: %s%s%s", process_number(),
            id_size > 0 ? name_of(name, id_size, id)
                        : "an object without an ID",
            what, reason[0] != '\0' ? ", " : "", reason);
    const size_t end = size < LINE_SIZE - 2 ? (size_t)size : LINE_SIZE - 2;
    line[end] = '\n';
    line[end + 1] = '\0';
    settings_report(&settings()->trace, line);
}

/* ---- Programs ------------------------------------------------------------ */

/* Were programs created here? The OpenCL layer's copy of the library only
 * captures, and the layer tells of that itself. */
static atomic_bool creates;

bool program_report_is_on(void)
{
    return report_traces() || settings()->statistics.is_on
           || log_profiles_creation();
}

/* In oneDNN's form, with the words of primitives. */
static void tell_line(
        const char *state, const char *name, const char *reason, uint64_t ns)
{
    char line[LINE_SIZE];
    char brief[LINE_SIZE / 2];
    (void)snprintf(brief, sizeof brief, "%s", reason);
    for (char *c = brief; *c != '\0'; c++)
        if (*c == ',' || *c == '\n') *c = ';';
    (void)snprintf(line, sizeof line, "program,%s,gpu,%s,%s,%g", state, name,
            brief, (double)ns * 1e-6);
    log_profile(line);
}

struct outcome {
    const char *state; /* of the verbose line */
    const char *what;  /* of the trace */
};

static struct outcome outcome_of(
        dnnl_status_t status, const struct program_trace *trace)
{
    if (status == dnnl_cache_miss)
        return (struct outcome){"create:cached_only_miss", "miss, cached_only"};
    if (is_blobs_fault(status))
        return (struct outcome){
                "create:persistent_cache_reject", "blob rejected"};
    if (status != dnnl_success)
        return (struct outcome){"create:failed", "failed"};
    switch (trace->origin) {
    case dnnl_cache_origin_memory_hit:
        return (struct outcome){"create:cache_hit", "hit in memory"};
    case dnnl_cache_origin_store_hit:
        return (struct outcome){
                "create:persistent_cache_hit", "hit in a store"};
    case dnnl_cache_origin_compiled:
        return (struct outcome){trace->blob_status == dnnl_success
                                        ? "create:cache_miss"
                                        : "create:persistent_cache_reject",
                "miss"};
    default:
        return (struct outcome){
                "create:persistent_cache_hit", "made from a blob"};
    }
}

void program_report_creation(const struct program_recipe *recipe,
        dnnl_status_t status, const struct program_trace *trace,
        const char *doubt, uint64_t ns)
{
    const struct program_id id = program_key_id(recipe->key);
    const struct outcome outcome = outcome_of(status, trace);
    char name[NAME_SIZE];
    char reason[LINE_SIZE / 2] = "";
    atomic_store_explicit(&creates, true, memory_order_relaxed);
    report_begin();
    if (status == dnnl_success)
        (void)report_reason(reason, sizeof reason, recipe->engine,
                trace->origin, trace->blob_status, trace->reason.text, doubt);
    else if (status != dnnl_cache_miss)
        (void)snprintf(reason, sizeof reason, "%s", dnnl_status2str(status));
    if (log_profiles_creation())
        tell_line(outcome.state, name_of(name, id.size, id.data), reason, ns);
    if (report_traces()) report_trace(id.size, id.data, outcome.what, reason);
}

void program_report_capture(const struct program *program, uint64_t ns)
{
    char name[NAME_SIZE];
    if (!atomic_load_explicit(&creates, memory_order_relaxed)) return;
    if (log_profiles_creation())
        tell_line("capture:captured",
                name_of(name, program->id.size, program->id.data), "", ns);
    if (report_traces())
        report_trace(program->id.size, program->id.data, "captured", "");
}

void program_report_incomplete(const struct program_id *id, const char *kernel,
        const struct launch_class *launch)
{
    char name[NAME_SIZE];
    char class[launch_class_text_size] = "";
    char lack[LINE_SIZE / 2];
    if (!log_profiles_creation() && !report_traces()) return;
    if (launch != NULL) launch_class_write(class, launch);
    (void)snprintf(lack, sizeof lack, "the blob lacks kernel %s%s%s", kernel,
            launch != NULL ? " launched as " : "", class);
    if (log_profiles_creation())
        tell_line("use:incomplete", name_of(name, id->size, id->data), lack, 0);
    if (report_traces()) report_trace(id->size, id->data, "incomplete", lack);
}
