/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics, as a struct and as text.
 */
#include "src/gpu/engine/output.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/object/context_memory.h"
#include "src/gpu/program/object/waiting.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define READ(counter) \
    atomic_load_explicit(&statistics.counter, memory_order_relaxed)

/* Every counter: its group and name in the text, its member in the struct, and
 * what it is now. */
#define ALL_COUNTERS(X)                                                       \
    X("primitives", "entries", primitive_entries, memory.users.entries)       \
    X("primitives", "hits", primitive_hits, memory.users.hits)                \
    X("primitives", "misses", primitive_misses, memory.users.misses)          \
    X("primitives", "waits", primitive_waits, memory.users.waits)             \
    X("primitives", "builds", primitive_builds, memory.users.builds)          \
    X("primitives", "failures", primitive_failures, memory.users.failures)    \
    X("primitives", "evictions", primitive_evictions, memory.users.evictions) \
    X("programs", "entries", program_entries, memory.programs.entries)        \
    X("programs", "bytes", program_bytes, memory.programs.bytes)              \
    X("programs", "hits", program_hits, memory.programs.hits)                 \
    X("programs", "misses", program_misses, memory.programs.misses)           \
    X("programs", "waits", program_waits, memory.programs.waits)              \
    X("programs", "builds", program_builds, memory.programs.builds)           \
    X("programs", "failures", program_failures, memory.programs.failures)     \
    X("programs", "evictions", program_evictions, memory.programs.evictions)  \
    X("programs", "compiled", programs_compiled, READ(programs_compiled))     \
    X("programs", "loaded", programs_loaded, READ(programs_loaded))           \
    X("programs", "incomplete", programs_incomplete,                          \
            READ(programs_incomplete))                                        \
    X("programs", "never_captured", programs_never_captured,                  \
            waiting_count_uncaptured())                                       \
    X("programs", "blobs_rejected", blobs_rejected, READ(blobs_rejected))     \
    X("programs", "compile_ns", compile_ns, READ(compile_ns))                 \
    X("programs", "load_ns", load_ns, READ(load_ns))                          \
    X("finalised", "made", finalised_made, READ(finalised_made))              \
    X("finalised", "loaded", finalised_loaded, READ(finalised_loaded))        \
    X("finalised", "refused", finalised_refused, READ(finalised_refused))     \
    X("kernels", "entries", kernel_entries, memory.kernels.entries)           \
    X("kernels", "hits", kernel_hits, memory.kernels.hits)                    \
    X("kernels", "misses", kernel_misses, memory.kernels.misses)              \
    X("kernels", "waits", kernel_waits, memory.kernels.waits)                 \
    X("kernels", "builds", kernel_builds, memory.kernels.builds)              \
    X("kernels", "failures", kernel_failures, memory.kernels.failures)        \
    X("kernels", "evictions", kernel_evictions, memory.kernels.evictions)     \
    X("fast_kernels", "entries", fast_kernel_entries,                         \
            memory.fast_kernels.entries)                                      \
    X("fast_kernels", "hits", fast_kernel_hits, memory.fast_kernels.hits)     \
    X("fast_kernels", "misses", fast_kernel_misses,                           \
            memory.fast_kernels.misses)                                       \
    X("fast_kernels", "waits", fast_kernel_waits, memory.fast_kernels.waits)  \
    X("fast_kernels", "evictions", fast_kernel_evictions,                     \
            memory.fast_kernels.evictions)                                    \
    X("stores", "hits", store_hits, READ(store_hits))                         \
    X("stores", "misses", store_misses, READ(store_misses))                   \
    X("stores", "puts", store_puts, READ(store_puts))                         \
    X("stores", "failures", store_failures, READ(store_failures))             \
    X("stores", "notes", store_notes, READ(store_notes))                      \
    X("stores", "read_only", store_read_only, READ(store_read_only))

static dnnl_cache_statistics_t statistics_now(void)
{
    dnnl_cache_statistics_t now = {.struct_size = sizeof now};
    struct memory_statistics memory;
    context_memory_statistics(&memory);
#define FILL(group, name, member, value) now.member = (value);
    ALL_COUNTERS(FILL)
#undef FILL
    now.saved_ns = memory.programs.saved_ns + memory.kernels.saved_ns
                   + memory.fast_kernels.saved_ns + memory.users.saved_ns;
    return now;
}

dnnl_status_t dnnl_cache_get_statistics(dnnl_cache_statistics_t *out)
{
    if (out == NULL) return dnnl_invalid_arguments;
    const dnnl_cache_statistics_t now = statistics_now();
    return output_struct(&now, sizeof now, out);
}

/* ---- As text ------------------------------------------------------------- */

/* A counter's place in the text; groups stand together. */
struct counter {
    const char *group;
    const char *name;
    size_t offset;
};

#define PLACE(group, name, member, value) \
    {group, name, offsetof(dnnl_cache_statistics_t, member)},

static const struct counter counters[] = {ALL_COUNTERS(PLACE)};
#undef PLACE
enum { COUNTERS = sizeof counters / sizeof counters[0] };

/* Text that is written, or cut off, or only measured. */
struct text {
    char *out;
    size_t capacity;
    size_t size;
};

static void put(struct text *t, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
    bool fits = t->out != NULL && t->size < t->capacity;
    va_list args;
    va_start(args, format);
    int size = vsnprintf(fits ? t->out + t->size : NULL,
            fits ? t->capacity - t->size : 0, format, args);
    va_end(args);
    if (size > 0) t->size += (size_t)size;
}

static void put_all(struct text *t, const dnnl_cache_statistics_t *now)
{
    const char *group = "";
    put(t, "{");
    for (size_t i = 0; i < COUNTERS; i++) {
        const struct counter *c = &counters[i];
        uint64_t value;
        memcpy(&value, (const char *)now + c->offset, sizeof value);
        if (strcmp(group, c->group) != 0)
            put(t, "%s\"%s\": {", i > 0 ? "},\n " : "", c->group);
        else
            put(t, ", ");
        put(t, "\"%s\": %" PRIu64, c->name, value);
        group = c->group;
    }
    put(t, "},\n \"saved_ns\": %" PRIu64 "}\n", now->saved_ns);
}

dnnl_status_t dnnl_cache_get_statistics_json(size_t *size, char *json)
{
    dnnl_cache_statistics_t now;
    char bytes[4096];
    if (size == NULL) return dnnl_invalid_arguments;
    /* As if all numbers were the longest there are: counters grow between the
     * question for the size and the one for the text. */
    struct text longest = {NULL, 0, 0};
    memset(&now, 0xff, sizeof now);
    put_all(&longest, &now);
    if (longest.size >= sizeof bytes) return dnnl_runtime_error;
    now = statistics_now();
    struct text text = {bytes, sizeof bytes, 0};
    put_all(&text, &now);
    bytes[text.size] = '\0';
    size_t most = longest.size + 1;
    return json == NULL ? output_bytes(NULL, most, size, NULL)
                        : output_bytes(bytes, text.size + 1, size, json);
}
