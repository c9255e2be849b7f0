/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a program's blob says of its build and kernels, which the
 * layer answers queries with. What is read is the same when it is written
 * again, its texts lie in the bytes, and a record that is cut is none; classes
 * that are added are found.
 */
#include "pieces.h"
#include "repaired.h"
#include "src/common/byte_order.h"
#include "tools/common/id/facts.h"

static const struct piece *record;

static void check_text(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    REQUIRE(at >= record->data
            && at + strlen(text) < record->data + record->size);
}

static void check_kernel(const struct facts *facts, struct kernel_facts *kernel)
{
    const struct launch_class class = {.size = {3, 1, 1}};
    check_text(kernel->name);
    check_text(kernel->attributes);
    for (uint32_t i = 0; i <= kernel->arg_count; i++) {
        check_text(kernel->args[i].type_name);
        check_text(kernel->args[i].name);
    }
    REQUIRE(facts_kernel(facts, kernel->name) != NULL);
    for (uint32_t i = 0; i < kernel->class_count; i++)
        REQUIRE(facts_has_class(kernel, &kernel->classes[i]));
    if (facts_add_class(kernel, &class))
        REQUIRE(facts_has_class(kernel, &class));
}

/* ---- A record of any bytes ----------------------------------------------- */

enum { record_version = 5, most_items = 16 };

struct walk {
    uint8_t *at;
    uint8_t *end;
    bool is_over; /* more was wanted than there is */
};

/* The next number, made no larger than that. */
static uint64_t walk_number(struct walk *w, uint64_t most)
{
    if (w->is_over || w->end - w->at < 8) {
        w->is_over = true;
        return 0;
    }
    uint64_t value = load_le64(w->at);
    if (value > most) value %= most + 1;
    store_le64(w->at, value);
    w->at += 8;
    return value;
}

static void walk_numbers(struct walk *w, unsigned count, uint64_t most)
{
    for (unsigned i = 0; i < count; i++)
        (void)walk_number(w, most);
}

/* As long as it says, or as there is room for, with a NUL behind it, and with
 * none inside unless it is a log. */
static void walk_text(struct walk *w, bool is_log)
{
    uint8_t *size_at = w->at;
    uint64_t size = walk_number(w, UINT64_MAX);
    if (w->is_over || w->at == w->end) {
        w->is_over = true;
        return;
    }
    const uint64_t most = (uint64_t)(w->end - w->at) - 1;
    if (size > most) size %= most + 1;
    for (uint64_t i = 0; i < size && !is_log; i++)
        if (w->at[i] == '\0') w->at[i] = 'x';
    w->at[size] = '\0';
    w->at += size + 1;
    store_le64(size_at, size);
}

static void walk_kernel(struct walk *w)
{
    walk_text(w, false);
    walk_text(w, false);
    walk_numbers(w, 1, UINT64_MAX);
    const uint64_t args = walk_number(w, most_items);
    for (uint64_t i = 0; i <= args && !w->is_over; i++) {
        walk_numbers(w, arg_queries + 2, UINT32_MAX);
        walk_numbers(w, 1, UINT64_MAX);
        walk_text(w, false);
        walk_text(w, false);
    }
    const uint64_t classes = walk_number(w, most_items);
    for (uint64_t i = 0; i < classes && !w->is_over; i++) {
        walk_numbers(w, 3, UINT64_MAX);
        walk_numbers(w, 2, 1);
    }
}

/* With as many kernels as it says, or as there are. */
size_t fuzz_repair(size_t size, uint8_t *bytes)
{
    struct walk w = {bytes, bytes + size, false};
    if (size >= 8) store_le64(bytes, record_version);
    walk_numbers(&w, 2, UINT64_MAX);
    walk_numbers(&w, 1, 2);
    walk_numbers(&w, 1, UINT32_MAX);
    walk_numbers(&w, 1, UINT64_MAX);
    walk_text(&w, false);
    walk_text(&w, true);
    walk_text(&w, false);
    walk_numbers(&w, 2, UINT32_MAX);
    uint8_t *count_at = w.at;
    const uint64_t count = walk_number(&w, most_items);
    if (w.is_over) return 0;
    uint8_t *end = w.at;
    uint64_t done = 0;
    for (; done < count; done++) {
        walk_kernel(&w);
        if (w.is_over) break;
        end = w.at;
    }
    store_le64(count_at, done);
    return (size_t)(end - bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece copy = pieces_rest(&pieces);
    struct facts facts;
    struct facts cut;
    struct bytes again = {NULL, 0, false};
    record = &copy;
    if (facts_decode(&facts, copy.data, copy.size)) {
        REQUIRE(facts_encode(&facts, &again) && !again.failed);
        REQUIRE(again.size == size && memcmp(again.data, data, size) == 0);
        free(again.data);
        REQUIRE(!facts_decode(&cut, copy.data, copy.size - 1));
        check_text(facts.options);
        check_text(facts.kernel_names);
        touch(facts.log, (size_t)facts.log_size + 1);
        for (uint32_t i = 0; i < facts.kernel_count; i++)
            check_kernel(&facts, &facts.kernels[i]);
        (void)facts_have_launch(
                &facts, "k", &(struct launch_class){.size = {1, 1, 1}});
    } else {
        REQUIRE(facts.kernels == NULL && facts.kernel_count == 0);
    }
    facts_free_lists(&facts);
    free(copy.data);
    return 0;
}
