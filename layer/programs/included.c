/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/included.h"

#include "dnnl_cache/sys/inside.h"

#include <stdlib.h>
#include <string.h>

struct included_name {
    char *name; /* owned */
    uint8_t digest[DNNL_CACHE_INCLUDED_DIGEST_SIZE];
};

void included_add(struct build *build, const char *name, const uint8_t *digest)
{
    const size_t count = build->included_count;
    /* Doubled when it is full, at powers of two. */
    if ((count & (count - 1)) == 0) {
        struct included_name *more = realloc(
                build->included, (count == 0 ? 1 : 2 * count) * sizeof *more);
        if (more == NULL) return;
        build->included = more;
    }
    struct included_name *added = &build->included[count];
    added->name = strdup(name);
    if (added->name == NULL) return;
    memcpy(added->digest, digest, sizeof added->digest);
    build->included_count++;
}

static dnnl_status_t take(const dnnl_cache_blob_part_t *part, void *user)
{
    if (part->kind == dnnl_cache_blob_part_file)
        included_add(user, part->name, part->id);
    return dnnl_success;
}

void included_take(struct build *build, size_t blob_size, const uint8_t *blob)
{
    if (build->included_count == 0 && build->reads_files)
        (void)dnnl_cache_blob_describe(blob_size, blob, take, build);
}

void included_give(const struct build *build, dnnl_cache_program_t adopted)
{
    const size_t count = build->included_count;
    if (count == 0) return;
    const char **names = malloc(count * sizeof *names);
    const uint8_t **digests = malloc(count * sizeof *digests);
    for (size_t i = 0; names != NULL && digests != NULL && i < count; i++) {
        names[i] = build->included[i].name;
        digests[i] = build->included[i].digest;
    }
    dnnl_cache_program_set_included(
            adopted, digests != NULL ? count : 0, names, digests);
    free(names);
    free(digests);
}

void included_free(struct build *build)
{
    for (size_t i = 0; i < build->included_count; i++)
        free(build->included[i].name);
    free(build->included);
}
