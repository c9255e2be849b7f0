/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics as text.
 */
#include "gpu/engine/output.h"
#include "gpu/engine/statistics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    dnnl_status_t st = statistics_now(&now);
    if (st != dnnl_success) return st;
    struct text text = {bytes, sizeof bytes, 0};
    put_all(&text, &now);
    bytes[text.size] = '\0';
    size_t most = longest.size + 1;
    return json == NULL ? output_bytes(NULL, most, size, NULL)
                        : output_bytes(bytes, text.size + 1, size, json);
}
