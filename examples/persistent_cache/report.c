/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "tools/common/text/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* True if nothing had to be compiled. */
static bool is_warm(const struct report *report)
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
    if (is_warm(report)) return "warm";
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

static void write_object(struct json *json, const struct report_object *object)
{
    json_begin_object(json, NULL);
    json_text(json, "name", object->name);
    json_text(json, "kind", object->kind);
    json_text(json, "origin", origin_name(object->origin));
    json_text(json, "found", dnnl_status2str(object->found));
    json_text(json, "reason", object->reason);
    json_number(json, "id_bytes", object->id_bytes);
    json_number(json, "blob_bytes", object->blob_bytes);
    json_number(json, "binary_bytes", object->binary_bytes);
    json_real(json, "creation_ms", report_creation_ms(object));
    json_real(json, "id_ms", object->id_ms);
    json_real(json, "get_ms", object->get_ms);
    json_real(json, "create_ms", object->create_ms);
    json_real(json, "capture_ms", object->capture_ms);
    json_real(json, "put_ms", object->put_ms);
    json_real(json, "driver_ms", object->driver_ms);
    if (object->has_run) {
        json_real(json, "first_run_ms", object->first_run_ms);
        json_real(json, "second_run_ms", object->second_run_ms);
    }
    if (object->checked) json_bool(json, "correct", object->error <= 1);
    json_end_object(json);
}

static void write_store(
        struct json *json, const struct dnnl_cache_store_handle *store)
{
    struct dnnl_cache_store_statistics s;
    if (store == NULL
            || dnnl_cache_store_get_statistics(store, &s) != dnnl_success)
        return;
    json_begin_object(json, "store");
    json_number(json, "hits", s.hits);
    json_number(json, "misses", s.misses);
    json_number(json, "damaged", s.damaged);
    json_number(json, "puts", s.puts);
    json_number(json, "evictions", s.evictions);
    json_number(json, "bytes", s.bytes);
    json_end_object(json);
}

bool report_write_json(const struct report *report, const struct device *device,
        const struct options *options,
        const struct dnnl_cache_store_handle *store)
{
    const struct totals sum = sum_up(report);
    struct json json;
    FILE *f = fopen(options->json, "w");
    if (f == NULL) goto failed;
    json_init(&json, f);
    json_begin_object(&json, NULL);
    json_text(&json, "library", dnnl_cache_version());
    json_text(&json, "platform", device->platform_name);
    json_text(&json, "device", device->name);
    json_text(&json, "driver", device->driver);
    json_text(&json, "build_option", options->build_option);
    json_bool(&json, "warm", is_warm(report));
    json_real(&json, "creation_ms", sum.creation);
    json_real(&json, "first_run_ms", sum.first_run);
    json_real(&json, "second_run_ms", sum.second_run);
    json_number(&json, "blob_bytes", sum.blob_bytes);
    write_store(&json, store);
    json_begin_array(&json, "objects");
    for (size_t i = 0; i < report->count; i++)
        write_object(&json, &report->objects[i]);
    json_end_array(&json);
    json_end_object(&json);
    const bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed) return true;
failed:
    fprintf(stderr, "persistent_cache: %s: %s\n", options->json,
            strerror(errno));
    return false;
}
