/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/named_files.h"

#include "src/common/array.h"

#include <stdlib.h>
#include <string.h>

bool named_files_add(struct named_files *files, const struct named_file *file)
{
    if (!array_grow(&files->items, files->count, sizeof *files->items))
        return false;
    files->items[files->count++] = *file;
    return true;
}

void named_files_fini(struct named_files *files)
{
    free(files->items);
    *files = (struct named_files){NULL, 0};
}

/* The file that stands beside number `index` of the other list: as many of its
 * name are before it. */
static const struct named_file *find_beside(const struct named_files *in,
        const struct named_files *other, size_t index)
{
    const char *name = other->items[index].name;
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        if (strcmp(other->items[i].name, name) == 0) before++;
    for (size_t i = 0; i < in->count; i++)
        if (strcmp(in->items[i].name, name) == 0 && before-- == 0)
            return &in->items[i];
    return NULL;
}

static bool are_same(const struct named_file *a, const struct named_file *b)
{
    return a->digest_size == b->digest_size
           && memcmp(a->digest, b->digest, a->digest_size) == 0;
}

void named_files_compare(const struct named_files *a,
        const struct named_files *b,
        void (*visit)(void *user, const struct named_file *a,
                const struct named_file *b),
        void *user)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct named_file *beside = find_beside(b, a, i);
        if (beside == NULL || !are_same(&a->items[i], beside))
            visit(user, &a->items[i], beside);
    }
    for (size_t i = 0; i < b->count; i++)
        if (find_beside(a, b, i) == NULL) visit(user, NULL, &b->items[i]);
}
