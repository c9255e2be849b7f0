/* SPDX-License-Identifier: Apache-2.0 */
#include "model/onnx/onnx_names.h"
#include "model/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(name) ((name)->is_lost = true)
#include <uthash.h>

struct name {
    UT_hash_handle hh;
    struct name_facts facts;
    bool is_lost; /* the table had no room for it */
    char text[];
};

bool names_add(struct name **names, const char *name, int node,
        struct failure *failure)
{
    if (names_find(*names, name) != NULL) return false;
    size_t size = strlen(name);
    struct name *added = calloc(1, sizeof *added + size + 1);
    if (added == NULL) return fail_out_of_memory(failure);
    memcpy(added->text, name, size);
    added->facts = (struct name_facts){node, graph_none, false};
    struct name *head = *names;
    HASH_ADD_KEYPTR(hh, head, added->text, size, added);
    if (added->is_lost) {
        free(added);
        return fail_out_of_memory(failure);
    }
    *names = head;
    return true;
}

struct name_facts *names_find(struct name *names, const char *name)
{
    struct name *found = NULL;
    HASH_FIND(hh, names, name, strlen(name), found);
    return found == NULL ? NULL : &found->facts;
}

void names_fini(struct name **names)
{
    struct name *next;
    for (struct name *name = *names; name != NULL; name = next) {
        next = name->hh.next;
        HASH_DEL(*names, name);
        free(name);
    }
}
