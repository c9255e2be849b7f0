/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/prove/proof.h"

#include <stdio.h>
#include <string.h>

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool is_same_argument(
        const struct arg_facts *a, const struct arg_facts *b)
{
    return memcmp(a->status, b->status, sizeof a->status) == 0
           && a->address == b->address && a->access == b->access
           && a->type == b->type && is_same_text(a->type_name, b->type_name)
           && is_same_text(a->name, b->name);
}

static bool compare_kernel(struct proof *proof, const struct kernel_facts *a,
        const struct kernel_facts *b)
{
    if (!is_same_text(a->name, b->name))
        return proof_find(
                proof, suspect_source, "the names of the kernels", a->name);
    if (a->arg_count != b->arg_count)
        return proof_find(proof, suspect_source,
                "the number of a kernel's arguments", a->name);
    for (uint32_t i = 0; i <= a->arg_count; i++)
        if (!is_same_argument(&a->args[i], &b->args[i]))
            return proof_find(proof, suspect_source,
                    "what the driver says of a kernel's arguments", a->name);
    if (!is_same_text(a->attributes, b->attributes))
        return proof_find(
                proof, suspect_source, "a kernel's attributes", a->name);
    return true;
}

bool proof_compare_facts(struct proof *proof, const struct facts *entry,
        const struct facts *again)
{
    if (entry->binary_type != again->binary_type)
        return proof_find(
                proof, suspect_source, "what kind of program it is", "");
    if (entry->names_status != again->names_status
            || entry->number_status != again->number_status
            || entry->kernel_count != again->kernel_count
            || !is_same_text(entry->kernel_names, again->kernel_names))
        return proof_find(
                proof, suspect_source, "the names of the kernels", "");
    for (uint32_t i = 0; i < entry->kernel_count; i++)
        if (!compare_kernel(proof, &entry->kernels[i], &again->kernels[i]))
            return false;
    if (entry->global_bytes != again->global_bytes)
        return proof_find(proof, suspect_source,
                "the size of the program's variables", "");
    return true;
}
