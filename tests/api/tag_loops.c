/* SPDX-License-Identifier: Apache-2.0 */
#include "tag_loops.h"

#include <stdlib.h>
#include <string.h>

int tag_letters(const char *name)
{
    return (int)strcspn(name, "0123456789");
}

struct tag_loops tag_loops_of(const char *name, const dnnl_dim_t *dims)
{
    struct tag_loops l;
    dnnl_dims_t block;
    int letters = tag_letters(name);
    const char *at = name + letters;
    memset(&l, 0, sizeof l);
    for (int d = 0; d < DNNL_MAX_NDIMS; d++)
        block[d] = 1;
    l.count = letters;
    for (; *at != '\0'; at++, l.count++) {
        char *end;
        l.of[l.count].size = strtol(at, &end, 10);
        at = end;
        l.of[l.count].dim = *at - 'a';
    }
    for (int i = l.count - 1; i >= letters; i--) {
        l.of[i].step = block[l.of[i].dim];
        block[l.of[i].dim] *= l.of[i].size;
    }
    for (int i = 0; i < letters; i++) {
        int dim = (name[i] | 0x20) - 'a';
        l.of[i].dim = dim;
        l.of[i].step = block[dim];
        l.of[i].size = (dims[dim] + block[dim] - 1) / block[dim];
        /* Capital letters are those of blocks. */
        if ((block[dim] > 1) != ((name[i] & 0x20) == 0)) abort();
    }
    return l;
}

dnnl_dim_t tag_loops_offset(const struct tag_loops *l, const dnnl_dims_t place)
{
    dnnl_dim_t offset = 0;
    for (int i = 0; i < l->count; i++)
        offset = offset * l->of[i].size
                 + place[l->of[i].dim] / l->of[i].step % l->of[i].size;
    return offset;
}

dnnl_dim_t tag_loops_size(const struct tag_loops *l)
{
    dnnl_dim_t size = 1;
    for (int i = 0; i < l->count; i++)
        size *= l->of[i].size;
    return size;
}

void tag_loops_place(
        const struct tag_loops *l, dnnl_dim_t offset, dnnl_dims_t place)
{
    memset(place, 0, sizeof(dnnl_dims_t));
    for (int i = l->count - 1; i >= 0; i--) {
        place[l->of[i].dim] += offset % l->of[i].size * l->of[i].step;
        offset /= l->of[i].size;
    }
}
