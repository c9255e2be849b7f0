/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

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

static void write_quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(f, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(f, "\\u%04x", byte);
        else
            fputc(byte, f);
    }
    fputc('"', f);
}

/* An object that is being written. */
struct json_object {
    FILE *f;
    const char *comma; /* before each member but the first */
};

static void write_text(
        const struct json_object *o, const char *name, const char *text)
{
    fprintf(o->f, "%s\"%s\": ", o->comma, name);
    write_quoted(o->f, text);
}

static void write_number(
        const struct json_object *o, const char *name, uint64_t number)
{
    fprintf(o->f, "%s\"%s\": %" PRIu64, o->comma, name, number);
}

static void write_real(
        const struct json_object *o, const char *name, double number)
{
    fprintf(o->f, "%s\"%s\": %.9g", o->comma, name, number);
}

static void write_bool(
        const struct json_object *o, const char *name, bool value)
{
    fprintf(o->f, "%s\"%s\": %s", o->comma, name, value ? "true" : "false");
}
static void write_object(FILE *f, const struct report_object *object)
{
    const struct json_object o = {f, ",\n      "};
    fputs("{\n      \"name\": ", f);
    write_quoted(f, object->name);
    write_text(&o, "kind", object->kind);
    write_text(&o, "origin", origin_name(object->origin));
    write_text(&o, "found", dnnl_status2str(object->found));
    write_text(&o, "reason", object->reason);
    write_number(&o, "id_bytes", object->id_bytes);
    write_number(&o, "blob_bytes", object->blob_bytes);
    write_number(&o, "binary_bytes", object->binary_bytes);
    write_real(&o, "creation_ms", report_creation_ms(object));
    write_real(&o, "id_ms", object->id_ms);
    write_real(&o, "get_ms", object->get_ms);
    write_real(&o, "create_ms", object->create_ms);
    write_real(&o, "capture_ms", object->capture_ms);
    write_real(&o, "put_ms", object->put_ms);
    write_real(&o, "driver_ms", object->driver_ms);
    if (object->has_run) {
        write_real(&o, "first_run_ms", object->first_run_ms);
        write_real(&o, "second_run_ms", object->second_run_ms);
    }
    if (object->checked) write_bool(&o, "correct", object->error <= 1);
    fputs("\n    }", f);
}

static void write_store(FILE *f, const dnnl_cache_store_handle_t *store)
{
    const struct json_object o = {f, ",\n    "};
    struct dnnl_cache_store_statistics s = DNNL_CACHE_STORE_STATISTICS_INIT;
    if (store == NULL
            || dnnl_cache_store_get_statistics(store, &s) != dnnl_success)
        return;
    fprintf(f, ",\n  \"store\": {\n    \"hits\": %" PRIu64, s.hits);
    write_number(&o, "misses", s.misses);
    write_number(&o, "damaged", s.damaged);
    write_number(&o, "puts", s.puts);
    write_number(&o, "evictions", s.evictions);
    write_number(&o, "bytes", s.bytes);
    fputs("\n  }", f);
}

bool report_write_json(const struct report *report, const struct device *device,
        const struct options *options, const dnnl_cache_store_handle_t *store)
{
    const struct totals sum = sum_up(report);
    FILE *f = fopen(options->json, "w");
    const struct json_object o = {f, ",\n  "};
    if (f == NULL) goto failed;
    fputs("{\n  \"library\": ", f);
    write_quoted(f, dnnl_cache_version());
    write_text(&o, "platform", device->platform_name);
    write_text(&o, "device", device->name);
    write_text(&o, "driver", device->driver);
    write_text(&o, "build_option", options->build_option);
    write_bool(&o, "warm", is_warm(report));
    write_real(&o, "creation_ms", sum.creation);
    write_real(&o, "first_run_ms", sum.first_run);
    write_real(&o, "second_run_ms", sum.second_run);
    write_number(&o, "blob_bytes", sum.blob_bytes);
    write_store(f, store);
    fputs(",\n  \"objects\": [", f);
    for (size_t i = 0; i < report->count; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", f);
        write_object(f, &report->objects[i]);
    }
    fputs("\n  ]\n}\n", f);
    const bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed) return true;
failed:
    fprintf(stderr, "persistent_cache: %s: %s\n", options->json,
            strerror(errno));
    return false;
}
