/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double report_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

double report_creation_ms(const struct report_object *object)
{
    return object->id_ms + object->get_ms + object->create_ms
           + object->capture_ms;
}

struct report_object *report_add(
        struct report *report, const char *name, const char *kind)
{
    struct report_object *object = &report->objects[report->count++];
    *object = (struct report_object){.name = name, .kind = kind};
    return object;
}

bool report_is_warm(const struct report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->objects[i].origin == dnnl_cache_origin_compiled)
            return false;
    return true;
}

bool report_is_wrong(const struct report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct report_object *object = &report->objects[i];
        /* Written so that an error that is no number is wrong. */
        if (object->checked && !(object->error <= 1)) return true;
    }
    return false;
}

static const char *origin_name(dnnl_cache_origin_t origin)
{
    switch (origin) {
    case dnnl_cache_origin_none:
        return "none";
    case dnnl_cache_origin_memory_hit:
        return "memory";
    case dnnl_cache_origin_blob:
        return "blob";
    case dnnl_cache_origin_store_hit:
        return "store";
    case dnnl_cache_origin_compiled:
        return "compiled";
    case dnnl_cache_origin_adopted:
        return "adopted";
    default:
        return "unknown";
    }
}

/* "warm" if nothing was compiled, "cold" if nothing was loaded. */
static const char *temperature(const struct report *report)
{
    if (report_is_warm(report)) return "warm";
    for (size_t i = 0; i < report->count; i++)
        if (report->objects[i].origin == dnnl_cache_origin_blob) return "mixed";
    return "cold";
}

struct totals {
    double creation;
    double first_run;
    double second_run;
    uint64_t blob_bytes;
};

static struct totals sum_up(const struct report *report)
{
    struct totals sum = {0};
    for (size_t i = 0; i < report->count; i++) {
        const struct report_object *object = &report->objects[i];
        sum.creation += report_creation_ms(object);
        sum.first_run += object->first_run_ms;
        sum.second_run += object->second_run_ms;
        sum.blob_bytes += object->blob_bytes;
    }
    return sum;
}

/* ---- Table --------------------------------------------------------------- */

static void print_object(const struct report_object *object)
{
    printf("%-9s %-10s %-9s %12.3f %10" PRIu64, object->name, object->kind,
            origin_name(object->origin), report_creation_ms(object),
            object->blob_bytes);
    if (object->has_run)
        printf(" %12.3f %12.3f", object->first_run_ms, object->second_run_ms);
    else
        printf(" %12s %12s", "-", "-");
    if (object->checked) printf("  %s", object->error <= 1 ? "ok" : "WRONG");
    putchar('\n');
}

void report_print(const struct report *report, const struct device *device)
{
    const struct totals sum = sum_up(report);
    printf("%s: %s, driver %s\n", device->platform_name, device->name,
            device->driver);
    printf("%-9s %-10s %-9s %12s %10s %12s %12s\n", "object", "kind", "origin",
            "creation ms", "blob bytes", "1st run ms", "2nd run ms");
    for (size_t i = 0; i < report->count; i++)
        print_object(&report->objects[i]);
    printf("%-9s %-10s %-9s %12.3f %10" PRIu64 " %12.3f %12.3f\n", "total", "",
            temperature(report), sum.creation, sum.blob_bytes, sum.first_run,
            sum.second_run);
    for (size_t i = 0; i < report->count; i++) {
        const struct report_object *object = &report->objects[i];
        if (object->reason[0] != '\0')
            printf("%s: %s\n", object->name, object->reason);
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static void write_text(FILE *f, const char *name, const char *text)
{
    fprintf(f, "\"%s\": \"", name);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputs("\", ", f);
}

static void write_object(FILE *f, const struct report_object *object)
{
    fputs("    { ", f);
    write_text(f, "name", object->name);
    write_text(f, "kind", object->kind);
    write_text(f, "origin", origin_name(object->origin));
    write_text(f, "found", dnnl_status2str(object->found));
    write_text(f, "reason", object->reason);
    fprintf(f,
            "\"id_bytes\": %zu, \"blob_bytes\": %" PRIu64
            ", \"binary_bytes\": %" PRIu64 ",\n      "
            "\"creation_ms\": %.6f, \"id_ms\": %.6f, \"get_ms\": %.6f, "
            "\"create_ms\": %.6f, \"capture_ms\": %.6f, \"put_ms\": %.6f, "
            "\"driver_ms\": %.6f",
            object->id_bytes, object->blob_bytes, object->binary_bytes,
            report_creation_ms(object), object->id_ms, object->get_ms,
            object->create_ms, object->capture_ms, object->put_ms,
            object->driver_ms);
    if (object->has_run)
        fprintf(f, ",\n      \"first_run_ms\": %.6f, \"second_run_ms\": %.6f",
                object->first_run_ms, object->second_run_ms);
    if (object->checked)
        fprintf(f, ", \"correct\": %s", object->error <= 1 ? "true" : "false");
    fputs(" }", f);
}

static void write_store(FILE *f, const struct dnnl_cache_store_handle *store)
{
    struct dnnl_cache_store_statistics s;
    if (store == NULL
            || dnnl_cache_store_get_statistics(store, &s) != dnnl_success)
        return;
    fprintf(f,
            "  \"store\": { \"hits\": %" PRIu64 ", \"misses\": %" PRIu64
            ", \"damaged\": %" PRIu64 ", \"puts\": %" PRIu64
            ", \"evictions\": %" PRIu64 ", \"bytes\": %" PRIu64 " },\n",
            s.hits, s.misses, s.damaged, s.puts, s.evictions, s.bytes);
}

bool report_write_json(const struct report *report, const struct device *device,
        const struct options *options,
        const struct dnnl_cache_store_handle *store)
{
    const struct totals sum = sum_up(report);
    FILE *f = fopen(options->json, "w");
    if (f == NULL) goto failed;
    fputs("{\n  ", f);
    write_text(f, "library", dnnl_cache_version());
    write_text(f, "platform", device->platform_name);
    write_text(f, "device", device->name);
    write_text(f, "driver", device->driver);
    write_text(f, "build_option", options->build_option);
    fprintf(f,
            "\"warm\": %s,\n  \"creation_ms\": %.6f, \"first_run_ms\": %.6f, "
            "\"second_run_ms\": %.6f, \"blob_bytes\": %" PRIu64 ",\n",
            report_is_warm(report) ? "true" : "false", sum.creation,
            sum.first_run, sum.second_run, sum.blob_bytes);
    write_store(f, store);
    fputs("  \"objects\": [\n", f);
    for (size_t i = 0; i < report->count; i++) {
        write_object(f, &report->objects[i]);
        fputs(i + 1 < report->count ? ",\n" : "\n", f);
    }
    fputs("  ]\n}\n", f);
    const bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed) return true;
failed:
    fprintf(stderr, "persistent_cache: %s: %s\n", options->json,
            strerror(errno));
    return false;
}
