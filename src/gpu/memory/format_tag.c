/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/memory/format_tag.h"

#include "dnnl_cache.h"

#include <string.h>

/* A tag's name says all: the order of dimensions, the blocked ones in capital
 * letters, then the blocks. */
static const char *const names[] = {
#define TAG(name) [dnnl_##name] = #name,
        DNNL_CACHE_FORMAT_TAGS(TAG)
#undef TAG
};

/* NULL for any, undef and what is not a tag. */
static const char *name_of(dnnl_format_tag_t tag)
{
    size_t count = sizeof names / sizeof names[0];
    return (int)tag >= 0 && (size_t)tag < count ? names[tag] : NULL;
}

static int small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Reads "16b4a" and so on. */
static void read_blocks(const char *at, struct format_tag_layout *layout)
{
    while (*at != '\0') {
        int block = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            block = 10 * block + (*at - '0');
        layout->inner_blks[layout->inner_nblks] = block;
        layout->inner_idxs[layout->inner_nblks] = *at++ - 'a';
        layout->inner_nblks++;
    }
}

bool format_tag_read(dnnl_format_tag_t tag, struct format_tag_layout *layout)
{
    const char *name = name_of(tag);
    if (name == NULL) return false;
    memset(layout, 0, sizeof *layout);
    for (; *name > '9'; name++)
        layout->order[layout->ndims++] = small_letter(*name) - 'a';
    read_blocks(name, layout);
    return true;
}

const char *dnnl_fmt_tag2str(dnnl_format_tag_t tag)
{
    if (tag == dnnl_format_tag_undef) return "undef";
    if (tag == dnnl_format_tag_any) return "any";
    const char *name = name_of(tag);
    return name != NULL ? name : "unknown fmt_tag";
}
