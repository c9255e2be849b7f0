/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/open/metrics_text.h"

#include "src/common/sized_struct.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { most_value = 255, longest_number = 20 };

static void put(struct metrics_text *text, const char *bytes, size_t size)
{
    if (text->text != NULL && text->used <= text->size
            && size <= text->size - text->used)
        memcpy(text->text + text->used, bytes, size);
    text->used += size;
}

static void put_text(struct metrics_text *text, const char *bytes)
{
    put(text, bytes, strlen(bytes));
}

void metrics_begin(struct metrics_text *text, const char *name,
        enum metrics_type type, const char *help)
{
    put_text(text, "# HELP ");
    put_text(text, name);
    put_text(text, " ");
    put_text(text, help);
    put_text(text, "\n# TYPE ");
    put_text(text, name);
    put_text(text, type == metrics_counter ? " counter\n" : " gauge\n");
}

/* ---- Samples ------------------------------------------------------------- */

static void put_label(struct metrics_text *text, char before,
        const struct metrics_label *label)
{
    put(text, &before, 1);
    put_text(text, label->name);
    put_text(text, "=\"");
    for (const char *at = label->value; *at != '\0'; at++) {
        const char shown = *at == '\n' ? 'n' : *at;
        if (*at == '\\' || *at == '"' || *at == '\n') put_text(text, "\\");
        put(text, &shown, 1);
    }
    put_text(text, "\"");
}

static void begin_sample(struct metrics_text *text, const char *name,
        const struct metrics_label own[2])
{
    char before = '{';
    put_text(text, name);
    for (size_t i = 0; i < 2 && own != NULL && own[i].name != NULL; i++) {
        put_label(text, before, &own[i]);
        before = ',';
    }
    for (size_t i = 0; i < text->label_count; i++) {
        put_label(text, before, &text->labels[i]);
        before = ',';
    }
    put_text(text, before == '{' ? " " : "} ");
}

void metrics_number(struct metrics_text *text, const char *name,
        const struct metrics_label own[2], uint64_t number)
{
    char digits[longest_number + 1];
    const int n = snprintf(digits, sizeof digits, "%" PRIu64,
            text->text != NULL ? number : UINT64_MAX);
    begin_sample(text, name, own);
    put(text, digits, (size_t)n);
    put_text(text, "\n");
}

void metrics_seconds(struct metrics_text *text, const char *name,
        const struct metrics_label own[2], uint64_t ns)
{
    enum { per_second = 1000000000 };
    char digits[longest_number + 12];
    const uint64_t shown = text->text != NULL ? ns : UINT64_MAX;
    const int n = snprintf(digits, sizeof digits, "%" PRIu64 ".%09" PRIu64,
            shown / per_second, shown % per_second);
    begin_sample(text, name, own);
    put(text, digits, (size_t)n);
    put_text(text, "\n");
}

/* ---- Labels -------------------------------------------------------------- */

static bool is_name(const char *name)
{
    static const char *const reserved[] = {"store", "reason", "kind"};
    static const char letters[] =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    enum { digits = 10 };
    const size_t length = strlen(name);
    if (length == 0 || length > most_value || strspn(name, letters) != length
            || strchr(letters + sizeof letters - 1 - digits, name[0]) != NULL
            || strncmp(name, "__", 2) == 0)
        return false;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0) return false;
    return true;
}

static bool are_good(size_t count, const struct metrics_label *labels)
{
    for (size_t i = 0; i < count; i++) {
        if (labels[i].name == NULL || labels[i].value == NULL
                || !is_name(labels[i].name)
                || strlen(labels[i].value) > most_value)
            return false;
        for (size_t j = 0; j < i; j++)
            if (strcmp(labels[i].name, labels[j].name) == 0) return false;
    }
    return true;
}

bool metrics_read_labels(struct metrics_label labels[metrics_most_labels],
        size_t count, const struct dnnl_cache_metrics_label *callers)
{
    if (count > metrics_most_labels || (count > 0 && callers == NULL))
        return false;
    const size_t step = count > 0 ? callers->struct_size : 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = (const unsigned char *)callers + i * step;
        struct dnnl_cache_metrics_label read;
        size_t size;
        memcpy(&size, at, sizeof size);
        if (size != step || !sized_struct_read(&read, sizeof read, at))
            return false;
        labels[i] = (struct metrics_label){read.name, read.value};
    }
    return are_good(count, labels);
}
