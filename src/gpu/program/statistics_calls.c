/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics, as a struct and as text.
 */
#include "gpu/engine/output.h"
#include "gpu/engine/statistics.h"
#include "gpu/program/context_memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint64_t read_counter(atomic_ullong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void count_memory(dnnl_cache_statistics_t *now)
{
    struct memory_statistics memory;
    context_memory_statistics(&memory);
    now->program_entries = memory.programs.entries;
    now->program_bytes = memory.programs.bytes;
    now->program_hits = memory.programs.hits;
    now->program_misses = memory.programs.misses;
    now->program_waits = memory.programs.waits;
    now->program_builds = memory.programs.builds;
    now->program_failures = memory.programs.failures;
    now->program_evictions = memory.programs.evictions;
    now->kernel_entries = memory.kernels.entries;
    now->kernel_hits = memory.kernels.hits;
    now->kernel_misses = memory.kernels.misses;
    now->kernel_waits = memory.kernels.waits;
    now->kernel_builds = memory.kernels.builds;
    now->kernel_failures = memory.kernels.failures;
    now->kernel_evictions = memory.kernels.evictions;
    now->fast_kernel_entries = memory.fast_kernels.entries;
    now->fast_kernel_hits = memory.fast_kernels.hits;
    now->fast_kernel_misses = memory.fast_kernels.misses;
    now->fast_kernel_waits = memory.fast_kernels.waits;
    now->fast_kernel_evictions = memory.fast_kernels.evictions;
    now->primitive_entries = memory.users.entries;
    now->primitive_hits = memory.users.hits;
    now->primitive_misses = memory.users.misses;
    now->primitive_waits = memory.users.waits;
    now->primitive_evictions = memory.users.evictions;
    now->primitive_builds = memory.users.builds;
    now->primitive_failures = memory.users.failures;
    now->saved_ns = memory.programs.saved_ns + memory.kernels.saved_ns
                    + memory.fast_kernels.saved_ns + memory.users.saved_ns;
}

static dnnl_cache_statistics_t statistics_now(void)
{
    dnnl_cache_statistics_t now = {
            .struct_size = sizeof now,
            .programs_compiled = read_counter(&statistics.programs_compiled),
            .programs_loaded = read_counter(&statistics.programs_loaded),
            .blobs_rejected = read_counter(&statistics.blobs_rejected),
            .store_hits = read_counter(&statistics.store_hits),
            .store_misses = read_counter(&statistics.store_misses),
            .store_puts = read_counter(&statistics.store_puts),
            .store_failures = read_counter(&statistics.store_failures),
            .compile_ns = read_counter(&statistics.compile_ns),
            .load_ns = read_counter(&statistics.load_ns),
    };
    count_memory(&now);
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

#define COUNTER(group, name, member)                           \
    {                                                          \
        group, name, offsetof(dnnl_cache_statistics_t, member) \
    }

static const struct counter counters[] = {
        COUNTER("primitives", "entries", primitive_entries),
        COUNTER("primitives", "hits", primitive_hits),
        COUNTER("primitives", "misses", primitive_misses),
        COUNTER("primitives", "waits", primitive_waits),
        COUNTER("primitives", "builds", primitive_builds),
        COUNTER("primitives", "failures", primitive_failures),
        COUNTER("primitives", "evictions", primitive_evictions),
        COUNTER("programs", "entries", program_entries),
        COUNTER("programs", "bytes", program_bytes),
        COUNTER("programs", "hits", program_hits),
        COUNTER("programs", "misses", program_misses),
        COUNTER("programs", "waits", program_waits),
        COUNTER("programs", "builds", program_builds),
        COUNTER("programs", "failures", program_failures),
        COUNTER("programs", "evictions", program_evictions),
        COUNTER("programs", "compiled", programs_compiled),
        COUNTER("programs", "loaded", programs_loaded),
        COUNTER("programs", "blobs_rejected", blobs_rejected),
        COUNTER("programs", "compile_ns", compile_ns),
        COUNTER("programs", "load_ns", load_ns),
        COUNTER("kernels", "entries", kernel_entries),
        COUNTER("kernels", "hits", kernel_hits),
        COUNTER("kernels", "misses", kernel_misses),
        COUNTER("kernels", "waits", kernel_waits),
        COUNTER("kernels", "builds", kernel_builds),
        COUNTER("kernels", "failures", kernel_failures),
        COUNTER("kernels", "evictions", kernel_evictions),
        COUNTER("fast_kernels", "entries", fast_kernel_entries),
        COUNTER("fast_kernels", "hits", fast_kernel_hits),
        COUNTER("fast_kernels", "misses", fast_kernel_misses),
        COUNTER("fast_kernels", "waits", fast_kernel_waits),
        COUNTER("fast_kernels", "evictions", fast_kernel_evictions),
        COUNTER("stores", "hits", store_hits),
        COUNTER("stores", "misses", store_misses),
        COUNTER("stores", "puts", store_puts),
        COUNTER("stores", "failures", store_failures),
};
#undef COUNTER
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
