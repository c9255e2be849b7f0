/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/facts_difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool note(struct facts_difference *d, const char *what,
        const struct kernel_facts *kernel)
{
    *d = (struct facts_difference){
            .what = what, .kernel = kernel != NULL ? kernel->name : ""};
    return true;
}

static bool note_numbers(struct facts_difference *d, const char *what,
        const struct kernel_facts *kernel, uint64_t kept, uint64_t made)
{
    (void)note(d, what, kernel);
    d->is_counted = true;
    d->kept = kept;
    d->made = made;
    return true;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* A value without CL_SUCCESS is none. */
static bool is_same_argument(
        const struct arg_facts *a, const struct arg_facts *b)
{
    return memcmp(a->status, b->status, sizeof a->status) == 0
           && (a->status[0] != CL_SUCCESS || a->address == b->address)
           && (a->status[1] != CL_SUCCESS || a->access == b->access)
           && (a->status[3] != CL_SUCCESS || a->type == b->type)
           && is_same_text(a->type_name, b->type_name)
           && is_same_text(a->name, b->name);
}

static bool is_hidden(const struct arg_facts *arg)
{
    for (int i = 0; i < arg_queries; i++)
        if (arg->status[i] != CL_KERNEL_ARG_INFO_NOT_AVAILABLE) return false;
    return true;
}

/* Also what the driver says of an argument that is not there. */
static bool are_same_arguments(const struct kernel_facts *kept,
        const struct kernel_facts *made, bool may_be_hidden)
{
    for (uint32_t i = 0; i <= kept->arg_count; i++) {
        const struct arg_facts *a = &kept->args[i];
        const struct arg_facts *b = &made->args[i];
        if (may_be_hidden && (is_hidden(a) || is_hidden(b))) continue;
        if (!is_same_argument(a, b)) return false;
    }
    return true;
}

static bool find_in_kernel(struct facts_difference *d,
        const struct kernel_facts *kept, const struct kernel_facts *made,
        bool may_be_hidden)
{
    if (!is_same_text(kept->name, made->name))
        return note(d, "the names of the kernels", kept);
    if (kept->arg_count != made->arg_count)
        return note_numbers(d, "the number of a kernel's arguments", kept,
                kept->arg_count, made->arg_count);
    if (!are_same_arguments(kept, made, may_be_hidden))
        return note(d, "what the driver says of a kernel's arguments", kept);
    if (!is_same_text(kept->attributes, made->attributes))
        return note(d, "a kernel's attributes", kept);
    if (kept->local_bytes != made->local_bytes
            && kept->local_bytes != facts_no_bytes
            && made->local_bytes != facts_no_bytes)
        return note_numbers(d, "the size of a kernel's local memory", kept,
                kept->local_bytes, made->local_bytes);
    return false;
}

static bool has_no_options(const struct facts *facts)
{
    return facts->options == NULL || facts->options[0] == '\0';
}

bool facts_find_difference(struct facts_difference *d, const struct facts *kept,
        const struct facts *made, bool hides_arguments)
{
    const bool may_be_hidden =
            hides_arguments && has_no_options(kept) && has_no_options(made);
    if (kept->binary_type != made->binary_type)
        return note(d, "what kind of program it is", NULL);
    if (kept->kernel_count != made->kernel_count)
        return note_numbers(d, "the number of kernels", NULL,
                kept->kernel_count, made->kernel_count);
    if (kept->names_status != made->names_status
            || kept->number_status != made->number_status
            || !is_same_text(kept->kernel_names, made->kernel_names))
        return note(d, "the names of the kernels", NULL);
    for (uint32_t i = 0; i < kept->kernel_count; i++)
        if (find_in_kernel(
                    d, &kept->kernels[i], &made->kernels[i], may_be_hidden))
            return true;
    if (kept->global_bytes != made->global_bytes)
        return note_numbers(d, "the size of the program's variables", NULL,
                kept->global_bytes, made->global_bytes);
    return false;
}

void facts_difference_print(
        char text[facts_difference_text_size], const struct facts_difference *d)
{
    char numbers[64] = "";
    if (d->is_counted)
        (void)snprintf(numbers, sizeof numbers,
                ": %" PRIu64 ", compiled now %" PRIu64, d->kept, d->made);
    (void)snprintf(text, facts_difference_text_size, "%s%s%.120s%s", d->what,
            d->kernel[0] != '\0' ? " of " : "", d->kernel, numbers);
    /* A name of a store's may be anything. */
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
}
