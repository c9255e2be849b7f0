/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/trace/nearest.h"

#include "layer/storage/storage.h"

#include <stdlib.h>
#include <string.h>

/* The fewest differences, the youngest of equals. Entries of another kind than
 * programs, and the very ID, explain nothing. */
static bool compare(
        void *user, size_t id_size, const uint8_t *id, uint64_t created_ns)
{
    struct nearest *n = user;
    const struct difference_id other = {id_size, id};
    char names[difference_names_size];
    if (!difference_names(names, n->wanted, &other) || names[0] == '\0'
            || difference_has(names, "kind"))
        return true;
    const size_t distance = difference_distance(names);
    if (n->id != NULL
            && (distance > n->distance
                    || (distance == n->distance
                            && created_ns <= n->created_ns)))
        return true;
    uint8_t *copy = realloc(n->id, id_size);
    if (copy == NULL) return false; /* the best so far */
    memcpy(copy, id, id_size);
    n->id = copy;
    n->id_size = id_size;
    n->created_ns = created_ns;
    n->distance = distance;
    memcpy(n->names, names, sizeof names);
    return true;
}

void nearest_find(struct nearest *nearest, const struct difference_id *wanted)
{
    nearest->wanted = wanted;
    nearest->id = NULL;
    nearest->names[0] = '\0';
    nearest->distance = 0;
    storage_for_each_id(compare, nearest);
}

void nearest_fini(struct nearest *nearest)
{
    free(nearest->id);
}
