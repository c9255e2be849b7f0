/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/chain/chain_internal.h"

#include <stdlib.h>

struct loan {
    struct loan *next;
    const uint8_t *blob;
    size_t size;
    size_t member;
};

static struct loan **list_of(struct loans *loans, const uint8_t *blob)
{
    /* Allocations are far apart and aligned: the low bits say little. */
    const uint64_t mixed = (uint64_t)(uintptr_t)blob * 0x9e3779b97f4a7c15u;
    return &loans->lists[mixed >> 56];
}

bool loans_add(
        struct loans *loans, const uint8_t *blob, size_t size, size_t member)
{
    struct loan *loan = malloc(sizeof *loan);
    if (loan == NULL) return false;
    (void)fork_lock(&loans->lock);
    struct loan **list = list_of(loans, blob);
    *loan = (struct loan){*list, blob, size, member};
    fork_order_writes(); /* a child follows the list */
    *list = loan;
    fork_unlock(&loans->lock);
    return true;
}

bool loans_take(
        struct loans *loans, const uint8_t *blob, size_t size, size_t *member)
{
    (void)fork_lock(&loans->lock);
    struct loan **at = list_of(loans, blob);
    while (*at != NULL && ((*at)->blob != blob || (*at)->size != size))
        at = &(*at)->next;
    struct loan *loan = *at;
    if (loan != NULL) *at = loan->next;
    fork_unlock(&loans->lock);
    if (loan == NULL) return false;
    *member = loan->member;
    free(loan);
    return true;
}
