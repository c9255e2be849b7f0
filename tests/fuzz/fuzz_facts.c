/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a program's blob says of its build and kernels, which the
 * layer answers queries with. What is read is the same when it is written
 * again, its texts lie in the bytes, and a record that is cut is none; classes
 * that are added are found.
 */
#include "pieces.h"
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
        touch(facts.log, facts.log_size + 1);
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
