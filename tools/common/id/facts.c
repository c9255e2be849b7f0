/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/facts.h"

#include "src/common/byte_order.h"

#include <dnnl_cache.h>

#include <stdlib.h>
#include <string.h>

enum {
    record_version = 5,
    /* More than any program has; a bound before memory is asked for. */
    most_kernels = 65536,
    most_args = 65536,
    most_classes = 4 * launch_classes_max
};

/* ---- Writing ------------------------------------------------------------- */

static void put(struct bytes *b, const void *data, size_t size)
{
    if (b->failed || size == 0) return;
    if (size > SIZE_MAX / 2 - b->size) {
        b->failed = true;
        return;
    }
    uint8_t *grown = realloc(b->data, b->size + size);
    if (grown == NULL) {
        b->failed = true;
        return;
    }
    memcpy(grown + b->size, data, size);
    b->data = grown;
    b->size += size;
}

static void put_number(struct bytes *b, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    put(b, bytes, sizeof bytes);
}

static void put_text_of(struct bytes *b, const char *text, size_t size)
{
    put_number(b, size);
    put(b, text, size);
    put(b, "", 1);
}

static void put_text(struct bytes *b, const char *text)
{
    put_text_of(b, text, strlen(text));
}

static void put_class(struct bytes *b, const struct launch_class *class)
{
    for (int i = 0; i < 3; i++)
        put_number(b, class->size[i]);
    put_number(b, class->has_offset);
    put_number(b, class->is_small);
}

static void put_kernel(struct bytes *b, const struct kernel_facts *kernel)
{
    put_text(b, kernel->name);
    put_text(b, kernel->attributes);
    put_number(b, kernel->local_bytes);
    put_number(b, kernel->arg_count);
    for (uint32_t i = 0; i <= kernel->arg_count; i++) {
        const struct arg_facts *arg = &kernel->args[i];
        for (int q = 0; q < arg_queries; q++)
            put_number(b, (uint32_t)arg->status[q]);
        put_number(b, arg->address);
        put_number(b, arg->access);
        put_number(b, arg->type);
        put_text(b, arg->type_name);
        put_text(b, arg->name);
    }
    put_number(b, kernel->class_count);
    for (uint32_t i = 0; i < kernel->class_count; i++)
        put_class(b, &kernel->classes[i]);
}

bool facts_encode(const struct facts *facts, struct bytes *bytes)
{
    memset(bytes, 0, sizeof *bytes);
    put_number(bytes, record_version);
    put_number(bytes, facts->compile_ns);
    put_number(bytes, !facts->has_classes ? 0 : facts->is_full ? 2 : 1);
    put_number(bytes, facts->binary_type);
    put_number(bytes, facts->global_bytes);
    put_text(bytes, facts->options);
    put_text_of(bytes, facts->log, (size_t)facts->log_size);
    put_text(bytes, facts->kernel_names);
    put_number(bytes, (uint32_t)facts->names_status);
    put_number(bytes, (uint32_t)facts->number_status);
    put_number(bytes, facts->kernel_count);
    for (uint32_t i = 0; i < facts->kernel_count; i++)
        put_kernel(bytes, &facts->kernels[i]);
    if (!bytes->failed) return true;
    free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
    return false;
}

/* ---- Classes ------------------------------------------------------------- */

bool facts_has_class(
        const struct kernel_facts *kernel, const struct launch_class *class)
{
    for (uint32_t i = 0; i < kernel->class_count; i++)
        if (launch_class_is_same(&kernel->classes[i], class)) return true;
    return false;
}

bool facts_add_class(
        struct kernel_facts *kernel, const struct launch_class *class)
{
    if (facts_has_class(kernel, class)) return true;
    if (kernel->class_count == most_classes) return false;
    struct launch_class *grown = realloc(kernel->classes,
            (kernel->class_count + 1) * sizeof *kernel->classes);
    if (grown == NULL) return false;
    kernel->classes = grown;
    kernel->classes[kernel->class_count++] = *class;
    return true;
}

/* ---- Reading ------------------------------------------------------------- */

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

static uint64_t get_number(struct cursor *c)
{
    if (c->failed || c->end - c->at < 8) {
        c->failed = true;
        return 0;
    }
    c->at += 8;
    return load_le64(c->at - 8);
}

/* A number that is at most that large. */
static uint32_t get_number_to(struct cursor *c, uint64_t most)
{
    const uint64_t value = get_number(c);
    if (value > most) c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

static const char *get_text_of(struct cursor *c, uint64_t *size)
{
    *size = get_number(c);
    if (c->failed || *size >= (uint64_t)(c->end - c->at)
            || c->at[*size] != '\0') {
        c->failed = true;
        *size = 0;
        return "";
    }
    const char *text = (const char *)c->at;
    c->at += *size + 1;
    return text;
}

/* A text without a NUL inside. */
static const char *get_text(struct cursor *c)
{
    uint64_t size;
    const char *text = get_text_of(c, &size);
    if (strlen(text) != size) c->failed = true;
    return text;
}

static void get_arg(struct cursor *c, struct arg_facts *arg)
{
    for (int q = 0; q < arg_queries; q++)
        arg->status[q] = (cl_int)get_number_to(c, UINT32_MAX);
    arg->address = get_number_to(c, UINT32_MAX);
    arg->access = get_number_to(c, UINT32_MAX);
    arg->type = get_number(c);
    arg->type_name = get_text(c);
    arg->name = get_text(c);
}

static struct launch_class get_class(struct cursor *c)
{
    struct launch_class class = {.is_auto = false};
    for (int i = 0; i < 3; i++)
        class.size[i] = get_number(c);
    class.has_offset = get_number_to(c, 1) != 0;
    class.is_small = get_number_to(c, 1) != 0;
    return class;
}

static int compare_classes(const void *left, const void *right)
{
    const struct launch_class *a = left;
    const struct launch_class *b = right;
    for (int i = 0; i < 3; i++)
        if (a->size[i] != b->size[i]) return a->size[i] < b->size[i] ? -1 : 1;
    if (a->has_offset != b->has_offset) return a->has_offset ? 1 : -1;
    return a->is_small - b->is_small;
}

/* Twice the same is none of facts_encode()'s. */
static bool are_classes(const struct kernel_facts *kernel)
{
    const uint32_t count = kernel->class_count;
    struct launch_class *sorted = malloc((count + 1) * sizeof *sorted);
    bool are = sorted != NULL;
    if (are && count > 1) {
        memcpy(sorted, kernel->classes, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_classes);
    }
    for (uint32_t i = 1; are && i < count; i++)
        are = compare_classes(&sorted[i - 1], &sorted[i]) != 0;
    free(sorted);
    return are;
}

static void get_classes(struct cursor *c, struct kernel_facts *kernel)
{
    enum { class_size = 5 * 8 };
    const uint32_t count = get_number_to(c, most_classes);
    if (c->failed || count > (uint64_t)(c->end - c->at) / class_size) {
        c->failed = true;
        return;
    }
    if (count == 0) return;
    kernel->classes = calloc(count, sizeof *kernel->classes);
    if (kernel->classes == NULL) {
        c->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        kernel->classes[i] = get_class(c);
    kernel->class_count = count;
    if (!are_classes(kernel)) c->failed = true;
}

static void get_args(struct cursor *c, struct kernel_facts *kernel)
{
    const uint32_t count = get_number_to(c, most_args);
    /* Each has 8 bytes at least: no memory for what cannot be there. */
    if (c->failed || count > (uint64_t)(c->end - c->at) / 8) {
        c->failed = true;
        return;
    }
    kernel->args = calloc((size_t)count + 1, sizeof *kernel->args);
    if (kernel->args == NULL) {
        c->failed = true;
        return;
    }
    kernel->arg_count = count;
    for (uint32_t i = 0; i <= count && !c->failed; i++)
        get_arg(c, &kernel->args[i]);
}

static void get_kernel(struct cursor *c, struct kernel_facts *kernel)
{
    kernel->name = get_text(c);
    kernel->attributes = get_text(c);
    kernel->local_bytes = get_number(c);
    get_args(c, kernel);
    if (!c->failed) get_classes(c, kernel);
}

static void get_kernels(struct cursor *c, struct facts *facts)
{
    const uint32_t count = get_number_to(c, most_kernels);
    if (c->failed || count > (uint64_t)(c->end - c->at) / 8) {
        c->failed = true;
        return;
    }
    facts->kernels = calloc(count != 0 ? count : 1, sizeof *facts->kernels);
    if (facts->kernels == NULL) {
        c->failed = true;
        return;
    }
    facts->kernel_count = count;
    for (uint32_t i = 0; i < count && !c->failed; i++)
        get_kernel(c, &facts->kernels[i]);
}

bool facts_decode(struct facts *facts, const uint8_t *data, size_t size)
{
    struct cursor c = {.at = data, .end = data + size};
    memset(facts, 0, sizeof *facts);
    if (get_number(&c) != record_version) c.failed = true;
    facts->compile_ns = get_number(&c);
    const uint32_t classes = get_number_to(&c, 2);
    facts->has_classes = classes != 0;
    facts->is_full = classes == 2;
    facts->binary_type = get_number_to(&c, UINT32_MAX);
    facts->global_bytes = get_number(&c);
    facts->options = get_text(&c);
    facts->log = get_text_of(&c, &facts->log_size);
    facts->kernel_names = get_text(&c);
    facts->names_status = (cl_int)get_number_to(&c, UINT32_MAX);
    facts->number_status = (cl_int)get_number_to(&c, UINT32_MAX);
    if (!c.failed) get_kernels(&c, facts);
    if (!c.failed && c.at == c.end) return true;
    facts_free_lists(facts);
    memset(facts, 0, sizeof *facts);
    return false;
}

void facts_free_lists(struct facts *facts)
{
    for (uint32_t i = 0; i < facts->kernel_count; i++) {
        free(facts->kernels[i].args);
        free(facts->kernels[i].classes);
    }
    free(facts->kernels);
    facts->kernels = NULL;
    facts->kernel_count = 0;
}

const struct kernel_facts *facts_kernel(
        const struct facts *facts, const char *name)
{
    for (uint32_t i = 0; i < facts->kernel_count; i++)
        if (strcmp(facts->kernels[i].name, name) == 0)
            return &facts->kernels[i];
    return NULL;
}

bool facts_have_launch(const struct facts *facts, const char *name,
        const struct launch_class *class)
{
    const struct kernel_facts *kernel = facts_kernel(facts, name);
    return facts->is_full || (kernel != NULL && facts_has_class(kernel, class));
}

/* ---- As a blob has them -------------------------------------------------- */

struct reading {
    struct facts *facts;
    bool tells;
    uint64_t bytes; /* of the binary */
};

static struct kernel_facts *find_kernel(struct facts *facts, const char *name)
{
    for (uint32_t i = 0; i < facts->kernel_count; i++)
        if (strcmp(facts->kernels[i].name, name) == 0)
            return &facts->kernels[i];
    return NULL;
}

static void forget_classes(struct facts *facts)
{
    for (uint32_t i = 0; i < facts->kernel_count; i++)
        facts->kernels[i].class_count = 0;
}

static size_t count_classes(const struct facts *facts)
{
    size_t count = 0;
    for (uint32_t i = 0; i < facts->kernel_count; i++)
        count += facts->kernels[i].class_count;
    return count;
}

static dnnl_status_t read_part(const dnnl_cache_blob_part_t *part, void *user)
{
    struct reading *reading = user;
    struct launch_class class;
    const char *list = part->launches;
    if (part->kind == dnnl_cache_blob_part_program)
        reading->bytes += part->bytes;
    if (part->kind != dnnl_cache_blob_part_kernel || list == NULL)
        return dnnl_success;
    struct kernel_facts *kernel = find_kernel(reading->facts, part->name);
    /* A binary that tells of one kernel tells of all. */
    if (!reading->tells) forget_classes(reading->facts);
    reading->tells = true;
    while (launch_class_read_next(&class, &list))
        if (kernel != NULL && !class.is_auto
                && !facts_add_class(kernel, &class))
            return dnnl_out_of_memory;
    return dnnl_success;
}

bool facts_read_classes(struct facts *facts, size_t size, const uint8_t *blob)
{
    struct reading reading = {.facts = facts};
    if (!facts->has_classes) return true;
    const dnnl_status_t st =
            dnnl_cache_blob_describe(size, blob, read_part, &reading);
    if (launch_classes_are_full(count_classes(facts), reading.bytes))
        facts->is_full = true;
    return st == dnnl_success;
}
